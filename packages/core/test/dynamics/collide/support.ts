import {
  type BoneShape,
  type Contacts,
  createCollider,
  createContacts,
  findContacts,
  type WorldShape,
} from '../../../src/dynamics/collide/index.js';
import { createFigure, type Figure } from '../../../src/figure/index.js';
import * as quat from '../../../src/math/geometry/quat.js';
import * as rigid from '../../../src/math/geometry/rigid-transform.js';
import { direction, within } from '../../figure/support.js';

export type Solid = Extract<WorldShape, { type: 'sphere' | 'capsule' | 'box' }>;
export type V = readonly [number, number, number];

export interface Contact {
  readonly bodyA: number;
  readonly bodyB: number;
  readonly shapeA: number;
  readonly shapeB: number;
  readonly pointA: V;
  readonly pointB: V;
  readonly normal: V;
  readonly separation: number;
  readonly friction: number;
  readonly restitution: number;
  readonly id: number;
}

export function list(contacts: Contacts): Contact[] {
  // Minus zero reads as zero.
  const triple = (of: Float64Array, k: number): V => [of[3 * k] + 0, of[3 * k + 1] + 0, of[3 * k + 2] + 0];
  return Array.from({ length: contacts.count }, (_, k) => ({
    bodyA: contacts.bodyA[k],
    bodyB: contacts.bodyB[k],
    shapeA: contacts.shapeA[k],
    shapeB: contacts.shapeB[k],
    pointA: triple(contacts.pointA, k),
    pointB: triple(contacts.pointB, k),
    normal: triple(contacts.normal, k),
    separation: contacts.separation[k],
    friction: contacts.friction[k],
    restitution: contacts.restitution[k],
    id: contacts.id[k],
  }));
}

/** A figure of bones without parents. */
export function loose(count: number): Figure {
  return createFigure({
    bones: Array.from({ length: count }, (_, k) => ({ name: `b${k}`, joint: { type: 'free' } })),
  });
}

export const STILL: readonly number[] = [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0];

export function at(x: number, y: number, z: number): number[] {
  return [...STILL.slice(0, 9), x, y, z];
}

/** Contacts of shapes, one a bone, with each other and the world. */
export function touch(
  shapes: readonly Solid[],
  frames: readonly (readonly number[])[],
  reach = 1e6,
  world: readonly WorldShape[] = [],
): Contact[] {
  const figure = loose(shapes.length);
  const carried: BoneShape[] = shapes.map((shape, bone) => ({ ...shape, bone }));
  const collider = createCollider(figure, carried, world);
  return list(findContacts(collider, Float64Array.from(frames.flat()), reach, createContacts(256)));
}

export function randomFrame(random: () => number, spread: number): number[] {
  const angle = random() * Math.PI;
  const axis = direction(random);
  const s = Math.sin(angle);
  const rotation = quat.normalize([...axis.map((x) => x * s), Math.cos(angle)]);
  return rigid.fromQuatPosition(rotation, [
    within(random, spread),
    within(random, spread),
    within(random, spread),
  ]);
}

export function randomSolid(random: () => number, type: Solid['type']): Solid {
  const size = () => 0.05 + 0.5 * random();
  if (type === 'sphere') return { type, radius: size() };
  if (type === 'box') return { type, halfSizes: [size(), size(), size()] };
  const half = direction(random).map((x) => x * size()) as unknown as V;
  return { type, from: [-half[0], -half[1], -half[2]], to: half, radius: size() / 2 };
}

export function dot(a: V, b: V): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

export function minus(a: V, b: V): V {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

export function norm(a: V): number {
  return Math.hypot(...a);
}

/** Support function of a shape: the maximum of d . x. */
export function support(shape: Solid, frame: readonly number[], d: V): number {
  const [x, y, z] = rigid.inverseTransformVector(frame, d);
  const home = dot(d, [frame[9], frame[10], frame[11]]);
  if (shape.type === 'sphere')
    return home + dot(shape.center ?? [0, 0, 0], [x, y, z]) + shape.radius * norm(d);
  if (shape.type === 'capsule') {
    return home + Math.max(dot(shape.from, [x, y, z]), dot(shape.to, [x, y, z])) + shape.radius * norm(d);
  }
  const [i, j, k] = shape.halfSizes;
  return home + i * Math.abs(x) + j * Math.abs(y) + k * Math.abs(z);
}

/**
 * Separation of two shapes along a direction d from B to A. The signed distance of convex bodies is its maximum over all unit directions, also
 * for overlapping bodies.
 */
export function gapAlong(
  a: Solid,
  frameA: readonly number[],
  b: Solid,
  frameB: readonly number[],
  d: V,
): number {
  return -support(a, frameA, [-d[0], -d[1], -d[2]]) - support(b, frameB, d);
}

/** Signed distance of a point from the surface of a shape. */
export function distanceFrom(shape: Solid, frame: readonly number[], point: V): number {
  const [x, y, z] = rigid.inverseTransformPoint(frame, point);
  if (shape.type === 'sphere') return Math.hypot(x, y, z) - shape.radius;
  if (shape.type === 'capsule') {
    const axis = minus(shape.to, shape.from);
    const square = dot(axis, axis);
    const p = minus([x, y, z], shape.from);
    const t = square > 0 ? Math.min(1, Math.max(0, dot(p, axis) / square)) : 0;
    return norm(minus(p, [t * axis[0], t * axis[1], t * axis[2]])) - shape.radius;
  }
  const [i, j, k] = shape.halfSizes;
  const out: V = [Math.abs(x) - i, Math.abs(y) - j, Math.abs(z) - k];
  const outside = Math.hypot(...out.map((e) => Math.max(e, 0)));
  return outside > 0 ? outside : Math.max(...out);
}

/** A frame after a rigid motion. */
export function moved(move: readonly number[], frame: readonly number[]): number[] {
  return rigid.compose(move, frame);
}

export function shifted(frame: readonly number[], by: V): number[] {
  return [...frame.slice(0, 9), frame[9] + by[0], frame[10] + by[1], frame[11] + by[2]];
}
