import { ClipRetargeter, clipFromMotion, figureFromObject3D } from '@poise/three';
import { PoiseError } from 'poise';
import type { Figure } from 'poise/figure';
import { findHumanoid, type Humanoid } from 'poise/humanoid';
import { type AnimationClip, CircleGeometry, Group, Mesh, type Object3D, ShadowMaterial } from 'three';
import { find, onSwitch, prefersStillness, showNumber, showWords } from '../shared/page.js';
import { createStage } from '../shared/stage.js';
import { Body, VISIBLE } from './body.js';
import { type BoneMapSide, type GivenBones, showBoneMap } from './bone-map.js';
import { CHARACTERS, walkingMannequin } from './built-in.js';
import { Floor } from './floor.js';
import { type Opened, openFile, skeletonsFirst } from './open-file.js';
import { RetargetError, type RetargetResult, Retargets } from './retargets.js';
import { drawTimeline, onScrub, showPlayhead } from './timeline.js';

/** Height at which both are shown, and their distance from the middle, m. */
const HEIGHT = 1.6;
const APART = 0.72;
/** Width of both, m. */
const WIDTH = 2.7;
/** Half of the time over which the path of a floor is the mean of the hips', s. */
const FOLLOWED = 0.4;

interface TargetChoice {
  readonly name: string;
  readonly root: Object3D;
  /** Bones that the user has named. */
  bones: GivenBones;
}

interface SourceChoice extends TargetChoice {
  readonly clip: AnimationClip;
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
  /** Of the clip's body, and of the character. */
  readonly places: readonly [Place, Place];
  readonly root: Object3D;
  readonly clip: AnimationClip;
  readonly frames: number;
}

const stage = createStage({
  middle: [0, 0.8, 0],
  from: [0.7, 0.6, 4.4],
  size: [WIDTH, 1.25 * HEIGHT],
  floor: false,
  strip: find('#strip'),
});
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

const sources: SourceChoice[] = [{ name: 'Walk', bones: {}, ...walkingMannequin() }];
const targets: TargetChoice[] = Object.entries(CHARACTERS).map(([name, make]) => ({
  name,
  root: make(),
  bones: {},
}));
const [clipChoice, characterChoice] = ['#clip', '#character'].map((id) => find<HTMLSelectElement>(id));
const retargets = new Retargets();
let show: Show | undefined;
/** Number of the last request: answers to older ones are dropped. */
let requests = 0;
let plays = true;
let time = 0;
/** Since when the worker works, and how long it will, s. */
let working: { readonly started: number; readonly expected: number | undefined } | undefined;

/** Puts the chosen clip on the chosen character in the worker, and shows both; another call meanwhile takes its place. */
async function retarget(): Promise<void> {
  const request = ++requests;
  showProgress(undefined);
  const source = sources[clipChoice.selectedIndex];
  const target = targets[characterChoice.selectedIndex];
  const retargeter = asGiven(() => createRetargeter(source, target));
  const bones = [retargeter.source, retargeter.target].map(({ figure }, k) => {
    const given = [source, target][k].bones;
    return {
      names: figure.bones.map(({ name }) => name),
      humanoid: findHumanoid(figure, { bones: given }),
      given,
    };
  });
  showBones(source, target, bones);
  const result = await asGiven(() =>
    retargets.run(retargeter, source.clip, find<HTMLInputElement>('#feet').checked, showStep),
  );
  if (result === undefined || request !== requests) return;
  showResult(
    source,
    target,
    retargeter,
    result,
    bones.map(({ humanoid }) => humanoid as Humanoid),
  );
}

function createRetargeter(source: SourceChoice, target: TargetChoice): ClipRetargeter {
  return new ClipRetargeter(source.root, target.root, {
    anatomicalLimits: find<HTMLInputElement>('#limits').checked,
    ...(Object.keys(source.bones).length > 0 && { sourceBones: source.bones }),
    ...(Object.keys(target.bones).length > 0 && { targetBones: target.bones }),
  });
}

/** Calls `use` while the objects shown are as their files have them. */
function asGiven<T>(use: () => T): T {
  if (show === undefined) return use();
  const [first, second] = show.places;
  return first.body.withGiven(() => second.body.withGiven(use));
}

function clear(): void {
  for (const { body } of show?.places ?? []) body.dispose();
  show = undefined;
}

function showResult(
  source: SourceChoice,
  target: TargetChoice,
  retargeter: ClipRetargeter,
  { motion, report, warnings, rate }: RetargetResult,
  humans: readonly Humanoid[],
): void {
  clear();
  const { contacts, times, summary } = report;
  const clip = clipFromMotion(retargeter.target, motion, { rate });
  const seconds = Float64Array.from(times, (t) => t - times[0]);
  const common = { contacts, times: seconds };
  const clipBody = new Body({
    ...common,
    binding: retargeter.source,
    humanoid: humans[0],
    root: source.root,
    soles: retargeter.sourceSoles,
    clip: source.clip,
    scale: retargeter.retargeter.scale,
    isGrounded: true,
  });
  const body = new Body({
    ...common,
    binding: retargeter.target,
    humanoid: humans[1],
    root: target.root,
    soles: retargeter.targetSoles,
    clip,
    scale: 1,
    isGrounded: false,
  });
  const half = Math.round(FOLLOWED / (seconds[1] - seconds[0]));
  const placeOf = (of: Body, k: number): Place => {
    const { side, floor } = sides[k];
    side.add(of.group);
    return { body: of, floor, size: HEIGHT / of.size().y, path: pathOf(of, half) };
  };
  show = {
    places: [placeOf(clipBody, 0), placeOf(body, 1)],
    root: target.root,
    clip,
    frames: summary.frames,
  };
  showGhost();
  time = Math.min(time, clip.duration);
  slider.max = String(clip.duration);
  drawTimeline(contacts, clipBody, body);
  showNumber('#most', body.mostSliding, inMillimetres(body.mostSliding));
  showNumber('#source-most', clipBody.mostSliding, inMillimetres(clipBody.mostSliding));
  showNumber('#depth', body.depth, inMillimetres(body.depth));
  const reasons = [...retargeter.warnings, ...warnings];
  if (contacts.every(({ spans }) => spans.length === 0)) {
    showWords('no-contacts', 'far', 'No foot stands in this clip', reasons);
  } else if (body.mostSliding > VISIBLE) {
    const isLimited = find<HTMLInputElement>('#limits').checked && summary.limitedFrames > 0;
    showWords('slides', 'warn', isLimited ? 'Feet slide, joints are at their limits' : 'Feet slide', reasons);
  } else showWords('stays', 'good', 'Feet stay where they stand', reasons);
}

/** Tries to, and says what is wrong where it is not possible. */
async function update(name: string): Promise<void> {
  find('#problem').textContent = '';
  const request = requests + 1;
  try {
    await retarget();
  } catch (error) {
    if (request !== requests) return;
    clear();
    showWords('refused', 'warn', 'Not possible', []);
    find('#problem').textContent = `${name}: ${error instanceof Error ? error.message : String(error)}`;
    if (!(error instanceof PoiseError || (error instanceof RetargetError && error.isKnown)))
      console.warn(error);
    showBonesOfFiles();
  } finally {
    if (request === requests) showProgress(undefined);
  }
}

const STEPS = { read: 'Reads the clip', retarget: 'Puts the clip on the character' };

function showStep(step: keyof typeof STEPS, expected: number | undefined): void {
  showWords('working', 'far', STEPS[step], []);
  if (working === undefined) showProgress({ started: performance.now(), expected });
}

/** Shows that the worker works; its bar has no end where nothing says how long it takes. */
function showProgress(now: typeof working): void {
  working = now;
  const bar = find<HTMLProgressElement>('#progress');
  bar.hidden = now === undefined;
  if (now?.expected === undefined) bar.removeAttribute('value');
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

/** The map of bones; a corrected one is taken at once. */
function showBones(
  source: SourceChoice,
  target: TargetChoice,
  bones: readonly Omit<BoneMapSide, 'label'>[],
): void {
  const labels = ['of the clip', 'of the character'];
  showBoneMap(
    bones.map((side, k) => ({ ...side, label: labels[k] })),
    (side, given) => {
      const choice = [source, target][side];
      choice.bones = given;
      void update(choice.name);
    },
  );
}

/** The map of bones of files that could not be retargeted, as far as it is found. */
function showBonesOfFiles(): void {
  const source = sources[clipChoice.selectedIndex];
  const target = targets[characterChoice.selectedIndex];
  const bones = [source, target].map(({ root, bones: given }) => {
    try {
      const { figure } = figureFromObject3D(root);
      const names = figure.bones.map(({ name }) => name);
      return { names, humanoid: humanoidOf(figure, given), given };
    } catch {
      return { names: [], humanoid: undefined, given };
    }
  });
  showBones(source, target, bones);
}

/** With the bones that are given, or as far as it goes without. */
function humanoidOf(figure: Figure, bones: GivenBones): Humanoid | undefined {
  try {
    return findHumanoid(figure, { bones });
  } catch {
    return findHumanoid(figure);
  }
}

/** The clip's body over the character, pale, or beside it. */
function showGhost(): void {
  const isGhost = find<HTMLInputElement>('#ghost').checked;
  const [clipSide, characterSide] = sides;
  clipSide.side.position.x = isGhost ? 0 : -APART;
  characterSide.side.position.x = isGhost ? 0 : APART;
  clipSide.floor.mesh.visible = !isGhost;
  show?.places[0].body.setGhost(isGhost);
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
function add({ name, root, clips, bones }: Opened, as: 'clip' | 'character'): void {
  if (as === 'clip') {
    if (clips.length === 0) throw new Error('has no clip; open it as the character.');
    sources.push(
      ...clips.map((clip) => ({
        name: clips.length > 1 ? `${name}: ${clip.name}` : name,
        root,
        clip,
        bones,
      })),
    );
    listChoices();
    clipChoice.selectedIndex = sources.length - clips.length;
  } else {
    targets.push({ name, root, bones });
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
  const given = skeletonsFirst(files);
  for (const file of given) {
    try {
      const found = await openFile(file);
      if (found === 'skeleton') {
        if (given.length === 1) faults.push(`${file.name}: is the skeleton of .amc files: drop one of them.`);
        continue;
      }
      const kind = found.clips.length === 0 ? 'character' : !found.hasMesh || isLeft ? 'clip' : 'character';
      add(found, as ?? kind);
      names.push(file.name);
    } catch (error) {
      faults.push(`${file.name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (names.length > 0) await update(names.join(', '));
  if (faults.length > 0) find('#problem').textContent = faults.join(' ');
}

for (const kind of ['clip', 'character'] as const) {
  const input = find<HTMLInputElement>(`#${kind}-file`);
  input.addEventListener('change', () => {
    void open([...(input.files ?? [])], kind);
    input.value = '';
  });
  find(`#open-${kind}`).addEventListener('click', () => input.click());
  find(`#${kind}`).addEventListener('change', () => void update(find<HTMLSelectElement>(`#${kind}`).value));
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
setPlaying(!prefersStillness());
const slider = find<HTMLInputElement>('#time');
slider.addEventListener('input', () => {
  setPlaying(false);
  time = slider.valueAsNumber;
});
find<HTMLDetailsElement>('details').addEventListener('toggle', ({ target: details }) => {
  if ((details as HTMLDetailsElement).open)
    (details as HTMLDetailsElement).scrollIntoView({ block: 'start' });
});
onScrub((at) => {
  if (show === undefined) return;
  setPlaying(false);
  time = at * show.clip.duration;
});
find('#download').addEventListener('click', () => void download());

async function download(): Promise<void> {
  if (show === undefined) return;
  const { root, clip, places } = show;
  const { GLTFExporter } = await import('three/examples/jsm/exporters/GLTFExporter.js');
  const { body } = places[1];
  body.rest();
  const bytes = await new GLTFExporter().parseAsync(root, { binary: true, animations: [clip] });
  body.play();
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([bytes as ArrayBuffer], { type: 'model/gltf-binary' }));
  link.download = `${clip.name || 'clip'}.glb`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

listChoices();
void update(characterChoice.value);
onSwitch('#ghost', showGhost);
for (const id of ['#feet', '#limits']) {
  let isFirst = true;
  onSwitch(id, () => {
    if (!isFirst) void update(characterChoice.value);
    isFirst = false;
  });
}

stage.start((seconds) => {
  if (working?.expected !== undefined) {
    const spent = (performance.now() - working.started) / 1000;
    find<HTMLProgressElement>('#progress').value = Math.min(1, spent / working.expected);
  }
  if (show === undefined) return;
  const { places, clip, frames } = show;
  if (plays) time = (time + seconds) % clip.duration;
  const frame = Math.round((time / clip.duration) * (frames - 1));
  const isGhost = find<HTMLInputElement>('#ghost').checked;
  let sliding = 0;
  for (const place of places) {
    const { body, floor } = place;
    // The last is the target; a ghost is as large as it, and goes its way.
    sliding = body.show(frame, time);
    const { size, path } = isGhost ? places[1] : place;
    body.group.scale.setScalar(size);
    const [x, z] = [size * path[2 * frame], size * path[2 * frame + 1]];
    body.group.position.set(-x, 0, -z);
    floor.move(x, z);
  }
  showNumber('#sliding', sliding, inMillimetres(sliding));
  if (slider !== document.activeElement || plays) slider.valueAsNumber = time;
  showPlayhead(time / clip.duration);
  find('#time-value').textContent = `${time.toFixed(2)} of ${clip.duration.toFixed(2)} s`;
});
