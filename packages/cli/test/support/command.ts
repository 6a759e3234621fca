/** Runs the command in this process and records its output. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as formats from '@poise/formats';
import * as core from 'poise';
import * as dynamics from 'poise/dynamics';
import * as figure from 'poise/figure';
import * as humanoid from 'poise/humanoid';
import * as ik from 'poise/ik';
import * as motion from 'poise/motion';
import * as spacetime from 'poise/spacetime';
import { afterAll, expect } from 'vitest';
import type { PoseReport } from '../../src/goals/pose-report.js';
import { run } from '../../src/run.js';
import type { SimulationSummary } from '../../src/simulate/report.js';

export interface Said {
  status: number;
  out: string;
  err: string;
}

/** Functions of the library: what a person at a terminal cannot call. */
const FUNCTIONS = new Set(
  [formats, core, dynamics, figure, humanoid, ik, motion, spacetime]
    .flatMap((module) => Object.entries(module))
    .flatMap(([name, value]) => (typeof value === 'function' && /^[a-z]+[A-Z]/.test(name) ? [name] : [])),
);

/** Runs the command. Whatever a test asks, messages name no function of the library. */
export async function poise(...argv: string[]): Promise<Said> {
  const said = { out: '', err: '' };
  const status = await run(argv, {
    out: (text) => {
      said.out += Buffer.from(text).toString();
    },
    err: (text) => {
      said.err += text;
    },
    color: false,
  });
  const words = said.err.replace(/'[^']*'/g, '').match(/\b[a-z]+[A-Z]\w*/g) ?? [];
  expect(words.filter((word) => FUNCTIONS.has(word))).toEqual([]);
  return { status, ...said };
}

/** `poise pose ... --json` and its report. */
export async function posed(...argv: string[]): Promise<Said & { report: PoseReport }> {
  const said = await poise('pose', ...argv, '--json');
  if (said.status > 1) throw new Error(said.err);
  return { ...said, report: JSON.parse(said.out) as PoseReport };
}

/** `poise simulate ... --json` and its report. */
export async function simulated(...argv: string[]): Promise<Said & { report: SimulationSummary }> {
  const said = await poise('simulate', ...argv, '--json');
  if (said.status !== 0) throw new Error(said.err);
  return { ...said, report: JSON.parse(said.out) as SimulationSummary };
}

/** A folder for the files of one test file, gone when its tests are through. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'poise-cli-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
