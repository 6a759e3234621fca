/** Clips, several inputs, patterns and stdin. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWithData } from '@poise/test-support/shared-data';
import { describe, expect, test } from 'vitest';
import type { InspectionList } from '../../src/commands/inspect.js';
import type { Inspection } from '../../src/inspect/inspection.js';
import { expandPaths } from '../../src/io/glob.js';
import { run } from '../../src/run.js';
import { poise, temporaryFolder } from '../support/command.js';
import { blockScene } from '../support/scenes.js';

const folder = temporaryFolder();
const at = (name: string): string => join(folder, name);
const write = (name: string, content: unknown): string => {
  writeFileSync(at(name), typeof content === 'string' ? content : JSON.stringify(content));
  return at(name);
};

const BVH = `HIERARCHY
ROOT hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT knee
  {
    OFFSET 0 -0.45 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 -0.4 0
    }
  }
}
MOTION
Frames: 4
Frame Time: 0.04
0 0.9 0 0 0 0 0 0 0
0 0.9 0 0 0 0 0 45 0
0 0.9 0 0 0 0 0 90 0
0 0.9 0 0 0 0 0 90 0
`;

async function piped(input: string | Uint8Array, ...argv: string[]) {
  const said = { out: '', err: '' };
  const status = await run(argv, {
    out: (text) => {
      said.out += text;
    },
    err: (text) => {
      said.err += text;
    },
    input: async () => Buffer.from(input),
    color: false,
  });
  return { status, ...said };
}

describe('a .bvh', () => {
  test('is shown with its skeleton and its clip', async () => {
    const { status, out } = await poise('inspect', write('step.bvh', BVH));
    expect(status).toBe(0);
    expect(out).toMatch(/^step \(step\.bvh\)\n2 bones, 9 degrees of freedom/);
    expect(out).toMatch(/^clip +length \(s\) +frames +per second +channels\nstep +0\.12 +4 +25 +2$/m);
  });

  test('as JSON', async () => {
    const { out } = await poise('inspect', write('step.bvh', BVH), '--json');
    expect(JSON.parse(out)).toMatchObject({
      source: { kind: 'bvh' },
      totals: { bones: 2, dof: 9, animations: 1 },
      clips: [{ name: 'step', start: 0, end: 0.12, frames: 4, rate: 25, channels: 2 }],
    });
  });
});

describeWithData('animations of a glTF', 'gltf/Fox.glb', (path) => {
  test('have the durations of the file, by its accessors', async () => {
    const bytes = readFileSync(path);
    const json = JSON.parse(bytes.toString('utf8', 20, 20 + bytes.readUInt32LE(12)));
    const { out } = await poise('inspect', path, '--json');
    const { clips = [] } = JSON.parse(out) as Inspection;
    expect(clips.map(({ name }) => name)).toEqual(['Survey', 'Walk', 'Run']);
    for (const [i, { name, samplers, channels }] of json.animations.entries()) {
      const times = samplers.map(({ input }: { input: number }) => json.accessors[input]);
      expect(clips[i]).toMatchObject({ name, channels: channels.length });
      expect(clips[i].start).toBe(Math.min(...times.map(({ min }: { min: number[] }) => min[0])));
      expect(clips[i].end).toBe(Math.max(...times.map(({ max }: { max: number[] }) => max[0])));
      expect(clips[i].frames).toBe(Math.max(...times.map(({ count }: { count: number }) => count)));
    }
    // 'Run' has no keys for 0.2 s.
    expect(clips.map(({ rate }) => rate)).toEqual([24, 24, undefined]);
    expect((await poise('inspect', path)).out).toMatch(/^Survey +3\.417 +83 +24 +\d+$/m);
  });
});

test('motions, poses and scenes of Poise', async () => {
  const scene = write('move.json', blockScene());
  await poise('optimize', scene, '-o', at('motion.json'));
  const { out } = await poise('inspect', at('motion.json'), '--json');
  expect(JSON.parse(out)).toMatchObject({
    source: { kind: 'motion', path: at('motion.json') },
    figure: 'block',
    clips: [{ name: 'move', start: 0, end: 1, channels: 1 }],
  });
  await poise('pose', '--goal', 'leftHand=0.3,1.4,0.4', '-o', at('pose.json'));
  expect((await poise('inspect', at('pose.json'))).out).toMatch(/^human \(pose\.json\): a pose of human/);
  expect((await poise('inspect', scene)).out).toMatch(/^move \(move\.json\): a scene of 5 terms, 1 s/);
  await poise('optimize', scene, '--rate', '10', '-o', at('samples.json'));
  const samples = await poise('inspect', at('samples.json'), '--json');
  expect(JSON.parse(samples.out)).toMatchObject({
    source: { kind: 'trajectory' },
    clips: [{ name: 'block', start: 0, end: 1, frames: 11, rate: 10, channels: 1 }],
  });
  const report = write('report.json', (await poise('pose', '--goal', 'leftHand=0.3,1.4,0.4', '--json')).out);
  expect((await poise('inspect', report)).err).toContain(
    "a file of the format 'poise-pose-report', not a figure",
  );
  const damaged = write('bad.json', {
    format: 'poise-motion',
    version: 1,
    figure: 'a',
    motion: { tracks: [{}] },
  });
  expect((await poise('inspect', damaged)).status).toBe(2);
});

describe('an unknown kind of file', () => {
  test('is refused with the known ones, and told by its content', async () => {
    const { status, err } = await poise('inspect', write('a.fbx', 'Kaydara FBX Binary'));
    expect([status, err]).toEqual([2, expect.stringMatching(/'\.fbx' is no kind.*\.glb.*\.bvh.*\.urdf/)]);
    expect((await poise('inspect', write('empty', ''))).err).toContain('is empty');
    expect((await poise('inspect', write('walk.txt', BVH))).out).toMatch(/^walk\.txt \(walk\.txt\)\n2 bones/);
  });
});

describe('several inputs', () => {
  test('are all shown, whatever becomes of one, with a summary and a status of their own', async () => {
    const [good, bad] = [write('good.bvh', BVH), write('bad.bvh', 'HIERARCHY')];
    const { status, out, err } = await poise('inspect', good, bad, at('none.glb'), good);
    expect(status).toBe(4);
    expect(out).toMatch(/^good \(good\.bvh\)/);
    expect(out).toMatch(/\n3 files: 1 inspected, 2 failed\n$/);
    expect(err.split('\n').filter((line) => line.startsWith('error['))).toHaveLength(2);
    expect((await poise('inspect', bad, at('none.glb'))).status).toBe(2);
    expect((await poise('inspect', good, write('other.bvh', BVH))).status).toBe(0);
  });

  test('--json has a result for each', async () => {
    const [good, bad] = [write('good.bvh', BVH), write('bad.bvh', 'HIERARCHY')];
    const { status, out } = await poise('inspect', bad, good, '--json');
    const list = JSON.parse(out) as InspectionList;
    expect([status, list.done, list.failed]).toEqual([4, 1, 1]);
    expect(list.results).toMatchObject([
      { format: 'poise-error', code: 'invalid-file' },
      { format: 'poise-inspect', name: 'good' },
    ]);
  });

  test('a pattern is a list, whoever expands it', async () => {
    mkdirSync(at('clips'));
    write('clips/b.bvh', BVH);
    write('clips/a.bvh', BVH);
    const { status, out } = await poise('inspect', at('clips/*.bvh'), '--json');
    const { results } = JSON.parse(out) as InspectionList;
    expect([status, results.map((result) => 'name' in result && result.name)]).toEqual([0, ['a', 'b']]);
    const none = await poise('inspect', at('clips/*.glb'));
    expect([none.status, none.err]).toEqual([2, expect.stringContaining('*.glb')]);
  });
});

test('patterns match as in a shell', async () => {
  for (const name of ['p', 'p/q', 'p/q/r', 'p/.hidden']) mkdirSync(at(name));
  for (const name of [
    'p/a.bvh',
    'p/b.glb',
    'p/[x].bvh',
    'p/q/c.bvh',
    'p/q/r/d.bvh',
    'p/.hidden/e.bvh',
    'p/.f.bvh',
  ]) {
    write(name, '');
  }
  symlinkSync(at('p'), at('p/q/loop'));
  const found = async (...patterns: string[]) =>
    (await expandPaths(patterns.map((pattern) => at(pattern)))).map((path) => path.slice(folder.length + 1));
  expect(await found('p/*.bvh')).toEqual(['p/[x].bvh', 'p/a.bvh']);
  expect(await found('p/*.{glb,bvh}')).toEqual(['p/[x].bvh', 'p/a.bvh', 'p/b.glb']);
  expect(await found('p/?.*')).toEqual(['p/a.bvh', 'p/b.glb']);
  expect(await found('p/[ab].*')).toEqual(['p/a.bvh', 'p/b.glb']);
  expect(await found('p/[!a].*')).toEqual(['p/b.glb']);
  expect(await found('p/**/*.bvh')).toEqual(['p/[x].bvh', 'p/a.bvh', 'p/q/c.bvh', 'p/q/r/d.bvh']);
  expect(await found('p/.*.bvh')).toEqual(['p/.f.bvh']);
  // A name that is there is itself, and a pattern without a file stays.
  expect(await found('p/[x].bvh', 'p/a.bvh', 'p/a.*', 'p/[z-a]', 'p/none*')).toEqual([
    'p/[x].bvh',
    'p/a.bvh',
    'p/[z-a]',
    'p/none*',
  ]);
  expect(await expandPaths(['-', '-'])).toEqual(['-']);
  symlinkSync('gone.bvh', at('p/lost.bvh'));
  expect(await found('p/l*.bvh')).toEqual(['p/lost.bvh']);
  // What cannot be read is not left out without a word.
  await expect(found(`p/${'x'.repeat(300)}/*.bvh`)).rejects.toThrow(/cannot be read \(ENAMETOOLONG\)/);
  for (const more of [[], [at('p/none.bvh')]]) {
    const { status, err } = await poise('inspect', at('p/none*'), ...more);
    expect(status).toBe(2);
    expect(err).toContain(
      `error[missing-resource] ${at('p/none*')}: this pattern matches no file. Check the folder`,
    );
    expect(err.includes('there is no such file')).toBe(more.length > 0);
  }
});

describe('stdin', () => {
  test('is told by its content', async () => {
    expect((await piped(BVH, 'inspect', '-')).out).toMatch(/^stdin \(-\)\n2 bones/);
    const human = (await poise('inspect', '--json')).out;
    expect((await piped(human, 'inspect', '-')).out).toMatch(/22 bones/);
    const posed = await piped(human, 'pose', '-', '--goal', 'leftHand=0.35,1.45,0.45', '--json');
    expect([posed.status, JSON.parse(posed.out).source]).toEqual([0, { kind: 'figure', path: '-' }]);
    expect((await piped(JSON.stringify(blockScene()), 'optimize', '-')).status).toBe(0);
    await poise('pose', '--goal', 'leftHand=0.35,1.45,0.45', '-o', at('rig.glb'));
    expect((await piped(readFileSync(at('rig.glb')), 'inspect', '-')).out).toMatch(/22 bones/);
  });

  test('that is empty or of no known kind is refused', async () => {
    expect(await piped('', 'inspect', '-')).toMatchObject({
      status: 2,
      err: expect.stringContaining('is empty'),
    });
    expect(await piped('hello', 'inspect', '-')).toMatchObject({ status: 2 });
    expect((await poise('inspect', '-')).status).toBe(2);
  });
});

describe('a folder', () => {
  test('is the files in it that can be shown, in the order of their names', async () => {
    mkdirSync(at('mocap'));
    write('mocap/b.bvh', BVH);
    write('mocap/a.bvh', BVH);
    write('mocap/notes.txt', 'walks');
    write('mocap/c.amc', ':FULLY-SPECIFIED');
    const { status, out } = await poise('inspect', at('mocap'), '--json');
    expect(status).toBe(0);
    const { done, failed, results } = JSON.parse(out) as InspectionList;
    expect([done, failed]).toEqual([2, 0]);
    expect(results.map((each) => (each as Inspection).source.path)).toEqual([
      at('mocap/a.bvh'),
      at('mocap/b.bvh'),
    ]);
  });

  test('without such a file is refused', async () => {
    mkdirSync(at('bare'));
    const { status, err } = await poise('inspect', at('bare'));
    expect([status, err]).toEqual([
      2,
      expect.stringMatching(/bare: this folder has no file that is shown\. Give /),
    ]);
  });
});

describe('markers', () => {
  const trc = write(
    'walk.trc',
    [
      'PathFileType\t4\t(X/Y/Z)\twalk.trc',
      'DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits',
      '50\t50\t4\t2\tmm',
      'Frame#\tTime\tHIP\t\t\tKNEE\t\t',
      '\t\tX1\tY1\tZ1\tX2\tY2\tZ2',
      '1\t0.000\t0\t900\t0\t0\t500\t10',
      '2\t0.020\t100\t910\t0\t\t\t',
      '3\t0.040\t200\t920\t0\t\t\t',
      '4\t0.060\t300\t930\t0\t50\t510\t20',
    ].join('\n'),
  );

  test('have number, names, rate, gaps and range', async () => {
    const { status, out } = await poise('inspect', trc);
    expect(status).toBe(0);
    expect(out).toMatch(/^walk \(walk\.trc\)\n2 markers, 4 frames at 50 Hz, 0 to 0\.06 s\n/);
    expect(out).toMatch(/\nHIP +4 +0 +- +0, 0\.9, 0 +0\.3, 0\.93, 0\n/);
    expect(out).toMatch(/\nKNEE +2 +1 +2 +0, 0\.5, 0\.01 +0\.05, 0\.51, 0\.02\n/);
    expect(JSON.parse((await poise('inspect', trc, '--json')).out)).toMatchObject({
      format: 'poise-inspect',
      source: { kind: 'markers', path: trc },
      frames: 4,
      rate: 50,
      markers: [
        { name: 'HIP', observed: 4, gaps: 0, longestGap: 0, min: [0, 0.9, 0], max: [0.3, 0.93, 0] },
        { name: 'KNEE', observed: 2, gaps: 1, longestGap: 2 },
      ],
    });
  });
});

describeWithData('clips without their figure', 'amc/cmu_09_06_run.amc', (amc) => {
  test('are shown on the skeleton of --rig', async () => {
    const asf = join(amc, '../cmu_09_run.asf');
    const { status, out } = await poise('inspect', amc, '--rig', asf);
    expect(status).toBe(0);
    expect(out).toMatch(/\ncmu_09_06_run +1\.167 +141 +120 +\d+\n/);
    const without = await poise('inspect', amc);
    expect([without.status, without.err]).toEqual([
      2,
      expect.stringMatching(/needs the \.asf.*--rig SKELETON\.asf/),
    ]);
    const wrong = await poise('inspect', asf, '--rig', asf);
    expect([wrong.status, wrong.err]).toEqual([2, expect.stringMatching(/--rig.*does not apply/)]);
  });

  test('so is a .mot on its model', async () => {
    const folder = join(amc, '../../opensim/ik_gait2354');
    const model = join(folder, 'subject01_simbody.osim');
    const mot = join(folder, 'std_subject01_walk1_ik.mot');
    const { status, out } = await poise('inspect', mot, '--rig', model, '--json');
    const { source, clips } = JSON.parse(out) as Inspection;
    expect([status, source.kind]).toEqual([0, 'osim']);
    expect(clips).toHaveLength(1);
    expect(clips?.[0].frames).toBeGreaterThan(50);
  });
});
