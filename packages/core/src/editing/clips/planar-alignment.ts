/** How to bring a figure to where another is, in the plane and about the vertical. */
import type { Figure } from '../../figure/model/figure.js';
import * as quat from '../../math/geometry/quat.js';
import * as vec3 from '../../math/geometry/vec3.js';
import type { Vec3 } from '../../math/linear/types.js';
import { twistAngleFromQuat } from '../../rotation/swing-twist/twist.js';
import { type BodyState, freeRoots, type PlanarMove } from './clip-state.js';

/** What the move is in the world, for people: a turn about the vertical through the origin and a slide. */
export interface PlanarTransform {
  /** About `up`, rad. */
  readonly turn: number;
  /** World, m. */
  readonly slide: readonly [number, number, number];
}

/**
 * The turn about `up` and the slide across it that bring the first free root of `from` as near to where it is in `to` as they can: its position in the
 * plane exactly, its heading by the twist of R_to R_from^-1. Nothing for a figure without a free root.
 *
 * @param turns - Whether to turn, or only to slide.
 */
export function planarMove(
  figure: Figure,
  from: BodyState,
  to: BodyState,
  up: Vec3,
  turns = true,
): PlanarMove & PlanarTransform {
  const roots = freeRoots(figure);
  const [first] = roots;
  if (first === undefined) return { roots: [], turn: 0, slide: [0, 0, 0] };
  const restOf = (bone: number): [number, number, number, number] => {
    const [x, y, z, w] = Array.from(figure.bones[bone].rest.rotation);
    return [x, y, z, w];
  };
  const axis = vec3.normalize(up);
  const own = vec3.normalize(quat.rotate(quat.conjugate(restOf(first.bone)), axis));
  const way = quat.multiply(
    to.turns[first.turn].quaternion,
    quat.conjugate(from.turns[first.turn].quaternion),
  );
  const turn = turns ? twistAngleFromQuat([way[0], way[1], way[2], way[3]], own) : 0;
  const world = quat.fromAxisAngle(axis, turn);
  const worldPoint = (state: BodyState): number[] => {
    const { value } = state;
    const p = first.position;
    const at = quat.rotate(restOf(first.bone), [value[p], value[p + 1], value[p + 2]]);
    return vec3.add(at, figure.bones[first.bone].rest.position);
  };
  const turned = quat.rotate(world, worldPoint(from));
  const off = vec3.subtract(worldPoint(to), turned);
  const along = vec3.dot(off, axis);
  const slide = [0, 1, 2].map((k) => off[k] - along * axis[k]);
  return {
    turn,
    slide: [slide[0], slide[1], slide[2]],
    roots: roots.map(({ bone, position, turn: index }) => {
      const rest = restOf(bone);
      const back = quat.conjugate(rest);
      const yaw = quat.multiply(back, quat.multiply(world, rest));
      // p' = rest^-1 (Y (r + rest p) + t - r)
      const r = figure.bones[bone].rest.position;
      const shift = quat.rotate(back, vec3.subtract(vec3.add(quat.rotate(world, r), slide), r));
      return { position, turn: index, yaw: [yaw[0], yaw[1], yaw[2], yaw[3]] as const, shift };
    }),
  };
}
