/** The target's path: computed from a motion of the arm itself, so that it is always reachable. */
import { quat } from 'poise/math';
import { quatFromRotationVector, rotationVectorFromQuat } from 'poise/rotation';
import { quatFromEuler } from 'poise/rotation/alternatives';
import type { DraggedFigure } from './figures.js';

/** Target of the hand. */
export interface Target {
  readonly position: readonly number[];
  /** Quaternion. */
  readonly rotation: readonly number[];
  /** m/s and rad/s, world axes. */
  readonly velocity: readonly number[];
  readonly angularVelocity: readonly number[];
}

/** Duration of a path, s. */
export const DURATION = 12;
/** Smallest distance of the wrist from gimbal lock and from the shell at 2 pi, rad. */
const NEAR_MISS = 0.02;
/** Start of the hand's spin, s. */
const SPIN_FROM = 5;

/** Rotations of the joints, quaternions, at a time. */
export type Motion = (t: number) => number[][];

/**
 * A motion of an arm for a seed. The last joint first passes gimbal lock of Euler angles XYZ at 0.02 rad, perpendicular to
 * the axis that is lost there (2.5 s), then makes `turns` full rotations about one axis, each 0.02 rad beside the identity,
 * that is beside |v| = 2 pi (from 5 s on). The joints before it sway and bend; the arm is never straight.
 */
export function createMotion({ reaches, revolutions }: DraggedFigure, seed: number): Motion {
  const random = randomSource(seed);
  const direction = (): number[] => {
    const v = [random() - 0.5, random() - 0.5, random() - 0.5];
    const size = Math.hypot(...v);
    return v.map((x) => x / size);
  };
  // In lock, at b = 90 degrees, no angle rotates about R_x(a) e_z: the path crosses along this axis, 0.02 rad beside the lock.
  const first = random() - 0.5;
  const lock = quatFromEuler([first, Math.PI / 2 - NEAR_MISS, random() - 0.5], 'XYZ');
  const across = [0.3, -Math.sin(first), Math.cos(first)].map((x) => x / Math.hypot(0.3, 1));
  const passing = (angle: number): number[] =>
    quat.multiply(quatFromRotationVector(across.map((x) => angle * x)), lock);
  const axis = direction();
  const tilt = direction();
  const off = [
    axis[1] * tilt[2] - axis[2] * tilt[1],
    axis[2] * tilt[0] - axis[0] * tilt[2],
    axis[0] * tilt[1] - axis[1] * tilt[0],
  ];
  const home = quatFromRotationVector(off.map((x) => (NEAR_MISS * x) / Math.hypot(...off)));
  const keys = [
    { t: 0, q: home },
    { t: 1.5, q: passing(-0.8) },
    { t: 3.5, q: passing(0.8) },
    { t: SPIN_FROM, q: home },
  ];
  const sways = reaches.map(() => ({ axis: direction(), phase: 6 * random(), rate: 0.5 + 0.4 * random() }));
  return (t) =>
    reaches.map((_, n) => {
      if (n === reaches.length - 1) {
        const spin = 2 * Math.PI * revolutions * smooth((t - SPIN_FROM) / (DURATION - SPIN_FROM));
        return quat.multiply(between(keys, t), quatFromRotationVector(axis.map((x) => spin * x)));
      }
      const { axis: about, phase, rate } = sways[n];
      const sway = quatFromRotationVector(about.map((x) => 0.5 * x * Math.sin(rate * t + phase)));
      const bend = n === 0 ? [0, 0, -0.4] : [0, 0, 0.9 + 0.3 * Math.sin(0.7 * t + phase)];
      return quat.multiply(sway, quatFromRotationVector(bend));
    });
}

/** 0 to 1 with zero slope at both ends. */
function smooth(x: number): number {
  const s = Math.min(1, Math.max(0, x));
  return s * s * (3 - 2 * s);
}

function between(keys: readonly { readonly t: number; readonly q: number[] }[], t: number): number[] {
  const next = keys.findIndex((key) => key.t > t);
  if (next < 0) return keys[keys.length - 1].q;
  if (next === 0) return keys[0].q;
  const [a, b] = [keys[next - 1], keys[next]];
  const rotation = rotationVectorFromQuat(quat.multiply(b.q, quat.conjugate(a.q)));
  const fraction = smooth((t - a.t) / (b.t - a.t));
  return quat.multiply(quatFromRotationVector(rotation.map((x) => fraction * x)), a.q);
}

/** Time difference of the target's finite-difference velocity, s. */
const INSTANT = 1e-4;

/** Position, orientation and velocities of the hand at a time. */
export function targetAt({ reaches }: DraggedFigure, motion: Motion, t: number): Target {
  const here = handOf(reaches, motion(t));
  const before = handOf(reaches, motion(t - INSTANT));
  const after = handOf(reaches, motion(t + INSTANT));
  const rotation = rotationVectorFromQuat(quat.multiply(after.rotation, quat.conjugate(before.rotation)));
  return {
    position: here.position,
    rotation: here.rotation,
    velocity: after.position.map((x, k) => (x - before.position[k]) / (2 * INSTANT)),
    angularVelocity: rotation.map((x) => x / (2 * INSTANT)),
  };
}

function handOf(
  reaches: DraggedFigure['reaches'],
  joints: readonly (readonly number[])[],
): { readonly position: number[]; readonly rotation: number[] } {
  let position = [0, 0, 0];
  let rotation = [0, 0, 0, 1];
  reaches.forEach((reach, n) => {
    rotation = quat.multiply(rotation, joints[n]);
    const step = quat.rotate(rotation, reach);
    position = position.map((x, k) => x + step[k]);
  });
  return { position, rotation };
}

/** Mulberry32. */
function randomSource(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
