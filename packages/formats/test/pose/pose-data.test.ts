import fc from 'fast-check';
import { FormatError } from 'poise';
import { createFigure } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import { describe, expect, test } from 'vitest';
import { type PoseData, poseFromData, poseToData, readPose } from '../../src/pose/index.js';

const human = createHumanFigure();
const standing = poseToData(human, new Float64Array(human.dof));

function refusal(act: () => unknown): FormatError {
  try {
    act();
  } catch (error) {
    if (error instanceof FormatError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

const textOf = (change: object) => JSON.stringify({ ...standing, ...change });

describe('a pose file', () => {
  test('gives back the pose written, to the bit, with height and pins', () => {
    const number = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(fc.array(number, { minLength: human.dof, maxLength: human.dof }), (values) => {
        const pose = Float64Array.from(values, (value) => value + 0);
        const data = readPose(JSON.stringify(poseToData(human, pose, { height: 1.6, pins: ['leftFoot'] })));
        expect(data).toMatchObject({ figure: 'human', height: 1.6, pins: ['leftFoot'] });
        expect(poseFromData(human, data)).toEqual(pose);
      }),
      { numRuns: 50 },
    );
  });

  test('names every bone that has coordinates, and no other', () => {
    const free = human.bones.filter(({ dof }) => dof > 0);
    expect(Object.keys(standing.bones)).toEqual(free.map(({ name }) => name));
    for (const { name, dof } of free) expect(standing.bones[name]).toHaveLength(dof);
  });

  test('may leave out bones, which are at rest then, and be in any order', () => {
    const data = readPose(textOf({ bones: { rightLowerLeg: [0.4], leftLowerLeg: [0.3] } }));
    const pose = poseFromData(human, data);
    const knee = human.bones.find(({ name }) => name === 'leftLowerLeg');
    expect(pose[knee?.coordinate ?? -1]).toBe(0.3);
    expect(pose.reduce((sum, x) => sum + x)).toBeCloseTo(0.7, 15);
  });

  test("finds a bone as three.js's loaders write its name, after its own", () => {
    const hinge = { type: 'hinge', axis: [1, 0, 0] } as const;
    const named = (...names: string[]) =>
      createFigure({ name: 'arm', bones: names.map((name) => ({ name, parent: null, joint: hinge })) });
    const data = (bones: PoseData['bones']): PoseData => ({ ...standing, bones });
    expect([...poseFromData(named('arm.l', 'Left leg'), data({ arml: [0.1], Left_leg: [0.2] }))]).toEqual([
      0.1, 0.2,
    ]);
    expect([...poseFromData(named('arml'), data({ 'arm.l': [0.1] }))]).toEqual([0.1]);
    expect([...poseFromData(named('arm.l', 'arml'), data({ arml: [0.1] }))]).toEqual([0, 0.1]);
    // One that two bones share, and one of a bone that is there by its own name.
    expect(() => poseFromData(named('arm.l', 'arm:l'), data({ arml: [0.1] }))).toThrow(
      'no bone of this name',
    );
    expect(() => poseFromData(named('arm.l'), data({ 'arm.l': [0.1], arml: [0.2] }))).toThrow(
      'no bone of this name',
    );
  });

  test('is found in the report of the command line', () => {
    const report = { format: 'poise-pose-report', version: 1, pose: standing };
    expect(readPose(JSON.stringify(report))).toEqual(standing);
  });

  test('reads bones with names that objects have of their own', () => {
    const odd = createFigure({
      name: 'odd',
      bones: ['__proto__', 'constructor'].map((name) => ({
        name,
        parent: null,
        rest: { position: [0, 0, 0] },
        joint: { type: 'hinge', axis: [1, 0, 0] },
      })),
    });
    const data = readPose(JSON.stringify(poseToData(odd, [0.1, 0.2])));
    expect([...poseFromData(odd, data)]).toEqual([0.1, 0.2]);
  });
});

describe('invalid poses are refused, with location and remedy', () => {
  test.each([
    ['no JSON', '{', 'invalid-file', 'a.json'],
    ['nothing', '', 'invalid-file', 'a.json'],
    ['null', 'null', 'invalid-file', 'a.json'],
    ['a list', '[]', 'invalid-file', 'a.json'],
    ['a figure', '{"name":"human","bones":[]}', 'invalid-file', 'a.json'],
    ['a report without a pose', '{"format":"poise-pose-report"}', 'invalid-file', 'a.json'],
    ['a later version', textOf({ version: 2 }), 'unsupported', 'a.json#version'],
    ['no name', textOf({ figure: 3 }), 'invalid-file', 'a.json#figure'],
    ['a height of 0', textOf({ height: 0 }), 'invalid-file', 'a.json#height'],
    ['a height in words', textOf({ height: 'tall' }), 'invalid-file', 'a.json#height'],
    ['bones in a list', textOf({ bones: [] }), 'invalid-file', 'a.json#bones'],
    ['a number for a bone', textOf({ bones: { hips: 1 } }), 'invalid-file', 'a.json#bones.hips'],
    ['null among numbers', textOf({ bones: { hips: [0, null] } }), 'not-finite', 'a.json#bones.hips[1]'],
    [
      'a number too large',
      textOf({}).replace('"leftLowerLeg":[0]', '"leftLowerLeg":[1e999]'),
      'not-finite',
      'a.json#bones.leftLowerLeg[0]',
    ],
    ['pins that are no names', textOf({ pins: [1] }), 'invalid-file', 'a.json#pins'],
  ])('%s', (_, text, code, path) => {
    const error = refusal(() => readPose(text, { source: 'a.json' }));
    expect([error.code, error.path]).toEqual([code, path]);
    expect(error.remedy).not.toBe('');
  });

  test('a bone that the figure lacks: the nearest name is in the remedy', () => {
    const error = refusal(() =>
      poseFromData(human, readPose(textOf({ bones: { leftHnad: [0, 0] } })), { source: 'a.json' }),
    );
    expect([error.code, error.path]).toEqual(['unknown-name', 'a.json#bones.leftHnad']);
    expect(error.remedy).toContain("'leftHand'");
  });

  test('too many or too few numbers for a joint', () => {
    for (const values of [[], [0, 0]]) {
      const data = readPose(textOf({ bones: { leftLowerLeg: values } }));
      const { code, message } = refusal(() => poseFromData(human, data));
      expect(code).toBe('wrong-size');
      expect(message).toMatch(
        /the hinge joint has 1\. Make the figure with the joints that the pose was written for/,
      );
    }
  });
});
