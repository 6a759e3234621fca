/** Hinges in series whose rotation is nearest to a given one within their limits, by closed form one hinge at a time. */
import { restOf } from '../../figure/kinematics/rest-pose.js';
import * as mat3 from '../../math/geometry/mat3.js';
import * as quat from '../../math/geometry/quat.js';
import * as vec3 from '../../math/geometry/vec3.js';
import type { Numbers } from '../../math/linear/types.js';
import { writeProduct } from '../../robot/tree/pose.js';
import type { SerialTarget } from '../body/serial-target.js';

/** The hinges between a part of the body and the one above it. */
export interface HingeChain {
  /** Index of the part, and of the one above. */
  readonly part: number;
  readonly above: number;
  /** Index in the pose of each hinge. */
  readonly coordinates: readonly number[];
  /** World axis of each hinge at rest, unit, three numbers each. */
  readonly axes: Float64Array;
  readonly min: Float64Array;
  readonly max: Float64Array;
  /** World rotations of the bones of both parts at rest, of the part the inverse: unit quaternions. */
  readonly fromRest: Float64Array;
  readonly restAbove: Float64Array;
  /** Starts from which answers are sought, one after the other. */
  readonly starts: Float64Array;
  /** Angles that are sought, and cosines and sines of their halves. */
  readonly trial: Float64Array;
  readonly cosines: Float64Array;
  readonly sines: Float64Array;
}

/** Local minima for one rotation, best first: angles of all hinges, and 4 - 4 cos^2 of half of the angle that is left, which is the square of a small one. */
export interface ChainAnswers {
  size: number;
  readonly angles: Float64Array;
  readonly errors: Float64Array;
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
    const limits = hinges.map(({ coordinate }): readonly number[] => {
      const limit = robot.limitComponents.find((each) => each.coordinate === coordinate);
      return limit?.kind === 'interval' ? limit.parameters : [-Math.PI, Math.PI];
    });
    return [
      createHingeChain({
        part,
        above,
        coordinates: hinges.map(({ coordinate }) => coordinate),
        axes: hinges.map(({ bone, axis }) => mat3.multiplyVector(axesOf(bone), axis)),
        limits,
        rest: axesOf(robotBone),
        restAbove: axesOf(parts[above].robotBone),
      }),
    ];
  });
}

/** @param given - Axes in the world at rest, limits of each hinge, and rotation matrices of both parts at rest. */
export function createHingeChain(given: {
  readonly part: number;
  readonly above: number;
  readonly coordinates: readonly number[];
  readonly axes: readonly Numbers[];
  readonly limits: readonly Numbers[];
  readonly rest: Numbers;
  readonly restAbove: Numbers;
}): HingeChain {
  const { part, above, coordinates, axes, limits } = given;
  const min = Float64Array.from(limits, (limit) => Math.max(limit[0], -TURN));
  const max = Float64Array.from(limits, (limit) => Math.min(limit[1], TURN));
  const count = axes.length;
  return {
    part,
    above,
    coordinates,
    axes: Float64Array.from(axes.flatMap((axis) => vec3.normalize(axis))),
    min,
    max,
    fromRest: Float64Array.from(quat.conjugate(quat.fromMatrix(given.rest))),
    restAbove: Float64Array.from(quat.fromMatrix(given.restAbove)),
    starts: Float64Array.from(startsOf(min, max).flat()),
    trial: new Float64Array(count),
    cosines: new Float64Array(count),
    sines: new Float64Array(count),
  };
}

export function createAnswers({ trial }: HingeChain): ChainAnswers {
  return { size: 0, angles: new Float64Array(KEPT * trial.length), errors: new Float64Array(KEPT) };
}

const TURN = 2 * Math.PI;

const product = /* @__PURE__ */ new Float64Array(4);
const inverse = /* @__PURE__ */ new Float64Array(4);

/**
 * Rotation that the hinges have to make, from the world rotations of both parts: E_1 E_2 ... = W_a R_a^T R W^T, W at rest. Unit quaternions.
 *
 * @param rotations - Of the parts, from `o` on.
 */
export function writeChainRotation(
  { part, above, fromRest, restAbove }: HingeChain,
  rotations: Float64Array,
  o: number,
  out: Float64Array,
): void {
  for (let k = 0; k < 4; k++) inverse[k] = (k < 3 ? -1 : 1) * rotations[o + 4 * above + k];
  writeProduct(restAbove, 0, inverse, 0, out, 0);
  writeProduct(out, 0, rotations, o + 4 * part, product, 0);
  writeProduct(product, 0, fromRest, 0, out, 0);
}

/** Sweeps over the hinges at most, and the gain that ends them. */
const MAX_SWEEPS = 40;
const GAIN = 1e-9;
/** Difference of all angles, rad, up to which two answers are one. */
const SAME = 0.1;
/** Error of an answer that has the rotation, rad^2: 0.6 degrees. */
const REACHED = 1e-4;
/** Time from one search for further answers to the next, s. */
const SEARCH_TIME = 0.06;
/** Answers kept of a frame. */
const KEPT = 4;

/**
 * Finds local minima from the answers of the frame before, and from a grid of starts.
 *
 * @param before - Answers to start from.
 * @param isSearched - Whether the grid is used; left out: where no answer of the frame before leads to the rotation.
 */
export function findAnswers(
  chain: HingeChain,
  rotation: Float64Array,
  before: ChainAnswers,
  out: ChainAnswers,
  isSearched?: boolean,
): void {
  const { starts, trial } = chain;
  const count = trial.length;
  out.size = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let n = 0; n < before.size; n++) {
    for (let k = 0; k < count; k++) trial[k] = before.angles[count * n + k];
    const error = climb(chain, rotation);
    least = Math.min(least, error);
    addAnswer(out, trial, error);
  }
  if (!(isSearched ?? least >= REACHED) && before.size > 0) return;
  for (let o = 0; o < starts.length; o += count) {
    for (let k = 0; k < count; k++) trial[k] = starts[o + k];
    addAnswer(out, trial, climb(chain, rotation));
  }
}

/** Adds an answer, in order, to the {@link KEPT} best ones that differ. */
function addAnswer(out: ChainAnswers, trial: Float64Array, error: number): void {
  const { angles, errors } = out;
  const count = trial.length;
  let place = 0;
  for (; place < out.size; place++) {
    let k = 0;
    while (k < count && Math.abs(angles[count * place + k] - trial[k]) < SAME) k++;
    if (k === count) break;
  }
  if (place === out.size) {
    if (place === KEPT) place--;
    else {
      out.size++;
      errors[place] = Number.POSITIVE_INFINITY;
    }
  }
  if (error >= errors[place]) return;
  for (; place > 0 && errors[place - 1] > error; place--) {
    errors[place] = errors[place - 1];
    for (let k = 0; k < count; k++) angles[count * place + k] = angles[count * (place - 1) + k];
  }
  errors[place] = error;
  for (let k = 0; k < count; k++) angles[count * place + k] = trial[k];
}

/** A second with this squared error, rad^2 s, is worth a jump of the hinges by 1 rad in all. */
const JUMP = 0.1;

/**
 * The answers of a clip by which errors over time and ways of the hinges are least in all: a limb does not stay at a limit that its other answer avoids.
 *
 * @param writeRotation - Writes the rotation of a frame.
 * @returns angles of each frame.
 */
export function chainPath(
  chain: HingeChain,
  count: number,
  step: number,
  writeRotation: (f: number, out: Float64Array) => void,
): Float64Array {
  const hinges = chain.trial.length;
  const rotation = new Float64Array(4);
  const angles = new Float64Array(KEPT * hinges * count);
  const from = new Int8Array(KEPT * count);
  let [before, answers] = [createAnswers(chain), createAnswers(chain)];
  let [costs, next] = [new Float64Array(KEPT), new Float64Array(KEPT)];
  const searchedEvery = Math.max(1, Math.round(SEARCH_TIME / step));
  for (let f = 0; f < count; f++) {
    writeRotation(f, rotation);
    findAnswers(chain, rotation, before, answers, f % searchedEvery === 0);
    for (let n = 0; n < answers.size; n++) {
      let least = f === 0 ? 0 : Number.POSITIVE_INFINITY;
      for (let m = 0; m < before.size; m++) {
        const cost =
          costs[m] + JUMP * distance(before.angles, hinges * m, answers.angles, hinges * n, hinges);
        if (cost >= least) continue;
        least = cost;
        from[KEPT * f + n] = m;
      }
      next[n] = least + step * answers.errors[n];
    }
    angles.set(answers.angles, KEPT * hinges * f);
    [before, answers] = [answers, before];
    [costs, next] = [next, costs];
  }
  let at = 0;
  for (let n = 1; n < before.size; n++) if (costs[n] < costs[at]) at = n;
  const path = new Float64Array(hinges * count);
  for (let f = count - 1; f >= 0; f--) {
    for (let k = 0; k < hinges; k++) path[hinges * f + k] = angles[hinges * (KEPT * f + at) + k];
    at = from[KEPT * f + at];
  }
  return path;
}

/** Live: the answers of a frame, and the one chosen in the frame before. */
export interface LiveChain {
  readonly answers: ChainAnswers;
  /** Size 0 at the first frame. */
  readonly chosen: ChainAnswers;
  readonly rotation: Float64Array;
}

export function createLiveChain(chain: HingeChain): LiveChain {
  return { answers: createAnswers(chain), chosen: createAnswers(chain), rotation: new Float64Array(4) };
}

/** Live: chooses the answer that is best if its error lasts a second. */
export function chooseAnswer(chain: HingeChain, { answers, chosen, rotation }: LiveChain): void {
  const hinges = chain.trial.length;
  findAnswers(chain, rotation, chosen, answers);
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let n = 0; n < answers.size; n++) {
    const way = chosen.size === 0 ? 0 : distance(chosen.angles, 0, answers.angles, hinges * n, hinges);
    const cost = answers.errors[n] + JUMP * way;
    if (cost >= least) continue;
    least = cost;
    best = n;
  }
  for (let k = 0; k < hinges; k++) chosen.angles[k] = answers.angles[hinges * best + k];
  chosen.errors[0] = answers.errors[best];
  chosen.size = 1;
}

function distance(a: Float64Array, i: number, b: Float64Array, j: number, count: number): number {
  let sum = 0;
  for (let k = 0; k < count; k++) sum += Math.abs(a[i + k] - b[j + k]);
  return sum;
}

/** Places in the range of a hinge from which answers are sought: one in each half, and no quarter, since quarter turns of several hinges are saddles. */
const PLACES = [0.21, 0.68];

/** The rest pose, and a grid of both halves of each hinge's range. */
function startsOf(min: Float64Array, max: Float64Array): number[][] {
  let starts: number[][] = [[]];
  for (let k = 0; k < min.length; k++) {
    const [low, high] = [Math.max(min[k], -Math.PI), Math.min(max[k], Math.PI)];
    starts = starts.flatMap((start) => PLACES.map((place) => [...start, low + place * (high - low)]));
  }
  return [Array.from(min, (low, k) => Math.min(Math.max(0, low), max[k])), ...starts];
}

/**
 * Maximizes (t . e_1 ... e_n)^2 over unit quaternions e = cos(theta / 2) + sin(theta / 2) a, one hinge after the other: the product is
 * w cos(theta / 2) + (a . v) sin(theta / 2), w and v those of e_{k-1}' ... e_1' t e_n' ... e_{k+1}'.
 *
 * @param chain - In: `trial`, the start. Out: the angles.
 * @returns the error.
 */
function climb(chain: HingeChain, rotation: Float64Array): number {
  const { axes, trial, cosines, sines, min, max } = chain;
  const last = trial.length - 1;
  for (let k = 0; k <= last; k++) {
    cosines[k] = Math.cos(0.5 * trial[k]);
    sines[k] = Math.sin(0.5 * trial[k]);
  }
  let square = -1;
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    let x = rotation[0];
    let y = rotation[1];
    let z = rotation[2];
    let w = rotation[3];
    for (let k = last; k > 0; k--) {
      const c = cosines[k];
      const ax = -sines[k] * axes[3 * k];
      const ay = -sines[k] * axes[3 * k + 1];
      const az = -sines[k] * axes[3 * k + 2];
      const px = w * ax + x * c + y * az - z * ay;
      const py = w * ay - x * az + y * c + z * ax;
      const pz = w * az + x * ay - y * ax + z * c;
      w = w * c - x * ax - y * ay - z * az;
      x = px;
      y = py;
      z = pz;
    }
    let dot = 0;
    for (let k = 0; k <= last; k++) {
      let ax = axes[3 * k];
      let ay = axes[3 * k + 1];
      let az = axes[3 * k + 2];
      const along = ax * x + ay * y + az * z;
      const angle = bestAngle(w, along, trial[k], min[k], max[k]);
      let c = Math.cos(0.5 * angle);
      let s = Math.sin(0.5 * angle);
      trial[k] = angle;
      cosines[k] = c;
      sines[k] = s;
      if (k === last) {
        dot = w * c + along * s;
        break;
      }
      // e_k' m, then by e_{k+1}.
      ax *= -s;
      ay *= -s;
      az *= -s;
      const px = c * x + ax * w + ay * z - az * y;
      const py = c * y - ax * z + ay * w + az * x;
      const pz = c * z + ax * y - ay * x + az * w;
      const pw = c * w - ax * x - ay * y - az * z;
      c = cosines[k + 1];
      s = sines[k + 1];
      ax = s * axes[3 * k + 3];
      ay = s * axes[3 * k + 4];
      az = s * axes[3 * k + 5];
      x = pw * ax + px * c + py * az - pz * ay;
      y = pw * ay - px * az + py * c + pz * ax;
      z = pw * az + px * ay - py * ax + pz * c;
      w = pw * c - px * ax - py * ay - pz * az;
    }
    const gain = 4 * (dot * dot - square);
    square = dot * dot;
    if (gain < GAIN) break;
  }
  return Math.max(0, 4 - 4 * square);
}

/** The angle in [min, max] at which (c cos + s sin)^2 of its half is largest; of several that nearest to the one before. */
function bestAngle(c: number, s: number, before: number, min: number, max: number): number {
  const best = c < 0 ? 2 * Math.atan2(-s, -c) : 2 * Math.atan2(s, c);
  let chosen = Number.NaN;
  for (let turn = -TURN; turn <= TURN; turn += TURN) {
    const angle = best + turn;
    if (angle < min || angle > max) continue;
    if (!(Math.abs(angle - before) >= Math.abs(chosen - before))) chosen = angle;
  }
  if (!Number.isNaN(chosen)) return chosen;
  const low = c * Math.cos(0.5 * min) + s * Math.sin(0.5 * min);
  const high = c * Math.cos(0.5 * max) + s * Math.sin(0.5 * max);
  return low * low > high * high ? min : max;
}
