/** A limit of a joint, with a displacement by which it is eased. */
import type { LimitComponent } from '../../figure/limits/limit.js';
import { limitShapes } from '../../figure/limits/shapes.js';
import { unset3 } from '../../math/linear/unset.js';

const before = /* @__PURE__ */ unset3();
const normal = /* @__PURE__ */ unset3();

/**
 * Projects the coordinates of a limit onto it, and inwards of where they were by a distance, in place.
 *
 * @param inwards - rad or m, not below what the projection takes; of an interval negative to move upwards.
 * @returns what the projection takes; of an interval negative where it moves upwards.
 */
export function projectLimit(
  { kind, parameters, coordinate: i, size }: LimitComponent,
  pose: Float64Array,
  inwards: number,
): number {
  const shape = limitShapes[kind];
  for (let k = 0; k < size; k++) before[k] = pose[i + k];
  const isOutside = shape.project(parameters, pose, i, size);
  if (!isOutside && inwards === 0) return 0;
  if (size === 1) {
    const excess = before[0] - pose[i];
    if (inwards > 0 ? inwards > excess : inwards < excess) {
      pose[i] = before[0] - inwards;
      shape.project(parameters, pose, i, size);
    }
    return excess;
  }
  let excess = 0;
  if (isOutside) for (let k = 0; k < size; k++) normal[k] = before[k] - pose[i + k];
  else shape.gradient(parameters, pose, i, size, normal, 0);
  let length = 0;
  for (let k = 0; k < size; k++) length += normal[k] * normal[k];
  length = Math.sqrt(length);
  if (isOutside) excess = length;
  if (!(inwards > excess) || !(length > 0)) return excess;
  // Not beyond the middle.
  let along = 0;
  for (let k = 0; k < size; k++) along += (normal[k] / length) * pose[i + k];
  const distance = Math.min(inwards - excess, Math.max(0, along));
  for (let k = 0; k < size; k++) pose[i + k] -= (distance / length) * normal[k];
  shape.project(parameters, pose, i, size);
  return excess;
}
