import { mat3, rigid, vec3 } from 'poise/math';
import { describe, expect, it } from 'vitest';
import {
  createArm,
  LIMB,
  numbersOf,
  onRim,
  spinAround,
  swingTowards,
  withinLimits,
} from '../lesson-ball-and-socket/model.js';
import {
  carryBy,
  chainBetween,
  changeOfBasis,
  createScene,
  FRAMES,
  moveFrame,
  movePoint,
  pointIn,
  rotateFrame,
} from '../lesson-change-of-basis/model.js';
import { type Erratum, errataAt, errorOf, OMEGA } from '../lesson-errata/model.js';
import {
  frameOf as boneFrame,
  firstBones,
  LENGTHS,
  REACH,
  rotationsFrom,
  startPositions,
  TOLERANCE,
  traceFabrik,
} from '../lesson-fabrik/model.js';
import { angleBetween, gimbalAt, oppose, vectorForm } from '../lesson-gimbal-lock/model.js';
import {
  AXIS,
  aimHead,
  bothWays,
  createLamp,
  frameOf,
  LIMIT,
  LOOP_DISTANCE,
  LOOP_RADIUS,
  LOOP_STEPS,
  loopTarget,
  rollOf,
  type Start,
  worldTarget,
} from '../lesson-points-at/model.js';

const DEGREES = Math.PI / 180;
const point = (positions: ArrayLike<number>, n: number): number[] => [
  positions[3 * n],
  positions[3 * n + 1],
  positions[3 * n + 2],
];

describe('the lesson of change of basis', () => {
  it('gives the numbers of the lecture notes', () => {
    const scene = createScene();
    expect(pointIn(scene, 'door')).toEqual([-1, 0, 30]);
    expect(pointIn(scene, 'office').map((x) => Math.round(1e12 * x) / 1e12)).toEqual([-2, -4, -10]);
  });

  it('changes the numbers of a fixed point in the frames that move, and of a carried one in the others', () => {
    const scene = createScene();
    const changed = (change: () => void): string[] => {
      const before = FRAMES.map((frame) => pointIn(scene, frame));
      change();
      return FRAMES.filter((frame, n) => vec3.distance(pointIn(scene, frame), before[n]) > 1e-9);
    };
    expect(changed(() => moveFrame(scene, 'desk', [6, 4, 24]))).toEqual(['desk', 'lamp']);
    expect(changed(() => rotateFrame(scene, 'office', 0.4))).toEqual(['office', 'desk', 'lamp', 'chair']);
    expect(changed(() => movePoint(scene, [2, 0, 20]))).toEqual([...FRAMES]);
    carryBy(scene, 'lamp');
    expect(vec3.distance(pointIn(scene, 'door'), [2, 0, 20])).toBeLessThan(1e-12);
    expect(changed(() => moveFrame(scene, 'desk', [9, 4, 20]))).toEqual(['door', 'office', 'chair']);
    expect(changed(() => moveFrame(scene, 'chair', [4, 4, 20]))).toEqual(['chair']);
    expect(changed(() => rotateFrame(scene, 'office', 1))).toEqual(['door']);
    // A frame goes where it is put.
    expect(
      vec3.distance(
        rigid.toPosition(changeOfBasis(scene, 'office', 'chair')),
        rigid.inverseTransformPoint(
          changeOfBasis(scene, 'door', 'office'),
          rigid.toPosition(changeOfBasis(scene, 'door', 'chair')),
        ),
      ),
    ).toBeLessThan(1e-12);
  });

  it('takes a chain as far as the common parent, and its product is the change of basis', () => {
    expect(chainBetween('chair', 'lamp')).toEqual({ up: ['lamp', 'desk', 'office'], down: ['chair'] });
    expect(chainBetween('door', 'lamp')).toEqual({ up: ['lamp', 'desk', 'office', 'door'], down: [] });
    expect(chainBetween('lamp', 'office')).toEqual({ up: ['office'], down: ['desk', 'lamp'] });
    const scene = createScene();
    const product = rigid.compose(
      rigid.inverse(changeOfBasis(scene, 'office', 'chair')),
      rigid.compose(changeOfBasis(scene, 'office', 'desk'), changeOfBasis(scene, 'desk', 'lamp')),
    );
    expect(
      vec3.norm(product.map((x, n) => x - changeOfBasis(scene, 'chair', 'lamp')[n]).slice(9)),
    ).toBeLessThan(1e-12);
  });
});

describe('the lesson of points-at', () => {
  const pose = Float64Array.of(0.4, -0.3, 0.2, -0.5, 0.1);
  const target = [0.8, 1.4, 0.3];

  it('gives the head the same frame both ways, and shines at the target', () => {
    const lamp = createLamp(false);
    const { world, object, difference } = bothWays(lamp, pose, target);
    expect(difference).toBeLessThan(1e-14);
    expect(world.angle).toBeCloseTo(object.angle, 14);
    expect(vec3.distance(rigid.transformVector(world.frame, AXIS), world.desired)).toBeLessThan(1e-14);
    // The library's closed form within the joint does the same where nothing limits it.
    const aimed = aimHead(lamp, 'previous', pose, target);
    expect(
      Math.max(...frameOf(lamp, aimed.pose, 'head').map((x, n) => Math.abs(x - world.frame[n]))),
    ).toBeLessThan(1e-12);
  });

  it('keeps the numbers in the head when the table carries lamp and target', () => {
    const lamp = createLamp(false);
    const carried = { bone: 'table', point: [0.7, 0.9, 0.5] } as const;
    const rotated = Float64Array.from(pose);
    rotated[0] += 1.3;
    const [before, after] = [pose, rotated].map((at) => bothWays(lamp, at, carried));
    expect(vec3.distance(after.object.target, before.object.target)).toBeLessThan(1e-15);
    expect(vec3.distance(after.world.target, before.world.target)).toBeGreaterThan(0.5);
    expect(vec3.distance(worldTarget(lamp, pose, carried), before.world.target)).toBe(0);
  });

  it('stops at the limit of the joint, and nowhere else', () => {
    const behind = [0, 0.9, -1];
    const { pose: limited, angle } = aimHead(createLamp(true), 'rest', pose, behind);
    expect(Math.hypot(...limited.subarray(2))).toBeCloseTo(LIMIT, 9);
    expect(angle).toBeGreaterThan(0.5);
    expect(aimHead(createLamp(false), 'rest', pose, behind).angle).toBeLessThan(1e-9);
  });

  it('is rolled after a loop by the solid angle that the light has swept, from where it was, and by nothing else', () => {
    const lamp = createLamp(false);
    const rollAfterLoop = (start: Start): number => {
      let at: Float64Array = Float64Array.of(0.4, -0.3, 0, 0, 0);
      const rolls: number[] = [];
      const targets = Array.from({ length: LOOP_STEPS + 1 }, (_, n) => loopTarget(lamp, at, n));
      for (const goal of targets) {
        at = aimHead(lamp, start, at, goal).pose;
        rolls.push(rollOf(frameOf(lamp, at, 'head')));
      }
      return Math.abs(rolls[LOOP_STEPS] - rolls[0]);
    };
    const solidAngle = 2 * Math.PI * (1 - Math.cos(Math.atan2(LOOP_RADIUS, LOOP_DISTANCE)));
    expect(rollAfterLoop('previous')).toBeCloseTo(solidAngle, 2);
    expect(rollAfterLoop('rest')).toBeLessThan(1e-9);
    expect(rollAfterLoop('upright')).toBeLessThan(1e-9);
    expect(Math.abs(rollOf(frameOf(lamp, aimHead(lamp, 'upright', pose, target).pose, 'head')))).toBeLessThan(
      1e-9,
    );
  });
});

describe('the lesson of FABRIK', () => {
  const target = [1.55, 0.75, 0];

  it('moves one joint a step by the formula of the page, and keeps the length of the bone that it came along', () => {
    const { steps, status, distance } = traceFabrik(target);
    expect(status).toBe('converged');
    expect(distance).toBeLessThanOrEqual(TOLERANCE);
    for (const [n, { pass, joint, positions, before }] of steps.entries()) {
      if (pass === 'start') continue;
      const neighbour = pass === 'backward' ? joint + 1 : joint - 1;
      const moved = point(positions, joint);
      if (neighbour < 0) expect(moved).toEqual([0, 0, 0]);
      else if (neighbour > LENGTHS.length) expect(moved).toEqual(target);
      else {
        const c = point(positions, neighbour);
        const d = LENGTHS[Math.min(joint, neighbour)];
        const p = point(before, joint);
        const expected = vec3.addScaled(c, vec3.subtract(p, c), d / vec3.distance(p, c));
        expect(vec3.distance(moved, expected)).toBeLessThan(1e-14);
      }
      // One joint moves a step.
      const last = steps[n - 1].positions;
      const others = LENGTHS.map((_, k) => k).filter((k) => k !== joint);
      for (const k of others) expect(vec3.distance(point(positions, k), point(last, k))).toBeLessThan(1e-14);
    }
  });

  it('is straight where the target is out of reach', () => {
    const { steps, status, distance } = traceFabrik([0, 5, 0]);
    expect(status).toBe('out-of-reach');
    expect(steps.map(({ pass }) => pass)).toEqual(['start', 'straight']);
    expect(distance).toBeCloseTo(5 - REACH, 12);
  });

  it('turns positions into swings without twist, one bone after the other', () => {
    const { steps } = traceFabrik([1.2, 0.8, 0.9]);
    const { positions } = steps[steps.length - 1];
    const rotations = rotationsFrom(positions, [1.2, 0.8, 0.9], 'none', 1);
    expect(rotations.distance).toBeLessThanOrEqual(TOLERANCE);
    for (const [n, length] of LENGTHS.entries()) {
      expect(Math.abs(rotations.pose[3 * n + 2])).toBeLessThan(1e-12);
      const frame = boneFrame(rotations.figure, firstBones(rotations, n + 1), n);
      expect(vec3.distance(rigid.toPosition(frame), point(positions, n))).toBeLessThan(1e-12);
      expect(
        vec3.distance(rigid.transformPoint(frame, [0, length, 0]), point(positions, n + 1)),
      ).toBeLessThan(1e-12);
    }
  });

  it('misses the target with limits applied afterwards, and meets it with limits in both passes', () => {
    const halfAngle = 60 * DEGREES;
    const { steps } = traceFabrik(target);
    const { positions } = steps[steps.length - 1];
    const afterwards = rotationsFrom(positions, target, 'afterwards', halfAngle);
    const inPasses = rotationsFrom(positions, target, 'passes', halfAngle);
    expect(afterwards.distance).toBeGreaterThan(0.1);
    expect(afterwards.atLimit.some(Boolean)).toBe(true);
    expect(inPasses.distance).toBeLessThanOrEqual(TOLERANCE);
    for (const { pose } of [afterwards, inPasses]) {
      for (let n = 0; n < LENGTHS.length; n++)
        expect(Math.hypot(pose[3 * n], pose[3 * n + 1])).toBeLessThanOrEqual(halfAngle * (1 + 1e-12));
    }
    expect(vec3.distance(point(startPositions(), LENGTHS.length), target)).toBeGreaterThan(0.5);
  });
});

describe('the lesson of gimbal lock', () => {
  it('measures the lock as the axes do, in both orders', () => {
    for (const order of ['YXZ', 'YXY'] as const) {
      for (const middle of [-1.2, 0.3, 1, 2.5]) {
        const { axes, determinant, singularValue, rotation, lost } = gimbalAt(order, [0.4, middle, -0.7]);
        const closed = order === 'YXZ' ? Math.cos(middle) : Math.sin(middle);
        expect(determinant).toBeCloseTo(Math.abs(closed), 14);
        expect(Math.abs(vec3.dot(axes[0], vec3.cross(axes[1], axes[2])))).toBeCloseTo(determinant, 14);
        // The least angular velocity of unit rates: sqrt(1 - |a1 . a3|).
        expect(singularValue).toBeCloseTo(Math.sqrt(1 - Math.abs(vec3.dot(axes[0], axes[2]))), 14);
        expect(mat3.determinant(rotation)).toBeCloseTo(1, 14);
        expect(Math.abs(vec3.dot(lost, axes[1]))).toBeLessThan(1e-15);
      }
    }
  });

  it('has no rate for the lost axis in the lock, and fast ones close to it', () => {
    expect(gimbalAt('YXZ', [0.4, Math.PI / 2, 0.2]).rate).toBeUndefined();
    expect(gimbalAt('YXY', [0.4, 0, 0.2]).rate).toBeUndefined();
    const near = gimbalAt('YXZ', [0.4, 89 * DEGREES, 0.2]);
    // Rates -tan and 1/cos of the first and the last angle.
    expect(near.rate).toBeCloseTo(Math.hypot(Math.tan(89 * DEGREES), 1 / Math.cos(89 * DEGREES)), 6);
    const { singularValue, determinant, rate, vector } = vectorForm(near.rotation, near.lost);
    const theta = Math.hypot(...vector);
    expect(determinant).toBeCloseTo((2 * (1 - Math.cos(theta))) / theta ** 2, 12);
    expect(singularValue).toBeGreaterThan(2 / Math.PI - 1e-12);
    expect(rate).toBeLessThan(Math.PI / 2 + 1e-12);
  });

  it('leaves the box where it is in the lock when first and last ring are rotated against each other, and only there', () => {
    for (const [order, middle] of [
      ['YXZ', Math.PI / 2],
      ['YXZ', -Math.PI / 2],
      ['YXY', 0],
    ] as const) {
      const angles = [0.4, middle, -0.7];
      const opposed = oppose(order, angles, 1);
      expect(angleBetween(gimbalAt(order, angles).rotation, gimbalAt(order, opposed).rotation)).toBeLessThan(
        1e-12,
      );
    }
    const away = [0.4, 0.6, -0.7];
    expect(
      angleBetween(gimbalAt('YXZ', away).rotation, gimbalAt('YXZ', oppose('YXZ', away, 1)).rotation),
    ).toBeGreaterThan(0.5);
  });
});

describe('the lesson of the ball-and-socket joint', () => {
  const limits = { a: 100 * DEGREES, b: 55 * DEGREES, twist: 70 * DEGREES };

  it('swings the arm where the hand is, without twist', () => {
    for (const direction of [
      [0.3, -0.8, 0.4],
      [-0.7, 0.2, 0.1],
    ]) {
      const [rs, rt] = swingTowards(direction);
      // The axis is perpendicular to the limb, and the angle that between the two directions.
      const unit = vec3.normalize(direction);
      expect(Math.hypot(rs, rt)).toBeCloseTo(Math.acos(vec3.dot(LIMB, unit)), 12);
      const axis = vec3.normalize(vec3.cross(LIMB, unit));
      expect(vec3.dot(axis, [rs, 0, rt])).toBeCloseTo(Math.hypot(rs, rt), 12);
    }
  });

  it('keeps what is asked for within the limits, and answers what is outside by the nearest point of the ellipse', () => {
    const arm = createArm(limits);
    expect(Array.from(withinLimits(arm, [0.4, -0.3, 0.2]))).toEqual([0.4, -0.3, 0.2]);
    const asked = [1.3, 1.4, 2];
    const pose = withinLimits(arm, asked);
    expect(numbersOf(pose, limits).ellipse).toBeLessThanOrEqual(1);
    expect(numbersOf(pose, limits).ellipse).toBeCloseTo(1, 12);
    expect(pose[2]).toBeCloseTo(limits.twist, 14);
    const distance = Math.hypot(asked[0] - pose[0], asked[1] - pose[1]);
    for (let n = 0; n < 360; n++) {
      const [s, t] = onRim(limits, n / 360);
      expect(Math.hypot(asked[0] - s, asked[1] - t)).toBeGreaterThan(distance - 1e-12);
    }
  });

  it('locks as sin theta / theta, and spins by the solid angle around the rim', () => {
    for (const theta of [0.5, 1.5, 2.9]) {
      expect(numbersOf([0.6 * theta, 0.8 * theta, 0.3], limits).determinant).toBeCloseTo(
        Math.sin(theta) / theta,
        14,
      );
      const round = { a: theta, b: theta, twist: 1 };
      expect(spinAround(round, 1)).toBeCloseTo(-2 * Math.PI * (1 - Math.cos(theta)), 10);
      expect(spinAround(round, 0.25)).toBeCloseTo(-0.5 * Math.PI * (1 - Math.cos(theta)), 10);
    }
    expect(spinAround({ a: Math.PI / 2, b: Math.PI / 2, twist: 1 }, 1)).toBeCloseTo(-2 * Math.PI, 10);
  });
});

describe('the lesson of the errata', () => {
  it('corrects each by a formula that the oracle agrees with, and the printed one does not', () => {
    for (const v of [
      [0.7, -1.1, 0.4],
      [-1.6, 0.9, 1.2],
      [0.3, 0.2, -0.25],
    ]) {
      for (const { number, printed, holds, truth } of errataAt(v)) {
        const corrected = errorOf(holds, truth);
        // The second holds to the order of its series.
        expect(corrected, `erratum ${number} at ${v}`).toBeLessThan(number === 2 ? 1e-5 : 1e-6);
        expect(errorOf(printed, truth), `erratum ${number} at ${v}`).toBeGreaterThan(100 * corrected);
      }
    }
  });

  it('has the numbers of docs/errata.md', () => {
    const at = (v: readonly number[]): Erratum[] => errataAt(v);
    const [first] = at([0.7, -1.1, 0.4]);
    expect(OMEGA).toEqual([0.3, 0.8, -0.5]);
    expect(errorOf(first.printed, first.truth)).toBeCloseTo(0.99, 2);
    const unit = at([1, 0, 0]);
    expect(unit[5].printed[0]).toBeCloseTo(0.002, 12);
    expect(unit[5].holds[0]).toBeCloseTo(2.91, 2);
    expect(unit[7].holds[0] / DEGREES).toBeCloseTo(0.4701, 2);
    expect(at([2, 0, 0])[7].holds[0] / DEGREES).toBeCloseTo(3.241, 1);
    const right = at([0, Math.PI / 2, 0]);
    expect(right[9].holds[0]).toBeCloseTo(-1, 12);
    expect(errorOf([2 / Math.PI], right[6].holds)).toBeLessThan(1e-12);
  });
});
