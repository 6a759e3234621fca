import { quat } from 'poise/math';
import { createRotationState, evaluateRotation, type RotationCurve, type RotationKeys } from 'poise/motion';
import { changeFrame, changeKeyFrame, compareRotations, sampleRotation } from 'poise/motion/alternatives';
import { quatFromRotationVector } from 'poise/rotation';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { find, prefersStillness } from '../shared/page.js';
import { createBoxes } from './boxes.js';
import { kinds, REFERENCE } from './kinds.js';

const TIMES = [0, 1, 2, 3, 4];
/** The keys of the paper's Figure 2 with the correction of docs/errata.md, rad. */
const KEYS = [
  [0, 0, 0],
  [0.5, 0.3, -0.2],
  [0.9, -0.2, 0.4],
  [0.3, -0.6, 0.8],
  [-0.2, 0.1, 0.5],
];
/** Axis of the world's rotation. */
const AXIS = [0.36, 0.48, 0.8];
const DEGREES = 180 / Math.PI;
const SAMPLES = 401;

const time = find<HTMLInputElement>('#time');
const scale = find<HTMLInputElement>('#scale');
const frame = find<HTMLInputElement>('#frame');
const plot = find<HTMLSelectElement>('#plot');
const play = find<HTMLButtonElement>('#play');
const boxes = createBoxes(find('#stage'), find<HTMLCanvasElement>('#view'), kinds);
const rows = kinds.map(addRow);
let curves: readonly RotationCurve[] = [];
let playing = !prefersStillness();

/** A row of the table; its box switches the line in the plot. */
function addRow({ name, color }: (typeof kinds)[number], n: number): HTMLTableCellElement[] {
  const row = find<HTMLTableSectionElement>('#rows').insertRow();
  const label = document.createElement('label');
  const box = document.createElement('input');
  box.type = 'checkbox';
  box.checked = true;
  box.addEventListener('change', () => {
    chart.setSeries(n + 1, { show: box.checked });
  });
  const swatch = document.createElement('span');
  swatch.className = 'swatch';
  swatch.style.background = color;
  label.append(box, swatch, name);
  row.insertCell().append(label);
  row.dataset.kind = name;
  return Array.from({ length: 4 }, () => row.insertCell());
}

const chart = new uPlot(
  {
    width: find('#chart').clientWidth - 12,
    height: 280,
    legend: { show: false },
    scales: { x: { time: false }, y: { range: (_, __, max) => [0, max > 0 ? 1.08 * max : 1] } },
    axes: [{ label: 'time, s', values: (_, all) => all.map(String) }, { size: 56 }],
    series: [
      {},
      ...kinds.map(({ name, color }) => ({
        label: name,
        stroke: color,
        width: 1.8,
        points: { show: false },
      })),
    ],
  },
  [[0, 4], ...kinds.map(() => [0, 0])],
  find('#chart'),
);

/** Largest jumps of angular velocity and acceleration at the inner keys. */
function jumps(curve: RotationCurve): [velocity: number, acceleration: number] {
  const [before, after] = [createRotationState(), createRotationState()];
  const gap = (a: ArrayLike<number>, b: ArrayLike<number>) =>
    Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
  let velocity = 0;
  let acceleration = 0;
  for (const t of TIMES.slice(1, -1)) {
    evaluateRotation(curve, t - 1e-7, before);
    evaluateRotation(curve, t, after);
    velocity = Math.max(velocity, gap(before.angularVelocity, after.angularVelocity));
    acceleration = Math.max(acceleration, gap(before.angularAcceleration, after.angularAcceleration));
  }
  return [velocity, acceleration];
}

/** Recomputes the curves in rotated axes, and fills the table. */
function update(): void {
  const apart = scale.valueAsNumber;
  const angle = frame.valueAsNumber / DEGREES;
  find('#scale-value').textContent = apart.toFixed(2);
  find('#frame-value').textContent = `${frame.value}°`;
  const keys: RotationKeys = {
    times: TIMES,
    quaternions: KEYS.flatMap((v) => quatFromRotationVector(v.map((x) => apart * x))),
  };
  const world = quatFromRotationVector(AXIS.map((x) => angle * x));
  const rotated = changeKeyFrame(keys, { world });
  curves = kinds.map(({ through }) => changeFrame(through(rotated), { world: quat.conjugate(world) }));
  const reference = curves[kinds.findIndex(({ name }) => name === REFERENCE)];
  const degrees = (x: number): string => (x < 1e-9 ? '0' : (x * DEGREES).toPrecision(3));
  const small = (x: number): string => (x < 1e-5 ? '0' : x.toPrecision(3));
  kinds.forEach(({ through }, n) => {
    const [velocity, acceleration] = jumps(curves[n]);
    const numbers = [
      `${small(velocity)} rad/s`,
      `${small(acceleration)} rad/s²`,
      `${degrees(compareRotations(curves[n], reference, SAMPLES).largest)}°`,
      `${degrees(compareRotations(curves[n], through(keys), SAMPLES).largest)}°`,
    ];
    for (const [k, text] of numbers.entries()) rows[n][k].textContent = text;
  });
  updateChart(reference);
}

function updateChart(reference: RotationCurve): void {
  const { times, quaternions: near } = sampleRotation(reference, SAMPLES);
  const lines = curves.map((curve) => {
    const { quaternions, angularVelocities, angularAccelerations } = sampleRotation(curve, SAMPLES);
    const size = (all: Float64Array, n: number) => Math.hypot(all[3 * n], all[3 * n + 1], all[3 * n + 2]);
    const four = (all: Float64Array, n: number) => all.subarray(4 * n, 4 * n + 4);
    return Array.from(times, (_, n) => {
      if (plot.value === 'velocity') return size(angularVelocities, n);
      if (plot.value === 'acceleration') return size(angularAccelerations, n);
      return quat.angleBetween(four(quaternions, n), four(near, n)) * DEGREES;
    });
  });
  chart.setData([Array.from(times), ...lines]);
}

const state = createRotationState();
function draw(): void {
  find('#time-value').textContent = `${time.valueAsNumber.toFixed(2)} s`;
  for (const [n, curve] of curves.entries()) {
    boxes.rotate(n, evaluateRotation(curve, time.valueAsNumber, state));
  }
  boxes.draw();
}

let before = performance.now();
function step(now: number): void {
  const seconds = Math.min(0.1, (now - before) / 1000);
  before = now;
  if (playing) time.value = String((time.valueAsNumber + seconds) % 4);
  draw();
  document.documentElement.dataset.ready = 'true';
  requestAnimationFrame(step);
}

function setPlaying(value: boolean): void {
  playing = value;
  play.textContent = playing ? 'Pause' : 'Play';
}
play.addEventListener('click', () => setPlaying(!playing));
setPlaying(playing);
time.addEventListener('pointerdown', () => {
  if (playing) play.click();
});
for (const input of [scale, frame, plot]) input.addEventListener('input', update);
new ResizeObserver(() => {
  chart.setSize({ width: Math.max(280, find('#chart').clientWidth - 12), height: 280 });
}).observe(find('#chart'));
update();
requestAnimationFrame(step);
