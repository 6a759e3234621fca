import type { Numbers } from '../../../math/linear/types.js';
import { type Aim, aimAngle, intervalOf, rotate, rotationAt, secondaryCost } from './aim.js';
import { bestAllowedAngle, bestAngle } from './best-angle.js';

/** Difference of angles (rad) and chords that is a tie; the rounding of large coordinates is added. */
const TIE_TOLERANCE = 1e-12;

/** Candidate coordinates of a joint with their objectives. */
export interface Candidates {
  readonly aim: Aim;
  /** Rounding of the angle: larger for large coordinates. */
  readonly tolerance: number;
  readonly entries: { readonly q: readonly number[]; readonly angle: number; readonly secondary: number }[];
  /** Least angle so far. */
  minAngle: number;
}

/** Candidates with the current coordinates as the first. */
export function createCandidates(aim: Aim): Candidates {
  let size = 0;
  for (let i = aim.type.translations; i < aim.dof; i++) size = Math.max(size, Math.abs(aim.current[i]));
  const angle = aimAngle(aim, aim.currentRotation);
  const secondary = secondaryCost(aim, aim.currentRotation);
  const tolerance = TIE_TOLERANCE + 8 * Number.EPSILON * size;
  return { aim, tolerance, entries: [{ q: aim.current, angle, secondary }], minAngle: angle };
}

/** Adds a copy of allowed coordinates unless their angle is larger than the smallest. @returns their angle. */
export function addCandidate(candidates: Candidates, q: number[]): number {
  const { aim, tolerance, entries } = candidates;
  alignIneffective(aim, q);
  const rotation = rotationAt(aim, q);
  const angle = aimAngle(aim, rotation);
  if (angle > candidates.minAngle + tolerance) return angle;
  entries.push({ q: q.slice(), angle, secondary: secondaryCost(aim, rotation) });
  candidates.minAngle = Math.min(candidates.minAngle, angle);
  return angle;
}

/** Sets a last coordinate without effect on the angle to the best for `up`. R = M exp(x [a]): the direction before it is M^T up. */
function alignIneffective(aim: Aim, q: number[]): void {
  const { ineffectiveAxis, up } = aim;
  if (ineffectiveAxis === undefined || up === undefined) return;
  const last = aim.dof - 1;
  const old = q[last];
  q[last] = 0;
  const direction = rotate(transposed(rotationAt(aim, q)), up.direction);
  const { angle, amplitude } = bestAngle(ineffectiveAxis, up.axis, direction);
  q[last] = amplitude > 0 ? bestAllowedAngle(angle, old, intervalOf(aim, last)) : old;
}

function transposed(m: Numbers): number[] {
  return [m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]];
}

/**
 * The best candidate: smallest angle, then smallest secondary objective, then smallest change of coordinates. The current coordinates win
 * ties, with twice the tolerance: a second call changes no bit.
 */
export function selectCandidate({ aim, tolerance, entries, minAngle }: Candidates): readonly number[] {
  let secondary = Number.POSITIVE_INFINITY;
  for (const entry of entries)
    if (entry.angle <= minAngle + tolerance) secondary = Math.min(secondary, entry.secondary);
  const current = entries[0];
  if (current.angle <= minAngle + 2 * tolerance && current.secondary <= secondary + 2 * tolerance)
    return current.q;
  let best = current.q;
  let change = Number.POSITIVE_INFINITY;
  for (const entry of entries) {
    if (entry.angle > minAngle + tolerance || entry.secondary > secondary + tolerance) continue;
    let sum = 0;
    for (let i = 0; i < aim.dof; i++) sum += (entry.q[i] - aim.current[i]) ** 2;
    if (sum >= change) continue;
    change = sum;
    best = entry.q;
  }
  return best;
}
