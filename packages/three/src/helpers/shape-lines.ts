/** Outlines of collision shapes: pairs of points, three numbers each, m, in the frame of the shape's bone or the world. */
import { FigureError } from 'poise';
import type { BoneShape, WorldShape } from 'poise/dynamics';
import type { Quadruple, Triple } from 'poise/figure';
import { mat3, quat, rigid, vec3 } from 'poise/math';
import { Quaternion, Vector3 } from 'three';

const CIRCLE_SEGMENTS = 24;
/** Half the side length of the grid drawn for a plane, m, and its squares a side. */
const PLANE_HALF_SIZE = 4;
const PLANE_SQUARES = 8;

/** @param up - Up in the world, for shapes without a direction. */
export function shapeLines(shape: BoneShape | WorldShape, up: Triple): number[] {
  switch (shape.type) {
    case 'sphere': {
      const center = shape.center ?? [0, 0, 0];
      return capsuleLines(center, center, shape.radius);
    }
    case 'capsule':
      return capsuleLines(shape.from, shape.to, shape.radius);
    case 'box':
      return transformLines(boxLines(shape.halfSizes), shape.placement);
    case 'plane':
      return planeLines(vec3.normalize(shape.normal ?? up), shape.offset ?? 0);
    case 'heightfield':
      return transformLines(heightfieldLines(shape), {
        ...shape.placement,
        rotation: shape.placement?.rotation ?? rotationFromY(up),
      });
    default:
      throw new FigureError('unsupported', `is '${String((shape as { type: unknown }).type)}'.`, {
        path: 'shape.type',
        remedy: "Give 'sphere', 'capsule', 'box', 'plane' or 'heightfield'.",
      });
  }
}

function rotationFromY(up: Triple): Quadruple {
  const { x, y, z, w } = new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), new Vector3(...up));
  return [x, y, z, w];
}

/** A capsule as two rings, four lines and two arcs at each end; a sphere as three rings. */
function capsuleLines(from: ArrayLike<number>, to: ArrayLike<number>, radius: number): number[] {
  const lines: number[] = [];
  const difference = vec3.subtract(to, from);
  const length = vec3.norm(difference);
  const axis = length > 0 ? vec3.scale(difference, 1 / length) : [0, 1, 0];
  const u = vec3.perpendicular(axis);
  const v = vec3.cross(axis, u);
  const at = (
    center: ArrayLike<number>,
    a: ArrayLike<number>,
    b: ArrayLike<number>,
    angle: number,
  ): number[] =>
    vec3.addScaled(vec3.addScaled(center, a, radius * Math.cos(angle)), b, radius * Math.sin(angle));
  const arc = (
    center: ArrayLike<number>,
    a: ArrayLike<number>,
    b: ArrayLike<number>,
    start: number,
    end: number,
  ): void => {
    const count = Math.round((CIRCLE_SEGMENTS * (end - start)) / (2 * Math.PI));
    for (let k = 0; k < count; k++) {
      lines.push(...at(center, a, b, start + ((end - start) * k) / count));
      lines.push(...at(center, a, b, start + ((end - start) * (k + 1)) / count));
    }
  };
  arc(to, u, v, 0, 2 * Math.PI);
  for (const direction of [u, v]) {
    arc(to, direction, axis, 0, Math.PI);
    arc(from, direction, axis, Math.PI, 2 * Math.PI);
  }
  if (length === 0) return lines;
  arc(from, u, v, 0, 2 * Math.PI);
  for (let k = 0; k < 4; k++)
    lines.push(...at(from, u, v, (k * Math.PI) / 2), ...at(to, u, v, (k * Math.PI) / 2));
  return lines;
}

function boxLines([x, y, z]: readonly [number, number, number]): number[] {
  const corner = (k: number): number[] => [k & 1 ? x : -x, k & 2 ? y : -y, k & 4 ? z : -z];
  const lines: number[] = [];
  for (let a = 0; a < 8; a++) {
    for (const bit of [1, 2, 4]) if ((a & bit) === 0) lines.push(...corner(a), ...corner(a | bit));
  }
  return lines;
}

function planeLines(normal: readonly number[], offset: number): number[] {
  const u = vec3.perpendicular(normal);
  const v = vec3.cross(normal, u);
  const at = (a: number, b: number): number[] =>
    vec3.addScaled(vec3.addScaled(vec3.scale(normal, offset), u, a), v, b);
  const lines: number[] = [];
  for (let k = 0; k <= PLANE_SQUARES; k++) {
    const x = PLANE_HALF_SIZE * ((2 * k) / PLANE_SQUARES - 1);
    lines.push(
      ...at(x, -PLANE_HALF_SIZE),
      ...at(x, PLANE_HALF_SIZE),
      ...at(-PLANE_HALF_SIZE, x),
      ...at(PLANE_HALF_SIZE, x),
    );
  }
  return lines;
}

function heightfieldLines({
  columns,
  rows,
  spacing: [dx, dz],
  heights,
}: Extract<WorldShape, { type: 'heightfield' }>): number[] {
  const lines: number[] = [];
  const at = (i: number, j: number): number[] => [i * dx, heights[j * columns + i], j * dz];
  for (let j = 0; j < rows; j++) {
    for (let i = 0; i < columns; i++) {
      if (i + 1 < columns) lines.push(...at(i, j), ...at(i + 1, j));
      if (j + 1 < rows) lines.push(...at(i, j), ...at(i, j + 1));
    }
  }
  return lines;
}

function transformLines(
  lines: number[],
  placement: { readonly position?: readonly number[]; readonly rotation?: readonly number[] } | undefined,
): number[] {
  if (placement === undefined) return lines;
  const rotation = quat.toMatrix(quat.normalize(placement.rotation ?? [0, 0, 0, 1]));
  const frame = [...mat3.copy(rotation), ...(placement.position ?? [0, 0, 0])];
  const out: number[] = [];
  for (let i = 0; i < lines.length; i += 3) {
    out.push(...rigid.transformPoint(frame, [lines[i], lines[i + 1], lines[i + 2]]));
  }
  return out;
}
