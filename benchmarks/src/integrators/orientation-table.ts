import { quaternionMassEigenvalues } from '../../../examples/orientation-states/autonormalized.js';
import type { OrientationState } from '../../../examples/orientation-states/state.js';
import { orientationStates, rungeKutta } from '../../../examples/orientation-states/states.js';
import { markdownTable, median } from '../statistics.js';
import { INERTIA, SPIN } from './bodies.js';
import { rotate } from './judge.js';

/** Angular momentum in world axes, and energy: of a quaternion of any length and an angular velocity in body axes. */
function sample(state: OrientationState, y: Float64Array) {
  const out = new Float64Array(7);
  state.read(y, out);
  const quaternion = [out[3], out[0], out[1], out[2]];
  const spin = [...out.subarray(4)];
  const inside = spin.map((w, k) => INERTIA[k] * w);
  return {
    quaternion,
    angular: rotate(quaternion, inside),
    energy: 0.5 * spin.reduce((sum, w, k) => sum + w * inside[k], 0),
  };
}

function begin(state: OrientationState): Float64Array {
  const y = new Float64Array(state.size);
  state.start([0, 0, 0, 1], SPIN, y);
  return y;
}

/** Final orientation of a reference quaternion at a tenth of the step, w first. */
function reference(steps: number): number[] {
  const [, quaternion] = orientationStates(INERTIA);
  const step = rungeKutta(quaternion);
  const y = begin(quaternion);
  for (let k = 0; k < 10 * steps; k++) step(y, 1e-4);
  return sample(quaternion, y).quaternion;
}

/** Angle between two orientations, rad: from their difference where they are near, so that small angles are told. */
function angleBetween(one: readonly number[], other: readonly number[]): number {
  const dot = one.reduce((sum, x, k) => sum + x * other[k], 0);
  if (Math.abs(dot) < 0.5) return 2 * Math.acos(Math.abs(dot));
  const chord = Math.hypot(...one.map((x, k) => x - Math.sign(dot) * other[k]));
  return 4 * Math.asin(Math.min(1, chord / 2));
}

function row(state: OrientationState, exact: readonly number[], steps: number): string[] {
  const step = rungeKutta(state);
  const times: number[] = [];
  for (let round = 0; round < 7; round++) {
    const y = begin(state);
    const before = performance.now();
    for (let k = 0; k < steps; k++) step(y, 1e-3);
    times.push(((performance.now() - before) * 1000) / steps);
  }
  const y = begin(state);
  const start = sample(state, y);
  let [energy, angular] = [0, 0];
  for (let k = 0; k < steps; k++) {
    step(y, 1e-3);
    const now = sample(state, y);
    energy = Math.max(energy, Math.abs(now.energy / start.energy - 1));
    const change = Math.hypot(...now.angular.map((x, i) => x - start.angular[i]));
    angular = Math.max(angular, change / Math.hypot(...start.angular));
  }
  const { quaternion } = sample(state, y);
  const length = Math.hypot(...quaternion);
  const unit = quaternion.map((x) => x / length);
  return [
    state.name,
    `${state.size}`,
    energy.toExponential(2),
    angular.toExponential(2),
    angleBetween(unit, exact).toExponential(2),
    median(times).toFixed(2),
    (length - 1).toExponential(1),
  ];
}

/** Four states for the orientation of the flipping body (Grassia 1997, section 4.1), by the same method. */
export function orientationTable(steps: number): string {
  const exact = reference(steps);
  const eigenvalues = quaternionMassEigenvalues(INERTIA, [0.5, -0.5, 0.5, 0.5]);
  const lock = [0, 0.5, 0.1, 0.01, 0.001].map((away) => {
    const b = away === 0 ? 0 : Math.PI / 2 - away;
    return `${b === 0 ? 'at b = 0' : `${away} rad from it`} ${Math.abs(1 / Math.cos(b)).toPrecision(3)}`;
  });
  return [
    '## Ways to write the orientation of the flipping body',
    `The same Runge-Kutta method, written alike without allocation, ${steps / 1000} s at 1 ms; the median of 7 runs. Error: angle from a quaternion at 0.1 ms. The states are those of the page examples/orientation-states.`,
    markdownTable(
      ['state', 'numbers', 'energy, relative', 'angular momentum', 'error, rad', 'us a step', 'length - 1'],
      orientationStates(INERTIA).map((state) => row(state, exact, steps)),
    ),
    [
      `- The 4 x 4 mass matrix M of an autonormalized quaternion has the eigenvalues ${eigenvalues.map((x) => x.toExponential(1)).join(', ')} kg m^2 at |q| = 1: it is singular along q. The row above has something added there; solved as it is, its last pivot is zero at this start, and no number comes out of the first step.`,
      `- Euler angles: a rate of the first angle per angular velocity, 1/cos b: ${lock.join(', ')}; the body passes b = 90 degrees twice a turn.`,
    ].join('\n'),
  ].join('\n\n');
}
