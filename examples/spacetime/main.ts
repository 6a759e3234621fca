import { createPose } from 'poise/figure';
import { createMotionSampler, type MotionSampler, samplePose } from 'poise/motion';
import type { SpacetimeSave, SpacetimeStatus } from 'poise/spacetime';
import { find, onSwitch, showNumber, showWords } from '../shared/page.js';
import { createStage } from '../shared/stage.js';
import { type Cast, createCast } from './cast.js';
import { ProgressPlot, TorquePlot } from './plots.js';
import type { SpacetimeExample } from './problems/example.js';
import { spacetimeExamples } from './problems/index.js';
import { type End, Solves, type State } from './solve.js';
import { drawStrip } from './strip.js';

/** Pause between two loops of the motion, s, and poses of the strip. */
const REST = 0.5;
const POSES = 9;

const WORDS: Readonly<Record<SpacetimeStatus, readonly [tone: string, text: string]>> = {
  converged: ['good', 'Converged'],
  coarse: ['warn', 'Not between keys'],
  infeasible: ['warn', 'Constraints conflict'],
  stalled: ['warn', 'Stalled'],
  'iteration-limit': ['far', 'Still on the way'],
  interrupted: ['far', 'Paused'],
};

const stage = createStage({ middle: [0, 0.8, 0], from: [-3.4, 0.7, 1.6] });
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
  const { height, middle, yaw } = example.view;
  const along = middle === 'hips' ? 1 : yaw === 90 ? middle : 0;
  const before = stage.controls.target.clone();
  // Above the strip.
  stage.controls.target.set(0, 0.25 * height, along);
  stage.camera.position.add(stage.controls.target).sub(before);
  const away = stage.camera.position.clone().sub(stage.controls.target);
  stage.camera.position.copy(stage.controls.target).add(away.setLength(1.2 + 2 * height));
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
  const frames = Array.from({ length: POSES }, (_, k) => {
    const time = (length * k) / (POSES - 1);
    const frame = createPose(example.figure);
    samplePose(sampler, motion.start + time, frame);
    return { time, pose: frame };
  });
  find('#strip').innerHTML = drawStrip(example, frames);
  find('#between').textContent = 'not yet looked at';
}

function finish(end: End): void {
  show(end);
  spent += performance.now() - began;
  save = end.save;
  torques.show(example.figure, example.data, end.save);
  const [worst = 'all holds'] = end.warnings;
  find('#between').textContent = worst.replace(/^Between keys /, '');
  const [tone, text] = WORDS[end.status];
  showWords(end.status, tone, text, end.conflicts);
  pause.textContent =
    end.status === 'interrupted' || end.status === 'iteration-limit' ? 'Go on' : 'Solve again';
}

pause.addEventListener('click', () => {
  if (find('#status').dataset.status === 'running') solves.stop();
  else if (pause.textContent === 'Go on') void run();
  else restart();
});
find('#restart').addEventListener('click', restart);
onSwitch('#slow', (checked) => {
  speed = checked ? 0.25 : 1;
});
choice.addEventListener('change', () => {
  history.replaceState(null, '', `#${choice.value}`);
  choose(choice.value);
});

stage.start((seconds) => {
  if (cast === undefined || shown === undefined) return;
  const { sampler, length } = shown;
  clock = (clock + speed * seconds) % (length + REST);
  samplePose(sampler, Math.min(length, clock), pose);
  cast.binding.writePose(pose);
});

// The URL's fragment selects the example: spacetime/#throw
const asked = window.location.hash.slice(1);
if (Object.hasOwn(spacetimeExamples, asked)) choice.value = asked;
choose(choice.value);
