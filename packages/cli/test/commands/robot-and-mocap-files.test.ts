/** MJCF, ASF and AMC in the commands, and BVH out of them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBvh } from '@poise/formats';
import { describeWithData } from '@poise/test-support/shared-data';
import { describe, expect, test } from 'vitest';
import { poise, temporaryFolder } from '../support/command.js';

const folder = temporaryFolder();
const at = (name: string): string => join(folder, name);
const write = (name: string, content: string): string => {
  writeFileSync(at(name), content);
  return at(name);
};

const MJCF =
  '<mujoco model="leg"><include file="more.xml"/><worldbody><body name="thigh"><joint name="hip" axis="0 1 0" range="-90 90"/><geom size="0.1" mass="2"/><body name="shin" pos="0 0 -0.4"/></body></worldbody></mujoco>';

describe('an MJCF model', () => {
  test('is inspected, with its joints and masses, and posed', async () => {
    const model = write('leg.xml', MJCF);
    const { status, out } = await poise('inspect', model);
    expect([status, out]).toEqual([0, expect.stringMatching(/^leg \(leg\.xml\)\n.*2 kg.*\+Z up/)]);
    expect(out).toMatch(/thigh +hip +hinge/);
    expect(out).toContain("'more.xml' is left out: the file does not exist");
    const { out: text } = await poise('inspect', model, '--json');
    expect(JSON.parse(text).joints).toEqual([expect.objectContaining({ name: 'hip', qposIndex: 0 })]);
    const posed = await poise('pose', model, '--goal', 'shin=-0.4,0,0', '--json');
    expect([posed.status, JSON.parse(posed.out).status]).toEqual([0, 'converged']);
    // What it includes stands beside it.
    write('more.xml', '<mujocoinclude><worldbody><body name="box"/></worldbody></mujocoinclude>');
    expect(JSON.parse((await poise('inspect', model, '--json')).out).totals.bones).toBe(3);
  });
});

describeWithData('motion capture', 'amc/cmu_09_run.asf', (path) => {
  const take = path.replace('cmu_09_run.asf', 'cmu_09_06_run.amc');

  test('an .amc with its .asf becomes a BVH, and a BVH a BVH with the same numbers', async () => {
    expect((await poise('inspect', path)).out).toMatch(/31 bones, 70 degrees of freedom/);
    const { status, err } = await poise('convert', take, '--rig', path, '-o', at('run.bvh'), '--rate', '120');
    expect([status, err]).toEqual([0, '']);
    const first = readBvh(readFileSync(at('run.bvh')), { scale: 0.01 });
    expect([first.frames, first.figure.bones.length]).toEqual([141, 31]);
    expect((await poise('convert', at('run.bvh'), '-o', at('again.bvh'))).status).toBe(0);
    const second = readBvh(readFileSync(at('again.bvh')), { scale: 0.01 });
    expect(Array.from(second.layout.values)).toEqual(Array.from(first.layout.values));
  });

  test('an .amc without its skeleton says what is missing', async () => {
    const inspected = await poise('inspect', take);
    expect([inspected.status, inspected.err]).toEqual([
      2,
      expect.stringMatching(/without its skeleton.*--rig SKELETON\.asf/),
    ]);
    const { status, err } = await poise('convert', take, '-o', at('run.bvh'));
    expect([status, err]).toEqual([2, expect.stringMatching(/needs the \.asf file.*--rig SKELETON\.asf/)]);
  });
});

describeWithData('a character', 'gltf/CesiumMan.gltf', (path) => {
  test('its animation becomes a BVH', async () => {
    const { status } = await poise('convert', path, '-o', at('man.bvh'), '--rate', '30');
    expect(status).toBe(0);
    expect(readBvh(readFileSync(at('man.bvh')), { scale: 0.01 }).frames).toBeGreaterThan(55);
  });
});
