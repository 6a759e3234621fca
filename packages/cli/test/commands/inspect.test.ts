import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWithData } from '@poise/test-support/shared-data';
import { createFigure, figureToData } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import { describe, expect, test } from 'vitest';
import type { Inspection } from '../../src/inspect/inspection.js';
import { figureDataOf } from '../../src/io/source.js';
import { poise, temporaryFolder } from '../support/command.js';

const folder = temporaryFolder();
const inspected = async (...argv: string[]) => {
  const said = await poise('inspect', ...argv, '--json');
  expect([said.status, said.err]).toEqual([0, '']);
  return JSON.parse(said.out) as Inspection;
};

describe('poise inspect, without a rig', () => {
  test('draws the built-in figure as a tree with joints, limits in degrees and tips', async () => {
    const { status, out, err } = await poise('inspect');
    expect([status, err]).toEqual([0, '']);
    const lines = out.split('\n');
    expect(lines[0]).toBe('human (built-in figure)');
    expect(lines[1]).toBe('22 bones, 53 degrees of freedom, 1.75 m high (bone origins and tips)');
    const row = lines.find((text) => text.includes('leftLowerArm')) as string;
    expect(row).toMatch(
      /│ {3}│ {2}└─ leftLowerArm +hinge about -y +1 +0\.\.150° +0\.27, 0, 0$|└─ leftLowerArm +hinge about -y +1 +0\.\.150° +0\.27, 0, 0$/,
    );
    expect(lines.filter((text) => /[├└]─ /.test(text))).toHaveLength(21);
    expect(out).toMatch(/^hips +free +6 .*whole body$/m);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: an escape would be a colour.
    expect(out).not.toMatch(/\u001b/);
  });

  test('takes a height', async () => {
    expect((await poise('inspect', '--height', '1.6')).out).toMatch(/1\.6 m high/);
  });

  test('--json is a figure file: read back, it is the same figure', async () => {
    const human = createHumanFigure({ height: 1.6 });
    const inspection = await inspected('--height', '1.6');
    expect(figureToData(createFigure(figureDataOf(inspection)))).toEqual(figureToData(human));
    const path = join(folder, 'human.json');
    writeFileSync(path, JSON.stringify(inspection));
    const again = await inspected(path);
    expect(again.bones).toEqual(inspection.bones);
    expect(again.source).toEqual({ kind: 'figure', path });
  });

  test('--json has everything, under the names that docs/cli.md promises', async () => {
    const inspection = await inspected();
    expect(Object.keys(inspection)).toEqual([
      'format',
      'version',
      'source',
      'name',
      'up',
      'totals',
      'bounds',
      'bones',
      'warnings',
    ]);
    expect(inspection).toMatchObject({
      format: 'poise-inspect',
      version: 1,
      source: { kind: 'built-in' },
      totals: { bones: 22, dof: 53, height: expect.closeTo(1.75, 12), skins: 0, animations: 0, meshes: 0 },
    });
    expect(inspection.bounds.min[1]).toBeCloseTo(0, 12);
    expect(inspection.bounds.max[1]).toBeCloseTo(1.75, 12);
    const arm = inspection.bones.find(({ name }) => name === 'leftLowerArm');
    expect(arm).toMatchObject({
      parent: 'leftUpperArm',
      dof: 1,
      joint: { type: 'hinge', axis: [0, -1, 0] },
      limit: { type: 'interval', min: 0 },
      drawn: true,
      wholeBody: false,
    });
    expect(arm?.position[1]).toBeGreaterThan(1.3);
  });
});

describeWithData('poise inspect on rigs', 'gltf', (data) => {
  test.each([
    ['CesiumMan.gltf', { bones: 21, dof: 60, skins: 1, animations: 1, meshes: 1 }],
    ['KayKit_Knight.glb', { bones: 42, dof: 126, skins: 1, animations: 76, meshes: 15 }],
    ['RobotExpressive.glb', { bones: 44, dof: 132, skins: 1, animations: 14, meshes: 14 }],
    ['webxr_hand_left.glb', { bones: 26, dof: 78, skins: 1, animations: 0, meshes: 1 }],
    ['Fox.glb', { bones: 25, dof: 75, skins: 1, animations: 3, meshes: 1 }],
  ])('%s: every bone in the tree, the totals of the file', async (file, totals) => {
    const path = join(data, file);
    const inspection = await inspected(path);
    expect(inspection.totals).toEqual({ ...totals, height: expect.any(Number) });
    expect(inspection.file?.source).toBe(file);
    const { out } = await poise('inspect', path);
    for (const { name } of inspection.bones) expect(out).toContain(name);
  });

  test("the knight's controls draw nothing, and root and hips move the whole body", async () => {
    const { bones } = await inspected(join(data, 'KayKit_Knight.glb'));
    const controls = bones.filter(({ name }) => /IK|control/.test(name));
    expect(controls).toHaveLength(18);
    expect(controls.every(({ drawn }) => !drawn)).toBe(true);
    expect(bones.filter(({ wholeBody }) => wholeBody).map(({ name }) => name)).toEqual(['root', 'hips']);
  });

  test('the joints of a flat WebXR hand are read as a hand, with a word about it', async () => {
    const { bones, warnings } = await inspected(join(data, 'webxr_hand_left.glb'));
    expect(bones.find(({ name }) => name === 'index-finger-tip')?.parent).toBe('index-finger-phalanx-distal');
    expect(warnings).toEqual([expect.stringContaining('wrist with fingers')]);
    expect((await poise('inspect', join(data, 'webxr_hand_left.glb'))).out).toContain('warning: ');
  });
});
