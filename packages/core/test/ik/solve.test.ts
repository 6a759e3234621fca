import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  boneIndex,
  createFigure,
  createPose,
  createState,
  type Figure,
  forwardKinematics,
  limitShapes,
  limitViolation,
} from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import { createIk, type Goal, type IkResult, solveIk } from 'poise/ik';
import { describe, expect, it } from 'vitest';
import { describeWithData } from '../../../../scripts/test-support/shared-data.js';
import { evaluate } from '../../src/ik/problem/problem.js';
import { outOfReach } from '../../src/ik/solver/reachability.js';
import { stationarityOf } from '../support/objective.js';
import { loadProblemSet } from '../support/problem-sets.js';

function worldPosition(figure: Figure, pose: Float64Array, bone: string): number[] {
  const state = createState(figure);
  forwardKinematics(state, pose);
  const o = 12 * boneIndex(figure, bone) + 9;
  return Array.from(state.worldFromBone.subarray(o, o + 3));
}

describe('the built-in figure, straight arm', () => {
  const figure = createHumanFigure({ height: 1.75 });
  const trunk = ['hips', 'spine', 'chest', 'upperChest'];
  const hand = worldPosition(figure, createPose(figure), 'leftHand');
  const solve = (
    target: number[],
    locked: string[],
  ): { result: IkResult; pose: Float64Array; goals: Goal[] } => {
    const goals: Goal[] = [{ type: 'position', bone: 'leftHand', target }];
    const pose = createPose(figure);
    return { result: solveIk(createIk(figure, goals, { locked }), pose), pose, goals };
  };

  it('reaches a target on its own axis, inside reach', () => {
    for (const inward of [0.01, 0.1, 0.2, 0.3]) {
      const target = [hand[0] - inward, hand[1], hand[2]];
      const { result, pose } = solve(target, trunk);
      expect(result.status).toBe('converged');
      expect(
        Math.hypot(...worldPosition(figure, pose, 'leftHand').map((x, k) => x - target[k])),
      ).toBeLessThan(1e-4);
      expect(limitViolation(figure, pose)).toBe(0);
    }
  });

  it('reaches a target straight behind, on its axis beyond the shoulder', () => {
    const target = [-0.25, hand[1], hand[2]];
    const { result, pose } = solve(target, ['hips']);
    expect(result.status).toBe('converged');
    expect(Math.hypot(...worldPosition(figure, pose, 'leftHand').map((x, k) => x - target[k]))).toBeLessThan(
      1e-4,
    );
    expect(limitViolation(figure, pose)).toBe(0);
  });

  it('reports out-of-reach at the nearest point, the arm stretched towards the target', () => {
    const shoulder = worldPosition(figure, createPose(figure), 'leftUpperArm');
    const length = hand[0] - shoulder[0];
    for (const direction of [
      [1, 0, 0],
      [0.6, 0, 0.8],
      [0.6, -0.64, 0.48],
    ]) {
      const target = shoulder.map((x, k) => x + 1.5 * length * direction[k]);
      const locked = [...trunk, 'leftShoulder'];
      const { result, pose, goals } = solve(target, locked);
      expect(result.status).toBe('out-of-reach');
      expect(result.activeLimits).toEqual([]);
      expect(result.residuals[0].value).toBeCloseTo(0.5 * length, 10);
      expect(stationarityOf(figure, goals, pose, result.lengthScale, locked)).toBeLessThan(1e-8);
    }
  });

  it('works when its root is free', () => {
    const { result } = solve([5, 1, 3], []);
    expect(result.status).toBe('converged');
  });
});

describe('three unit links with swing up to 45 degrees', () => {
  // Links along +Y, target (1, 1.5, 0.5); the best residual is 1 + sqrt 2 - sqrt 3.5.
  it('end limit-blocked at 0.54338 from (1, 1.5, 0.5)', () => {
    const figure = createFigure({
      bones: [0, 1, 2].map((k) => ({
        name: `link${k}`,
        parent: k === 0 ? null : `link${k - 1}`,
        rest: { position: [0, k === 0 ? 0 : 1, 0] as const },
        joint: { type: 'swing' as const, axis: [0, 1, 0] as const },
        limit: { type: 'cone' as const, halfAngle: Math.PI / 4 },
        tip: [0, 1, 0] as const,
      })),
    });
    const goals: Goal[] = [{ type: 'position', bone: 'link2', point: [0, 1, 0], target: [1, 1.5, 0.5] }];
    const pose = createPose(figure);
    const result = solveIk(createIk(figure, goals), pose);
    expect(result.residuals[0].value).toBeCloseTo(1 + Math.SQRT2 - Math.sqrt(3.5), 6);
    expect(result.status).toBe('limit-blocked');
    expect(result.activeLimits.every((limit) => limit.multiplier > 0)).toBe(true);
    expect(limitViolation(figure, pose)).toBe(0);
    expect(stationarityOf(figure, goals, pose, result.lengthScale)).toBeLessThan(1e-8);
  });
});

describe('points-at on one figure (lecture notes on constraints in a scene graph, section 2)', () => {
  it('points the left calf at the right ankle, both chains moving', () => {
    const figure = createHumanFigure();
    const goals: Goal[] = [
      { type: 'points-at', bone: 'leftLowerLeg', axis: [0, -1, 0], target: { bone: 'rightFoot' } },
    ];
    const ik = createIk(figure, goals, { locked: ['hips'] });
    const moving = new Set(
      Array.from(ik.problem.coordinates, (i) => figure.bones[figure.boneOfCoordinate[i]].name),
    );
    expect([...moving].sort()).toEqual(['leftLowerLeg', 'leftUpperLeg', 'rightLowerLeg', 'rightUpperLeg']);
    const pose = createPose(figure);
    expect(solveIk(ik, pose).status).toBe('converged');
    // By hand: the direction from knee to ankle and from left knee to right ankle.
    const state = createState(figure);
    forwardKinematics(state, pose);
    const at = (bone: string): number[] => worldPosition(figure, pose, bone);
    const knee = at('leftLowerLeg');
    const calf = at('leftFoot').map((x, k) => x - knee[k]);
    const sight = at('rightFoot').map((x, k) => x - knee[k]);
    const cosine =
      calf.reduce((sum, x, k) => sum + x * sight[k], 0) / (Math.hypot(...calf) * Math.hypot(...sight));
    expect(cosine).toBeGreaterThan(1 - 1e-8);
    expect(limitViolation(figure, pose)).toBe(0);
  });
});

describe('what the status means', () => {
  const arm = createHumanFigure();
  const handGoal = (weight: number): Goal => ({
    type: 'position',
    bone: 'leftHand',
    target: [0.3, 1.2, 0.4],
    weight,
  });

  it('a common factor of all weights changes nothing, however small or large', () => {
    const plain = createPose(arm);
    const expected = solveIk(createIk(arm, [handGoal(1)], { locked: ['hips'] }), plain);
    for (const weight of [1e-9, 1e-6, 1e6, 1e9]) {
      const pose = createPose(arm);
      expect(solveIk(createIk(arm, [handGoal(weight)], { locked: ['hips'] }), pose)).toEqual(expected);
      expect(pose).toEqual(plain);
      // Nothing done is not stationary, whatever the weight.
      const idle = solveIk(
        createIk(arm, [handGoal(weight)], { maxIterations: 0, restarts: 0 }),
        createPose(arm),
      );
      expect(idle.status).toBe('iteration-limit');
    }
  });

  it('says iteration-limit when it was stopped early, in whichever method', () => {
    const far: Goal[] = [{ type: 'position', bone: 'leftHand', target: [3, 3, 3] }];
    for (const maxIterations of [0, 1, 2, 3, 5]) {
      const result = solveIk(
        createIk(arm, far, { locked: ['hips'], maxIterations, restarts: 0 }),
        createPose(arm),
      );
      expect(result.status).toBe('iteration-limit');
      expect(result.stationarity).toBeGreaterThan(1e-8);
    }
    const enough = solveIk(createIk(arm, far, { locked: ['hips'], restarts: 0 }), createPose(arm));
    expect(enough.status).toBe('limit-blocked');
  });

  it('does not report a target out of reach that an extended locked slider reaches', () => {
    const telescope = createFigure({
      bones: [
        { name: 'base', joint: { type: 'ball' }, limit: { type: 'angle', max: 2.5 } },
        { name: 'tube', parent: 'base', joint: { type: 'slider', axis: [0, 1, 0] } },
        { name: 'tip', parent: 'tube', rest: { position: [0, 0.1, 0] }, joint: { type: 'ball' } },
      ],
    });
    const goals: Goal[] = [{ type: 'position', bone: 'tip', target: [0, 0, 2.1] }];
    const pose = createPose(telescope);
    pose[3] = 2;
    const ik = createIk(telescope, goals, { locked: ['tube'] });
    evaluate(ik.problem, pose);
    expect(outOfReach(ik.problem)).toBe(false);
    expect(solveIk(ik, pose).status).toBe('converged');
    expect(pose[3]).toBe(2);
    pose.fill(0);
    evaluate(ik.problem, pose);
    expect(outOfReach(ik.problem)).toBe(true);
  });

  it('moves locked joints only onto their limits', () => {
    const door = createFigure({
      bones: [
        {
          name: 'door',
          joint: { type: 'hinge', axis: [0, 1, 0] },
          limit: { type: 'interval', min: -0.5, max: 0.5 },
        },
        { name: 'knob', parent: 'door', rest: { position: [1, 0, 0] }, joint: { type: 'ball' } },
      ],
    });
    const goals: Goal[] = [{ type: 'points-at', bone: 'knob', axis: [0, 0, 1], target: [3, 1, 3] }];
    const ik = createIk(door, goals, { locked: ['door'] });
    const pose = createPose(door);
    pose[0] = 0.3;
    expect(solveIk(ik, pose).status).toBe('converged');
    expect(pose[0]).toBe(0.3);
    pose[0] = 1;
    solveIk(ik, pose);
    expect(pose[0]).toBe(0.5);
  });
});

describeWithData('the shared problem sets', 'problems', (folder) => {
  const sets = [
    'chain2',
    'chain10',
    'chain10-lim',
    'chain30',
    'chain100',
    'armspine',
    'armspine-lim',
    'body20',
    'body20-lim',
  ];
  it.each(sets)('%s: every problem solved to 1 mm within limits, with the defaults', (id) => {
    const set = loadProblemSet(readFileSync(join(folder, `${id}.json`), 'utf8'));
    const ik = createIk(set.figure, set.goals);
    for (let n = 0; n < set.count; n++) {
      set.setTarget(n);
      const pose = set.start.slice();
      const result = solveIk(ik, pose);
      expect(result.status, `${id} problem ${n}`).toBe('converged');
      expect(set.worstDistance(n, pose), `${id} problem ${n}`).toBeLessThanOrEqual(1e-3);
      for (const { kind, parameters, coordinate, size } of set.figure.limitComponents) {
        expect(limitShapes[kind].value(parameters, pose, coordinate, size)).toBeLessThanOrEqual(0);
      }
    }
  });
});
