// npm run chaos [-- --jobs N] [--seed N] [--mode queue|threads|shards]... [--kill-every S,S] [--report FILE]: a batch of small jobs (10,000), over Redis with two workers, in threads and
// in two shards, while processes are killed every few seconds, Redis is restarted twice and once killed, beside the same batch without faults. Prints the counts; exits 1
// where an output is missing, comes twice or differs by a bit. --report writes them too. Needs redis-server; takes some minutes.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildPackages, stalePackages } from './lib/build.mjs';
import { isFaultless, runChaos } from './lib/chaos.mjs';
import { measureQueue } from './lib/queue-figures.mjs';
import { withSources } from './lib/source-modules.mjs';

/** @typedef {import('./lib/chaos.mjs').Mode} Mode */

/** @type {readonly Mode[]} */
const MODES = ['queue', 'threads', 'shards'];
/** Jobs that do nothing, by which the cost of the queue is measured: those that are in Redis at a time. */
const MEASURED = 10_000;
const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    mode: { type: 'string', multiple: true, default: [...MODES] },
    'kill-every': { type: 'string', default: '2,6' },
    report: { type: 'string' },
  },
});
const [jobs, seed] = [Number(values.jobs), Number(values.seed)];
const [least, most = least] = values['kill-every'].split(',').map(Number);
const modes = MODES.filter((mode) => values.mode.includes(mode));
if (
  !(jobs >= 1) ||
  !(least > 0) ||
  !(most >= least) ||
  !Number.isInteger(seed) ||
  modes.length !== values.mode.length
) {
  console.error(
    `usage: npm run chaos -- [--jobs N] [--seed N] [--mode ${MODES.join('|')}]... [--kill-every S,S] [--report FILE]`,
  );
  process.exit(2);
}
setPriority(15);
if (!(await buildPackages(stalePackages(['core', 'formats', 'cli'])))) process.exit(1);
const folder = mkdtempSync(join(tmpdir(), 'poise-chaos-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));
/** @type {import('./lib/queue-figures.mjs').QueueFigures | undefined} */
let figures;
/** @type {import('./lib/chaos.mjs').Outcome[]} */
let outcomes = [];
await withSources(async (load) => {
  const { startRedis } = await load('scripts/test-support/redis.ts');
  const redis = await startRedis();
  figures = await measureQueue({ jobs: MEASURED, folder: join(folder, 'measured'), url: redis.url });
  await redis.close();
  outcomes = await runChaos({
    jobs,
    seed,
    folder,
    modes,
    killEvery: [least, most],
    redisFaults: [
      { at: 0.2, signal: 'SIGTERM' },
      { at: 0.45, signal: 'SIGKILL' },
      { at: 0.7, signal: 'SIGTERM' },
    ],
    lease: 5,
    startRedis,
    log: (text) => console.error(text),
  });
});
const table = [
  '| run | outputs | missing | extra | different | failed | exit status | processes | killed | Redis restarted | Redis killed | attempts | of them killed | done twice | temporary files left | s |',
  `|${' --- |'.repeat(16)}`,
  ...outcomes.map((each) => {
    const { mode, outputs, missing, extra, different, failed, status, processes, kills } = each;
    const { redisRestarts, redisKills, starts, lost, twice, leftOver, seconds } = each;
    const cells = [mode, outputs, missing, extra, different, failed, status, processes, kills];
    return `| ${[...cells, redisRestarts, redisKills, starts, lost, twice, leftOver, seconds.toFixed(0)].join(' | ')} |`;
  }),
];
const isRight = isFaultless(outcomes);
const cost = figures
  ? `${figures.memory.toFixed(0)} bytes of Redis while it waits; ${figures.commands.toFixed(0)} commands, ${figures.bytesIn.toFixed(0)} bytes to Redis and ${figures.bytesOut.toFixed(0)} from it; ${figures.redisMs.toFixed(2)} ms of the processor of Redis, ${figures.processMs.toFixed(2)} ms of those who enqueue and serve`
  : '';
console.log(`a job of the queue: ${cost}`);
console.log(table.join('\n'));
console.log(isRight ? 'chaos: every output is there once, and the same to the bit' : 'chaos: FAILED');
if (values.report) {
  const text = `# Batches while processes and Redis are killed

- command: \`npm run chaos -- ${process.argv.slice(2).join(' ')}\`, ${new Date().toISOString().slice(0, 10)}
- Node ${process.version}, ${cpus().length} cores shared with others, at low priority: times say little
- small clips of the seed, one in 50 damaged, by \`poise batch convert\`; a process is killed by kill -9 ${least} to ${most} s (drawn) after its first job was done, and started again
- queue: two \`poise worker\` and one \`poise batch --queue\`; Redis append-only (\`appendfsync everysec\`), restarted when 20 % and 70 % are done, killed by kill -9 at 45 %
- threads: \`poise batch\` run again until it ends; shards: \`--shard 0/2\` and \`--shard 1/2\` at a time, likewise
- "done twice": killed between an output and its line in the journal, or done by one worker and not yet said to Redis; the output is written beside and renamed, to the same bits

${table.join('\n')}

${isRight ? 'Every output is there once, and the same to the bit.' : 'FAILED.'}

## What a job costs

${MEASURED} jobs that do nothing, all in Redis at a time, then served by one process: ${cost}.
`;
  writeFileSync(values.report, text);
}
process.exit(isRight ? 0 : 1);
