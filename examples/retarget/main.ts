import { ClipRetargeter } from '@poise/three';
import { PoiseError } from 'poise';
import { createState, type Figure, forwardKinematics } from 'poise/figure';
import { findHumanoid, type Humanoid } from 'poise/humanoid';
import {
  type AnimationClip,
  CircleGeometry,
  GridHelper,
  Group,
  Mesh,
  type Object3D,
  ShadowMaterial,
} from 'three';
import { find, inWords, onSwitch, showNumber, showWords } from '../shared/page.js';
import { createStage } from '../shared/stage.js';
import { Body } from './body.js';
import { CHARACTERS, walkingMannequin } from './built-in.js';
import { type Opened, openFile } from './open-file.js';

/** Height at which the character is shown, and distance of the two from the middle, m of the page. */
const HEIGHT = 1.6;
const APART = 0.55;
/** Distance of the lines of the floor, m. */
const CELL = 0.25;
/** Half of the time over which the camera's path is the mean of the hips', s. */
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

/** What is shown: two bodies over the frames of a clip. */
interface Show {
  readonly source: Body;
  readonly target: Body;
  readonly root: Object3D;
  readonly clip: AnimationClip;
  readonly frames: number;
  /** Where the camera looks, two numbers a frame: x and z. */
  readonly path: Float64Array;
}

const stage = createStage({ middle: [0, 0.8, 0], from: [1.4, 0.7, 4.4], floor: false });
const shadow = new Mesh(new CircleGeometry(4, 48), new ShadowMaterial({ color: '#1f2a3a', opacity: 0.2 }));
shadow.rotation.x = -Math.PI / 2;
shadow.receiveShadow = true;
const grid = new GridHelper(12, 12 / CELL, '#dde1e5', '#dde1e5');
grid.position.y = -0.001;
const walkers = new Group();
stage.scene.add(shadow, grid, walkers);

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
  show?.source.dispose();
  show?.target.dispose();
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
  const size = HEIGHT / heightOf(retargeter.target.figure);
  const seconds = Float64Array.from(times, (t) => t - times[0]);
  const common = { contacts, times: seconds, millimetres: 1000 / size };
  const bodies = [
    new Body({
      ...common,
      binding: retargeter.source,
      humanoid: humans[0],
      root: source.root,
      soles: retargeter.sourceSoles,
      clip: source.clip,
      scale: size * retargeter.retargeter.scale,
      isGrounded: true,
    }),
    new Body({
      ...common,
      binding: retargeter.target,
      humanoid: humans[1],
      root: target.root,
      soles: retargeter.targetSoles,
      clip,
      scale: size,
      isGrounded: false,
    }),
  ];
  bodies.forEach(({ group }, k) => {
    group.position.x = (2 * k - 1) * APART;
    walkers.add(group);
  });
  const path = pathOf(bodies, Math.round(FOLLOWED / (seconds[1] - seconds[0])));
  show = { source: bodies[0], target: bodies[1], root: target.root, clip, frames: summary.frames, path };
  time = 0;
  find<HTMLInputElement>('#time').max = String(clip.duration);
  showBones(retargeter, humans);
  const [clipBody, body] = bodies;
  showNumber('#most', body.mostSliding, inMillimetres(body.mostSliding));
  showNumber('#source-most', clipBody.mostSliding, inMillimetres(clipBody.mostSliding));
  showNumber('#depth', body.depth, inMillimetres(body.depth));
  const reasons = [...retargeter.warnings, ...result.warnings];
  if (contacts.every(({ spans }) => spans.length === 0)) {
    showWords('no-contacts', 'far', 'No foot stands in this clip', reasons);
  } else if (body.mostSliding > 5) showWords('slides', 'warn', 'Feet slide', reasons);
  else showWords('stays', 'good', 'Feet stay where they stand', reasons);
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

/** Extent of the bones at rest along up, m. */
function heightOf(figure: Figure): number {
  const state = createState(figure);
  forwardKinematics(state, new Float64Array(figure.dof));
  const heights = figure.bones.flatMap(({ index, tip = [0, 0, 0] }) => {
    const m = state.worldFromBone.subarray(12 * index, 12 * index + 12);
    return [[0, 0, 0], tip].map((p) =>
      [0, 1, 2].reduce(
        (sum, r) =>
          sum + figure.up[r] * (m[9 + r] + m[3 * r] * p[0] + m[3 * r + 1] * p[1] + m[3 * r + 2] * p[2]),
        0,
      ),
    );
  });
  return Math.max(...heights) - Math.min(...heights);
}

/** Mean of both hips, smoothed over a number of frames. */
function pathOf(bodies: readonly Body[], half: number): Float64Array {
  const count = bodies[0].hips.length / 3;
  return Float64Array.from({ length: 2 * count }, (_, i) => {
    const f = i >> 1;
    const k = i % 2 === 0 ? 0 : 2;
    const [from, to] = [Math.max(0, f - half), Math.min(count - 1, f + half)];
    let sum = 0;
    for (let g = from; g <= to; g++) for (const { hips } of bodies) sum += hips[3 * g + k];
    return sum / (bodies.length * (to - from + 1));
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

/** Adds the clips or the character of a file to the choices, and chooses it. */
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
  update(name);
}

async function open(
  files: Iterable<File>,
  as: 'clip' | 'character' | undefined,
  isLeft = false,
): Promise<void> {
  for (const file of files) {
    try {
      const found = await openFile(file);
      const kind = found.clips.length === 0 ? 'character' : !found.hasMesh || isLeft ? 'clip' : 'character';
      add(found, as ?? kind);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      find('#problem').textContent = `${file.name}: ${why}`;
    }
  }
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
  const { root, clip, target } = show;
  const { GLTFExporter } = await import('three/examples/jsm/exporters/GLTFExporter.js');
  target.rest();
  const bytes = await new GLTFExporter().parseAsync(root, { binary: true, animations: [clip] });
  target.play();
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
  const { source, target, clip, frames, path } = show;
  if (plays) time = (time + seconds) % clip.duration;
  const frame = Math.round((time / clip.duration) * (frames - 1));
  source.show(frame, time);
  const sliding = target.show(frame, time);
  const [x, z] = [path[2 * frame], path[2 * frame + 1]];
  walkers.position.set(-x, 0, -z);
  grid.position.set(-x % CELL, grid.position.y, -z % CELL);
  showNumber('#sliding', sliding, inMillimetres(sliding));
  if (slider !== document.activeElement || plays) slider.valueAsNumber = time;
  find('#time-value').textContent = `${time.toFixed(2)} of ${clip.duration.toFixed(2)} s`;
});
