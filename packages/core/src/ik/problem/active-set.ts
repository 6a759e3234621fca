import type { Problem } from './problem.js';

/** The limits of a problem and the scale of its columns. */
export type Limited = Pick<Problem, 'parts'> & {
  readonly jacobian: Pick<Problem['jacobian'], 'columnScale'>;
};

/** How near its boundary a limit counts as reached: a curved one in g, which has no unit, a bound in scaled coordinates. */
const TOUCHING = 1e-10;

/**
 * The limits that hold a pose back: those it touches and that the descent direction -g would leave.
 * Indices are those of `problem.parts`; the solver moves along the face that they leave free.
 */
export interface ActiveSet {
  /** 1 for an active part. */
  readonly active: Uint8Array;
  /** Multiplier of each active part, not negative: g + lambda n = 0 on its coordinates at a stationary point, |n| = 1. */
  readonly multipliers: Float64Array;
  /** Outward unit normal of each active part, on its columns. */
  readonly normals: Float64Array;
}

export function createActiveSet({ parts, jacobian }: Limited): ActiveSet {
  return {
    active: new Uint8Array(parts.length),
    multipliers: new Float64Array(parts.length),
    normals: new Float64Array(jacobian.columnScale.length),
  };
}

/**
 * Finds the active parts at a feasible pose for the gradient g (scaled coordinates).
 *
 * @returns how many are active.
 */
export function updateActiveSet(
  problem: Limited,
  set: ActiveSet,
  pose: Float64Array,
  gradient: Float64Array,
): number {
  const { parts } = problem;
  const { columnScale } = problem.jacobian;
  const { active, multipliers, normals } = set;
  let count = 0;
  for (let n = 0; n < parts.length; n++) {
    const { part, shape, column } = parts[n];
    active[n] = 0;
    multipliers[n] = 0;
    if (part.kind === 'interval') {
      // On the bound, where projection puts it, or a rounding of the step inside.
      const slack = TOUCHING * columnScale[column];
      const atLeast = pose[part.coordinate] - slack <= part.parameters[0];
      const atMost = pose[part.coordinate] + slack >= part.parameters[1];
      const outward = atLeast && atMost ? -Math.sign(gradient[column]) : atMost ? 1 : atLeast ? -1 : 0;
      const push = -gradient[column] * outward;
      if (outward === 0 || !(push > 0)) continue;
      normals[column] = outward;
      multipliers[n] = push;
    } else {
      if (shape.value(part.parameters, pose, part.coordinate, part.size) < -TOUCHING) continue;
      shape.gradient(part.parameters, pose, part.coordinate, part.size, normals, column);
      let square = 0;
      let push = 0;
      for (let k = column; k < column + part.size; k++) {
        square += normals[k] * normals[k];
        push -= gradient[k] * normals[k];
      }
      if (!(push > 0)) continue;
      const inverse = 1 / Math.sqrt(square);
      for (let k = column; k < column + part.size; k++) normals[k] *= inverse;
      multipliers[n] = push * inverse;
    }
    active[n] = 1;
    count++;
  }
  return count;
}

/** Removes from each row of a matrix (row length `width`) what points out of the active limits: row - (row . n) n. */
export function projectRows(
  problem: Problem,
  set: ActiveSet,
  values: Float64Array,
  rows: number,
  width: number,
): void {
  const { parts } = problem;
  for (let n = 0; n < parts.length; n++) {
    if (set.active[n] === 0) continue;
    const { part, column } = parts[n];
    const end = column + part.size;
    for (let r = 0; r < rows; r++) {
      const o = r * width;
      let along = 0;
      for (let k = column; k < end; k++) along += values[o + k] * set.normals[k];
      for (let k = column; k < end; k++) values[o + k] -= along * set.normals[k];
    }
  }
}

/** A limit part whose two bounds meet holds its coordinate whichever way it is pushed. */
export const HELD_FAST = 2;

/**
 * Finds the parts that a feasible pose touches, whether the goals push against them or not, and their outward unit normals.
 *
 * @param touching - 1 for a part touched, {@link HELD_FAST} for one that leaves no room.
 * @returns how many there are.
 */
export function updateTouching(
  { parts, jacobian: { columnScale } }: Problem,
  { normals }: ActiveSet,
  pose: Float64Array,
  touching: Uint8Array,
): number {
  let count = 0;
  for (let n = 0; n < parts.length; n++) {
    const { part, shape, column } = parts[n];
    const { parameters, coordinate, size } = part;
    touching[n] = 0;
    if (part.kind === 'interval') {
      const slack = TOUCHING * columnScale[column];
      const above = pose[coordinate] + slack >= parameters[1];
      const below = pose[coordinate] - slack <= parameters[0];
      if (!above && !below) continue;
      normals[column] = above ? 1 : -1;
      touching[n] = above && below ? HELD_FAST : 1;
    } else {
      if (shape.value(parameters, pose, coordinate, size) < -TOUCHING) continue;
      shape.gradient(parameters, pose, coordinate, size, normals, column);
      let square = 0;
      for (let k = column; k < column + size; k++) square += normals[k] * normals[k];
      const inverse = 1 / Math.sqrt(square);
      for (let k = column; k < column + size; k++) normals[k] *= inverse;
      touching[n] = 1;
    }
    count++;
  }
  return count;
}
