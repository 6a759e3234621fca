import { jointTypes } from '../../../figure/joints/joint-types.js';
import { createPose } from '../../../figure/model/pose.js';
import { factor, solve } from '../../../math/linear/cholesky.js';
import { massMatrix } from '../../crba/mass-matrix.js';
import type { Dynamics } from '../../model/dynamics.js';
import { INERTIA } from '../../model/inertia.js';

/** What coordinates feel at rest, all other joints locked, kg m^2 or kg; of the coordinates that turn one joint the largest. */
export interface LockedInertia {
  /**
   * The root free to give way: I_i = M_ii - m^T M_ff^-1 m, f the coordinates of free joints and m = M_fi (two bodies of inertia a and b about a joint
   * are felt as a b / (a + b)). At a free joint as `held`.
   */
  readonly floatingBase: Float64Array;
  /** The root held: M_ii. */
  readonly fixedBase: Float64Array;
}

export function lockedInertia(dynamics: Dynamics): LockedInertia {
  const { figure } = dynamics;
  const { dof, bones } = figure;
  const matrix = massMatrix(dynamics, createPose(figure));
  const free = bones
    .filter(({ joint }) => joint.type === 'free')
    .flatMap(({ coordinate }) => Array.from({ length: 6 }, (_, k) => coordinate + k));
  const held = Float64Array.from({ length: dof }, (_, i) => matrix[i * dof + i]);
  const felt = Float64Array.from(held);
  const block = Float64Array.from(free.flatMap((i) => free.map((j) => matrix[i * dof + j])));
  factor(block, free.length);
  for (let i = 0; i < dof; i++) {
    if (free.includes(i)) continue;
    const column = free.map((f) => matrix[i * dof + f]);
    const given = [...column];
    solve(block, free.length, given);
    const gives = column.reduce((sum, x, k) => sum + x * given[k], 0);
    // Rounding may leave less than nothing where a bone has next to no mass.
    felt[i] = Math.max(0, held[i] - gives);
  }
  for (const { coordinate, dof: size, joint } of bones) {
    const turns = coordinate + jointTypes[joint.type].translations;
    const end = coordinate + size;
    for (const part of [felt, held]) part.fill(Math.max(0, ...part.subarray(turns, end)), turns, end);
  }
  return { floatingBase: felt, fixedBase: held };
}

/** A part of a figure at rest as gravity sees it: kg, and distance of its centre of mass from the joint, m. */
export interface RestLoad {
  readonly mass: number;
  readonly arm: number;
}

/** Of each bone: it and all that it carries, about its origin; and all the rest of its tree, about the same point. The figure is placed at rest. */
export function loadsAtRest(dynamics: Dynamics): { readonly beyond: RestLoad; readonly others: RestLoad }[] {
  const { figure, inertias, moments, state } = dynamics;
  const { parents } = figure;
  const origin = (b: number): Float64Array => state.worldFromBone.subarray(12 * b + 9, 12 * b + 12);
  // Mass, and mass times the centre of mass.
  const sums = figure.bones.map((_, b) => {
    const mass = inertias[INERTIA * b];
    return [mass, ...origin(b).map((x, k) => mass * x + moments[3 * b + k])];
  });
  const roots: number[] = [];
  for (let b = 0; b < parents.length; b++) roots.push(parents[b] < 0 ? b : roots[parents[b]]);
  for (let b = parents.length - 1; b >= 0; b--) {
    if (parents[b] < 0) continue;
    for (let k = 0; k < 4; k++) sums[parents[b]][k] += sums[b][k];
  }
  return figure.bones.map((_, b) => ({
    beyond: loadOf(sums[b], origin(b)),
    others: loadOf(
      sums[roots[b]].map((x, k) => x - sums[b][k]),
      origin(b),
    ),
  }));
}

function loadOf([mass, ...moment]: number[], from: Float64Array): RestLoad {
  if (!(mass > 0)) return { mass: 0, arm: 0 };
  return { mass, arm: Math.hypot(...moment.map((x, k) => x / mass - from[k])) };
}
