// A batch of small jobs three ways (a queue, threads, shards), with processes and Redis killed meanwhile, beside the same batch without faults.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { root } from './house.mjs';
import { generator, writeSmallClips } from './small-clips.mjs';

/**
 * @typedef {{ port: number, url: string, end(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>, start(): Promise<void>, close(): Promise<void> }} Redis
 *
 * @typedef {object} Options
 * @property {number} jobs
 * @property {number} seed
 * @property {string} folder where clips and outputs go; empty
 * @property {readonly Mode[]} modes
 * @property {[least: number, most: number]} killEvery time between kills of a process, s; drawn
 * @property {number} [mostKills] of a run over a queue; as many as there is time for without it
 * @property {readonly RedisFault[]} redisFaults
 * @property {number} lease of workers, s
 * @property {(settings?: readonly string[]) => Promise<Redis>} startRedis
 * @property {(text: string) => void} log
 *
 * @typedef {'queue' | 'threads' | 'shards'} Mode
 * @typedef {{ at: number, signal: 'SIGTERM' | 'SIGKILL' }} RedisFault at a share of the jobs that are done
 *
 * @typedef {object} Outcome
 * @property {Mode | 'no faults'} mode
 * @property {number} outputs files that are there
 * @property {number} missing outputs of the run without faults that are not there
 * @property {number} extra outputs that the run without faults has not
 * @property {number} different outputs with other bytes
 * @property {number} failed jobs that the journals say failed
 * @property {number} status exit status of the last process that follows the batch
 * @property {number} processes that were started
 * @property {number} kills by kill -9
 * @property {number} redisRestarts
 * @property {number} redisKills
 * @property {number} starts attempts that began
 * @property {number} lost attempts that were killed
 * @property {number} twice jobs that were done more than once
 * @property {number} leftOver temporary files that a kill left
 * @property {number} seconds
 */

const poise = join(root, 'packages/cli/bin/poise.js');
/** One input in so many cannot be read. */
const BAD_EVERY = 50;

/**
 * @param {Options} options
 * @returns {Promise<Outcome[]>} that without faults first
 */
export async function runChaos(options) {
  const { jobs, seed, folder, modes, log } = options;
  const clips = join(folder, 'clips');
  const { bad } = writeSmallClips(clips, { count: jobs, seed, badEvery: BAD_EVERY });
  log(`${jobs} clips of seed ${seed}, ${bad} of them damaged`);
  const expected = await withoutFaults(options, clips);
  log(line(expected.outcome));
  if (expected.outcome.outputs !== jobs - bad || expected.outcome.failed !== bad) {
    throw new Error('chaos: the run without faults is wrong');
  }
  const outcomes = [expected.outcome];
  for (const mode of modes) {
    const out = join(folder, mode);
    const started = performance.now();
    const faults = await RUNS[mode](options, clips, out);
    const outcome = {
      mode,
      ...compare(expected.hashes, hashesOf(out)),
      ...countEvents(out),
      ...faults,
      seconds: (performance.now() - started) / 1000,
    };
    log(line(outcome));
    outcomes.push(outcome);
  }
  return outcomes;
}

/** Whether all outputs are there once and to the bit, and what failed is what fails without faults. @param {readonly Outcome[]} outcomes */
export function isFaultless([expected, ...others]) {
  return others.every(
    ({ missing, extra, different, failed, status }) =>
      missing + extra + different === 0 && failed === expected.failed && status === expected.status,
  );
}

/** @param {Outcome} outcome */
function line({ mode, outputs, missing, extra, different, failed, status, kills, seconds }) {
  return `${mode}: ${outputs} outputs, ${missing} missing, ${extra} extra, ${different} different, ${failed} failed, status ${status}; ${kills} kills, ${seconds.toFixed(0)} s`;
}

/** @param {string} clips @param {string} out @param {readonly string[]} more */
function batch(clips, out, ...more) {
  return [
    'batch',
    'convert',
    '--in',
    join(clips, '**/*.bvh'),
    '--out',
    out,
    '--format',
    'glb',
    '--units',
    'm',
    '--up',
    'y',
    ...more,
  ];
}

/** @param {Options} options @param {string} clips */
async function withoutFaults({ folder }, clips) {
  const out = join(folder, 'no-faults');
  const started = performance.now();
  const { status } = await launch(batch(clips, out)).ended;
  const hashes = hashesOf(out);
  /** @type {Outcome} */
  const outcome = {
    mode: 'no faults',
    ...compare(hashes, hashes),
    ...countEvents(out),
    ...{ status, processes: 1, kills: 0, redisRestarts: 0, redisKills: 0 },
    seconds: (performance.now() - started) / 1000,
  };
  return { hashes, outcome };
}

/** @type {Record<Mode, (options: Options, clips: string, out: string) => Promise<Pick<Outcome, 'status' | 'processes' | 'kills' | 'redisRestarts' | 'redisKills'>>>} */
const RUNS = {
  async threads(options, clips, out) {
    const random = generator(options.seed + 1);
    return { ...(await untilItEnds(batch(clips, out), options, random)), redisRestarts: 0, redisKills: 0 };
  },
  async shards(options, clips, out) {
    const shards = await Promise.all(
      [0, 1].map((n) =>
        untilItEnds(
          batch(clips, out, '--shard', `${n}/2`, '--jobs', '1'),
          options,
          generator(options.seed + 2 + n),
        ),
      ),
    );
    return {
      status: Math.max(...shards.map(({ status }) => status)),
      processes: shards.reduce((sum, { processes }) => sum + processes, 0),
      kills: shards.reduce((sum, { kills }) => sum + kills, 0),
      redisRestarts: 0,
      redisKills: 0,
    };
  },
  queue: overRedis,
};

/**
 * Runs a command, killed every few seconds and run again, until it comes to its end.
 *
 * @param {readonly string[]} argv
 * @param {Options} options
 * @param {() => number} random
 */
async function untilItEnds(argv, { killEvery }, random) {
  let kills = 0;
  for (;;) {
    const { child, ready, ended } = launch(argv);
    await Promise.race([ready, ended]);
    const timer = setTimeout(() => child.kill('SIGKILL'), drawn(killEvery, random));
    const { status, signal } = await ended;
    clearTimeout(timer);
    if (signal === null) return { status, processes: kills + 1, kills };
    kills++;
  }
}

/** @param {Options} options @param {string} clips @param {string} out */
async function overRedis(options, clips, out) {
  const { jobs, seed, killEvery, mostKills = Number.POSITIVE_INFINITY } = options;
  const { redisFaults, lease, startRedis, log } = options;
  const random = generator(seed);
  const redis = await startRedis();
  const queue = ['--queue', redis.url];
  let [processes, kills, redisRestarts, redisKills] = [0, 0, 0, 0];
  let isOver = false;
  const worker = () => {
    processes++;
    return launch(['worker', ...queue, '--jobs', '1', '--lease', String(lease)]);
  };
  const workers = [worker(), worker()];
  processes++;
  const following = launch(batch(clips, out, ...queue));
  const keepKilling = async () => {
    while (!isOver && kills < mostKills) {
      const pause = wait(drawn(killEvery, random));
      await Promise.race([pause, following.ended]);
      if (isOver) return;
      const n = Math.floor(2 * random());
      await Promise.race([workers[n].ready, following.ended]);
      if (isOver) return;
      workers[n].child.kill('SIGKILL');
      await workers[n].ended;
      kills++;
      workers[n] = worker();
    }
  };
  const done = createDoneCounter(out);
  const disturb = async () => {
    for (const { at, signal } of redisFaults) {
      while (!isOver && done() < at * jobs) await wait(200);
      if (isOver) return;
      log(`${done()} done: Redis is ended by ${signal}`);
      await redis.end(signal);
      await wait(500);
      await redis.start();
      if (signal === 'SIGTERM') redisRestarts++;
      else redisKills++;
    }
  };
  try {
    const faults = [keepKilling(), disturb()];
    const { status } = await following.ended;
    isOver = true;
    await Promise.all(faults);
    return { status, processes, kills, redisRestarts, redisKills };
  } finally {
    isOver = true;
    for (const { child, ended } of workers) {
      child.kill('SIGTERM');
      await ended;
    }
    await redis.close();
  }
}

/** ms @param {[number, number]} range @param {() => number} random */
function drawn([least, most], random) {
  return 1000 * (least + (most - least) * random());
}

/** Processes that run: none is left when this one ends. @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts the command. Its last words are kept for when it ends badly. @param {readonly string[]} argv */
function launch(argv) {
  const child = spawn(process.execPath, [poise, ...argv, '--json'], { stdio: ['ignore', 'pipe', 'pipe'] });
  // It has done a job: on a busy machine a process takes seconds to come so far, and one that is always killed before gets nowhere.
  /** @type {Promise<void>} */
  const ready = new Promise((resolve) => {
    child.stdout.on('data', (chunk) => {
      if (String(chunk).includes('"event":"done"')) resolve();
    });
  });
  let words = '';
  child.stderr.on('data', (chunk) => {
    words = (words + chunk).slice(-2000);
  });
  /** @type {Promise<{ status: number, signal: string | null }>} */
  const ended = new Promise((resolve) => {
    running.add(child);
    child.on('exit', (code, signal) => {
      running.delete(child);
      if (code === 2 || code === 3) console.error(`poise ${argv.join(' ')}\n${words}`);
      resolve({ status: code ?? -1, signal });
    });
  });
  return { child, ready, ended };
}

/** By name: SHA-256 of each output. @param {string} out @returns {Map<string, string>} */
function hashesOf(out) {
  const hashes = new Map();
  for (const path of filesIn(out)) {
    const name = relative(out, path);
    if (!name.startsWith('batch'))
      hashes.set(name, createHash('sha256').update(readFileSync(path)).digest('hex'));
  }
  return hashes;
}

/** @param {string} folder */
function filesIn(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Files that are written before they get their names. @param {string} name */
const isTemporary = (name) => /(?:^|[\\/])\.poise-\w+\.tmp$/.test(name);

/** @param {Map<string, string>} expected @param {Map<string, string>} found */
function compare(expected, found) {
  const names = [...found.keys()].filter((name) => !isTemporary(name));
  return {
    outputs: names.length,
    missing: [...expected.keys()].filter((name) => !found.has(name)).length,
    extra: names.filter((name) => !expected.has(name)).length,
    different: names.filter((name) => expected.has(name) && expected.get(name) !== found.get(name)).length,
    leftOver: found.size - names.length,
  };
}

/** What the journals say. @param {string} out */
function countEvents(out) {
  let starts = 0;
  let ends = 0;
  /** @type {Map<string, number>} */
  const done = new Map();
  const failed = new Set();
  for (const path of filesIn(join(out, 'batch/journal'))) {
    for (const text of readFileSync(path, 'utf8').split('\n')) {
      const { event, id } = parsed(text);
      if (event === 'start') starts++;
      if (event === 'done' || event === 'failed' || event === 'stopped') ends++;
      if (event === 'done') done.set(id, (done.get(id) ?? 0) + 1);
      if (event === 'failed') failed.add(id);
    }
  }
  const twice = [...done.values()].filter((times) => times > 1).length;
  return { starts, lost: starts - ends, twice, failed: failed.size };
}

/** A line of a journal; one that a kill cut short is none. @param {string} text @returns {{ event?: string, id: string }} */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return { id: '' };
  }
}

/** A function that counts the jobs that are done, by reading what was appended to the journals since it was called last. @param {string} out */
function createDoneCounter(out) {
  const folder = join(out, 'batch/journal');
  /** @type {Map<string, number>} */
  const offsets = new Map();
  let count = 0;
  return () => {
    for (const path of filesIn(folder)) {
      const from = offsets.get(path) ?? 0;
      const bytes = Buffer.alloc(Math.max(0, statSync(path).size - from));
      const file = openSync(path, 'r');
      readSync(file, bytes, 0, bytes.length, from);
      closeSync(file);
      const end = bytes.lastIndexOf(10) + 1;
      count += bytes.toString('utf8', 0, end).split('"event":"done"').length - 1;
      offsets.set(path, from + end);
    }
    return count;
  };
}
