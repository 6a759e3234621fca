import type { JointData } from '../../../figure/data/types.js';
import { COORDINATE_SPACE } from '../../../figure/joints/joint.js';
import { limitShapes } from '../../../figure/limits/shapes.js';
import * as vec3 from '../../../math/geometry/vec3.js';
import type { Vec3 } from '../../../math/linear/types.js';
import { type Aim, angleApart, angleUnder, intervalOf, rotate, rotationAt } from './aim.js';
import { turnBall } from './ball.js';
import { bestTurn, nearestAllowed } from './best-angle.js';
import { beginCandidates, chosen, offer } from './candidates.js';
import { offerEuler } from './euler.js';
import { offerBallAndSocket, offerSwing } from './swing.js';

/** How near to the edge of a limit counts as on it, in its own g. */
const ON_EDGE = 1e-12;
/** Angles (rad) that a limit takes, and pushes against it, below this are rounding. */
const HELD = 1e-9;

/** The best allowed coordinates of a joint; `aim.now` itself where nothing is better. */
export function turnJoint(aim: Aim, joint: JointData): readonly number[] {
  const candidates = beginCandidates(aim);
  if (aim.up === undefined && candidates.least <= 2 * candidates.tie) return aim.now;
  switch (joint.type) {
    case 'hinge': {
      const { turn, amplitude } = bestTurn(joint.axis, aim.axis, aim.target);
      const now = aim.now[0];
      offer(candidates, [amplitude > 0 ? nearestAllowed(turn, now, intervalOf(aim, 0)) : now]);
      break;
    }
    case 'swing':
      offerSwing(candidates);
      break;
    case 'ball-and-socket':
      offerBallAndSocket(candidates);
      break;
    case 'euler':
      offerEuler(candidates, joint);
      break;
    default:
      offer(candidates, turnBall(aim));
  }
  return chosen(candidates);
}

/** Whether the joint without its limits would come nearer: a hinge to the difference of heights over its plane, others to 0. */
export function isLimited({ axis, target, parts }: Aim, joint: JointData, angle: number): boolean {
  if (parts.length === 0) return false;
  const free =
    joint.type === 'hinge' ? Math.abs(angleApart(axis, joint.axis) - angleApart(target, joint.axis)) : 0;
  return angle > free + HELD;
}

const columns = /* @__PURE__ */ new Float64Array(36);
const normal = /* @__PURE__ */ new Float64Array(3);

/**
 * The push of each limit part against the aim: the fall of f = angle^2 / 2 per unit that it gives way along its outward normal n,
 * -grad f . n, df/dq_i = -angle a_i . (y x u) / |y x u| with a_i the axis that coordinate i turns about. 0 where it does not hold.
 */
export function multipliersAt(aim: Aim, q: readonly number[]): number[] {
  const { type, batch, parts, axis, target } = aim;
  if (parts.length === 0) return [];
  const rotation = rotationAt(aim, q);
  const angle = angleUnder(aim, rotation);
  const y = rotate(rotation, axis);
  const across = vec3.cross(y, target);
  const size = vec3.norm(across);
  columns.fill(0);
  type.writeColumns(batch, q, rotation, COORDINATE_SPACE, columns);
  return parts.map(({ kind, parameters, coordinate: i, size: count }) => {
    const shape = limitShapes[kind];
    if (!(size > 0) || i < type.translations || shape.value(parameters, q, i, count) < -ON_EDGE) return 0;
    shape.gradient(parameters, q, i, count, normal, 0);
    let push = 0;
    let square = 0;
    for (let k = 0; k < count; k++) {
      push += (normal[k] * angle * dotColumn(i + k, across)) / size;
      square += normal[k] * normal[k];
    }
    const multiplier = push / Math.sqrt(square);
    return multiplier > HELD ? multiplier : 0;
  });
}

/** a_i . v. */
function dotColumn(i: number, v: Vec3): number {
  return columns[6 * i] * v[0] + columns[6 * i + 1] * v[1] + columns[6 * i + 2] * v[2];
}
