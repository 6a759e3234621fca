import type { WorldShape } from 'poise/dynamics';
import type { Triple } from 'poise/figure';
import { type Mat3, mat3, quat } from 'poise/math';
import type { Block, Ground } from '../scene/ground.js';

/** Low enough that a body slides down. */
const FRICTION = 0.3;

/**
 * A ground in the world of a simulation.
 *
 * @param axes - Of that world that are drawn as +X, +Y and +Z.
 * @param floor - Height of the floor there, m.
 * @param unit - Metres of that world in a metre of the scene.
 */
export function worldOf(
  { blocks }: Ground,
  axes: readonly [Triple, Triple, Triple],
  floor: number,
  unit: number,
): WorldShape[] {
  const [, up] = axes;
  // Columns.
  const turn: Mat3 = [0, 1, 2].flatMap((row) => axes.map((axis) => axis[row]));
  return [
    { type: 'plane', normal: up, offset: floor },
    ...blocks.map(({ size, position, ...block }): WorldShape => {
      const [x, y, z] = mat3.multiplyVector(turn, position);
      const rotation = quat.fromMatrix(turn);
      const [a, b, c, d] = quat.normalize(quat.multiply(rotation, rotationOf(block)));
      return {
        type: 'box',
        friction: FRICTION,
        halfSizes: [(unit * size[0]) / 2, (unit * size[1]) / 2, (unit * size[2]) / 2],
        placement: {
          position: [unit * x + floor * up[0], unit * y + floor * up[1], unit * z + floor * up[2]],
          rotation: [a, b, c, d],
        },
      };
    }),
  ];
}

function rotationOf({ turn, tilt }: Pick<Block, 'turn' | 'tilt'>): number[] {
  return quat.multiply(quat.fromAxisAngle([0, 0, 1], tilt), quat.fromAxisAngle([0, 1, 0], turn));
}
