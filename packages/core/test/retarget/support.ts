/** Clips of the built-in human for tests of retargeting. */
import type { Figure } from '../../src/figure/index.js';
import { type Motion, motionFromPoses } from '../../src/motion/index.js';

/** A squat of a second at 30 frames a second: hips down with bent legs, feet in place. @param figure - The built-in human, 1.75 m. */
export function squat(figure: Figure): Motion {
  const of = (bone: string): number => figure.bones.find(({ name }) => name === bone)?.coordinate as number;
  const thigh = 1.75 * (422.2 / 1741);
  const shank = 1.75 * (440.3 / 1741);
  const poses = Array.from({ length: 31 }, (_, f) => {
    const pose = new Float64Array(figure.dof);
    const knee = 0.3 * (1 - Math.cos((2 * Math.PI * f) / 30));
    // The ankle stays below the hip joint, and within its limit.
    const hip = Math.atan2(shank * Math.sin(knee), thigh + shank * Math.cos(knee));
    pose[1] = Math.hypot(shank * Math.sin(knee), thigh + shank * Math.cos(knee)) - thigh - shank;
    for (const side of ['left', 'right']) {
      pose[of(`${side}UpperLeg`)] = hip;
      pose[of(`${side}LowerLeg`)] = knee;
      pose[of(`${side}Foot`)] = knee - hip;
    }
    return pose;
  });
  return motionFromPoses(
    figure,
    poses.map((_, f) => f / 30),
    poses,
    { name: 'squat' },
  );
}
