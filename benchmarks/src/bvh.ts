/*
Speed and memory of readBvh: a recording of the shared data, repeated to some 40 MB, or files of yours.

  NODE_FLAGS=--expose-gc npm run bench -- bvh [FILE...]
*/
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type BvhClip, readBvh } from '@poise/formats/bvh';
import { machineLines } from './machine.js';
import { dataFolder } from './problems.js';

const ROUNDS = 7;
/** CMU's take 01_01 is 2 MB. */
const REPEATED = 20;

/** A recording whose frames follow each other several times. */
function repeated(path: string): Uint8Array {
  const [skeleton, motion] = readFileSync(path, 'latin1').split(/^MOTION\s*$/m);
  const [, frameTime, ...frames] = motion.trim().split(/\r?\n/);
  const all = Array.from({ length: REPEATED }, () => frames).flat();
  return Buffer.from(`${skeleton}MOTION\nFrames: ${all.length}\n${frameTime}\n${all.join('\n')}\n`);
}

interface Round {
  /** Processor time, s. */
  readonly seconds: number;
  /** What the clip keeps, bytes; 0 without the flag. */
  readonly kept: number;
}

const collect = (globalThis as { gc?: () => void }).gc;

/** Memory in use, bytes. The arrays that a collection finds are given back after it, on another thread. */
async function usedMemory(): Promise<number> {
  for (let k = 0; collect && k < 3; k++) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

async function round(bytes: Uint8Array): Promise<Round & { readonly clip: BvhClip }> {
  const before = await usedMemory();
  const started = process.cpuUsage();
  const clip = readBvh(bytes, { scale: 'auto', fileUpAxis: 'auto' });
  const { user, system } = process.cpuUsage(started);
  return { seconds: (user + system) / 1e6, kept: collect ? (await usedMemory()) - before : 0, clip };
}

async function measure(name: string, bytes: Uint8Array): Promise<void> {
  const rounds: (Round & { readonly frames: number; readonly joints: number })[] = [];
  for (let k = 0; k < ROUNDS; k++) {
    const { clip, seconds, kept } = await round(bytes);
    rounds.push({ seconds, kept, frames: clip.frames, joints: clip.figure.bones.length });
  }
  const seconds = Math.min(...rounds.map((each) => each.seconds));
  // Later rounds begin beside the clip of the one before.
  const { frames, joints, kept } = rounds[0];
  console.log(
    `${name}: ${(bytes.length / 1e6).toFixed(1)} MB, ${frames} frames of ${joints} joints: ` +
      `${(bytes.length / 1e6 / seconds).toFixed(0)} MB/s of processor time (the least of ${ROUNDS})` +
      (kept > 0 ? `, the clip keeps ${(kept / bytes.length).toFixed(2)} times the file` : ''),
  );
}

console.log(machineLines('npm run bench -- bvh').join('\n'));
const recording = join(dataFolder(), 'bvh/cmu_01_01_hop_turn.bvh');
const files = process.argv.slice(2);
for (const file of files) await measure(basename(file), readFileSync(file));
if (files.length === 0 && existsSync(recording))
  await measure('cmu_01_01_hop_turn, 20 times', repeated(recording));
if (files.length === 0 && !existsSync(recording))
  console.log('no recording in the shared data (POISE_DATA): give a file.');
