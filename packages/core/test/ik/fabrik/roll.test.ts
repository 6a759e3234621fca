import { boneIndex, createFigure, createPose, type Figure, limitViolation } from 'poise/figure';
import { createPositionsToPose, figurePoints, type RollPolicy, solvePositionsToPose } from 'poise/ik';
import { quat, vec3 } from 'poise/math';
import { twistAngleFromQuat } from 'poise/rotation';
import { describe, expect, it } from 'vitest';
import { randomPose, randomQuat, randomTriple, testRandom } from '../../support/random-figure.js';
import { framesOf, gap, largest, positionsOf, randomTree } from './support.js';

/** A straight arm along a random axis of bones with random rest rotations: upper, three forearm bones, and a hand of two points. */
function arm(random: () => number): {
  figure: Figure;
  points: { bone: string; point?: readonly number[] }[];
  axis: number[];
} {
  const axis = vec3.normalize(randomTriple(random));
  const names = ['upper', 'fore1', 'fore2', 'fore3', 'hand'];
  // Every bone frame is turned against its parent's; the line of the bones stays `axis` of the world.
  let frame: readonly number[] = [0, 0, 0, 1];
  const bones = names.map((name, k) => {
    const own = randomQuat(random);
    const position = quat.rotate(quat.conjugate(frame), vec3.scale(axis, k === 0 ? 0 : 0.2));
    const rotation = quat.multiply(quat.conjugate(frame), own) as [number, number, number, number];
    frame = own;
    return {
      name,
      parent: k === 0 ? null : names[k - 1],
      rest: { position: position as [number, number, number], rotation },
      joint: { type: 'ball' as const },
    };
  });
  const figure = createFigure({ bones });
  const across = vec3.perpendicular(axis);
  const inHand = (v: readonly number[]): readonly number[] => quat.rotate(quat.conjugate(frame), v);
  return {
    figure,
    axis,
    points: [
      ...names.map((bone) => ({ bone })),
      { bone: 'hand', point: inHand(vec3.scale(axis, 0.1)) },
      { bone: 'hand', point: inHand(vec3.addScaled(vec3.scale(axis, 0.05), across, 0.04)) },
    ],
  };
}

/** Twist of each joint about the arm's line, rad. */
function twists(figure: Figure, pose: Float64Array, axis: readonly number[]): number[] {
  const rest = framesOf(figure, createPose(figure));
  const posed = framesOf(figure, pose);
  const rotations = figure.bones.map((_, b) => {
    const at = (f: Float64Array): number[] => quat.fromMatrix(f.subarray(12 * b, 12 * b + 9));
    return quat.multiply(at(posed), quat.conjugate(at(rest)));
  });
  return rotations.map((rotation, b) => {
    const parent = figure.bones[b].parent;
    const local = parent < 0 ? rotation : quat.multiply(quat.conjugate(rotations[parent]), rotation);
    return twistAngleFromQuat(local, axis);
  });
}

describe('roll `spread`', () => {
  it('distributes the twist of the hand evenly over the joints: no candy wrapper', () => {
    const random = testRandom(2);
    for (let n = 0; n < 50; n++) {
      const { figure, points, axis } = arm(random);
      const twist = 2.8 * (2 * random() - 1);
      // The hand turned about the line, and nothing else: what a wrist looks like to a camera.
      const wanted = positionsOf(figure, createPose(figure), points);
      const rotation = quat.fromAxisAngle(axis, twist);
      for (const p of [5, 6]) wanted.set(quat.rotate(rotation, wanted.subarray(3 * p, 3 * p + 3)), 3 * p);
      const pose = createPose(figure);
      const none = solvePositionsToPose(createPositionsToPose(figure, { points }), wanted, pose);
      expect(largest(none.distances)).toBeLessThan(1e-12);
      // Kept at rest, all of it is at the wrist.
      expect(gap(twists(figure, pose, axis), [0, 0, 0, 0, twist])).toBeLessThan(1e-10);
      pose.fill(0);
      const report = solvePositionsToPose(
        createPositionsToPose(figure, { points, roll: 'spread' }),
        wanted,
        pose,
      );
      expect(largest(report.distances)).toBeLessThan(1e-12);
      expect(gap(twists(figure, pose, axis), new Array(5).fill(twist / 5))).toBeLessThan(1e-10);
      // Only the forearm.
      const fore = { fore1: 'spread', fore2: 'spread', fore3: 'spread' } as const;
      pose.fill(0);
      solvePositionsToPose(createPositionsToPose(figure, { points, roll: fore }), wanted, pose);
      expect(gap(twists(figure, pose, axis), [0, twist / 4, twist / 4, twist / 4, twist / 4])).toBeLessThan(
        1e-10,
      );
    }
  });

  it('redistributes the twist that a limit prevents', () => {
    const figure = createFigure({
      bones: ['a', 'b', 'c', 'hand'].map((name, k) => ({
        name,
        parent: k === 0 ? null : (['a', 'b', 'c'] as const)[k - 1],
        rest: { position: [k === 0 ? 0 : 0.2, 0, 0] as const },
        joint: { type: 'ball-and-socket' as const, axis: [1, 0, 0] as const },
        ...(name === 'b' ? { limit: { type: 'swing-twist' as const, twist: { min: -0.1, max: 0.1 } } } : {}),
      })),
    });
    const points = [
      ...figure.bones.map(({ name }) => ({ bone: name })),
      { bone: 'hand', point: [0.1, 0, 0] },
      { bone: 'hand', point: [0.1, 0.1, 0] },
    ];
    const wanted = positionsOf(figure, createPose(figure), points);
    wanted.set([0.7, 0.1 * Math.cos(1.2), 0.1 * Math.sin(1.2)], 15);
    const pose = createPose(figure);
    const report = solvePositionsToPose(
      createPositionsToPose(figure, { points, roll: 'spread' }),
      wanted,
      pose,
    );
    expect(largest(report.distances)).toBeLessThan(1e-12);
    // 1.2 over four joints is 0.3 each; b takes 0.1, and what is left of its share goes on down.
    expect(
      gap(
        [2, 5, 8, 11].map((i) => pose[i]),
        [0.3, 0.1, 0.4, 0.4],
      ),
    ).toBeLessThan(1e-10);
    expect(Array.from(report.limited)).toEqual([0, 1, 0, 0]);
  });
});

describe('roll `rest` and `previous`', () => {
  it('rotate a bone by the smallest rotation from rest, or from the previous pose', () => {
    const random = testRandom(40);
    for (let n = 0; n < 100; n++) {
      const figure = createFigure({
        bones: [
          {
            name: 'a',
            rest: { rotation: randomQuat(random) },
            joint: { type: 'ball' },
            tip: randomTriple(random),
          },
        ],
      });
      const tip = figure.bones[0].tip as readonly number[];
      const before = randomPose(figure, random, 1);
      const wanted = randomTriple(random);
      for (const roll of ['rest', 'previous'] as const) {
        const pose = before.slice();
        solvePositionsToPose(
          createPositionsToPose(figure, { points: [{ bone: 'a', point: tip }], roll }),
          wanted,
          pose,
        );
        const start = framesOf(figure, roll === 'rest' ? createPose(figure) : before);
        const rotation = quat.multiply(
          quat.fromMatrix(framesOf(figure, pose).subarray(0, 9)),
          quat.conjugate(quat.fromMatrix(start.subarray(0, 9))),
        );
        // Smallest: about an axis across the direction that it started from.
        const from = positionsOf(figure, roll === 'rest' ? createPose(figure) : before, [
          { bone: 'a', point: tip },
        ]);
        expect(Math.abs(vec3.dot(rotation, vec3.normalize(from)))).toBeLessThan(1e-13);
        const to = positionsOf(figure, pose, [{ bone: 'a', point: tip }]);
        expect(gap(vec3.normalize(to), vec3.normalize(wanted))).toBeLessThan(1e-13);
      }
    }
  });

  it('`previous` preserves a twist over a clip without jumps', () => {
    const figure = createFigure({ bones: [{ name: 'a', joint: { type: 'ball' }, tip: [0, 0, 1] }] });
    const reader = createPositionsToPose(figure, {
      points: [{ bone: 'a', point: [0, 0, 1] }],
      roll: 'previous',
    });
    const pose = Float64Array.of(0, 0, 0.7);
    let last = quat.fromMatrix(framesOf(figure, pose).subarray(0, 9));
    for (let t = 1; t < 200; t++) {
      const angle = 0.05 * t;
      solvePositionsToPose(reader, [Math.sin(angle), 0, Math.cos(angle)], pose);
      const now = quat.fromMatrix(framesOf(figure, pose).subarray(0, 9));
      // The bone turns by what its direction turns, no more, over more than a whole turn.
      expect(quat.angleBetween(now, last)).toBeCloseTo(0.05, 12);
      last = now;
    }
    // The same plane all the way: a turn about y after the twist that it had.
    const expected = quat.multiply(
      quat.fromAxisAngle([0, 1, 0], 0.05 * 199),
      quat.fromAxisAngle([0, 0, 1], 0.7),
    );
    expect(gap(framesOf(figure, pose).subarray(0, 9), quat.toMatrix(expected))).toBeLessThan(1e-12);
  });
});

describe('roll from a pole', () => {
  it('rotates the axis towards the pole and keeps the direction of the bone', () => {
    const random = testRandom(50);
    for (let n = 0; n < 100; n++) {
      const figure = randomTree(random, 3, () => ({ type: 'ball' }));
      const pole = randomTriple(random, 3);
      const axis = randomTriple(random);
      const roll: Record<string, RollPolicy> = { b0: { pole, axis } };
      const points = [{ bone: 'b0' }, { bone: 'b1' }];
      const wanted = positionsOf(figure, randomPose(figure, random, 2), points);
      const pose = createPose(figure);
      solvePositionsToPose(createPositionsToPose(figure, { points, roll }), wanted, pose);
      expect(gap(positionsOf(figure, pose, points), wanted)).toBeLessThan(1e-12);
      // Seen along the bone, the axis and the pole have the same direction.
      const frame = framesOf(figure, pose).subarray(0, 12);
      const along = vec3.normalize(vec3.subtract(wanted.subarray(3, 6), wanted.subarray(0, 3)));
      const seen = (v: readonly number[]): number[] =>
        vec3.normalize(vec3.addScaled(v, along, -vec3.dot(v, along)));
      const faced = [0, 1, 2].map((r) => vec3.dot(frame.subarray(3 * r, 3 * r + 3), axis));
      expect(gap(seen(faced), seen(vec3.subtract(pole, frame.subarray(9, 12))))).toBeLessThan(1e-9);
    }
  });

  it('a pole on the line of the bone gives the roll of rest', () => {
    const figure = createFigure({ bones: [{ name: 'a', joint: { type: 'ball' }, tip: [0, 1, 0] }] });
    const points = [{ bone: 'a', point: [0, 1, 0] }];
    const [withPole, rest] = [{ pole: [0, 5, 0], axis: [0, 0, 1] }, 'rest' as const].map((roll) => {
      const pose = createPose(figure);
      solvePositionsToPose(createPositionsToPose(figure, { points, roll }), [0, 2, 0], pose);
      return pose;
    });
    expect(withPole).toEqual(rest);
  });
});

describe('a hinge below determines the roll', () => {
  it('for which its point is reached, of two solutions the one within its limits', () => {
    const random = testRandom(60);
    for (let n = 0; n < 100; n++) {
      const axis = vec3.normalize(vec3.cross([0, 1, 0], randomTriple(random))) as [number, number, number];
      const figure = createFigure({
        bones: [
          { name: 'upper', rest: { rotation: randomQuat(random) }, joint: { type: 'ball' } },
          {
            name: 'lower',
            parent: 'upper',
            rest: { position: [0, 1, 0], rotation: [0, 0, 0, 1] },
            joint: { type: 'hinge', axis },
            limit: { type: 'interval', min: 0.1, max: 2.5 },
            tip: [0, 0.8, 0],
          },
        ],
      });
      const given = Float64Array.from([...randomTriple(random, 2), 0.2 + 2.2 * random()]);
      const points = figurePoints(figure);
      const wanted = positionsOf(figure, given, points);
      const pose = createPose(figure);
      const report = solvePositionsToPose(createPositionsToPose(figure), wanted, pose);
      expect(largest(report.distances)).toBeLessThan(1e-9);
      expect(pose[3]).toBeCloseTo(given[3], 8);
      expect(limitViolation(figure, pose)).toBe(0);
      expect(gap(framesOf(figure, pose), framesOf(figure, given))).toBeLessThan(1e-8);
      expect(report.determined[boneIndex(figure, 'lower')]).toBe(2);
    }
  });

  it('of several hinges, the first bent one with a known point', () => {
    const random = testRandom(61);
    const names = ['thumb', 'finger', 'other'];
    const figure = createFigure({
      bones: [
        { name: 'palm', joint: { type: 'ball' } },
        ...names.map((name, k) => ({
          name,
          parent: 'palm',
          rest: { position: [0, 1, 0] as const },
          joint: { type: 'hinge' as const, axis: [1, 0, 0.3 * k] as const },
          tip: [0, 0.5, 0] as const,
        })),
      ],
    });
    const points = figurePoints(figure);
    for (let n = 0; n < 60; n++) {
      const bends = names.map(() => 0.3 + random());
      // One hinge is straight, or its tip is missing: it tells nothing of the palm's roll.
      const silent = n % 3;
      if (n % 2 === 0) bends[silent] = 0;
      const given = Float64Array.from([...randomTriple(random, 1.5), ...bends]);
      const wanted = positionsOf(figure, given, points);
      if (n % 2 === 1) wanted.fill(Number.NaN, 3 * (4 + silent), 3 * (5 + silent));
      for (const follow of ['positions', 'directions'] as const) {
        const pose = createPose(figure);
        const { distances } = solvePositionsToPose(createPositionsToPose(figure, { follow }), wanted, pose);
        expect(
          distances.every((d) => !(d > 1e-8)),
          `${n} ${follow}`,
        ).toBe(true);
      }
    }
  });

  it('about the known direction: a missing point does not determine it', () => {
    const random = testRandom(62);
    const figure = createFigure({
      bones: [
        { name: 'upper', joint: { type: 'ball' } },
        {
          name: 'lower',
          parent: 'upper',
          rest: { position: [0, 1, 0] },
          joint: { type: 'hinge', axis: [1, 0, 0] },
          tip: [0, 0.8, 0],
        },
      ],
    });
    const points = [
      { bone: 'upper', point: [0.5, 0.2, 0.1] },
      { bone: 'lower' },
      { bone: 'lower', point: [0, 0.8, 0] },
    ];
    for (let n = 0; n < 40; n++) {
      const given = Float64Array.from([...randomTriple(random, 1.5), 0.2 + 2 * random()]);
      const wanted = positionsOf(figure, given, points);
      wanted.fill(Number.NaN, 0, 3);
      const pose = createPose(figure);
      const { distances } = solvePositionsToPose(createPositionsToPose(figure, { points }), wanted, pose);
      expect(distances[1]).toBeLessThan(1e-9);
      expect(distances[2]).toBeLessThan(1e-8);
    }
  });
});
