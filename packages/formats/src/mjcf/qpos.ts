/** MuJoCo's positions and poses of a figure. */
import { FormatError } from 'poise';
import type { RigidData } from 'poise/figure';
import { type Numbers, quat } from 'poise/math';
import { quatFromRotationVector, rotationVectorFromQuat } from 'poise/rotation';
import type { MjcfJoint } from './model.js';

/** What the conversions read of a model. */
export interface QposLayout {
  /** In the order of `qpos`. */
  readonly joints: ReadonlyMap<string, MjcfJoint>;
  /** Numbers in a `qpos`. */
  readonly nq: number;
  readonly figure: { readonly dof: number };
}

/**
 * The pose of MuJoCo's `qpos`: values of hinges and slides less their `ref`, quaternions `w x y z` as rotation vectors. Values of mimic
 * joints are not read: they follow from their sources.
 *
 * @returns `out`, length `figure.dof`.
 * @throws FormatError `wrong-size`.
 */
export function poseFromQpos(
  model: QposLayout,
  qpos: Numbers,
  out: Float64Array = new Float64Array(model.figure.dof),
): Float64Array {
  requireSize(qpos, model.nq, 'qpos');
  requireSize(out, model.figure.dof, 'out');
  for (const { type, coordinate: i, qposIndex: a, ref, frame } of model.joints.values()) {
    if (i < 0) continue;
    if (type === 'hinge' || type === 'slide') out[i] = qpos[a] - ref;
    else if (type === 'ball') out.set(rotationVectorFromQuat(unitAt(qpos, a)), i);
    else {
      const back = quat.conjugate(frame.rotation);
      out.set(
        quat.rotate(back, [0, 1, 2].map((k) => qpos[a + k] - frame.position[k]) as unknown as Point),
        i,
      );
      out.set(rotationVectorFromQuat(quat.multiply(back, unitAt(qpos, a + 3)) as unknown as Rotation), i + 3);
    }
  }
  return out;
}

/**
 * MuJoCo's `qpos` of a pose, the inverse of {@link poseFromQpos}.
 *
 * @returns `out`, length `nq`.
 * @throws FormatError `wrong-size`.
 */
export function qposFromPose(
  model: QposLayout,
  pose: Numbers,
  out: Float64Array = new Float64Array(model.nq),
): Float64Array {
  requireSize(pose, model.figure.dof, 'pose');
  requireSize(out, model.nq, 'out');
  for (const { type, coordinate: i, qposIndex: a, ref, frame, mimic } of model.joints.values()) {
    if (type === 'hinge' || type === 'slide') {
      const value = mimic ? valueAt(mimic.polynomial, pose[mimic.coordinate]) : pose[i];
      out[a] = value + ref;
      continue;
    }
    const o = type === 'free' ? 3 : 0;
    const turn = quatFromRotationVector([pose[i + o], pose[i + o + 1], pose[i + o + 2]]);
    const [x, y, z, w] = type === 'free' ? quat.multiply(frame.rotation, turn) : turn;
    out.set([w, x, y, z], a + o);
    if (type !== 'free') continue;
    const moved = quat.rotate(frame.rotation, [pose[i], pose[i + 1], pose[i + 2]]);
    for (let k = 0; k < 3; k++) out[a + k] = frame.position[k] + moved[k];
  }
  return out;
}

type Point = readonly [number, number, number];
type Rotation = RigidData['rotation'];

/** `w x y z` at an index as a unit quaternion `x y z w`. */
function unitAt(q: Numbers, a: number): Rotation {
  const [x, y, z, w] = quat.normalize([q[a + 1], q[a + 2], q[a + 3], q[a]]);
  return [x, y, z, w];
}

function valueAt(polynomial: readonly number[], y: number): number {
  return polynomial.reduceRight((sum, c) => sum * y + c, 0);
}

function requireSize(numbers: Numbers, size: number, path: string): void {
  if (numbers?.length === size) return;
  throw new FormatError('wrong-size', `has ${numbers?.length ?? 0} numbers.`, {
    path,
    remedy: `Give ${size}.`,
  });
}
