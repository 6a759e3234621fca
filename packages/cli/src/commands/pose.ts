/** `poise pose`: brings bones to goals and writes the pose. */
import { performance } from 'node:perf_hooks';
import { type PoseData, poseFromData, readPose } from '@poise/formats';
import { writeFileSafely } from '@poise/formats/node';
import { GoalError, PoiseError } from 'poise';
import { clampToLimits, createPose, type Figure, limitViolation } from 'poise/figure';
import { createIk, type IkOptions, type IkResult, solveIk } from 'poise/ik';
import { lockStages } from '../goals/lock-schedule.js';
import { drawsBelow, heldBones, moversOf, type Pull, wholeBodyBones } from '../goals/locked-bones.js';
import { parseAim, parseGoal, parseOrient, parsePin } from '../goals/parse-goals.js';
import { printReport, reportOf } from '../goals/pose-report.js';
import { findBone, type ResolvedGoal, resolveGoals } from '../goals/resolve-goals.js';
import { EXIT } from '../io/exit-codes.js';
import { type Io, line, styled } from '../io/io.js';
import { outputBytes, outputKind } from '../io/output.js';
import { significant } from '../io/parse-number.js';
import { loadSource, readText, type Source, type UrdfLimits } from '../io/source.js';

export interface PoseOptions {
  readonly goal?: readonly string[];
  readonly orient?: readonly string[];
  readonly aim?: readonly string[];
  readonly pin?: readonly string[];
  readonly lock?: readonly string[];
  /** A pose file to start from. */
  readonly from?: string;
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

/** A pose outside its limits by no more than this is so by rounding, rad or m. */
const ROUNDING = 1e-9;

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
  const from = options.from === undefined ? undefined : await readStart(options.from);
  const source = await loadSource(path, withHeight(path, options, from?.data));
  const { figure } = source;
  const { coordinates, notes } = startOf(figure, from);
  const given = resolveGoals(figure, coordinates, specs, {
    ...(options.tolerance !== undefined && { position: options.tolerance }),
    ...(options.angleTolerance !== undefined && { angle: (options.angleTolerance * Math.PI) / 180 }),
  });
  const whole = wholeBodyBones(figure, source.drawn);
  const held = bonesToHold(figure, whole, given, options);
  const warnings = [...source.warnings, ...notes, ...controlWarnings(source, given, whole)];
  // A pose file can be written as another kind as it is.
  if (!given.some(({ spec }) => spec.option !== 'pin') && !(from && given.length === 0)) {
    throw new GoalError('wrong-size', given.length > 0 ? 'only pins were given.' : 'no goal was given.', {
      path: 'poise pose',
      remedy: `Give at least one --goal, --orient or --aim ('poise pose --help' has examples).`,
    });
  }
  const stages =
    options.spread || options.freeRoot
      ? [held]
      : lockStages(figure, source.drawn, pullsOf(given, false), held);
  const start = coordinates.slice();
  const solved = solve(figure, given, stages, coordinates);

  if (output !== undefined) await writeFileSafely(output, outputBytes(source, coordinates, output));
  const report = reportOf({
    source,
    ...solved,
    start,
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

interface Start {
  readonly data: PoseData;
  readonly source: string;
}

async function readStart(path: string): Promise<Start> {
  return { data: readPose(await readText(path), { source: path }), source: path };
}

/** The built-in figure is as tall as the one of the pose file, unless told otherwise. */
function withHeight(path: string | undefined, options: PoseOptions, data: PoseData | undefined): PoseOptions {
  const height = path === undefined ? (options.height ?? data?.height) : options.height;
  return height === undefined ? options : { ...options, height };
}

/** The pose to start from, within the limits, and what there is to say of it. */
function startOf(figure: Figure, from: Start | undefined): { coordinates: Float64Array; notes: string[] } {
  if (from === undefined) return { coordinates: createPose(figure), notes: [] };
  const coordinates = poseFromData(figure, from.data, { source: from.source });
  const excess = limitViolation(figure, coordinates);
  clampToLimits(figure, coordinates);
  const isOutside = excess > ROUNDING;
  return {
    coordinates,
    notes: isOutside
      ? [
          `${from.source}: is outside the limits by up to ${significant(excess)} (rad or m); starts at the nearest allowed pose.`,
        ]
      : [],
  };
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
  const draws = drawsBelow(figure, drawn);
  return goals
    .filter(({ spec, pull }) => spec.option !== 'pin' && !draws[pull.bone])
    .filter(({ pull }) => [...moversOf(figure, pull)].every((b) => whole.has(b) || !draws[b]))
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
    const result = solveOnce(figure, goals, options, pose, last);
    if (result !== undefined && (result.status === 'converged' || last)) {
      return { goals, idle: given.filter(isIdle), result, milliseconds: performance.now() - started };
    }
  }
}

/** What becomes of a pose file without a goal. */
const NOTHING_ASKED: IkResult = {
  status: 'converged',
  residuals: [],
  activeLimits: [],
  objective: 0,
  lengthScale: 1,
  iterations: 0,
  restarts: 0,
};

function solveOnce(
  figure: Figure,
  goals: readonly ResolvedGoal[],
  options: IkOptions,
  pose: Float64Array,
  last: boolean,
): IkResult | undefined {
  if (goals.length === 0) return NOTHING_ASKED;
  try {
    const solver = createIk(
      figure,
      goals.map(({ goal }) => goal),
      options,
    );
    return solveIk(solver, pose);
  } catch (error) {
    // What the limb alone cannot move, more joints may.
    if (!last && error instanceof PoiseError && error.code === 'immovable-goal') return undefined;
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
