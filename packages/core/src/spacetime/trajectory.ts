/** The motion of given unknowns, at any real time and as a clip. */
import { SpacetimeError } from '../errors.js';
import { createMotion, type Motion } from '../motion/motion.js';
import { createCurve } from '../motion/representation/curve.js';
import { nearestRotationVector } from '../rotation/rotation-vector/log.js';
import {
  rateFromAngularVelocity,
  secondRateFromAngularAcceleration,
} from '../rotation/rotation-vector/rates.js';
import { createMechanics } from './mechanics/mechanics.js';
import { createMechanicsCache, type MechanicsCache, torquesAt } from './mechanics/mechanics-cache.js';
import { type SpacetimeProblem, withMeshOf } from './problem.js';
import { collocationPointAt } from './system/collocation-points.js';
import type { Mesh } from './transcription/mesh.js';
import { createStateSample, evaluateStateSample, type StateSample } from './transcription/state-sample.js';

/** A motion that can be sampled at any time, with its scratch. */
export interface Trajectory {
  readonly problem: SpacetimeProblem;
  readonly unknowns: Float64Array;
  /** Real, s; the motion begins at 0. */
  readonly duration: number;
  readonly sample: StateSample;
  readonly cache: MechanicsCache | undefined;
}

/** A trajectory sampled at one time. */
export interface TrajectorySample {
  /** Real time, s. */
  readonly time: number;
  /** `figure.dof` numbers; free rotations as their principal rotation vectors. */
  readonly pose: Float64Array;
  /** Joint velocity v, rad/s and m/s. */
  readonly velocity: Float64Array;
  /** Joint acceleration v', rad/s^2 and m/s^2. */
  readonly acceleration: Float64Array;
  /** Joint forces, dual to v, N m and N; zeros for a figure without mass. */
  readonly torques: Float64Array;
  /** Contact forces, world, N: 3 numbers for each point of each contact in the order of the problem. */
  readonly forces: Float64Array;
}

/**
 * The motion of a problem.
 *
 * @param state - Its unknowns, or a saved state: that of a refined solve is on the mesh of the save, and so is the problem of the trajectory.
 * @throws SpacetimeError `wrong-size` for those of another problem.
 */
export function createTrajectory(
  given: SpacetimeProblem,
  state: Float64Array | (Partial<Mesh> & { readonly unknowns: Float64Array }),
): Trajectory {
  const problem = state instanceof Float64Array ? given : withMeshOf(given, state);
  const unknowns = state instanceof Float64Array ? state : state.unknowns;
  const { figure, contacts, system, data } = problem;
  if (unknowns?.length !== system.size) {
    throw new SpacetimeError(
      'wrong-size',
      `has ${unknowns?.length} unknowns; the problem has ${system.size}.`,
      {
        path: 'state',
        remedy: 'Give the save of a solution, which knows its mesh, of the same problem.',
      },
    );
  }
  const points = contacts.flatMap(({ bone, points: own }) => own.map((point) => ({ bone, point })));
  const hasMass = figure.bones.some(({ mass = 0 }) => mass > 0);
  const mechanics = hasMass
    ? createMechanicsCache(
        createMechanics(figure, points, {
          ...(data.gravity && { gravity: data.gravity }),
          ...(data.armature && { armature: data.armature }),
        }),
      )
    : undefined;
  const trajectory = {
    problem,
    unknowns: Float64Array.from(unknowns),
    duration: problem.duration,
    sample: createStateSample(system.parameterization, points.length),
    cache: mechanics,
  };
  evaluateAt(trajectory, problem.duration);
  return { ...trajectory, duration: trajectory.sample.time };
}

/** Evaluates at a nominal time. */
function evaluateAt(
  { problem, unknowns, sample }: Omit<Trajectory, 'cache' | 'duration'>,
  nominal: number,
): void {
  const { system, reference, contacts } = problem;
  evaluateStateSample(
    sample,
    collocationPointAt({ parameterization: system.parameterization, reference, contacts }, nominal),
    system.indices,
    unknowns,
  );
}

/** Nominal time of a real one: Newton's method safeguarded by bisection; real time increases with nominal time. */
function nominalTime(trajectory: Trajectory, time: number): number {
  const { problem, duration, sample } = trajectory;
  if (problem.system.indices.timeScaling.length === 0) return time;
  let low = 0;
  let high = problem.duration;
  let u = (time / duration) * high;
  for (let k = 0; k < 60; k++) {
    evaluateAt(trajectory, u);
    const error = sample.time - time;
    if (Math.abs(error) <= 1e-15 * duration) break;
    if (error > 0) high = u;
    else low = u;
    const next = u - error / sample.timeScale;
    const chosen = next > low && next < high ? next : 0.5 * (low + high);
    if (chosen === u) break;
    u = chosen;
  }
  return u;
}

/**
 * The motion at a real time.
 *
 * @throws SpacetimeError `out-of-range`, `not-finite` for a time outside it.
 */
export function sampleTrajectory(trajectory: Trajectory, time: number): TrajectorySample {
  const { duration, sample, cache } = trajectory;
  if (!(time >= -1e-12 && time <= duration * (1 + 1e-12))) {
    throw new SpacetimeError(
      Number.isFinite(time) ? 'out-of-range' : 'not-finite',
      `is ${time} s; the motion goes from 0 to ${duration} s.`,
      { path: 'time', remedy: 'Give a time within the motion.' },
    );
  }
  evaluateAt(trajectory, nominalTime(trajectory, Math.max(0, Math.min(duration, time))));
  return {
    time,
    pose: sample.pose.slice(),
    velocity: sample.velocity.slice(),
    acceleration: sample.acceleration.slice(),
    torques: cache === undefined ? new Float64Array(sample.pose.length) : torquesAt(cache, sample).slice(),
    forces: sample.forces.slice(),
  };
}

const PIECES_PER_INTERVAL = 2;
const DEGREE = 5;

/**
 * The trajectory as a clip: a quintic for each half knot interval that interpolates value, first and second derivative at both ends.
 * Rotation vectors start each piece within pi, so that no piece comes near a shell; between pieces they may change branch where the
 * rotation is continuous.
 */
export function trajectoryMotion(trajectory: Trajectory, name = 'optimized'): Motion {
  const { problem, duration } = trajectory;
  const { figure, system } = problem;
  const { dof } = figure;
  const { breaks } = system.parameterization.basis;
  const count = PIECES_PER_INTERVAL * (breaks.length - 1);
  const knots = Float64Array.from({ length: count + 1 }, (_, k) => {
    const low = breaks[Math.floor(k / PIECES_PER_INTERVAL)];
    const fraction = (k % PIECES_PER_INTERVAL) / PIECES_PER_INTERVAL;
    evaluateAt(
      trajectory,
      fraction > 0 ? low + fraction * (breaks[Math.floor(k / PIECES_PER_INTERVAL) + 1] - low) : low,
    );
    return trajectory.sample.time;
  });
  knots[count] = duration;
  const controls = new Float64Array(count * (DEGREE + 1) * dof);
  const vectors = system.parameterization.rotations.map(({ coordinate }) => coordinate);
  let start = sampleTrajectory(trajectory, 0);
  for (let k = 0; k < count; k++) {
    const h = knots[k + 1] - knots[k];
    const end = sampleTrajectory(trajectory, knots[k + 1]);
    const a = coordinatesOf(start, vectors, undefined);
    const b = coordinatesOf(end, vectors, a.value);
    const base = k * (DEGREE + 1) * dof;
    for (let i = 0; i < dof; i++) {
      const points = [
        a.value[i],
        a.value[i] + (h * a.rate[i]) / 5,
        a.value[i] + (2 * h * a.rate[i]) / 5 + (h * h * a.second[i]) / 20,
        b.value[i] - (2 * h * b.rate[i]) / 5 + (h * h * b.second[i]) / 20,
        b.value[i] - (h * b.rate[i]) / 5,
        b.value[i],
      ];
      points.forEach((point, j) => {
        controls[base + j * dof + i] = point;
      });
    }
    start = end;
  }
  const curve = createCurve({ size: dof, degree: DEGREE, knots, controls });
  return createMotion(figure, { name, tracks: [{ coordinate: 0, curve }] });
}

/** Coordinates and derivatives; rotation vectors of the branch nearest to `near`, within pi without it. */
function coordinatesOf(
  { pose, velocity, acceleration }: TrajectorySample,
  vectors: readonly number[],
  near: Float64Array | undefined,
): { value: Float64Array; rate: Float64Array; second: Float64Array } {
  const value = pose.slice();
  const rate = velocity.slice();
  const second = acceleration.slice();
  for (const i of vectors) {
    const reference = near === undefined ? [0, 0, 0] : Array.from(near.slice(i, i + 3));
    const v = nearestRotationVector(Array.from(pose.slice(i, i + 3)) as [number, number, number], [
      reference[0],
      reference[1],
      reference[2],
    ]);
    const first = rateFromAngularVelocity(
      v,
      Array.from(velocity.slice(i, i + 3)) as [number, number, number],
      'body',
    );
    value.set(v, i);
    rate.set(first, i);
    second.set(
      secondRateFromAngularAcceleration(
        v,
        first,
        Array.from(acceleration.slice(i, i + 3)) as [number, number, number],
        'body',
      ),
      i,
    );
  }
  return { value, rate, second };
}
