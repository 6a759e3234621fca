/** Keyed poses become a motion that physics allows. */
import { MotionError } from '../errors.js';
import type { Figure } from '../figure/model/figure.js';
import { checkPose } from '../figure/model/pose.js';
import type { Numbers } from '../math/linear/types.js';
import { createSpacetimeProblem } from '../spacetime/problem.js';
import { motionFromSolution, solveSpacetime } from '../spacetime/solve.js';
import type { SpacetimeTerm } from '../spacetime/types/data.js';
import { freeRoots } from './clips/clip-state.js';
import {
  effortScale,
  intervalsFor,
  PHYSICAL_TOLERANCE,
  type PhysicalMotion,
  type PhysicalOptions,
  physicalTerms,
} from './clips/physical-options.js';
import { splineThrough } from './clips/smooth-clip.js';

/** Poses at moments. */
export interface PoseKeys {
  /** s, strictly increasing, two at least. */
  readonly times: Numbers;
  /** `figure.dof` numbers each. */
  readonly poses: readonly Numbers[];
}

/** What {@link makePhysical} may be told. */
export interface MakePhysicalOptions extends PhysicalOptions {
  /** Whether the motion begins and ends at rest. Default: true without a free root, false with one. */
  readonly rest?: boolean;
  /**
   * What keys between the first and the last ask for. `hold`: every joint as keyed, free roots, whose way physics decides, as near as may be. A
   * number: a wish of this weight (per rad^2, m^2) against effort, for roots too. Default: `hold` without a free root, 100 with one, for contacts and
   * keys together may be more than there is to choose.
   */
  readonly keys?: 'hold' | number;
  readonly name?: string;
}

/** Of a miss of a key between others, for figures that stand or fly. */
const KEYED = 100;
/** Of a root's miss at a key, against effort: a centimetre as much as a tenth of a second of holding the figure up by one joint. */
const ROOT = 1e3;
/** Accelerations, against effort: enough to say what nothing else says. */
const SMOOTH = 1e-5;
/** Of free roots it is the jerk that counts, s^2: a fall has none. */
const JERK = 1e-6;
/** Their accelerations count next to nothing: enough that the cost of a fall is not zero, which nothing can be measured against. */
const LEAST = 1e-4;

/**
 * "Make it physical": the motion of least effort through keyed poses, with contacts and bounds on torques, free roots moved by gravity and contacts alone
 * (Witkin and Kass 1988). It begins from the C2 spline through the keys.
 *
 * @throws MotionError for keys that are none; FigureError for poses of another figure or a figure without mass; SpacetimeError for contacts and bounds.
 */
export function makePhysical(
  figure: Figure,
  keys: PoseKeys,
  options: MakePhysicalOptions = {},
): PhysicalMotion {
  const times = Array.from(keys.times);
  if (times.length < 2 || times.length !== keys.poses.length) {
    throw new MotionError('wrong-size', `has ${times.length} moments for ${keys.poses.length} poses.`, {
      path: 'keys',
      remedy: 'Give two keys at least, a pose for each moment.',
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
  const { keys: between = rootNames.length > 0 ? KEYED : 'hold' } = options;
  const terms: SpacetimeTerm[] = times.flatMap((time, k): SpacetimeTerm[] => {
    const at = k === times.length - 1 ? duration : time - start;
    const pose = poses[k];
    const key = `keys[${k}]`;
    if (k === 0 || k === times.length - 1) return [{ type: 'pose', at, pose, name: key }];
    if (between !== 'hold') return [{ type: 'pose', at, pose, weight: between, name: key }];
    return [
      ...(joints.length > 0 ? [{ type: 'pose', at, pose, bones: joints, name: key } as const] : []),
      ...(rootNames.length > 0
        ? [{ type: 'pose', at, pose, bones: rootNames, weight: ROOT, name: `${key} root` } as const]
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
      ...physicalTerms(figure, start, options),
      { type: 'effort', weight: 1 / scale },
      { type: 'smoothness', weight: SMOOTH, bones: { ...shares(joints, 1), ...shares(rootNames, LEAST) } },
      ...(rootNames.length > 0
        ? [{ type: 'smoothness', order: 3, weight: JERK, bones: shares(rootNames, 1) } as const]
        : []),
    ],
  });
  const solution = solveSpacetime(problem, {
    tolerance: PHYSICAL_TOLERANCE,
    ...options,
  });
  return { motion: motionFromSolution(solution, name), solution };
}

function shares(names: readonly string[], share: number): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, share]));
}
