/** Hinges in series whose rotation is nearest to a given one within their limits, by closed form one hinge at a time. */
import { restOf } from '../../figure/kinematics/rest-pose.js';
import * as mat3 from '../../math/geometry/mat3.js';
import * as vec3 from '../../math/geometry/vec3.js';
import { matrixFromAxisAngle } from '../../rotation/rotation-vector/axis-angle.js';
import type { SerialTarget } from '../body/serial-target.js';

/** The hinges between a part of the body and the one above it. */
export interface HingeChain {
  /** Index of the part, and of the one above. */
  readonly part: number;
  readonly above: number;
  /** Index in the pose of each hinge. */
  readonly coordinates: readonly number[];
  /** World axis of each hinge at rest, unit. */
  readonly axes: readonly (readonly number[])[];
  readonly min: readonly number[];
  readonly max: readonly number[];
  /** World rotations of the bones of both parts at rest. */
  readonly rest: readonly number[];
  readonly restAbove: readonly number[];
}

/** Angles of a chain, and 3 - trace of what is left of the rotation: the square of a small angle. */
export interface ChainAngles {
  readonly angles: readonly number[];
  readonly error: number;
}

/** Chains that go down from one part to another; those of a pelvis that hangs from its torso have none. */
export function hingeChainsOf({ robot, parts, figure, humanoid }: SerialTarget): HingeChain[] {
  const rest = restOf(robot);
  const axesOf = (bone: number): number[] =>
    Array.from(rest.worldFromBone.subarray(12 * bone, 12 * bone + 9));
  return parts.flatMap(({ human, robotBone, joints }, part): HingeChain[] => {
    const above = figure.parents[part];
    if (above < 0 || joints.at(-1) !== robotBone) return [];
    if (robot.parents[joints[0]] !== parts[above].robotBone) return [];
    if (humanoid.bones[human] === undefined) return [];
    const hinges = joints.flatMap((bone) => {
      const { joint, coordinate, mimic } = robot.bones[bone];
      return joint.type === 'hinge' && mimic === undefined ? [{ bone, axis: joint.axis, coordinate }] : [];
    });
    if (hinges.length === 0) return [];
    const limits = hinges.map(({ coordinate }) => {
      const limit = robot.limitComponents.find((each) => each.coordinate === coordinate);
      return limit?.kind === 'interval' ? limit.parameters : [-Math.PI, Math.PI];
    });
    return [
      {
        part,
        above,
        coordinates: hinges.map(({ coordinate }) => coordinate),
        axes: hinges.map(({ bone, axis }) => vec3.normalize(mat3.multiplyVector(axesOf(bone), axis))),
        min: limits.map(([min]) => Math.max(min, -TURN)),
        max: limits.map(([, max]) => Math.min(max, TURN)),
        rest: axesOf(robotBone),
        restAbove: axesOf(parts[above].robotBone),
      },
    ];
  });
}

const TURN = 2 * Math.PI;

/** Rotation that the hinges have to make, from the world rotations of both parts: E_1 E_2 ... = W_a R_a^T R W^T, W at rest. */
export function chainRotation(
  { rest, restAbove }: HingeChain,
  above: ArrayLike<number>,
  part: ArrayLike<number>,
): number[] {
  const between = mat3.multiply(mat3.transpose(Array.from(above)), Array.from(part));
  return mat3.multiply(mat3.multiply(restAbove, between), mat3.transpose(rest));
}

/** Sweeps over the hinges at most, and the gain of the trace that ends them. */
const MAX_SWEEPS = 40;
const GAIN = 1e-9;
/** Difference of all angles, rad, up to which two answers are one. */
const SAME = 0.1;
/** Error of an answer that has the rotation, rad^2: 0.6 degrees. */
const REACHED = 1e-4;
/** Frames from one search for further answers to the next, where one has the rotation. */
const SEARCHED_EVERY = 8;
/** Answers kept of a frame. */
const KEPT = 4;

/**
 * The local minima that are found from the answers of the frame before and from a grid of starts, best first.
 *
 * @param before - Answers to start from.
 * @param isSearched - Left out: the grid is used where no answer of the frame before leads to the rotation.
 */
export function chainAnswers(
  chain: HingeChain,
  rotation: readonly number[],
  before: readonly ChainAngles[],
  isSearched = false,
): ChainAngles[] {
  const answers: ChainAngles[] = [];
  const add = (start: readonly number[]): void => {
    const answer = nearestAngles(chain, rotation, start);
    const twin = answers.findIndex(({ angles }) =>
      angles.every((x, k) => Math.abs(x - answer.angles[k]) < SAME),
    );
    if (twin < 0) answers.push(answer);
    else if (answer.error < answers[twin].error) answers[twin] = answer;
  };
  for (const { angles } of before) add(angles);
  if (isSearched || !answers.some(({ error }) => error < REACHED))
    for (const start of startsOf(chain)) add(start);
  return answers.sort((a, b) => a.error - b.error).slice(0, KEPT);
}

/** A second with this squared error, rad^2 s, is worth a jump of the hinges by 1 rad in all. */
const JUMP = 0.1;

/** The answers of a clip by which errors over time and ways of the hinges are least in all: a limb does not stay at a limit that its other answer avoids. @returns angles of each frame. */
export function chainPath(
  chain: HingeChain,
  count: number,
  step: number,
  rotationAt: (f: number) => readonly number[],
): (readonly number[])[] {
  const frames: { readonly answers: readonly ChainAngles[]; readonly from: number[] }[] = [];
  let costs: number[] = [];
  let before: readonly ChainAngles[] = [];
  for (let f = 0; f < count; f++) {
    const answers = chainAnswers(chain, rotationAt(f), before, f % SEARCHED_EVERY === 0);
    const from: number[] = [];
    const next = answers.map(({ angles, error }) => {
      const way = before.map((last, i) => costs[i] + JUMP * distance(last.angles, angles));
      const best = way.indexOf(Math.min(...way));
      from.push(best);
      return step * error + (best < 0 ? 0 : way[best]);
    });
    frames.push({ answers, from });
    costs = next;
    before = answers;
  }
  let at = costs.indexOf(Math.min(...costs));
  const path: (readonly number[])[] = [];
  for (let f = count - 1; f >= 0; f--) {
    path.unshift(frames[f].answers[at].angles);
    at = frames[f].from[at];
  }
  return path;
}

/** Live: the answer that is best if its error lasts a second. */
export function nextAnswer(
  chain: HingeChain,
  rotation: readonly number[],
  before: ChainAngles | undefined,
): ChainAngles {
  const answers = chainAnswers(chain, rotation, before === undefined ? [] : [before]);
  const cost = ({ angles, error }: ChainAngles): number =>
    error + (before === undefined ? 0 : JUMP * distance(before.angles, angles));
  return answers.reduce((best, answer) => (cost(answer) < cost(best) ? answer : best));
}

function distance(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, x, k) => sum + Math.abs(x - b[k]), 0);
}

/** Places in the range of a hinge from which answers are sought: one in each half, and no quarter, since quarter turns of several hinges are saddles. */
const PLACES = [0.21, 0.68];

/** The rest pose, and a grid of both halves of each hinge's range. */
function startsOf({ min, max }: HingeChain): number[][] {
  let starts: number[][] = [[]];
  for (let k = 0; k < min.length; k++) {
    const [low, high] = [Math.max(min[k], -Math.PI), Math.min(max[k], Math.PI)];
    starts = starts.flatMap((start) => PLACES.map((place) => [...start, low + place * (high - low)]));
  }
  return [min.map((low, k) => Math.min(Math.max(0, low), max[k])), ...starts];
}

/**
 * Maximizes tr(T^T E_1 ... E_n), one hinge after the other: with E = A exp(a theta) B it is c cos theta + s sin theta + const, M = B T^T A,
 * c = tr M - a^T M a, s = tr(M [a]).
 */
function nearestAngles(
  chain: HingeChain,
  rotation: readonly number[],
  start: readonly number[],
): ChainAngles {
  const { axes } = chain;
  const count = axes.length;
  const angles = [...start];
  const toTarget = mat3.transpose(rotation);
  let trace = Number.NEGATIVE_INFINITY;
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    // B of the first hinge to that of the last: products from behind.
    const behind: number[][] = [mat3.identity()];
    for (let k = count - 1; k > 0; k--)
      behind.unshift(mat3.multiply(matrixFromAxisAngle(axes[k], angles[k]), behind[0]));
    let front: number[] = toTarget;
    let value = 0;
    for (let k = 0; k < count; k++) {
      const m = mat3.multiply(behind[k], front);
      const a = axes[k];
      const along = vec3.dot(a, mat3.multiplyVector(m, a));
      const c = m[0] + m[4] + m[8] - along;
      const s = a[0] * (m[5] - m[7]) + a[1] * (m[6] - m[2]) + a[2] * (m[1] - m[3]);
      angles[k] = bestAngle(c, s, angles[k], chain.min[k], chain.max[k]);
      value = along + c * Math.cos(angles[k]) + s * Math.sin(angles[k]);
      front = mat3.multiply(front, matrixFromAxisAngle(a, angles[k]));
    }
    if (value - trace < GAIN) break;
    trace = value;
  }
  return { angles, error: Math.max(0, 3 - trace) };
}

/** The angle in [min, max] at which c cos + s sin is largest; of several that nearest to the one before. */
function bestAngle(c: number, s: number, before: number, min: number, max: number): number {
  const best = Math.atan2(s, c);
  let chosen: number | undefined;
  for (const turn of [-TURN, 0, TURN]) {
    const angle = best + turn;
    if (angle < min || angle > max) continue;
    if (chosen === undefined || Math.abs(angle - before) < Math.abs(chosen - before)) chosen = angle;
  }
  if (chosen !== undefined) return chosen;
  return c * Math.cos(min) + s * Math.sin(min) > c * Math.cos(max) + s * Math.sin(max) ? min : max;
}
