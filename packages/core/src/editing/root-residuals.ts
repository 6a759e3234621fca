/** What neither gravity nor contacts give: the force and torque that would have to act on the root of a figure. */
import {
  type FieldsOf,
  requireFields,
  requireNotNegative,
  requireNumbers,
  requirePositive,
} from '../checks.js';
import { standardGravity } from '../dynamics/model/gravity.js';
import { FigureError, MotionError } from '../errors.js';
import { forwardKinematics } from '../figure/kinematics/forward-kinematics.js';
import { boneIndex, type Figure } from '../figure/model/figure.js';
import { totalMass } from '../figure/model/mass.js';
import { createState } from '../figure/model/state.js';
import * as mat3 from '../math/geometry/mat3.js';
import * as vec3 from '../math/geometry/vec3.js';
import type { Vec3 } from '../math/linear/types.js';
import type { Motion } from '../motion/motion.js';
import { createMotionSampler, samplePose } from '../motion/sampler.js';
import { rotationVectorFromMatrix } from '../rotation/rotation-vector/log.js';
import type { PhysicalContact } from './clips/physical-options.js';
import { requireContacts } from './clips/require-contacts.js';
import { requireMotionOf } from './clips/require-motion.js';

/** Options of {@link rootResiduals}. */
export interface RootResidualsOptions {
  /** Moments a second. Default 60. */
  readonly rate?: number;
  /** World, m/s^2. Default: 9.81 against `figure.up`. */
  readonly gravity?: Vec3;
}

/** Result of {@link rootResiduals}, by moment. */
export interface RootResiduals {
  /** s. */
  readonly times: Float64Array;
  /** Share of the weight: of the force and of the torque about the centre of mass, over a third of the height of a person of that size. */
  readonly residuals: Float64Array;
}

const FIELDS: FieldsOf<RootResidualsOptions> = { rate: true, gravity: true };

const DEFAULT_RATE = 60;
const DEFAULT_FRICTION = 0.8;
/** Iterations of the projected gradient; the residual is found to some 1e-4 of the weight. */
const ITERATIONS = 400;

/**
 * The residual of a motion's dynamics: the least force and torque that would have to act on the root of the figure beside gravity and contact forces within
 * their friction cones, whatever its joints do. From differences of three poses a moment, so that it says the same of recorded and of computed motions; a
 * contact counts where it begins or ends between them.
 *
 * @param contacts - In the motion's time; positions are those of the points in the motion.
 * @throws MotionError for a motion of another figure or shorter than three moments, and invalid contacts and options, FigureError `unsupported` for a figure without mass.
 */
export function rootResiduals(
  figure: Figure,
  motion: Motion,
  contacts: readonly Pick<PhysicalContact, 'bone' | 'points' | 'over' | 'normal' | 'friction'>[],
  options: RootResidualsOptions = {},
): RootResiduals {
  requireFields(options, FIELDS, 'options', MotionError);
  requireMotionOf(figure, motion);
  const { rate = DEFAULT_RATE, gravity = standardGravity(figure.up) } = options;
  requirePositive(rate, 'options.rate', MotionError, 'moments a second');
  requireNumbers(gravity, 3, 'options.gravity', MotionError);
  requireContacts(contacts, 'contacts');
  const touching = contacts.map(
    ({ bone, friction = DEFAULT_FRICTION, normal = figure.up, ...contact }, c) => {
      requireNotNegative(friction, `contacts[${c}].friction`, MotionError);
      return {
        ...contact,
        friction,
        normal: vec3.normalize(normal),
        bone: boneIndex(figure, bone, `contacts[${c}].bone`),
      };
    },
  );
  const mass = totalMass(figure);
  if (!(mass > 0)) {
    throw new FigureError('unsupported', 'has no mass.', {
      path: `figure ${figure.name}`,
      remedy: 'Give its bones masses: createRagdoll has those of a human.',
    });
  }
  const count = Math.round((motion.end - motion.start) * rate) - 1;
  if (!(count >= 1)) {
    throw new MotionError('out-of-range', `has less than three moments at ${rate} a second.`, {
      path: 'motion',
      remedy: 'Give a longer motion, or a larger rate.',
    });
  }
  const step = (motion.end - motion.start) / (count + 1);
  const sampler = createMotionSampler(figure, motion);
  const state = createState(figure);
  const pose = new Float64Array(figure.dof);
  const bodies = figure.bones.filter((bone) => (bone.mass ?? 0) > 0);
  const worldAt = (time: number): Float64Array => {
    forwardKinematics(state, samplePose(sampler, time, pose));
    return state.worldFromBone.slice();
  };
  const centersOf = (world: Float64Array): number[][] =>
    bodies.map(({ index, centerOfMass = [0, 0, 0] }) => pointOf(world, index, centerOfMass));
  const times = Float64Array.from({ length: count }, (_, k) => motion.start + (k + 1) * step);
  let [world, next] = [worldAt(motion.start), worldAt(motion.start + step)];
  let [momentum, following] = [undefined as Momentum | undefined, momentumBetween(world, next)];
  const weight = mass * vec3.norm(gravity) || mass;
  const lever = LEVER * heightOf(figure);
  const residuals = times.map((time) => {
    [world, momentum] = [next, following];
    next = worldAt(Math.min(motion.end, time + step));
    following = momentumBetween(world, next);
    const wanted = new Float64Array(6);
    for (let k = 0; k < 3; k++) {
      wanted[k] = ((following.linear[k] - momentum.linear[k]) / step - mass * gravity[k]) / weight;
      wanted[3 + k] = (following.angular[k] - momentum.angular[k]) / step / (weight * lever);
    }
    const center = centerOf(centersOf(world));
    const points = touching
      .filter(({ over }) => over[0] <= time + step && over[1] >= time - step)
      .flatMap(({ bone, points: own, normal, friction }) =>
        own.map((point) => ({
          arm: vec3.scale(vec3.subtract(pointOf(world, bone, point), center), 1 / lever),
          normal,
          friction,
        })),
      );
    return leastResidual(wanted, points);
  });
  return { times, residuals };

  function centerOf(centers: readonly number[][]): number[] {
    const center = [0, 0, 0];
    bodies.forEach(({ mass: own = 0 }, b) => {
      vec3.addScaled(center, centers[b], own / mass, center);
    });
    return center;
  }

  /** Linear momentum, and angular momentum about the centre of mass, of the motion from one moment to the next. */
  function momentumBetween(before: Float64Array, after: Float64Array): Momentum {
    const [a, b] = [centersOf(before), centersOf(after)];
    const [from, to] = [centerOf(a), centerOf(b)];
    const angular = [0, 0, 0];
    bodies.forEach(({ index, mass: own = 0, inertia = [0, 0, 0, 0, 0, 0] }, k) => {
      const arm = vec3.scale(vec3.add(vec3.subtract(a[k], from), vec3.subtract(b[k], to)), 0.5);
      const velocity = vec3.subtract(vec3.subtract(b[k], to), vec3.subtract(a[k], from));
      vec3.addScaled(angular, vec3.cross(arm, velocity), own / step, angular);
      const [r, s] = [before, after].map((world) => world.subarray(12 * index, 12 * index + 9));
      // In the axes of the bone half way: a turn by w has w as its axis in both.
      const turn = rotationVectorFromMatrix(mat3.multiply(mat3.transpose(r), s), undefined, [0, 0, 0]);
      const [xx, yy, zz, xy, xz, yz] = inertia;
      const own3 = mat3.multiplyVector([xx, xy, xz, xy, yy, yz, xz, yz, zz], turn);
      const halfWay = vec3.scale(vec3.add(mat3.multiplyVector(r, own3), mat3.multiplyVector(s, own3)), 0.5);
      vec3.addScaled(angular, halfWay, 1 / step, angular);
    });
    return { linear: vec3.scale(vec3.subtract(to, from), mass / step), angular };
  }
}

interface Momentum {
  readonly linear: readonly number[];
  readonly angular: readonly number[];
}

/** A point with a contact force: its arm about the centre of mass, in levers. */
interface ForcePoint {
  readonly arm: readonly number[];
  readonly normal: readonly number[];
  readonly friction: number;
}

/** Arm at which a torque counts as a force, in heights. */
const LEVER = 1 / 3;

/** |wanted - sum of (f, arm x f)| at the best forces f in their cones: accelerated projected gradient. */
function leastResidual(wanted: Float64Array, points: readonly ForcePoint[]): number {
  const size = points.length;
  const forces = points.map(() => [0, 0, 0]);
  let ahead = points.map(() => [0, 0, 0]);
  // Largest squared singular value: at most the sum over the points.
  const bound = points.reduce((sum, { arm }) => sum + 1 + vec3.dot(arm, arm), 0);
  const left = new Float64Array(6);
  const residualOf = (at: readonly number[][]): number => {
    left.set(wanted);
    for (let p = 0; p < size; p++) {
      const torque = vec3.cross(points[p].arm, at[p]);
      for (let k = 0; k < 3; k++) {
        left[k] -= at[p][k];
        left[3 + k] -= torque[k];
      }
    }
    return Math.hypot(...left);
  };
  let best = residualOf(forces);
  let t = 1;
  for (let n = 0; n < ITERATIONS && size > 0; n++) {
    residualOf(ahead);
    const [force, torque] = [Array.from(left.subarray(0, 3)), Array.from(left.subarray(3))];
    const after = points.map((point, p) =>
      inCone(point, vec3.addScaled(ahead[p], vec3.add(force, vec3.cross(torque, point.arm)), 1 / bound)),
    );
    const residual = residualOf(after);
    const isWorse = residual > best;
    const following = isWorse ? 1 : 0.5 * (1 + Math.sqrt(1 + 4 * t * t));
    const momentum = isWorse ? 0 : (t - 1) / following;
    ahead = after.map((f, p) => vec3.addScaled(f, vec3.subtract(f, forces[p]), momentum));
    after.forEach((f, p) => {
      forces[p] = f;
    });
    t = following;
    best = Math.min(best, residual);
  }
  return best;
}

/** The nearest force in the friction cone. */
function inCone({ normal, friction }: ForcePoint, force: number[]): number[] {
  const along = vec3.dot(force, normal);
  const tangent = vec3.addScaled(force, normal, -along);
  const size = vec3.norm(tangent);
  if (size <= friction * along) return force;
  if (friction * size <= -along) return [0, 0, 0];
  const onto = (along + friction * size) / (1 + friction * friction);
  return vec3.addScaled(vec3.scale(normal, onto), tangent, (friction * onto) / size);
}

function pointOf(world: Float64Array, bone: number, point: Vec3 | readonly number[]): number[] {
  const o = 12 * bone;
  return [0, 1, 2].map(
    (k) =>
      world[o + 3 * k] * point[0] +
      world[o + 3 * k + 1] * point[1] +
      world[o + 3 * k + 2] * point[2] +
      world[o + 9 + k],
  );
}

/** Extent along up at rest, of origins and tips. */
function heightOf(figure: Figure): number {
  const state = createState(figure);
  forwardKinematics(state, new Float64Array(figure.dof));
  const heights = figure.bones.flatMap(({ index, tip }) =>
    [[0, 0, 0], ...(tip ? [tip] : [])].map((point) =>
      vec3.dot(pointOf(state.worldFromBone, index, point), figure.up),
    ),
  );
  return Math.max(...heights) - Math.min(...heights) || 1;
}
