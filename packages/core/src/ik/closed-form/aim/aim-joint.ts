import type { JointData } from '../../../figure/data/types.js';
import { COORDINATE_SPACE } from '../../../figure/joints/joint.js';
import { limitShapes } from '../../../figure/limits/shapes.js';
import * as vec3 from '../../../math/geometry/vec3.js';
import type { Vec3 } from '../../../math/linear/types.js';
import { type Aim, aimAngle, angleBetween, intervalOf, rotate, rotationAt } from './aim.js';
import { aimBall } from './ball.js';
import { bestAllowedAngle, bestAngle } from './best-angle.js';
import { addCandidate, createCandidates, selectCandidate } from './candidates.js';
import { addEulerCandidates } from './euler.js';
import { addBallAndSocketCandidates, addSwingCandidates } from './swing.js';

/** Distance from its boundary at which a limit is active, in its own g. */
const ACTIVE_TOLERANCE = 1e-12;
/** Angle (rad) and multiplier of a limit below which they are rounding. */
const MULTIPLIER_TOLERANCE = 1e-9;

/** The best allowed coordinates of a joint; `aim.current` itself where none is better. */
export function aimJoint(aim: Aim, joint: JointData): readonly number[] {
  const candidates = createCandidates(aim);
  if (aim.up === undefined && candidates.minAngle <= 2 * candidates.tolerance) return aim.current;
  switch (joint.type) {
    case 'hinge': {
      const { angle, amplitude } = bestAngle(joint.axis, aim.axis, aim.target);
      const current = aim.current[0];
      addCandidate(candidates, [
        amplitude > 0 ? bestAllowedAngle(angle, current, intervalOf(aim, 0)) : current,
      ]);
      break;
    }
    case 'swing':
      addSwingCandidates(candidates);
      break;
    case 'ball-and-socket':
      addBallAndSocketCandidates(candidates);
      break;
    case 'euler':
      addEulerCandidates(candidates, joint);
      break;
    default:
      addCandidate(candidates, aimBall(aim));
  }
  return selectCandidate(candidates);
}

/** Whether the angle would be smaller without limits: for a hinge the difference of the polar angles, for others 0. */
export function isLimited({ axis, target, limits }: Aim, joint: JointData, angle: number): boolean {
  if (limits.length === 0) return false;
  const free =
    joint.type === 'hinge' ? Math.abs(angleBetween(axis, joint.axis) - angleBetween(target, joint.axis)) : 0;
  return angle > free + MULTIPLIER_TOLERANCE;
}

const columns = /* @__PURE__ */ new Float64Array(36);
const normal = /* @__PURE__ */ new Float64Array(3);

/**
 * The multiplier of each limit for f = angle^2 / 2, -grad f . n with its outward unit normal n: df/dq_i = -angle a_i . (y x u) /
 * |y x u|, a_i the axis of coordinate i. 0 where the limit is not active.
 */
export function multipliersAt(aim: Aim, q: readonly number[]): number[] {
  const { type, batch, limits, axis, target } = aim;
  if (limits.length === 0) return [];
  const rotation = rotationAt(aim, q);
  const angle = aimAngle(aim, rotation);
  const y = rotate(rotation, axis);
  const across = vec3.cross(y, target);
  const size = vec3.norm(across);
  columns.fill(0);
  type.writeColumns(batch, q, rotation, COORDINATE_SPACE, columns);
  return limits.map(({ kind, parameters, coordinate: i, size: count }) => {
    const shape = limitShapes[kind];
    if (!(size > 0) || i < type.translations || shape.value(parameters, q, i, count) < -ACTIVE_TOLERANCE)
      return 0;
    shape.gradient(parameters, q, i, count, normal, 0);
    let gradient = 0;
    let square = 0;
    for (let k = 0; k < count; k++) {
      gradient += (normal[k] * angle * dotColumn(i + k, across)) / size;
      square += normal[k] * normal[k];
    }
    const multiplier = gradient / Math.sqrt(square);
    return multiplier > MULTIPLIER_TOLERANCE ? multiplier : 0;
  });
}

/** a_i . v. */
function dotColumn(i: number, v: Vec3): number {
  return columns[6 * i] * v[0] + columns[6 * i + 1] * v[1] + columns[6 * i + 2] * v[2];
}
