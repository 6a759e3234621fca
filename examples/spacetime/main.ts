import { createPose } from 'poise/figure';
import { createMotionSampler, type MotionSampler, samplePose } from 'poise/motion';
import type { SpacetimeSave, SpacetimeStatus } from 'poise/spacetime';
import { Vector3 } from 'three';
import { find, onSwitch, showNumber, showWords } from '../shared/page.js';
import { createStage } from '../shared/stage.js';
import { type Cast, createCast } from './cast.js';
import { ProgressPlot, TorquePlot } from './plots.js';
import type { SpacetimeExample } from './problems/example.js';
import { spacetimeExamples } from './problems/index.js';
import { type End, Solves, type State } from './solve.js';
import { drawStrip, poseWidth } from './strip.js';

/** Pause between two loops of the motion, s. */
const REST = 0.5;
/** Fewest and most poses of the strip, and least width of one over its width in the drawing: words remain legible. */
const MIN_POSES = 3;
const MAX_POSES = 9;
const MIN_SCALE = 0.6;
/** Visible height over that of the motion: the camera looks down, and near things are larger. */
const ROOM = 1.25;

const WORDS: Readonly<Record<SpacetimeStatus, readonly [tone: string, text: string]>> = {
  converged: ['good', 'Converged'],
  coarse: ['warn', 'Not between keys'],
  infeasible: ['warn', 'Constraints conflict'],
  stalled: ['warn', 'Stalled'],
  'iteration-limit': ['far', 'Still on the way'],
  interrupted: ['far', 'Paused'],
};

const stage = createStage({ middle: [0, 0.8, 0], from: [-3.4, 0.7, 1.6], strip: find('#strip') });
const solves = new Solves();
const progress = new ProgressPlot(find('#progress'));
const torques = new TorquePlot(find('#torques'), find('#torque-key'));
const choice = find<HTMLSelectElement>('#example');
const pause = find<HTMLButtonElement>('#pause');

let example: SpacetimeExample;
let cast: Cast | undefined;
let shown: { readonly sampler: MotionSampler; readonly length: number } | undefined;
let pose: Float64Array = new Float64Array(0);
let save: SpacetimeSave | undefined;
let clock = 0;
let speed = 1;
/** Solve time before the last pause, ms, and time of the last resume. */
let spent = 0;
let began = 0;

for (const name of Object.keys(spacetimeExamples)) {
  const option = document.createElement('option');
  option.value = name;
  option.textContent = name.replaceAll('-', ' ');
  choice.append(option);
}

function choose(name: string): void {
  example = spacetimeExamples[name]();
  cast?.root.removeFromParent();
  cast = createCast(example);
  stage.scene.add(cast.root);
  const { height, apart, middle, yaw } = example.view;
  const along = yaw === 90 && middle !== 'hips' ? middle : 0;
  stage.show([0, 0.5 * height, along], ROOM * Math.max(height, apart));
  pose = createPose(example.figure);
  find('#about').textContent = example.about;
  restart();
}

function restart(): void {
  save = undefined;
  spent = 0;
  shown = undefined;
  progress.clear();
  torques.clear();
  void run();
}

async function run(): Promise<void> {
  const solved = example;
  pause.textContent = 'Pause';
  began = performance.now();
  showWords('running', 'far', 'Solving', []);
  if (save === undefined) showNumber('#iterations', 0, '0');
  find('#problem').textContent = '';
  try {
    const end = await solves.solve(solved, save, show);
    if (end !== undefined) finish(end);
  } catch (error) {
    find('#problem').textContent = error instanceof Error ? error.message : String(error);
    showWords('failed', 'warn', 'Failed', []);
  }
}

function show({ iteration, cost, violation, motion }: State): void {
  progress.add(iteration, cost, violation);
  const length = motion.end - motion.start;
  const sampler = createMotionSampler(example.figure, motion);
  shown = { sampler, length };
  showNumber('#iterations', iteration, String(iteration));
  showNumber('#cost', cost, cost.toPrecision(4));
  showNumber('#violation', violation, violation.toExponential(1));
  showNumber('#duration', length, `${length.toFixed(3)} s`);
  const seconds = (spent + performance.now() - began) / 1000;
  showNumber('#spent', seconds, `${seconds.toFixed(1)} s`);
  const poses = posesOf(find('#strip').clientWidth);
  const frames = Array.from({ length: poses }, (_, k) => {
    const time = (length * k) / (poses - 1);
    const frame = createPose(example.figure);
    samplePose(sampler, motion.start + time, frame);
    return { time, pose: frame };
  });
  find('#strip').innerHTML = drawStrip(example, frames);
  find('#between').textContent = 'not yet looked at';
}

/** Number of poses in a strip of a width, px; 0 where it is not displayed. */
function posesOf(width: number): number {
  if (width === 0) return MAX_POSES;
  return Math.min(MAX_POSES, Math.max(MIN_POSES, Math.floor(width / (MIN_SCALE * poseWidth(example)))));
}

function finish(end: End): void {
  show(end);
  spent += performance.now() - began;
  save = end.save;
  torques.show(example.figure, example.data, end.save);
  const [worst = 'all holds'] = end.warnings;
  find('#between').textContent = worst.replace(/^Between keys /, '');
  const [tone, text] = WORDS[end.status];
  showWords(end.status, tone, text, end.status === 'interrupted' ? [] : end.conflicts);
  pause.textContent =
    end.status === 'interrupted' || end.status === 'iteration-limit' ? 'Go on' : 'Solve again';
}

pause.addEventListener('click', () => {
  if (find('#status').dataset.status === 'running') solves.stop();
  else if (pause.textContent === 'Go on') void run();
  else restart();
});
find('#restart').addEventListener('click', restart);
let plays = true;
onSwitch('#play', (checked) => {
  plays = checked;
});
onSwitch('#slow', (checked) => {
  speed = checked ? 0.25 : 1;
});
choice.addEventListener('change', () => {
  history.replaceState(null, '', `#${choice.value}`);
  choose(choice.value);
});

const corner = new Vector3();

/** Writes the top and the floor of the motion on the page, px, for tests. */
function showExtent(): void {
  const { height } = example.view;
  const { x, z } = stage.controls.target;
  const { top, height: pixels } = stage.renderer.domElement.getBoundingClientRect();
  find('#stage').dataset.extent = [height, 0]
    .map((y) => (top + (0.5 - 0.5 * corner.set(x, y, z).project(stage.camera).y) * pixels).toFixed(0))
    .join(' ');
}

stage.start((seconds) => {
  showExtent();
  if (cast === undefined || shown === undefined) return;
  const { sampler, length } = shown;
  if (plays) clock = (clock + speed * seconds) % (length + REST);
  samplePose(sampler, Math.min(length, clock), pose);
  cast.binding.writePose(pose);
  if (example.view.middle !== 'hips') return;
  // The camera follows.
  const { target } = stage.controls;
  stage.camera.position.x += pose[0] - target.x;
  stage.camera.position.z += pose[2] - target.z;
  target.x = pose[0];
  target.z = pose[2];
});

// The URL's fragment selects the example: spacetime/#throw
const asked = window.location.hash.slice(1);
if (Object.hasOwn(spacetimeExamples, asked)) choice.value = asked;
choose(choice.value);
