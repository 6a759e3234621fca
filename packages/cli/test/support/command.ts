/** Runs the command in this process and records its output. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { PoseReport } from '../../src/goals/pose-report.js';
import { run } from '../../src/run.js';
import type { SimulationSummary } from '../../src/simulate/report.js';

export interface Said {
  status: number;
  out: string;
  err: string;
}

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
