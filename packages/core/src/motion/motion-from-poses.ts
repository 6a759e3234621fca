/** Poses at times as a motion. */
import { type FieldsOf, requireFields, requireOneOf } from '../checks.js';
import { MotionError } from '../errors.js';
import type { Bone, Figure } from '../figure/model/figure.js';
import { checkPose } from '../figure/model/pose.js';
import type { Numbers } from '../math/linear/types.js';
import { nearestRotationVector } from '../rotation/rotation-vector/log.js';
import { catmullRomJointCurve } from './curves/joint-curve.js';
import { createMotion, type Motion, type MotionData } from './motion.js';
import { type Curve, checkedTimes, createCurve } from './representation/curve.js';

/** Settings of {@link motionFromPoses}. */
export interface MotionFromPosesOptions extends Pick<MotionData, 'name' | 'outside'> {
  /** `smooth` (default): Catmull-Rom curves, C1. `linear`: for poses close together, as of a simulation. */
  readonly interpolation?: 'smooth' | 'linear';
}

const OPTIONS: FieldsOf<MotionFromPosesOptions> = { name: true, outside: true, interpolation: true };

/**
 * A motion through poses: frames of inverse kinematics, of landmarks or of a simulation as a clip. It passes through every pose. Rotation vectors
 * are continued from pose to pose by the nearest equivalent one, whatever their chart, so that no joint takes the long way around.
 *
 * @param times - s, increasing, at least two.
 * @param poses - One for each time, length `figure.dof`; copied.
 * @throws MotionError `wrong-size` for another number of poses than times, and as {@link createMotion}; FigureError for a bad pose.
 */
export function motionFromPoses(
  figure: Figure,
  times: Numbers,
  poses: readonly Numbers[],
  options: MotionFromPosesOptions = {},
): Motion {
  requireFields(options, OPTIONS, 'options', MotionError);
  const { interpolation = 'smooth', name, outside } = options;
  requireOneOf(interpolation, ['smooth', 'linear'], 'interpolation', MotionError);
  const knots = checkedTimes(times, 'times');
  if (poses.length !== knots.length) {
    throw new MotionError('wrong-size', `has ${poses.length} poses for ${knots.length} times.`, {
      path: 'poses',
      remedy: 'Give one pose for each time.',
    });
  }
  poses.forEach((pose, k) => {
    checkPose(figure, pose, `poses[${k}]`);
  });
  const curveOf = interpolation === 'smooth' ? smoothCurve : linearCurve;
  const tracks = figure.bones
    .filter(({ dof }) => dof > 0)
    .map((bone) => ({ bone: bone.index, curve: curveOf(bone, knots, poses) }));
  return createMotion(figure, {
    base: poses[0],
    tracks,
    ...(name !== undefined && { name }),
    ...(outside !== undefined && { outside }),
  });
}

function smoothCurve(bone: Bone, times: Float64Array, poses: readonly Numbers[]): Curve {
  const { coordinate, dof } = bone;
  const values = new Float64Array(dof * times.length);
  poses.forEach((pose, k) => {
    for (let c = 0; c < dof; c++) values[dof * k + c] = pose[coordinate + c];
  });
  return catmullRomJointCurve(times, values, dof, rotationVectorOf(bone)).curve;
}

/** Each piece ends at the equivalent vector nearest to its start: where a vector changes chart, the next piece starts in the new one. */
function linearCurve(bone: Bone, times: Float64Array, poses: readonly Numbers[]): Curve {
  const { coordinate, dof } = bone;
  const rotation = rotationVectorOf(bone);
  const controls = new Float64Array((times.length - 1) * 2 * dof);
  for (let s = 0; s + 1 < times.length; s++) {
    for (let c = 0; c < dof; c++) {
      controls[2 * s * dof + c] = poses[s][coordinate + c];
      controls[(2 * s + 1) * dof + c] = poses[s + 1][coordinate + c];
    }
    if (rotation < 0) continue;
    const start = controls.subarray(2 * s * dof + rotation, 2 * s * dof + rotation + 3);
    const end = controls.subarray((2 * s + 1) * dof + rotation, (2 * s + 1) * dof + rotation + 3);
    nearestRotationVector(end, start, end);
  }
  return createCurve({ size: dof, degree: 1, knots: times, controls });
}

/** Index of the first component of a joint's rotation vector; -1 without one. */
function rotationVectorOf({ joint, dof }: Bone): number {
  return joint.type === 'ball' || joint.type === 'free' ? dof - 3 : -1;
}
