import type { Bone, Figure, Triple } from 'poise/figure';
import { cross, plus, product, quaternionOf, rotate, type V } from '../rigid/vectors.js';

/** State of a figure's bones, world axes, by bone index: origins, rotations [x, y, z, w], velocities of the origins. */
export interface Bodies {
  readonly position: number[][];
  readonly rotation: number[][];
  readonly velocity: number[][];
  readonly spin: number[][];
}

export function createBodies({ bones }: Figure): Bodies {
  const three = () => bones.map(() => [0, 0, 0]);
  return { position: three(), rotation: bones.map(() => [0, 0, 0, 1]), velocity: three(), spin: three() };
}

/** Bodies of coordinates and joint velocities, by quaternions: kinematics that share nothing with Poise's. */
export function placeBodies(
  figure: Figure,
  pose: ArrayLike<number>,
  velocity: ArrayLike<number>,
  out: Bodies,
): void {
  for (const bone of figure.bones) {
    const { index: b, parent, rest } = bone;
    const { translation, rotation, linearVelocity, angularVelocity } = jointMotion(bone, pose, velocity);
    const above =
      parent < 0 ? { p: [0, 0, 0], q: [0, 0, 0, 1], v: [0, 0, 0], w: [0, 0, 0] } : bodyOf(out, parent);
    const frame = product(above.q, rest.rotation);
    const arm = plus(rotate(above.q, rest.position), rotate(frame, translation));
    out.position[b] = plus(above.p, arm);
    out.rotation[b] = unit(product(frame, rotation));
    out.velocity[b] = plus(plus(above.v, cross(above.w, arm)), rotate(frame, linearVelocity));
    out.spin[b] = plus(above.w, rotate(out.rotation[b], angularVelocity));
  }
}

function bodyOf(bodies: Bodies, b: number) {
  return { p: bodies.position[b], q: bodies.rotation[b], v: bodies.velocity[b], w: bodies.spin[b] };
}

/** A joint's translation and its rate in the axes before it, its rotation, and its angular velocity in the axes after it. */
interface JointMotion {
  readonly translation: V;
  readonly rotation: V;
  readonly linearVelocity: V;
  readonly angularVelocity: V;
}

const STILL: V = [0, 0, 0];
const UPRIGHT: V = [0, 0, 0, 1];

function jointMotion(
  { joint, coordinate: i }: Bone,
  pose: ArrayLike<number>,
  velocity: ArrayLike<number>,
): JointMotion {
  const rotationOnly = (rotation: V, angularVelocity: V): JointMotion => ({
    translation: STILL,
    linearVelocity: STILL,
    rotation,
    angularVelocity,
  });
  const three = (from: ArrayLike<number>, at: number): number[] => [from[at], from[at + 1], from[at + 2]];
  switch (joint.type) {
    case 'fixed':
      return rotationOnly(UPRIGHT, STILL);
    case 'hinge':
      return rotationOnly(quaternionOf(times(joint.axis, pose[i])), times(joint.axis, velocity[i]));
    case 'ball':
      return rotationOnly(quaternionOf(three(pose, i)), three(velocity, i));
    case 'free': {
      const rotation = quaternionOf(three(pose, i + 3));
      return {
        translation: three(pose, i),
        linearVelocity: three(velocity, i),
        rotation,
        angularVelocity: three(velocity, i + 3),
      };
    }
    case 'swing':
    case 'ball-and-socket': {
      const { s, t } = swingPlane(joint.axis, joint.side);
      const v = plus(times(s, pose[i]), t, pose[i + 1]);
      const swing = quaternionOf(v);
      const swingVelocity = rotationOfRate(v, plus(times(s, velocity[i]), t, velocity[i + 1]));
      if (joint.type === 'swing') return rotationOnly(swing, swingVelocity);
      const twist = quaternionOf(times(joint.axis, pose[i + 2]));
      const back = [-twist[0], -twist[1], -twist[2], twist[3]];
      return rotationOnly(
        product(swing, twist),
        plus(rotate(back, swingVelocity), joint.axis, velocity[i + 2]),
      );
    }
    case 'euler': {
      let relativeRotation: V = UPRIGHT;
      let angularVelocity: V = STILL;
      for (let k = 0; k < 3; k++) {
        const axis = [0, 1, 2].map((n) => (joint.order[k] === 'XYZ'[n] ? 1 : 0));
        const about = quaternionOf(times(axis, pose[i + k]));
        relativeRotation = product(relativeRotation, about);
        angularVelocity = plus(
          rotate([-about[0], -about[1], -about[2], about[3]], angularVelocity),
          axis,
          velocity[i + k],
        );
      }
      return rotationOnly(relativeRotation, angularVelocity);
    }
    default:
      throw new Error(`benchmarks: no kinematics for a ${joint.type} joint`);
  }
}

/** The axes s and t = a x s that a swing is about; figures always name the side. */
export function swingPlane(axis: Triple, side: Triple | undefined): { readonly s: V; readonly t: V } {
  if (side === undefined) throw new Error('benchmarks: a swing without a side');
  return { s: side, t: cross(axis, side) };
}

/** Angular velocity in body axes of exp(v) as v changes: v' - (1 - cos a)/a^2 v x v' + (a - sin a)/a^3 v x (v x v'). */
function rotationOfRate(v: V, rate: V): number[] {
  const square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
  const a = Math.sqrt(square);
  const small = square < 1e-4;
  const c1 = small ? 0.5 - square / 24 : (1 - Math.cos(a)) / square;
  const c2 = small ? 1 / 6 - square / 120 : (a - Math.sin(a)) / (a * square);
  const once = cross(v, rate);
  return plus(plus(rate, once, -c1), cross(v, once), c2);
}

const times = (a: V, scale: number): number[] => [scale * a[0], scale * a[1], scale * a[2]];

function unit(q: number[]): number[] {
  const size = Math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  return q.map((x) => x / size);
}
