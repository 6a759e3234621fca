/** The blocks of docs/scale.md for SLURM and Kubernetes, run as these would: the script of a task with its variables, the command of a container with its index. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeWithData } from '@poise/test-support/shared-data';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { EXIT } from '../../src/io/exit-codes.js';
import { builtCommand, root } from '../support/built-command.js';
import { poise, temporaryFolder } from '../support/command.js';

builtCommand();
const folder = temporaryFolder();
const page = readFileSync(join(root, 'docs/scale.md'), 'utf8');

/** The one block of the page in a language that has a word. */
function block(language: string, word: string): string {
  const blocks = [...page.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))].map(
    ([, text]) => text,
  );
  const found = blocks.filter((text) => text.includes(word));
  expect(found).toHaveLength(1);
  return found[0];
}

const script = block('sh', '#SBATCH');
const job = parse(block('yaml', 'kind: Job')) as {
  readonly spec: {
    readonly completions: number;
    readonly parallelism: number;
    readonly maxFailedIndexes: number;
    readonly podFailurePolicy: {
      readonly rules: readonly {
        readonly action: string;
        readonly onExitCodes: { readonly containerName: string; readonly values: readonly number[] };
      }[];
    };
    readonly template: {
      readonly spec: {
        readonly restartPolicy: string;
        readonly terminationGracePeriodSeconds: number;
        readonly containers: readonly {
          readonly name: string;
          readonly command: readonly string[];
          readonly args: readonly string[];
          readonly resources: { readonly requests: { readonly cpu: string } };
          readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
        }[];
        readonly volumes: readonly { readonly name: string }[];
      };
    };
  };
};
const pod = job.spec.template.spec;
const [container] = pod.containers;

/** A folder with what the blocks name. @param broken - The number of an input that no rig can take. */
function data(name: string, clip: string, clips: number, broken?: number): string {
  const at = join(folder, name);
  mkdirSync(join(at, 'clips/subject'), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(at, 'node_modules'));
  copyFileSync(join(clip, '../../gltf/KayKit_Knight.glb'), join(at, 'hero.glb'));
  for (let k = 0; k < clips; k++) {
    const path = join(at, `clips/subject/${k}.bvh`);
    if (k === broken) writeFileSync(path, 'HIERARCHY');
    else copyFileSync(clip, path);
  }
  return at;
}

function slurmTask(at: string, task: number): ChildProcess {
  writeFileSync(join(at, 'array.sh'), script);
  const env = { ...process.env, SLURM_ARRAY_TASK_ID: String(task), SLURM_CPUS_PER_TASK: '1' };
  return spawn('bash', ['array.sh'], { cwd: at, env, stdio: 'ignore' });
}

function containerOf(at: string, index: number): ChildProcess {
  const mount = container.volumeMounts[0].mountPath;
  const args = container.args.map((text) => text.replaceAll(`${mount}/`, `${at}/`));
  const [shell, ...rest] = container.command;
  const PATH = `${join(root, 'node_modules/.bin')}:${process.env.PATH}`;
  const env = { ...process.env, PATH, JOB_COMPLETION_INDEX: String(index) };
  return spawn(shell, [...rest, ...args], { cwd: at, env, stdio: 'ignore' });
}

function sha256(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

/** The exit status. */
async function ended(child: ChildProcess): Promise<number | null> {
  const [status] = (await once(child, 'close')) as [number | null];
  return status;
}

function outputs(at: string): string[] {
  const names = readdirSync(join(at, 'heroes'), { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.glb')).sort();
}

/** As SLURM before the limit of a task and Kubernetes before it removes a pod: SIGTERM once the batch is at work. */
async function terminated(at: string, child: ChildProcess): Promise<number | null> {
  const status = ended(child);
  const journals = join(at, 'heroes/batch/journal');
  while (child.exitCode === null && !existsSync(journals)) await sleep(20);
  child.kill('SIGTERM');
  return status;
}

/** The number after an option. */
function numberAfter(option: string, text: string): number {
  return Number(new RegExp(`${option}[ =](\\d+)`).exec(text)?.[1]);
}

/** Of what processes do on a busy machine. */
const TIMEOUT = 240_000;
const isWindows = process.platform === 'win32';

describeWithData('an example of docs/scale.md', 'bvh/walk01.bvh', (clip) => {
  test.skipIf(isWindows)('SLURM: each task of the array does its part', { timeout: TIMEOUT }, async () => {
    const [, last, count] = /--array=0-(\d+)[\s\S]*TASK_ID\/(\d+)/.exec(script) ?? [];
    expect(Number(count)).toBe(Number(last) + 1);
    const at = data('array', clip, 2);
    const tasks = await Promise.all([0, 1].map((task) => ended(slurmTask(at, task))));
    expect(tasks).toEqual([EXIT.done, EXIT.done]);
    expect(outputs(at)).toEqual(['subject/0.glb', 'subject/1.glb']);
    const alone = join(at, 'alone');
    mkdirSync(alone);
    await poise('retarget', join(at, 'clips/subject'), join(at, 'hero.glb'), '-o', alone);
    for (const name of ['0.glb', '1.glb'])
      expect(sha256(join(at, 'heroes/subject', name))).toBe(sha256(join(alone, name)));
  });

  test.skipIf(isWindows)(
    'SLURM: a task at its limit ends, and continues once requeued',
    { timeout: TIMEOUT },
    async () => {
      const at = data('requeued', clip, 1);
      expect(await terminated(at, slurmTask(at, 0))).toBe(EXIT.terminated);
      expect(await ended(slurmTask(at, 0))).toBe(EXIT.done);
      expect(outputs(at)).toEqual(['subject/0.glb']);
    },
  );

  test.skipIf(isWindows)(
    'Kubernetes: an index does its part; bad input fails it for good',
    { timeout: TIMEOUT },
    async () => {
      const at = data('indexed', clip, 2, 1);
      const [done, failed] = await Promise.all([0, 1].map((index) => ended(containerOf(at, index))));
      expect(done).toBe(EXIT.done);
      expect(outputs(at)).toEqual(['subject/0.glb']);
      const [{ action, onExitCodes }] = job.spec.podFailurePolicy.rules;
      expect([action, onExitCodes.containerName, onExitCodes.values]).toEqual([
        'FailIndex',
        container.name,
        [failed],
      ]);
      expect(failed).toBe(EXIT.doNotRetry);
    },
  );

  test.skipIf(isWindows)(
    'Kubernetes: a pod that is removed ends, and another does its index',
    { timeout: TIMEOUT },
    async () => {
      const at = data('removed', clip, 1);
      expect(await terminated(at, containerOf(at, 0))).toBe(EXIT.terminated);
      expect(await ended(containerOf(at, 0))).toBe(EXIT.done);
      expect(outputs(at)).toEqual(['subject/0.glb']);
    },
  );
});

test('the numbers of the Kubernetes example fit each other', () => {
  const [command] = container.args;
  const { completions, parallelism, maxFailedIndexes } = job.spec;
  expect(command).toContain(`--shard "$JOB_COMPLETION_INDEX/${completions}"`);
  expect(Math.max(parallelism, maxFailedIndexes)).toBeLessThanOrEqual(completions);
  expect(numberAfter('--jobs', command)).toBe(Number(container.resources.requests.cpu));
  // Jobs end, and the process, before Kubernetes kills it.
  expect(numberAfter('--grace', command)).toBeLessThan(pod.terminationGracePeriodSeconds);
  // A policy for failures of pods wants it.
  expect(pod.restartPolicy).toBe('Never');
  expect(container.volumeMounts.map(({ name }) => name)).toEqual(pod.volumes.map(({ name }) => name));
});
