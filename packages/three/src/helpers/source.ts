/** What the helpers draw from. */
import { createState, type Figure, type FigureState, forwardKinematics } from 'poise/figure';
import type { IkResult } from 'poise/ik';
import { affine, rigid, vec3 } from 'poise/math';
import type { Matrix4, Object3D } from 'three';
import type { FigureBinding } from '../binding/bind-figure.js';

/** A figure in a pose: a `FigureSolver`, a `FigureBinding`, or an object of your own with the same members. */
export interface HelperSource {
  readonly figure: Figure;
  /** Length `figure.dof`; read at each update. */
  readonly pose: Float64Array;
  /** What the last solve said: limits that block are coloured. */
  readonly result?: IkResult | undefined;
  /** Where the figure stands in the scene. Default: its world is the frame that the helper is added to. */
  readonly binding?: FigureBinding;
}

/** The binding of a source, which may be one itself. */
export function bindingOf(source: HelperSource): FigureBinding | undefined {
  if (source.binding !== undefined) return source.binding;
  return 'writePose' in source ? (source as FigureBinding) : undefined;
}

/** Puts a helper, added to the scene or to an object that does not move, where the figure's world is. */
export function followFigure(helper: Object3D, binding: FigureBinding | undefined): void {
  if (binding === undefined) return;
  helper.matrixAutoUpdate = false;
  binding.worldFromFigure(helper.matrix);
  helper.matrixWorldNeedsUpdate = true;
}

/** The largest side of the box around the figure at rest, m: what sizes of marks go by. */
export function extentOf(figure: Figure): number {
  const state = createState(figure);
  forwardKinematics(state, new Float64Array(figure.dof));
  const least = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const greatest = least.map((x) => -x);
  for (const { index, tip = [0, 0, 0] } of figure.bones) {
    const frame = boneFrame(state, index);
    for (const point of [rigid.toPosition(frame), rigid.transformPoint(frame, tip)]) {
      for (let n = 0; n < 3; n++) {
        least[n] = Math.min(least[n], point[n]);
        greatest[n] = Math.max(greatest[n], point[n]);
      }
    }
  }
  return Math.max(...vec3.subtract(greatest, least)) || 1;
}

/** worldFromBone of a bone, 12 numbers. */
export function boneFrame({ worldFromBone }: FigureState, bone: number): Float64Array {
  return worldFromBone.subarray(12 * bone, 12 * bone + 12);
}

/** A rigid transform, 12 numbers, as a matrix of three.js. */
export function toMatrix4(transform: ArrayLike<number>, out: Matrix4): Matrix4 {
  return out.fromArray(affine.toColumnMajor4(transform));
}
