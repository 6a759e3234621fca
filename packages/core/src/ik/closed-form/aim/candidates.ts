import type { Numbers } from '../../../math/linear/types.js';
import { type Aim, aimAngle, intervalOf, rotate, rotationAt, secondaryCost } from './aim.js';
import { bestAllowedAngle, bestAngle } from './best-angle.js';

/** Angles (rad) and chords nearer to each other than this are equal; the noise of large coordinates counts on top. */
const TIE_TOLERANCE = 1e-12;

/** Places that a joint may go to, with what they are worth. */
export interface Candidates {
  readonly aim: Aim;
  /** Rounding of the angle: more for coordinates of many turns. */
  readonly tolerance: number;
  readonly entries: { readonly q: readonly number[]; readonly angle: number; readonly second: number }[];
  /** Least angle yet. */
  leastAngle: number;
}

/** Starts with where the joint is. */
export function createCandidates(aim: Aim): Candidates {
  let size = 0;
  for (let i = aim.type.translations; i < aim.dof; i++) size = Math.max(size, Math.abs(aim.current[i]));
  const angle = aimAngle(aim, aim.currentRotation);
  const second = secondaryCost(aim, aim.currentRotation);
  const tie = TIE_TOLERANCE + 8 * Number.EPSILON * size;
  return { aim, tolerance: tie, entries: [{ q: aim.current, angle, second }], leastAngle: angle };
}

/** Adds a copy of allowed coordinates, unless they are worse than what is there. Returns their angle. */
export function addCandidate(candidates: Candidates, q: number[]): number {
  const { aim, tolerance, entries } = candidates;
  alignIneffective(aim, q);
  const rotation = rotationAt(aim, q);
  const angle = aimAngle(aim, rotation);
  if (angle > candidates.leastAngle + tolerance) return angle;
  entries.push({ q: q.slice(), angle, second: secondaryCost(aim, rotation) });
  candidates.leastAngle = Math.min(candidates.leastAngle, angle);
  return angle;
}

/** Turns a last coordinate that changes no angle to where `up` is best. R = M exp(x [a]): up is seen before the turn as M^T up. */
function alignIneffective(aim: Aim, q: number[]): void {
  const { ineffectiveAxis, up } = aim;
  if (ineffectiveAxis === undefined || up === undefined) return;
  const last = aim.dof - 1;
  const near = q[last];
  q[last] = 0;
  const before = rotate(transposed(rotationAt(aim, q)), up.direction);
  const { turn, amplitude } = bestAngle(ineffectiveAxis, up.axis, before);
  q[last] = amplitude > 0 ? bestAllowedAngle(turn, near, intervalOf(aim, last)) : near;
}

function transposed(m: Numbers): number[] {
  return [m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]];
}

/**
 * The best: least angle, then least second wish, then least change of coordinates. Where the joint is wins all ties, by twice
 * the margin that let it be chosen: so a second call stays, to the bit.
 */
export function selectCandidate({ aim, tolerance, entries, leastAngle }: Candidates): readonly number[] {
  let second = Number.POSITIVE_INFINITY;
  for (const place of entries)
    if (place.angle <= leastAngle + tolerance) second = Math.min(second, place.second);
  const here = entries[0];
  if (here.angle <= leastAngle + 2 * tolerance && here.second <= second + 2 * tolerance) return here.q;
  let best = here.q;
  let change = Number.POSITIVE_INFINITY;
  for (const place of entries) {
    if (place.angle > leastAngle + tolerance || place.second > second + tolerance) continue;
    let sum = 0;
    for (let i = 0; i < aim.dof; i++) sum += (place.q[i] - aim.current[i]) ** 2;
    if (sum >= change) continue;
    change = sum;
    best = place.q;
  }
  return best;
}
