import { createFigure, createPose, type Figure, type SwingLimit, type Triple } from 'poise/figure';
import { createIk, solveIk } from 'poise/ik';
import type { Bone, Goal, Problem } from '../../../../../scripts/oracles/ik/types.js';

/** One problem of fixtures/ik/global-optimum.json (scripts/oracles/ik_global_optimum.py). */
export interface FixtureProblem {
  readonly joints: readonly {
    readonly position: Triple;
    readonly rotation: readonly [number, number, number, number];
    readonly axis: Triple;
    readonly side: Triple;
    /** Two half-angles, or least and greatest swing about s, then about t. */
    readonly swing: readonly number[];
    readonly twist: readonly [number, number] | null;
  }[];
  readonly tip: Triple;
  readonly goals: readonly {
    readonly type: Goal['type'];
    readonly bone: number;
    readonly target: readonly number[];
    readonly weight: number;
    readonly point?: Triple;
    readonly axis?: Triple;
  }[];
  /** The lowest f that SLSQP found from 200 starts, where, and from what share of them. */
  readonly f: number;
  readonly pose: readonly number[];
  readonly share: number;
}

export interface SmallProblem {
  readonly figure: Figure;
  readonly problem: Problem;
  /** The lowest f known, as Poise counts f. */
  readonly lowest: number;
}

/**
 * The problem on Poise's side. The fixture divides lengths by the reach, Poise by its length scale; the weights of position goals
 * make up for it, so that both minimize the same function up to a factor.
 */
export function problemOf(source: FixtureProblem, tolerance: number): SmallProblem {
  const { joints, tip } = source;
  const bones = joints.map(
    ({ position, rotation, axis, side, swing, twist }, k): Bone => ({
      name: `bone${k}`,
      parent: k === 0 ? null : `bone${k - 1}`,
      rest: { position, rotation },
      joint: { type: twist === null ? 'swing' : 'ball-and-socket', axis, side },
      limit:
        twist === null
          ? swingLimit(swing)
          : { type: 'swing-twist', swing: swingLimit(swing), twist: { min: twist[0], max: twist[1] } },
      ...(k === joints.length - 1 ? { tip } : {}),
    }),
  );
  const figure = createFigure({ bones });
  const steps = [...joints.slice(1).map(({ position }) => position), tip];
  const reach = steps.reduce((sum, step) => sum + Math.hypot(...step), 0);
  const given = source.goals.map((goal) => ({ ...goal, bone: `bone${goal.bone}`, tolerance }) as Goal);
  const idle = createIk(figure, given, { maxIterations: 0, restarts: 0 });
  const { lengthScale } = solveIk(idle, createPose(figure));
  const goals = given.map((goal) =>
    goal.type === 'position' ? { ...goal, weight: weightOf(goal) * (lengthScale / reach) ** 2 } : goal,
  );
  const largest = (list: readonly Goal[]): number => Math.max(...list.map(weightOf));
  return {
    figure,
    problem: { bones, goals, locked: [] },
    lowest: (source.f * largest(given)) / largest(goals),
  };
}

function weightOf({ weight }: Goal): number {
  return weight ?? 1;
}

function swingLimit(swing: readonly number[]): SwingLimit {
  return swing.length === 2
    ? { type: 'ellipse', halfAngles: [swing[0], swing[1]] }
    : { type: 'quad-ellipse', s: [swing[0], swing[1]], t: [swing[2], swing[3]] };
}
