/** One drag along a path, and what is measured on the way. */
import { quat } from 'poise/math';
import { type Arm, createArm, type Link, stepArm } from './arm.js';
import type { Form } from './forms.js';
import { DURATION, type Motion, targetAt } from './path.js';

export interface DragReport {
  /** Largest turn of one joint in one frame, rad. */
  readonly jump: number;
  /** Largest change of a joint's coordinates in one frame, |p'| dt, as rad: quaternions count 2 / |q| a unit. */
  readonly coordinateJump: number;
  /** Largest distance of the hand from the target, m, and angle, rad; and their means. */
  readonly worstDistance: number;
  readonly meanDistance: number;
  readonly worstAngle: number;
  readonly meanAngle: number;
  /** Largest | |q| - 1 | after a step. */
  readonly drift: number;
  /** Least singular value, over the frames and joints, of the map from a joint's rates to its angular velocity, over its largest. */
  readonly leastTurning: number;
  /** Whether every number stayed finite. */
  readonly finite: boolean;
}

/** Turning faster than this is a jump, rad a frame: 20 degrees at 60 frames a second. */
export const JUMP = (20 * Math.PI) / 180;

/** Drags an arm along a motion. */
export function drag(
  form: Form,
  links: readonly Link[],
  motion: Motion,
  damping: number,
  fps = 60,
): DragReport {
  const arm = createArm(form, links, motion(0));
  const dt = 1 / fps;
  const frames = Math.round(DURATION * fps);
  const before = arm.rotations.slice();
  let jump = 0;
  let coordinateJump = 0;
  let worstDistance = 0;
  let sumDistance = 0;
  let worstAngle = 0;
  let sumAngle = 0;
  let drift = 0;
  let leastTurning = Number.POSITIVE_INFINITY;
  let finite = true;
  for (let frame = 0; frame < frames; frame++) {
    stepArm(arm, targetAt(links, motion, frame * dt), damping, dt);
    finite = arm.parameters.every(Number.isFinite);
    if (!finite) break;
    jump = Math.max(jump, largestTurn(before, arm.rotations));
    coordinateJump = Math.max(coordinateJump, dt * largestRate(arm));
    before.set(arm.rotations);
    for (let n = 0; n < links.length; n++)
      drift = Math.max(drift, form.drift(arm.parameters, n * form.parameters));
    leastTurning = Math.min(leastTurning, turningOf(arm));
    // Against where the target is when the frame is shown.
    const shown = targetAt(links, motion, (frame + 1) * dt);
    const hand = 3 * links.length;
    const distance = Math.hypot(...[0, 1, 2].map((k) => arm.origins[hand + k] - shown.position[k]));
    const angle = angleBetween(arm.rotations, 9 * (links.length - 1), shown.rotation);
    worstDistance = Math.max(worstDistance, distance);
    worstAngle = Math.max(worstAngle, angle);
    sumDistance += distance;
    sumAngle += angle;
  }
  return {
    jump: finite ? jump : Number.POSITIVE_INFINITY,
    coordinateJump: finite ? coordinateJump : Number.POSITIVE_INFINITY,
    worstDistance,
    meanDistance: sumDistance / frames,
    worstAngle,
    meanAngle: sumAngle / frames,
    drift,
    leastTurning,
    finite,
  };
}

/** The dampings tried, four to a decade. */
export const DAMPINGS: readonly number[] = Array.from({ length: 17 }, (_, k) => 1e-4 * 10 ** (k / 4));

/** The least damping of DAMPINGS from which on neither a joint nor its coordinates jump; undefined where none is enough. */
export function leastDamping(form: Form, links: readonly Link[], motion: Motion): number | undefined {
  let least: number | undefined;
  for (let k = DAMPINGS.length - 1; k >= 0; k--) {
    const { jump, coordinateJump } = drag(form, links, motion, DAMPINGS[k]);
    if (!(jump <= JUMP && coordinateJump <= JUMP)) break;
    least = DAMPINGS[k];
  }
  return least;
}

/** Coordinates without effect at a place in general position: rates less the rank of what they turn, for all joints together. */
export function deadCoordinates(form: Form, links: readonly Link[]): number {
  const start = links.map((_, n) => quat.fromAxisAngle([0.6, 0.64, 0.48], 0.7 + 0.2 * n));
  const arm = createArm(form, links, start);
  let rank = 0;
  for (let n = 0; n < links.length; n++) {
    const values = singularValues(axesOf(arm, n));
    rank += values.filter((x) => x > 1e-9 * values[0]).length;
  }
  // A constraint takes one away, honestly.
  return links.length * (form.rates - form.constraints) - rank;
}

/** Median time of a step, us, over rounds of a drag. */
export function timeSteps(
  form: Form,
  links: readonly Link[],
  motion: Motion,
  damping: number,
  rounds: number,
): number {
  const dt = 1 / 60;
  const frames = Math.round(DURATION / dt);
  const targets = Array.from({ length: frames }, (_, frame) => targetAt(links, motion, frame * dt));
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const arm = createArm(form, links, motion(0));
    const started = performance.now();
    for (let frame = 0; frame < frames; frame++) stepArm(arm, targets[frame], damping, dt);
    times.push(((performance.now() - started) * 1000) / frames);
  }
  return times.sort((a, b) => a - b)[rounds >> 1];
}

/** The least singular value of a joint's turning over its largest, the worst joint of an arm. */
export function turningOf(arm: Arm): number {
  let least = Number.POSITIVE_INFINITY;
  for (let n = 0; n < arm.links.length; n++) {
    const values = singularValues(axesOf(arm, n));
    least = Math.min(least, values[2] / values[0]);
  }
  return least;
}

function axesOf({ form, parameters }: Arm, n: number): number[][] {
  const axes = new Float64Array(12);
  form.writeAxes(parameters, n * form.parameters, axes);
  return Array.from({ length: form.rates }, (_, k) => Array.from(axes.subarray(3 * k, 3 * k + 3)));
}

/** Singular values of a 3 x n matrix given by its columns, largest first: square roots of the eigenvalues of A A^T (3 x 3, by Jacobi). */
function singularValues(columns: readonly (readonly number[])[]): number[] {
  const a = [0, 1, 2].map((r) =>
    [0, 1, 2].map((c) => columns.reduce((sum, column) => sum + column[r] * column[c], 0)),
  );
  for (let sweep = 0; sweep < 12; sweep++) {
    for (const [p, q] of [
      [0, 1],
      [0, 2],
      [1, 2],
    ]) {
      if (a[p][q] === 0) continue;
      const angle = 0.5 * Math.atan2(2 * a[p][q], a[p][p] - a[q][q]);
      const c = Math.cos(angle);
      const s = Math.sin(angle);
      for (let k = 0; k < 3; k++) [a[k][p], a[k][q]] = [c * a[k][p] + s * a[k][q], c * a[k][q] - s * a[k][p]];
      for (let k = 0; k < 3; k++) [a[p][k], a[q][k]] = [c * a[p][k] + s * a[q][k], c * a[q][k] - s * a[p][k]];
    }
  }
  return [0, 1, 2].map((k) => Math.sqrt(Math.max(0, a[k][k]))).sort((x, y) => y - x);
}

/** Largest |p'| of a joint, as rad/s: a quaternion turns by twice its change over its length. */
export function largestRate({ form, links, rates, parameters }: Arm): number {
  let largest = 0;
  for (let n = 0; n < links.length; n++) {
    const p = n * form.parameters;
    const r = n * form.rates;
    const size = Math.hypot(...rates.subarray(r, r + form.rates));
    const scale = form.rates === 4 ? 2 / Math.hypot(...parameters.subarray(p, p + 4)) : 1;
    largest = Math.max(largest, scale * size);
  }
  return largest;
}

/** Largest turn of a joint against its parent between two sets of world rotations. */
export function largestTurn(before: Float64Array, after: Float64Array): number {
  let largest = 0;
  for (let o = 0; o < before.length; o += 9) {
    const a = relative(before, o);
    const b = relative(after, o);
    largest = Math.max(largest, angleBetween(a, 0, b));
  }
  return largest;
}

function relative(rotations: Float64Array, o: number): number[] {
  const own = Array.from(rotations.subarray(o, o + 9));
  if (o === 0) return own;
  return own.map((_, e) => {
    const r = Math.floor(e / 3);
    const c = e % 3;
    let sum = 0;
    for (let k = 0; k < 3; k++) sum += rotations[o - 9 + 3 * k + r] * own[3 * k + c];
    return sum;
  });
}

/** Angle between two rotations (also of matrices that are no longer quite rotations). */
function angleBetween(a: ArrayLike<number>, o: number, b: ArrayLike<number>): number {
  let square = 0;
  for (let k = 0; k < 9; k++) square += (a[o + k] - b[k]) ** 2;
  // |A - B|_F = 2 sqrt 2 sin(angle / 2)
  return 2 * Math.asin(Math.min(1, Math.sqrt(square / 8)));
}
