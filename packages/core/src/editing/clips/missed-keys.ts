/** Keys that a motion does not meet, in words. */
import type { Figure } from '../../figure/model/figure.js';
import { clampToLimits } from '../../figure/model/pose.js';
import { selectCoordinates, writeDifference } from '../../spacetime/terms/pose-difference.js';
import { coordinateUnits, humanScaleOf } from './human-scale.js';

/** Distance of a bone from its key that is worth a warning, rad or m of a person: a key that is a cost is always a little off. */
const MISSED = 0.1;
/** Likewise from a key that is a constraint, whose tolerance is a thousandth of this. */
const MISSED_CONSTRAINT = 1e-3;

/**
 * One line for each missed key: the bone that is farthest from it, and how far the key itself is outside the limits.
 *
 * @param poseAt - Of the motion, at a time of the keys, s.
 * @param isConstraint - Whether a bone of a key is a constraint, not a cost.
 */
export function missedKeys(
  figure: Figure,
  times: readonly number[],
  poses: readonly Float64Array[],
  poseAt: (time: number) => Float64Array,
  isConstraint: (key: number, bone: number) => boolean,
): string[] {
  const all = selectCoordinates(figure, () => true);
  const units = coordinateUnits(figure, humanScaleOf(figure));
  const off = new Float64Array(figure.dof);
  const outside = new Float64Array(figure.dof);
  return times.flatMap((time, k) => {
    const allowed = poses[k].slice();
    clampToLimits(figure, allowed);
    writeDifference(all, poseAt(time), poses[k], off, 0);
    writeDifference(all, allowed, poses[k], outside, 0);
    let farthest = { distance: 0, text: '' };
    for (const { index, name, coordinate, joint, dof } of figure.bones) {
      const missed = isConstraint(k, index) ? MISSED_CONSTRAINT : MISSED;
      // A free joint has a translation and a rotation.
      const spans = joint.type === 'free' ? [coordinate, coordinate + 3] : [coordinate];
      for (const first of spans) {
        const size = joint.type === 'free' ? 3 : dof;
        const norm = (d: Float64Array): number => Math.hypot(...d.subarray(first, first + size));
        const distance = norm(off);
        if (!(distance > missed * units[first] && distance / units[first] > farthest.distance)) continue;
        const unit = units[first] === 1 ? 'rad' : 'm';
        const excess = norm(outside);
        const reason =
          excess > missed * units[first]
            ? `, which is ${excess.toPrecision(3)} ${unit} outside its limits`
            : '';
        const text = `keys[${k}] at ${time.toFixed(3)} s is missed: '${name}' is ${distance.toPrecision(3)} ${unit} from it${reason}.`;
        farthest = { distance: distance / units[first], text };
      }
    }
    return farthest.distance > 0 ? [farthest.text] : [];
  });
}
