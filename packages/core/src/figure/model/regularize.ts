import { length } from '../../math/geometry/vec3.js';
import type { MutableNumbers } from '../../math/linear/types.js';
import { reparameterize, reparameterizeTangent, shellIndex } from '../../rotation/rotation-vector/charts.js';
import { jointTypes } from '../joints/joint-types.js';
import type { Bone, Figure } from './figure.js';

/**
 * Brings the rotation vectors of a pose back within pi, in place: the same orientations in the chart farthest from its
 * singular shells at 2 pi, 4 pi, ... (paper, section 3.2.2). Only of ball and free joints without a limit on
 * their rotation: everywhere else the coordinates themselves are limited, and 2 pi further is another place.
 *
 * Whoever holds rates q', tangents or increments over the old coordinates gives them here, and they become the same
 * motion over the new ones (MATH.md, erratum 5). Joint velocities nu need nothing: they don't depend on the chart.
 * Never inside an optimization or between the stages of one integration step, where the chart must stay.
 *
 * @param tangents - Any number of vectors of length `figure.dof` that go with the pose, mapped in place.
 * @returns Whether anything changed.
 */
export function regularizePose(
  figure: Figure,
  pose: MutableNumbers,
  ...tangents: readonly MutableNumbers[]
): boolean {
  let changed = false;
  for (const bone of figure.bones) {
    const i = freeRotationVector(bone);
    if (i < 0) continue;
    const v = [pose[i], pose[i + 1], pose[i + 2]];
    const angle = length(v[0], v[1], v[2]);
    // Half a turn is as well placed as its opposite: moving it would make it flip at every call. What is not finite
    // has no shell, and stays.
    if (angle <= Math.PI || !Number.isFinite(angle)) continue;
    const turns = shellIndex(v);
    for (const tangent of tangents) {
      store(reparameterizeTangent(v, [tangent[i], tangent[i + 1], tangent[i + 2]], turns), tangent, i);
    }
    store(reparameterize(v, turns), pose, i);
    changed = true;
  }
  return changed;
}

/** First coordinate of each rotation vector of a figure, ascending. */
export function rotationVectors(figure: Figure): Int32Array {
  return Int32Array.from(
    figure.bones
      .filter(({ joint, dof }) => dof > 0 && jointTypes[joint.type].rotationVector >= 0)
      .map(({ joint, coordinate }) => coordinate + jointTypes[joint.type].rotationVector),
  );
}

/** First coordinate of each rotation vector of a figure that may change chart, ascending. */
export function freeRotationVectors(figure: Figure): Int32Array {
  return Int32Array.from(figure.bones.map(freeRotationVector).filter((i) => i >= 0));
}

/** First coordinate of the bone's rotation vector where that may change chart; -1 for none. */
function freeRotationVector({ joint, limit, coordinate }: Bone): number {
  const offset = jointTypes[joint.type].rotationVector;
  // The box of a free joint limits its position only: normalize-limit refuses the rest.
  if (offset < 0 || limit?.type === 'angle') return -1;
  return coordinate + offset;
}

function store(v: ArrayLike<number>, to: MutableNumbers, i: number): void {
  for (let k = 0; k < 3; k++) to[i + k] = v[k];
}
