/** What `poise pose` says about a solve, as data and as text. */
import { type PoseData, poseToData } from '@poise/formats';
import { createState, type Figure, type FigureState, forwardKinematics } from 'poise/figure';
import type { Goal, IkResult, IkStatus } from 'poise/ik';
import { type Numbers, rigid } from 'poise/math';
import { partText, partValueText } from '../io/format-limit.js';
import { type Io, line, styled } from '../io/io.js';
import { angleText, lengthText, significant, triple } from '../io/parse-number.js';
import type { Source } from '../io/source.js';
import type { ResolvedGoal } from './resolve-goals.js';

/** What `poise pose --json` prints. */
export interface PoseReport {
  readonly format: 'poise-pose-report';
  readonly version: 1;
  readonly source: { readonly kind: Source['kind']; readonly path?: string };
  readonly figure: string;
  readonly status: IkStatus;
  readonly goals: readonly GoalReport[];
  readonly activeLimits: readonly LimitReport[];
  /** Bones whose joints were held: those that move the whole body, and `--lock`. */
  readonly held: readonly string[];
  /** Bones that move the whole body and took part. */
  readonly wholeBody: readonly string[];
  /** Bones whose joints moved. */
  readonly moved: readonly string[];
  readonly iterations: number;
  readonly restarts: number;
  /** Of the solve alone, ms. */
  readonly milliseconds: number;
  /** f = 1/2 |r|^2, as in the solver's result. */
  readonly objective: number;
  /** |P(q - grad f) - q|: how far from as near as can be; absent where every goal is met. */
  readonly stationarity?: number;
  readonly pose: PoseData;
  /** File written. */
  readonly output?: string;
  readonly warnings: readonly string[];
}

export interface GoalReport {
  /** The option as typed. */
  readonly option: string;
  readonly type: Goal['type'];
  readonly bone: string;
  /** What is left: m for positions, rad for angles. */
  readonly residual: number;
  readonly unit: 'm' | 'rad';
  readonly tolerance: number;
  readonly satisfied: boolean;
  /** Where the goal's point ended, world, m (positions only). */
  readonly reached?: readonly number[];
}

export interface LimitReport {
  readonly bone: string;
  readonly role: string;
  /** First coordinate of the limit in the pose, and the values of the limited ones: rad or m. */
  readonly coordinate: number;
  readonly values: readonly number[];
  readonly multiplier: number;
  /** For people: limit and value in degrees. */
  readonly text: string;
}

/** What a solve was. */
export interface Solved {
  readonly source: Source;
  /** In the order of the result's residuals. */
  readonly goals: readonly ResolvedGoal[];
  /** Pins that no free joint can disturb. */
  readonly idle: readonly ResolvedGoal[];
  readonly result: IkResult;
  /** Where the solve began. */
  readonly start: Numbers;
  readonly pose: Numbers;
  readonly held: ReadonlySet<number>;
  /** The bones that move the whole body, held or not. */
  readonly whole: ReadonlySet<number>;
  readonly milliseconds: number;
  readonly output?: string;
  readonly warnings: readonly string[];
}

/** The report of a solve. */
export function reportOf(solved: Solved): PoseReport {
  const { source, goals, idle, result, pose, held } = solved;
  const { figure } = source;
  const state = createState(figure);
  forwardKinematics(state, pose);
  return {
    format: 'poise-pose-report',
    version: 1,
    source: { kind: source.kind, ...(source.path !== undefined && { path: source.path }) },
    figure: figure.name,
    status: result.status,
    goals: [
      ...result.residuals.map(({ index, value, tolerance, satisfied }) =>
        goalReport(state, goals[index], { residual: value, tolerance, satisfied }),
      ),
      ...idle.map((pin) => goalReport(state, pin, { residual: 0, tolerance: 0, satisfied: true })),
    ],
    activeLimits: activeLimits(figure, result, pose),
    held: namesOf(figure, held),
    wholeBody: namesOf(
      figure,
      [...solved.whole].filter((b) => !held.has(b)),
    ),
    moved: namesOf(figure, movedBones(figure, solved.start, pose)),
    iterations: result.iterations,
    restarts: result.restarts,
    milliseconds: solved.milliseconds,
    objective: result.objective,
    ...(result.stationarity !== undefined && { stationarity: result.stationarity }),
    pose: poseToData(figure, pose, source.height === undefined ? {} : { height: source.height }),
    ...(solved.output !== undefined && { output: solved.output }),
    warnings: solved.warnings,
  };
}

function goalReport(
  state: FigureState,
  { spec, goal }: ResolvedGoal,
  met: Pick<GoalReport, 'residual' | 'tolerance' | 'satisfied'>,
): GoalReport {
  const bone = Number(goal.bone);
  const frame = state.worldFromBone.subarray(12 * bone, 12 * bone + 12);
  return {
    option: spec.text,
    type: goal.type,
    bone: state.figure.bones[bone].name,
    unit: goal.type === 'position' ? 'm' : 'rad',
    ...met,
    ...(goal.type === 'position' && { reached: rigid.transformPoint(frame, goal.point ?? [0, 0, 0]) }),
  };
}

/** Bones whose coordinates are not those of the start. */
function movedBones(figure: Figure, start: Numbers, pose: Numbers): number[] {
  const moved = new Set<number>();
  for (let i = 0; i < figure.dof; i++) if (pose[i] !== start[i]) moved.add(figure.boneOfCoordinate[i]);
  return [...moved];
}

function namesOf(figure: Figure, bones: Iterable<number>): string[] {
  return [...bones].sort((a, b) => a - b).map((b) => figure.bones[b].name);
}

function activeLimits(figure: Figure, result: IkResult, pose: Numbers): LimitReport[] {
  return result.activeLimits.flatMap(({ bone, role, coordinate, multiplier }) =>
    // No two parts share a coordinate, so there is exactly one.
    figure.limitComponents
      .filter((part) => part.coordinate === coordinate)
      .map((part) => ({
        bone,
        role,
        coordinate,
        values: Array.from({ length: part.size }, (_, k) => pose[coordinate + k]),
        multiplier,
        text: `${partText(figure, part)} at ${partValueText(part, pose)}`,
      })),
  );
}

const verdicts: Readonly<Record<IkStatus, string>> = {
  converged: 'every goal is met.',
  'out-of-reach': 'no pose meets all goals; this is as near as the figure gets. No limit is in the way.',
  'limit-blocked': 'the limits below are in the way; this is as near as they allow.',
  stalled: 'the solver found no better pose, but cannot say that there is none.',
  'iteration-limit': 'stopped early; this is the best pose so far.',
};

/** Moved bones named in the text; `--json` has all. */
const NAMED = 8;

/** Prints a report for people. */
export function printReport(report: PoseReport, io: Io): void {
  const { status, goals, activeLimits, held, wholeBody, moved, iterations, restarts, milliseconds, output } =
    report;
  const met = status === 'converged';
  const verdict = goals.length > 0 ? verdicts[status] : 'no goal was given; the pose is as it was read.';
  line(
    io,
    `${styled(io, 'bold', report.figure)}: ${styled(io, met ? 'green' : 'yellow', status)}, ${verdict}`,
  );
  for (const goal of goals) line(io, goalText(goal, io));
  if (activeLimits.length > 0) line(io, 'active limits');
  for (const { bone, text, multiplier } of activeLimits) {
    line(io, `  ${bone}: ${text} (multiplier ${multiplier.toExponential(1)})`);
  }
  if (moved.length > 0) {
    const more = moved.length > NAMED ? ` and ${moved.length - NAMED} more` : '';
    line(io, `moved: ${moved.slice(0, NAMED).join(', ')}${more}`);
  }
  if (held.length > 0) {
    const hint = met || wholeBody.length > 0 ? '' : ' (--free-root lets the whole body move)';
    line(io, `held in place: ${held.join(', ')}${hint}`);
  }
  if (wholeBody.length > 0) line(io, `the whole body may move: ${wholeBody.join(', ')}`);
  const starts = restarts > 0 ? `, ${restarts} restarts` : '';
  line(io, `${iterations} iterations${starts}, ${significant(milliseconds)} ms`);
  if (output !== undefined) line(io, `wrote ${output}${met ? '' : ': the nearest pose, not all goals met'}`);
}

function goalText(
  { option, type, residual, unit, tolerance, satisfied, reached }: GoalReport,
  io: Io,
): string {
  const text = unit === 'm' ? lengthText : angleText;
  const mark = satisfied ? styled(io, 'green', 'ok  ') : styled(io, 'red', 'MISS');
  const what = option.startsWith('--pin') ? ` ${type}` : '';
  const where = !satisfied && reached ? `, ends at ${triple(reached)}` : '';
  const left = tolerance > 0 ? `${text(residual)} off (tolerance ${text(tolerance)})` : 'undisturbed';
  return `  ${mark}  ${option}${what}: ${left}${where}`;
}
