import { describe, expect, it } from 'vitest';
import * as vec3 from '../../../../src/math/geometry/vec3.js';
import * as cholesky from '../../../../src/math/linear/cholesky.js';
import { createCurvePoint } from '../../../../src/motion/representation/curve.js';
import {
  composeRotationStates,
  createRotationState,
  expRotationState,
} from '../../../../src/motion/representation/rotation-state.js';
import { findMinimum } from '../../../../src/motion/rotations/minimum-acceleration/continuation.js';
import {
  constantSpeed,
  type Problem,
  solveNewton,
} from '../../../../src/motion/rotations/minimum-acceleration/newton.js';
import { isMinimum } from '../../../../src/motion/rotations/minimum-acceleration/second-variation.js';
import { quatFromRotationVector } from '../../../../src/rotation/rotation-vector/exponential.js';

/** Rotation by `angle` about y in one second, with speed `speed` about y at both ends. */
function planar(angle: number, speed: number): Problem {
  const deltas = Float64Array.of(0, angle, 0);
  const prescribed = [Float64Array.of(0, speed, 0), Float64Array.of(0, speed, 0)];
  return {
    spans: [1],
    deltas,
    deltaRotations: Float64Array.from(quatFromRotationVector(deltas)),
    prescribed,
  };
}

const BUMPS = 10;
const MOMENTS = 240;

/** Energy of the cubic of the angle with bumps sin(pi u) sin(n pi u) of these heights about x, then about z; by midpoints. */
function energyBeside(angle: number, speed: number, heights: ReadonlyMap<number, number>): number {
  const [theta, bump] = [createCurvePoint(3), createCurvePoint(3)];
  const [main, beside] = [createRotationState(), createRotationState()];
  let sum = 0;
  for (let k = 0; k < MOMENTS; k++) {
    const u = (k + 0.5) / MOMENTS;
    // From 0 to `angle` with `speed` at both ends.
    const bend = 2 * speed - 2 * angle;
    theta.value[1] = speed * u + (3 * angle - 3 * speed) * u * u + bend * u ** 3;
    theta.first[1] = speed + (6 * angle - 6 * speed) * u + 3 * bend * u * u;
    theta.second[1] = 6 * angle - 6 * speed + 6 * bend * u;
    for (const point of [bump.value, bump.first, bump.second]) vec3.set(0, 0, 0, point);
    for (const [i, height] of heights) {
      const axis = i < BUMPS ? 0 : 2;
      // 2 sin(pi u) sin(n pi u) = cos((n - 1) pi u) - cos((n + 1) pi u)
      const n = (i % BUMPS) + 1;
      for (const [rate, sign] of [
        [(n - 1) * Math.PI, 0.5],
        [(n + 1) * Math.PI, -0.5],
      ]) {
        bump.value[axis] += height * sign * Math.cos(rate * u);
        bump.first[axis] -= height * sign * rate * Math.sin(rate * u);
        bump.second[axis] -= height * sign * rate * rate * Math.cos(rate * u);
      }
    }
    expRotationState(theta, main);
    composeRotationStates(main, expRotationState(bump, beside), main);
    sum += vec3.normSquared(main.angularAcceleration) / MOMENTS;
  }
  return sum;
}

/** Whether the energy is convex in the heights of the bumps, by differences: half a turn about y makes it even in them. */
function isConvexInBumps(angle: number, speed: number): boolean {
  const n = 2 * BUMPS;
  const d = 1e-3;
  const none = energyBeside(angle, speed, new Map());
  const hessian = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    hessian[i * n + i] = energyBeside(angle, speed, new Map([[i, d]])) - none;
    for (let j = 0; j < i; j++) {
      const along = energyBeside(
        angle,
        speed,
        new Map([
          [i, d],
          [j, d],
        ]),
      );
      const against = energyBeside(
        angle,
        speed,
        new Map([
          [i, d],
          [j, -d],
        ]),
      );
      hessian[i * n + j] = (along - against) / 4;
    }
  }
  return cholesky.factor(hessian, n);
}

describe('the second variation of a planar rotation', () => {
  it.each([
    [1, 1],
    [2.5, -3],
    [5, 5],
    [3, 8],
  ])('is positive for %d rad at ends of %d rad/s, as it is for bumps out of the plane', (angle, speed) => {
    const problem = planar(angle, speed);
    const shot = solveNewton(problem, constantSpeed(problem));
    expect(shot && isMinimum(problem, shot)).toBe(true);
    expect(isConvexInBumps(angle, speed)).toBe(true);
  });

  it.each([
    [-5, 20],
    [-4, 30],
    [6, -20],
  ])('is not for %d rad at ends of %d rad/s, where some way out of the plane costs less', (angle, speed) => {
    const problem = planar(angle, speed);
    const shot = solveNewton(problem, constantSpeed(problem));
    expect(shot && isMinimum(problem, shot)).toBe(false);
    expect(isConvexInBumps(angle, speed)).toBe(false);
    // So a saddle is never given out.
    const found = findMinimum(problem);
    expect(found === undefined || isMinimum(problem, found)).toBe(true);
  });
});
