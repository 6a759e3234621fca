// npm run soak [-- --part readers|ik|dynamics|spacetime]... [--count N] [--seed TEXT] [--minutes M] [--jobs N] [--report FILE] [--only PART/STREAM/NUMBER]:
// the library under load (docs/reliability.md). 1,000,000 damaged files over all readers, 1,000,000 random IK problems, 10,000,000 steps of
// simulation, 300 spacetime problems, or --count of each part. What is done is kept in .cache/soak: the same command goes on where it was cut off,
// by --minutes, by Ctrl+C or by anything else. Faults are kept there too, and the status is 1; --only runs one piece again. The next run begins with
// the blocks that had some: what has none any more is mended.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './lib/house.mjs';
import { bundleThread, runThread } from './lib/watched-thread.mjs';

/**
 * @typedef {{ part: string, name: string, share: number, block: number, ending?: string }} Stream
 * @typedef {{ pieces: number, count: number, outcomes: Record<string, number>, milliseconds: number, slowest: number, slowestNumber: number,
 *   excess: number, repeated: number, growth: number }} Sum
 * @typedef {{ stream: string, number: number, fault: string }} Fault
 * @typedef {{ seed: string, commits: string[], days: string[], memory: { early: number, last: number, most: number },
 *   streams: Record<string, { next: number, sum: Sum }>, faults: Fault[], mended?: (Fault & { commit: string })[] }} State
 */

/** Without a sign of life for so much processor time of a thread a piece hangs, ms: three runs of the slowest that may be. */
const HANG = 400_000;
/** Blocks of a process after which memory should not grow any more. */
const EARLY_BLOCKS = 5;
/** Faults of a block that are printed as they are found. */
const SHOWN = 5;

/** @type {Record<string, { count: number, unit: string }>} */
const PARTS = {
  readers: { count: 1e6, unit: 'files' },
  ik: { count: 1e6, unit: 'problems' },
  dynamics: { count: 1e7, unit: 'steps' },
  spacetime: { count: 300, unit: 'problems' },
};

const { values } = parseArgs({
  options: {
    part: { type: 'string', multiple: true },
    count: { type: 'string' },
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string' },
    jobs: { type: 'string', default: '1' },
    report: { type: 'string' },
    only: { type: 'string' },
  },
});
const { seed } = values;
const only = /^((\w+)\/.+)\/(\d+)$/.exec(values.only ?? '');
const parts = only ? [only[2]] : (values.part ?? Object.keys(PARTS));
const minutes = Number(values.minutes ?? Number.POSITIVE_INFINITY);
const jobs = Number(values.jobs);
const isWrong =
  !parts.every((part) => part in PARTS) ||
  (values.only !== undefined && !only) ||
  (values.count !== undefined && !(Number(values.count) >= 1)) ||
  !/^[\w-]+$/.test(seed) ||
  !(minutes > 0) ||
  !(jobs >= 1);
if (isWrong) {
  console.error(
    `usage: npm run soak -- [--part ${Object.keys(PARTS).join('|')}]... [--count N] [--seed TEXT] [--minutes M] [--jobs N] [--report FILE] [--only PART/STREAM/NUMBER]`,
  );
  process.exit(2);
}
setPriority(19);
const folder = join(root, '.cache/soak');
mkdirSync(folder, { recursive: true });
const bundle = join(folder, `bundle-${process.pid}`);
// Those of runs that were killed.
for (const name of readdirSync(folder)) {
  if (/^bundle-\d+$/.test(name) && !isAlive(Number(name.slice('bundle-'.length))))
    rmSync(join(folder, name), { recursive: true, force: true });
}
process.on('exit', () => rmSync(bundle, { recursive: true, force: true }));
const modules = {
  readers: parts.includes('readers')
    ? await bundleThread('packages/cli', 'packages/cli/test/fuzz/worker.ts', bundle, 'readers')
    : undefined,
  others: parts.some((part) => part !== 'readers')
    ? await bundleThread('benchmarks', 'benchmarks/src/soak/thread.ts', bundle, 'others')
    : undefined,
};
/** Threads that are running. @type {Set<import('node:worker_threads').Worker>} */
const running = new Set();
let isStopped = false;
const data = resolve(root, process.env.POISE_DATA ?? '../shared/data');
const streams = await listStreams();

if (only) {
  const stream = streams.find(({ part, name }) => `${part}/${name}` === only[1]);
  if (stream === undefined) {
    console.error(`soak: no stream ${only[1]}; there are ${streams.map(idOf).join(', ')}`);
    process.exit(2);
  }
  const { sum, faults } = await runRange(stream, Number(only[3]), Number(only[3]) + 1);
  console.log(JSON.stringify(sum));
  for (const { fault } of faults) console.log(fault);
  process.exit(faults.length > 0 ? 1 : 0);
}

const states = new Map(parts.map((part) => [part, readState(part)]));
const stop = () => {
  isStopped = true;
  for (const worker of running) void worker.terminate();
};
process.on('SIGINT', stop).on('SIGTERM', stop);
const deadline = Number.isFinite(minutes) ? setTimeout(stop, 60_000 * minutes) : undefined;
/** Numbers that have been given to a thread, by stream. @type {Map<string, number>} */
const issued = new Map();
/** Blocks that ended before one that began earlier, by stream. @type {Map<string, Map<number, { to: number, sum: Sum, faults: Fault[] }>>} */
const early = new Map();
/** Blocks of this process, by part. @type {Map<string, number>} */
const blocks = new Map();
const commit = execFileSync('git', ['describe', '--always', '--dirty'], {
  cwd: root,
  encoding: 'utf8',
}).trim();
for (const part of parts) await judgeAgain(part);
await Promise.all(Array.from({ length: jobs }, work));
clearTimeout(deadline);
const report = parts.flatMap(reportOf).join('\n');
console.log(report);
if (values.report) {
  const head = `# The library under load\n\n- command: \`npm run soak -- ${process.argv.slice(2).join(' ')}\`\n`;
  writeFileSync(values.report, `${head}${report}`);
}
process.exit([...states.values()].some(({ faults }) => faults.length > 0) ? 1 : 0);

/** Runs the blocks with faults again: a second run, and the heap, depend on all pieces of one. @param {string} part */
async function judgeAgain(part) {
  for (const stream of streams.filter((each) => each.part === part)) {
    const state = stateOf(stream);
    const own = state.faults.filter(({ stream: id }) => id === idOf(stream));
    for (const from of new Set(own.map(({ number }) => number - (number % stream.block)))) {
      const to = Math.min(from + stream.block, entryOf(stream).next);
      const { faults } = await runRange(stream, from, to);
      if (isStopped) return;
      const before = own.filter(({ number }) => number >= from && number < to);
      const mended = before.filter((fault) => !faults.some(({ number }) => number === fault.number));
      state.mended = [...(state.mended ?? []), ...mended.map((fault) => ({ ...fault, commit }))];
      state.faults = [...state.faults.filter((fault) => !before.includes(fault)), ...faults];
      writeState(part);
      console.error(
        `${idOf(stream)} ${from} to ${to} again: ${mended.length} mended, ${faults.length} faults`,
      );
    }
  }
}

async function work() {
  for (let block = nextBlock(); block !== undefined && !isStopped; block = nextBlock()) {
    const { stream, from, to } = block;
    issued.set(idOf(stream), to);
    const { sum, faults } = await runRange(stream, from, to);
    if (isStopped) return;
    keep(stream, from, { to, sum, faults });
  }
}

/** The stream that is least far, of all that are not done. */
function nextBlock() {
  let least = 1;
  let chosen;
  for (const stream of streams) {
    const { next, sum } = entryOf(stream);
    const from = issued.get(idOf(stream)) ?? next;
    // What a piece counts is known once some have run.
    const each = sum.pieces > 0 ? sum.count / sum.pieces : stream.part === 'dynamics' ? 300 : 1;
    const count = sum.count + each * (from - next);
    const goal = stream.share * Number(values.count ?? PARTS[stream.part].count);
    if (count / goal >= least) continue;
    least = count / goal;
    const size = Math.min(stream.block, Math.ceil((goal - count) / each));
    chosen = { stream, from, to: from + Math.max(1, size) };
  }
  return chosen;
}

/** @param {Stream} stream @param {number} from @param {{ to: number, sum: Sum, faults: Fault[] }} result */
function keep(stream, from, result) {
  const id = idOf(stream);
  const waiting = early.get(id) ?? new Map();
  early.set(id, waiting.set(from, result));
  const state = stateOf(stream);
  const entry = entryOf(stream);
  for (let done = waiting.get(entry.next); done !== undefined; done = waiting.get(entry.next)) {
    waiting.delete(entry.next);
    entry.next = done.to;
    entry.sum = merged(entry.sum, done.sum);
    state.faults.push(...done.faults);
    for (const { number, fault } of done.faults.slice(0, SHOWN))
      console.error(`${id}/${number}: ${fault.split('\n')[0]}`);
  }
  const { memory } = state;
  memory.last = process.memoryUsage.rss();
  memory.most = Math.max(memory.most, memory.last);
  const number = (blocks.get(stream.part) ?? 0) + 1;
  blocks.set(stream.part, number);
  if (number <= EARLY_BLOCKS) memory.early = Math.max(memory.early, memory.last);
  const day = new Date().toISOString().slice(0, 10);
  if (!state.commits.includes(commit)) state.commits.push(commit);
  if (!state.days.includes(day)) state.days.push(day);
  state.streams[id] = entry;
  writeState(stream.part);
  console.error(
    `${new Date().toISOString().slice(11, 19)} ${id} ${from} to ${result.to}, ${entry.sum.count} ${PARTS[stream.part].unit}`,
  );
}

/** @param {string} part */
function stateFile(part) {
  return join(folder, `${part}-${seed}.json`);
}

/** @param {string} part @returns {State} */
function readState(part) {
  const file = stateFile(part);
  /** @type {State} */
  const state = existsSync(file)
    ? JSON.parse(readFileSync(file, 'utf8'))
    : { seed, commits: [], days: [], memory: { early: 0, last: 0, most: 0 }, streams: {}, faults: [] };
  return state;
}

/** @param {string} part */
function writeState(part) {
  const file = stateFile(part);
  writeFileSync(`${file}.new`, JSON.stringify(states.get(part), undefined, 1));
  renameSync(`${file}.new`, file);
}

/** @param {Stream} stream @returns {State} */
function stateOf({ part }) {
  return /** @type {State} */ (states.get(part));
}

/** @param {Stream} stream */
function entryOf(stream) {
  return stateOf(stream).streams[idOf(stream)] ?? { next: 0, sum: emptySum() };
}

/** @param {Stream} stream */
function idOf({ part, name }) {
  return `${part}/${name}`;
}

/** @returns {Sum} */
function emptySum() {
  return {
    pieces: 0,
    count: 0,
    outcomes: {},
    milliseconds: 0,
    slowest: 0,
    slowestNumber: 0,
    excess: 0,
    repeated: 0,
    growth: 0,
  };
}

/** @param {Sum} a @param {Sum} b @returns {Sum} */
function merged(a, b) {
  const outcomes = { ...a.outcomes };
  for (const [name, n] of Object.entries(b.outcomes)) outcomes[name] = (outcomes[name] ?? 0) + n;
  return {
    pieces: a.pieces + b.pieces,
    count: a.count + b.count,
    outcomes,
    milliseconds: a.milliseconds + b.milliseconds,
    slowest: Math.max(a.slowest, b.slowest),
    slowestNumber: a.slowest >= b.slowest ? a.slowestNumber : b.slowestNumber,
    excess: Math.max(a.excess, b.excess),
    repeated: a.repeated + b.repeated,
    growth: Math.max(a.growth, b.growth),
  };
}

/** @returns {Promise<Stream[]>} */
async function listStreams() {
  /** @type {Stream[]} */
  let list = [];
  if (modules.others !== undefined) {
    const task = { stream: '', seed, from: 0, to: 0 };
    await runThread(modules.others, task, (message) => (list = message.streams ?? list), {
      hang: HANG * jobs,
    });
  }
  if (modules.readers !== undefined) {
    /** @type {{ name: string, ending: string }[]} */
    let readers = [];
    const task = { reader: '', data, seed, from: 0, to: 0 };
    await runThread(modules.readers, task, (message) => (readers = message.readers ?? readers), {
      hang: HANG * jobs,
    });
    for (const { name, ending } of readers)
      list.push({ part: 'readers', name, ending, share: 1 / readers.length, block: 1000 });
  }
  return list.filter(({ part }) => parts.includes(part));
}

/**
 * Pieces of a stream, in a thread. Where one ends the thread, the others run in new ones.
 *
 * @param {Stream} stream
 * @param {number} from
 * @param {number} to
 * @returns {Promise<{ sum: Sum, faults: Fault[] }>}
 */
async function runRange(stream, from, to) {
  let sum = emptySum();
  /** @type {Fault[]} */
  const faults = [];
  if (from >= to) return { sum, faults };
  const id = idOf(stream);
  const isReader = stream.part === 'readers';
  /** @type {import('node:worker_threads').Worker | undefined} */
  let thread;
  const { at, end } = await runThread(
    /** @type {string} */ (isReader ? modules.readers : modules.others),
    { ...(isReader ? { reader: stream.name, data } : { stream: id }), seed, from, to },
    (message) => {
      if (message.fault) faults.push({ stream: id, number: message.number, fault: message.fault });
      if (message.bytes)
        writeFileSync(
          join(folder, `${stream.name}-${seed}-${message.number}.${stream.ending}`),
          message.bytes,
        );
      if (message.sum) sum = isReader ? readerSum(message.sum, to - from) : message.sum;
    },
    {
      hang: HANG * jobs,
      started(worker) {
        thread = worker;
        running.add(worker);
      },
    },
  );
  if (thread !== undefined) running.delete(thread);
  if (end === undefined || isStopped) return { sum, faults };
  const before = await runRange(stream, from, at);
  const after = await runRange(stream, at + 1, to);
  return {
    sum: merged(
      { ...merged(before.sum, after.sum) },
      { ...emptySum(), pieces: 1, count: 1, outcomes: { dies: 1 } },
    ),
    faults: [...before.faults, { stream: id, number: at, fault: end }, ...after.faults],
  };
}

/** @param {{ read: number, refused: number, slowest: number, heap: number }} sum @param {number} files @returns {Sum} */
function readerSum({ read, refused, slowest, heap }, files) {
  return { ...emptySum(), pieces: files, count: files, outcomes: { read, refused }, slowest, growth: heap };
}

/** @param {string} part */
function reportOf(part) {
  const { commits, days, memory, faults, mended = [] } = stateOf({ part, name: '', share: 0, block: 0 });
  const own = streams.filter((stream) => stream.part === part);
  const isReader = part === 'readers';
  const { unit, count } = PARTS[part];
  const goal = Number(values.count ?? count);
  const all = own.reduce((sum, stream) => merged(sum, entryOf(stream).sum), emptySum());
  const rows = own.map((stream) => {
    const { sum } = entryOf(stream);
    const outcomes = Object.entries(sum.outcomes).sort((a, b) => b[1] - a[1]);
    const cells = [
      stream.name,
      ...(part === 'dynamics' ? [sum.pieces] : []),
      sum.count,
      outcomes.map(([name, n]) => `${name} ${n}`).join(', '),
      `${sum.slowest.toFixed(0)}${isReader ? '' : ` (${sum.slowestNumber})`}`,
      ...(isReader ? [] : [sum.excess.toExponential(1), sum.repeated]),
      (sum.growth / 1e6).toFixed(1),
      faults.filter(({ stream: id }) => id === idOf(stream)).length,
    ];
    return `| ${cells.join(' | ')} |`;
  });
  const head = [
    'stream',
    ...(part === 'dynamics' ? ['scenes'] : []),
    unit,
    'ended',
    `slowest, ms of processor time${isReader ? '' : ' (number)'}`,
    ...(isReader ? [] : ['largest excess of a limit', 'run twice, same bits']),
    isReader ? 'largest growth of the heap at one, MB' : 'largest growth of the heap over a block, MB',
    'faults',
  ];
  return [
    '',
    `## ${part}: ${all.count} of ${goal} ${unit}, ${faults.length} faults`,
    '',
    `- seed ${seed}; ${days.join(', ')}; of ${commits.join(', ')}; Node ${process.version}, ${jobs} at a time`,
    `- memory of the process: ${memory.early > 0 ? `${mb(memory.early)} MB at most in its first ${EARLY_BLOCKS} blocks, ` : ''}${mb(memory.most)} MB at most, ${mb(memory.last)} at the end`,
    ...(isReader ? [] : [`- ${(all.milliseconds / 1000).toFixed(0)} s of processor time`]),
    '',
    `| ${head.join(' | ')} |`,
    `|${head.map(() => ' --- |').join('')}`,
    ...rows,
    '',
    ...faults
      .slice(0, SHOWN * own.length)
      .map(
        ({ stream, number, fault }) =>
          `- \`--seed ${seed} --only ${stream}/${number}\`: ${fault.split('\n')[0]}`,
      ),
    ...mended.map(
      ({ stream, number, fault, commit }) =>
        `- mended, without a fault at ${commit}: \`--seed ${seed} --only ${stream}/${number}\`: ${fault.split('\n')[0]}`,
    ),
    '',
  ];
}

/** @param {number} id */
function isAlive(id) {
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
}

/** @param {number} bytes */
function mb(bytes) {
  return (bytes / 1e6).toFixed(0);
}
