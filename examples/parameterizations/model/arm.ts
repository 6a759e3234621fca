/** An arm whose hand follows a target by differential control, with its joints in one parameterization. */
import { createPose } from 'poise/figure';
import { createDifferentialControl, type DifferentialControl, stepDifferentialControl } from 'poise/ik';
import { quat } from 'poise/math';
import { quatFromRotationVector, rotationVectorFromQuat } from 'poise/rotation';
import type { DraggedFigure } from './figures.js';
import type { Parameterization } from './parameterizations.js';
import type { Target } from './path.js';

export interface Arm {
  readonly dragged: DraggedFigure;
  readonly parameterization: Parameterization;
  readonly control: DifferentialControl;
  readonly pose: Float64Array;
  /** Targets of the goals: a point and a quaternion. */
  readonly position: Float64Array;
  readonly rotation: Float64Array;
}

/**
 * An arm whose joints start at the quaternions given.
 *
 * @param region - `singularRegion` of the control; other options have their defaults.
 */
export function createArm(
  dragged: DraggedFigure,
  parameterization: Parameterization,
  start: readonly (readonly number[])[],
  region?: number,
): Arm {
  const { figure, reaches } = dragged;
  const pose = createPose(figure);
  start.forEach((q, n) => {
    pose.set(rotationVectorFromQuat(q), 3 * n);
  });
  const position = new Float64Array(3);
  const rotation = new Float64Array(4);
  const bone = `joint${reaches.length - 1}`;
  const control = createDifferentialControl(
    figure,
    [
      { type: 'position', bone, point: reaches[reaches.length - 1], target: position },
      { type: 'orientation', bone, target: rotation },
    ],
    {
      ...(parameterization.rotation && { parameterization: parameterization.rotation }),
      ...(region !== undefined && { singularRegion: region }),
    },
  );
  return { dragged, parameterization, control, pose, position, rotation };
}

/** One step towards a moving target. */
export function stepArm(
  { control, pose, position, rotation }: Arm,
  { position: worldPosition, rotation: relativeRotation, velocity, angularVelocity }: Target,
  dt: number,
): void {
  position.set(worldPosition);
  rotation.set(relativeRotation);
  control.targetVelocities[0].set(velocity);
  control.targetVelocities[1].set(angularVelocity);
  stepDifferentialControl(control, pose, dt);
}

/** World frames of the joints: a quaternion and an origin each; the hand's comes last. */
export interface Frames {
  readonly rotations: readonly number[][];
  readonly origins: readonly number[][];
}

export function framesOf({ dragged: { reaches }, pose }: Arm): Frames {
  let rotation = [0, 0, 0, 1];
  const rotations: number[][] = [];
  const origins = [[0, 0, 0]];
  reaches.forEach((reach, n) => {
    rotation = quat.multiply(rotation, quatFromRotationVector(pose.subarray(3 * n, 3 * n + 3)));
    rotations.push(rotation);
    const step = quat.rotate(rotation, reach);
    origins.push(origins[n].map((x, k) => x + step[k]));
  });
  return { rotations, origins };
}

/** Distance of the hand from its target, m, and angle, rad. */
export function missOf(arm: Arm, { position, rotation }: Target): { distance: number; angle: number } {
  const { rotations, origins } = framesOf(arm);
  const hand = origins[origins.length - 1];
  return {
    distance: Math.hypot(...hand.map((x, k) => x - position[k])),
    angle: angleBetween(rotations[rotations.length - 1], rotation),
  };
}

/** Largest rotation of a joint between two poses, rad. */
export function largestRotation(before: Float64Array, after: Float64Array): number {
  let largest = 0;
  for (let o = 0; o < before.length; o += 3) {
    const [a, b] = [before, after].map((pose) => quatFromRotationVector(pose.subarray(o, o + 3)));
    largest = Math.max(largest, angleBetween(a, b));
  }
  return largest;
}

function angleBetween(a: readonly number[], b: readonly number[]): number {
  const rotation = quat.multiply(quat.conjugate(a), b);
  return 2 * Math.atan2(Math.hypot(rotation[0], rotation[1], rotation[2]), Math.abs(rotation[3]));
}

/** Largest coordinate rate of a joint as rad/s; for a quaternion 2 |q'| / |q|. */
export function largestRate({ control }: Arm): number {
  const { parameterized } = control.workspace.unknowns;
  if (parameterized === undefined) return largestOf(control.velocity, 3, () => 1);
  const { parameterization, parameters, rates } = parameterized;
  return largestOf(rates, parameterization.rates, (n) =>
    parameterization.rates === 4 ? 2 / lengthOf(parameters, n) : 1,
  );
}

function largestOf(values: Float64Array, size: number, scale: (n: number) => number): number {
  let largest = 0;
  for (let n = 0; n * size < values.length; n++) {
    largest = Math.max(largest, scale(n) * Math.hypot(...values.subarray(n * size, (n + 1) * size)));
  }
  return largest;
}

function lengthOf(quaternions: Float64Array, n: number): number {
  return Math.hypot(...quaternions.subarray(4 * n, 4 * n + 4));
}

/** Largest | |q| - 1 | of a joint; 0 for parameterizations without a quaternion. */
export function driftOf({ control }: Arm): number {
  const { parameterized } = control.workspace.unknowns;
  if (parameterized === undefined || parameterized.parameterization.parameters !== 4) return 0;
  return Math.max(...parameterized.joints.map((_, n) => Math.abs(lengthOf(parameterized.parameters, n) - 1)));
}

/** Reciprocal condition number of B, of the worst joint: 0 is a lock. */
export function reciprocalConditionOf({ control }: Arm): number {
  const { parameterized } = control.workspace.unknowns;
  if (parameterized === undefined) return 1;
  return Math.min(
    ...parameterized.joints.map(({ map }) => {
      const values = singularValues(map);
      return values[2] / values[0];
    }),
  );
}

/** Singular values of B, largest first: the roots of the eigenvalues of B B^T, by Jacobi's method. */
export function singularValues(map: Float64Array): number[] {
  const width = map.length / 3;
  const row = (r: number): Float64Array => map.subarray(r * width, (r + 1) * width);
  const a = [0, 1, 2].map((i) => [0, 1, 2].map((j) => row(i).reduce((sum, x, k) => sum + x * row(j)[k], 0)));
  for (let sweep = 0; sweep < 12; sweep++) {
    for (const [p, q] of [
      [0, 1],
      [0, 2],
      [1, 2],
    ]) {
      if (a[p][q] === 0) continue;
      const angle = 0.5 * Math.atan2(2 * a[p][q], a[p][p] - a[q][q]);
      const c = Math.cos(angle);
      const s = Math.sin(angle);
      for (let k = 0; k < 3; k++) [a[k][p], a[k][q]] = [c * a[k][p] + s * a[k][q], c * a[k][q] - s * a[k][p]];
      for (let k = 0; k < 3; k++) [a[p][k], a[q][k]] = [c * a[p][k] + s * a[q][k], c * a[q][k] - s * a[p][k]];
    }
  }
  return [0, 1, 2].map((k) => Math.sqrt(Math.max(0, a[k][k]))).sort((x, y) => y - x);
}
