/** Planar joints as two sliders and a hinge, since figures have no planar joint type. */
import type { BoneData, Triple } from 'poise/figure';
import type { JointElement } from './joint-element.js';

/** The two directions of a planar joint: s, then t = n x s, unit vectors perpendicular to the normal n, in the child frame. */
export interface PlaneDirections {
  readonly normal: Triple;
  readonly s: Triple;
  readonly t: Triple;
}

/** s is the coordinate axis with the smallest component along the normal (x before y before z), orthogonalized against it. */
export function planeDirections(axis: Triple): PlaneDirections {
  const normal = unit(axis);
  const sizes = normal.map(Math.abs);
  const k = sizes.indexOf(Math.min(...sizes));
  const component = normal[k];
  const s = unit([0, 1, 2].map((i) => (i === k ? 1 : 0) - component * normal[i]));
  const [nx, ny, nz] = normal;
  const [sx, sy, sz] = s;
  return { normal, s, t: [ny * sz - nz * sy, nz * sx - nx * sz, nx * sy - ny * sx] };
}

/** Normalizes; scaled by the largest entry first, since squares of 1e-200 or 1e200 underflow or overflow. */
function unit(v: readonly number[]): Triple {
  const largest = Math.max(...v.map(Math.abs));
  const scaled = v.map((x) => x / largest);
  const length = Math.hypot(...scaled);
  const [x, y, z] = scaled.map((value) => value / length + 0);
  return [x, y, z];
}

/**
 * The two massless bones of a planar joint, named `JOINT.s` and `JOINT.t` (with an underscore
 * appended if a link has that name). The first has the rest transform of the joint; the child link is the child of the
 * second and rotates about the normal. The coordinates of the joint are s, t, angle, in this order.
 */
export function planarBones(
  { name, parent, origin, axis }: JointElement,
  usedNames: ReadonlySet<string>,
): [BoneData, BoneData] {
  const { s, t } = planeDirections(axis);
  const first = freeName(`${name}.s`, usedNames);
  return [
    { name: first, parent, rest: origin, joint: { type: 'slider', axis: s } },
    { name: freeName(`${name}.t`, usedNames), parent: first, joint: { type: 'slider', axis: t } },
  ];
}

function freeName(base: string, usedNames: ReadonlySet<string>): string {
  let name = base;
  while (usedNames.has(name)) name += '_';
  return name;
}
