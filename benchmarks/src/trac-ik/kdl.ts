import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../problems.js';
import { type Chain, type Frame, midRange, TIME_LIMIT, TOLERANCE } from './chain.js';

/** A compiled yardstick, or why there is none. */
export interface Yardstick {
  readonly program?: string;
  readonly version: string;
  /** One line for the report. */
  readonly says: string;
}

const PACKAGE = 'liborocos-kdl-dev';
const FLAGS = ['-O3', '-DNDEBUG', '-std=c++17'];

function cacheFolder(): string {
  const folder = join(repositoryRoot(), 'benchmarks/.cache/kdl');
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Compiles the yardstick with the compiler and the KDL of this machine, where it has both. */
export function compileYardstick(): Yardstick {
  const program = join(cacheFolder(), 'yardstick');
  const source = join(repositoryRoot(), 'benchmarks/src/trac-ik/kdl/yardstick.cpp');
  try {
    const flags = execFileSync('pkg-config', ['--cflags', '--libs', 'orocos-kdl'], { encoding: 'utf8' });
    execFileSync('g++', [...FLAGS, source, '-o', program, ...flags.trim().split(/\s+/)], { stdio: 'pipe' });
    const version = execFileSync('pkg-config', ['--modversion', 'orocos-kdl'], { encoding: 'utf8' }).trim();
    const compiler = execFileSync('g++', ['-dumpfullversion'], { encoding: 'utf8' }).trim();
    return {
      program,
      version,
      says: `KDL ${version} (Debian ${PACKAGE}), g++ ${compiler} ${FLAGS.join(' ')}`,
    };
  } catch (error) {
    const first = String(error instanceof Error ? error.message : error).split('\n')[0];
    return {
      version: '-',
      says: `no KDL beside it, so times are not normalized (${first}); apt-get install g++ pkg-config ${PACKAGE}`,
    };
  }
}

export interface YardstickAnswer {
  readonly microseconds: number;
  readonly angles: readonly number[];
}

/** KDL's answers to the targets, one process for all. */
export function runYardstick(program: string, chain: Chain, targets: readonly Frame[]): YardstickAnswer[] {
  const problems = join(cacheFolder(), `${chain.id}-problems.txt`);
  const answers = join(cacheFolder(), `${chain.id}-answers.txt`);
  // 17 digits bring a double back whole. A joint without limits gets some that are out of the way.
  const bound = (x: number): number => Math.max(-1e9, Math.min(1e9, x));
  const lines = [
    `${TOLERANCE} ${TIME_LIMIT} ${chain.joints.length}`,
    ...chain.joints.map(({ type, origin, axis, lower, upper }) =>
      [type === 'fixed' ? 0 : 1, ...origin, ...axis, bound(lower), bound(upper)].join(' '),
    ),
    midRange(chain).join(' '),
    String(targets.length),
    ...targets.map((frame) => frame.join(' ')),
  ];
  writeFileSync(problems, `${lines.join('\n')}\n`);
  execFileSync(program, [problems, answers], { stdio: ['ignore', 'ignore', 'inherit'] });
  return readFileSync(answers, 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const [microseconds, ...angles] = line.split(' ').map(Number);
      return { microseconds, angles };
    });
}
