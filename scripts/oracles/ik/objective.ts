import { type GoalComponent, goalComponents } from './goal-values.js';
import { framesOf, type Oracle } from './kinematics.js';
import type { Goal } from './types.js';

export { createOracle, kinematicsOf, type Oracle } from './kinematics.js';

/**
 * f = 1/2 sum of weight / largest weight |r|^2 and the distance or angle of each part of a goal; `rounding`, what doubles leave open of f:
 * angles of a thousand turns are known to a thousand eps, a place to eps of the distances added up, a direction to eps L / distance,
 * its slope to the square. `gradientRounding`, of the norm of the gradient J^T r: r is known to that, and each of the n
 * columns of J is as long as the lever arm of its joint, up to the distances added up once more.
 */
export function objectiveOf(
  oracle: Oracle,
  q: ArrayLike<number>,
): {
  readonly f: number;
  readonly values: readonly number[];
  readonly rounding: number;
  readonly gradientRounding: number;
} {
  const rate = new Float64Array(q.length);
  const frames = framesOf(oracle, q, rate);
  const { goals } = oracle.problem;
  const shares = sharesOf(goals);
  const items: GoalComponent[] = [];
  let f = 0;
  goals.forEach((goal, n) => {
    const own = goalComponents({ oracle, q, rate, frames }, goal);
    items.push(...own);
    for (const { half } of own) f += shares[n] * half[0];
  });
  const largestCoordinate = oracle.scales.reduce((max, scale, i) => Math.max(max, Math.abs(q[i]) / scale), 1);
  const spread = frames.reduce(
    (max, { position: [x, y, z] }) => Math.max(max, Math.hypot(x, y, z) / oracle.lengthScale),
    1,
  );
  const sharpest = Math.max(1, ...items.map(({ sharpness }) => sharpness ?? 1));
  const unit = 16 * Number.EPSILON * largestCoordinate;
  return {
    f,
    values: items.map(({ value }) => value),
    rounding: unit * (1 + f + sharpest * spread),
    gradientRounding: unit * (1 + f + sharpest * spread * spread) * Math.sqrt(q.length),
  };
}

/** df/dy, y = q over `oracle.scales`; zero for locked coordinates. */
export function gradientOf(oracle: Oracle, q: ArrayLike<number>): number[] {
  const shares = sharesOf(oracle.problem.goals);
  return oracle.scales.map((scale, i) => {
    if (oracle.locked[i]) return 0;
    const rate = new Float64Array(q.length);
    rate[i] = scale;
    const frames = framesOf(oracle, q, rate);
    let slope = 0;
    oracle.problem.goals.forEach((goal, n) => {
      // A goal that is off counts for nothing, whatever its slope.
      if (shares[n] === 0) return;
      for (const { half } of goalComponents({ oracle, q, rate, frames }, goal)) slope += shares[n] * half[1];
    });
    return slope;
  });
}

function sharesOf(goals: readonly Goal[]): number[] {
  const largest = Math.max(...goals.map(({ weight }) => weight ?? 1));
  return goals.map(({ weight }) => (largest > 0 ? (weight ?? 1) / largest : 0));
}
