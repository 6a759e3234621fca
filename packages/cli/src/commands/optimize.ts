/** `poise optimize`: solves a scene and writes the motion. */
import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { withScenePath } from '@poise/formats';
import { writeFileSafely } from '@poise/formats/node';
import { FormatError } from 'poise';
import { createSpacetimeSolver, motionFromSolution } from 'poise/spacetime';
import { htmlReport } from '../html-report/report.js';
import { EXIT } from '../io/exit-codes.js';
import { type Io, line, styled } from '../io/io.js';
import { animationBytes, outputKind, requireOutput } from '../io/output.js';
import { readText } from '../io/source.js';
import { type LoadedScene, loadScene } from '../optimize/load-scene.js';
import { motionBytes } from '../optimize/motion-file.js';
import { type Solved, solveScene } from '../optimize/solve-scene.js';
import { readState, stateBytes } from '../optimize/state-file.js';
import { printSummary, summaryOf, type Written } from '../optimize/summary.js';

export interface OptimizeOptions {
  readonly output?: string;
  /** An HTML file. */
  readonly report?: string;
  readonly maxIterations?: number;
  readonly tolerance?: number;
  /** State files, to write and to resume from. */
  readonly save?: string;
  readonly resume?: string;
  readonly json?: boolean;
}

const MAX_ITERATIONS = 300;
const TOLERANCE = 1e-8;

/** Runs the command. Files are built in memory and written last. @returns the exit status. */
export async function optimize(path: string, options: OptimizeOptions, io: Io): Promise<number> {
  const { output, resume, maxIterations = MAX_ITERATIONS, tolerance = TOLERANCE } = options;
  if (output !== undefined) outputKind(output);
  for (const path of [output, options.report, options.save]) await requireFolder(path);
  const start = resume === undefined ? undefined : readState(await readText(resume), resume);
  const loaded = await loadScene(path);
  if (output !== undefined) requireOutput(loaded.source, output);
  for (const warning of loaded.warnings) io.err(`${styled(io, 'yellow', 'warning:')} ${warning}\n`);
  const createSolver = () => createSpacetimeSolver(loaded.problem, { tolerance, ...(start && { start }) });
  const solver = resume === undefined ? createSolver() : withScenePath(resume, createSolver);
  const solved = await solveScene(solver, maxIterations, io);
  const written = await write(loaded, solved, options, tolerance);
  const summary = summaryOf(loaded, solved, written);
  if (options.json) line(io, JSON.stringify(summary, null, 2));
  else printSummary(summary, io);
  return solved.solution.status === 'converged' ? EXIT.done : EXIT.notConverged;
}

/** Checks before a long solve that the folder exists. @throws FormatError `cannot-write`. */
async function requireFolder(path: string | undefined): Promise<void> {
  if (path === undefined) return;
  const found = await stat(dirname(resolve(path))).catch(() => undefined);
  if (found?.isDirectory()) return;
  throw new FormatError('cannot-write', 'is in a folder that does not exist.', {
    path,
    remedy: 'Create the folder first.',
  });
}

async function write(
  loaded: LoadedScene,
  solved: Solved,
  { output, report, save }: OptimizeOptions,
  tolerance: number,
): Promise<Written> {
  const { source, figure, name } = loaded;
  const files: (readonly [path: string, bytes: Uint8Array])[] = [];
  // The most expensive result first.
  if (save !== undefined) files.push([save, stateBytes(solved.solution.save)]);
  const animated = output !== undefined && outputKind(output) !== 'json';
  if (output !== undefined) {
    const motion = motionFromSolution(solved.solution, name);
    files.push([
      output,
      animated ? animationBytes(source, figure, motion, output) : motionBytes(figure, motion),
    ]);
  }
  if (report !== undefined) {
    files.push([report, new TextEncoder().encode(htmlReport(loaded, solved, tolerance))]);
  }
  for (const [path, bytes] of files) await writeFileSafely(path, bytes);
  return {
    ...(output !== undefined && { output }),
    ...(animated && { animation: name }),
    ...(report !== undefined && { report }),
    ...(save !== undefined && { state: save }),
  };
}
