import type { Figure } from '../../../figure/model/figure.js';
import * as vec3 from '../../../math/geometry/vec3.js';
import type { SwingAxes } from '../../../rotation/swing-twist/swing.js';

/** A ball-and-socket joint without a limit; see `mechanics/sockets.ts`. */
export interface Socket {
  readonly bone: number;
  /** Its first coordinate. */
  readonly coordinate: number;
  readonly axes: SwingAxes;
}

export function findSockets(figure: Figure): Socket[] {
  return figure.bones.flatMap(({ index, coordinate, joint, limit }): Socket[] => {
    if (joint.type !== 'ball-and-socket' || limit !== undefined) return [];
    const s = joint.side ?? vec3.perpendicular(joint.axis);
    return [{ bone: index, coordinate, axes: { s, t: vec3.cross(joint.axis, s) } }];
  });
}
