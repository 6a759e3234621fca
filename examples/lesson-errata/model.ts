import { vec3 } from 'poise/math';
import { rotationVectorBezier, rotationVectorCurve } from 'poise/motion';
import { compareRotations, sphericalBezierCurve } from 'poise/motion/alternatives';
import {
  angleBetweenRotationVectors,
  angularVelocityFromRate,
  angularVelocityFromSwingRate,
  ballAndSocketDeterminant,
  createSwingAxes,
  quatFromRotationVector,
  quatPartials,
  rateFromAngularVelocity,
  reparameterize,
  reparameterizeTangent,
} from 'poise/rotation';
import * as oracle from './oracle.js';

/** The angular velocity of errata 1, 2 and 5, rad/s. */
export const OMEGA = [0.3, 0.8, -0.5];
/** What is printed as a limit at zero is taken at a twentieth of v. */
export const NEAR_ZERO = 1 / 20;
const LIMB = [0, -1, 0];
const AXES = createSwingAxes(LIMB, [1, 0, 0]);
/** Keys of Figure 2 that docs/errata.md states, rad; the paper gives none. */
const KEYS = [
  [0, 0, 0],
  [0.5, 0.3, -0.2],
  [0.9, -0.2, 0.4],
  [0.3, -0.6, 0.8],
  [-0.2, 0.1, 0.5],
];
/** Control points of erratum 9 about v, rad. */
const CONTROLS = [
  [0, 0.3, -0.2],
  [0.4, -0.2, 0.4],
  [0.2, 0.5, 0.1],
];
/** Samples of a piece of the curves of erratum 8. */
const SAMPLES = 40;

/** One erratum at a rotation vector: what is printed, what holds, and what the oracle says. */
export interface Erratum {
  readonly number: number;
  readonly printed: readonly number[];
  readonly holds: readonly number[];
  readonly truth: readonly number[];
}

/** Relative error, or the absolute one where the truth is zero. */
export function errorOf(value: readonly number[], truth: readonly number[]): number {
  const gap = Math.hypot(...value.map((x, n) => x - truth[n]));
  const size = Math.hypot(...truth);
  return size > 1e-12 ? gap / size : gap;
}

/** All errata at a rotation vector other than zero, below 2 pi, rad. */
export function errataAt(v: readonly number[]): Erratum[] {
  return [sign, limitOfRate, limitOfPartial, lHopital, tangent, apart, lock, curves, splines, spin].map(
    (compute, n) => ({
      number: n + 1,
      ...compute(v),
    }),
  );
}

type Values = Omit<Erratum, 'number'>;

function sign(v: readonly number[]): Values {
  const theta = vec3.norm(v);
  const cot = 1 / Math.tan(theta / 2);
  const eta = (vec3.dot(v, OMEGA) / theta) * (cot - 2 / theta);
  const p = vec3.cross(v, OMEGA);
  return {
    printed: [0, 1, 2].map((i) => 0.5 * (theta * cot * OMEGA[i] - eta * v[i] + p[i])),
    holds: rateFromAngularVelocity(v, OMEGA, 'world'),
    truth: oracle.rateByDifferences(v, OMEGA),
  };
}

function limitOfRate(v: readonly number[]): Values {
  const near = vec3.scale(v, NEAR_ZERO);
  const once = vec3.cross(near, OMEGA);
  const twice = vec3.cross(near, once);
  return {
    printed: OMEGA,
    holds: OMEGA.map((w, n) => w - once[n] / 2 + twice[n] / 12),
    truth: oracle.rateByDifferences(near, OMEGA),
  };
}

/** dq_x/dv_y. */
function limitOfPartial(v: readonly number[]): Values {
  const near = vec3.scale(v, NEAR_ZERO);
  return {
    printed: [0],
    holds: [quatPartials(near)[1]],
    truth: [oracle.derivative((t) => oracle.quaternionOf([near[0], near[1] + t, near[2]]))[0]],
  };
}

function lHopital(v: readonly number[]): Values {
  const half = 0.5 * Math.cos(vec3.norm(v) / 2);
  return {
    printed: v.map((x) => half * x),
    holds: quatFromRotationVector(v).slice(0, 3),
    truth: oracle.quaternionByDoubling(v).slice(0, 3),
  };
}

/** Angular velocity in body axes after v has been reparameterized, for v' = OMEGA. */
function tangent(v: readonly number[]): Values {
  const moved = reparameterize(v, 1);
  const alongLine = (rate: readonly number[]) => (t: number) =>
    oracle.matrixOf(vec3.addScaled(moved, rate, t));
  return {
    printed: oracle.angularVelocity(alongLine(OMEGA), 'body'),
    holds: angularVelocityFromRate(moved, reparameterizeTangent(v, OMEGA, 1), 'body'),
    truth: oracle.angularVelocity((t) => oracle.matrixOf(v.map((x, n) => x + t * OMEGA[n])), 'body'),
  };
}

/** Angle between [g, g, g] and its negative, g = 2 pi - delta, delta = |v| / 1000. */
function apart(v: readonly number[]): Values {
  const delta = vec3.norm(v) / 1000;
  const g = 2 * Math.PI - delta;
  const [one, other] = [
    [g, g, g],
    [-g, -g, -g],
  ];
  return {
    printed: [2 * delta],
    holds: [angleBetweenRotationVectors(one, other)],
    truth: [oracle.angleBetween(oracle.matrixOf(one), oracle.matrixOf(other))],
  };
}

/** Determinant of the ball-and-socket joint at the swing |v|; mutually orthogonal axes would give 1. */
function lock(v: readonly number[]): Values {
  const theta = vec3.norm(v);
  const at = [0.6 * theta, 0.8 * theta, 0.7];
  const joint = ([rs, rt, twist]: readonly number[]): number[] =>
    oracle.product(oracle.matrixOf([rs, 0, rt]), oracle.matrixOf(vec3.scale(LIMB, twist)));
  const columns = [0, 1, 2].map((k) =>
    oracle.angularVelocity((t) => joint(at.map((x, n) => (n === k ? x + t : x))), 'world'),
  );
  return { printed: [1], holds: [ballAndSocketDeterminant(at)], truth: [oracle.determinant(columns)] };
}

/** Largest angle between the two Bezier curves of Figure 2, keys times |v|, rad. */
function curves(v: readonly number[]): Values {
  const points = bezierPoints(vec3.norm(v));
  const times = KEYS.map((_, n) => n);
  const vectors = rotationVectorCurve(rotationVectorBezier({ times, points: points.flat() }));
  const sphere = sphericalBezierCurve({
    times,
    quaternions: points.flatMap((p) => quatFromRotationVector(p)),
  });
  const count = SAMPLES * (KEYS.length - 1) + 1;
  return {
    printed: [0],
    holds: [compareRotations(vectors, sphere, count).largest],
    truth: [largestGap(points)],
  };
}

/** Keys and the two controls between each pair: K_i + m_i/3 and K_(i+1) - m_(i+1)/3, central tangents, one-sided at the ends. */
function bezierPoints(scale: number): number[][] {
  const keys = KEYS.map((key) => vec3.scale(key, scale));
  const last = keys.length - 1;
  const tangents = keys.map((_, i) => {
    const [a, b] = [Math.max(0, i - 1), Math.min(last, i + 1)];
    return vec3.scale(vec3.subtract(keys[b], keys[a]), 1 / (b - a));
  });
  return keys.flatMap((key, i) =>
    i === last
      ? [key]
      : [key, vec3.addScaled(key, tangents[i], 1 / 3), vec3.addScaled(keys[i + 1], tangents[i + 1], -1 / 3)],
  );
}

/** The same by de Casteljau's construction, on vectors and with slerp on the sphere. */
function largestGap(points: readonly (readonly number[])[]): number {
  let largest = 0;
  for (let piece = 0; piece < KEYS.length - 1; piece++) {
    const controls = points.slice(3 * piece, 3 * piece + 4);
    const onSphere = controls.map((p) => oracle.quaternionOf(p));
    for (let k = 1; k < 4; k++)
      if (oracle.dot(onSphere[k - 1], onSphere[k]) < 0) onSphere[k] = onSphere[k].map((x) => -x);
    for (let n = 0; n <= SAMPLES; n++) {
      const u = n / SAMPLES;
      const mix = (a: readonly number[], b: readonly number[]) => a.map((x, k) => (1 - u) * x + u * b[k]);
      const v = casteljau(controls, mix);
      const q = casteljau(onSphere, (a, b) => slerp(a, b, u));
      largest = Math.max(largest, angleOf(q, oracle.quaternionOf(v)));
    }
  }
  return largest;
}

function casteljau(
  points: readonly (readonly number[])[],
  mix: (a: readonly number[], b: readonly number[]) => number[],
): readonly number[] {
  let level = points;
  while (level.length > 1) level = level.slice(1).map((right, n) => mix(level[n], right));
  return level[0];
}

function slerp(a: readonly number[], b: readonly number[], u: number): number[] {
  const angle = angleOf(a, b) / 2;
  if (angle < 1e-9) return [...a];
  const [wa, wb] = [Math.sin((1 - u) * angle), Math.sin(u * angle)];
  return a.map((x, n) => (wa * x + wb * b[n]) / Math.sin(angle));
}

/** Angle of the rotation between two unit quaternions, rad: |a - b| = 2 sin(angle/4) of the nearer signs. */
function angleOf(a: readonly number[], b: readonly number[]): number {
  const [near, far] = [-1, 1].map((s) => Math.hypot(...a.map((x, n) => x + s * b[n])));
  return 4 * Math.asin(Math.min(1, Math.min(near, far) / 2));
}

/** How far the first point of a B-spline piece jumps when its control points change chart, rad. */
function splines(v: readonly number[]): Values {
  const controls = CONTROLS.map((offset) => vec3.add(v, offset));
  const down = controls.map((control) => reparameterize(control, 1));
  const start = (all: readonly number[][]) =>
    [0, 1, 2].map((k) => (all[0][k] + 4 * all[1][k] + all[2][k]) / 6);
  const [one, other] = [start(controls), start(down)];
  return {
    printed: [0],
    holds: [angleBetweenRotationVectors(one, other)],
    truth: [oracle.angleBetween(oracle.matrixOf(one), oracle.matrixOf(other))],
  };
}

/** Spin of an arm about its own length per radian of its circle at the swing |v|. */
function spin(v: readonly number[]): Values {
  const theta = vec3.norm(v);
  const r = [theta * Math.cos(1), theta * Math.sin(1)];
  const circling = (t: number) => oracle.matrixOf([theta * Math.cos(1 + t), 0, theta * Math.sin(1 + t)]);
  return {
    printed: [0],
    holds: [vec3.dot(angularVelocityFromSwingRate(r, AXES, [-r[1], r[0]], 'body'), LIMB)],
    truth: [oracle.dot(oracle.angularVelocity(circling, 'body'), LIMB)],
  };
}
