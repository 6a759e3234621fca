import { forwardKinematics } from '../../figure/kinematics/forward-kinematics.js';
import type { Numbers } from '../../math/linear/types.js';
import { seededRandom } from '../../math/random.js';
import type { MarkerProblem } from '../markers/marker-problem.js';

/** Number of random poses that determine which distances between markers are constant. */
const PROBES = 4;

/** Measurements of a frame: three numbers per marker, and confidences. */
export interface MeasuredFrame {
  readonly positions: Numbers;
  readonly confidences: Numbers | undefined;
}

/**
 * Initial scale of the landmarks relative to the figure: the weighted median, over all frames and all pairs of markers at a constant distance
 * (hip to knee, shoulder to elbow), of measured over figure distance. 1 if no such pair is observed.
 *
 * A ratio's standard deviation is sqrt(1/w_a + 1/w_b) over the distance, w a marker's weight times its confidence; the median of least
 * absolute errors weighs by its inverse.
 */
export function initialScale(problem: MarkerProblem, frames: readonly MeasuredFrame[]): number {
  const { weights } = problem;
  const ratios: { readonly ratio: number; readonly weight: number }[] = [];
  let total = 0;
  const pairs = rigidPairs(problem);
  for (const { positions, confidences } of frames) {
    const weightOf = (m: number): number => weights[m] * (confidences === undefined ? 1 : confidences[m]);
    for (const { a, b, distance } of pairs) {
      const measured = Math.hypot(...[0, 1, 2].map((k) => positions[3 * a + k] - positions[3 * b + k]));
      const [wa, wb] = [weightOf(a), weightOf(b)];
      const weight = distance * Math.sqrt((wa * wb) / (wa + wb));
      if (!(measured > 0 && Number.isFinite(measured) && weight > 0 && Number.isFinite(weight))) continue;
      ratios.push({ ratio: measured / distance, weight });
      total += weight;
    }
  }
  ratios.sort((x, y) => x.ratio - y.ratio);
  let below = 0;
  for (const { ratio, weight } of ratios) {
    below += weight;
    if (below >= 0.5 * total) return ratio;
  }
  return 1;
}

function rigidPairs(problem: MarkerProblem): { a: number; b: number; distance: number }[] {
  const { figure, state, bones, points, lengthScale } = problem;
  const random = seededRandom(1);
  const positionsOfProbes = Array.from({ length: PROBES }, () => {
    forwardKinematics(
      state,
      Float64Array.from({ length: figure.dof }, () => 2 * random() - 1),
    );
    const world = state.worldFromBone;
    return Array.from(bones, (bone, m) =>
      [0, 1, 2].map((k) => {
        const r = 12 * bone + 3 * k;
        const o = 12 * bone + 9 + k;
        return (
          world[o] +
          world[r] * points[3 * m] +
          world[r + 1] * points[3 * m + 1] +
          world[r + 2] * points[3 * m + 2]
        );
      }),
    );
  });
  const pairs: { a: number; b: number; distance: number }[] = [];
  for (let a = 0; a < bones.length; a++) {
    for (let b = 0; b < a; b++) {
      const distances = positionsOfProbes.map((at) => Math.hypot(...at[a].map((x, k) => x - at[b][k])));
      const distance = distances[0];
      // Short distances are dominated by noise.
      if (distance < 0.1 * lengthScale) continue;
      if (distances.every((d) => Math.abs(d - distance) < 1e-9 * lengthScale)) pairs.push({ a, b, distance });
    }
  }
  return pairs;
}
