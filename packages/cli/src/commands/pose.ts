/** `poise pose`: solves goals and writes the pose. */
import { performance } from 'node:perf_hooks';
import { type PoseData, poseFromData, readPose } from '@poise/formats';
import { GoalError, PoiseError } from 'poise';
import { clampToLimits, createPose, type Figure, limitViolation } from 'poise/figure';
import { createIk, type IkOptions, type IkResult, solveIk } from 'poise/ik';
import { lockStages } from '../goals/lock-schedule.js';
import {
  affectingBones,
  drawnSubtrees,
  type GoalBones,
  lockedBones,
  wholeBodyBones,
} from '../goals/locked-bones.js';
import { parseAim, parseGoal, parseOrient, parsePin } from '../goals/parse-goals.js';
import { printReport, reportOf } from '../goals/pose-report.js';
import { type ResolvedGoal, resolveGoals } from '../goals/resolve-goals.js';
import { type BoneNames, boneNamesOf, findBone } from '../io/bone-names.js';
import { EXIT } from '../io/exit-codes.js';
import { checkOutput, reportIo, writeOutputs } from '../io/files-written.js';
import { type Io, json, warn } from '../io/io.js';
import { MOTION_OUTPUTS, outputBytes, outputKind, requireOutput } from '../io/output.js';
import { significant } from '../io/parse-number.js';
import { loadSource, readText, type Source, type SourceOptions } from '../io/source.js';
import { samplePoseAtRest } from '../trajectory/sampled-motion.js';
import { jointNamesOf, trajectoryCsv } from '../trajectory/trajectory-file.js';

export interface PoseOptions extends SourceOptions {
  readonly goal?: readonly string[];
  readonly orient?: readonly string[];
  readonly aim?: readonly string[];
  readonly pin?: readonly string[];
  readonly lock?: readonly string[];
  /** A pose file to start from. */
  readonly from?: string;
  /** Unlocks the joints that move the whole body. */
  readonly freeRoot?: boolean;
  /** Uses all unlocked joints from the start, not the limb first. */
  readonly spread?: boolean;
  /** Of positions, m. */
  readonly tolerance?: number;
  /** Of angles, degrees. */
  readonly angleTolerance?: number;
  readonly json?: boolean;
  readonly output?: string;
}

/** Limit violation within rounding, rad or m. */
const ROUNDING = 1e-9;

/** Runs the command. The output is built in memory and written last. @returns the exit status. */
export async function pose(path: string | undefined, options: PoseOptions, io: Io): Promise<number> {
  const specs = [
    ...(options.goal ?? []).map(parseGoal),
    ...(options.orient ?? []).map(parseOrient),
    ...(options.aim ?? []).map(parseAim),
    ...(options.pin ?? []).map(parsePin),
  ];
  const { output } = options;
  await checkOutput(options, MOTION_OUTPUTS, [path, options.from]);
  const from = options.from === undefined ? undefined : await readStartPose(options.from, io);
  const source = await loadSource(path, withHeight(path, options, from?.data), io);
  if (output !== undefined) requireOutput(source, output, 'pose');
  const { figure } = source;
  const names = boneNamesOf(source);
  const { coordinates, notes } = startingPose(figure, from);
  const given = resolveGoals(names, coordinates, specs, {
    ...(options.tolerance !== undefined && { position: options.tolerance }),
    ...(options.angleTolerance !== undefined && { angle: (options.angleTolerance * Math.PI) / 180 }),
  });
  const whole = wholeBodyBones(figure, source.drawn);
  const locked = bonesToLock(names, whole, given, options);
  const warnings = [...source.warnings, ...notes, ...controlWarnings(source, given, whole)];
  // A pose file without goals can be converted to another file type.
  if (!given.some(({ spec }) => spec.option !== 'pin') && !(from && given.length === 0)) {
    throw new GoalError('wrong-size', given.length > 0 ? 'only pins were given.' : 'no goal was given.', {
      path: 'poise pose',
      remedy: `Give at least one --goal, --orient or --aim ('poise pose --help' has examples).`,
    });
  }
  const stages =
    options.spread || options.freeRoot
      ? [locked]
      : lockStages(figure, source.drawn, goalBones(given, false), locked);
  const start = coordinates.slice();
  const solved = solve(figure, given, stages, coordinates);

  if (output !== undefined) {
    let bytes: Uint8Array;
    if (outputKind(output) === 'csv') {
      const sampled = samplePoseAtRest(figure, coordinates);
      warnings.push(...sampled.notes);
      bytes = trajectoryCsv(sampled, jointNamesOf(source));
    } else bytes = outputBytes(source, coordinates, output);
    await writeOutputs([[output, bytes]], io);
  }
  const report = reportOf({
    source,
    ...solved,
    start,
    pose: coordinates,
    locked,
    whole,
    ...(output !== undefined && { output }),
    warnings,
  });
  warn(io, report.warnings);
  if (options.json) json(io, report);
  else printReport(report, reportIo(io, output));
  return solved.result.status === 'converged' ? EXIT.done : EXIT.notConverged;
}

interface Start {
  readonly data: PoseData;
  readonly source: string;
}

async function readStartPose(path: string, io: Io): Promise<Start> {
  return { data: readPose(await readText(path, io), { source: path }), source: path };
}

/** The height of the pose file applies to the built-in figure, unless given by option. */
function withHeight(path: string | undefined, options: PoseOptions, data: PoseData | undefined): PoseOptions {
  const height = path === undefined ? (options.height ?? data?.height) : options.height;
  return height === undefined ? options : { ...options, height };
}

/** The starting pose, clamped to the limits, and warnings. */
function startingPose(
  figure: Figure,
  from: Start | undefined,
): { coordinates: Float64Array; notes: string[] } {
  if (from === undefined) return { coordinates: createPose(figure), notes: [] };
  const coordinates = poseFromData(figure, from.data, { source: from.source });
  const excess = limitViolation(figure, coordinates);
  clampToLimits(figure, coordinates);
  const isOutside = excess > ROUNDING;
  return {
    coordinates,
    notes: isOutside
      ? [
          `${from.source}: violates the limits by up to ${significant(excess)} (rad or m); starts at the nearest allowed pose.`,
        ]
      : [],
  };
}

function bonesToLock(
  names: BoneNames,
  whole: ReadonlySet<number>,
  goals: readonly ResolvedGoal[],
  options: PoseOptions,
): Set<number> {
  const locked = options.freeRoot
    ? new Set<number>()
    : lockedBones(names.figure, whole, goalBones(goals, false), goalBones(goals, true));
  for (const name of options.lock ?? []) locked.add(findBone(names, name, `--lock ${name}`));
  return locked;
}

function goalBones(goals: readonly ResolvedGoal[], pins: boolean): GoalBones[] {
  return goals.filter(({ spec }) => (spec.option === 'pin') === pins).map(({ dependsOn }) => dependsOn);
}

/** Warns of goals on control bones of a rig: without visible geometry, and moved by the whole body only. */
function controlWarnings(
  { figure, drawn }: Source,
  goals: readonly ResolvedGoal[],
  whole: ReadonlySet<number>,
): string[] {
  const hasDrawn = drawnSubtrees(figure, drawn);
  return goals
    .filter(({ spec, dependsOn }) => spec.option !== 'pin' && !hasDrawn[dependsOn.bone])
    .filter(({ dependsOn }) =>
      [...affectingBones(figure, dependsOn)].every((b) => whole.has(b) || !hasDrawn[b]),
    )
    .map(({ spec, dependsOn }) => {
      const { name } = figure.bones[dependsOn.bone];
      return `${spec.text}: '${name}' is a control bone: it moves no mesh, and only the whole body moves it.`;
    });
}

/**
 * Solves the stages in order until the goals are met; the last stage may restart from other poses.
 *
 * @param pose - The starting pose; the solution on return.
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
    // No free joint affects such a pin; the solver would refuse it as immovable.
    const isIdle = ({ spec, dependsOn }: ResolvedGoal) =>
      spec.option === 'pin' && [...affectingBones(figure, dependsOn)].every((b) => locked.has(b));
    const goals = given.filter((goal) => !isIdle(goal));
    const options = { locked: [...locked], ...(!last && { restarts: 0 }) };
    pose.set(start);
    const result = solveOnce(figure, goals, options, pose, last);
    if (result !== undefined && (result.status === 'converged' || last)) {
      return { goals, idle: given.filter(isIdle), result, milliseconds: performance.now() - started };
    }
  }
}

/** Result for a pose file without goals. */
const NO_GOALS: IkResult = {
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
  if (goals.length === 0) return NO_GOALS;
  try {
    const solver = createIk(
      figure,
      goals.map(({ goal }) => goal),
      options,
    );
    return solveIk(solver, pose);
  } catch (error) {
    // A later stage has more free joints.
    if (!last && error instanceof PoiseError && error.code === 'immovable-goal') return undefined;
    throw withOptionText(error, goals);
  }
}

/** Replaces `goals[2]` in an error by the option as typed. */
function withOptionText(error: unknown, goals: readonly ResolvedGoal[]): unknown {
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
