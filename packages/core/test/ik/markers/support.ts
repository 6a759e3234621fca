import { boneIndex, createState, type Figure, forwardKinematics } from 'poise/figure';
import type { Marker } from 'poise/ik';
import { laboratorySet } from '../../../../../scripts/oracles/markers/laboratory-set.js';
import type { MeasuredProblem } from '../../../../../scripts/oracles/markers/nearest-answer.js';

/** 31 markers on the 22 bones of the human. */
export const laboratoryMarkers: readonly Marker[] = laboratorySet.map(([name, bone, point]) => ({
  name,
  bone,
  point,
}));

/** Standard normal numbers from uniform ones (Box and Muller). */
export function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/**
 * A smooth clip inside the limits: a uniform cubic B-spline over control poses drawn in the middle `share` of every limit, which
 * is convex, so the curve keeps to it. Roots wander; `turned` sets which way they face.
 *
 * @param knots - Control poses; frames run from the first full span to the last.
 */
export function smoothClip(
  figure: Figure,
  random: () => number,
  frames: number,
  {
    knots = 8,
    share = 0.6,
    rotation: rotated = [0, 0, 0],
  }: { knots?: number; share?: number; rotation?: readonly number[] } = {},
): Float64Array[] {
  const controls = Array.from({ length: knots }, () => {
    const q = Float64Array.from({ length: figure.dof }, () => 0.3 * (2 * random() - 1));
    for (let k = 0; k < 3; k++) q[3 + k] += rotated[k];
    for (const { kind, parameters: p, coordinate, size } of figure.limitComponents) {
      if (kind === 'interval') {
        q[coordinate] = (p[0] + p[1]) / 2 + share * (random() - 0.5) * (p[1] - p[0]);
        continue;
      }
      // Inside the inscribed diamond-free box of the ellipse: scaled by 0.7 in both.
      for (let k = 0; k < size; k++) {
        const [low, high] =
          kind === 'quad-ellipse'
            ? [p[2 * k], p[2 * k + 1]]
            : [-p[Math.min(k, p.length - 1)], p[Math.min(k, p.length - 1)]];
        const x = share * 0.7 * (2 * random() - 1);
        q[coordinate + k] = x < 0 ? -x * low : x * high;
      }
    }
    return q;
  });
  const spans = knots - 3;
  return Array.from({ length: frames }, (_, f) => {
    const t = (f / Math.max(1, frames - 1)) * spans * (1 - 1e-12);
    const first = Math.floor(t);
    const u = t - first;
    const w = [(1 - u) ** 3, 3 * u ** 3 - 6 * u * u + 4, -3 * u ** 3 + 3 * u * u + 3 * u + 1, u ** 3];
    return Float64Array.from({ length: figure.dof }, (_, i) =>
      w.reduce((sum, x, k) => sum + (x / 6) * controls[first + k][i], 0),
    );
  });
}

/** World places of markers at a pose, 3 numbers a marker, by forward kinematics alone. */
export function positionsOf(figure: Figure, markers: readonly Marker[], pose: Float64Array): Float64Array {
  return placer(figure, markers)(pose);
}

/** The same for many poses. */
function placer(figure: Figure, markers: readonly Marker[]): (pose: Float64Array) => Float64Array {
  const state = createState(figure);
  const starts = markers.map(({ bone }) => 12 * boneIndex(figure, bone));
  return (pose) => {
    forwardKinematics(state, pose);
    const world = state.worldFromBone;
    const out = new Float64Array(3 * markers.length);
    markers.forEach(({ point = [0, 0, 0] }, m) => {
      const o = starts[m];
      for (let k = 0; k < 3; k++) {
        const r = o + 3 * k;
        out[3 * m + k] =
          world[o + 9 + k] + world[r] * point[0] + world[r + 1] * point[1] + world[r + 2] * point[2];
      }
    });
    return out;
  };
}

/** Places with normal noise, m, and a share of markers missing. */
export function measured(
  positions: Float64Array,
  random: () => number,
  noise: number,
  missing = 0,
): Float64Array {
  const out = positions.map((x) => x + noise * normal(random));
  for (let m = 0; m < positions.length / 3; m++) if (random() < missing) out[3 * m + 1] = Number.NaN;
  return out;
}

/** A frame for the oracle: residuals of the numbers that are there, against coordinates over their scales. */
export function measuredProblem(
  figure: Figure,
  markers: readonly Marker[],
  frame: Float64Array,
  scale: Float64Array,
  floor: number,
): MeasuredProblem {
  const there = Array.from(frame.keys()).filter((k) => !Number.isNaN(frame[3 * Math.floor(k / 3) + 1]));
  const largest = Math.max(...markers.map(({ weight = 1 }) => weight));
  const roots = there.map((k) => Math.sqrt((markers[Math.floor(k / 3)].weight ?? 1) / largest));
  const positionsAt = placer(figure, markers);
  const out = new Float64Array(there.length);
  return {
    floor,
    residual: (y) => {
      const positions = positionsAt(y.map((x, i) => x * scale[i]));
      for (let n = 0; n < out.length; n++) out[n] = roots[n] * (positions[there[n]] - frame[there[n]]);
      return out;
    },
  };
}
