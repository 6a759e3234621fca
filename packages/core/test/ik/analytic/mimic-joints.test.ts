import { type BoneData, createFigure, createPose, type Figure, figureToData } from 'poise/figure';
import { createAnalyticArm, createTwoBone, solveAnalyticArm, solveTwoBone } from 'poise/ik';
import { describe, expect, it } from 'vitest';
import { testRandom } from '../../support/random-figure.js';
import { positionsOf } from '../fabrik/support.js';
import { aimAt, armOf, missOf, UR5 } from './support-arms.js';

const hinge = { type: 'hinge', axis: [0, 0, 1] } as const;

/** A leg on a trunk hinge; who follows whom is given. */
function leg(couplings: Record<string, string>): Figure {
  const bones: BoneData[] = [
    { name: 'trunk', joint: hinge },
    { name: 'thigh', parent: 'trunk', rest: { position: [0.1, -0.1, 0] }, joint: { type: 'ball' } },
    {
      name: 'shin',
      parent: 'thigh',
      rest: { position: [0, -0.4, 0.02] },
      joint: { ...hinge, axis: [1, 0, 0] },
    },
    { name: 'foot', parent: 'shin', rest: { position: [0, -0.4, 0] }, joint: { ...hinge, axis: [1, 0, 0] } },
    { name: 'tail', parent: 'trunk', rest: { position: [0, 0.2, 0] }, joint: hinge },
  ];
  return createFigure({
    bones: bones.map((bone) =>
      bone.name in couplings
        ? { ...bone, mimic: { bone: couplings[bone.name], polynomial: [0.1, -0.5] } }
        : bone,
    ),
  });
}

describe('closed forms and mimic joints', () => {
  it('two bones: a mimic knee, and a trunk that mimics the knee, have none', () => {
    const goal = { type: 'position', bone: 'foot', target: [0, 0, 0] } as const;
    expect(createTwoBone(leg({ shin: 'tail' }), goal)).toMatchObject({
      reason: "joint 'shin' mimics 'tail'",
    });
    expect(createTwoBone(leg({ trunk: 'shin' }), goal)).toMatchObject({
      reason: "joint 'trunk', which carries it, mimics 'shin'",
    });
  });

  it('two bones: a foot that mimics the knee, and a trunk that mimics another joint, do not matter', () => {
    const random = testRandom(71);
    for (const couplings of [{ foot: 'shin' }, { trunk: 'tail' }] as Record<string, string>[]) {
      const figure = leg(couplings);
      for (let n = 0; n < 50; n++) {
        const there = createPose(figure).map(() => 2 * random() - 1);
        const [target] = [positionsOf(figure, there, [{ bone: 'foot' }])];
        const limb = createTwoBone(figure, { type: 'position', bone: 'foot', target, tolerance: 1e-9 });
        if (limb.family === undefined) throw new Error(limb.reason);
        const pose = createPose(figure);
        // Nothing above the limb moves.
        for (const { name, coordinate, dof } of figure.bones) {
          if (name === 'trunk' || name === 'tail')
            for (let i = 0; i < dof; i++) pose[coordinate + i] = there[coordinate + i];
        }
        const { status, solutions } = solveTwoBone(limb, pose);
        expect(status).toBe('converged');
        expect(solutions).toHaveLength(2);
        const end = positionsOf(figure, pose, [{ bone: 'foot' }]);
        expect(Math.hypot(...end.map((x, k) => x - target[k]))).toBeLessThan(1e-11);
      }
    }
  });

  it('arms: a mimic hinge has none, a mimic gripper does not matter', () => {
    const plain = armOf(UR5);
    const { bones } = figureToData(plain.figure);
    const follows = createFigure({
      bones: bones.map((bone) =>
        bone.name === 'j4' ? { ...bone, mimic: { bone: 'j2', polynomial: [0, -1] } } : bone,
      ),
    });
    expect(createAnalyticArm(follows, plain.position, plain.orientation)).toMatchObject({
      family: undefined,
      reason: "joint 'j4' mimics 'j2'",
    });
    const finger = (name: string): BoneData => ({
      name,
      parent: 'j6',
      rest: { position: [0, 0.02, 0.1] },
      joint: { type: 'slider', axis: [0, 1, 0] },
    });
    const gripper = createFigure({
      bones: [
        ...bones,
        finger('left'),
        { ...finger('right'), mimic: { bone: 'left', polynomial: [0, -1] } },
        { ...finger('light'), joint: hinge, mimic: { bone: 'j1', polynomial: [0, 1] } },
      ],
    });
    const arm = { ...plain, figure: gripper };
    const made = createAnalyticArm(gripper, plain.position, plain.orientation);
    if (made.family === undefined) throw new Error(made.reason);
    const random = testRandom(72);
    for (let n = 0; n < 50; n++) {
      aimAt(
        plain,
        Array.from({ length: 6 }, () => 2 * random() - 1),
      );
      const pose = createPose(gripper);
      const { status, solutions } = solveAnalyticArm(made, pose);
      expect(status).toBe('converged');
      expect(solutions.length).toBeGreaterThan(0);
      expect(missOf({ ...arm, figure: plain.figure }, pose.slice(0, 6))).toBeLessThan(1e-11);
    }
  });
});
