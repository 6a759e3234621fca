import { ancestorsOf } from '../../figure/kinematics/jacobians.js';
import type { Figure } from '../../figure/model/figure.js';

/** Columns of the Jacobian of a distance between two bones. */
export interface RelativeColumns {
  /** Coordinates that move the bones relative to each other, ascending. */
  readonly columns: Int32Array;
  /** For each of these: bit 1 if it moves the first bone, bit 2 if it moves the second. */
  readonly movedBones: Uint8Array;
}

/** @param b - The second bone, -1 for the world. */
export function relativeColumns(figure: Figure, a: number, b: number): RelativeColumns {
  const { parents, coordinateStart, mimicJoints } = figure;
  // Ancestors of only one of the two: common ancestors move both as one.
  const apart = new Set<number>();
  for (let bone = a; bone >= 0; bone = parents[bone]) apart.add(bone);
  for (let bone = b; bone >= 0; bone = parents[bone]) if (!apart.delete(bone)) apart.add(bone);
  const found = new Set<number>();
  for (const bone of apart) {
    for (let i = coordinateStart[bone]; i < coordinateStart[bone + 1]; i++) found.add(i);
    for (const mimic of mimicJoints) if (mimic.bone === bone) found.add(mimic.coordinate);
  }
  const columns = Int32Array.from(found).sort();
  const first = new Set(ancestorsOf(figure, a));
  const second = new Set(b < 0 ? [] : ancestorsOf(figure, b));
  return {
    columns,
    movedBones: Uint8Array.from(columns, (i) => (first.has(i) ? 1 : 0) | (second.has(i) ? 2 : 0)),
  };
}
