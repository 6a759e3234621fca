/** The curves of the paper's Figure 2, on the keys and tangents that docs/errata.md states. */
import * as quat from '../../src/math/geometry/quat.js';
import * as rotation from './all-forms.js';
import { difference } from './support.js';

const KEYS = [
  [0, 0, 0],
  [0.5, 0.3, -0.2],
  [0.9, -0.2, 0.4],
  [0.3, -0.6, 0.8],
  [-0.2, 0.1, 0.5],
];

/** Cubic Bezier point in R^n. */
function bezier(controls: readonly number[][], u: number): number[] {
  const w = [(1 - u) ** 3, 3 * u * (1 - u) ** 2, 3 * u * u * (1 - u), u ** 3];
  return controls[0].map((_, i) => w.reduce((sum, weight, k) => sum + weight * controls[k][i], 0));
}

/** Shortest-arc interpolation of sign-aligned unit quaternions. */
function slerp(a: readonly number[], b: readonly number[], u: number): number[] {
  const angle = 0.5 * quat.angleBetween(a, b);
  if (angle < 1e-12) return [...a];
  const wa = Math.sin((1 - u) * angle) / Math.sin(angle);
  const wb = Math.sin(u * angle) / Math.sin(angle);
  return a.map((c, i) => wa * c + wb * b[i]);
}

/** De Casteljau's construction on the sphere (Shoemake 1985). */
function sphericalBezier(controls: readonly number[][], u: number): number[] {
  let level = controls.map((c) => [...c]);
  while (level.length > 1) {
    level = level.slice(1).map((right, i) => slerp(level[i], right, u));
  }
  return level[0];
}

/**
 * Largest gaps between the Euclidean Bezier curve of the keys (times `scale`) and the spherical one of the same controls,
 * over 4 segments of 500 steps: of the rotation vectors, in rad, and of the orientations, geodesic, in rad.
 */
export function largestCurveGap(scale: number): { vectorGap: number; angleGap: number } {
  const keys = KEYS.map((k) => k.map((c) => c * scale));
  const last = keys.length - 1;
  const tangents = keys.map((k, i) => {
    if (i === 0) return k.map((c, e) => keys[1][e] - c);
    if (i === last) return k.map((c, e) => c - keys[last - 1][e]);
    return k.map((_, e) => (keys[i + 1][e] - keys[i - 1][e]) / 2);
  });
  let vectorGap = 0;
  let angleGap = 0;
  for (let i = 0; i < last; i++) {
    const controls = [
      keys[i],
      keys[i].map((c, e) => c + tangents[i][e] / 3),
      keys[i + 1].map((c, e) => c - tangents[i + 1][e] / 3),
      keys[i + 1],
    ];
    const onSphere = controls.map((c) => rotation.quatFromRotationVector(c));
    for (let k = 1; k < 4; k++) {
      if (quat.dot(onSphere[k - 1], onSphere[k]) < 0) onSphere[k] = quat.negate(onSphere[k]);
    }
    for (let n = 0; n <= 500; n++) {
      const v = bezier(controls, n / 500);
      const q = sphericalBezier(onSphere, n / 500);
      vectorGap = Math.max(vectorGap, difference(rotation.rotationVectorFromQuat(q, v), v));
      angleGap = Math.max(angleGap, quat.angleBetween(q, rotation.quatFromRotationVector(v)));
    }
  }
  return { vectorGap, angleGap };
}

/** Point of the uniform cubic B-spline segment of four control points, u in [0, 1]. */
export function bSplinePoint(control: readonly number[][], u: number): number[] {
  const w = [(1 - u) ** 3, 3 * u ** 3 - 6 * u * u + 4, -3 * u ** 3 + 3 * u * u + 3 * u + 1, u ** 3];
  return control[0].map((_, i) => w.reduce((sum, weight, k) => sum + (weight / 6) * control[k][i], 0));
}
