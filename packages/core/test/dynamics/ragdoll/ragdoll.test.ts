import { threadTime } from '@poise/test-support/thread-time';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createCollider, createContacts, findContacts } from '../../../src/dynamics/collide/index.js';
import { createDynamics, createRagdoll, forwardDynamics, type Ragdoll } from '../../../src/dynamics/index.js';
import { PoiseError } from '../../../src/errors.js';
import { createFigure, type Figure, figureToData } from '../../../src/figure/index.js';
import { createHumanFigure } from '../../../src/humanoid/index.js';
import { diagonalize } from '../../../src/math/linear/symmetric-eigen.js';
import { randomFigure, randomPose, testRandom } from '../../support/random-figure.js';
import { marksOf, plainHuman, restFrames, rotatedFrames } from './support.js';

/** P. de Leva (1996), table 4, men: mass, % of the body; centre from the proximal end, % of the length (the head's from the vertex). */
const DE_LEVA = {
  'head and neck': { mass: 6.94, bones: ['neck', 'head'] },
  trunk: { mass: 43.46, bones: ['hips', 'spine', 'chest', 'upperChest'] },
  'upper part of trunk': { mass: 15.96, bones: ['chest', 'upperChest'] },
  'middle part of trunk': { mass: 16.33, bones: ['spine'] },
  'lower part of trunk': { mass: 11.17, bones: ['hips'] },
  'upper arm': { mass: 2.71, center: 57.72, bones: ['leftUpperArm'] },
  forearm: { mass: 1.62, center: 45.74, bones: ['leftLowerArm'] },
  hand: { mass: 0.61, center: 36.24, bones: ['leftHand'] },
  thigh: { mass: 14.16, center: 40.95, bones: ['leftUpperLeg'] },
  shank: { mass: 4.33, center: 43.95, bones: ['leftLowerLeg'] },
  foot: { mass: 1.37, bones: ['leftFoot', 'leftToes'] },
} as const;

function massOf({ figure }: Ragdoll, names: readonly string[]): number {
  return figure.bones.filter(({ name }) => names.includes(name)).reduce((sum, { mass = 0 }) => sum + mass, 0);
}

function sum(figure: Figure): number {
  return figure.bones.reduce((total, { mass = 0 }) => total + mass, 0);
}

/** Principal moments, ascending. */
function moments(inertia: readonly number[]): number[] {
  const [xx, yy, zz, xy, xz, yz] = inertia;
  const m = [xx, xy, xz, xy, yy, yz, xz, yz, zz];
  diagonalize(m, 3, new Array(9).fill(0));
  return [m[0], m[4], m[8]].sort((a, b) => a - b);
}

/** Contacts of a ragdoll with itself at rest. */
function ownContacts(ragdoll: Ragdoll): number {
  const { figure, shapes, exclude } = ragdoll;
  const collider = createCollider(figure, shapes, [], { exclude });
  return findContacts(collider, restFrames(figure), 0, createContacts(512)).count;
}

describe('masses', () => {
  test.each(Object.entries(DE_LEVA))('%s as de Leva has it', (_, segment) => {
    for (const figure of [createHumanFigure(), plainHuman()]) {
      const ragdoll = createRagdoll(figure, { mass: 80 });
      // Clavicles have no mass in the tables: as bones with a joint they take 2 % each of the upper chest.
      const shoulders = segment.bones.some((name) => name === 'upperChest')
        ? ['leftShoulder', 'rightShoulder']
        : [];
      const percent = (100 * massOf(ragdoll, [...segment.bones, ...shoulders])) / 80;
      // The table's percentages add up to 99.99.
      expect(percent).toBeCloseTo(segment.mass / 0.9999, 2);
      if (!('center' in segment)) continue;
      const bone = ragdoll.figure.bones.find(({ name }) => name === segment.bones[0]);
      const { tip = [0, 0, 0] } =
        createHumanFigure().bones.find(({ name }) => name === segment.bones[0]) ?? {};
      const along = bone?.centerOfMass?.reduce((total, x, k) => total + x * tip[k], 0) ?? 0;
      expect((100 * along) / tip.reduce((total, x) => total + x * x, 0)).toBeCloseTo(segment.center, 9);
    }
  });

  test('of a figure with masses are kept, or scaled to a given total', () => {
    const human = createHumanFigure();
    const kept = createRagdoll(human);
    expect(kept.figure.bones.map(({ inertia }) => inertia)).toEqual(
      human.bones.map(({ inertia }) => inertia),
    );
    expect(kept.mass).toBe(sum(human));
    const light = createRagdoll(human, { mass: 40 });
    human.bones.forEach(({ mass, inertia }, b) => {
      const bone = light.figure.bones[b];
      if (mass === undefined || inertia === undefined) return;
      expect(bone.mass).toBeCloseTo((mass * 40) / kept.mass, 12);
      bone.inertia?.forEach((i, k) => {
        expect(i).toBeCloseTo((inertia[k] * 40) / kept.mass, 12);
      });
    });
  });

  test('from the tables equal those of the built-in human for its skeleton in a file', () => {
    const human = createHumanFigure({ height: 1.6 });
    const ragdoll = createRagdoll(plainHuman(1.6));
    expect(ragdoll.height).toBeCloseTo(1.6, 12);
    for (const { name, mass, centerOfMass, inertia } of human.bones) {
      if (mass === undefined || inertia === undefined || name === 'upperChest') continue;
      const bone = ragdoll.figure.bones.find((other) => other.name === name);
      expect(bone?.mass).toBeCloseTo(mass, 10);
      bone?.centerOfMass?.forEach((x, k) => {
        expect(x).toBeCloseTo(centerOfMass?.[k] ?? 0, 12);
      });
      // The floor of gyration, 0.012 heights, lifts the long axis of the toes.
      const min = mass * (0.012 * 1.6) ** 2;
      moments(bone?.inertia ?? []).forEach((i, k) => {
        expect(i).toBeCloseTo(Math.max(moments(inertia)[k], min), 10);
      });
    }
  });

  test('add up to the last bit', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.01, max: 1e4, noNaN: true }), fc.boolean(), (mass, plain) => {
        const ragdoll = createRagdoll(plain ? plainHuman() : createHumanFigure(), { mass });
        expect(sum(ragdoll.figure)).toBe(mass);
        expect(ragdoll.mass).toBe(mass);
      }),
      { numRuns: 40 },
    );
  });

  test('of fingers and tails are taken from their ancestors', () => {
    const data = figureToData(plainHuman());
    const fingers = ['index', 'middle', 'thumb'].map((name) => ({
      name,
      parent: 'leftHand',
      rest: { position: [0.1, 0, 0] as const },
      joint: { type: 'ball' } as const,
      tip: [0.04, 0, 0] as const,
    }));
    const plain = createRagdoll(createFigure(data), { mass: 70 });
    const ragdoll = createRagdoll(createFigure({ ...data, bones: [...data.bones, ...fingers] }), {
      mass: 70,
    });
    expect(massOf(ragdoll, ['leftHand', 'index', 'middle', 'thumb'])).toBeCloseTo(
      massOf(plain, ['leftHand']),
      12,
    );
    expect(massOf(ragdoll, ['index'])).toBeCloseTo(0.02 * massOf(plain, ['leftHand']), 12);
    expect(sum(ragdoll.figure)).toBe(70);
  });
});

describe('any figure', () => {
  const check = (figure: Figure, ragdoll: Ragdoll): void => {
    expect(ragdoll.figure.bones.map(({ name }) => name)).toEqual(figure.bones.map(({ name }) => name));
    expect(ragdoll.figure.dof).toBe(figure.dof);
    expect(sum(ragdoll.figure)).toBe(ragdoll.mass);
    for (const { mass = 0, inertia } of ragdoll.figure.bones) {
      if (mass === 0) continue;
      const [a, b, c] = moments(inertia ?? []);
      expect(a).toBeGreaterThanOrEqual(0.999 * mass * (0.012 * ragdoll.height) ** 2);
      expect(c).toBeLessThanOrEqual((1 + 1e-9) * (a + b));
    }
    expect(ragdoll.damping.length).toBe(figure.dof);
    expect(ragdoll.damping.every((d) => d >= 0 && Number.isFinite(d))).toBe(true);
    expect(ownContacts(ragdoll)).toBe(0);
    for (const shape of ragdoll.shapes) {
      const { radius } = marksOf(ragdoll.figure, shape);
      expect(radius).toBeLessThan(0.5 * ragdoll.height);
    }
  };

  test('gives physical inertias and no contacts at rest', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 2, max: 30 }), (seed, count) => {
        const figure = randomFigure(testRandom(seed), count);
        check(figure, createRagdoll(figure, { masses: 'tables' }));
      }),
      { numRuns: 60 },
    );
  });

  test('has finite forward dynamics at any pose', () => {
    fc.assert(
      fc.property(fc.integer(), fc.boolean(), (seed, anatomical) => {
        const random = testRandom(seed);
        const { figure } = createRagdoll(plainHuman(), { joints: anatomical ? 'anatomical' : 'given' });
        const dynamics = createDynamics(figure);
        const zero = new Float64Array(figure.dof);
        const v = randomPose(figure, random, 3);
        const rates = forwardDynamics(dynamics, randomPose(figure, random, 1), v, zero);
        expect(Array.from(rates).every(Number.isFinite)).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  test('with rotated bone axes has the same masses, and shapes at the same positions', () => {
    const wanted = createRagdoll(plainHuman());
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const figure = rotatedFrames(plainHuman(), testRandom(seed));
        const ragdoll = createRagdoll(figure);
        check(figure, ragdoll);
        ragdoll.shapes.forEach((shape, k) => {
          const is = marksOf(ragdoll.figure, shape);
          const was = marksOf(wanted.figure, wanted.shapes[k]);
          expect(is.radius).toBeCloseTo(was.radius, 9);
          for (const point of was.points) {
            const far = is.points.map((other) => Math.hypot(...other.map((x, n) => x - point[n])));
            expect(Math.min(...far)).toBeLessThan(1e-9);
          }
        });
        ragdoll.figure.bones.forEach(({ mass = 0, inertia = [] }, b) => {
          const other = wanted.figure.bones[b];
          expect(mass).toBeCloseTo(other.mass ?? 0, 9);
          moments(inertia).forEach((i, k) => {
            expect(i).toBeCloseTo(moments(other.inertia ?? [])[k], 9);
          });
        });
        ragdoll.damping.forEach((d, i) => {
          expect(d).toBeCloseTo(wanted.damping[i], 9);
        });
      }),
      { numRuns: 20 },
    );
  });
});

describe('the built-in human', () => {
  const ragdoll = createRagdoll(createHumanFigure());

  test('has twenty shapes and stands on its soles', () => {
    expect(ragdoll.shapes.length).toBe(20);
    const feet = ragdoll.shapes.filter(({ bone }) => /Foot|Toes/.test(String(bone)));
    expect(feet.length).toBe(4);
    for (const foot of feet) {
      const min = Math.min(...marksOf(ragdoll.figure, foot).points.map(([, y]) => y));
      expect(min).toBeCloseTo(0, 12);
    }
    // Nothing else reaches lower than its ankle bones.
    for (const shape of ragdoll.shapes) {
      if (feet.includes(shape)) continue;
      const { points, radius } = marksOf(ragdoll.figure, shape);
      expect(Math.min(...points.map(([, y]) => y)) - radius).toBeGreaterThan(0.02);
    }
  });

  test('has limb radii of adults', () => {
    const radius = (name: string): number => {
      const shape = ragdoll.shapes.find(({ bone }) => bone === name);
      return shape?.type === 'capsule' || shape?.type === 'sphere' ? shape.radius : Number.NaN;
    };
    // Girths of men over 2 pi (ANSUR, medians, mid-segment): thigh 0.60 to 0.5, calf 0.38, upper arm 0.33, forearm 0.27, head breadth 0.15 to 0.2.
    for (const [name, min, max] of [
      ['leftUpperLeg', 0.07, 0.1],
      ['leftLowerLeg', 0.04, 0.06],
      ['leftUpperArm', 0.04, 0.055],
      ['leftLowerArm', 0.03, 0.045],
      ['leftHand', 0.02, 0.035],
      ['head', 0.075, 0.11],
    ] as const) {
      expect(radius(name)).toBeGreaterThan(min);
      expect(radius(name)).toBeLessThan(max);
    }
  });

  test('has no contacts with itself at rest', () => {
    expect(ownContacts(ragdoll)).toBe(0);
    expect(ragdoll.exclude).toEqual([]);
  });

  test('is symmetric', () => {
    for (const made of [ragdoll, createRagdoll(plainHuman())]) {
      for (const { name, mass, centerOfMass, inertia, index, coordinate, dof } of made.figure.bones) {
        if (!name.startsWith('left')) continue;
        const twin = made.figure.bones.find(
          (bone) => bone.name === name.replace('left', 'right'),
        ) as (typeof made.figure.bones)[0];
        expect(twin.index).not.toBe(index);
        expect(twin.mass ?? 0).toBeCloseTo(mass ?? 0, 9);
        if (!centerOfMass || !inertia || !twin.inertia) continue;
        [-1, 1, 1].forEach((sign, k) => {
          expect(sign * (twin.centerOfMass?.[k] ?? 0)).toBeCloseTo(centerOfMass[k], 9);
        });
        [1, 1, 1, -1, -1, 1].forEach((sign, k) => {
          expect(sign * (twin.inertia?.[k] ?? 0)).toBeCloseTo(inertia[k], 9);
        });
        for (let k = 0; k < dof; k++) {
          expect(made.damping[twin.coordinate + k]).toBeCloseTo(made.damping[coordinate + k], 9);
        }
        const [a, b] = [name, twin.name].map((side) => made.shapes.find(({ bone }) => bone === side));
        if (!a || !b) continue;
        const [l, r] = [marksOf(made.figure, a), marksOf(made.figure, b)];
        expect(r.radius).toBeCloseTo(l.radius, 9);
        for (const [x, y, z] of l.points) {
          const far = r.points.map((point) => Math.hypot(point[0] + x, point[1] - y, point[2] - z));
          expect(Math.min(...far)).toBeLessThan(1e-9);
        }
      }
    }
  });

  test('damps a joint by its inertia: a forearm with its hand comes to rest in the given time', () => {
    const elbow = ragdoll.figure.bones.find(({ name }) => name === 'leftLowerArm');
    const half = createRagdoll(createHumanFigure(), { settlingTime: 0.25 });
    const damping = ragdoll.damping[elbow?.coordinate ?? -1];
    expect(half.damping[elbow?.coordinate ?? -1]).toBeCloseTo(2 * damping, 12);
    // Forearm 1.195 kg at 0.124 m, hand 0.45 kg at 0.339 m, moments 0.0066 and 0.0011: 0.0778 kg m^2 over 0.5 s, and a little less for the body.
    expect(damping).toBeGreaterThan(0.14);
    expect(damping).toBeLessThan(0.16);
    expect(Array.from(ragdoll.damping.slice(0, 6))).toEqual([0, 0, 0, 0, 0, 0]);
    // A hand as if 0.12 of 1.75 m away: 0.450 kg (0.21 m)^2 / 0.5 s.
    const wrist = ragdoll.figure.bones.find(({ name }) => name === 'leftHand');
    expect(ragdoll.damping[wrist?.coordinate ?? -1]).toBeCloseTo((0.45 * 0.21 ** 2) / 0.5, 3);
  });
});

test('any figure gives a ragdoll or an error of the library', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const random = testRandom(seed);
      const bones = Array.from({ length: 5 }, (_, i) => ({
        name: `${i}`,
        parent: i === 0 ? null : `${i - 1}`,
        rest: { position: [0, random() < 0.5 ? 0 : 1e-3, 0] as const },
        joint: { type: random() < 0.5 ? 'ball' : 'fixed' } as const,
      }));
      try {
        createRagdoll(createFigure({ bones }));
      } catch (error) {
        expect(error).toBeInstanceOf(PoiseError);
      }
    }),
  );
});

test('a chain of thousands of bones takes no time in the cube of its length', () => {
  const bones = Array.from({ length: 3000 }, (_, k) => ({
    name: `${k}`,
    parent: k === 0 ? null : `${k - 1}`,
    rest: { position: [0, 0.01, 0] as const },
    joint: { type: k === 0 ? 'free' : 'ball' } as const,
  }));
  const started = threadTime();
  const ragdoll = createRagdoll(createFigure({ bones }), { mass: 10 });
  expect(threadTime() - started).toBeLessThan(10_000);
  expect(ragdoll.damping.every((d) => Number.isFinite(d))).toBe(true);
});

describe('a size that suggests other units than metres', () => {
  /** The human in other units, as a file has it: without masses. */
  const inUnits = (factor: number): Figure => {
    const data = figureToData(plainHuman());
    const scaled = (v: readonly number[] = [0, 0, 0]): [number, number, number] => [
      factor * v[0],
      factor * v[1],
      factor * v[2],
    ];
    return createFigure({
      ...data,
      name: 'runner',
      bones: data.bones.map((bone) => ({
        ...bone,
        rest: { ...bone.rest, position: scaled(bone.rest?.position) },
        ...(bone.tip && { tip: scaled(bone.tip) }),
      })),
    });
  };

  test('is a warning, once, with the mass that follows from it', () => {
    expect(createRagdoll(inUnits(1)).warnings).toEqual([]);
    const large = createRagdoll(inUnits(100));
    expect(large.warnings).toHaveLength(1);
    expect(large.warnings[0]).toMatch(
      /^runner: is 1\d\d m high and weighs [\d,]+ kg, so it moves as slowly .*centimetres by 0\.01/,
    );
    expect(createRagdoll(inUnits(0.001)).warnings[0]).toMatch(
      /^runner: is 0\.00\d+ m high and weighs 0\.0+\d+ kg, .* as fast/,
    );
  });

  test('with a given mass it is the size alone', () => {
    const [warning] = createRagdoll(inUnits(100), { mass: 70 }).warnings;
    expect(warning).not.toContain('weighs');
  });
});
