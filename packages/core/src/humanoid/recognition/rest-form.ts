import type { Rest } from '../../figure/kinematics/rest-pose.js';
import * as mat3 from '../../math/geometry/mat3.js';
import * as vec3 from '../../math/geometry/vec3.js';
import type { Vec3 } from '../../math/linear/types.js';
import { jointsAlone } from './tree.js';

/** Origins nearer than this are at one place, relative to the height of the body. */
export const COINCIDENT = 0.002;

/** The form of a figure at rest, world axes. */
export interface RestForm {
  /** Origin of a bone, m. */
  readonly at: (bone: number) => Vec3;
  readonly children: readonly (readonly number[])[];
  /** Distance of each bone to its parent, m; 0 for a root. */
  readonly length: Float64Array;
  /** Length of the longest chain below each bone, m. */
  readonly reach: Float64Array;
  /** The longest chain that begins with a bone: itself first, its end last. */
  readonly chainFrom: (bone: number) => number[];
  /** Whether a bone is a joint of its child alone, not a part of the body. */
  readonly isJointAlone: (bone: number) => boolean;
  /** Axis of a bone's hinge, unit. */
  readonly hingeAxis: (bone: number) => number[];
  /** Extent of the body along a direction, m: free-floating bones (roots' children without children) aside. */
  readonly extent: (direction: Vec3) => number;
}

/** @param isSeenThrough - Bones that are not of the body (controls, ends, targets): no chain goes over them. */
export function restFormOf(
  { figure, worldFromBone }: Rest,
  isSeenThrough: (bone: number) => boolean,
): RestForm {
  const n = figure.bones.length;
  const origins = figure.bones.map(({ index }): Vec3 => worldFromBone.slice(12 * index + 9, 12 * index + 12));
  const children: number[][] = Array.from({ length: n }, () => []);
  const length = new Float64Array(n);
  const reach = new Float64Array(n);
  const next = new Int32Array(n).fill(-1);
  const isOut = new Uint8Array(n);
  const alone = jointsAlone(figure);
  for (let b = 0; b < n; b++) {
    const parent = figure.parents[b];
    isOut[b] = isSeenThrough(b) || (parent >= 0 && isOut[parent] === 1) ? 1 : 0;
    if (parent < 0) continue;
    length[b] = vec3.distance(origins[b], origins[parent]);
    if (isOut[b] === 0) children[parent].push(b);
  }
  // Parents come first.
  for (let b = n - 1; b >= 0; b--) {
    const parent = figure.parents[b];
    if (parent < 0 || isOut[b] === 1) continue;
    const below = reach[b] + length[b];
    // Of equals the last in this order is the first child.
    if (next[parent] >= 0 && below < reach[parent] - 1e-9 * below) continue;
    reach[parent] = below;
    next[parent] = b;
  }
  const isBody = (b: number): boolean =>
    isOut[b] === 0 &&
    (children[b].length > 0 || (figure.parents[b] > 0 && figure.parents[figure.parents[b]] >= 0));
  return {
    at: (bone) => origins[bone],
    children,
    length,
    reach,
    chainFrom: (bone) => {
      const chain: number[] = [];
      for (let b = bone; b >= 0; b = next[b]) chain.push(b);
      return chain;
    },
    isJointAlone: (bone) => alone[bone] === 1,
    hingeAxis: (bone) => {
      const { joint } = figure.bones[bone];
      const axis = joint.type === 'hinge' ? joint.axis : [0, 0, 0];
      return mat3.multiplyVector(worldFromBone.subarray(12 * bone, 12 * bone + 9), axis);
    },
    extent: (direction) => {
      let low = Number.POSITIVE_INFINITY;
      let high = Number.NEGATIVE_INFINITY;
      for (let b = 0; b < n; b++) {
        if (!isBody(b)) continue;
        const h = vec3.dot(origins[b], direction);
        low = Math.min(low, h);
        high = Math.max(high, h);
      }
      return high - low;
    },
  };
}
