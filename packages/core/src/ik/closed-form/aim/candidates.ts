import type { Numbers } from '../../../math/linear/types.js';
import { type Aim, angleUnder, intervalOf, rotate, rotationAt, secondUnder } from './aim.js';
import { bestTurn, nearestAllowed } from './best-angle.js';

/** Angles (rad) and chords nearer to each other than this are equal; the noise of large coordinates counts on top. */
const TIE = 1e-12;

/** Places that a joint may go to, with what they are worth. */
export interface Candidates {
  readonly aim: Aim;
  /** Rounding of the angle: more for coordinates of many turns. */
  readonly tie: number;
  readonly places: { readonly q: readonly number[]; readonly angle: number; readonly second: number }[];
  /** Least angle yet. */
  least: number;
}

/** Starts with where the joint is. */
export function beginCandidates(aim: Aim): Candidates {
  let size = 0;
  for (let i = aim.type.translations; i < aim.dof; i++) size = Math.max(size, Math.abs(aim.now[i]));
  const angle = angleUnder(aim, aim.rotationNow);
  const second = secondUnder(aim, aim.rotationNow);
  const tie = TIE + 8 * Number.EPSILON * size;
  return { aim, tie, places: [{ q: aim.now, angle, second }], least: angle };
}

/** Adds a copy of allowed coordinates, unless they are worse than what is there. Returns their angle. */
export function offer(candidates: Candidates, q: number[]): number {
  const { aim, tie, places } = candidates;
  rollIdle(aim, q);
  const rotation = rotationAt(aim, q);
  const angle = angleUnder(aim, rotation);
  if (angle > candidates.least + tie) return angle;
  places.push({ q: q.slice(), angle, second: secondUnder(aim, rotation) });
  candidates.least = Math.min(candidates.least, angle);
  return angle;
}

/** Turns a last coordinate that changes no angle to where `up` is best. R = M exp(x [a]): up is seen before the turn as M^T up. */
function rollIdle(aim: Aim, q: number[]): void {
  const { idle, up } = aim;
  if (idle === undefined || up === undefined) return;
  const last = aim.dof - 1;
  const near = q[last];
  q[last] = 0;
  const before = rotate(transposed(rotationAt(aim, q)), up.direction);
  const { turn, amplitude } = bestTurn(idle, up.axis, before);
  q[last] = amplitude > 0 ? nearestAllowed(turn, near, intervalOf(aim, last)) : near;
}

function transposed(m: Numbers): number[] {
  return [m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]];
}

/**
 * The best: least angle, then least second wish, then least change of coordinates. Where the joint is wins all ties, by twice
 * the margin that let it be chosen: so a second call stays, to the bit.
 */
export function chosen({ aim, tie, places, least }: Candidates): readonly number[] {
  let second = Number.POSITIVE_INFINITY;
  for (const place of places) if (place.angle <= least + tie) second = Math.min(second, place.second);
  const here = places[0];
  if (here.angle <= least + 2 * tie && here.second <= second + 2 * tie) return here.q;
  let best = here.q;
  let change = Number.POSITIVE_INFINITY;
  for (const place of places) {
    if (place.angle > least + tie || place.second > second + tie) continue;
    let sum = 0;
    for (let i = 0; i < aim.dof; i++) sum += (place.q[i] - aim.now[i]) ** 2;
    if (sum >= change) continue;
    change = sum;
    best = place.q;
  }
  return best;
}
