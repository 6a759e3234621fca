/** Smoothing of a clip, so that accelerations and forces are meaningful. */
import { MotionError } from '../../errors.js';
import type { Figure } from '../../figure/model/figure.js';
import { rotationVectors } from '../../figure/model/regularize.js';
import type { Vec3 } from '../../math/linear/types.js';
import { cubicSpline } from '../../motion/curves/cubic-spline.js';
import { createMotion, type Motion } from '../../motion/motion.js';
import { createMotionSampler, samplePose } from '../../motion/sampler.js';
import { nearestRotationVector } from '../../rotation/rotation-vector/log.js';

/** Largest angle of a rotation vector, rad: a margin inside the shell at 2 pi. */
const MAX_ANGLE = 1.75 * Math.PI;

/** The C2 cubic spline through poses; rotation vectors continue on the nearest branch. @throws MotionError */
export function splineThrough(
  figure: Figure,
  times: readonly number[],
  poses: readonly Float64Array[],
  name: string,
): Motion {
  const vectors = rotationVectors(figure);
  const values = new Float64Array(times.length * figure.dof);
  poses.forEach((pose, k) => {
    const own = values.subarray(k * figure.dof, (k + 1) * figure.dof);
    own.set(pose);
    for (const i of vectors) {
      const v = own.subarray(i, i + 3);
      if (k > 0) {
        const before = values.subarray((k - 1) * figure.dof + i, (k - 1) * figure.dof + i + 3);
        nearestRotationVector(triple(v), triple(before), v);
      }
      if (Math.hypot(v[0], v[1], v[2]) <= MAX_ANGLE) continue;
      const { name: bone } = figure.bones[figure.boneOfCoordinate[i]];
      throw new MotionError('singular', `rotates '${bone}' by nearly 2 pi from rest at ${times[k]} s.`, {
        path: `motion '${name}'`,
        remedy: 'Cut the clip where it has rotated by pi, or rotate the figure back.',
      });
    }
  });
  return createMotion(figure, {
    name,
    tracks: [{ coordinate: 0, curve: cubicSpline({ times, values }) }],
  });
}

/** The C2 spline through samples of the clip no farther apart than `step`, starting at time 0. */
export function smoothClip(figure: Figure, motion: Motion, step: number): Motion {
  const length = motion.end - motion.start;
  const count = Math.max(2, Math.ceil(length / step - 1e-9));
  const sampler = createMotionSampler(figure, motion);
  const times = Array.from({ length: count + 1 }, (_, k) => (length * k) / count);
  const poses = times.map((time) => samplePose(sampler, motion.start + time, new Float64Array(figure.dof)));
  return splineThrough(figure, times, poses, motion.name);
}

function triple(v: Vec3): [number, number, number] {
  return [v[0], v[1], v[2]];
}
