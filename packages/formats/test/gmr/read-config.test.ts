import { readGmrConfig } from '@poise/formats';
import { expect, test } from 'vitest';

const MATCH = ['Hips', 0, 10, [0.1, 0, 0], [0, 2, 0, 0]];
const CONFIG = {
  robot_root_name: 'pelvis',
  human_root_name: 'Hips',
  ground_height: 0.1,
  human_height_assumption: 1.75,
  use_ik_match_table1: true,
  use_ik_match_table2: false,
  human_scale_table: { Hips: 0.9, LeftArm: 0.75 },
  ik_match_table1: { pelvis: MATCH },
  ik_match_table2: { pelvis: MATCH },
};

test('a configuration, with unit quaternions x y z w', () => {
  expect(readGmrConfig(JSON.stringify(CONFIG))).toEqual({
    robotRoot: 'pelvis',
    humanRoot: 'Hips',
    groundHeight: 0.1,
    humanHeight: 1.75,
    scales: new Map([
      ['Hips', 0.9],
      ['LeftArm', 0.75],
    ]),
    first: [
      {
        robot: 'pelvis',
        human: 'Hips',
        positionWeight: 0,
        rotationWeight: 10,
        position: [0.1, 0, 0],
        rotation: [1, 0, 0, 0],
      },
    ],
    second: [],
  });
});

test.each([
  ['no root', { robot_root_name: undefined }, 'invalid-file', 'ik_config.json#/robot_root_name'],
  ['a scale that is none', { human_scale_table: { Hips: 'x' } }, 'invalid-file', /human_scale_table\/Hips/],
  [
    'too few numbers',
    { ik_match_table1: { a: ['Hips', 1, 1, [0, 0], [1, 0, 0, 0]] } },
    'wrong-size',
    /table1\/a\/3/,
  ],
  [
    'no rotation',
    { ik_match_table1: { a: ['Hips', 1, 1, [0, 0, 0], [0, 0, 0, 0]] } },
    'not-unit',
    /table1\/a\/4/,
  ],
  [
    'a negative weight',
    { ik_match_table1: { a: ['Hips', -1, 1, [0, 0, 0], [1, 0, 0, 0]] } },
    'out-of-range',
    /table1\/a/,
  ],
  ['a match that is none', { ik_match_table1: { a: 5 } }, 'invalid-file', /table1\/a/],
])('refuses %s', (_, change, code, path) => {
  expect(() => readGmrConfig(JSON.stringify({ ...CONFIG, ...change }))).toThrow(
    expect.objectContaining({ code, path: expect.stringMatching(path) }),
  );
});
