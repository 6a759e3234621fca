/**
 * Ball-and-socket joints without a limit, whose swing may pass pi. Their coordinates are singular there, and their rates without bound beside it, so that a step with
 * constant rates would go astray. A step takes them as ball joints: their angular velocity w = S(q) v is constant in the bone's axes, S being that of the pose before.
 */

import { nearestAngle } from '../../../figure/joints/joint.js';
import * as quat from '../../../math/geometry/quat.js';
import type { Numbers } from '../../../math/linear/types.js';
import { quatFromRotationVector } from '../../../rotation/rotation-vector/exponential.js';
import {
  ballAndSocketJacobian,
  ballAndSocketRateFromAngularVelocity,
} from '../../../rotation/swing-twist/ball-and-socket.js';
import { decomposeSwingTwist, quatFromSwingTwist } from '../../../rotation/swing-twist/swing-twist.js';
import type { Socket } from '../state/socket.js';

/** Distance of the swing from pi, rad, that poses keep: nearer, rounding of rates is as large as the velocities. */
const MIN_DISTANCE = 1e-5;

/** Angular velocity in the bone's axes. */
function angularVelocity({ coordinate: i, axes }: Socket, pose: Numbers, velocity: Numbers): number[] {
  const m = ballAndSocketJacobian([pose[i], pose[i + 1], pose[i + 2]], axes, 'body');
  return [0, 3, 6].map((r) => m[r] * velocity[i] + m[r + 1] * velocity[i + 1] + m[r + 2] * velocity[i + 2]);
}

/** Writes the coordinates after h at constant angular velocity. */
export function turnSocket(
  socket: Socket,
  pose: Float64Array,
  velocity: Float64Array,
  h: number,
  out: Float64Array,
): void {
  const { coordinate: i, axes } = socket;
  const w = angularVelocity(socket, pose, velocity);
  const before = quatFromSwingTwist([pose[i], pose[i + 1]], pose[i + 2], axes);
  const after = quat.multiply(before, quatFromRotationVector(w.map((x) => h * x)));
  const { swing, twist } = decomposeSwingTwist(after, axes);
  const angle = Math.hypot(swing[0], swing[1]);
  const scale = angle > Math.PI - MIN_DISTANCE ? (Math.PI - MIN_DISTANCE) / angle : 1;
  out[i] = scale * swing[0];
  out[i + 1] = scale * swing[1];
  out[i + 2] = nearestAngle(twist, pose[i + 2]);
}

/** Writes the rates at the next pose with the angular velocity of those at the pose, in place. */
export function convertSocketRates(
  socket: Socket,
  pose: Float64Array,
  nextPose: Float64Array,
  velocity: Float64Array,
): void {
  const { coordinate: i, axes } = socket;
  const w = angularVelocity(socket, pose, velocity);
  const rates = ballAndSocketRateFromAngularVelocity(
    [nextPose[i], nextPose[i + 1], nextPose[i + 2]],
    axes,
    [w[0], w[1], w[2]],
    'body',
  );
  velocity.set(rates, i);
}
