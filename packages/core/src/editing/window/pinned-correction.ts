/** Brings pinned points back between the times at which the solve constrains them. */
import type { Figure } from '../../figure/model/figure.js';
import { cubicSpline } from '../../motion/curves/cubic-spline.js';
import type { Motion } from '../../motion/motion.js';
import { createCurvePoint, evaluateCurve } from '../../motion/representation/curve.js';
import { createMotionSampler, samplePose } from '../../motion/sampler.js';
import { displacementMetric } from '../clips/bone-weights.js';
import { humanScaleOf } from '../clips/human-scale.js';
import { createMinDisplacement } from '../contacts/min-displacement.js';
import { clipPaths } from '../contacts/point-paths.js';
import type { Displacement } from '../displacement/displacement.js';
import type { PinnedPoint } from './edit-options.js';

/** Spacing of the poses that are corrected, s. */
const STEP = 1 / 24;
/** Relative compliance of the points: straight legs do not snap for a point out of reach. */
const COMPLIANCE = 1e-3;
/** Of a coordinate, rad: a thousandth of what is asked of the points. */
const TOLERANCE = 1e-6;
/** Zeros before and after a window, so that the correction begins and ends at rest. */
const PADDING = 4;

/**
 * The least displacement of the given bones that brings points of an edited clip to their positions in the clip, within a window.
 *
 * @param bones - Indices: those of no goal of the edit, so that goals stay met.
 */
export function pinnedCorrection(
  figure: Figure,
  motion: Motion,
  edited: Motion,
  [from, to]: readonly [number, number],
  points: readonly PinnedPoint[],
  bones: ReadonlySet<number>,
): Displacement {
  const { dof } = figure;
  const metric = displacementMetric(figure);
  for (let i = 0; i < dof; i++) {
    if (!bones.has(figure.boneOfCoordinate[i])) metric[i] = Number.POSITIVE_INFINITY;
  }
  const solve = createMinDisplacement(figure, metric, humanScaleOf(figure), TOLERANCE);
  const paths = clipPaths(figure, motion);
  const targets = points.map(({ bone, point = [0, 0, 0] }) => ({
    bone: figure.bones.findIndex(({ name }) => name === bone),
    point,
    path: paths(bone, point),
  }));
  const sampler = createMotionSampler(figure, edited);
  const pose = new Float64Array(dof);
  const displacement = new Float64Array(dof);
  const count = Math.max(1, Math.ceil((to - from) / STEP));
  const values = new Float64Array((count + 1 + 2 * PADDING) * dof);
  for (let k = 0; k <= count; k++) {
    const time = from + ((to - from) * k) / count;
    solve(
      samplePose(sampler, time, pose),
      targets.map(({ bone, point, path }) => ({ bone, point, target: path(time), compliance: COMPLIANCE })),
      displacement,
    );
    values.set(displacement, (k + PADDING) * dof);
  }
  const times = Array.from(
    { length: count + 1 + 2 * PADDING },
    (_, k) => from + ((to - from) * (k - PADDING)) / count,
  );
  const curve = cubicSpline({ times, values });
  return {
    from,
    to,
    coordinates: Int32Array.from({ length: dof }, (_, i) => i).filter((i) =>
      bones.has(figure.boneOfCoordinate[i]),
    ),
    at: (time) => evaluateCurve(curve, time, createCurvePoint(dof)),
  };
}
