import { affine } from 'poise/math';
import type { Retargeter } from 'poise/retarget';
import { type Object3D, Vector3 } from 'three';
import type { FigureBinding } from '../binding/bind-figure.js';

/** A point of a sole that contacts are about. */
export interface SolePoint {
  readonly foot: 'left' | 'right';
  readonly point: 'heel' | 'ball';
  /** The object of the foot. */
  readonly object: Object3D;
  /** In the frame of the object: `object.localToWorld(position.clone())`. */
  readonly position: Vector3;
}

/** Heels and balls of one of the two bodies. */
export function solesOf(binding: FigureBinding, { legs }: Retargeter['alignment']['result']): SolePoint[] {
  return legs.flatMap(({ name, foot, heel, ball }): SolePoint[] => {
    const object = binding.objects[foot];
    if (object === undefined) return [];
    const objectFromBone = affine.inverse(binding.boneFromObject(foot, object, true), new Float64Array(12));
    const at = (local: readonly number[]): Vector3 =>
      new Vector3(...affine.transformPoint(objectFromBone, local));
    return [
      { foot: name, point: 'heel', object, position: at(heel) },
      { foot: name, point: 'ball', object, position: at(ball) },
    ];
  });
}
