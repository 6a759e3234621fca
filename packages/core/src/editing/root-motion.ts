/** Root motion: the path of a figure over the ground and its heading, subtracted from a clip and added to it. */
import { type FieldsOf, requireFields, requireNumbers } from '../checks.js';
import { MotionError } from '../errors.js';
import type { Figure } from '../figure/model/figure.js';
import * as quat from '../math/geometry/quat.js';
import * as vec3 from '../math/geometry/vec3.js';
import type { Quat, Vec3 } from '../math/linear/types.js';
import type { Motion } from '../motion/motion.js';
import {
  type Curve,
  type CurvePoint,
  createCurve,
  createCurvePoint,
  curveEnd,
  curveStart,
} from '../motion/representation/curve.js';
import {
  composeRotationStates,
  createRotationState,
  expRotationState,
} from '../motion/representation/rotation-state.js';
import { clipFromStates, distinctTimes, keysWithin, writeQuintic } from './clips/clip-from-states.js';
import {
  type ClipState,
  type ClipStateAt,
  clipStates,
  evaluateSide,
  freeRoots,
  type Side,
  worldFromRest,
} from './clips/clip-state.js';
import { requireMotionOf } from './clips/require-motion.js';

/** Options of {@link extractRootMotion} and {@link applyRootMotion}. */
export interface RootMotionOptions {
  /** World. Default `figure.up`. */
  readonly up?: Vec3;
}

/** Options of {@link extractRootMotion}. */
export interface ExtractRootMotionOptions extends RootMotionOptions {
  /** Whether the heading is subtracted too. Default true. */
  readonly rotation?: boolean;
}

/** Result of {@link extractRootMotion}. */
export interface RootMotion {
  /** The clip in place: its root stays above its first position, and keeps its first heading. */
  readonly motion: Motion;
  /**
   * Four numbers over the time of the clip, zero at its start: translation (world, m, horizontal) and rotation about `up` (rad). A point x of the clip in
   * place is at Y x + c: the rotation is about the vertical through the origin, as that of an object that carries the figure.
   */
  readonly root: Curve;
}

const FIELDS: FieldsOf<ExtractRootMotionOptions> = { up: true, rotation: true };
const APPLY_FIELDS: FieldsOf<RootMotionOptions> = { up: true };
/** Numbers of a root motion: translation, then heading. */
const SIZE = 4;
const HEADING = 3;

/**
 * Subtracts the root motion of a clip: the horizontal path of its first free root and, as the twist of its rotation about the vertical, its heading.
 * {@link applyRootMotion} of both results is the clip again, to rounding.
 *
 * @throws MotionError `unsupported` for a figure without a free root, `singular` where the root turns upside down and has no heading; for a clip of
 *   another figure.
 */
export function extractRootMotion(
  figure: Figure,
  motion: Motion,
  options: ExtractRootMotionOptions = {},
): RootMotion {
  requireFields(options, FIELDS, 'options', MotionError);
  requireMotionOf(figure, motion);
  const up = axisOf(figure, options.up);
  const [root] = freeRoots(figure);
  if (root === undefined) {
    throw new MotionError('unsupported', 'has no free joint at its root.', {
      path: `figure ${figure.name}`,
      remedy: 'Read the figure with its animation, so that its root is free.',
    });
  }
  const states = clipStates(figure, motion);
  const rest = worldFromRest(figure, root.bone);
  const first = states(motion.start, 'after');
  const start = { ...worldPosition(first, root.position, rest), first: [0, 0, 0], second: [0, 0, 0] };
  const inverse = quat.conjugate(first.rotations[root.rotation].quaternion);
  const own = quat.rotate(quat.conjugate(rest.rotation), up);
  let heading = 0;
  const pathAt = (time: number, side: Side): CurvePoint<Float64Array> => {
    const out = createCurvePoint(SIZE) as CurvePoint<Float64Array>;
    const state = states(time, side);
    if (options.rotation !== false) {
      const { quaternion, angularVelocity, angularAcceleration } = state.rotations[root.rotation];
      const [angle, rate, secondRate] = twistOf(
        // Of R R_0^-1 about the vertical, whose body axes are those of R_0.
        quat.multiply(quaternion, inverse),
        quat.rotate(quat.conjugate(inverse), angularVelocity),
        quat.rotate(quat.conjugate(inverse), angularAcceleration),
        own,
        time,
      );
      heading += Math.atan2(Math.sin(angle - heading), Math.cos(angle - heading));
      out.value[HEADING] = heading;
      out.first[HEADING] = rate;
      out.second[HEADING] = secondRate;
    }
    // c = (x - Y x_0), horizontal.
    const x = worldPosition(state, root.position, rest);
    const rotatedStart = rotated(start, out, up, 1);
    for (const order of ORDERS) {
      const c = vec3.subtract(x[order], rotatedStart[order]);
      out[order].set(vec3.addScaled(c, up, -vec3.dot(c, up)), 0);
    }
    return out;
  };
  const times = keysWithin(motion, motion.start, motion.end);
  const stride = 6 * SIZE;
  const controls = new Float64Array((times.length - 1) * stride);
  for (let s = 0; s + 1 < times.length; s++) {
    writeQuintic(
      controls,
      s * stride,
      times[s + 1] - times[s],
      pathAt(times[s], 'after'),
      pathAt(times[s + 1], 'before'),
    );
  }
  const path = createCurve(
    { size: SIZE, degree: 5, knots: Float64Array.from(times), controls },
    { outside: motion.outside },
  );
  const { name, outside } = motion;
  return {
    motion: clipFromStates(figure, times, carried(figure, states, path, up, -1), { name, outside }),
    root: path,
  };
}

/**
 * Moves a clip along a root motion: the path of {@link extractRootMotion}, or one of your own.
 *
 * @param root - Four numbers over the time of the clip, as of {@link RootMotion}; extrapolated by its own `outside`.
 * @throws MotionError `wrong-size` for another curve; `unsupported` for a figure without a free root; for a clip of another figure.
 */
export function applyRootMotion(
  figure: Figure,
  motion: Motion,
  root: Curve,
  options: RootMotionOptions = {},
): Motion {
  requireFields(options, APPLY_FIELDS, 'options', MotionError);
  requireMotionOf(figure, motion);
  if (root?.size !== SIZE) {
    throw new MotionError('wrong-size', `gives ${root?.size} numbers.`, {
      path: 'root',
      remedy: 'Give a curve of four: translation x, y, z and heading.',
    });
  }
  const up = axisOf(figure, options.up);
  const { start, end, name, outside } = motion;
  const knots = Array.from(root.knots as ArrayLike<number>).filter((time) => time > start && time < end);
  const times = distinctTimes([...keysWithin(motion, start, end), ...knots], end - start);
  const states = carried(figure, clipStates(figure, motion), root, up, 1);
  return clipFromStates(figure, times, states, { name, outside });
}

const ORDERS = ['value', 'first', 'second'] as const;

/** A clip carried along a path, or taken from it. @param direction - x -> Y x + c, or its inverse. */
function carried(figure: Figure, states: ClipStateAt, path: Curve, up: Vec3, direction: 1 | -1): ClipStateAt {
  const roots = freeRoots(figure).map((root) => ({ ...root, rest: worldFromRest(figure, root.bone) }));
  const yaw = createRotationState();
  const length = curveEnd(path) - curveStart(path);
  return (time, side) => {
    const state = states(time, side);
    const at = evaluateSide(path, time, side, length, createCurvePoint(SIZE));
    for (const { position, rotation, rest } of roots) {
      const back = quat.conjugate(rest.rotation);
      const own = quat.rotate(back, up);
      const angle = (order: (typeof ORDERS)[number]): number[] =>
        vec3.scale(own, direction * at[order][HEADING]);
      expRotationState({ value: angle('value'), first: angle('first'), second: angle('second') }, yaw);
      composeRotationStates(yaw, state.rotations[rotation], state.rotations[rotation]);
      const x = worldPosition(state, position, rest);
      if (direction < 0) for (const order of ORDERS) vec3.subtract(x[order], triple(at[order]), x[order]);
      const moved = rotated(x, at, up, direction);
      if (direction > 0) for (const order of ORDERS) vec3.add(moved[order], triple(at[order]), moved[order]);
      vec3.subtract(moved.value, rest.position, moved.value);
      for (const order of ORDERS) state[order].set(quat.rotate(back, moved[order]), position);
    }
    return state;
  };
}

interface Point {
  readonly value: number[];
  readonly first: number[];
  readonly second: number[];
}

function worldPosition(
  state: ClipState,
  p: number,
  { rotation, position }: { readonly rotation: Quat; readonly position: Vec3 },
): Point {
  const of = (order: (typeof ORDERS)[number]): number[] =>
    quat.rotate(rotation, [state[order][p], state[order][p + 1], state[order][p + 2]]);
  return { value: vec3.add(of('value'), position), first: of('first'), second: of('second') };
}

/** Y x with derivatives: (Y x)' = Y x' + w x Y x, (Y x)'' = Y x'' + 2 w x Y x' + w' x Y x + w x (w x Y x). */
function rotated(x: Point, path: CurvePoint, up: Vec3, direction: 1 | -1): Point {
  const yaw = quat.fromAxisAngle(up, direction * path.value[HEADING]);
  const w = vec3.scale(up, direction * path.first[HEADING]);
  const w1 = vec3.scale(up, direction * path.second[HEADING]);
  const [y, y1, y2] = ORDERS.map((order) => quat.rotate(yaw, x[order]));
  const wy = vec3.cross(w, y);
  const first = vec3.add(y1, wy);
  const second = vec3.add(
    vec3.add(y2, vec3.scale(vec3.cross(w, y1), 2)),
    vec3.add(vec3.cross(w1, y), vec3.cross(w, wy)),
  );
  return { value: y, first, second };
}

/** The twist of q about an axis, 2 atan2(q_v . a, q_w), with its derivatives from the angular velocity and acceleration in body axes. */
function twistOf(q: Quat, w: Vec3, w1: Vec3, axis: Vec3, time: number): [number, number, number] {
  // q' = q w / 2, q'' = (q' w + q w') / 2
  const half = (p: Quat, v: Vec3): number[] => quat.multiply(p, [0.5 * v[0], 0.5 * v[1], 0.5 * v[2], 0]);
  const dq = half(q, w);
  const own = half(q, w1);
  const ddq = half([dq[0], dq[1], dq[2], dq[3]], w).map((x, k) => x + own[k]);
  const n = [q, dq, ddq].map((p) => p[0] * axis[0] + p[1] * axis[1] + p[2] * axis[2]);
  const s = [q, dq, ddq].map((p) => p[3]);
  const d = s[0] * s[0] + n[0] * n[0];
  if (!(d > 1e-12)) {
    throw new MotionError('singular', `turns upside down at ${time} s, where it has no heading.`, {
      path: 'motion',
      remedy: 'Take the path alone: rotation: false.',
    });
  }
  const numerator = s[0] * n[1] - n[0] * s[1];
  const derivative = s[0] * n[2] - n[0] * s[2];
  const change = 2 * (s[0] * s[1] + n[0] * n[1]);
  return [
    2 * Math.atan2(n[0], s[0]),
    (2 * numerator) / d,
    (2 * (derivative * d - numerator * change)) / (d * d),
  ];
}

function axisOf(figure: Figure, up: Vec3 | undefined): number[] {
  const axis = up ?? figure.up;
  requireNumbers(axis, 3, 'options.up', MotionError);
  if (vec3.norm(axis) > 0) return vec3.normalize(axis);
  throw new MotionError('out-of-range', 'has no length.', {
    path: 'options.up',
    remedy: 'Give a direction.',
  });
}

function triple(v: ArrayLike<number>): [number, number, number] {
  return [v[0], v[1], v[2]];
}
