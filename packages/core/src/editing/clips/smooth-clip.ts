/** Smoothing of a clip, so that accelerations and forces are meaningful. */
import { MotionError } from '../../errors.js';
import type { Figure } from '../../figure/model/figure.js';
import { rotationVectors } from '../../figure/model/regularize.js';
import { factor, solve } from '../../math/linear/banded-cholesky.js';
import type { Vec3 } from '../../math/linear/types.js';
import { bSplineCurve } from '../../motion/curves/b-spline.js';
import { cubicSpline } from '../../motion/curves/cubic-spline.js';
import { createMotion, type Motion } from '../../motion/motion.js';
import { createMotionSampler, samplePose } from '../../motion/sampler.js';
import { nearestRotationVector } from '../../rotation/rotation-vector/log.js';
import { createSplineBasis, ORDERS, writeBasis } from '../../spacetime/transcription/spline-basis.js';

/** Largest angle of a rotation vector, rad: a margin inside the shell at 2 pi. */
const MAX_ANGLE = 1.75 * Math.PI;

/** The C2 cubic spline through poses; rotation vectors continue on the nearest branch. @throws MotionError */
export function splineThrough(
  figure: Figure,
  times: readonly number[],
  poses: readonly Float64Array[],
  name: string,
): Motion {
  const values = continuousValues(figure, times, poses, name);
  return createMotion(figure, {
    name,
    tracks: [{ coordinate: 0, curve: cubicSpline({ times, values }) }],
  });
}

/** The poses one after another, rotation vectors on the branch nearest to the one before. @throws MotionError */
function continuousValues(
  figure: Figure,
  times: readonly number[],
  poses: readonly Float64Array[],
  name: string,
): Float64Array {
  const vectors = rotationVectors(figure);
  const values = new Float64Array(times.length * figure.dof);
  poses.forEach((pose, k) => {
    const own = values.subarray(k * figure.dof, (k + 1) * figure.dof);
    own.set(pose);
    for (const i of vectors) {
      const v = own.subarray(i, i + 3);
      if (k > 0) {
        const before = values.subarray((k - 1) * figure.dof + i, (k - 1) * figure.dof + i + 3);
        nearestRotationVector(triple(v), triple(before), v);
      }
      if (Math.hypot(v[0], v[1], v[2]) <= MAX_ANGLE) continue;
      const { name: bone } = figure.bones[figure.boneOfCoordinate[i]];
      throw new MotionError('singular', `rotates '${bone}' by nearly 2 pi from rest at ${times[k]} s.`, {
        path: `motion '${name}'`,
        remedy: 'Cut the clip where it has rotated by pi, or rotate the figure back.',
      });
    }
  });
  return values;
}

/** The C2 spline through samples of the clip no farther apart than `step`, starting at time 0. */
export function smoothClip(figure: Figure, motion: Motion, step: number): Motion {
  const { times, poses } = sampled(figure, motion, motion.end - motion.start, step);
  return splineThrough(figure, times, poses, motion.name);
}

/** Degree of the fitted spline, that of the motions that are solved for. */
const DEGREE = 5;
/** Weight of squared accelerations of the fit, s^4: keeps it from swinging with the noise at its ends, where fewer samples say what it is. */
const ROUGHNESS = 1e-6;
/** Samples per knot interval of the fit. */
const FIT_SAMPLES = 4;

/**
 * The smoothing spline of degree 5 with `intervals` equal knot intervals, starting at time 0. A solve moves rotations away from its reference by splines of
 * that kind: what is finer in the reference, its result would keep, as noise in the forces between collocation points.
 *
 * @throws MotionError
 */
export function fittedClip(figure: Figure, motion: Motion, intervals: number, roughness = ROUGHNESS): Motion {
  const { dof } = figure;
  const length = motion.end - motion.start;
  const { times, poses } = sampled(figure, motion, length, length / (FIT_SAMPLES * intervals));
  const values = continuousValues(figure, times, poses, motion.name);
  const basis = createSplineBasis(DEGREE, intervals, 0, length);
  // Normal equations B^T B P = B^T X.
  const band = new Float64Array(basis.count * (DEGREE + 1));
  const points = new Float64Array(basis.count * dof);
  const row = new Float64Array(ORDERS * (DEGREE + 1));
  times.forEach((time, k) => {
    const first = writeBasis(basis, time, row);
    for (let i = 0; i <= DEGREE; i++) {
      const at = (first + i) * (DEGREE + 1) + DEGREE - i;
      for (let j = 0; j <= i; j++) band[at + j] += row[i] * row[j];
      for (let c = 0; c < dof; c++) points[(first + i) * dof + c] += row[i] * values[k * dof + c];
    }
  });
  // Samples weigh their share of an interval; second divided differences of control points stand for accelerations.
  const weight = (roughness * FIT_SAMPLES * intervals) / length;
  const { centers } = basis;
  for (let k = 0; k + 2 < basis.count; k++) {
    const [before, after] = [centers[k + 1] - centers[k], centers[k + 2] - centers[k + 1]];
    const mean = 0.5 * (before + after);
    const second = [1 / (before * mean), -(1 / before + 1 / after) / mean, 1 / (after * mean)];
    for (let i = 0; i < 3; i++) {
      const at = (k + i) * (DEGREE + 1) + DEGREE - i;
      for (let j = 0; j <= i; j++) band[at + j] += weight * mean * second[i] * second[j];
    }
  }
  factor(band, basis.count, DEGREE);
  solve(band, basis.count, DEGREE, points, dof);
  const curve = bSplineCurve({ size: dof, points, knots: basis.knots, degree: DEGREE });
  return createMotion(figure, { name: motion.name, tracks: [{ coordinate: 0, curve }] });
}

/** A fitted clip with some coordinates of another one of the same intervals. */
export function withCoordinatesOf(clip: Motion, other: Motion, coordinates: readonly number[]): Motion {
  const [{ curve }] = clip.tracks;
  const controls = Float64Array.from(curve.controls);
  for (const i of coordinates) {
    for (let o = i; o < controls.length; o += curve.size) controls[o] = other.tracks[0].curve.controls[o];
  }
  return { ...clip, tracks: [{ coordinate: 0, curve: { ...curve, controls } }] };
}

/** Knot intervals a second of a clip without noise: what is faster than some 3 Hz is left out. */
export const NOISE_FREE_RATE = 6;
const MIN_INTERVALS = 4;

/** The clip without what is faster than a step of a person, starting at time 0. @throws MotionError */
export function noiseFreeClip(figure: Figure, motion: Motion): Motion {
  const intervals = Math.round(NOISE_FREE_RATE * (motion.end - motion.start));
  return fittedClip(figure, motion, Math.max(MIN_INTERVALS, intervals));
}

/** Samples of a clip no farther apart than `step`; times from 0. */
function sampled(
  figure: Figure,
  motion: Motion,
  length: number,
  step: number,
): { readonly times: readonly number[]; readonly poses: readonly Float64Array[] } {
  const count = Math.max(2, Math.ceil(length / step - 1e-9));
  const sampler = createMotionSampler(figure, motion);
  const times = Array.from({ length: count + 1 }, (_, k) => (length * k) / count);
  const poses = times.map((time) => samplePose(sampler, motion.start + time, new Float64Array(figure.dof)));
  return { times, poses };
}

function triple(v: Vec3): [number, number, number] {
  return [v[0], v[1], v[2]];
}
