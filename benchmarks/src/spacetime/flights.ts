/** A second of flight of the built-in human, solved with as many knot intervals as are asked for. */
import { boneIndex, type Figure } from 'poise/figure';
import { createMotion, linearCurve } from 'poise/motion';
import type { SpacetimeData, SpacetimeTerm } from 'poise/spacetime';

function poseOf(figure: Figure, values: Readonly<Record<string, readonly number[]>>): Float64Array {
  const pose = new Float64Array(figure.dof);
  for (const [name, numbers] of Object.entries(values)) {
    pose.set(numbers, figure.bones[boneIndex(figure, name)].coordinate);
  }
  return pose;
}

const COST_TERMS: readonly SpacetimeTerm[] = [
  { type: 'pose', at: 0 },
  { type: 'pose', at: 1 },
  { type: 'effort', weight: 1e-3 },
  { type: 'smoothness', weight: 1e-3 },
];

/**
 * A somersault of 3.6 rad with a twist, from tucked to open, in a second; without `physics` only the cost and the two poses.
 *
 * @param figure - `createHumanFigure()`.
 */
export function somersault(figure: Figure, intervals: number, physics: boolean): SpacetimeData {
  const tucked = poseOf(figure, {
    hips: [0, 1, 0, 0, 0, 0],
    spine: [0.4, 0.05, 0],
    chest: [0.2, 0, 0.05],
    leftUpperLeg: [1.8, 0.1, 0],
    rightUpperLeg: [1.8, 0.1, 0],
    leftLowerLeg: [2],
    rightLowerLeg: [2],
    leftUpperArm: [0.9, -0.7, 0],
    rightUpperArm: [0.6, -0.9, 0],
    leftLowerArm: [1.2],
    rightLowerArm: [1.2],
  });
  const open = poseOf(figure, {
    hips: [0.1, 0.9, 0.4, -3.6, 0.2, 0],
    spine: [-0.05, -0.05, 0.05],
    chest: [-0.05, 0, 0.1],
    leftUpperLeg: [0.9, 0, 0.1],
    rightUpperLeg: [0.2, 0.2, 0],
    leftLowerLeg: [1.2],
    rightLowerLeg: [0.2],
    leftUpperArm: [0.3, 0.4, 0],
    rightUpperArm: [0.2, -0.9, 0],
    leftLowerArm: [0.4],
    rightLowerArm: [0.9],
  });
  const reference = createMotion(figure, {
    tracks: [{ coordinate: 0, curve: linearCurve({ times: [0, 1], values: [...tucked, ...open] }) }],
  });
  const terms = physics ? [...COST_TERMS, { type: 'physics' } as const] : COST_TERMS;
  return { duration: 1, intervals, reference, terms };
}
