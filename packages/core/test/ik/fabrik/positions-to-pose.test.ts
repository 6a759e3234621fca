import * as fc from 'fast-check';
import {
  type BoneData,
  boneIndex,
  clampToLimits,
  createFigure,
  createPose,
  type Figure,
  figureToData,
  limitViolation,
  type Triple,
} from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import { createPositionsToPose, figurePoints, solvePositionsToPose } from 'poise/ik';
import { quat, vec3 } from 'poise/math';
import { describe, expect, it } from 'vitest';
import { randomFigure, randomPose, randomTriple, testRandom } from '../../support/random-figure.js';
import { framesOf, gap, largest, positionByThree, positionsOf, randomTree } from './support.js';

describe('positions of a figure of ball joints, any rest pose and any bone axis', () => {
  it('are reproduced by both methods of the lecture notes, with the same rotations', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e9 }), (seed) => {
        const random = testRandom(seed);
        const figure = randomTree(random, 2 + Math.floor(12 * random()), (k) => ({
          type: k === 0 && random() < 0.5 ? 'free' : 'ball',
        }));
        const points = figurePoints(figure);
        const wanted = positionsOf(figure, randomPose(figure, random, 3), points);
        const roll = random() < 0.5 ? 'rest' : 'previous';
        const start = randomPose(figure, random, 1);
        const frames = (['object', 'world'] as const).map((coordinates) => {
          const pose = start.slice();
          const report = solvePositionsToPose(
            createPositionsToPose(figure, { coordinates, roll }),
            wanted,
            pose,
          );
          expect(gap(positionsOf(figure, pose, points), wanted)).toBeLessThan(1e-11);
          expect(largest(report.distances)).toBeLessThan(1e-11);
          return framesOf(figure, pose);
        });
        expect(gap(frames[0], frames[1])).toBeLessThan(1e-10);
      }),
    );
  });

  it('are reproduced by the bones of three.js', () => {
    const random = testRandom(12);
    for (let n = 0; n < 40; n++) {
      const figure = randomTree(random, 8, () => ({ type: 'ball' }));
      const points = figurePoints(figure);
      const wanted = positionsOf(figure, randomPose(figure, random, 3), points);
      const pose = createPose(figure);
      solvePositionsToPose(createPositionsToPose(figure), wanted, pose);
      points.forEach((point, p) => {
        expect(gap(positionByThree(figure, pose, point), wanted.subarray(3 * p, 3 * p + 3))).toBeLessThan(
          1e-11,
        );
      });
    }
  });

  it('the whole pose is reproduced if every bone has points in more than one direction', () => {
    const random = testRandom(5);
    for (let n = 0; n < 100; n++) {
      const figure = randomTree(random, 6, (k) => ({ type: k === 0 ? 'free' : 'ball' }));
      const points = figure.bones.flatMap(({ name }) =>
        [0, 1, 2].map(() => ({ bone: name, point: randomTriple(random) })),
      );
      const given = randomPose(figure, random, 1);
      const pose = createPose(figure);
      const report = solvePositionsToPose(
        createPositionsToPose(figure, { points }),
        positionsOf(figure, given, points),
        pose,
      );
      expect(gap(framesOf(figure, pose), framesOf(figure, given))).toBeLessThan(1e-10);
      expect(Array.from(report.determined)).toEqual(figure.bones.map(() => 2));
    }
  });
});

describe('every joint type', () => {
  it('each joint alone gets the best-fitting rotation within its limits', () => {
    const random = testRandom(21);
    const tried = new Set<string>();
    for (let n = 0; n < 120; n++) {
      const data = figureToData(randomFigure(random, 2)).bones;
      const { limit: _limit, ...root } = data[0];
      const figure = createFigure({ bones: [{ ...root, joint: { type: 'fixed' } }, data[1]] });
      const { joint, limit, dof } = figure.bones[1];
      if (dof === 0) continue;
      tried.add(`${joint.type} ${limit === undefined ? '' : limit.type}`);
      const points = [{ bone: 1, point: randomTriple(random) }];
      const wanted = randomTriple(random, 2);
      const misfit = (q: Float64Array): number =>
        Math.hypot(...Array.from(positionsOf(figure, q, points), (x, k) => x - wanted[k]));
      const pose = createPose(figure);
      solvePositionsToPose(createPositionsToPose(figure, { points }), wanted, pose);
      const best = misfit(pose);
      // The best anywhere where the allowed set has one hill for one direction; else no slope near by: a saddle may hold.
      const oneHill = ['hinge', 'slider'].includes(joint.type) || limit === undefined;
      for (let m = 0; m < 200; m++) {
        const near = m < 100 || !oneHill;
        const other = pose.map((x) => (near ? x + 1e-3 * (2 * random() - 1) : 3 * (2 * random() - 1)));
        clampToLimits(figure, other);
        expect(misfit(other)).toBeGreaterThan(best - 1e-9);
      }
    }
    expect(tried.size).toBeGreaterThan(8);
  });

  it('the built-in human is reproduced from its origins and tips, with hinges as elbows and knees', () => {
    const figure = createHumanFigure();
    const random = testRandom(3);
    const points = figurePoints(figure);
    const bends = ['leftLowerArm', 'rightLowerArm', 'leftLowerLeg', 'rightLowerLeg'];
    for (let n = 0; n < 60; n++) {
      const given = randomPose(figure, random, 0.6);
      // What the points do not tell is at rest: the twist of the spine and neck, of the hands; limbs are bent.
      for (const { name, joint, coordinate } of figure.bones) {
        if (/spine|chest|neck|head/i.test(name) && joint.type === 'ball-and-socket')
          given[coordinate + 2] = 0;
        if (/Hand/.test(name)) given.fill(0, coordinate, coordinate + 3);
      }
      for (const name of bends) given[figure.bones[boneIndex(figure, name)].coordinate] = 0.3 + random();
      clampToLimits(figure, given);
      const wanted = positionsOf(figure, given, points);
      const pose = createPose(figure);
      const report = solvePositionsToPose(createPositionsToPose(figure), wanted, pose);
      // The roll for a hinge is the root of a square where the limb is nearly straight: half the digits.
      expect(largest(report.distances)).toBeLessThan(1e-8);
      expect(limitViolation(figure, pose)).toBe(0);
    }
  });
});

describe('missing points', () => {
  const figure = randomTree(testRandom(8), 6, () => ({ type: 'ball' }));
  const points = figurePoints(figure);

  it('NaN and weight 0 are equivalent, and bones without points keep their pose or return to rest', () => {
    const random = testRandom(4);
    const wanted = positionsOf(figure, randomPose(figure, random, 1), points);
    const gone = points.map(() => random() < 0.4);
    const weights = gone.map((is) => (is ? 0 : 1));
    const holes = wanted.map((x, i) => (gone[Math.floor(i / 3)] ? Number.NaN : x));
    for (const roll of ['rest', 'previous'] as const) {
      const start = randomPose(figure, random, 1);
      const [a, b] = [start.slice(), start.slice()];
      const reader = createPositionsToPose(figure, { roll });
      const report = solvePositionsToPose(reader, holes, a);
      expect(Array.from(report.distances, Number.isNaN)).toEqual(gone);
      const none = figure.bones.filter(({ index }) => report.determined[index] === 0);
      solvePositionsToPose(reader, wanted, b, weights);
      expect(b).toEqual(a);
      for (const { coordinate } of none) {
        const expected = roll === 'rest' ? [0, 0, 0] : start.subarray(coordinate, coordinate + 3);
        expect(gap(a.subarray(coordinate, coordinate + 3), expected)).toBeLessThan(1e-14);
      }
    }
    expect(gone.some(Boolean)).toBe(true);
  });

  it('all missing gives a finite pose', () => {
    const pose = randomPose(figure, testRandom(9));
    solvePositionsToPose(
      createPositionsToPose(figure),
      new Float64Array(3 * points.length).fill(Number.NaN),
      pose,
    );
    expect(largest(pose)).toBe(0);
  });
});

describe('people of other proportions', () => {
  it('with `directions` every bone is parallel to its line, whatever the lengths', () => {
    const random = testRandom(30);
    for (let n = 0; n < 50; n++) {
      const figure = randomTree(random, 6, (k) => ({ type: k === 0 ? 'free' : 'ball' }));
      const scaled = createFigure({
        bones: figure.bones.map(({ name, parent, rest, joint, tip }): BoneData => {
          const s = 0.5 + random();
          const longer = (v: readonly number[]): [number, number, number] => [s * v[0], s * v[1], s * v[2]];
          return {
            name,
            parent: parent < 0 ? null : figure.bones[parent].name,
            rest: { ...rest, position: longer(rest.position) },
            joint,
            tip: longer(tip as readonly number[]),
          };
        }),
      });
      const points = figurePoints(figure);
      const given = positionsOf(scaled, randomPose(figure, random, 1), points);
      const pose = createPose(figure);
      solvePositionsToPose(createPositionsToPose(figure, { follow: 'directions' }), given, pose);
      const found = positionsOf(figure, pose, points);
      figure.bones.forEach(({ index, parent }) => {
        const children = figure.bones.filter((bone) => bone.parent === parent && parent >= 0);
        // One child and the tip are two directions of one bone, and their lengths do not scale alike: leaves only.
        if (figure.bones.some((bone) => bone.parent === index) || children.length > 99) return;
        const tip = points.findIndex(
          ({ bone, point }) => bone === figure.bones[index].name && point !== undefined,
        );
        const line = (p: Float64Array): number[] =>
          vec3.normalize([0, 1, 2].map((c) => p[3 * tip + c] - p[3 * index + c]));
        expect(gap(line(found), line(given))).toBeLessThan(1e-11);
      });
    }
  });
});

describe('people of other proportions, with hinges', () => {
  const bends = ['leftLowerArm', 'rightLowerArm', 'leftLowerLeg', 'rightLowerLeg'];
  /** A pose of which the origins and tips tell all: no twist of the trunk, hands at rest, limbs bent. */
  const tellingPose = (random: () => number): Float64Array => {
    const figure = createHumanFigure();
    const given = randomPose(figure, random, 0.6);
    for (const { name, joint, coordinate } of figure.bones) {
      if (/spine|chest|neck|head/i.test(name) && joint.type === 'ball-and-socket') given[coordinate + 2] = 0;
      if (/Hand/.test(name)) given.fill(0, coordinate, coordinate + 3);
    }
    for (const name of bends) given[figure.bones[boneIndex(figure, name)].coordinate] = 0.3 + random();
    clampToLimits(figure, given);
    return given;
  };
  /** The human with every length times `size`, those of limbs by a factor of their own. */
  const human = (size: number, random?: () => number): Figure => {
    const { bones } = figureToData(createHumanFigure());
    const factors = new Map(bones.map(({ name }) => [name, 0.7 + 0.6 * (random?.() ?? 0.5)]));
    const times = (v: Triple, s: number): Triple => [s * v[0], s * v[1], s * v[2]];
    return createFigure({
      bones: bones.map((bone): BoneData => {
        const own = /LowerArm|LowerLeg|Hand|Foot/.test(bone.name) ? (bone.parent ?? '') : '';
        const s = size * (own === '' ? 1 : (factors.get(own) as number));
        return {
          ...bone,
          rest: { ...bone.rest, position: times(bone.rest?.position ?? [0, 0, 0], s) },
          ...(bone.tip === undefined ? {} : { tip: times(bone.tip, size) }),
        };
      }),
    });
  };
  for (const [title, size] of [
    ['points scaled by 1.1', 1.1],
    ['points of a person whose limbs have other lengths, too', 0.9],
  ] as const) {
    it(`with \`directions\` the joints of the human come back from ${title}`, () => {
      const random = testRandom(33);
      const figure = createHumanFigure();
      const points = figurePoints(figure);
      for (const coordinates of ['object', 'world'] as const) {
        for (let n = 0; n < 40; n++) {
          const given = tellingPose(random);
          const wanted = positionsOf(human(size, size < 1 ? random : undefined), given, points);
          const pose = createPose(figure);
          solvePositionsToPose(
            createPositionsToPose(figure, { follow: 'directions', coordinates }),
            wanted,
            pose,
          );
          // Turns, not places: the root goes where the given trunk is.
          const rotationsOf = (q: Float64Array): number[] =>
            Array.from(framesOf(figure, q)).filter((_, i) => i % 12 < 9);
          expect(gap(rotationsOf(pose), rotationsOf(given)), `${n}`).toBeLessThan(1e-7);
        }
      }
    });
  }
});

describe('limits', () => {
  it('are satisfied exactly for any figure, points and weights', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e9 }), (seed) => {
        const random = testRandom(seed);
        const figure = randomFigure(random, 2 + Math.floor(10 * random()));
        const points = figurePoints(figure);
        const positions = Float64Array.from({ length: 3 * points.length }, () =>
          random() < 0.1 ? Number.NaN : 10 ** (8 * random() - 4) * (2 * random() - 1),
        );
        const roll = (['rest', 'previous', 'spread', { pole: [1, 2, 3], axis: [1, 0, 0] }] as const)[
          seed % 4
        ];
        const follow = random() < 0.5 ? 'positions' : 'directions';
        const coordinates = random() < 0.5 ? 'object' : 'world';
        const pose = randomPose(figure, random, 4);
        const report = solvePositionsToPose(
          createPositionsToPose(figure, { roll, follow, coordinates }),
          positions,
          pose,
          points.map(() => (random() < 0.2 ? 0 : 10 ** (6 * random() - 3))),
        );
        expect(pose.every(Number.isFinite)).toBe(true);
        expect(limitViolation(figure, pose)).toBe(0);
        expect(
          report.distances.every(
            (d, p) =>
              Number.isNaN(d) ===
              Number.isNaN(positions[3 * p] + positions[3 * p + 1] + positions[3 * p + 2]),
          ),
        ).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('same input, same bits', () => {
    const figure = createHumanFigure();
    const random = testRandom(6);
    const wanted = positionsOf(figure, randomPose(figure, random, 1), figurePoints(figure));
    const start = randomPose(figure, random, 1);
    const reader = createPositionsToPose(figure, { roll: 'spread' });
    const runs = [reader, reader, createPositionsToPose(figure, { roll: 'spread' })].map((one) => {
      const pose = start.slice();
      solvePositionsToPose(one, wanted, pose);
      return pose;
    });
    expect(runs[1]).toEqual(runs[0]);
    expect(runs[2]).toEqual(runs[0]);
  });
});

describe('invalid input', () => {
  const figure = randomTree(testRandom(8), 3, () => ({ type: 'ball' }));
  const reader = createPositionsToPose(figure);
  const count = reader.points.length;
  const pose = (): Float64Array => createPose(figure);

  it('is refused with path and remedy', () => {
    const fine = new Float64Array(3 * count);
    for (const [run, message] of [
      [() => solvePositionsToPose(reader, [1, 2], pose()), /positions: has 2 numbers/],
      [
        () =>
          solvePositionsToPose(
            reader,
            fine.map(() => Infinity),
            pose(),
          ),
        /positions\[0\]: is Infinity/,
      ],
      [() => solvePositionsToPose(reader, fine, pose(), [1]), /weights: has 1/],
      [() => solvePositionsToPose(reader, fine, pose(), new Array(count).fill(-1)), /weights\[0\]: is -1/],
      [() => solvePositionsToPose(reader, fine, new Float64Array(2)), /pose: has 2/],
      [() => createPositionsToPose(figure, { points: [] }), /options\.points: is empty/],
      [() => createPositionsToPose(figure, { points: [{ bone: 'b9' }] }), /options\.points\[0\]\.bone/],
      [
        () => createPositionsToPose(figure, { points: [{ bone: 'b1', point: [1, NaN, 0] }] }),
        /point\[1\]: is NaN/,
      ],
      [() => createPositionsToPose(figure, { roll: 'none' as 'rest' }), /options\.roll: is 'none'/],
      [() => createPositionsToPose(figure, { roll: { b9: 'rest' } }), /options\.roll\['b9'\]/],
      [() => createPositionsToPose(figure, { roll: { pole: [0, 0, 0], axis: [0, 0, 0] } }), /axis: is/],
      [() => createPositionsToPose(figure, { follow: 'me' as 'positions' }), /options\.follow: is 'me'/],
    ] as const) {
      expect(run).toThrow(message);
    }
  });

  it('rotations near and beyond pi never give NaN', () => {
    const down = createFigure({
      bones: [{ name: 'a', joint: { type: 'ball' }, tip: [0, 1, 0] }],
    });
    const start = createPose(down);
    solvePositionsToPose(createPositionsToPose(down), [0, 0, 0, 0, -1, 0], start);
    expect(
      gap(quat.rotate(quat.fromAxisAngle(vec3.normalize(start), Math.PI), [0, 1, 0]), [0, -1, 0]),
    ).toBeLessThan(1e-15);
  });
});

describe('a swing whose bone is off its axis', () => {
  const misses = (limit: boolean) => {
    const random = testRandom(77);
    let count = 0;
    for (let n = 0; n < 4000; n++) {
      const figure = createFigure({
        bones: [
          {
            name: 'a',
            joint: { type: 'swing', axis: randomTriple(random, 1) },
            ...(limit && { limit: { type: 'cone', halfAngle: 0.2 + 2.8 * random() } }),
          },
          { name: 'b', parent: 'a', rest: { position: randomTriple(random, 1) } },
        ],
      });
      const pose = randomPose(figure, random, 3);
      clampToLimits(figure, pose);
      const points = figurePoints(figure);
      const wanted = positionsOf(figure, pose, points);
      const solved = createPose(figure);
      solvePositionsToPose(createPositionsToPose(figure), wanted, solved);
      expect(limitViolation(figure, solved)).toBe(0);
      if (gap(positionsOf(figure, solved, points), wanted) > 1e-9) count++;
    }
    return count;
  };

  it('meets every direction that a swing has', () => {
    expect(misses(false)).toBe(0);
  });

  it('meets every direction that it has within its limit, on the boundary too', () => {
    expect(misses(true)).toBe(0);
  });
});
