// What a job of a queue costs Redis: memory while it waits, commands and bytes from its way in to its end, time of its processor.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { manifest, root } from './house.mjs';
import { bundleThread } from './watched-thread.mjs';

/**
 * @typedef {object} QueueFigures of one job
 * @property {number} memory bytes of Redis while it waits
 * @property {number} bytesIn to Redis
 * @property {number} bytesOut from Redis
 * @property {number} commands with those of its scripts
 * @property {number} redisMs time of the processor of Redis, ms
 * @property {number} processMs time of the processor of the process that enqueues and serves, ms
 */

/**
 * Jobs that do nothing, from the manifest to their end, by one process that enqueues and serves.
 *
 * @param {{ jobs: number, folder: string, url: string }} options jobs: 10,000 at most, which are all in Redis at a time; paths have the length of a common home
 * @returns {Promise<QueueFigures>}
 */
export async function measureQueue({ jobs, folder, url }) {
  const entry = 'packages/cli/test/support/queue-functions.ts';
  const bundle = await bundleThread(
    'packages/cli',
    entry,
    join(root, 'packages/cli/.cache'),
    'queue-functions',
  );
  const { readQueueAddress, loadClients, enqueueJobs, serveQueue, ...manifests } = await import(bundle);
  const { jobId, manifestPath, planKey, planLine } = manifests;
  const plan = {
    ...{
      format: 'poise-batch',
      version: 1,
      poise: manifest('cli').version,
      command: 'retarget',
      in: ['clips'],
      from: '/',
      options: [],
    },
    ...{ files: {}, extension: '.glb', jobs, out: folder },
  };
  mkdirSync(join(folder, 'batch'), { recursive: true });
  writeFileSync(manifestPath(folder), planLine(plan));
  const list = async function* () {
    for (let n = 0; n < jobs; n++) {
      const name = `subject-${Math.floor(n / 100)}/take-${n}`;
      const output = `${name}.glb`;
      yield {
        ...{
          id: jobId(planKey(plan), String(n), output),
          input: `/home/someone/mocap/clips/${name}.bvh`,
          output,
        },
        ...{ bytes: 2_000_000, modified: 1.7e12 },
      };
    }
  };
  const address = await readQueueAddress({ queue: url }, {});
  const clients = await loadClients();
  const redis = new clients.ioredis.Redis(url);
  const info = async () => {
    const text = await redis.info();
    return (/** @type {string} */ name) => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(text)?.[1]);
  };
  const cpu = (/** @type {(name: string) => number} */ of) => of('used_cpu_user') + of('used_cpu_sys');
  const fail = (/** @type {string} */ text) => console.error(text);
  const stopping = new AbortController();
  const never = new AbortController().signal;
  const before = await info();
  const usage = process.cpuUsage();
  const following = enqueueJobs({
    ...{
      plan,
      jobs: list(),
      address,
      clients,
      onEvent: () => {},
      onFound: () => {},
      onWarning: fail,
      signal: never,
    },
  });
  while ((await redis.llen('poise:poise:wait')) < jobs)
    await new Promise((resolve) => setTimeout(resolve, 100));
  const full = await info();
  const done = { result: 'done', unmet: false, seconds: 0, memory: 0, bytes: 0, sha256: '', row: {} };
  const serving = serveQueue({
    ...{ address, clients, runner: { run: async () => done, close: async () => {} }, threads: 8 },
    ...{ lease: 30, grace: 1, onOutcome: () => {}, onWarning: fail, stopping: stopping.signal, now: never },
  });
  await following;
  const after = await info();
  const { user, system } = process.cpuUsage(usage);
  stopping.abort();
  await serving;
  redis.disconnect();
  return {
    memory: (full('used_memory') - before('used_memory')) / jobs,
    bytesIn: (after('total_net_input_bytes') - before('total_net_input_bytes')) / jobs,
    bytesOut: (after('total_net_output_bytes') - before('total_net_output_bytes')) / jobs,
    commands: (after('total_commands_processed') - before('total_commands_processed')) / jobs,
    redisMs: (1000 * (cpu(after) - cpu(before))) / jobs,
    processMs: (user + system) / 1000 / jobs,
  };
}
