/** `poise optimize`: solves a scene and writes the motion. */
import { type ReadBudget, withScenePath } from '@poise/formats';
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

export interface OptimizeOptions {
  /** How much the scene and its files may ask for. */
  readonly budget?: ReadBudget;
  readonly output?: string;
  /** An HTML file. */
  readonly report?: string;
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
const TOLERANCE = 1e-8;

/** Runs the command. Files are built in memory and written last. @returns the exit status. */
export async function optimize(path: string, options: OptimizeOptions, io: Io): Promise<number> {
  const { output, resume, maxIterations = MAX_ITERATIONS, tolerance = TOLERANCE } = options;
  const outputs = outputsOf(options);
  requireSingleStdout(output, options.json);
  await checkOutputs(outputs, [path, resume]);
  const start = resume === undefined ? undefined : readState(await readText(resume, io), resume);
  const { allowOutside = false, budget = {} } = options;
  const loaded = await loadScene(path, { allowOutside, budget }, io);
  await checkOutputs(outputs, [path, resume, ...loaded.files]);
  if (output !== undefined) requireOutput(loaded.source, output);
  warn(io, loaded.warnings);
  const createSolver = () => createSpacetimeSolver(loaded.problem, { tolerance, ...(start && { start }) });
  const solver = resume === undefined ? createSolver() : withScenePath(resume, createSolver);
  const solved = await solveScene(solver, maxIterations, io);
  const written = await write(loaded, solved, options, tolerance, io);
  const summary = summaryOf(loaded, solved, written);
  if (options.json) json(io, summary);
  else printSummary(summary, reportIo(io, output));
  return solved.solution.status === 'converged' ? EXIT.done : EXIT.notConverged;
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
  { output, report, save }: OptimizeOptions,
  tolerance: number,
  io: Io,
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
  await writeOutputs(files, io);
  return {
    ...(output !== undefined && { output }),
    ...(animated && { animation: name }),
    ...(report !== undefined && { report }),
    ...(save !== undefined && { state: save }),
  };
}
