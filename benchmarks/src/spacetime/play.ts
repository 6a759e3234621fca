/** How far a trajectory is from a flight: its momentum and fall by the simulator's sums, and what its torques make of the figure. */
import {
  computeMomentum,
  createDynamicsState,
  createIntegrator,
  type Dynamics,
  stepIntegrator,
} from 'poise/dynamics';
import { createState, type Figure, forwardKinematics } from 'poise/figure';
import { sampleTrajectory, type Trajectory } from 'poise/spacetime';

const G = 9.81;
/** How often a played figure is compared with its trajectory. */
const SAMPLES = 200;

/** Largest distance of the angular momentum from that at the start, over its length. */
export function straySpin(dynamics: Dynamics, trajectory: Trajectory, times: readonly number[]): number {
  const at = (time: number): Float64Array => {
    const { pose, velocity } = sampleTrajectory(trajectory, time);
    return computeMomentum(dynamics, pose, velocity).angular;
  };
  const first = at(0);
  const off = times.map((time) => {
    const now = at(time);
    return Math.hypot(now[0] - first[0], now[1] - first[1], now[2] - first[2]);
  });
  return Math.max(...off) / Math.hypot(...first);
}

/** Largest distance of the centre of mass from the parabola that it leaves on, m. */
export function strayFall(dynamics: Dynamics, trajectory: Trajectory, times: readonly number[]): number {
  const at = (time: number) => {
    const { pose, velocity } = sampleTrajectory(trajectory, time);
    return computeMomentum(dynamics, pose, velocity);
  };
  const { center: c, velocity: v } = at(0);
  const off = times.map((t) => {
    const { center } = at(t);
    return Math.hypot(
      center[0] - c[0] - v[0] * t,
      center[1] - c[1] - v[1] * t + 0.5 * G * t * t,
      center[2] - c[2] - v[2] * t,
    );
  });
  return Math.max(...off);
}

/** World places of the origins and tips of all bones, m. */
function endsOf(figure: Figure, pose: Float64Array): number[][] {
  const state = createState(figure);
  forwardKinematics(state, pose);
  const m = state.worldFromBone;
  return figure.bones.flatMap(({ tip = [0, 0, 0] }, b) =>
    [[0, 0, 0], tip].map((p) =>
      [0, 1, 2].map((r) => {
        const o = 12 * b + 3 * r;
        return m[o] * p[0] + m[o + 1] * p[1] + m[o + 2] * p[2] + m[12 * b + 9 + r];
      }),
    ),
  );
}

/** The largest distance between a bone's origin or tip in one pose and in another, m. */
function farthest(figure: Figure, pose: Float64Array, other: Float64Array): number {
  const there = endsOf(figure, other);
  return Math.max(
    ...endsOf(figure, pose).map((p, k) =>
      Math.hypot(p[0] - there[k][0], p[1] - there[k][1], p[2] - there[k][2]),
    ),
  );
}

/** How far a figure with a free root strays, at most, from a trajectory whose torques it is given, open loop, m; rk4 in steps of `step` s. */
export function play(dynamics: Dynamics, trajectory: Trajectory, step: number): number {
  const { figure } = dynamics;
  const { duration } = trajectory;
  const integrator = createIntegrator(dynamics, { method: 'rk4', step });
  const first = sampleTrajectory(trajectory, 0);
  const state = createDynamicsState(figure, { pose: first.pose, velocity: first.velocity });
  let max = 0;
  for (let k = 0; k < SAMPLES; k++) {
    const { status } = stepIntegrator(
      integrator,
      state,
      duration / SAMPLES,
      (time, _pose, _velocity, { tau }) => {
        tau.set(sampleTrajectory(trajectory, Math.min(time, duration)).torques);
        // Nothing drives the root.
        tau.fill(0, 0, 6);
      },
    );
    if (status !== 'done') throw new Error(`the simulator stopped: ${status}`);
    const there = sampleTrajectory(trajectory, Math.min(state.time, duration));
    max = Math.max(max, farthest(figure, state.pose, there.pose));
  }
  return max;
}
