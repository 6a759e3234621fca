import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JointSolution } from '../check.js';
import { type ProblemSet, repositoryRoot, type TargetPose } from '../problems.js';

/** A solver under measurement. */
export interface Peer {
  readonly name: string;
  readonly version: string;
  /**
   * `subject`: Poise. `peer`: a published JavaScript solver. `reference`: no published solver but a yardstick, and
   * so outside the comparison "better than every JavaScript peer".
   */
  readonly role: 'subject' | 'peer' | 'reference';
  /** Its settings in one line. */
  readonly settings: string;
  /** Builds the rig once; null where the solver cannot state the set at all. */
  create(set: ProblemSet): Session | null;
}

/** One rig with one solver. Only `run` is timed. */
export interface Session {
  /**
   * Part of the problem that this solver cannot express, such as the joint limits. Its row is shown with
   * a star, its answers are judged like any other, and it stays out of the comparison of times.
   */
  readonly leavesOut?: string;
  /** Back to the start pose; the target in the solver's own form. */
  prepare(target: readonly TargetPose[]): void;
  /** From the start pose to the solver's answer, its own check of the tolerance included. */
  run(): void;
  /** The answer, for the judge. */
  read(): JointSolution;
}

/** The version of an installed package. */
export function packageVersion(name: string): string {
  // In the folder of the benchmarks where another version stands at the root.
  const own = join(repositoryRoot(), 'benchmarks', 'node_modules', name, 'package.json');
  const file = existsSync(own) ? own : join(repositoryRoot(), 'node_modules', name, 'package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

/**
 * Half-width a of the symmetric box of three Euler angles that fits into a ball joint's limit `theta` on the
 * total angle. With all |angles| = a the worst sign gives w = cos^3(a/2) - sin^3(a/2) in every one of the six Euler
 * orders; a is where that is cos(theta/2), found by bisection.
 */
export function inscribedEulerBox(theta: number): number {
  let lo = 0;
  let hi = theta;
  for (let i = 0; i < 60; i++) {
    const a = (lo + hi) / 2;
    if (Math.cos(a / 2) ** 3 - Math.sin(a / 2) ** 3 > Math.cos(theta / 2)) lo = a;
    else hi = a;
  }
  return lo;
}
