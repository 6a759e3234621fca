import { nearestAngle } from '../../../figure/joints/joint.js';
import type { LimitComponent } from '../../../figure/limits/limit.js';
import { limitShapes } from '../../../figure/limits/shapes.js';
import * as vec3 from '../../../math/geometry/vec3.js';
import type { Vec3 } from '../../../math/linear/types.js';
import { decomposeSwingTwist } from '../../../rotation/swing-twist/swing-twist.js';
import { type Aim, angleBetween, idealRotation, intervalOf, projectOntoLimits } from './aim.js';
import { allowedAngle, bestAllowedAngle, bestAngle, MIN_LENGTH, rotateAbout } from './best-angle.js';
import { addCandidate, type Candidates } from './candidates.js';
import { boundaryInDirection, type SwingPlane, visitBoundary } from './limit-boundary-search.js';

/** Sine of the angle between the aimed axis and the limb below which the twist is kept if the aim allows. */
const ALIGNED = 1e-3;

/**
 * Adds the swings of smallest angle: the exact swing, or else points on the boundary of the limit, found by `visitBoundary`.
 *
 * There is no other minimum inside. With r = theta n, b = a x n, the axes of the two coordinates span n and b rotated by r/2, and the
 * angle is stationary away from 0 and pi only where y and u lie in that plane:
 *   tan(theta/2) = -z_a/z_b = u_a/u_b,   (z_a u + u_a z) . b = 0:   at one swing.
 * All swings, with |r| = pi counted once, form a projective plane of Euler characteristic 1. With one maximum and one minimum the third
 * stationary point must be a saddle.
 */
export function addSwingCandidates(candidates: Candidates): void {
  const { aim } = candidates;
  addBestSwing(candidates, planeOf(aim), aim.limits[0], aim.axis, aim.current.slice());
}

/**
 * Adds the candidates of a ball-and-socket joint, R = exp([r]) exp(tau [a]).
 *
 * Of those that aim: the ideal rotation, if allowed. Otherwise, along R_ideal exp(phi [d]), the first allowed rotation has the twist
 * at a bound or the swing on its boundary. Of those that do not aim: with the twist inside its interval it is optimal for the swing;
 * then limb, axis and target are in one plane, and the angle is |beta - alpha|, alpha between axis and limb, beta between limb and
 * target; beta is stationary on the boundary of the swing only, or 0 or pi. With the twist at a bound the joint is a swing of the
 * twisted axis.
 */
export function addBallAndSocketCandidates(candidates: Candidates): void {
  const { aim } = candidates;
  const plane = planeOf(aim);
  const { a } = plane;
  const limit = aim.limits.find(({ size }) => size === 2);
  const twist = intervalOf(aim, 2);
  const ends = aim.ineffectiveAxis === undefined ? twist.filter(Number.isFinite) : [];
  const q = aim.current.slice();
  // A twist about the aimed axis itself has no effect: it is kept, or serves `up`.
  const along = aim.up === undefined && vec3.norm(vec3.cross(aim.axis, a)) < ALIGNED;
  if (
    (along || aim.ineffectiveAxis !== undefined) &&
    addExactSwing(candidates, plane, limit, twistAxis(aim, a, q[2]), q)
  )
    return;

  const { swing, twist: tau } = decomposeSwingTwist(idealRotation(aim), plane);
  q[2] = allowedAngle(tau, aim.current[2], twist);
  writeSwing(aim, limit, swing, q);
  if (!Number.isNaN(q[2]) && isAllowed(limit, q) && addCandidate(candidates, q) <= candidates.tolerance)
    return;

  if (limit === undefined) {
    for (const end of ends)
      addExactSwing(candidates, plane, limit, twistAxis(aim, a, end), withTwist(q, end));
    // Nothing has been found only at a swing by pi, whose twist is undefined.
    const kept = Math.max(twist[0], Math.min(twist[1], aim.current[2]));
    addExactSwing(candidates, plane, limit, twistAxis(aim, a, kept), withTwist(q, kept));
    return;
  }
  const alpha = angleBetween(aim.axis, a);
  let minFree = Number.POSITIVE_INFINITY;
  const offerBestTwist = (rs: number, rt: number): void => {
    q[0] = rs;
    q[1] = rt;
    const unswung = rotateAbout(swingAxis(plane, rs, rt), -Math.hypot(rs, rt), aim.target);
    minFree = Math.min(minFree, Math.abs(angleBetween(unswung, a) - alpha));
    // The best twist of the axis towards the target rotated back by the swing.
    const { angle, amplitude } = bestAngle(a, aim.axis, unswung);
    q[2] = amplitude > 0 ? bestAllowedAngle(angle, aim.current[2], twist) : aim.current[2];
    projectOntoLimits(aim.limits, q);
    addCandidate(candidates, q);
  };
  // A good candidate first shortens the search.
  offerBestTwist(...boundaryInDirection(limit, q[0], q[1]));
  offerBestTwist(...boundaryInDirection(limit, aim.current[0], aim.current[1]));
  visitBoundary(limit, plane, a, aim.target, alpha, () => candidates.minAngle, offerBestTwist);
  for (const end of ends) addExactSwing(candidates, plane, limit, twistAxis(aim, a, end), withTwist(q, end));
  // If no unbounded twist would be better, none at a bound is.
  if (candidates.minAngle <= minFree + candidates.tolerance) return;
  for (const end of ends) addBestSwing(candidates, plane, limit, twistAxis(aim, a, end), withTwist(q, end));
}

function withTwist(q: number[], twist: number): number[] {
  q[2] = twist;
  return q;
}

/** s and t are the first parameters of both joints with a swing. */
function planeOf({ batch: { parameters: p } }: Aim): SwingPlane {
  const s = [p[0], p[1], p[2]];
  const t = [p[3], p[4], p[5]];
  return { s, t, a: vec3.cross(s, t) };
}

function twistAxis({ axis }: Aim, a: Vec3, twist: number): number[] {
  return rotateAbout(a, twist, axis);
}

/** The unit axis of a swing. */
function swingAxis({ s, t }: SwingPlane, rs: number, rt: number): Vec3 {
  const size = Math.hypot(rs, rt);
  return size > 0 ? vec3.addScaled(vec3.scale(s, rs / size), t, rt / size) : s;
}

/** Adds the best of the swings of z, with the other coordinates from q. */
function addBestSwing(
  candidates: Candidates,
  plane: SwingPlane,
  limit: LimitComponent | undefined,
  z: Vec3,
  q: number[],
): void {
  if (addExactSwing(candidates, plane, limit, z, q) || limit === undefined) return;
  const { aim } = candidates;
  const offerSwingAt = (rs: number, rt: number): void => {
    q[0] = rs;
    q[1] = rt;
    projectOntoLimits(aim.limits, q);
    addCandidate(candidates, q);
  };
  // The projection of the exact swing onto the limit: a good candidate first shortens the search.
  offerSwingAt(q[0], q[1]);
  offerSwingAt(...boundaryInDirection(limit, aim.current[0], aim.current[1]));
  visitBoundary(limit, plane, z, aim.target, 0, () => candidates.minAngle, offerSwingAt);
}

/**
 * Adds the swing from z to u, if it is allowed. It keeps the component of z along its axis n, which is normal to a: so n is along
 * a x (u - z). Where u - z is along a, every n is possible; the shortest swing has z in its plane.
 */
function addExactSwing(
  candidates: Candidates,
  plane: SwingPlane,
  limit: LimitComponent | undefined,
  z: Vec3,
  q: number[],
): boolean {
  const { aim } = candidates;
  const { s, t, a } = plane;
  const u = aim.target;
  const chord = vec3.subtract(u, z);
  let n = vec3.cross(a, chord);
  if (!(vec3.norm(n) > MIN_LENGTH * vec3.norm(chord))) {
    const inPlane = vec3.addScaled(z, a, -vec3.dot(z, a));
    const current = vec3.addScaled(vec3.scale(s, aim.current[0]), t, aim.current[1]);
    if (vec3.norm(inPlane) > MIN_LENGTH) n = vec3.cross(inPlane, a);
    else n = vec3.norm(current) > 0 ? current : vec3.copy(s);
  }
  vec3.normalize(n, n);
  const { angle } = bestAngle(n, z, u);
  writeSwing(aim, limit, [angle * vec3.dot(n, s), angle * vec3.dot(n, t)], q);
  return isAllowed(limit, q) && addCandidate(candidates, q) <= candidates.tolerance;
}

/** Writes a swing to q: without a limit the equivalent one nearest to the current. */
function writeSwing(
  { current }: Aim,
  limit: LimitComponent | undefined,
  [rs, rt]: readonly number[],
  q: number[],
): void {
  const size = Math.hypot(rs, rt);
  let scale = 1;
  if (limit === undefined && size > 0) {
    scale = nearestAngle(size, (current[0] * rs + current[1] * rt) / size) / size;
  }
  q[0] = scale * rs;
  q[1] = scale * rt;
}

function isAllowed(limit: LimitComponent | undefined, q: number[]): boolean {
  return limit === undefined || !(limitShapes[limit.kind].value(limit.parameters, q, 0, 2) > 0);
}
