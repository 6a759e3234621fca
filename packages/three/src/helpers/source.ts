/** Data sources of the helpers. */
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
  /** Result of the last solve: blocking limits are coloured. */
  readonly result?: IkResult | undefined;
  /** Binding whose frame is the figure's world. Default: the frame of the helper's parent. */
  readonly binding?: FigureBinding;
}

/** The binding of a source, or the source itself if it is a binding. */
export function bindingOf(source: HelperSource): FigureBinding | undefined {
  if (source.binding !== undefined) return source.binding;
  return 'writePose' in source ? (source as FigureBinding) : undefined;
}

/** Sets the matrix of a helper, added to the scene or to an object that does not move, to the figure's world. */
export function followFigure(helper: Object3D, binding: FigureBinding | undefined): void {
  if (binding === undefined) return;
  helper.matrixAutoUpdate = false;
  binding.worldFromFigure(helper.matrix);
  helper.matrixWorldNeedsUpdate = true;
}

/** Largest side of the figure's bounding box at rest, m: the reference length of drawn sizes. */
export function extentOf(figure: Figure): number {
  const state = createState(figure);
  forwardKinematics(state, new Float64Array(figure.dof));
  const min = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const max = min.map((x) => -x);
  for (const { index, tip = [0, 0, 0] } of figure.bones) {
    const frame = boneFrame(state, index);
    for (const point of [rigid.toPosition(frame), rigid.transformPoint(frame, tip)]) {
      for (let n = 0; n < 3; n++) {
        min[n] = Math.min(min[n], point[n]);
        max[n] = Math.max(max[n], point[n]);
      }
    }
  }
  return Math.max(...vec3.subtract(max, min)) || 1;
}

/** worldFromBone of a bone, 12 numbers. */
export function boneFrame({ worldFromBone }: FigureState, bone: number): Float64Array {
  return worldFromBone.subarray(12 * bone, 12 * bone + 12);
}

/** A rigid transform, 12 numbers, as a matrix of three.js. */
export function toMatrix4(transform: ArrayLike<number>, out: Matrix4): Matrix4 {
  return out.fromArray(affine.toColumnMajor4(transform));
}
