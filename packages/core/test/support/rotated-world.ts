import { createFigure, type Figure, figureToData, type Quadruple, type Triple } from 'poise/figure';
import { Quaternion, Vector3 } from 'three';

/** A figure in a world that is rotated as a whole: its roots and its up. By three.js's rotations. */
export function inRotatedWorld(figure: Figure, rotation: Quadruple): Figure {
  const world = new Quaternion(...rotation);
  const data = figureToData(figure);
  return createFigure({
    ...data,
    up: rotated(figure.up, rotation),
    bones: data.bones.map((bone) => {
      if (bone.parent) return bone;
      const { x, y, z, w } = world.clone().multiply(new Quaternion(...(bone.rest?.rotation ?? [0, 0, 0, 1])));
      return {
        ...bone,
        rest: { position: rotated(bone.rest?.position ?? [0, 0, 0], rotation), rotation: [x, y, z, w] },
      };
    }),
  });
}

export function rotated(v: ArrayLike<number>, rotation: Quadruple): Triple {
  const { x, y, z } = new Vector3(v[0], v[1], v[2]).applyQuaternion(new Quaternion(...rotation));
  return [x, y, z];
}

/** Rotation by 90 degrees about x: from +Y up to +Z up. */
export const Z_UP_FROM_Y_UP: Quadruple = [Math.SQRT1_2, 0, 0, Math.SQRT1_2];
