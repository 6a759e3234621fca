/** MJCF, ASF and AMC in the commands; BVH, AMC and VRM animations out of them. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readAmc, readAsf, readBvh, readGltfAnimation, readGltfRig, vrmHumanoid } from '@poise/formats';
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

  test('an .amc at its own rate keeps skeleton and numbers; at another rate it gets a skeleton', async () => {
    const own = await poise('convert', take, '--rig', path, '-o', at('own.amc'));
    expect([own.status, own.err, existsSync(at('own.asf'))]).toEqual([0, '', false]);
    const skeleton = readAsf(readFileSync(path));
    const given = readAmc(readFileSync(take), skeleton);
    expect(readAmc(readFileSync(at('own.amc')), skeleton).values).toEqual(given.values);

    const slow = await poise('convert', take, '--rig', path, '-o', at('slow.amc'), '--rate', '60');
    expect([slow.status, slow.err]).toEqual([0, '']);
    expect(slow.out).toContain(`wrote ${at('slow.asf')}: its skeleton`);
    const again = readAmc(readFileSync(at('slow.amc')), readAsf(readFileSync(at('slow.asf'))));
    expect(again.frames).toBe(71);
    const copy = write('mine.asf', readFileSync(path, 'utf8'));
    const refused = await poise('convert', take, '--rig', copy, '-o', at('mine.amc'), '--rate', '60');
    expect([refused.status, refused.err]).toEqual([
      2,
      expect.stringContaining('is an input of this command'),
    ]);
  });

  test('whose legs stand apart at rest is no T-pose: refused as a .vrma with the cure, which works', async () => {
    const { status, err } = await poise('convert', take, '--rig', path, '-o', at('run.vrma'));
    expect([status, err]).toEqual([
      2,
      expect.stringMatching(/leftUpperLeg is 20 degrees off.*poise retarget CLIP human -o/),
    ]);
    const cured = await poise('retarget', take, 'human', '--rig', path, '-o', at('run.vrma'));
    expect(cured.status).toBe(0);
    const rig = readGltfRig(readFileSync(at('run.vrma')));
    expect(vrmHumanoid(rig)).toMatchObject({ hips: 'hips', leftToes: 'leftToes' });
    expect(readGltfAnimation(rig).motion.end).toBeCloseTo(140 / 120, 6);
  });

  test('an .amc without its skeleton says what is missing', async () => {
    const inspected = await poise('inspect', take);
    expect([inspected.status, inspected.err]).toEqual([
      2,
      expect.stringMatching(/needs the \.asf.*--rig SKELETON\.asf/),
    ]);
    const { status, err } = await poise('convert', take, '-o', at('run.bvh'));
    expect([status, err]).toEqual([2, expect.stringMatching(/needs the \.asf file.*--rig SKELETON\.asf/)]);
  });
});

describeWithData('a recording in T-pose at rest', 'bvh/walk01.bvh', (path) => {
  test('becomes a VRM animation, that one again, and an .amc with its .asf', async () => {
    const { status, out, err } = await poise('convert', path, '-o', at('walk.vrma'));
    expect([status, out, err]).toEqual([0, expect.stringContaining('walk.vrma: 4.167 s'), expect.anything()]);
    expect((await poise('convert', at('walk.vrma'), '-o', at('again.vrma'))).status).toBe(0);
    const names = ['walk.vrma', 'again.vrma'].map((name) => vrmHumanoid(readGltfRig(readFileSync(at(name)))));
    expect(names[1]).toEqual(names[0]);
    const rate = await poise('convert', path, '-o', at('walk.vrma'), '--rate', '30');
    expect([rate.status, rate.err]).toEqual([2, expect.stringContaining('--rate')]);

    const report = await poise('convert', path, '-o', at('walk.amc'), '--json');
    expect(JSON.parse(report.out)).toMatchObject({ output: at('walk.amc'), skeleton: at('walk.asf') });
    const clip = readAmc(readFileSync(at('walk.amc')), readAsf(readFileSync(at('walk.asf'))));
    expect(clip.frames).toBe(501); // 120 a second, as programs expect
  });
});

describeWithData('a character', 'gltf/CesiumMan.gltf', (path) => {
  test('its animation becomes a BVH', async () => {
    const { status } = await poise('convert', path, '-o', at('man.bvh'), '--rate', '30');
    expect(status).toBe(0);
    expect(readBvh(readFileSync(at('man.bvh')), { scale: 0.01 }).frames).toBeGreaterThan(55);
  });
});
