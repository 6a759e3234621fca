/** A leg as three.js objects: where its joints are, and its closed form. */
import { type Object3D, Quaternion, Vector3 } from 'three';

/** Relative distance from the hip up to which the leg reaches, unless the animation stretches it further: a straight knee would snap. */
const MAX_EXTENSION = 0.995;
/** Offset of the knee from the line of hip and ankle, in leg lengths, below which the axis of the knee at rest counts. */
const MIN_BEND = 0.04;
/** Passes of the closed form: with the knee's axis at rest a pass is exact to second order. */
const PASSES = 4;

/** The objects of a leg and its points in their frames. */
export interface LegObjects {
  readonly side: 'left' | 'right';
  readonly upper: Object3D;
  readonly lower: Object3D;
  readonly foot: Object3D;
  /** Axis about which the knee bends at rest, frame of `upper`: the shin goes back. */
  readonly kneeAxis: Vector3;
  /** Frame of `foot`: on the sole, the joint of the toes or on the sole without one, and on the sole. */
  readonly heel: Vector3;
  readonly ball: Vector3;
  readonly tip: Vector3;
}

/** Joints of a leg in the world. */
export class Leg {
  readonly objects: LegObjects;
  readonly hip = new Vector3();
  readonly knee = new Vector3();
  readonly ankle = new Vector3();
  /** Objects from below `upper` to `lower`, and from there to `foot`; empty for a foot beside the leg. */
  readonly #toLower: readonly Object3D[];
  readonly #toFoot: readonly Object3D[];
  /** The ankle of a foot beside the leg, frame of `lower`. */
  readonly #shinEnd = new Vector3();

  constructor(objects: LegObjects) {
    this.objects = objects;
    this.#toLower = pathBetween(objects.upper, objects.lower) ?? [];
    this.#toFoot = pathBetween(objects.lower, objects.foot) ?? [];
  }

  /** Reads the joints of the animation, with all objects above them. */
  read(): void {
    const { lower, foot } = this.objects;
    lower.updateWorldMatrix(true, false);
    if (this.#toFoot.length === 0) {
      foot.updateWorldMatrix(true, false);
      lower.worldToLocal(this.#shinEnd.setFromMatrixPosition(foot.matrixWorld));
    }
    this.#readJoints();
  }

  /** Reads the joints after an object above the leg has moved. */
  readMoved(): void {
    this.objects.lower.updateWorldMatrix(true, false);
    this.#readJoints();
  }

  #readJoints(): void {
    const { upper, lower, foot } = this.objects;
    this.hip.setFromMatrixPosition(upper.matrixWorld);
    this.knee.setFromMatrixPosition(lower.matrixWorld);
    if (this.#toFoot.length === 0) {
      this.ankle.copy(this.#shinEnd).applyMatrix4(lower.matrixWorld);
      return;
    }
    for (const object of this.#toFoot) object.updateWorldMatrix(false, false);
    this.ankle.setFromMatrixPosition(foot.matrixWorld);
  }

  /** Thigh and shin, world. */
  get length(): number {
    return this.hip.distanceTo(this.knee) + this.knee.distanceTo(this.ankle);
  }

  /** Largest distance of the ankle from the hip: the animation's own where that is larger. */
  get reach(): number {
    return Math.max(MAX_EXTENSION * this.length, this.hip.distanceTo(this.ankle));
  }

  /**
   * Bends knee and hip so that the ankle comes to `target`, or as near as the leg reaches: in the plane of the bent knee, which rotates with
   * the line from hip to ankle. Then rotates the foot, from its animated orientation, by `rotation`.
   *
   * @param footRotation - Of the foot before the leg has moved, world.
   */
  solve(target: Vector3, reach: number, footRotation: Quaternion, rotation: Quaternion): void {
    const { upper, lower, foot, kneeAxis } = this.objects;
    const isAttached = this.#toFoot.length > 0;
    const nearest = Math.abs(this.hip.distanceTo(this.knee) - this.knee.distanceTo(this.ankle));
    for (let pass = 0; pass < PASSES; pass++) {
      const thigh = this.hip.distanceTo(this.knee);
      const shin = this.knee.distanceTo(this.ankle);
      toTarget.subVectors(target, this.hip);
      const wanted = Math.min(Math.max(toTarget.length(), nearest), reach);
      if (!(wanted > 0)) break;
      goal.copy(this.hip).addScaledVector(toTarget.normalize(), wanted);
      if (goal.distanceTo(this.ankle) <= 1e-12 * (thigh + shin)) break;
      toAnkle.subVectors(this.ankle, this.hip);
      const now = toAnkle.length();
      axis.copy(kneeAxis).transformDirection(upper.matrixWorld);
      bendAxis(this, axis, thigh + shin);
      // Angles of the triangle at the hip and the knee, by the law of cosines.
      const hipAngle = angleOf(thigh, wanted, shin) - angleOf(thigh, now, shin);
      const kneeAngle = angleOf(thigh, shin, wanted) - angleOf(thigh, shin, now);
      swing.setFromUnitVectors(toAnkle.divideScalar(now), toTarget);
      bend.setFromAxisAngle(axis, -hipAngle);
      rotateInWorld(upper, bend.premultiply(swing));
      this.#updateLower();
      axis.applyQuaternion(swing);
      rotateInWorld(lower, bend.setFromAxisAngle(axis, -kneeAngle));
      lower.updateWorldMatrix(false, false);
      this.#readJoints();
    }
    setWorld(
      foot,
      isAttached ? undefined : goal.copy(this.ankle),
      bend.copy(rotation).multiply(footRotation),
    );
  }

  #updateLower(): void {
    this.objects.upper.updateWorldMatrix(false, false);
    for (const object of this.#toLower) object.updateWorldMatrix(false, false);
  }
}

/**
 * The unit axis about which the knee bends, from the axis at rest in `out`: across hip, knee and ankle of the animation. As they are nearly in line,
 * or a knee is stretched beyond it, the axis at rest takes over, so that it never flips.
 */
function bendAxis({ hip, knee, ankle }: Leg, out: Vector3, length: number): void {
  thighLine.subVectors(knee, hip);
  line.subVectors(ankle, hip);
  const span = line.length();
  // The axis at rest, perpendicular to the line.
  if (span > 0) out.addScaledVector(line, -out.dot(line) / (span * span));
  if (out.lengthSq() === 0) out.set(1, 0, 0);
  out.normalize();
  if (span === 0) return;
  // Along the axis, as long as the knee is off the line, in leg lengths.
  current.crossVectors(thighLine, line).divideScalar(span * length);
  const share = 1 - Math.min(1, Math.max(0, current.dot(out) / MIN_BEND - 1));
  current.addScaledVector(out, MIN_BEND * share);
  if (current.lengthSq() > 0) out.copy(current).normalize();
}

/** Angle between sides a and b of a triangle with the sides a, b and c. */
function angleOf(a: number, b: number, c: number): number {
  return a > 0 && b > 0 ? Math.acos(Math.min(1, Math.max(-1, (a * a + b * b - c * c) / (2 * a * b)))) : 0;
}

/** Objects below `top` down to `object`; undefined where it is not below. */
export function pathBetween(top: Object3D, object: Object3D): Object3D[] | undefined {
  const path: Object3D[] = [];
  for (let at: Object3D | null = object; at !== null; at = at.parent) {
    if (at === top) return path.reverse();
    path.push(at);
  }
  return undefined;
}

/** Rotates an object about its own origin by a rotation of the world. Its parent's world matrix must be current. */
export function rotateInWorld(object: Object3D, rotation: Quaternion): void {
  object.quaternion.premultiply(rotationInParent(object, rotation));
  object.updateMatrix();
}

/** The same rotation in the axes of the parent, which may be scaled and mirrored: its axis by the inverse of the parent's linear part. */
function rotationInParent(object: Object3D, { x, y, z, w }: Quaternion): Quaternion {
  if (object.parent === null) return inParent.set(x, y, z, w);
  const e = object.parent.matrixWorld.elements;
  const size = Math.hypot(x, y, z);
  // M^-1 v is parallel to M^T v for a uniform scale.
  direction.set(
    e[0] * x + e[1] * y + e[2] * z,
    e[4] * x + e[5] * y + e[6] * z,
    e[8] * x + e[9] * y + e[10] * z,
  );
  const isMirrored = object.parent.matrixWorld.determinant() < 0;
  direction.setLength(isMirrored ? -size : size);
  return inParent.set(direction.x, direction.y, direction.z, w);
}

/** Gives an object an orientation in the world, and a position if there is one. */
function setWorld(object: Object3D, position: Vector3 | undefined, orientation: Quaternion): void {
  object.updateWorldMatrix(false, false);
  object.matrixWorld.decompose(unusedPosition, now, unusedScale);
  rotateInWorld(object, now.conjugate().premultiply(orientation));
  if (position === undefined) return;
  object.position.copy(position);
  object.parent?.worldToLocal(object.position);
  object.updateMatrix();
}

const toTarget = /* @__PURE__ */ new Vector3();
const toAnkle = /* @__PURE__ */ new Vector3();
const goal = /* @__PURE__ */ new Vector3();
const axis = /* @__PURE__ */ new Vector3();
const thighLine = /* @__PURE__ */ new Vector3();
const line = /* @__PURE__ */ new Vector3();
const current = /* @__PURE__ */ new Vector3();
const direction = /* @__PURE__ */ new Vector3();
const unusedPosition = /* @__PURE__ */ new Vector3();
const unusedScale = /* @__PURE__ */ new Vector3();
const swing = /* @__PURE__ */ new Quaternion();
const bend = /* @__PURE__ */ new Quaternion();
const inParent = /* @__PURE__ */ new Quaternion();
const now = /* @__PURE__ */ new Quaternion();
