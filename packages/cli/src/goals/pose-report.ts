/** The report of `poise pose`, as data and as text. */
import { type PoseData, poseToData } from '@poise/formats';
import { createState, type Figure, type FigureState, forwardKinematics } from 'poise/figure';
import type { Goal, IkResult, IkStatus } from 'poise/ik';
import { type Numbers, rigid } from 'poise/math';
import { limitComponentText, limitValueText } from '../io/format-limit.js';
import { type Io, line, styled } from '../io/io.js';
import { angleText, lengthText, significant, triple } from '../io/parse-number.js';
import type { Source } from '../io/source.js';
import { beyondReach } from './reach.js';
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
  /** Bones whose joints were locked: those that move the whole body, and `--lock`. */
  readonly locked: readonly string[];
  /** Bones that move the whole body and were not locked. */
  readonly wholeBody: readonly string[];
  /** Bones whose joints moved. */
  readonly moved: readonly string[];
  readonly iterations: number;
  readonly restarts: number;
  /** Of the solve alone, ms. */
  readonly milliseconds: number;
  /** f = 1/2 |r|^2, as in the solver's result. */
  readonly objective: number;
  /** Norm of the projected gradient step, |P(q - grad f) - q|; absent where every goal is met. */
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
  /** m for positions, rad for angles. */
  readonly residual: number;
  readonly unit: 'm' | 'rad';
  readonly tolerance: number;
  readonly satisfied: boolean;
  /** Final position of the goal's point, world, m (positions only). */
  readonly reached?: readonly number[];
  /** How much farther the target is than the limb is long, m: where it is missed whatever the limits. */
  readonly beyondReach?: number;
}

export interface LimitReport {
  readonly bone: string;
  readonly role: string;
  /** Index of the first limited coordinate in the pose, and the values of the limited ones: rad or m. */
  readonly coordinate: number;
  readonly values: readonly number[];
  readonly multiplier: number;
  /** Readable text: limit and value in degrees. */
  readonly text: string;
}

/** Input and result of a solve. */
export interface Solved {
  readonly source: Source;
  /** In the order of the result's residuals. */
  readonly goals: readonly ResolvedGoal[];
  /** Pins that no free joint affects. */
  readonly idle: readonly ResolvedGoal[];
  readonly result: IkResult;
  /** The starting pose. */
  readonly start: Numbers;
  readonly pose: Numbers;
  readonly locked: ReadonlySet<number>;
  /** The bones that move the whole body, locked or not. */
  readonly whole: ReadonlySet<number>;
  readonly milliseconds: number;
  readonly output?: string;
  readonly warnings: readonly string[];
}

/** The report of a solve. */
export function reportOf(solved: Solved): PoseReport {
  const { source, goals, idle, result, pose, locked } = solved;
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
        goalReport(state, goals[index], { residual: value, tolerance, satisfied }, locked),
      ),
      ...idle.map((pin) => goalReport(state, pin, { residual: 0, tolerance: 0, satisfied: true }, locked)),
    ],
    activeLimits: activeLimits(figure, result, pose),
    locked: namesOf(figure, locked),
    wholeBody: namesOf(
      figure,
      [...solved.whole].filter((b) => !locked.has(b)),
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
  locked: ReadonlySet<number>,
): GoalReport {
  const bone = Number(goal.bone);
  const beyond = goal.type === 'position' && !met.satisfied ? beyondReach(state, goal, locked) : 0;
  const frame = state.worldFromBone.subarray(12 * bone, 12 * bone + 12);
  return {
    option: spec.text,
    type: goal.type,
    bone: state.figure.bones[bone].name,
    unit: goal.type === 'position' ? 'm' : 'rad',
    ...met,
    ...(goal.type === 'position' && { reached: rigid.transformPoint(frame, goal.point ?? [0, 0, 0]) }),
    ...(beyond > met.tolerance && { beyondReach: beyond }),
  };
}

/** Bones whose coordinates changed. */
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
    // No two limit components share a coordinate, so there is exactly one.
    figure.limitComponents
      .filter((component) => component.coordinate === coordinate)
      .map((component) => ({
        bone,
        role,
        coordinate,
        values: Array.from({ length: component.size }, (_, k) => pose[coordinate + k]),
        multiplier,
        text: `${limitComponentText(figure, component)} at ${limitValueText(component, pose)}`,
      })),
  );
}

const verdicts: Readonly<Record<IkStatus, string>> = {
  converged: 'every goal is met.',
  'out-of-reach': 'no pose meets all goals; this is the nearest pose. No joint limit is active.',
  'limit-blocked': 'the joint limits below prevent it; this is the nearest pose within them.',
  stalled: 'the solver found no better pose, but cannot rule one out.',
  'iteration-limit': 'stopped at the iteration limit; this is the best pose so far.',
};

const BEYOND_REACH =
  'a target below is farther than the limb reaches, whatever its limits; this is the nearest pose within them.';

/** Moved bones listed in the text at most; `--json` has all. */
const MAX_NAMED = 8;

/** Prints a readable report. */
export function printReport(report: PoseReport, io: Io): void {
  const {
    status,
    goals,
    activeLimits,
    locked,
    wholeBody,
    moved,
    iterations,
    restarts,
    milliseconds,
    output,
  } = report;
  const met = status === 'converged';
  const isBeyond = status === 'limit-blocked' && goals.some((goal) => goal.beyondReach !== undefined);
  const reason = isBeyond ? BEYOND_REACH : verdicts[status];
  const verdict = goals.length > 0 ? reason : 'no goal was given; the pose is unchanged.';
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
    const more = moved.length > MAX_NAMED ? ` and ${moved.length - MAX_NAMED} more` : '';
    line(io, `moved: ${moved.slice(0, MAX_NAMED).join(', ')}${more}`);
  }
  if (locked.length > 0) {
    const hint = met || wholeBody.length > 0 ? '' : ' (--free-root unlocks the whole body)';
    line(io, `locked: ${locked.join(', ')}${hint}`);
  }
  if (wholeBody.length > 0) line(io, `the whole body may move: ${wholeBody.join(', ')}`);
  const starts = restarts > 0 ? `, ${restarts} restarts` : '';
  line(io, `${iterations} iterations${starts}, ${significant(milliseconds)} ms`);
  if (output !== undefined) line(io, `wrote ${output}${met ? '' : ': the nearest pose, not all goals met'}`);
}

function goalText(
  { option, type, residual, unit, tolerance, satisfied, reached, beyondReach: beyond }: GoalReport,
  io: Io,
): string {
  const text = unit === 'm' ? lengthText : angleText;
  const mark = satisfied ? styled(io, 'green', 'ok  ') : styled(io, 'red', 'MISS');
  const what = option.startsWith('--pin') ? ` ${type}` : '';
  const where = !satisfied && reached ? `, ends at ${triple(reached)}` : '';
  const left = tolerance > 0 ? `${text(residual)} off (tolerance ${text(tolerance)})` : 'unaffected';
  const far = beyond === undefined ? '' : `, ${text(beyond)} or more beyond its reach`;
  return `  ${mark}  ${option}${what}: ${left}${where}${far}`;
}
