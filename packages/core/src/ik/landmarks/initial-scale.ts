import { forwardKinematics } from '../../figure/kinematics/forward-kinematics.js';
import type { Numbers } from '../../math/linear/types.js';
import { seededRandom } from '../../math/random.js';
import type { MarkerProblem } from '../markers/marker-problem.js';

/** Random poses that tell which distances between markers do not change. */
const PROBES = 4;

/** What was measured in a frame: three numbers a marker, and how far each is believed. */
export interface MeasuredFrame {
  readonly positions: Numbers;
  readonly confidences: Numbers | undefined;
}

/**
 * How many times larger the figure is in the landmarks than it is: the weighted median, over all frames and all pairs of markers whose
 * distance no joint changes (hip to knee, shoulder to elbow), of measured over own distance. 1 where no such pair is seen.
 *
 * A ratio's standard deviation is sqrt(1/w_a + 1/w_b) over the distance, w a marker's weight times its confidence; a median of least
 * absolute errors weighs by its inverse.
 */
export function startingScale(problem: MarkerProblem, frames: readonly MeasuredFrame[]): number {
  const { weights } = problem;
  const ratios: { readonly ratio: number; readonly weight: number }[] = [];
  let total = 0;
  const pairs = rigidPairs(problem);
  for (const { positions, confidences } of frames) {
    const beliefOf = (m: number): number => weights[m] * (confidences === undefined ? 1 : confidences[m]);
    for (const { a, b, distance } of pairs) {
      const measured = Math.hypot(...[0, 1, 2].map((k) => positions[3 * a + k] - positions[3 * b + k]));
      const [wa, wb] = [beliefOf(a), beliefOf(b)];
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
  const places = Array.from({ length: PROBES }, () => {
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
      const distances = places.map((at) => Math.hypot(...at[a].map((x, k) => x - at[b][k])));
      const distance = distances[0];
      // Short ones are all noise.
      if (distance < 0.1 * lengthScale) continue;
      if (distances.every((d) => Math.abs(d - distance) < 1e-9 * lengthScale)) pairs.push({ a, b, distance });
    }
  }
  return pairs;
}
