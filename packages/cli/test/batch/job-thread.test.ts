/** Single attempts, in this thread: whose fault it is when a file cannot be read or written. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { BatchJob, BatchPlan, JobOutcome } from '../../src/batch/job.js';
import { makeManifest } from '../../src/batch/make-manifest.js';
import { loadSource } from '../../src/io/source.js';
import runJob from '../../src/job-thread.js';
import { poise, temporaryFolder } from '../support/command.js';

const folder = temporaryFolder();

const CLIP = [
  'HIERARCHY\nROOT hips\n{\nOFFSET 0 0 0',
  'CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation',
  'End Site\n{\nOFFSET 0 1 0\n}\n}',
  'MOTION\nFrames: 2\nFrame Time: 0.01\n0 1 0 0 0 0\n0 1 0 0 0 1\n',
].join('\n');

/** A folder with two clips. @returns the plan, and the job of the first. */
function clips(name: string): { plan: BatchPlan; job: BatchJob } {
  const from = join(folder, name);
  mkdirSync(join(from, 'in'), { recursive: true });
  for (const clip of ['a', 'b']) writeFileSync(join(from, `in/${clip}.bvh`), CLIP);
  const plan: BatchPlan = {
    ...{ format: 'poise-batch', version: 1, poise: '0', command: 'convert', in: ['in/*.bvh'], from },
    ...{
      options: ['--units', 'm', '--up', 'y'],
      files: {},
      extension: '.glb',
      jobs: 2,
      out: join(from, 'out'),
    },
  };
  const input = join(from, 'in/a.bvh');
  return { plan, job: { id: 'j1', input, output: 'a.glb', bytes: CLIP.length, modified: 0 } };
}

function attempt(plan: BatchPlan, job: BatchJob): Promise<JobOutcome> {
  return runJob({ plan, job, limits: { seconds: 60, memory: 1000, output: 1000 }, attempt: 1 });
}

test('an input that is out of reach is no fault of the job, one that was removed is', async () => {
  const { plan, job } = clips('reach');
  expect(await attempt(plan, job)).toMatchObject({ result: 'done' });
  rmSync(job.input);
  expect(await attempt(plan, job)).toMatchObject({ class: 'bad-input' });
  rmSync(join(folder, 'reach/in'), { recursive: true });
  expect(await attempt(plan, job)).toMatchObject({ class: 'cannot-read', code: 'missing-resource' });
  // It could not be read when the manifest was made.
  expect(await attempt(plan, { ...job, bytes: -1 })).toMatchObject({ class: 'bad-input' });
});

test('a file of all jobs that is out of reach is no fault of a job', async () => {
  const { plan, job } = clips('shared');
  const path = join(folder, 'shared/rig.glb');
  const files = { '--target': { path, sha256: '' } };
  const shared: BatchPlan = { ...plan, command: 'retarget', target: path, options: [], files };
  expect(await attempt(shared, job)).toMatchObject({ class: 'cannot-read', path });
});

test('an output that is blocked is the fault of its job alone', async () => {
  const { plan, job } = clips('blocked');
  mkdirSync(join(plan.out, 'a.glb'), { recursive: true });
  expect(await attempt(plan, job)).toMatchObject({ class: 'bad-output', path: join(plan.out, 'a.glb') });
  expect(readdirSync(join(plan.out, 'a.glb'))).toEqual([]);
  expect(await attempt(plan, { ...job, output: `${'n'.repeat(256)}.glb` })).toMatchObject({
    class: 'bad-output',
  });
  writeFileSync(join(plan.out, 'file'), '');
  expect(await attempt(plan, { ...job, output: 'file/a.glb' })).toMatchObject({ class: 'bad-output' });
  writeFileSync(join(plan.out, 'b.glb'), '');
  chmodSync(join(plan.out, 'b.glb'), 0o444);
  expect(await attempt(plan, { ...job, output: 'b.glb' })).toMatchObject({ class: 'bad-output' });
});

test('a rig stays loaded for the jobs of one content of its file', async () => {
  const { plan, job } = clips('stale');
  const path = join(folder, 'stale/rig.json');
  writeFileSync(path, (await poise('inspect', '--json')).out);
  const of = (sha256: string): BatchPlan => {
    const files = { '--target': { path, sha256 } };
    return { ...plan, command: 'retarget', target: path, options: [], files, extension: '.json' };
  };
  // The clip is no person, which is said when the rig is loaded.
  const first = await attempt(of('1'), job);
  expect(first).toMatchObject({ class: 'bad-input', path: expect.stringContaining('a.bvh') });
  writeFileSync(path, '{}');
  const { seconds: _, ...wanted } = first as JobOutcome & { seconds: number };
  expect(await attempt(of('1'), job)).toMatchObject(wanted);
  expect(await attempt(of('2'), job)).toMatchObject({ path: expect.stringContaining('rig.json') });
});

test('a rig that failed to load is loaded by the next command', async () => {
  const path = join(folder, 'late.bvh');
  const kept = { paths: new Set([path]), sources: new Map() };
  await expect(loadSource(path, {}, { kept })).rejects.toMatchObject({ code: 'missing-resource' });
  writeFileSync(path, CLIP);
  expect((await loadSource(path, { units: 1, up: 'y' }, { kept })).kind).toBe('bvh');
  rmSync(path);
  await expect(loadSource(path, {}, { kept })).rejects.toMatchObject({ code: 'missing-resource' });
  writeFileSync(path, CLIP);
  expect((await loadSource(path, {}, { kept })).kind).toBe('bvh');
});

test('the working folder is a name, whatever characters it has', async () => {
  const { plan } = clips('a[1]{x,y}');
  expect((await makeManifest(plan, {})).plan.jobs).toBe(2);
  const [, line] = readFileSync(join(plan.out, 'batch/manifest.jsonl'), 'utf8').split('\n');
  expect(JSON.parse(line)).toMatchObject({ input: join(folder, 'a[1]{x,y}/in/a.bvh'), output: 'a.glb' });
});

test('a retry is refused where the version or a file of all jobs has changed', async () => {
  const { plan } = clips('changed');
  const rig = join(folder, 'changed/rig.bvh');
  writeFileSync(rig, CLIP);
  const argv = ['--in', join(folder, 'changed/in/*.bvh'), '--out', plan.out, '--rig', rig];
  expect(await poise('batch', 'convert', ...argv, '--dry-run')).toMatchObject({ status: 0 });
  writeFileSync(rig, `${CLIP}\n`);
  const refused = await poise('batch', 'retry', plan.out);
  expect([refused.status, refused.err]).toEqual([2, expect.stringMatching(/rig\.bvh: has changed since/)]);
  const manifest = join(plan.out, 'batch/manifest.jsonl');
  const text = readFileSync(manifest, 'utf8').replace(/"poise":"[^"]*"/, '"poise":"0.0.9"');
  writeFileSync(manifest, text);
  expect((await poise('batch', 'retry', plan.out)).err).toMatch(/is a batch of Poise 0\.0\.9, and this is/);
});
