import { quatFromRotationVector } from 'poise/rotation';
import { find, prefersStillness } from '../shared/page.js';
import { quaternionMassEigenvalues } from './autonormalized.js';
import { createBodies } from './bodies.js';
import { createCost } from './cost.js';
import { createHistory } from './history.js';
import { createPlots } from './plots.js';
import { dynamicsRunner, handWrittenRunner } from './runners.js';
import { orientationStates, rungeKutta } from './states.js';
import { nothingSeen, type Seen, watch, worsen } from './watch.js';

/** Principal moments of the torque-free body, kg m^2: the middle moment is the second. */
const INERTIA = [1.4471663e-5, 1.4044511e-5, 1.6958531e-6];
const COLORS = ['#2f9e44', '#1971c2', '#e8590c', '#9c36b5'];
/** Attitude, and angular velocity in body axes, rad/s. */
const STARTS: Readonly<Record<string, { attitude: number[]; spin: number[] }>> = {
  past: { attitude: [0, 0, 0, 1], spin: [0, 20, 0.1] },
  // The spin axis is the axis of the first Euler angle.
  away: { attitude: quatFromRotationVector([0, 0, -Math.PI / 2]), spin: [0, 20, 0.1] },
  slow: { attitude: [0, 0, 0, 1], spin: [0.003, 3, 0] },
};
/** Reference steps per step. */
const FINER = 4;
/** Longest time simulated per frame, s: a hidden page resumes where it stopped. */
const MAX_FRAME = 0.1;

const start = find<HTMLSelectElement>('#start');
const stepSize = find<HTMLSelectElement>('#step');
const speed = find<HTMLInputElement>('#speed');
const singular = find<HTMLSelectElement>('#singular');
const play = find<HTMLButtonElement>('#play');

const states = orientationStates(INERTIA);
const bodies = states.map(({ name }, n) => ({ name, color: COLORS[n] }));
const picture = createBodies(find('#stage'), find<HTMLCanvasElement>('#view'), INERTIA, bodies);
const plots = createPlots(find('#plots'), bodies);
const history = createHistory(states.length);
const cost = createCost(
  [dynamicsRunner(states[0], INERTIA), ...states.map(handWrittenRunner)],
  STARTS.past.attitude,
  STARTS.past.spin,
);
const rows = states.map(({ id, name, size }, n) => {
  const row = find<HTMLTableSectionElement>('#rows').insertRow();
  row.dataset.state = id;
  const swatch = document.createElement('span');
  swatch.className = 'swatch';
  swatch.style.background = COLORS[n];
  row.insertCell().append(swatch, name);
  row.insertCell().textContent = String(size);
  return Array.from({ length: 6 }, () => row.insertCell());
});

const fine = rungeKutta(states[1]);
const reference = new Float64Array(states[1].size);
let runners = states.map(handWrittenRunner);
let watches = runners.map((runner) => watch(runner, INERTIA));
let worst: Seen[] = [];
let stopped: (number | undefined)[] = [];
let time = 0;
let owed = 0;
let frames = 0;
let isPlaying = !prefersStillness();

function restart(): void {
  const { attitude, spin } = STARTS[start.value];
  const all = orientationStates(INERTIA, singular.value === 'as-is');
  runners = all.map((state, n) => (n === 0 ? dynamicsRunner(state, INERTIA) : handWrittenRunner(state)));
  watches = runners.map((runner) => watch(runner, INERTIA));
  runners.forEach((runner, n) => {
    runner.reset(attitude, spin);
    watches[n].begin();
  });
  states[1].start(attitude, spin, reference);
  picture.aim(watches[1].momentum);
  worst = states.map(nothingSeen);
  stopped = states.map(() => undefined);
  history.clear();
  // Everything is redrawn in the next frame.
  [time, owed, frames] = [0, 0, 0];
  document.documentElement.dataset.time = '0';
}

function advance(h: number): void {
  for (let k = 0; k < FINER; k++) fine(reference, h / FINER);
  time += h;
  const seen = runners.map((runner, n) => {
    if (stopped[n] !== undefined) return undefined;
    const repaired = runner.step(h);
    if (!runner.isAlive()) {
      stopped[n] = time;
      return undefined;
    }
    const now = watches[n].measure(repaired, reference);
    worsen(worst[n], now);
    return now;
  });
  history.add(time, seen);
}

/** Notable events of a state at this time. */
function sayOf(n: number): string {
  const { y } = runners[n];
  if (stopped[n] !== undefined) return `no numbers from ${stopped[n]?.toFixed(3)} s on`;
  if (n === 0) return `|v| = ${Math.hypot(y[0], y[1], y[2]).toFixed(2)} rad`;
  if (n === 1) return `|q| − 1 = ${watches[n].seen.length.toExponential(1)}`;
  if (n === 2) return `|q| = ${Math.hypot(y[0], y[1], y[2], y[3]).toPrecision(3)}`;
  return `|cos b| = ${Math.abs(Math.cos(y[1])).toFixed(3)}`;
}

function fillTable(): void {
  const small = (x: number): string => (x === 0 ? '0' : x.toExponential(1));
  const costs = states.map((_, n) => cost.of(n + 1));
  const whole = cost.of(0);
  const microseconds = ({ median, rounds }: { median: number; rounds: number }): string =>
    rounds === 0 ? 'measuring' : median.toFixed(2);
  rows.forEach((cells, n) => {
    const { energy, momentum, error, reciprocalCondition, rate } = worst[n];
    const none = stopped[n] !== undefined && history.seen[n].every((each) => each === undefined);
    const numbers = none
      ? ['–', '–', '–', '0', '–']
      : [
          small(energy),
          small(momentum),
          small(error),
          reciprocalCondition >= 0.01 ? reciprocalCondition.toFixed(2) : small(reciprocalCondition),
          rate >= 1e4 ? small(rate) : rate.toPrecision(3),
        ];
    const of = microseconds(costs[n]);
    numbers.push(n === 0 ? `${of}; in poise/dynamics ${microseconds(whole)}` : of);
    for (const [k, text] of numbers.entries()) {
      if (cells[k].textContent !== text) cells[k].textContent = text;
    }
  });
  const q = watches[2].attitude;
  find('#eigenvalues').textContent = quaternionMassEigenvalues(
    INERTIA,
    q.every(Number.isFinite) ? q : [0, 0, 0, 1],
  )
    .map((x) => x.toExponential(1))
    .join(', ');
}

let before = performance.now();
function frame(now: number): void {
  const seconds = Math.min(MAX_FRAME, (now - before) / 1000);
  before = now;
  if (isPlaying) {
    const h = Number(stepSize.value);
    owed += seconds * 10 ** speed.valueAsNumber;
    while (owed >= h) {
      advance(h);
      owed -= h;
    }
  }
  runners.forEach((_, n) => {
    if (stopped[n] === undefined) picture.rotate(n, watches[n].attitude, watches[n].momentum);
    picture.say(n, sayOf(n), stopped[n] !== undefined);
  });
  picture.draw();
  if (frames % 6 === 0) {
    plots.draw(history);
    fillTable();
  }
  if (frames % 3 === 2) cost.measure();
  frames++;
  document.documentElement.dataset.ready = 'true';
  document.documentElement.dataset.time = time.toFixed(3);
  requestAnimationFrame(frame);
}

play.textContent = isPlaying ? 'Pause' : 'Play';
play.addEventListener('click', () => {
  isPlaying = !isPlaying;
  play.textContent = isPlaying ? 'Pause' : 'Play';
});
find('#reset').addEventListener('click', restart);
for (const input of [start, stepSize, singular]) input.addEventListener('change', restart);
function saySpeed(): void {
  find('#speed-value').textContent = `${(10 ** speed.valueAsNumber).toPrecision(2)}×`;
}
speed.addEventListener('input', saySpeed);
saySpeed();
restart();
requestAnimationFrame(frame);
