/** `poise pose`: brings bones to goals and writes the pose. */
import { performance } from 'node:perf_hooks';
import { writeFileSafely } from '@poise/formats/node';
import { GoalError, PoiseError } from 'poise';
import { createPose, type Figure } from 'poise/figure';
import { createIk, type IkOptions, type IkResult, solveIk } from 'poise/ik';
import { EXIT } from '../exit-codes.js';
import { heldBones, moversOf, type Pull, wholeBodyBones } from '../held-bones.js';
import { type Io, line, styled } from '../io.js';
import { outputBytes, outputKind } from '../output.js';
import { parseAim, parseGoal, parseOrient, parsePin } from '../parse-goals.js';
import { printReport, reportOf } from '../report.js';
import { findBone, type ResolvedGoal, resolveGoals } from '../resolve-goals.js';
import { loadSource, type Source, type UrdfLimits } from '../source.js';
import { lockStages } from '../stages.js';

export interface PoseOptions {
  readonly goal?: readonly string[];
  readonly orient?: readonly string[];
  readonly aim?: readonly string[];
  readonly pin?: readonly string[];
  readonly lock?: readonly string[];
  /** Lets the joints that move the whole body take part. */
  readonly freeRoot?: boolean;
  /** Lets all joints that are not held share the movement from the start, not the limb first. */
  readonly spread?: boolean;
  /** Height of the built-in figure, m. */
  readonly height?: number;
  /** Which limits of a URDF count. */
  readonly limits?: UrdfLimits;
  /** Of positions, m. */
  readonly tolerance?: number;
  /** Of angles, degrees. */
  readonly angleTolerance?: number;
  readonly json?: boolean;
  readonly output?: string;
}

/** Runs the command. The output is made whole in memory and written last. @returns the exit status. */
export async function pose(path: string | undefined, options: PoseOptions, io: Io): Promise<number> {
  const specs = [
    ...(options.goal ?? []).map(parseGoal),
    ...(options.orient ?? []).map(parseOrient),
    ...(options.aim ?? []).map(parseAim),
    ...(options.pin ?? []).map(parsePin),
  ];
  const { output } = options;
  if (output !== undefined) outputKind(output);
  const source = await loadSource(path, options);
  const { figure } = source;
  const coordinates = createPose(figure);
  const given = resolveGoals(figure, coordinates, specs, {
    ...(options.tolerance !== undefined && { position: options.tolerance }),
    ...(options.angleTolerance !== undefined && { angle: (options.angleTolerance * Math.PI) / 180 }),
  });
  const whole = wholeBodyBones(figure, source.drawn);
  const held = bonesToHold(figure, whole, given, options);
  const warnings = [...source.warnings, ...controlWarnings(source, given, whole)];
  if (!given.some(({ spec }) => spec.option !== 'pin')) {
    throw new GoalError('wrong-size', given.length > 0 ? 'only pins were given.' : 'no goal was given.', {
      path: 'poise pose',
      remedy: `Give at least one --goal, --orient or --aim ('poise pose --help' has examples).`,
    });
  }
  const stages =
    options.spread || options.freeRoot
      ? [held]
      : lockStages(figure, source.drawn, pullsOf(given, false), held);
  const solved = solve(figure, given, stages, coordinates);

  if (output !== undefined) await writeFileSafely(output, outputBytes(source, coordinates, output));
  const report = reportOf({
    source,
    ...solved,
    pose: coordinates,
    held,
    whole,
    ...(output !== undefined && { output }),
    warnings,
  });
  for (const warning of report.warnings) io.err(`${styled(io, 'yellow', 'warning:')} ${warning}\n`);
  if (options.json) line(io, JSON.stringify(report, null, 2));
  else printReport(report, io);
  return solved.result.status === 'converged' ? EXIT.done : EXIT.notConverged;
}

function bonesToHold(
  figure: Figure,
  whole: ReadonlySet<number>,
  goals: readonly ResolvedGoal[],
  options: PoseOptions,
): Set<number> {
  const held = options.freeRoot
    ? new Set<number>()
    : heldBones(figure, whole, pullsOf(goals, false), pullsOf(goals, true));
  for (const name of options.lock ?? []) held.add(findBone(figure, name, `--lock ${name}`));
  return held;
}

function pullsOf(goals: readonly ResolvedGoal[], pins: boolean): Pull[] {
  return goals.filter(({ spec }) => (spec.option === 'pin') === pins).map(({ pull }) => pull);
}

/** A word on goals for bones that draw nothing and hang from the root alone: controls of the program that made the rig. */
function controlWarnings(
  { figure, drawn }: Source,
  goals: readonly ResolvedGoal[],
  whole: ReadonlySet<number>,
): string[] {
  const drawsBelow = drawn.slice();
  for (let b = figure.bones.length - 1; b >= 0; b--) {
    if (drawsBelow[b] && figure.parents[b] >= 0) drawsBelow[figure.parents[b]] = true;
  }
  return goals
    .filter(({ spec, pull }) => spec.option !== 'pin' && !drawsBelow[pull.bone])
    .filter(({ pull }) => [...moversOf(figure, pull)].every((b) => whole.has(b) || !drawsBelow[b]))
    .map(({ spec, pull }) => {
      const { name } = figure.bones[pull.bone];
      return `${spec.text}: '${name}' draws nothing and only the whole body moves it; it is a control, not a limb.`;
    });
}

/**
 * Solves with one set of locked joints after the other until the goals are met; the last may search from other starts.
 *
 * @param pose - The start; the answer afterwards.
 */
function solve(
  figure: Figure,
  given: readonly ResolvedGoal[],
  stages: readonly ReadonlySet<number>[],
  pose: Float64Array,
): { goals: readonly ResolvedGoal[]; idle: readonly ResolvedGoal[]; result: IkResult; milliseconds: number } {
  const start = pose.slice();
  const started = performance.now();
  for (let stage = 0; ; stage++) {
    const locked = stages[stage];
    const last = stage === stages.length - 1;
    // No free joint can disturb such a pin: it holds by itself, and the solver would refuse it.
    const isIdle = ({ spec, pull }: ResolvedGoal) =>
      spec.option === 'pin' && [...moversOf(figure, pull)].every((b) => locked.has(b));
    const goals = given.filter((goal) => !isIdle(goal));
    const options = { locked: [...locked], ...(!last && { restarts: 0 }) };
    pose.set(start);
    const result = solveOnce(figure, goals, options, pose);
    if (result.status === 'converged' || last) {
      return { goals, idle: given.filter(isIdle), result, milliseconds: performance.now() - started };
    }
  }
}

function solveOnce(
  figure: Figure,
  goals: readonly ResolvedGoal[],
  options: IkOptions,
  pose: Float64Array,
): IkResult {
  try {
    const solver = createIk(
      figure,
      goals.map(({ goal }) => goal),
      options,
    );
    return solveIk(solver, pose);
  } catch (error) {
    throw inWordsOfTheUser(error, goals);
  }
}

/** The solver speaks of `goals[2]`; the user typed an option. */
function inWordsOfTheUser(error: unknown, goals: readonly ResolvedGoal[]): unknown {
  if (!(error instanceof PoiseError)) return error;
  const index = /^goals\[(\d+)\]/.exec(error.path)?.[1];
  if (index === undefined) return error;
  const what = error.message.slice(error.path.length + 2, error.message.length - error.remedy.length - 1);
  return new GoalError(error.code, what, {
    path: goals[Number(index)].spec.text,
    remedy: error.remedy,
    cause: error,
  });
}
