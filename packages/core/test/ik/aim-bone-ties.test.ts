import { type DomainError, PoiseError } from 'poise';
import {
  boneIndex,
  clampToLimits,
  createFigure,
  createPose,
  createState,
  type Figure,
  type FigureState,
  forwardKinematics,
  type JointData,
  type LimitData,
  limitViolation,
  poseBoneFromLocalTransform,
} from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import { type AimBoneOptions, aimBoneAt, pointsAtInObject } from 'poise/ik';
import { quat, rigid, vec3 } from 'poise/math';
import { describe, expect, it } from 'vitest';
import { randomTriple, testRandom } from '../support/random-figure.js';

type Vector = readonly number[];

const single = (joint: JointData, limit?: LimitData): Figure =>
  createFigure({ bones: [{ name: 'bone', joint, ...(limit && { limit }) }] });

function at(figure: Figure, pose: Float64Array): FigureState {
  const state = createState(figure);
  forwardKinematics(state, pose);
  return state;
}

const far = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Math.hypot(...Array.from(a, (x, k) => x - b[k]));
const unit = (v: Vector): number[] => v.map((x) => x / Math.hypot(...v));

/** Joints of three coordinates whose roll is free within limits. */
const rolling: readonly (readonly [string, JointData, LimitData | undefined])[] = [
  ['ball', { type: 'ball' }, undefined],
  ['ball, limited', { type: 'ball' }, { type: 'angle', max: 2 }],
  ['ball-and-socket', { type: 'ball-and-socket', axis: [1, 2, -1] }, undefined],
  [
    'ball-and-socket, twist limited',
    { type: 'ball-and-socket', axis: [1, 2, -1] },
    { type: 'swing-twist', twist: { min: -0.7, max: 0.4 } },
  ],
  [
    'ball-and-socket, all limited',
    { type: 'ball-and-socket', axis: [1, 2, -1] },
    {
      type: 'swing-twist',
      swing: { type: 'quad-ellipse', s: [-0.8, 1.5], t: [-1, 2] },
      twist: { min: -1.7, max: 1.4 },
    },
  ],
  ['euler', { type: 'euler', order: 'ZXY' }, undefined],
  [
    'euler, boxed',
    { type: 'euler', order: 'YXZ' },
    { type: 'box', min: [-1.4, -1, -1.2], max: [1, 1.2, 1.5] },
  ],
  [
    'euler, half open',
    { type: 'euler', order: 'XYX' },
    { type: 'box', min: [-1, null, 0.2], max: [null, 1.5, 3] },
  ],
];

const UP = { axis: [0.3, 1, -0.2], direction: [0.2, 1, 0.1] } as const;

/**
 * The least secondary objective over all rotations that aim, by brute force: the roll about the aimed axis in steps, and in smaller
 * ones about each least of its neighbours and each end of what is allowed, each rotation read into the joint and asked for its
 * limits. Infinite where none is allowed.
 */
function minOverRolls(
  figure: Figure,
  before: Float64Array,
  axis: Vector,
  target: Vector,
  second: (rotation: Vector) => number,
): number {
  const state = at(figure, before);
  const now = quat.fromMatrix(state.worldFromBone);
  const aimed = quat.multiply(now, pointsAtInObject(state, 0, axis, target));
  const steps = 1000;
  const step = (2 * Math.PI) / steps;
  /** Of a roll; infinite where it is not allowed. */
  const valueAt = (angle: number): number => {
    const rotation = quat.toMatrix(quat.multiply(aimed, quat.fromAxisAngle(unit(axis), angle)));
    const pose = poseBoneFromLocalTransform(state, 0, [...rotation, 0, 0, 0], before.slice());
    if (limitViolation(figure, pose) > 1e-9) return Number.POSITIVE_INFINITY;
    forwardKinematics(state, pose);
    const isRead = far(state.worldFromBone.subarray(0, 9), rotation) < 1e-9;
    return isRead ? second(rotation) : Number.POSITIVE_INFINITY;
  };
  const coarse = Array.from({ length: steps }, (_, n) => valueAt(n * step));
  let min = Math.min(...coarse);
  coarse.forEach((value, n) => {
    const sides = [coarse.at(n - 1) as number, coarse[(n + 1) % steps]];
    const isLeast = Number.isFinite(value) && sides.every((side) => value <= side);
    const isEnd = Number.isFinite(value) && sides.some((side) => !Number.isFinite(side));
    if (!isLeast && !isEnd) return;
    for (let k = -50; k <= 50; k++) min = Math.min(min, valueAt(n * step + (k * step) / 50));
  });
  return min;
}

describe('of the coordinates that aim, aimBoneAt takes', () => {
  for (const [title, joint, limit] of rolling) {
    for (const options of [{}, { up: UP }] as readonly AimBoneOptions[]) {
      const { up } = options;
      it(`${title}: ${up ? 'the nearest up axis' : 'the least rotation of the bone'}, over all rolls`, () => {
        const random = testRandom(7);
        const figure = single(joint, limit);
        let met = 0;
        for (let n = 0; n < 40; n++) {
          const pose = Float64Array.from(randomTriple(random, 1.5));
          clampToLimits(figure, pose);
          const before = pose.slice();
          const state = at(figure, pose);
          const from = state.worldFromBone.slice();
          const axis = randomTriple(random);
          const target = randomTriple(random, 2);
          const second = (rotation: ArrayLike<number>): number =>
            up
              ? vec3.distance(
                  unit(
                    [0, 1, 2].map((r) =>
                      vec3.dot(
                        [0, 1, 2].map((c) => rotation[3 * r + c]),
                        up.axis,
                      ),
                    ),
                  ),
                  unit(Array.from(up.direction ?? [0, 1, 0])),
                )
              : far(Array.from(rotation).slice(0, 9), from.slice(0, 9));
          const { angle } = aimBoneAt(state, pose, 0, axis, target, options);
          const min = minOverRolls(figure, before, axis, target, second);
          if (angle > 1e-12) {
            expect(min, `${n}`).toBe(Number.POSITIVE_INFINITY);
            continue;
          }
          met++;
          expect(second(state.worldFromBone), `${n}`).toBeLessThanOrEqual(min + 1e-9);
          const settled = pose.slice();
          aimBoneAt(state, pose, 0, axis, target, options);
          expect(pose).toEqual(settled);
        }
        expect(met).toBeGreaterThan(8);
      });
    }
  }

  it('with up and out of reach: the same angle as without, and again the same bits', () => {
    const random = testRandom(8);
    for (const [title, joint, limit] of rolling) {
      const figure = single(joint, limit);
      for (let n = 0; n < 60; n++) {
        const start = Float64Array.from(randomTriple(random, 1.5));
        clampToLimits(figure, start);
        const axis =
          n % 3 === 0 && 'axis' in joint ? joint.axis : n % 3 === 1 ? [0, 0, 1] : randomTriple(random);
        const target = randomTriple(random, 2);
        const [plain, upright] = [{}, { up: UP }].map((options) => {
          const pose = start.slice();
          const state = at(figure, pose);
          const { angle } = aimBoneAt(state, pose, 0, axis, target, options);
          expect(limitViolation(figure, pose)).toBe(0);
          const settled = pose.slice();
          aimBoneAt(state, pose, 0, axis, target, options);
          expect(pose, title).toEqual(settled);
          return angle;
        });
        expect(Math.abs(upright - plain), title).toBeLessThan(2e-12);
      }
    }
  });

  it('the current twist, to the bit, where the limb itself aims; the swing may be blocked or not', () => {
    const random = testRandom(29);
    const swing = { type: 'quad-ellipse', s: [-0.3, 0.8], t: [-0.5, 0.2] } as const;
    for (const limit of [
      undefined,
      { type: 'swing-twist', swing, twist: { min: -1, max: 1 } } as const,
      { type: 'swing-twist', twist: { min: 0.69, max: 0.71 } } as const,
    ]) {
      const figure = single({ type: 'ball-and-socket', axis: [1, 2, 2] }, limit);
      const pose = Float64Array.of(0.1, 0.1, 0.7);
      const state = at(figure, pose);
      for (let n = 0; n < 50; n++) {
        aimBoneAt(state, pose, 0, [1, 2, 2], randomTriple(random));
        expect(pose[2]).toBe(0.7);
      }
    }
  });

  it('the current last Euler angle where its axis is the aimed one: yaw and pitch, no roll', () => {
    const random = testRandom(31);
    for (const limit of [undefined, { type: 'box', min: [-1, -0.6, -0.3], max: [1, 0.6, 0.3] } as const]) {
      const figure = single({ type: 'euler', order: 'YXZ' }, limit);
      const pose = Float64Array.of(0.1, 0.1, 0.2);
      const state = at(figure, pose);
      for (let n = 0; n < 50; n++) {
        aimBoneAt(state, pose, 0, [0, 0, 1], randomTriple(random));
        expect(pose[2]).toBe(0.2);
      }
    }
  });

  it('with up, its best twist where the twist has no effect on the aim: a blocked limb still rolls upright', () => {
    const cone = { type: 'cone', halfAngle: 0.5 } as const;
    const figure = single(
      { type: 'ball-and-socket', axis: [0, 0, 1] },
      { type: 'swing-twist', swing: cone, twist: { min: -1, max: 1 } },
    );
    const pose = Float64Array.of(0.2, 0.1, 0.9);
    const state = at(figure, pose);
    const up = { axis: [0, 1, 0] };
    const { angle, limited } = aimBoneAt(state, pose, 0, [0, 0, 1], [3, 0, 1], { up });
    expect(limited).toBe(true);
    expect(angle).toBeCloseTo(Math.atan2(3, 1) - 0.5, 13);
    // Turned about the vertical: up stays up.
    expect(pose[2]).toBeCloseTo(0, 13);
    expect(state.worldFromBone[4]).toBeCloseTo(1, 13);
  });

  it('the multiple of 2 pi nearest to the current angle of a hinge, within its interval', () => {
    const range = { type: 'interval', min: -7, max: 8 } as const;
    const cases: [start: number, limit: LimitData | undefined, end: number][] = [
      [13, undefined, 4 * Math.PI + 0.5],
      [-6, undefined, 0.5 - 2 * Math.PI],
      [7.5, range, 2 * Math.PI + 0.5],
      // The nearest, 0.5 - 2 pi, is allowed; from 2.9 it is 0.5; below -7 nothing is.
      [-6.5, range, 0.5 - 2 * Math.PI],
      [2.9, range, 0.5],
      // The nearest turn up is over the end: the one before.
      [4.5, { type: 'interval', min: 0, max: 6 }, 0.5],
    ];
    for (const [start, limit, end] of cases) {
      const figure = single({ type: 'hinge', axis: [0, 0, 1] }, limit);
      const pose = Float64Array.of(start);
      aimBoneAt(at(figure, pose), pose, 0, [1, 0, 0], [Math.cos(0.5), Math.sin(0.5), 0.3]);
      expect(pose[0]).toBeCloseTo(end, 14);
    }
  });

  it('of two equivalent bounds of a hinge, the nearer', () => {
    const figure = single({ type: 'hinge', axis: [0, 0, 1] }, { type: 'interval', min: -1, max: 1 });
    const end = (start: number, angle: number): number => {
      const pose = Float64Array.of(start);
      const state = at(figure, pose);
      expect(aimBoneAt(state, pose, 0, [1, 0, 0], [Math.cos(angle), Math.sin(angle), 0]).limited).toBe(true);
      return pose[0];
    };
    expect(end(0.9, Math.PI + 0.1)).toBe(-1);
    expect(end(-0.9, Math.PI - 0.1)).toBe(1);
    expect(end(0.2, -Math.PI)).toBe(1);
    expect(end(-0.2, -Math.PI)).toBe(-1);
  });
});

describe('aimBoneAt in the known cases', () => {
  it('a hinge leaves the difference of the polar angles, at any multiple of 2 pi', () => {
    const random = testRandom(5);
    for (let n = 0; n < 200; n++) {
      const axis = randomTriple(random);
      const figure = single({ type: 'hinge', axis });
      const pose = Float64Array.of(20 * (2 * random() - 1));
      const before = pose[0];
      const pointer = randomTriple(random);
      const target = randomTriple(random, 2);
      const { angle, limited, activeLimits } = aimBoneAt(at(figure, pose), pose, 0, pointer, target);
      const height = (v: Vector): number =>
        Math.asin(vec3.dot(v, axis) / Math.hypot(...v) / Math.hypot(...axis));
      expect(angle).toBeCloseTo(Math.abs(height(pointer) - height(target)), 12);
      expect(limited).toBe(false);
      expect(activeLimits).toEqual([]);
      expect(Math.abs(pose[0] - before)).toBeLessThanOrEqual(Math.PI + 1e-12);
    }
  });

  it('an axis along its hinge cannot be aimed: the pose is unchanged, no limit is active', () => {
    for (const target of [
      [0, 0, 1],
      [1, 2, 3],
      [0, 0, -1],
    ]) {
      const figure = single({ type: 'hinge', axis: [0, 0, 1] }, { type: 'interval', min: -1, max: 1 });
      const pose = Float64Array.of(0.3);
      const result = aimBoneAt(at(figure, pose), pose, 0, [0, 0, 2], target);
      expect(result.angle).toBeCloseTo(Math.acos(target[2] / Math.hypot(...target)), 14);
      expect(result.limited).toBe(false);
      expect(result.activeLimits).toEqual([]);
      expect(pose[0]).toBe(0.3);
    }
  });

  it('straight behind: every joint goes as far as it can, deterministically, and reports its active limits', () => {
    const cone = { type: 'quad-ellipse', s: [-0.3, 0.8], t: [-0.5, 0.2] } as const;
    const cases: [JointData, LimitData, number, string][] = [
      [{ type: 'ball' }, { type: 'angle', max: 0.7 }, Math.PI - 0.7, 'angle'],
      [{ type: 'swing', axis: [0, 0, 1] }, { type: 'cone', halfAngle: 0.7 }, Math.PI - 0.7, 'swing'],
      [
        { type: 'swing', axis: [0, 0, 1] },
        { type: 'ellipse', halfAngles: [0.4, 0.9] },
        Math.PI - 0.9,
        'swing',
      ],
      [{ type: 'hinge', axis: [0, 1, 0] }, { type: 'interval', min: -0.5, max: 0.8 }, Math.PI - 0.8, 'angle'],
      [
        { type: 'ball-and-socket', axis: [0, 0, 1] },
        { type: 'swing-twist', swing: cone, twist: { min: -0.1, max: 0.1 } },
        Math.PI - 0.8,
        'swing',
      ],
      [
        { type: 'euler', order: 'YZX' },
        { type: 'box', min: [-0.5, -0.1, 0], max: [0.8, 0.1, 0] },
        Math.PI - 0.8,
        'angle',
      ],
    ];
    for (const [joint, limit, best, role] of cases) {
      const figure = single(joint, limit);
      const ends = [0, 1].map(() => {
        const pose = createPose(figure);
        const state = at(figure, pose);
        const result = aimBoneAt(state, pose, 0, [0, 0, 1], [0, 0, -2]);
        expect(result.angle, joint.type).toBeCloseTo(best, 12);
        expect(result.limited).toBe(true);
        expect(result.activeLimits.map((active) => active.role)).toEqual([role]);
        // The angle falls one for one with the limit: f = angle^2 / 2 falls by the angle.
        expect(result.activeLimits[0].multiplier).toBeCloseTo(best, 9);
        return pose;
      });
      expect(ends[0]).toEqual(ends[1]);
    }
  });

  it('multipliers are the decrease of f = angle^2 / 2 per unit of the limit', () => {
    const random = testRandom(41);
    const h = 1e-5;
    /** Joints whose limits can be widened by h, one after another, along their normals. */
    const widened: [JointData, (by: readonly number[]) => LimitData, parts: number][] = [
      [{ type: 'ball' }, ([a]) => ({ type: 'angle', max: 0.6 + a }), 1],
      [{ type: 'swing', axis: [1, 2, 3] }, ([a]) => ({ type: 'cone', halfAngle: 0.6 + a }), 1],
      [
        { type: 'ball-and-socket', axis: [1, 2, 3] },
        ([a, b, c]) => ({
          type: 'swing-twist',
          swing: { type: 'cone', halfAngle: 0.4 + a },
          twist: { min: -0.3 - b, max: 0.2 + c },
        }),
        3,
      ],
      [
        { type: 'euler', order: 'XZY' },
        ([a, b, c, d, e, f]) => ({
          type: 'box',
          min: [-0.4 - a, -0.3 - b, -0.2 - c],
          max: [0.3 + d, 0.2 + e, 0.4 + f],
        }),
        6,
      ],
    ];
    const seen = new Set<string>();
    for (const [joint, limitBy, parts] of widened) {
      const none = new Array<number>(parts).fill(0);
      for (let n = 0; n < 30; n++) {
        const axis = randomTriple(random);
        const target = randomTriple(random);
        const f = (by: readonly number[]): number => {
          const figure = single(joint, limitBy(by));
          const pose = createPose(figure);
          return aimBoneAt(at(figure, pose), pose, 0, axis, target).angle ** 2 / 2;
        };
        const figure = single(joint, limitBy(none));
        const pose = createPose(figure);
        const { activeLimits, limited } = aimBoneAt(at(figure, pose), pose, 0, axis, target);
        if (!limited) expect(activeLimits).toEqual([]);
        const fall = none.map((_, k) => {
          const wider = none.map((_, m) => (m === k ? h : 0));
          const narrower = none.map((_, m) => (m === k ? -h : 0));
          return (f(narrower) - f(wider)) / (2 * h);
        });
        const total = activeLimits.reduce((sum, { multiplier }) => sum + multiplier, 0);
        expect(total, `${joint.type} ${n}`).toBeCloseTo(
          fall.reduce((a, b) => a + b, 0),
          5,
        );
        for (const { role } of activeLimits) seen.add(`${joint.type} ${role}`);
      }
    }
    expect([...seen].sort()).toEqual([
      'ball angle',
      'ball-and-socket swing',
      'ball-and-socket twist',
      'euler angle',
      'swing swing',
    ]);
  });

  it('the head of the human, target behind: blocked, with active limits, and without drift', () => {
    const figure = createHumanFigure();
    for (const target of [
      [0, 1.6, -3],
      [2, 1.2, -3],
      [-1, 4, -1],
      [0.5, 0, -0.4],
    ]) {
      const pose = createPose(figure);
      const state = at(figure, pose);
      const first = aimBoneAt(state, pose, 'head', [0, 0, 1], target);
      expect(first.limited).toBe(true);
      expect(first.activeLimits.length).toBeGreaterThan(0);
      expect(first.activeLimits[0].bone).toBe('head');
      expect(limitViolation(figure, pose)).toBe(0);
      const settled = pose.slice();
      for (let frame = 0; frame < 5; frame++) aimBoneAt(state, pose, 'head', [0, 0, 1], target);
      expect(pose).toEqual(settled);
    }
  });

  it('follows a target in steps as small as its own, within the limits and beyond them', () => {
    const figure = createHumanFigure();
    const { coordinate, dof } = figure.bones[boneIndex(figure, 'head')];
    // Angles from straight ahead: where the head turns after the target; where the limits hold it.
    for (const [from, to] of [
      [-0.5, 0.5],
      [0.7, 1.9],
      [-1.9, -0.7],
    ]) {
      const pose = createPose(figure);
      const state = at(figure, pose);
      let last: Float64Array | undefined;
      for (let frame = 0; frame <= 100; frame++) {
        const around = from + ((to - from) * frame) / 100;
        aimBoneAt(state, pose, 'head', [0, 0, 1], [3 * Math.sin(around), 1.4, 3 * Math.cos(around)]);
        const now = pose.slice(coordinate, coordinate + dof);
        if (last !== undefined) expect(far(now, last)).toBeLessThan((1.3 * (to - from)) / 100);
        last = now;
      }
    }
  });

  it('a free joint rotates without translation, to the bit; from outside its limits it is projected first', () => {
    const figure = single(
      { type: 'free' },
      { type: 'box', min: [-1, null, null, null, null, null], max: [1, null, null, null, null, null] },
    );
    const pose = Float64Array.of(0.3, -0.7, 0.2, 0.5, 0.4, -0.3);
    const state = at(figure, pose);
    const target = [2, 1, -1];
    expect(aimBoneAt(state, pose, 0, [0, 1, 0], target).angle).toBeLessThan(1e-14);
    expect(Array.from(pose.subarray(0, 3))).toEqual([0.3, -0.7, 0.2]);
    pose[0] = 5;
    forwardKinematics(state, pose);
    expect(aimBoneAt(state, pose, 0, [0, 1, 0], target).angle).toBeLessThan(1e-14);
    expect(pose[0]).toBe(1);
    const seen = rigid.inverseTransformPoint(state.worldFromBone, target);
    expect(vec3.distance(unit(seen), [0, 1, 0])).toBeLessThan(1e-14);
  });

  it('tiny limits and large multiples of 2 pi: within the limit, best, and the same bits again', () => {
    const cases: [JointData, LimitData | undefined, number][] = [
      [{ type: 'swing', axis: [1, 2, 3] }, { type: 'ellipse', halfAngles: [1e-9, 2e-9] }, 0],
      [{ type: 'swing', axis: [1, 2, 3] }, { type: 'ellipse', halfAngles: [1e-9, 3] }, 0],
      [
        { type: 'ball-and-socket', axis: [1, 2, 3] },
        { type: 'swing-twist', swing: { type: 'cone', halfAngle: 1e-9 }, twist: { min: 0, max: 0 } },
        0,
      ],
      [{ type: 'ball' }, { type: 'angle', max: 1e-9 }, 0],
      [{ type: 'ball' }, { type: 'angle', max: Math.PI }, 3],
      [{ type: 'swing', axis: [1, 2, 3] }, undefined, 40],
      [{ type: 'ball-and-socket', axis: [1, 2, 3] }, undefined, 40],
      [{ type: 'euler', order: 'ZXY' }, undefined, 1e4],
      [{ type: 'hinge', axis: [1, 2, 3] }, undefined, 1e6],
      [{ type: 'ball' }, undefined, 40],
    ];
    const random = testRandom(3);
    for (const [joint, limit, size] of cases) {
      const figure = single(joint, limit);
      for (let n = 0; n < 20; n++) {
        const pose = Float64Array.from({ length: figure.dof }, () => size * (2 * random() - 1));
        clampToLimits(figure, pose);
        const before = pose.slice();
        const state = at(figure, pose);
        const axis = randomTriple(random);
        const target = randomTriple(random);
        const { angle } = aimBoneAt(state, pose, 0, axis, target);
        expect(limitViolation(figure, pose)).toBe(0);
        if (limit === undefined && figure.dof > 1)
          expect(angle, joint.type).toBeLessThan(1e-15 * size + 1e-14);
        // Whole turns stay.
        if (joint.type === 'hinge' || joint.type === 'euler') expect(far(pose, before)).toBeLessThan(10);
        const settled = pose.slice();
        expect(aimBoneAt(state, pose, 0, axis, target).angle).toBe(angle);
        expect(pose).toEqual(settled);
      }
    }
  });
});

describe('aimBoneAt and mimic joints', () => {
  const axis = [0, 0, 1] as const;
  const hinge = { type: 'hinge', axis } as const;
  const rest = { position: [1, 0, 0] } as const;
  const figure = createFigure({
    bones: [
      { name: 'first', joint: hinge },
      {
        name: 'second',
        parent: 'first',
        joint: hinge,
        rest,
        mimic: { bone: 'first', polynomial: [0, -1] },
      },
      { name: 'tip', parent: 'second', rest },
    ],
  });

  it('aims the source, its mimic joints follow', () => {
    const pose = createPose(figure);
    const state = at(figure, pose);
    expect(aimBoneAt(state, pose, 'first', [1, 0, 0], [0, 3, 0]).angle).toBeLessThan(1e-15);
    expect(pose[0]).toBeCloseTo(Math.PI / 2, 15);
    // The second turns back as far as the first turns.
    expect(Array.from(state.worldFromBone.subarray(12 + 9, 12 + 12))).toEqual(
      [0, 1, 0].map((x) => expect.closeTo(x, 15)),
    );
    expect(state.worldFromBone[12]).toBeCloseTo(1, 15);
  });

  it('refuses a mimic joint, and a target below one', () => {
    const pose = createPose(figure);
    const state = at(figure, pose);
    const refused = (bone: string, target: Vector | { bone: string }) => {
      try {
        aimBoneAt(state, pose, bone, [1, 0, 0], target);
      } catch (error) {
        return (error as PoiseError).code;
      }
      return undefined;
    };
    expect(refused('second', [0, 3, 0])).toBe('immovable-goal');
    const branched = createFigure({
      bones: [
        { name: 'base', joint: hinge, mimic: { bone: 'arm', polynomial: [0, 1] } },
        { name: 'arm', parent: 'base', joint: hinge, rest },
      ],
    });
    expect(() =>
      aimBoneAt(at(branched, createPose(branched)), createPose(branched), 'arm', [1, 0, 0], [0, 3, 0]),
    ).toThrow(expect.objectContaining({ code: 'unsupported', path: 'bone' }));
  });
});

describe('aimBoneAt refuses with code and place, and leaves pose and state', () => {
  const figure = createHumanFigure();
  const nan = Number.NaN;
  const z = [0, 0, 1];
  type Call = [
    bone: string | number,
    axis: Vector,
    target: Vector | { bone: string | number; point?: Vector },
    options?: AimBoneOptions,
  ];
  const calf = boneIndex(figure, 'leftLowerLeg');
  const thigh = figure.bones[boneIndex(figure, 'leftUpperLeg')];
  const cases: [title: string, call: Call, code: string, path: string][] = [
    ['no such bone', ['haed', z, z], 'unknown-name', 'bone'],
    ['no such index', [99, z, z], 'unknown-name', 'bone'],
    ['half an index', [1.5, z, z], 'unknown-name', 'bone'],
    ['no such carrier', ['head', z, { bone: 'haed' }], 'unknown-name', 'target.bone'],
    ['NaN in the target', ['head', z, [0, nan, 0]], 'not-finite', 'target[1]'],
    ['NaN in its point', ['head', z, { bone: calf, point: [nan, 0, 0] }], 'not-finite', 'target.point[0]'],
    ['two numbers', ['head', z, [1, 2]], 'wrong-size', 'target'],
    ['no target', ['head', z, undefined as unknown as Vector], 'wrong-size', 'target'],
    ['NaN in the axis', ['head', [nan, 0, 0], z], 'not-finite', 'axis[0]'],
    ['axis of no length', ['head', [0, 0, 0], z], 'not-unit', 'axis'],
    ['up axis of no length', ['head', z, z, { up: { axis: [0, 0, 0] } }], 'not-unit', 'up.axis'],
    [
      'no up direction',
      ['head', z, z, { up: { axis: z, direction: [0, 0, nan] } }],
      'not-finite',
      'up.direction[2]',
    ],
    ['target that the bone carries', ['leftUpperLeg', z, { bone: 'leftFoot' }], 'immovable-goal', 'bone'],
    [
      'target at the joint',
      ['leftUpperLeg', z, { bone: thigh.parent, point: thigh.rest.position }],
      'out-of-range',
      'target',
    ],
    ['target at the end of the world', ['head', z, [1e308, 1e308, 1e308]], 'out-of-range', 'target'],
  ];
  for (const [title, [bone, axis, target, options], code, path] of cases) {
    it(title, () => {
      const pose = createPose(figure);
      const state = at(figure, pose);
      const before = [pose.slice(), state.worldFromBone.slice()];
      let error: unknown;
      try {
        aimBoneAt(state, pose, bone, axis, target, options);
      } catch (caught) {
        error = caught;
      }
      expect(error).toBeInstanceOf(PoiseError);
      expect((error as DomainError).code).toBe(code);
      expect((error as DomainError).path).toBe(path);
      expect([pose, state.worldFromBone]).toEqual(before);
    });
  }
});
