import { rigid } from 'poise/math';
import { createDrawing, type Pen } from '../shared/drawing.js';
import { createPlayer, formatDegrees, formatNumber, say, setReady } from '../shared/lesson.js';
import { find, onSlider } from '../shared/page.js';
import {
  firstBones,
  frameOf,
  LENGTHS,
  type LimitUse,
  type Rotations,
  rotationsFrom,
  type Step,
  TOLERANCE,
  traceFabrik,
} from './model.js';

const WIDTH = 0.07;
/** The view of the rotations is from the side, so that their axes can be seen. */
const FROM_SIDE = { yaw: -0.55, pitch: 0.25 };
const ORIGIN = [0, 0, 0];

const slider = find<HTMLInputElement>('#step');
const limits = find<HTMLSelectElement>('#limits');
const half = find<HTMLInputElement>('#half');
let target: readonly number[] = [1.55, 0.75, 0];
let trace = traceFabrik(target);
let rotations = solveRotations();
let step = 0;
const player = createPlayer();

function solveRotations(): Rotations {
  const { positions } = trace.steps[trace.steps.length - 1];
  return rotationsFrom(positions, target, limits.value as LimitUse, (half.valueAsNumber * Math.PI) / 180);
}

/** Number of the step that follows the last pass: the first bone's rotation. */
const firstRotation = (): number => trace.steps.length;
const lastStep = (): number => firstRotation() + LENGTHS.length - 1;

const drawing = createDrawing(find('#picture'), {
  label: 'The chain, its target, and the joint that is moved in this step',
  middle: [0.5, 1.25, 0],
  size: [4.4, 4.1],
  paint,
});
drawing.addHandle({
  label: 'Target',
  at: () => target,
  move: (to) => {
    target = to;
    trace = traceFabrik(target);
    rotations = solveRotations();
    goTo(Math.min(step, lastStep()));
  },
});

function jointAt(positions: ArrayLike<number>, n: number): number[] {
  return Array.from({ length: 3 }, (_, k) => positions[3 * n + k]);
}

function joints(positions: ArrayLike<number>): number[][] {
  return Array.from({ length: positions.length / 3 }, (_, n) => jointAt(positions, n));
}

function paint(pen: Pen): void {
  for (let x = -2; x <= 3; x += 0.5) {
    pen.line(
      [
        [x, 0, -1],
        [x, 0, 1],
      ],
      'grid',
    );
  }
  for (const z of [-1, -0.5, 0, 0.5, 1]) {
    pen.line(
      [
        [-2, 0, z],
        [3, 0, z],
      ],
      'grid',
    );
  }
  pen.label(target, 'target', '', [16, -12]);
  if (step < firstRotation()) paintStep(pen, trace.steps[step]);
  else paintRotations(pen, step - firstRotation() + 1);
}

/** The chain, as it was before the pass, and the construction of the new position. */
function paintStep(pen: Pen, { pass, joint, positions, before }: Step): void {
  const [now, old] = [joints(positions), joints(before)];
  if (pass !== 'start') {
    pen.line(old, 'ghost');
    for (const p of old) pen.dot(p, 3.5, 'hollow');
  }
  const neighbour = pass === 'backward' ? joint + 1 : joint - 1;
  if (pass !== 'start' && pass !== 'straight' && neighbour >= 0 && neighbour < now.length) {
    pen.ball(now[neighbour], LENGTHS[Math.min(joint, neighbour)], 'thin mark');
    pen.line([now[neighbour], old[joint]], 'thin mark');
  }
  for (let n = 1; n < now.length; n++) {
    const done = pass === 'backward' ? n - 1 >= joint : pass === 'forward' && n <= joint;
    pen.line([now[n - 1], now[n]], `wide ${done ? 'accent' : ''}`);
  }
  now.forEach((p, n) => {
    pen.dot(p, n === joint ? 7.5 : 5, n === joint ? 'mark' : '');
    pen.label(p, n === 0 ? 'root' : n === LENGTHS.length ? 'tip' : `joint ${n + 1}`, 'soft', [10, 16]);
  });
}

/** Rigid bones with their axes; the first `count` are rotated, and the others follow the last of them. */
function paintRotations(pen: Pen, count: number): void {
  const points = joints(trace.steps[trace.steps.length - 1].positions);
  pen.line(points, 'ghost');
  for (const p of points) pen.dot(p, 3.5, 'hollow');
  const pose = firstBones(rotations, count);
  const { figure } = rotations;
  for (const [n, length] of LENGTHS.entries()) {
    const frame = frameOf(figure, pose, n);
    const kind = n === count - 1 ? 'current' : '';
    pen.box(frame, [-WIDTH, 0.05, -WIDTH / 2], [WIDTH, length - 0.03, WIDTH / 2], kind);
    pen.axes(frame, 0.3);
    if (limits.value !== 'none' && n < count) paintCone(pen, pose, n);
  }
  const last = LENGTHS.length - 1;
  pen.dot(rigid.transformPoint(frameOf(figure, pose, last), [0, LENGTHS[last], 0]), 5);
}

/** The cone of a joint's swing, about the bone before it. */
function paintCone(pen: Pen, pose: Float64Array, bone: number): void {
  const rest = Float64Array.from(pose);
  const { coordinate } = rotations.figure.bones[bone];
  rest.fill(0, coordinate, coordinate + 3);
  const frame = frameOf(rotations.figure, rest, bone);
  const angle = (half.valueAsNumber * Math.PI) / 180;
  const rim = Array.from({ length: 37 }, (_, n) => {
    const [c, s] = [Math.cos((2 * Math.PI * n) / 36), Math.sin((2 * Math.PI * n) / 36)];
    const r = 0.42 * Math.sin(angle);
    return rigid.transformPoint(frame, [r * c, 0.42 * Math.cos(angle), r * s]);
  });
  const apex = rigid.transformPoint(frame, ORIGIN);
  for (let n = 1; n < rim.length; n++) pen.face([apex, rim[n - 1], rim[n]], 'glass');
  pen.line(rim, rotations.atLimit[bone] ? 'mark' : 'thin accent');
}

/** Shows a step, and what happens in it. */
function goTo(to: number): void {
  const from = step;
  step = Math.max(0, Math.min(lastStep(), to));
  slider.max = String(lastStep());
  slider.value = String(step);
  find('#step-value').textContent = `${step} of ${lastStep()}`;
  find<HTMLButtonElement>('#back').disabled = step === 0;
  find<HTMLButtonElement>('#next').disabled = step === lastStep();
  find<HTMLButtonElement>('#pass').disabled = step >= firstRotation();
  say('#said', describe());
  const rotates = step >= firstRotation();
  if (rotates !== from >= firstRotation()) rotateView(rotates ? FROM_SIDE : { yaw: 0, pitch: 0 });
  showRotations();
  drawing.redraw();
}

function rotateView(to: { readonly yaw: number; readonly pitch: number }): void {
  const { yaw, pitch } = drawing.view;
  player.start(0.6, (share) => {
    const eased = share * share * (3 - 2 * share);
    drawing.view.yaw = yaw + eased * (to.yaw - yaw);
    drawing.view.pitch = pitch + eased * (to.pitch - pitch);
    drawing.redraw();
  });
}

function describe(): string {
  if (step >= firstRotation()) {
    const bone = step - firstRotation();
    const joint = rotations.figure.bones[bone].coordinate;
    const swing = Math.hypot(rotations.pose[joint], rotations.pose[joint + 1]);
    const stopped = rotations.atLimit[bone] ? ' Its limit stops it there.' : '';
    const next = bone === LENGTHS.length - 1 ? '' : ' The bones after it are carried along.';
    return `Rotations, bone ${bone + 1}: it swings by ${formatDegrees(swing)} from the direction of the bone before it.${stopped}${next}`;
  }
  const { pass, iteration, joint, positions } = trace.steps[step];
  const tip = LENGTHS.length;
  const end = jointAt(positions, tip);
  const distance = Math.hypot(...end.map((x, k) => x - target[k]));
  if (pass === 'start') return `The start: the tip is ${metres(distance)} from the target.`;
  if (pass === 'straight')
    return `The target is farther away than the chain can reach. No passes are needed: the chain is straight and points at it, and the tip stays ${metres(distance)} short.`;
  const which = joint === 0 ? 'The root' : joint === tip ? 'The tip' : `Joint ${joint + 1}`;
  if (pass === 'backward') {
    if (joint === tip) return `Backward pass ${iteration}: the tip is put on the target.`;
    const away =
      joint === 0 ? ` It is now ${metres(Math.hypot(...jointAt(positions, 0)))} from its place.` : '';
    return `Backward pass ${iteration}: ${which.toLowerCase()} moves along the line until its bone is ${metres(LENGTHS[joint])} long.${away}`;
  }
  if (joint === 0) return `Forward pass ${iteration}: the root is put back in its place.`;
  const met = distance <= TOLERANCE ? ' The target is met.' : '';
  const rest = joint === tip ? ` It is ${metres(distance)} from the target.${met}` : '';
  return `Forward pass ${iteration}: ${which.toLowerCase()} moves along the line until its bone is ${metres(LENGTHS[joint - 1])} long.${rest}`;
}

/** m, or mm where that says more. */
function metres(x: number): string {
  return x < 0.01 ? `${formatNumber(1000 * x, 1)} mm` : `${formatNumber(x, 2)} m`;
}

const rows = LENGTHS.map((_, n) => {
  const row = find<HTMLTableSectionElement>('#rows').insertRow();
  const name = document.createElement('th');
  name.scope = 'row';
  name.textContent = `bone ${n + 1}`;
  row.append(name);
  return Array.from({ length: 3 }, () => row.insertCell());
});

function showRotations(): void {
  const { pose, atLimit, distance } = rotations;
  const free = limits.value === 'none';
  rows.forEach((cells, n) => {
    const [s, t, twist] = pose.subarray(3 * n, 3 * n + 3);
    cells[0].textContent = formatDegrees(Math.hypot(s, t), 1);
    cells[1].textContent = formatDegrees(twist, 1);
    cells[2].textContent = free ? '–' : atLimit[n] ? 'at it' : 'within';
  });
  find('#half-row').hidden = free;
  find('#outcome').dataset.value = String(distance);
  const met = distance <= TOLERANCE;
  const end = met ? 'on the target' : `${metres(distance)} from the target`;
  const how = free
    ? 'Without limits'
    : limits.value === 'afterwards'
      ? 'With limits applied afterwards'
      : 'With limits in both passes';
  say('#outcome', `${how}, the tip of the rotated bones is ${end}.`, met ? 'good' : 'warn');
}

function nextPass(): number {
  const { pass, iteration } = trace.steps[step];
  const next = trace.steps.findIndex(
    (other, n) => n > step && (other.pass !== pass || other.iteration !== iteration),
  );
  const end = trace.steps.findIndex(
    (other, n) => n >= next && next >= 0 && lastOfPass(n) && other.pass !== 'start',
  );
  return end < 0 ? firstRotation() : end;
}

/** Whether a step is the last one of its pass. */
function lastOfPass(n: number): boolean {
  const [now, next] = [trace.steps[n], trace.steps[n + 1]];
  return next === undefined || next.pass !== now.pass || next.iteration !== now.iteration;
}

find('#back').addEventListener('click', () => goTo(step - 1));
find('#next').addEventListener('click', () => goTo(step + 1));
find('#pass').addEventListener('click', () => goTo(nextPass()));
find('#rotations').addEventListener('click', () => goTo(lastStep()));
limits.addEventListener('change', () => {
  rotations = solveRotations();
  goTo(lastStep());
});
onSlider('#half', (degrees) => {
  find('#half-value').textContent = `${degrees}°`;
  rotations = solveRotations();
  goTo(step);
});
onSlider('#step', (n) => goTo(n));
setReady();
