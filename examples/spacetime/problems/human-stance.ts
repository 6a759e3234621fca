import { createPose, createState, type Figure, forwardKinematics, type Triple } from 'poise/figure';
import { createIk, type Goal, solveIk } from 'poise/ik';

/** Forward lean of the trunk, rad. */
const LEAN = 0.2;

/**
 * A standing pose of the built-in human: soles flat, knees bent, centre of mass over the middle of its feet, arms down.
 *
 * @param crouch - Lowering of the hips relative to the rest pose, m.
 */
export function standingPose(figure: Figure, crouch = 0.08): Float64Array {
  const state = createState(figure);
  const pose = createPose(figure);
  forwardKinematics(state, pose);
  const at = (name: string): Triple => {
    const o = 12 * indexOf(figure, name) + 9;
    return [state.worldFromBone[o], state.worldFromBone[o + 1], state.worldFromBone[o + 2]];
  };
  const guess = pose.slice();
  for (const side of ['left', 'right']) {
    guess[coordinateOf(figure, `${side}UpperArm`) + 1] = -1.15;
    guess[coordinateOf(figure, `${side}LowerArm`)] = 0.35;
    guess[coordinateOf(figure, `${side}UpperLeg`)] = 0.4;
    guess[coordinateOf(figure, `${side}LowerLeg`)] = 0.8;
    guess[coordinateOf(figure, `${side}Foot`)] = 0.4;
  }
  const goals: Goal[] = [
    ...['leftFoot', 'rightFoot'].flatMap((bone): Goal[] => [
      { type: 'position', bone, target: at(bone) },
      { type: 'orientation', bone, target: [0, 0, 0, 1] },
    ]),
    { type: 'position', bone: 'hips', target: [0, at('hips')[1] - crouch, 0], mask: [0, 1, 0] },
    { type: 'orientation', bone: 'upperChest', target: [Math.sin(LEAN / 2), 0, 0, Math.cos(LEAN / 2)] },
    { type: 'center-of-mass', target: [0, 1, 0.05], mask: [1, 0, 1] },
    { type: 'posture', reference: guess, priority: 2 },
  ];
  const found = guess.slice();
  solveIk(createIk(figure, goals), found);
  return found;
}

export function indexOf(figure: Figure, name: string): number {
  return figure.bones.findIndex((bone) => bone.name === name);
}

export function coordinateOf(figure: Figure, name: string): number {
  return figure.bones[indexOf(figure, name)].coordinate;
}
