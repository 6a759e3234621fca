import { createIk, type Goal, solveIk } from 'poise';
import { boneIndex, createPose, type Figure } from 'poise/figure';

/** Joint coordinates at ease, rad, named as in createHumanFigure; the same for both sides. */
const AT_EASE: Readonly<Record<string, readonly number[]>> = {
  // forward, up, lateral rotation
  UpperArm: [0.16, -1.24, 0.1],
  LowerArm: [0.36],
  // flexion, abduction, external rotation
  UpperLeg: [0.1, 0.05, 0.12],
  LowerLeg: [0.14],
  spine: [0.04, 0, 0],
  neck: [0.05, 0, 0],
};

/** A body that stands at ease: arms down, knees soft, both feet flat on the floor. */
export function standingPose(figure: Figure, height: number): Float64Array {
  const pose = createPose(figure);
  for (const bone of figure.bones) {
    const key = bone.name.replace(/^(left|right)/, '');
    pose.set(AT_EASE[key] ?? [], bone.coordinate);
  }
  const hips = figure.bones[boneIndex(figure, 'hips')];
  pose[hips.coordinate + 1] = -0.006 * height;
  const ankle = 0.039 * height;
  const goals = (['left', 'right'] as const).flatMap((side): Goal[] => {
    const sign = side === 'left' ? 1 : -1;
    const angle = 0.12 * sign;
    return [
      {
        type: 'position',
        bone: `${side}Foot`,
        target: [sign * 0.058 * height, ankle, -0.004 * height],
        tolerance: 1e-6,
      },
      {
        type: 'orientation',
        bone: `${side}Foot`,
        target: [0, Math.sin(angle / 2), 0, Math.cos(angle / 2)],
        tolerance: 1e-6,
      },
    ];
  });
  solveIk(createIk(figure, goals, { restarts: 0, locked: ['hips'] }), pose);
  return pose;
}
