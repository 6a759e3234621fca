import {
  clampToLimits,
  createFigure,
  createPose,
  createState,
  type Figure,
  forwardKinematics,
  type JointData,
  type LimitData,
  limitViolation,
} from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import type { PositionGoal } from 'poise/ik';
import { createTwoBone, solveTwoBone, type TwoBone } from 'poise/ik';
import { Quaternion, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import { randomQuat, randomTriple, testRandom } from '../../support/random-figure.js';

const KNEES: readonly (readonly [string, JointData])[] = [
  ['hinge', { type: 'hinge', axis: [0.6, 0, 0.8] }],
  ['ball', { type: 'ball' }],
];

interface Setup {
  readonly figure: Figure;
  readonly limb: TwoBone;
  readonly target: number[];
}

function limbOf(
  knee: JointData,
  limits: { readonly shoulder?: LimitData; readonly knee?: LimitData } = {},
  seed = 4,
  shoulder: JointData = { type: 'ball' },
): Setup {
  const random = testRandom(seed);
  const figure = createFigure({
    bones: [
      {
        name: 'trunk',
        parent: null,
        rest: { position: [0.1, 1, -0.2], rotation: randomQuat(random) },
        joint: { type: 'ball' },
      },
      {
        name: 'upper',
        parent: 'trunk',
        rest: { position: randomTriple(random), rotation: randomQuat(random) },
        joint: shoulder,
        ...(limits.shoulder ? { limit: limits.shoulder } : {}),
      },
      {
        name: 'lower',
        parent: 'upper',
        rest: { position: [0.05, -0.4, 0.02], rotation: randomQuat(random) },
        joint: knee,
        ...(limits.knee ? { limit: limits.knee } : {}),
      },
      { name: 'end', parent: 'lower', rest: { position: [0.03, 0.35, 0.1] }, joint: { type: 'ball' } },
    ],
  });
  const target = [0, 0, 0];
  const limb = createTwoBone(figure, { type: 'position', bone: 'end', target, tolerance: 1e-9 });
  if (limb.family === undefined) throw new Error(limb.reason);
  return { figure, limb, target };
}

function place(figure: Figure, pose: ArrayLike<number>, bone: string): number[] {
  const state = createState(figure);
  forwardKinematics(state, pose);
  const o = 12 * figure.bones.findIndex(({ name }) => name === bone) + 9;
  return Array.from(state.worldFromBone.subarray(o, o + 3));
}

function randomPose(figure: Figure, random: () => number, size = 1.5): Float64Array {
  return createPose(figure).map(() => size * (2 * random() - 1));
}

const miss = (a: readonly number[], b: readonly number[]): number => Math.hypot(...a.map((x, k) => x - b[k]));

describe.each(KNEES)('two bones with a %s knee', (name, knee) => {
  it('reaches reachable targets to 1e-12 from any pose, both knee solutions', () => {
    const { figure, limb, target } = limbOf(knee);
    const random = testRandom(7);
    let ways = 0;
    for (let n = 0; n < 400; n++) {
      const there = randomPose(figure, random);
      const pose = randomPose(figure, random);
      pose.set(there.subarray(0, 3));
      place(figure, there, 'end').forEach((x, k) => {
        target[k] = x;
      });
      const result = solveTwoBone(limb, pose);
      expect(result.status).toBe('converged');
      expect(result.iterations).toBe(0);
      ways += result.solutions.length;
      for (const solution of result.solutions) {
        const at = Float64Array.from(pose);
        at.set(solution, 3);
        expect(miss(place(figure, at, 'end'), target), `${name} ${n}`).toBeLessThan(1e-12);
      }
      expect(Array.from(pose.subarray(3, 3 + result.solutions[0].length))).toEqual(result.solutions[0]);
      expect(Array.from(pose.subarray(0, 3))).toEqual(Array.from(there.subarray(0, 3)));
    }
    expect(ways).toBe(800);
  });

  it('keeps a pose that is a solution', () => {
    const { figure, limb, target } = limbOf(knee);
    const random = testRandom(8);
    for (let n = 0; n < 50; n++) {
      const pose = randomPose(figure, random);
      place(figure, pose, 'end').forEach((x, k) => {
        target[k] = x;
      });
      const before = Array.from(pose);
      solveTwoBone(limb, pose);
      expect(miss(Array.from(pose), before)).toBeLessThan(1e-7);
    }
  });

  it('takes the knee solution with the least rotation of the joints, by relative rotations, from far charts too', () => {
    const { figure, limb, target } = limbOf(knee);
    const random = testRandom(14);
    const rotationOf = (pose: Float64Array, at: number, count: number): Quaternion => {
      if (count === 1) return new Quaternion().setFromAxisAngle(new Vector3(0.6, 0, 0.8), pose[at]);
      const v = new Vector3(pose[at], pose[at + 1], pose[at + 2]);
      const angle = v.length();
      return new Quaternion().setFromAxisAngle(v.normalize(), angle);
    };
    for (let n = 0; n < 300; n++) {
      const pose = randomPose(figure, random, 3);
      const start = pose.slice();
      const there = randomPose(figure, random).map((x, k) => (k < 3 ? pose[k] : x));
      place(figure, there, 'end').forEach((x, k) => {
        target[k] = x;
      });
      const { solutions } = solveTwoBone(limb, pose);
      const changes = solutions.map((solution) => {
        const at = Float64Array.from(start);
        at.set(solution, 3);
        const shoulder = rotationOf(start, 3, 3).angleTo(rotationOf(at, 3, 3));
        const bend =
          name === 'hinge' ? at[6] - start[6] : rotationOf(start, 6, 3).angleTo(rotationOf(at, 6, 3));
        return shoulder ** 2 + bend ** 2;
      });
      expect(solutions).toHaveLength(2);
      expect(changes[0], `${n}`).toBeLessThan(changes[1] + 1e-9);
    }
  });

  it('turns the knee towards a pole: in the plane of shoulder, target and pole, on the side of the pole', () => {
    const { figure, limb, target } = limbOf(knee);
    const random = testRandom(9);
    for (let n = 0; n < 100; n++) {
      const pose = randomPose(figure, random);
      place(
        figure,
        randomPose(figure, random).map((x, k) => (k < 3 ? pose[k] : x)),
        'end',
      ).forEach((x, k) => {
        target[k] = x;
      });
      const pole = Array.from(randomTriple(random, 2));
      expect(solveTwoBone(limb, pose, { pole }).status).toBe('converged');
      const shoulder = place(figure, pose, 'upper');
      const line = unit(minus(target, shoulder));
      const across = (p: readonly number[]): number[] => {
        const d = minus(p, shoulder);
        const along = dot(d, line);
        return d.map((x, k) => x - along * line[k]);
      };
      expect(dot(unit(across(place(figure, pose, 'lower'))), unit(across(pole)))).toBeGreaterThan(1 - 1e-10);
    }
  });

  it('rotates by the swivel about the line from the shoulder to the target', () => {
    const { figure, limb, target } = limbOf(knee);
    const start = createPose(figure);
    start.set([0.1, 0.2, 0.3, 0.4, -0.5, 0.2, 0.8]);
    target.splice(
      0,
      3,
      ...place(
        figure,
        Float64Array.from(start, (x, k) => (k < 3 ? x : x + 0.3)),
        'end',
      ),
    );
    const [plain, rotated] = [0, 0.7].map((swivel) => {
      const pose = Float64Array.from(start);
      solveTwoBone(limb, pose, { swivel });
      return place(figure, pose, 'lower');
    });
    const shoulder = place(figure, start, 'upper');
    const line = unit(minus(target, shoulder));
    const [a, b] = [plain, rotated].map((p) => minus(p, shoulder));
    const angle = Math.atan2(dot(line, crossed(a, b)), dot(a, b) - dot(a, line) * dot(b, line));
    expect(angle).toBeCloseTo(0.7, 12);
  });

  it('leaves out solutions outside the limits', () => {
    const bent: LimitData =
      name === 'hinge' ? { type: 'interval', min: 0, max: 2.5 } : { type: 'angle', max: 1.2 };
    const { figure, limb, target } = limbOf(knee, { knee: bent, shoulder: { type: 'angle', max: 2 } });
    const random = testRandom(10);
    let forbidden = 0;
    for (let n = 0; n < 100; n++) {
      const there = randomPose(figure, random, 1);
      const pose = createPose(figure);
      pose.set(there.subarray(0, 3));
      place(figure, there, 'end').forEach((x, k) => {
        target[k] = x;
      });
      const result = solveTwoBone(limb, pose);
      expect(limitViolation(figure, pose)).toBe(0);
      forbidden += result.forbidden;
      for (const solution of result.solutions) {
        const at = Float64Array.from(pose);
        at.set(solution, 3);
        expect(limitViolation(figure, at)).toBe(0);
        expect(miss(place(figure, at, 'end'), target)).toBeLessThan(1e-11);
      }
    }
    expect(forbidden).toBeGreaterThan(20);
  });

  it('bends a straight limb', () => {
    const { figure, limb, target } = limbOf({ ...knee });
    const pose = createPose(figure);
    const shoulder = place(figure, pose, 'upper');
    const end = place(figure, pose, 'end');
    end.forEach((x, k) => {
      target[k] = shoulder[k] + 0.8 * (x - shoulder[k]);
    });
    expect(solveTwoBone(limb, pose).status).toBe('converged');
    expect(miss(place(figure, pose, 'end'), target)).toBeLessThan(1e-12);
  });

  it('hands a target beyond the limb to solveIk, which stretches towards it', () => {
    const { figure, limb, target } = limbOf(knee);
    target.splice(0, 3, 9, 8, 7);
    const pose = createPose(figure);
    const result = solveTwoBone(limb, pose);
    expect(result.solutions).toEqual([]);
    expect(['out-of-reach', 'limit-blocked']).toContain(result.status);
    const [shoulder, end] = [place(figure, pose, 'upper'), place(figure, pose, 'end')];
    expect(dot(unit(minus(end, shoulder)), unit(minus(target, shoulder)))).toBeGreaterThan(0.99);
  });

  it('stays finite with the target at the shoulder', () => {
    const { figure, limb, target } = limbOf(knee);
    const pose = createPose(figure);
    target.splice(0, 3, ...place(figure, pose, 'upper'));
    solveTwoBone(limb, pose);
    expect(pose.every(Number.isFinite)).toBe(true);
  });
});

describe('which limbs are two bones', () => {
  it('takes a shoulder of swing and twist', () => {
    const { figure, limb, target } = limbOf(KNEES[0][1], {}, 6, { type: 'ball-and-socket', axis: [0, 1, 0] });
    const random = testRandom(12);
    for (let n = 0; n < 100; n++) {
      const pose = randomPose(figure, random);
      place(
        figure,
        randomPose(figure, random).map((x, k) => (k < 3 ? pose[k] : x)),
        'end',
      ).forEach((x, k) => {
        target[k] = x;
      });
      expect(solveTwoBone(limb, pose).status).toBe('converged');
      expect(miss(place(figure, pose, 'end'), target)).toBeLessThan(1e-12);
    }
  });

  it('gives the reason for others', () => {
    const reasonOf = (
      joints: readonly JointData[],
      end: readonly number[],
      target?: PositionGoal['target'],
    ): unknown => {
      const figure = createFigure({
        bones: joints.map((joint, k) => ({
          name: `b${k}`,
          parent: k === 0 ? null : `b${k - 1}`,
          rest: { position: [0, 1, 0] },
          joint,
        })),
      });
      const goal = { bone: `b${joints.length - 1}`, point: end, target: target ?? [0, 0, 0] };
      const made = createTwoBone(figure, { type: 'position', ...goal });
      return made.family === undefined ? made.reason : made.family;
    };
    const ball: JointData = { type: 'ball' };
    const hinge: JointData = { type: 'hinge', axis: [1, 0, 0] };
    const slider: JointData = { type: 'slider', axis: [1, 0, 0] };
    expect(reasonOf([ball, hinge], [0, 1, 0])).toBe('two-bone');
    expect(reasonOf([hinge], [0, 1, 0])).toBe("'b0' is not the end of two bones");
    expect(reasonOf([hinge, hinge], [0, 1, 0])).toBe("joint 'b0' is no ball");
    expect(reasonOf([ball, slider], [0, 1, 0])).toBe("joint 'b1' is neither hinge nor ball");
    expect(reasonOf([ball, hinge, slider], [0, 0, 0])).toBe("joint 'b2' slides");
    expect(reasonOf([ball, hinge], [0, 1, 0], { bone: 'b0' })).toBe('the target is carried by a bone');
  });

  it('throws what solveIk throws', () => {
    const { figure, limb, target } = limbOf(KNEES[1][1]);
    target[0] = Number.NaN;
    expect(() => solveTwoBone(limb, createPose(figure))).toThrow(/target/);
    target[0] = 0;
    expect(() => solveTwoBone(limb, new Float64Array(2))).toThrow(/pose/);
  });

  it.each(['leftHand', 'rightHand', 'leftFoot', 'rightFoot'])(
    'brings the %s of the built-in figure to its place',
    (bone) => {
      const figure = createHumanFigure();
      const target = [0, 0, 0];
      const limb = createTwoBone(figure, { type: 'position', bone, target, tolerance: 1e-9 });
      if (limb.family === undefined) throw new Error(limb.reason);
      const random = testRandom(13);
      let closed = 0;
      for (let n = 0; n < 50; n++) {
        const there = createPose(figure);
        for (const b of [limb.upper, limb.lower]) {
          for (let i = figure.coordinateStart[b]; i < figure.coordinateStart[b + 1]; i++)
            there[i] = random() - 0.5;
        }
        clampToLimits(figure, there);
        place(figure, there, bone).forEach((x, k) => {
          target[k] = x;
        });
        const pose = createPose(figure);
        const { status, solutions } = solveTwoBone(limb, pose);
        expect(limitViolation(figure, pose)).toBe(0);
        if (solutions.length === 0) continue;
        closed++;
        expect(status).toBe('converged');
        expect(miss(place(figure, pose, bone), target)).toBeLessThan(1e-11);
      }
      expect(closed).toBeGreaterThan(25);
    },
  );
});

function minus(a: readonly number[], b: readonly number[]): number[] {
  return a.map((x, k) => x - b[k]);
}
function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, x, k) => sum + x * b[k], 0);
}
function unit(a: readonly number[]): number[] {
  const n = Math.hypot(...a);
  return a.map((x) => x / n);
}
function crossed([a, b, c]: readonly number[], [x, y, z]: readonly number[]): number[] {
  return [b * z - c * y, c * x - a * z, a * y - b * x];
}
