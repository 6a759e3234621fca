import { affine } from 'poise/math';
import type { Retargeter } from 'poise/retarget';
import { type Object3D, Vector3 } from 'three';
import type { FigureBinding } from '../binding/bind-figure.js';

/** A point of a sole that contacts are about. */
export interface SolePoint {
  readonly side: 'left' | 'right';
  readonly part: 'heel' | 'ball';
  /** The object of the foot. */
  readonly object: Object3D;
  /** In the frame of the object: `object.localToWorld(position.clone())`. */
  readonly position: Vector3;
}

/** Heels and balls of one of the two bodies. */
export function solesOf(binding: FigureBinding, { legs }: Retargeter['alignment']['source']): SolePoint[] {
  return legs.flatMap(({ side, foot, heel, ball }): SolePoint[] => {
    const object = binding.objects[foot];
    if (object === undefined) return [];
    const objectFromBone = affine.inverse(binding.boneFromObject(foot, object, true), new Float64Array(12));
    const at = (point: readonly number[]): Vector3 =>
      new Vector3(...affine.transformPoint(objectFromBone, point));
    return [
      { side, part: 'heel', object, position: at(heel) },
      { side, part: 'ball', object, position: at(ball) },
    ];
  });
}
