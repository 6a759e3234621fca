/** `poise optimize`: solves a scene and writes the motion. */
import { type ReadBudget, withScenePath } from '@poise/formats';
import { FormatError } from 'poise';
import { createSpacetimeSolver, motionFromSolution } from 'poise/spacetime';
import { htmlReport } from '../html-report/report.js';
import { EXIT } from '../io/exit-codes.js';
import {
  checkOutputs,
  type Output,
  reportIo,
  requireExtension,
  requireSingleStdout,
  writeOutputs,
} from '../io/files-written.js';
import { type Io, json, warn } from '../io/io.js';
import { animationBytes, MOTION_OUTPUTS, outputKind, requireOutput } from '../io/output.js';
import { readText } from '../io/source.js';
import { type LoadedScene, loadScene } from '../optimize/load-scene.js';
import { motionBytes } from '../optimize/motion-file.js';
import { type Solved, solveScene } from '../optimize/solve-scene.js';
import { readState, stateBytes } from '../optimize/state-file.js';
import { printSummary, summaryOf, type Written } from '../optimize/summary.js';
import { DEFAULT_RATE, sampleSolution } from '../trajectory/sampled-motion.js';
import { jointNamesOf, trajectoryCsv, trajectoryJson } from '../trajectory/trajectory-file.js';

export interface OptimizeOptions {
  /** How much the scene and its files may ask for. */
  readonly budget?: ReadBudget;
  readonly output?: string;
  /** An HTML file. */
  readonly report?: string;
  /** Samples per second: of a .csv, or of a .json in place of the motion. */
  readonly rate?: number;
  readonly maxIterations?: number;
  readonly tolerance?: number;
  /** State files, to write and to resume from. */
  readonly save?: string;
  readonly resume?: string;
  /** The scene may name files outside its folder. */
  readonly allowOutside?: boolean;
  readonly json?: boolean;
}

const MAX_ITERATIONS = 300;
const TOLERANCE = 1e-6;

/** Runs the command. Files are built in memory and written last. @returns the exit status. */
export async function optimize(path: string, options: OptimizeOptions, io: Io): Promise<number> {
  const { output, resume, maxIterations = MAX_ITERATIONS, tolerance = TOLERANCE } = options;
  const outputs = outputsOf(options);
  requireTable(options);
  requireSingleStdout(output, options.json);
  await checkOutputs(outputs, [path, resume]);
  const start = resume === undefined ? undefined : readState(await readText(resume, io), resume);
  const { allowOutside = false, budget = {} } = options;
  const loaded = await loadScene(path, { allowOutside, budget }, io);
  await checkOutputs(outputs, [path, resume, ...loaded.files]);
  if (output !== undefined) requireOutput(loaded.source, output, 'motion');
  warn(io, loaded.warnings);
  const createSolver = () => createSpacetimeSolver(loaded.problem, { tolerance, ...(start && { start }) });
  const solver = resume === undefined ? createSolver() : withScenePath(resume, createSolver);
  const solved = await solveScene(solver, maxIterations, io);
  warn(io, solved.solution.warnings);
  const written = await write(loaded, solved, options, tolerance, io);
  const summary = summaryOf(loaded, solved, written);
  if (options.json) json(io, summary);
  else printSummary(summary, reportIo(io, output), written.isTable);
  return solved.solution.status === 'converged' ? EXIT.done : EXIT.notConverged;
}

/** @throws FormatError `unsupported` for a rate of samples without samples. */
function requireTable({ rate, output }: OptimizeOptions): void {
  if (rate === undefined || (output !== undefined && ['csv', 'json'].includes(outputKind(output)))) return;
  throw new FormatError('unsupported', 'applies only to samples, -o with .csv or .json.', {
    path: `--rate ${rate}`,
    remedy: 'Remove the option, or write a .csv.',
  });
}

/** The files to write, of the right extensions. @throws FormatError `unsupported`. */
function outputsOf({ output, report, save }: OptimizeOptions): Output[] {
  const given: readonly (readonly [
    option: string,
    path: string | undefined,
    extensions: readonly string[],
  ])[] = [
    ['--output', output, MOTION_OUTPUTS],
    ['--report', report, ['.html', '.htm']],
    ['--save', save, ['.json']],
  ];
  return given.flatMap(([option, path, extensions]) => {
    if (path === undefined) return [];
    requireExtension({ option, path }, extensions);
    return [{ option, path }];
  });
}

async function write(
  loaded: LoadedScene,
  solved: Solved,
  { output, report, save, rate }: OptimizeOptions,
  tolerance: number,
  io: Io,
): Promise<Written> {
  const { source, figure, name } = loaded;
  const files: (readonly [path: string, bytes: Uint8Array])[] = [];
  // The most expensive result first.
  if (save !== undefined) files.push([save, stateBytes(solved.solution.save)]);
  const kind = output === undefined ? undefined : outputKind(output);
  const isTable = kind === 'csv' || (kind === 'json' && rate !== undefined);
  const animated = kind !== undefined && kind !== 'json' && kind !== 'csv';
  if (output !== undefined && isTable) {
    const sampled = sampleSolution(solved.solution.trajectory, rate ?? DEFAULT_RATE);
    files.push([output, (kind === 'csv' ? trajectoryCsv : trajectoryJson)(sampled, jointNamesOf(source))]);
  } else if (output !== undefined) {
    const motion = motionFromSolution(solved.solution, name);
    files.push([
      output,
      animated ? animationBytes(source, figure, motion, output) : motionBytes(figure, motion),
    ]);
  }
  if (report !== undefined) {
    files.push([report, new TextEncoder().encode(htmlReport(loaded, solved, tolerance))]);
  }
  await writeOutputs(files, io);
  return {
    ...(output !== undefined && { output }),
    ...(isTable && { isTable }),
    ...(animated && { animation: name }),
    ...(report !== undefined && { report }),
    ...(save !== undefined && { state: save }),
  };
}
