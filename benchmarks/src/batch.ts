import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { machineLines } from './machine.js';
import { repositoryRoot } from './problems.js';
import { writeResults } from './results.js';
import { markdownTable } from './statistics.js';

const USAGE = `npm run bench -- batch [options]
poise batch retarget of short clips made from the shared data: one thread, two threads, and the same clips by poise retarget alone;
then what a frame costs on three characters, and the memory of 100 and of 10,000 small jobs.
  --clips N    clips that are retargeted (default 200)
  --frames N   frames of each (default 120)
  --rounds N   rounds, of which the least time counts (default 3)
  --small N    small jobs of the larger batch (default 10000; 0: none)
  --out DIR    where to write (default benchmarks/results)`;

const { values: options } = parseArgs({
  options: {
    clips: { type: 'string', default: '200' },
    frames: { type: 'string', default: '120' },
    rounds: { type: 'string', default: '3' },
    small: { type: 'string', default: '10000' },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

/** Recorded people of the shared data. */
const SOURCES = ['walk01', 'cmu_12_01_walk', 'cmu_jumping_jacks', 'makehuman_walk1', 'cmu_01_01_hop_turn'];
/** Goals: two threads over one, the share of the layer, and the growth of memory. */
const GOALS = { speedup: 1.85, share: 0.03, growth: 0.1 };

const main = join(repositoryRoot(), 'packages/cli/dist/main.js');

interface Run {
  /** s */
  readonly wall: number;
  /** Largest resident set, MB; 0 where the system does not say. */
  readonly memory: number;
  /** Processor time of all threads but for the last 50 ms, s; 0 where the system does not say. */
  readonly processor: number;
}

async function bench(): Promise<void> {
  if (options.help) {
    console.log(USAGE);
    return;
  }
  const data = process.env.POISE_DATA ?? join(repositoryRoot(), '../shared/data');
  const sources = SOURCES.map((name) => join(data, 'bvh', `${name}.bvh`));
  let texts: string[];
  try {
    texts = sources.map((path) => readFileSync(path, 'utf8'));
  } catch {
    console.log('the shared data are not there (POISE_DATA): nothing to measure');
    return;
  }
  const machine = machineLines('npm run bench -- batch');
  const folder = mkdtempSync(join(tmpdir(), 'poise-batch-'));
  try {
    const clips = Number(options.clips);
    writeClips(join(folder, 'clips'), texts, clips, Number(options.frames));
    const speed = await speedLines(folder, clips);
    const cost = await costLines(folder, data);
    const small = Number(options.small);
    const memory = small > 0 ? await memoryLines(folder, texts[0], small) : [];
    const text = ['# Batch', '', ...machine, '', ...speed, ...cost, ...memory].join('\n');
    console.log(text);
    writeResults({ 'batch.md': text }, options.out);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** One, two threads and the command alone, in turn. */
async function speedLines(folder: string, clips: number): Promise<string[]> {
  const batch = [
    'batch',
    'retarget',
    '--in',
    'clips/*.bvh',
    '--target',
    'human',
    '--out',
    'out',
    '--strips',
    '0',
  ];
  const kinds: Readonly<Record<string, readonly string[]>> = {
    'poise retarget': ['retarget', 'clips', 'human', '-o', 'out'],
    'poise batch, one thread': [...batch, '--jobs', '1'],
    'poise batch, two threads': [...batch, '--jobs', '2'],
  };
  const least: Record<string, number> = {};
  for (let round = 0; round < Number(options.rounds); round++) {
    for (const [kind, argv] of Object.entries(kinds)) {
      rmSync(join(folder, 'out'), { recursive: true, force: true });
      mkdirSync(join(folder, 'out'));
      const { wall } = await run(folder, argv);
      least[kind] = Math.min(least[kind] ?? Number.POSITIVE_INFINITY, wall);
      const made = readdirSync(join(folder, 'out')).filter((name) => name.endsWith('.glb')).length;
      if (made !== clips) throw new Error(`${kind} made ${made} of ${clips} outputs`);
    }
  }
  const [alone, one, two] = Object.values(least);
  const share = one / alone - 1;
  const start = await startTime(folder);
  return [
    `${clips} clips of ${options.frames} frames from recorded people on the built-in human, a .glb each; the whole process, the least of ${options.rounds} rounds in turn. The report is without pictures.`,
    '',
    markdownTable(
      ['command', 's', 'clips a second'],
      Object.entries(least).map(([kind, wall]) => [kind, wall.toFixed(2), (clips / wall).toFixed(1)]),
    ),
    '',
    `- two threads: ${(one / two).toFixed(2)} times one (goal ${GOALS.speedup}; ${availableParallelism()} cores)`,
    `- the layer: ${(100 * share).toFixed(1)} % of the work (goal ${100 * GOALS.share} %), of that the start of a process and its thread ${start.toFixed(2)} s`,
    '',
  ];
}

/** What a batch of one bad input takes more than the command alone, s: the start of a thread, the manifest and the report. */
async function startTime(folder: string): Promise<number> {
  mkdirSync(join(folder, 'bad'));
  writeFileSync(join(folder, 'bad/bad.bvh'), 'HIERARCHY');
  const batch = [
    'batch',
    'retarget',
    '--in',
    'bad/*.bvh',
    '--target',
    'human',
    '--out',
    'bad/out',
    '--jobs',
    '1',
  ];
  const alone = await run(folder, ['retarget', 'bad/bad.bvh', 'human'], [2]);
  return (await run(folder, batch, [42])).wall - alone.wall;
}

/** Characters of the shared data, and how many clips of how many frames. */
const CHARACTERS = ['human', 'vrm/cryptovoxels.vrm', 'gltf/KayKit_Knight.glb'];
const COST = { few: 5, many: 25, frames: 600, source: 'fair_jumping' };

/** What a frame costs once a batch has begun: from a few clips to many. */
async function costLines(folder: string, data: string): Promise<string[]> {
  const text = readFileSync(join(data, `bvh/${COST.source}.bvh`), 'utf8');
  const { few, many, frames } = COST;
  const rows: string[][] = [];
  for (const count of [few, many]) writeClips(join(folder, `cost-${count}`), [text], count, frames);
  for (const name of CHARACTERS) {
    const target = name === 'human' ? name : join(data, name);
    const processorOf = async (count: number): Promise<number> => {
      const out = `cost-${name.replace(/\W/g, '-')}-${count}`;
      const argv = ['batch', 'retarget', '--in', `cost-${count}/*.bvh`, '--target', target, '--out', out];
      return (await run(folder, [...argv, '--jobs', '1', '--strips', '0'])).processor;
    };
    const seconds = ((await processorOf(many)) - (await processorOf(few))) / ((many - few) * frames);
    // 10^6 clips of 1,000 frames.
    rows.push([name, (1000 * seconds).toFixed(2), ((seconds * 1e9) / 3600).toFixed(0)]);
  }
  return [
    `What a frame costs: \`poise batch retarget\` of clips of ${frames} frames, one thread, processor time of the process, from ${few} clips to ${many}; the file written.`,
    '',
    markdownTable(['on', 'ms a frame', 'core-hours for a million clips of 1,000 frames'], rows),
    '',
  ];
}

async function memoryLines(folder: string, text: string, many: number): Promise<string[]> {
  const few = 100;
  const measure = async (count: number): Promise<Run> => {
    writeClips(join(folder, `small-${count}`), [text], count, 2);
    return run(folder, [
      ...['batch', 'convert', '--in', `small-${count}/*.bvh`, '--out', `small-out-${count}`],
      ...['--format', 'json', '--jobs', '2'],
    ]);
  };
  const [small, large] = [await measure(few), await measure(many)];
  if (large.memory === 0) return ['The system does not say how much memory a process has: no figures.', ''];
  const growth = large.memory / small.memory - 1;
  return [
    'Memory of small jobs: `poise batch convert` of clips of two frames, two threads; the largest resident set of the process.',
    '',
    markdownTable(
      ['jobs', 'MB', 'jobs a second'],
      [
        [String(few), small.memory.toFixed(0), (few / small.wall).toFixed(0)],
        [String(many), large.memory.toFixed(0), (many / large.wall).toFixed(0)],
      ],
    ),
    '',
    `- growth: ${(100 * growth).toFixed(1)} % (goal under ${100 * GOALS.growth} %)`,
    '',
  ];
}

/** Windows of recordings, each of another place in them. */
function writeClips(folder: string, texts: readonly string[], count: number, frames: number): void {
  mkdirSync(folder);
  const recordings = texts.map((text) => {
    const [head, motion] = text.split(/^MOTION\s*$/m);
    const [, time, ...rows] = motion.trim().split(/\r?\n/);
    return { head, time, rows };
  });
  for (let k = 0; k < count; k++) {
    const { head, time, rows } = recordings[k % recordings.length];
    const length = Math.min(frames, rows.length);
    const from = (k * 7) % (rows.length - length + 1);
    const part = rows.slice(from, from + length).join('\n');
    writeFileSync(
      join(folder, `${String(k).padStart(6, '0')}.bvh`),
      `${head}MOTION\nFrames: ${length}\n${time}\n${part}\n`,
    );
  }
}

/** A command to its end. @param statuses - Those that are no error. */
function run(cwd: string, argv: readonly string[], statuses: readonly number[] = [0]): Promise<Run> {
  const started = performance.now();
  let memory = 0;
  let processor = 0;
  const child = spawn(process.execPath, [main, ...argv], { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = `${said}${text}`.slice(-2000);
  });
  const watch = setInterval(() => {
    try {
      const [, peak] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
      if (peak !== undefined) memory = Number(peak) / 1000;
      // After the name: state is the first field, user and system time the twelfth and the next, in hundredths of a second.
      const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
      processor = (Number(fields[11]) + Number(fields[12])) / 100;
    } catch {
      // It has ended, or the system has no such file.
    }
  }, 50);
  return new Promise((resolve, reject) => {
    child.on('close', (status) => {
      clearInterval(watch);
      if (statuses.includes(status as number))
        resolve({ wall: (performance.now() - started) / 1000, memory, processor });
      else reject(new Error(`poise ${argv.join(' ')} ended with ${status}:\n${said}`));
    });
  });
}

// Processes run what is built, not the sources.
const build =
  "const { buildPackages, stalePackages } = await import('./scripts/lib/build.mjs');" +
  "process.exit((await buildPackages(stalePackages(['core', 'formats', 'cli']))) ? 0 : 1);";
const isBuilt =
  options.help ||
  spawnSync(process.execPath, ['--input-type=module', '-e', build], {
    cwd: repositoryRoot(),
    stdio: 'inherit',
  }).status === 0;
if (isBuilt) await bench();
else process.exitCode = 1;
