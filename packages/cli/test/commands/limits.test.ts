/** Limits of a human for a rig, in the words of the body. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWithData } from '@poise/test-support/shared-data';
import { createFigure, createState, type Figure, forwardKinematics, limitViolation } from 'poise/figure';
import { createHumanFigure, findHumanoid } from 'poise/humanoid';
import { describe, expect, test } from 'vitest';
import { movementsOf } from '../../src/io/body-limits.js';
import type { LimitsReport } from '../../src/limits/report.js';
import { poise, temporaryFolder } from '../support/command.js';

const folder = temporaryFolder();

async function report(...argv: string[]): Promise<LimitsReport> {
  const { status, out } = await poise('limits', ...argv, '--json');
  expect(status).toBe(0);
  return JSON.parse(out) as LimitsReport;
}

const human = createHumanFigure();

/** Where a bone's end goes, relative to its origin, by a movement of one coordinate: left, up and forward. */
function moved(figure: Figure, name: string, coordinate: number, angle: number): number[] {
  const bone = figure.bones.find((each) => each.name === name) as Figure['bones'][number];
  const pose = new Float64Array(figure.dof);
  const state = createState(figure);
  const end = (): number[] => {
    forwardKinematics(state, pose);
    const w = state.worldFromBone.subarray(12 * bone.index, 12 * bone.index + 12);
    const tip = bone.tip as readonly number[];
    return [0, 1, 2].map((r) => w[3 * r] * tip[0] + w[3 * r + 1] * tip[1] + w[3 * r + 2] * tip[2]);
  };
  const before = end();
  pose[bone.coordinate + coordinate] = angle;
  return end().map((x, k) => x - before[k]);
}

describe('a movement has the name of where it goes', () => {
  // +X is the body's left, +Y up, +Z forward.
  test.each([
    ['spine', 0, 'flexion', [0, 0, 1]],
    ['leftUpperLeg', 0, 'flexion', [0, 0, 1]],
    ['leftUpperLeg', 1, 'abduction', [1, 0, 0]],
    ['rightUpperLeg', 1, 'abduction', [-1, 0, 0]],
    ['leftLowerLeg', 0, 'flexion', [0, 0, -1]],
    ['leftUpperArm', 0, 'horizontal flexion', [0, 0, 1]],
    ['rightUpperArm', 0, 'horizontal flexion', [0, 0, 1]],
    ['leftUpperArm', 1, 'abduction', [0, 1, 0]],
    ['leftShoulder', 0, 'protraction', [0, 0, 1]],
    ['leftShoulder', 1, 'elevation', [0, 1, 0]],
    ['leftLowerArm', 0, 'flexion', [0, 0, 1]],
    ['leftHand', 1, 'extension', [0, 1, 0]],
    ['rightHand', 1, 'flexion', [0, -1, 0]],
    ['leftHand', 2, 'ulnar deviation', [0, 0, -1]],
    ['rightHand', 2, 'radial deviation', [0, 0, 1]],
    ['leftFoot', 0, 'dorsiflexion', [0, 1, 0]],
    ['leftToes', 0, 'extension', [0, 1, 0]],
  ] as const)('%s, coordinate %i: %s', (name, coordinate, movement, direction) => {
    const bone = human.bones.find((each) => each.name === name)?.index as number;
    const found = movementsOf(human, bone, name).slice(2 * coordinate, 2 * coordinate + 2);
    const at = found.findIndex((each) => each.name === movement);
    expect(found.map((each) => each.name)).toContain(movement);
    const there = moved(human, name, coordinate, at === 1 ? 0.3 : -0.3);
    const along = there.reduce((sum, x, k) => sum + x * direction[k], 0);
    expect(along).toBeGreaterThan(0.8 * Math.hypot(...there));
  });
});

test('of the built-in human, as text', async () => {
  const { status, out, err } = await poise('limits');
  expect([status, err]).toEqual([0, '']);
  expect(out).toContain('extension 14°, flexion 45°, lateral bending ±15°, rotation ±8°');
  expect(out).toContain('leftLowerLeg   leftLowerLeg   0.95  flexion 140°');
});

test.each([
  [['--picture', join(folder, 'x.png')], 'unsupported'],
  [['--picture', '-', '--json'], 'unsupported'],
  [['--human', 'leftHand=x'], 'unsupported'],
  [[join(folder, 'none.glb')], 'missing-resource'],
  [['-o', join(folder, 'x.glb')], 'unsupported'],
])('refuses %j: %s', async (argv, code) => {
  const { status, err } = await poise('limits', ...argv);
  expect([status, err]).toEqual([2, expect.stringMatching(new RegExp(`^error\\[${code}\\]`))]);
});

test('refuses what is not a humanoid', async () => {
  const arm = join(folder, 'arm.json');
  writeFileSync(arm, JSON.stringify({ name: 'arm', bones: [{ name: 'a', joint: { type: 'ball' } }] }));
  const { status, err } = await poise('limits', arm);
  expect([status, err]).toEqual([
    2,
    expect.stringMatching(/^error\[unsupported\] .*is not a humanoid: .* Name its bones, --human hips=NAME/),
  ]);
});

describeWithData('poise limits of a character', 'gltf/KayKit_Knight.glb', (path) => {
  test('writes a figure that has them', async () => {
    const output = join(folder, 'knight.json');
    const said = await report(path, '-o', output);
    const knee = said.bones.find((each) => each.human === 'leftLowerLeg');
    expect(knee).toMatchObject({ bone: 'lowerleg.l', joint: expect.stringMatching(/^hinge/) });
    // The rest pose has bent knees: the range is that of a knee, 0 to 140 degrees.
    expect(knee?.movements?.reduce((sum, each) => sum + each.degrees, 0)).toBeCloseTo(140, 6);
    const figure = createFigure(JSON.parse(readFileSync(output, 'utf8')));
    const { bones } = findHumanoid(figure) ?? {};
    expect(figure.bones[bones?.leftLowerLeg as number].joint.type).toBe('hinge');
    expect(limitViolation(figure, new Float64Array(figure.dof))).toBe(0);
    expect((await poise('inspect', output)).status).toBe(0);
  });
});

describeWithData('poise limits of a robot', 'mjcf/unitree_g1.xml', (path) => {
  test('has the limits of all hinges of a joint', async () => {
    const { bones } = await report(path);
    const leg = bones.find((each) => each.human === 'leftUpperLeg');
    expect(leg?.movements).toBeUndefined();
    expect(leg?.text).toMatch(/^left_hip_pitch_link .*, left_hip_roll_link .*, ±158°$/);
  });
});
