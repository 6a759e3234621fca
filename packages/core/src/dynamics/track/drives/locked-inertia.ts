import { jointTypes } from '../../../figure/joints/joint-types.js';
import { createPose } from '../../../figure/model/pose.js';
import { factor, solve } from '../../../math/linear/cholesky.js';
import { massMatrix } from '../../crba/mass-matrix.js';
import type { Dynamics } from '../../model/dynamics.js';
import { INERTIA_SIZE } from '../../model/inertia.js';

/** Inertia of each coordinate at rest with all other joints locked, kg m^2 or kg; of the rotational coordinates of a joint the largest. */
export interface LockedInertia {
  /**
   * With a floating base: I_i = M_ii - m^T M_ff^-1 m, f the coordinates of free joints and m = M_fi (for two bodies of inertia a and b about a joint,
   * a b / (a + b)). At a free joint the same as `fixedBase`.
   */
  readonly floatingBase: Float64Array;
  /** With a fixed base: M_ii. */
  readonly fixedBase: Float64Array;
}

export function lockedInertia(dynamics: Dynamics): LockedInertia {
  const { figure } = dynamics;
  const { dof, bones } = figure;
  const matrix = massMatrix(dynamics, createPose(figure));
  const free = bones
    .filter(({ joint }) => joint.type === 'free')
    .flatMap(({ coordinate }) => Array.from({ length: 6 }, (_, k) => coordinate + k));
  const fixedBase = Float64Array.from({ length: dof }, (_, i) => matrix[i * dof + i]);
  const floatingBase = Float64Array.from(fixedBase);
  const block = Float64Array.from(free.flatMap((i) => free.map((j) => matrix[i * dof + j])));
  factor(block, free.length);
  for (let i = 0; i < dof; i++) {
    if (free.includes(i)) continue;
    const column = free.map((f) => matrix[i * dof + f]);
    const solution = [...column];
    solve(block, free.length, solution);
    const correction = column.reduce((sum, x, k) => sum + x * solution[k], 0);
    // Rounding may give a negative value for a bone of negligible mass.
    floatingBase[i] = Math.max(0, fixedBase[i] - correction);
  }
  for (const { coordinate, dof: size, joint } of bones) {
    const first = coordinate + jointTypes[joint.type].translations;
    const end = coordinate + size;
    for (const inertia of [floatingBase, fixedBase])
      inertia.fill(Math.max(0, ...inertia.subarray(first, end)), first, end);
  }
  return { floatingBase, fixedBase };
}

/** Gravity load of a set of bones at rest: mass, kg, and distance of its centre of mass from a joint, m. */
export interface RestLoad {
  readonly mass: number;
  readonly arm: number;
}

/** Loads of each bone's subtree and of the remainder of its tree, about the bone's origin. The kinematics must be at rest. */
export function loadsAtRest(
  dynamics: Dynamics,
): { readonly subtree: RestLoad; readonly remainder: RestLoad }[] {
  const { figure, inertias, firstMoments, state } = dynamics;
  const { parents } = figure;
  const origin = (b: number): Float64Array => state.worldFromBone.subarray(12 * b + 9, 12 * b + 12);
  // Mass, and mass times the centre of mass.
  const sums = figure.bones.map((_, b) => {
    const mass = inertias[INERTIA_SIZE * b];
    return [mass, ...origin(b).map((x, k) => mass * x + firstMoments[3 * b + k])];
  });
  const roots: number[] = [];
  for (let b = 0; b < parents.length; b++) roots.push(parents[b] < 0 ? b : roots[parents[b]]);
  for (let b = parents.length - 1; b >= 0; b--) {
    if (parents[b] < 0) continue;
    for (let k = 0; k < 4; k++) sums[parents[b]][k] += sums[b][k];
  }
  return figure.bones.map((_, b) => ({
    subtree: loadOf(sums[b], origin(b)),
    remainder: loadOf(
      sums[roots[b]].map((x, k) => x - sums[b][k]),
      origin(b),
    ),
  }));
}

function loadOf([mass, ...moment]: number[], from: Float64Array): RestLoad {
  if (!(mass > 0)) return { mass: 0, arm: 0 };
  return { mass, arm: Math.hypot(...moment.map((x, k) => x / mass - from[k])) };
}
