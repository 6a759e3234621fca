import { type Matrix4, Object3D, Quaternion, Vector3 } from 'three';
import { expect } from 'vitest';
import { createFigure, type Figure, type FigureData, type JointData } from '../../src/figure/index.js';
import type { Numbers } from '../../src/math/linear/types.js';

/** Seed of the run's property tests, so that `POISE_SEED=random` also moves these. */
const RUN_SEED = Number(process.env.POISE_SEED ?? 19970301);

/** Numbers in [0, 1): mulberry32 on the run's seed and a salt of the test's own. */
export function createRandom(salt: number): () => number {
  let state = (RUN_SEED ^ Math.imul(salt + 1, 0x9e3779b1)) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** In [-size, size). */
export function within(random: () => number, size: number): number {
  return (2 * random() - 1) * size;
}

/** A random direction. */
export function direction(random: () => number, dimension = 3): number[] {
  for (;;) {
    const v = Array.from({ length: dimension }, () => within(random, 1));
    const length = Math.hypot(...v);
    if (length > 0.1 && length <= 1) return v.map((x) => x / length);
  }
}

/** A random rotation vector of angle up to `max`. */
export function rotationVector(random: () => number, max: number): number[] {
  const angle = random() * max;
  return direction(random).map((x) => x * angle);
}

export const EULER_ORDERS = [
  ...['XYZ', 'XZY', 'YXZ', 'YZX', 'ZXY', 'ZYX'],
  ...['XYX', 'XZX', 'YXY', 'YZY', 'ZXZ', 'ZYZ'],
] as const as readonly Extract<JointData, { type: 'euler' }>['order'][];

/** One joint of every type, with oblique axes; Euler in a random order. */
export function randomJoints(random: () => number): JointData[] {
  const triple = () => direction(random) as [number, number, number];
  const order = EULER_ORDERS[Math.floor(random() * 12)];
  return [
    { type: 'fixed' },
    { type: 'hinge', axis: triple() },
    { type: 'slider', axis: triple() },
    { type: 'swing', axis: triple(), side: triple() },
    { type: 'swing', axis: triple() },
    { type: 'ball' },
    { type: 'ball-and-socket', axis: triple(), side: triple() },
    { type: 'ball-and-socket', axis: triple() },
    { type: 'euler', order },
    { type: 'free' },
  ];
}

/** A random forest of `count` bones with every joint type, oblique rests, parents not always before their children. */
export function randomFigureData(random: () => number, count: number): FigureData {
  const pool = Array.from({ length: Math.ceil(count / 10) }, () => randomJoints(random)).flat();
  const bones = Array.from({ length: count }, (_, i) => {
    const parent = i === 0 || random() < 0.05 ? null : `bone${Math.floor(random() * i)}`;
    return {
      name: `bone${i}`,
      parent,
      rest: {
        position: [within(random, 1), within(random, 1), within(random, 1)] as const,
        rotation: randomRest(random),
      },
      joint: pool[Math.floor(random() * pool.length)],
    };
  });
  return { bones: shuffled(bones, random) };
}

/** A rest rotation: the identity for every other bone, which has its own path through forward kinematics. */
function randomRest(random: () => number): [number, number, number, number] {
  return random() < 0.5 ? [0, 0, 0, 1] : (direction(random, 4) as [number, number, number, number]);
}

function shuffled<T>(items: T[], random: () => number): T[] {
  const out = [...items];
  for (let i = out.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [out[i], out[j]] = [out[j], out[i]];
  }
  return out;
}

/** A random pose: rotation vectors, swings and angles up to `max` rad, positions within 1 m. */
export function randomPose(figure: Figure, random: () => number, max = 3): Float64Array {
  const pose = new Float64Array(figure.dof);
  for (const { joint, coordinate: i, dof } of figure.bones) {
    if (dof > 0) pose.set(randomCoordinates(joint, random, max), i);
  }
  return pose;
}

export function randomCoordinates(joint: JointData, random: () => number, max: number): number[] {
  const swing = () => direction(random, 2).map((x) => x * random() * max);
  switch (joint.type) {
    case 'fixed':
      return [];
    case 'hinge':
      return [within(random, max)];
    case 'slider':
      return [within(random, 1)];
    case 'swing':
      return swing();
    case 'ball':
      return rotationVector(random, max);
    case 'ball-and-socket':
      return [...swing(), within(random, max)];
    case 'euler':
      return [within(random, max), within(random, max), within(random, max)];
    case 'free':
      return [within(random, 1), within(random, 1), within(random, 1), ...rotationVector(random, max)];
  }
}

/** J(q) of a joint by three.js quaternions: an axis and an angle at a time, no code shared with the product. */
export function jointByThree(joint: JointData, q: Numbers): { position: Vector3; rotation: Quaternion } {
  const position = new Vector3();
  const rotation = new Quaternion();
  const about = (axis: Numbers, angle: number) =>
    new Quaternion().setFromAxisAngle(new Vector3(axis[0], axis[1], axis[2]).normalize(), angle);
  const exp = (v: Numbers) => {
    const angle = Math.hypot(v[0], v[1], v[2]);
    return angle === 0 ? new Quaternion() : about(v, angle);
  };
  switch (joint.type) {
    case 'fixed':
      break;
    case 'hinge':
      rotation.copy(about(joint.axis, q[0]));
      break;
    case 'slider':
      position
        .set(...joint.axis)
        .normalize()
        .multiplyScalar(q[0]);
      break;
    case 'swing':
    case 'ball-and-socket': {
      const { a, s, t } = swingFrame(joint);
      rotation.copy(exp(s.clone().multiplyScalar(q[0]).addScaledVector(t, q[1]).toArray()));
      if (joint.type === 'ball-and-socket') rotation.multiply(about(a.toArray(), q[2]));
      break;
    }
    case 'ball':
      rotation.copy(exp(q));
      break;
    case 'euler':
      Array.from(joint.order).forEach((letter, k) => {
        rotation.multiply(
          about(
            [0, 1, 2].map((n) => ('XYZ'[n] === letter ? 1 : 0)),
            q[k],
          ),
        );
      });
      break;
    case 'free':
      position.set(q[0], q[1], q[2]);
      rotation.copy(exp([q[3], q[4], q[5]]));
      break;
  }
  return { position, rotation };
}

/** Limb axis a, and s, t = a x s across it. */
export function swingFrame(joint: { axis: Numbers; side?: Numbers }): { a: Vector3; s: Vector3; t: Vector3 } {
  const a = new Vector3(joint.axis[0], joint.axis[1], joint.axis[2]).normalize();
  const side = joint.side ?? minAligned(a.toArray());
  const s = new Vector3(side[0], side[1], side[2]).normalize();
  s.addScaledVector(a, -s.dot(a)).normalize();
  s.addScaledVector(a, -s.dot(a)).normalize();
  return { a, s, t: new Vector3().crossVectors(a, s) };
}

function minAligned(axis: readonly number[]): number[] {
  const sizes = axis.map(Math.abs);
  const min = sizes.indexOf(Math.min(...sizes));
  return [0, 1, 2].map((k) => (k === min ? 1 : 0));
}

/** World transforms of all bones by three.js: an Object3D a bone, `updateMatrixWorld`; 12 numbers each, ours by layout. */
export function worldByThree(figure: Figure, pose: Numbers): Float64Array {
  const scene = new Object3D();
  const nodes: Object3D[] = [];
  for (const { index, parent, rest, joint, coordinate, dof } of figure.bones) {
    const node = new Object3D();
    const restRotation = new Quaternion(...rest.rotation);
    const { position, rotation } = jointByThree(
      joint,
      Array.from({ length: dof }, (_, k) => pose[coordinate + k]),
    );
    node.position.copy(position.applyQuaternion(restRotation)).add(new Vector3(...rest.position));
    node.quaternion.copy(restRotation).multiply(rotation);
    nodes[index] = node;
    (parent < 0 ? scene : nodes[parent]).add(node);
  }
  scene.updateMatrixWorld(true);
  return Float64Array.from(nodes.flatMap((node) => rowsOf(node.matrixWorld)));
}

/** 3x3 row by row, then position. */
export function rowsOf(m: Matrix4): number[] {
  const e = m.elements;
  return [e[0], e[4], e[8], e[1], e[5], e[9], e[2], e[6], e[10], e[12], e[13], e[14]];
}

/** A figure of one joint under a turned, shifted parent, with an oblique rest or none of its own. */
export function oneJoint(joint: JointData, random: () => number): Figure {
  return createFigure({
    bones: [
      {
        name: 'base',
        rest: {
          position: [0.3, -0.2, 0.5],
          rotation: direction(random, 4) as [number, number, number, number],
        },
      },
      {
        name: 'moving',
        parent: 'base',
        rest: {
          position: [-0.1, 0.7, 0.2],
          rotation: randomRest(random),
        },
        joint,
      },
    ],
  });
}

/**
 * Derivative of an array-valued function at 0: central differences of order 6. At h = 0.01 truncation and rounding are
 * both near 1e-14 for what turns by a radian per unit.
 */
export function derivative(f: (x: number) => Numbers, h = 0.01): number[] {
  const [p1, m1, p2, m2, p3, m3] = [1, -1, 2, -2, 3, -3].map((n) => Array.from(f(n * h)));
  return p1.map((_, i) => (45 * (p1[i] - m1[i]) - 9 * (p2[i] - m2[i]) + (p3[i] - m3[i])) / (60 * h));
}

/** Angular velocity of a frame whose rotation is R = t[0..8] and R' = rate[0..8]: the axis of R' R^T, world axes. */
export function angularVelocity(t: Numbers, rate: Numbers): number[] {
  const entry = (i: number, j: number) =>
    rate[3 * i] * t[3 * j] + rate[3 * i + 1] * t[3 * j + 1] + rate[3 * i + 2] * t[3 * j + 2];
  return [(entry(2, 1) - entry(1, 2)) / 2, (entry(0, 2) - entry(2, 0)) / 2, (entry(1, 0) - entry(0, 1)) / 2];
}

/** Largest |a - b| over the entries; NaN stays NaN. */
export function largestGap(a: Numbers, b: Numbers): number {
  expect(a.length).toBe(b.length);
  let gap = 0;
  for (let i = 0; i < a.length; i++) {
    const d = Math.abs(a[i] - b[i]);
    if (!(d <= gap)) gap = d;
  }
  return gap;
}

/** Expects every entry of a within `tolerance` of b; NaN fails. */
export function expectClose(a: Numbers, b: Numbers, tolerance: number, what = ''): void {
  const gap = largestGap(a, b);
  if (!(gap <= tolerance)) {
    expect.fail(
      `${what} off by ${gap}, allowed ${tolerance}\n  got    ${Array.from(a)}\n  wanted ${Array.from(b)}`,
    );
  }
}

/** Same bits: -0 differs from 0, NaN equals NaN. */
export function expectSameBits(a: Numbers, b: Numbers): void {
  expect(new BigUint64Array(Float64Array.from(Array.from(a)).buffer)).toEqual(
    new BigUint64Array(Float64Array.from(Array.from(b)).buffer),
  );
}
