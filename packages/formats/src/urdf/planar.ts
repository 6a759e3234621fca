/** Planar joints as three bones, since a figure has no joint of two translations and a turn. */
import type { BoneData, Triple } from 'poise/figure';
import type { JointElement } from './joint-element.js';

/** The two directions of a planar joint: s, then t = n x s, unit vectors across the normal n, in the child frame. */
export interface PlaneDirections {
  readonly normal: Triple;
  readonly s: Triple;
  readonly t: Triple;
}

/** s is the coordinate axis least along the normal (x before y before z), made normal to it. */
export function planeDirections(axis: Triple): PlaneDirections {
  const normal = unit(axis);
  const sizes = normal.map(Math.abs);
  const k = sizes.indexOf(Math.min(...sizes));
  const along = normal[k];
  const s = unit([0, 1, 2].map((i) => (i === k ? 1 : 0) - along * normal[i]));
  const [nx, ny, nz] = normal;
  const [sx, sy, sz] = s;
  return { normal, s, t: [ny * sz - nz * sy, nz * sx - nx * sz, nx * sy - ny * sx] };
}

/** Over the largest entry first: squares of 1e-200 or 1e200 would leave the range. */
function unit(v: readonly number[]): Triple {
  const largest = Math.max(...v.map(Math.abs));
  const scaled = v.map((x) => x / largest);
  const length = Math.hypot(...scaled);
  const [x, y, z] = scaled.map((value) => value / length + 0);
  return [x, y, z];
}

/**
 * The two massless bones of a planar joint, named `JOINT.s` and `JOINT.t` (an underscore more where a link is called
 * so): the first has the rest transform of the joint, and the child link turns about the normal below the second.
 * Their coordinates come in the order s, t, angle, and s t angle of the three together are those of the joint.
 */
export function planarBones(
  { name, parent, origin, axis }: JointElement,
  taken: ReadonlySet<string>,
): [BoneData, BoneData] {
  const { s, t } = planeDirections(axis);
  const first = freeName(`${name}.s`, taken);
  return [
    { name: first, parent, rest: origin, joint: { type: 'slider', axis: s } },
    { name: freeName(`${name}.t`, taken), parent: first, joint: { type: 'slider', axis: t } },
  ];
}

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  let name = wanted;
  while (taken.has(name)) name += '_';
  return name;
}
