import { FigureError } from '../errors.js';
import type { BoneData } from '../figure/data/types.js';
import { originOf, restOf } from '../figure/kinematics/rest-pose.js';
import { createFigure, type Figure, figureToData } from '../figure/model/figure.js';
import * as vec3 from '../math/geometry/vec3.js';
import { fingerJoints } from './anatomy/finger-limits.js';
import { anatomicalJoint, fittingLimit, humanJoints, LOOSE_LIMIT } from './anatomy/joint-limits.js';
import { segmentAxesOf } from './anatomy/segment-axes.js';
import { type FindHumanoidOptions, requireHumanoid } from './find-humanoid.js';
import { createHumanFigure } from './human.js';

/**
 * Gives a character the joint limits of a human: the figure with the same bones, in which
 *
 * - a ball of a human bone is the joint of the built-in human there (a hinge for elbows and knees, swing and twist elsewhere) with its
 *   range of motion, in the bone's own axes and relative to the figure's rest pose, which is within all limits;
 * - a joint of another type has a limit of its type that contains that range;
 * - a ball between human bones (twist bones, a fourth spine bone) is fixed: its neighbours have the range of the whole;
 * - a ball of a finger is a knuckle (swing and twist) or a hinge with its range of motion, about axes found from the palm;
 * - other balls below human bones (hair, tails, the base of a thumb) have an angle of at most 60 degrees;
 * - the hips and all above, and joints that have a limit, are as given.
 *
 * Its joints have other coordinates, so its poses are not poses of `figure`; a clip is read into it by `poseFromLocalTransforms`, or by
 * the reader of its file.
 *
 * @param options - As of `findHumanoid`: the human bones by VRM name, where they are not recognised.
 * @throws FigureError `unsupported` for a figure that is not a humanoid; those of `findHumanoid`.
 */
export function withAnatomicalLimits(figure: Figure, options: FindHumanoidOptions = {}): Figure {
  if (!Array.isArray((figure as Partial<Figure> | undefined)?.bones)) {
    throw new FigureError('unsupported', 'is not a figure.', {
      path: 'figure',
      remedy: 'Pass the function itself, withAnatomicalLimits without parentheses, or a figure.',
    });
  }
  const humanoid = requireHumanoid(
    figure,
    options,
    'is not a humanoid: hips, a spine, two arms and two legs were not found.',
    "Name its bones in `options.bones`, { hips: 'Pelvis', leftUpperLeg: ... }, or give its joints limits of their own.",
  );
  const human = createHumanFigure();
  const rest = restOf(figure);
  const hips = originOf(rest, humanoid.bones.hips as number);
  const size = Math.max(...figure.bones.map(({ index }) => vec3.distance(originOf(rest, index), hips)));
  const segments = new Map(
    segmentAxesOf(rest, humanoid, human, size).map((segment) => [segment.bone, segment]),
  );
  const { isAbove, isBelow } = neighboursOf(figure, segments);
  const joints = humanJoints(human);
  const fingers = fingerJoints(rest, humanoid.bones);
  const changed = (bone: BoneData, index: number): BoneData => {
    const { joint = { type: 'fixed' } } = bone;
    if (bone.limit !== undefined || bone.mimic !== undefined) return bone;
    const segment = segments.get(index);
    if (segment === undefined) {
      if (joint.type !== 'ball' || !isBelow[index]) return bone;
      const finger = fingers.get(index);
      if (finger) return { ...bone, ...finger };
      return isAbove[index] ? { ...bone, joint: { type: 'fixed' } } : { ...bone, limit: LOOSE_LIMIT };
    }
    const reference = joints.get(segment.human);
    if (joint.type === 'ball') return { ...bone, ...anatomicalJoint(reference, segment) };
    const limit = fittingLimit(reference, joint, segment);
    return limit ? { ...bone, limit } : bone;
  };
  const data = figureToData(figure);
  return createFigure({ ...data, bones: data.bones.map(changed) });
}

/** Which bones have one of `chosen` below them, and above. */
function neighboursOf(
  { parents }: Figure,
  chosen: ReadonlyMap<number, unknown>,
): { readonly isAbove: readonly boolean[]; readonly isBelow: readonly boolean[] } {
  const isAbove = new Array<boolean>(parents.length).fill(false);
  const isBelow = new Array<boolean>(parents.length).fill(false);
  // Parents come first.
  parents.forEach((parent, b) => {
    isBelow[b] = parent >= 0 && (chosen.has(parent) || isBelow[parent]);
  });
  for (let b = parents.length - 1; b >= 0; b--) {
    if (parents[b] >= 0 && (chosen.has(b) || isAbove[b])) isAbove[parents[b]] = true;
  }
  return { isAbove, isBelow };
}
