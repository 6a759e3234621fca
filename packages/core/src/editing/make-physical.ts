/** Physically valid motion through keyed poses. */
import { type FieldsOf, requireFields } from '../checks.js';
import { MotionError } from '../errors.js';
import { forwardKinematics } from '../figure/kinematics/forward-kinematics.js';
import { worldPoint } from '../figure/kinematics/points.js';
import type { Figure } from '../figure/model/figure.js';
import { checkPose, limitViolation } from '../figure/model/pose.js';
import { createState } from '../figure/model/state.js';
import * as vec3 from '../math/geometry/vec3.js';
import type { Numbers } from '../math/linear/types.js';
import { createSpacetimeProblem } from '../spacetime/problem.js';
import { createSpacetimeSolver, motionFromSolution, saveSpacetime } from '../spacetime/solve.js';
import { sampleTrajectory } from '../spacetime/trajectory.js';
import type { SpacetimeTerm } from '../spacetime/types/data.js';
import { freeRoots } from './clips/clip-state.js';
import { missedKeys } from './clips/missed-keys.js';
import {
  effortScale,
  intervalsFor,
  PHYSICAL_FIELDS,
  type PhysicalContact,
  type PhysicalMotion,
  type PhysicalOptions,
  physicalTerms,
  solvePhysical,
} from './clips/physical-options.js';
import { splineThrough } from './clips/smooth-clip.js';
import { contactsOf } from './contacts/foot-contacts.js';

/** Keyed poses. */
export interface PoseKeys {
  /** s, strictly increasing, at least two. */
  readonly times: Numbers;
  /** `figure.dof` numbers each. */
  readonly poses: readonly Numbers[];
}

/** Options of {@link makePhysical}. */
export interface MakePhysicalOptions extends PhysicalOptions {
  /** Whether the motion starts and ends at rest. Default: true without a free root, false with one. */
  readonly rest?: boolean;
  /**
   * How keys between the first and the last are enforced. `exact`: joints as keyed, free roots, which follow from the physics, as near as
   * possible. A number: a cost of this weight (per rad^2, m^2) against effort, for roots too. Default: `exact` without a free root, 100
   * with one, where contacts and keys together may overdetermine the motion.
   */
  readonly keys?: 'exact' | number;
  readonly name?: string;
}

/** Result of {@link makePhysical}. */
export interface KeyedMotion extends PhysicalMotion {
  /**
   * Keys from which a bone is more than 0.1 rad or 0.1 m of a person, or where the key is a constraint 0.001, whatever the status: outside the limits,
   * contradictory, too fast, or against the physics. They say which key, which bone and how far.
   */
  readonly warnings: readonly string[];
}

const FIELDS: FieldsOf<MakePhysicalOptions> = { ...PHYSICAL_FIELDS, rest: true, keys: true, name: true };

/** Weight of interior keys for figures with a free root. */
const KEY_WEIGHT = 100;
/**
 * Weight of the root at exact keys, against effort: a centimetre costs as much as supporting the figure by one joint for a tenth of a
 * second.
 */
const ROOT_WEIGHT = 1e3;
/** Weight of squared accelerations against effort: resolves what is otherwise undetermined. */
const SMOOTHNESS_WEIGHT = 1e-5;
/** Weight of squared jerk of free roots, s^2: a ballistic flight has none. */
const JERK_WEIGHT = 1e-6;
/** Limit violation of a key that is rounding, rad or m. */
const ROUNDING = 1e-9;
/** Distance of found contacts from their positions, m, up to which the first and the last key are exact. */
const FIT_TOLERANCE = 1e-6;
/** Relative acceleration weight of free roots: small, so that the cost of a flight is not exactly zero, which has no scale. */
const ROOT_SMOOTHNESS = 1e-4;

/**
 * The motion of least effort through keyed poses, with contacts and torque bounds, free roots moved by gravity and contacts alone (Witkin
 * and Kass 1988). Starts from the C2 spline through the keys.
 *
 * A humanoid's feet that are down in that spline stay down, unless `contacts` are given: `contacts: []` is a flight. Where contacts at the first or the
 * last key have positions that are not those of its pose, as those of feet that slide in between, that key is a cost instead of a constraint. A key outside the limits is kept to as near as they
 * allow, and `warnings` says so: as a constraint it makes the status `infeasible`. Without bounds on torques and further terms that is so after the first guess, the spline through the keys.
 *
 * @throws MotionError for invalid keys; FigureError for poses of another figure or a figure without mass; SpacetimeError for invalid
 * contacts and bounds.
 */
export function makePhysical(figure: Figure, keys: PoseKeys, options: MakePhysicalOptions = {}): KeyedMotion {
  requireFields(options, FIELDS, 'options', MotionError);
  const times = Array.from(keys.times);
  if (times.length < 2 || times.length !== keys.poses.length) {
    throw new MotionError('wrong-size', `has ${times.length} times for ${keys.poses.length} poses.`, {
      path: 'keys',
      remedy: 'Give at least two keys, a pose for each time.',
    });
  }
  keys.poses.forEach((pose, k) => {
    checkPose(figure, pose, `keys.poses[${k}]`);
  });
  const name = options.name ?? 'physical';
  const poses = keys.poses.map((pose) => Float64Array.from(pose));
  const [start] = times;
  const reference = splineThrough(figure, times, poses, name);
  const duration = times[times.length - 1] - start;
  const roots = new Set(freeRoots(figure).map(({ bone }) => bone));
  const joints = figure.bones
    .filter(({ index, dof }) => dof > 0 && !roots.has(index))
    .map(({ name: bone }) => bone);
  const rootNames = figure.bones.filter(({ index }) => roots.has(index)).map(({ name: bone }) => bone);
  const { keys: between = rootNames.length > 0 ? KEY_WEIGHT : 'exact' } = options;
  const contacts = contactsOf(figure, reference, options);
  const isConstraint = times.map((time, k) =>
    k === 0 || k === times.length - 1 ? contactsFit(figure, contacts, time, poses[k]) : between === 'exact',
  );
  const terms: SpacetimeTerm[] = times.flatMap((time, k): SpacetimeTerm[] => {
    const at = k === times.length - 1 ? duration : time - start;
    const pose = poses[k];
    const key = `keys[${k}]`;
    if (k === 0 || k === times.length - 1) {
      return [{ type: 'pose', at, pose, name: key, ...(!isConstraint[k] && { weight: KEY_WEIGHT }) }];
    }
    if (between !== 'exact') return [{ type: 'pose', at, pose, weight: between, name: key }];
    return [
      ...(joints.length > 0 ? [{ type: 'pose', at, pose, bones: joints, name: key } as const] : []),
      ...(rootNames.length > 0
        ? [{ type: 'pose', at, pose, bones: rootNames, weight: ROOT_WEIGHT, name: `${key} root` } as const]
        : []),
    ];
  });
  if (options.rest ?? rootNames.length === 0) {
    terms.push({ type: 'velocity', at: 0 }, { type: 'velocity', at: duration });
  }
  const scale = effortScale(figure, options.gravity);
  const problem = createSpacetimeProblem(figure, {
    duration,
    intervals: intervalsFor(duration, options.rate),
    reference,
    ...(options.locked && { locked: options.locked }),
    ...(options.gravity && { gravity: options.gravity }),
    terms: [
      ...terms,
      ...physicalTerms(figure, start, { ...options, contacts }),
      { type: 'effort', weight: 1 / scale },
      {
        type: 'smoothness',
        weight: SMOOTHNESS_WEIGHT,
        bones: { ...equalWeights(joints, 1), ...equalWeights(rootNames, ROOT_SMOOTHNESS) },
      },
      ...(rootNames.length > 0
        ? [{ type: 'smoothness', order: 3, weight: JERK_WEIGHT, bones: equalWeights(rootNames, 1) } as const]
        : []),
    ],
  });
  // Other guesses are for what bounds on torques ask for, such as swing-ups: keys outside the limits, or that contradict each other, do so near all of them.
  const isOutside = poses.some((pose, k) => isConstraint[k] && limitViolation(figure, pose) > ROUNDING);
  const hasOneGuess = isOutside || (options.torques === undefined && options.terms === undefined);
  const solution = solvePhysical(problem, {
    ...(hasOneGuess && { start: saveSpacetime(createSpacetimeSolver(problem)) }),
    ...options,
  });
  const poseAt = (time: number): Float64Array =>
    sampleTrajectory(solution.trajectory, Math.min(time - start, duration)).pose;
  return {
    motion: motionFromSolution(solution, name),
    solution,
    contacts,
    warnings: missedKeys(figure, times, poses, poseAt, (k, bone) => {
      const isEnd = k === 0 || k === times.length - 1;
      return isConstraint[k] && (isEnd || !roots.has(bone));
    }),
  };
}

/** Whether the contacts at a time are at the positions that they have, in a pose. Feet that slide between the first and the last key are not. */
function contactsFit(
  figure: Figure,
  contacts: readonly PhysicalContact[],
  time: number,
  pose: Float64Array,
): boolean {
  const state = createState(figure);
  forwardKinematics(state, pose);
  return contacts
    .filter(({ over: [from, to] }) => from <= time && time <= to)
    .every(({ bone, points, positions }) =>
      points.every((point, k) => {
        if (typeof positions !== 'object') return true;
        return vec3.distance(worldPoint(state, bone, point), positions[k]) < FIT_TOLERANCE;
      }),
    );
}

function equalWeights(names: readonly string[], weight: number): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, weight]));
}
