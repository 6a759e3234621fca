import { ClipRetargeter } from '@poise/three';
import { PoiseError } from 'poise';
import { findHumanoid, type Humanoid } from 'poise/humanoid';
import { type AnimationClip, CircleGeometry, Group, Mesh, type Object3D, ShadowMaterial } from 'three';
import { find, inWords, onSwitch, showNumber, showWords } from '../shared/page.js';
import { createStage } from '../shared/stage.js';
import { Body } from './body.js';
import { CHARACTERS, walkingMannequin } from './built-in.js';
import { Floor } from './floor.js';
import { type Opened, openFile } from './open-file.js';

/** Height at which both are shown, and their distance from the middle, m. */
const HEIGHT = 1.6;
const APART = 0.72;
/** Half of the time over which the path of a floor is the mean of the hips', s. */
const FOLLOWED = 0.4;
/** Confidence below which a bone is marked. */
const SURE = 0.6;

interface SourceChoice {
  readonly name: string;
  readonly root: Object3D;
  readonly clip: AnimationClip;
}

interface TargetChoice {
  readonly name: string;
  readonly root: Object3D;
}

/** A body on its floor. */
interface Place {
  readonly body: Body;
  readonly floor: Floor;
  /** Size on the page over that of the body. */
  readonly size: number;
  /** Where the body is over the frames, two numbers each: x and z. */
  readonly path: Float64Array;
}

interface Show {
  readonly places: readonly Place[];
  readonly root: Object3D;
  readonly clip: AnimationClip;
  readonly frames: number;
}

const stage = createStage({ middle: [0, 0.8, 0], from: [1.4, 0.7, 4.4], floor: false });
const shadow = new Mesh(new CircleGeometry(4, 48), new ShadowMaterial({ color: '#1f2a3a', opacity: 0.2 }));
shadow.rotation.x = -Math.PI / 2;
shadow.receiveShadow = true;
const sides = [-APART, APART].map((x) => {
  const side = new Group();
  side.position.x = x;
  const floor = new Floor();
  side.add(floor.mesh);
  stage.scene.add(side);
  return { side, floor };
});
stage.scene.add(shadow);

const sources: SourceChoice[] = [{ name: 'Walk', ...walkingMannequin() }];
const targets: TargetChoice[] = Object.entries(CHARACTERS).map(([name, make]) => ({ name, root: make() }));
const [clipChoice, characterChoice] = ['#clip', '#character'].map((id) => find<HTMLSelectElement>(id));
let show: Show | undefined;
let plays = true;
let time = 0;

/** Puts the chosen clip on the chosen character, and shows both. */
function retarget(): void {
  const source = sources[clipChoice.selectedIndex];
  const target = targets[characterChoice.selectedIndex];
  for (const { body } of show?.places ?? []) body.dispose();
  show = undefined;
  find('#rows').replaceChildren();
  const staysOnFloor = find<HTMLInputElement>('#feet').checked;
  const anatomicalLimits = find<HTMLInputElement>('#limits').checked;
  const retargeter = new ClipRetargeter(source.root, target.root, { anatomicalLimits });
  const result = retargeter.retarget(source.clip);
  const { contacts, times, summary } = result.report;
  // Without contacts given, none is looked for: what is shown are those of the clip all the same.
  const { clip } = staysOnFloor ? result : retargeter.retarget(source.clip, { contacts: [] });
  const humans = [retargeter.source, retargeter.target].map(({ figure }) => findHumanoid(figure) as Humanoid);
  const seconds = Float64Array.from(times, (t) => t - times[0]);
  const common = { contacts, times: seconds };
  const bodies = [
    new Body({
      ...common,
      binding: retargeter.source,
      humanoid: humans[0],
      root: source.root,
      soles: retargeter.sourceSoles,
      clip: source.clip,
      scale: retargeter.retargeter.scale,
      isGrounded: true,
    }),
    new Body({
      ...common,
      binding: retargeter.target,
      humanoid: humans[1],
      root: target.root,
      soles: retargeter.targetSoles,
      clip,
      scale: 1,
      isGrounded: false,
    }),
  ];
  const half = Math.round(FOLLOWED / (seconds[1] - seconds[0]));
  const places = bodies.map((body, k): Place => {
    const { side, floor } = sides[k];
    const size = HEIGHT / body.size().y;
    body.group.scale.setScalar(size);
    side.add(body.group);
    return { body, floor, size, path: pathOf(body, half) };
  });
  show = { places, root: target.root, clip, frames: summary.frames };
  time = Math.min(time, clip.duration);
  find<HTMLInputElement>('#time').max = String(clip.duration);
  showBones(retargeter, humans);
  const [clipBody, body] = bodies;
  showNumber('#most', body.mostSliding, inMillimetres(body.mostSliding));
  showNumber('#source-most', clipBody.mostSliding, inMillimetres(clipBody.mostSliding));
  showNumber('#depth', body.depth, inMillimetres(body.depth));
  const reasons = [...retargeter.warnings, ...result.warnings];
  if (contacts.every(({ spans }) => spans.length === 0)) {
    showWords('no-contacts', 'far', 'No foot stands in this clip', reasons);
  } else if (body.mostSliding > 5) {
    const isLimited = anatomicalLimits && summary.limitedFrames > 0;
    showWords('slides', 'warn', isLimited ? 'Feet slide, joints are at their limits' : 'Feet slide', reasons);
  } else showWords('stays', 'good', 'Feet stay where they stand', reasons);
}

/** Tries to, and says what is wrong where it is not possible. */
function update(name: string): void {
  const problem = find('#problem');
  problem.textContent = '';
  try {
    retarget();
  } catch (error) {
    showWords('refused', 'warn', 'Not possible', []);
    problem.textContent = `${name}: ${error instanceof Error ? error.message : String(error)}`;
    if (!(error instanceof PoiseError)) console.warn(error);
  }
}

/** The path of the hips, smoothed over a number of frames. */
function pathOf({ hips }: Body, half: number): Float64Array {
  const count = hips.length / 3;
  return Float64Array.from({ length: 2 * count }, (_, i) => {
    const f = i >> 1;
    const [from, to] = [Math.max(0, f - half), Math.min(count - 1, f + half)];
    let sum = 0;
    for (let g = from; g <= to; g++) sum += hips[3 * g + 2 * (i % 2)];
    return sum / (to - from + 1);
  });
}

function showBones({ retargeter }: ClipRetargeter, [from, to]: readonly Humanoid[]): void {
  const { bones, source, target } = retargeter;
  find('#bones').textContent = `${bones.length} bones`;
  find('#rows').replaceChildren(
    ...bones.map(({ human, source: s, target: t }) => {
      const row = document.createElement('tr');
      const known = human as keyof typeof from.confidence;
      const sure = Math.min(from.confidence[known] ?? 0, to.confidence[known] ?? 0);
      const cells = [
        inWords(human),
        source.bones[s].name,
        target.bones[t].name,
        `${(100 * sure).toFixed(0)} %`,
      ];
      row.dataset.unsure = String(sure < SURE);
      row.append(...cells.map((text) => Object.assign(document.createElement('td'), { textContent: text })));
      return row;
    }),
  );
}

const inMillimetres = (value: number): string => `${value.toFixed(1)} mm`;

function listChoices(): void {
  const list = (select: HTMLSelectElement, names: readonly string[]): void => {
    const { selectedIndex } = select;
    select.replaceChildren(...names.map((name) => new Option(name)));
    select.selectedIndex = Math.max(0, selectedIndex);
  };
  list(
    clipChoice,
    sources.map(({ name }) => name),
  );
  list(
    characterChoice,
    targets.map(({ name }) => name),
  );
}

/** Adds the clips or the character of a file to the choices, and selects it. */
function add({ name, root, clips }: Opened, as: 'clip' | 'character'): void {
  if (as === 'clip') {
    if (clips.length === 0) throw new Error('has no clip; open it as the character.');
    sources.push(
      ...clips.map((clip) => ({ name: clips.length > 1 ? `${name}: ${clip.name}` : name, root, clip })),
    );
    listChoices();
    clipChoice.selectedIndex = sources.length - clips.length;
  } else {
    targets.push({ name, root });
    listChoices();
    characterChoice.selectedIndex = targets.length - 1;
  }
}

async function open(
  files: Iterable<File>,
  as: 'clip' | 'character' | undefined,
  isLeft = false,
): Promise<void> {
  const names: string[] = [];
  const faults: string[] = [];
  for (const file of files) {
    try {
      const found = await openFile(file);
      const kind = found.clips.length === 0 ? 'character' : !found.hasMesh || isLeft ? 'clip' : 'character';
      add(found, as ?? kind);
      names.push(file.name);
    } catch (error) {
      faults.push(`${file.name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (names.length > 0) update(names.join(', '));
  if (faults.length > 0) find('#problem').textContent = faults.join(' ');
}

for (const kind of ['clip', 'character'] as const) {
  const input = find<HTMLInputElement>(`#${kind}-file`);
  input.addEventListener('change', () => {
    void open([...(input.files ?? [])], kind);
    input.value = '';
  });
  find(`#open-${kind}`).addEventListener('click', () => input.click());
  find(`#${kind}`).addEventListener('change', () => update(kind));
}
const dropped = find('#stage');
window.addEventListener('dragover', (event) => {
  event.preventDefault();
  dropped.dataset.dropping = 'true';
});
window.addEventListener('dragleave', () => {
  delete dropped.dataset.dropping;
});
window.addEventListener('drop', (event) => {
  event.preventDefault();
  delete dropped.dataset.dropping;
  const { left, width } = dropped.getBoundingClientRect();
  void open([...(event.dataTransfer?.files ?? [])], undefined, event.clientX < left + width / 2);
});

const play = find('#play');
function setPlaying(value: boolean): void {
  plays = value;
  play.textContent = plays ? 'Pause' : 'Play';
}
play.addEventListener('click', () => setPlaying(!plays));
const slider = find<HTMLInputElement>('#time');
slider.addEventListener('input', () => {
  setPlaying(false);
  time = slider.valueAsNumber;
});
find('#download').addEventListener('click', () => void download());

async function download(): Promise<void> {
  if (show === undefined) return;
  const { root, clip, places } = show;
  const { GLTFExporter } = await import('three/examples/jsm/exporters/GLTFExporter.js');
  places[1].body.rest();
  const bytes = await new GLTFExporter().parseAsync(root, { binary: true, animations: [clip] });
  places[1].body.play();
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([bytes as ArrayBuffer], { type: 'model/gltf-binary' }));
  link.download = `${clip.name || 'clip'}.glb`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

listChoices();
retarget();
for (const id of ['#feet', '#limits']) {
  let isFirst = true;
  onSwitch(id, () => {
    if (!isFirst) update(characterChoice.value);
    isFirst = false;
  });
}

stage.start((seconds) => {
  if (show === undefined) return;
  const { places, clip, frames } = show;
  if (plays) time = (time + seconds) % clip.duration;
  const frame = Math.round((time / clip.duration) * (frames - 1));
  let sliding = 0;
  for (const { body, floor, size, path } of places) {
    // The last is the target.
    sliding = body.show(frame, time);
    const [x, z] = [size * path[2 * frame], size * path[2 * frame + 1]];
    body.group.position.set(-x, 0, -z);
    floor.move(x, z);
  }
  showNumber('#sliding', sliding, inMillimetres(sliding));
  if (slider !== document.activeElement || plays) slider.valueAsNumber = time;
  find('#time-value').textContent = `${time.toFixed(2)} of ${clip.duration.toFixed(2)} s`;
});
