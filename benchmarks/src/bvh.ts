/*
Speed and memory of readBvh beside three.js' BVHLoader: a recording of the shared data, repeated to some 40 MB, or files of yours.

  NODE_FLAGS=--expose-gc npm run bench -- bvh [FILE...]
*/
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readBvh } from '@poise/formats/bvh';
import { createMotionSampler } from 'poise/motion';
import { BVHLoader } from 'three/addons/loaders/BVHLoader.js';
import { machineLines } from './machine.js';
import { packageVersion } from './peers/peer.js';
import { dataFolder } from './problems.js';
import { writeResults } from './results.js';
import { markdownTable, median } from './statistics.js';

const ROUNDS = 7;
/** CMU's take 01_01 is 2 MB. */
const REPEATED = 20;
const RECORDING = 'cmu_01_01_hop_turn';

/** A recording whose frames follow each other several times; `print` writes its numbers anew. */
function repeated(path: string, times: number, print?: (value: number) => string): Uint8Array {
  const [skeleton, motion] = readFileSync(path, 'latin1').split(/^MOTION\s*$/m);
  const [, frameTime, ...lines] = motion.trim().split(/\r?\n/);
  const frames =
    print === undefined
      ? lines
      : lines.map((line) => line.trim().split(/\s+/).map(Number).map(print).join(' '));
  const all = Array.from({ length: times }, () => frames).flat();
  return Buffer.from(`${skeleton}MOTION\nFrames: ${all.length}\n${frameTime}\n${all.join('\n')}\n`);
}

const OPTIONS = { scale: 'auto', fileUpAxis: 'auto' } as const;
const loader = new BVHLoader();

/** What is made of the bytes of a file, and kept. */
const READERS: readonly { readonly name: string; readonly read: (bytes: Uint8Array) => unknown }[] = [
  { name: 'poise: `readBvh`', read: (bytes) => readBvh(bytes, OPTIONS) },
  {
    name: 'poise: `readBvh` and `createMotionSampler`',
    read: (bytes) => {
      const clip = readBvh(bytes, OPTIONS);
      return [clip, createMotionSampler(clip.figure, clip.motion)];
    },
  },
  {
    name: 'three.js: `BVHLoader.parse` of the decoded text',
    read: (bytes) => loader.parse(new TextDecoder().decode(bytes)),
  },
];

const collect = (globalThis as { gc?: () => void }).gc;

/** Memory in use, bytes. The arrays that a collection finds are given back after it, on another thread. */
async function usedMemory(): Promise<number> {
  // The engine keeps the text of the last match: three.js' whole file.
  /-/.test('-');
  for (let k = 0; collect && k < 3; k++) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

interface Round {
  /** Processor time of all threads, s: that of collections is in it. */
  readonly seconds: number;
  /** What the reader's result keeps, bytes; 0 without the flag. */
  readonly kept: number;
}

async function round(read: (bytes: Uint8Array) => unknown, bytes: Uint8Array): Promise<Round> {
  const before = await usedMemory();
  const started = process.cpuUsage();
  const result = [read(bytes)];
  const { user, system } = process.cpuUsage(started);
  const kept = (await usedMemory()) - before;
  // In use until here.
  result.pop();
  return { seconds: (user + system) / 1e6, kept };
}

async function measure(file: string, bytes: Uint8Array): Promise<string[][]> {
  const rounds = READERS.map((): Round[] => []);
  // Readers in turn: another load of the machine is one of all.
  for (let k = 0; k < ROUNDS; k++) {
    for (const [i, { read }] of READERS.entries()) rounds[i].push(await round(read, bytes));
  }
  const speed = (seconds: number): string => (bytes.length / 1e6 / seconds).toFixed(0);
  return READERS.map(({ name }, i) => {
    const seconds = rounds[i].map((each) => each.seconds);
    const kept = median(rounds[i].map((each) => each.kept));
    return [
      file,
      name,
      speed(Math.min(...seconds)),
      speed(median(seconds)),
      collect ? (kept / bytes.length).toFixed(2) : '',
    ];
  });
}

const head = machineLines('NODE_FLAGS=--expose-gc npm run bench -- bvh');
const recording = join(dataFolder(), `bvh/${RECORDING}.bvh`);
const given = process.argv.slice(2);
if (given.length === 0 && !existsSync(recording)) {
  console.log('no recording in the shared data (POISE_DATA): give a file.');
} else {
  const files: [string, Uint8Array][] =
    given.length > 0
      ? given.map((file) => [basename(file), readFileSync(file)])
      : [
          [`${RECORDING}, ${REPEATED} times`, repeated(recording, REPEATED)],
          // Thirds have as many digits as a double prints.
          ['its thirds, all digits, 8 times', repeated(recording, 8, (value) => String(value / 3))],
        ];
  const rows: string[][] = [];
  const sizes: string[] = [];
  const [[, first]] = files;
  const { seconds } = await round(READERS[0].read, first);
  const cold = (first.length / 1e6 / seconds).toFixed(0);
  for (const [name, bytes] of files) {
    rows.push(...(await measure(name, bytes)));
    const { frames, figure } = readBvh(bytes, OPTIONS);
    sizes.push(
      `- ${name}: ${(bytes.length / 1e6).toFixed(1)} MB, ${frames} frames of ${figure.bones.length} joints`,
    );
  }
  const report = `# Reading BVH

${head.join('\n')}
- poise ${packageVersion('poise')}, three.js ${packageVersion('three')}
${sizes.join('\n')}

MB of the file a second of processor time, that of all threads and of collections in it: the least of ${ROUNDS} rounds and their median, readers in turn. The first \`readBvh\` of the process, whose
code the engine had still to compile, read ${cold} MB/s. Kept: memory of what the reader returns, as a multiple of the file. three.js keeps numbers of 32 bits.

${markdownTable(['file', 'reader', 'MB/s', 'median', 'kept'], rows)}`;
  console.log(report);
  if (given.length === 0 && collect) writeResults({ 'bvh.md': `${report}\n` });
}
