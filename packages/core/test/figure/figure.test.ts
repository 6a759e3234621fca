import { describe, expect, test } from 'vitest';
import {
  boneIndex,
  createFigure,
  createState,
  type Figure,
  type FigureData,
  figureToData,
  forwardKinematics,
} from '../../src/figure/index.js';
import { createHumanFigure } from '../../src/humanoid/index.js';
import { createRandom, expectSameBits, randomFigureData, randomPose } from './support.js';

/** A random figure with limits and masses of every kind. */
function randomLimitedFigure(random: () => number): Figure {
  const data = randomFigureData(random, 30);
  const angle = () => 0.1 + 2.9 * random();
  return createFigure({
    name: 'random',
    bones: data.bones.map((bone) => {
      const common = { ...bone, tip: [random(), -0, random()] as const, mass: random() };
      switch (bone.joint?.type) {
        case 'hinge':
        case 'slider':
          return { ...common, limit: { type: 'interval' as const, min: null, max: random() } };
        case 'swing':
          return { ...common, limit: { type: 'ellipse' as const, halfAngles: [angle(), angle()] as const } };
        case 'ball':
          return { ...common, limit: { type: 'angle' as const, max: angle() } };
        case 'ball-and-socket':
          return {
            ...common,
            limit: {
              type: 'swing-twist' as const,
              swing: {
                type: 'quad-ellipse' as const,
                s: [-angle(), angle()] as const,
                t: [-angle(), angle()] as const,
              },
              twist: { min: -random(), max: random() },
            },
          };
        case 'euler':
          return { ...common, limit: { type: 'box' as const, min: [-1, null, -0], max: [null, null, 1] } };
        default:
          return common;
      }
    }),
  });
}

/** Bits of the frames of a figure at a pose. */
function frames(figure: Figure, pose: Float64Array): Float64Array {
  const state = createState(figure);
  forwardKinematics(state, pose);
  return state.worldFromBone;
}

describe('createFigure', () => {
  test('sorts bones in stable topological order and coordinates in bone order', () => {
    const figure = createFigure({
      bones: [
        { name: 'c', parent: 'b', joint: { type: 'ball' } },
        { name: 'x', joint: { type: 'swing', axis: [0, 1, 0] } },
        { name: 'a', joint: { type: 'free' } },
        { name: 'b', parent: 'a', joint: { type: 'hinge', axis: [1, 0, 0] } },
        { name: 'd', parent: 'a' },
      ],
    });
    expect(figure.bones.map((bone) => bone.name)).toEqual(['a', 'b', 'c', 'x', 'd']);
    expect(Array.from(figure.parents)).toEqual([-1, 0, 1, -1, 0]);
    expect(Array.from(figure.coordinateStart)).toEqual([0, 6, 7, 10, 12, 12]);
    expect(figure.dof).toBe(12);
    expect(Array.from(figure.boneOfCoordinate)).toEqual([0, 0, 0, 0, 0, 0, 1, 2, 2, 2, 3, 3]);
    figure.bones.forEach((bone, index) => {
      expect(bone.index).toBe(index);
    });
  });

  test('a chain of 20000 bones given leaf first is no problem', () => {
    const bones = Array.from({ length: 20000 }, (_, i) => ({
      name: `b${i}`,
      parent: i === 19999 ? null : `b${i + 1}`,
    }));
    const figure = createFigure({ bones });
    expect(figure.bones[0].name).toBe('b19999');
    expect(figure.bones[19999].parent).toBe(19998);
  });

  test('defaults: fixed at the identity, named figure', () => {
    const figure = createFigure({ bones: [{ name: 'a' }] });
    expect(figure.name).toBe('figure');
    expect(figure.bones[0]).toEqual({
      index: 0,
      name: 'a',
      parent: -1,
      rest: { position: [0, 0, 0], rotation: [0, 0, 0, 1] },
      joint: { type: 'fixed' },
      coordinate: 0,
      dof: 0,
    });
  });

  test('null counts as absent', () => {
    const bare = createFigure({ bones: [{ name: 'a' }] });
    const nulls = {
      name: null,
      bones: [
        {
          name: 'a',
          parent: null,
          rest: null,
          joint: null,
          limit: null,
          tip: null,
          mass: null,
          centerOfMass: null,
          inertia: null,
        },
      ],
    };
    expect(createFigure(nulls as unknown as FigureData)).toEqual(bare);
    const rest = { name: 'a', rest: { position: null, rotation: null } };
    expect(createFigure({ bones: [rest] } as unknown as FigureData)).toEqual(bare);
  });

  test('quaternions a little off unit length are made unit; axes may have any length', () => {
    const figure = createFigure({
      bones: [
        {
          name: 'a',
          rest: { rotation: [0, 0, 0.6003, 0.8004] },
          joint: { type: 'hinge', axis: [0, -3e-200, 0] },
        },
      ],
    });
    const { rest, joint } = figure.bones[0];
    expect(Math.hypot(...rest.rotation)).toBeCloseTo(1, 15);
    expect(joint).toEqual({ type: 'hinge', axis: [0, -1, 0] });
  });

  test('the limits become components over the pose, no two on one coordinate', () => {
    const random = createRandom(500);
    for (let n = 0; n < 20; n++) {
      const figure = randomLimitedFigure(random);
      const taken = new Set<number>();
      for (const { bone, coordinate, size } of figure.limitComponents) {
        for (let i = coordinate; i < coordinate + size; i++) {
          expect(taken.has(i)).toBe(false);
          expect(figure.boneOfCoordinate[i]).toBe(bone);
          taken.add(i);
        }
      }
    }
    const limits = createHumanFigure().limitComponents.filter((component) => component.role === 'twist');
    expect(limits.map((component) => component.size)).toEqual(Array.from({ length: 9 }, () => 1));
  });
});

describe('a figure is plain, immutable data', () => {
  test('JSON and back gives the same figure and the same bits of every frame', () => {
    const random = createRandom(510);
    for (let n = 0; n < 20; n++) {
      const figure = n === 0 ? createHumanFigure() : randomLimitedFigure(random);
      const again = createFigure(JSON.parse(JSON.stringify(figureToData(figure))));
      expect(again).toEqual(figure);
      const pose = randomPose(figure, random);
      expectSameBits(frames(again, pose), frames(figure, pose));
    }
  });

  test('createFigure(figureToData(figure)) is the same figure', () => {
    const random = createRandom(511);
    const figure = randomLimitedFigure(random);
    expect(createFigure(figureToData(figure))).toEqual(figure);
  });

  test('a structured clone is the same figure and works', () => {
    const random = createRandom(512);
    const figure = randomLimitedFigure(random);
    const clone = structuredClone(figure);
    expect(clone).toEqual(figure);
    const pose = randomPose(figure, random);
    expectSameBits(frames(clone, pose), frames(figure, pose));
  });

  test('changing the data afterwards does not reach the figure', () => {
    const data = JSON.parse(JSON.stringify(figureToData(createHumanFigure())));
    const figure = createFigure(data);
    const before = JSON.stringify(figure);
    const scramble = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      for (const [key, inner] of Object.entries(value)) {
        scramble(inner);
        if (typeof inner === 'number') (value as Record<string, unknown>)[key] = inner + 1;
      }
    };
    scramble(data);
    expect(JSON.stringify(figure)).toBe(before);
  });

  test('writing into a figure throws', () => {
    const figure = createHumanFigure() as unknown as {
      name: string;
      bones: { rest: { position: number[] }; joint: { axis: number[] }; limit: { swing: { s: number[] } } }[];
      limitComponents: { kind: string }[];
    };
    const writes = [
      () => (figure.name = 'x'),
      () => figure.bones.pop(),
      () => (figure.bones[0].rest.position[1] = 5),
      () => (figure.bones[1].joint.axis[0] = 5),
      () => (figure.bones[1].limit.swing.s[0] = 5),
      () => (figure.limitComponents[0].kind = 'disk'),
    ];
    for (const write of writes) expect(write).toThrow(TypeError);
  });

  test('same data, same bits', () => {
    const [a, b] = [createHumanFigure({ height: 1.62 }), createHumanFigure({ height: 1.62 })];
    expect(JSON.stringify(a)).toBe(JSON.stringify(b));
    const pose = randomPose(a, createRandom(513));
    expectSameBits(frames(a, pose), frames(b, pose));
  });
});

describe('boneIndex', () => {
  const figure = createHumanFigure();

  test('finds names and passes indices', () => {
    expect(boneIndex(figure, 'hips')).toBe(0);
    expect(figure.bones[boneIndex(figure, 'leftHand')].name).toBe('leftHand');
    expect(boneIndex(figure, 21)).toBe(21);
  });

  test('suggests the nearest name', () => {
    expect(() => boneIndex(figure, 'lefthand', 'goals[0].bone')).toThrow(
      expect.objectContaining({
        name: 'FigureError',
        code: 'unknown-name',
        path: 'goals[0].bone',
        remedy: `Did you mean 'leftHand'?`,
      }),
    );
  });

  test('refuses indices out of range and what is no name at all', () => {
    for (const bad of [-1, 22, 1.5, Number.NaN, 'zzzzzzzzzzzz', null, {}, undefined]) {
      expect(() => boneIndex(figure, bad as string)).toThrow(
        expect.objectContaining({ code: 'unknown-name', remedy: 'List the names with figure.bones.' }),
      );
    }
  });
});
