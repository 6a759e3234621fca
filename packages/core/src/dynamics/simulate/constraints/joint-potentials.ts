/**
 * Joint limits and drives as convex potentials of the joint velocity v. Impulse, in the notation of `contact-potentials.ts`:
 *
 *   limit   max(0, multiplier - k (row . v - target)), along the row
 *   drive   multiplier - k (v - target), projected onto the ball of radius `maxImpulse`: bounded motors and dry friction
 */
import { limitShapes } from '../../../figure/limits/shapes.js';
import type { Numbers } from '../../../math/linear/types.js';
import { maxNorm } from '../../../math/linear/vector.js';
import type { LimitShape } from '../../../math/optimization/active-limits.js';
import { writeRotationBetween } from '../../../rotation/rotation-vector/rotation-between.js';
import type { Actor } from '../state/actor.js';
import { DRIVE, type JointPotentials, LIMIT } from '../state/joint-potentials.js';
import type { MotorGroup } from '../state/motor.js';
import { warmStartScale } from '../state/warm-start-cache.js';
import { subtractCurvatureImpulse, writeLimitCurvature } from './limit-curvature.js';

/** Softness of the penalty, effective inertia / stiffness. */
const LIMIT_SOFTNESS = 0.05;
const FRICTION_SOFTNESS = 0.05;
/** A limit has a potential within this distance, rad or m, plus the distance moved in this many substeps at the largest speed. */
const NEAR_LIMIT = 0.2;
const STEPS_AHEAD = 3;

const error = /* @__PURE__ */ new Float64Array(3);
const inward = /* @__PURE__ */ new Float64Array(3);

/**
 * Builds the potentials of an actor's joints for a substep of h seconds. Joint forces linear in the velocity go to `implicitDiagonal`, the
 * diagonal added to the mass matrix, and, at the present velocity, to `freeImpulse`.
 */
export function buildJointPotentials(actor: Actor, h: number): void {
  const { velocity, damping, friction, motor, stiffness, rest, work } = actor;
  const { implicitDiagonal, freeImpulse } = work.system;
  const { potentials } = work.joints;
  potentials.count = 0;
  work.joints.hasMotorForce = false;
  work.joints.hasSpringForce = false;
  for (let i = 0; i < velocity.length; i++) {
    implicitDiagonal[i] += h * damping[i];
    freeImpulse[i] -= h * damping[i] * velocity[i];
  }
  for (const group of work.motorGroups) {
    const { coordinate: i, size } = group;
    let motorGains = 0;
    let springGains = 0;
    for (let k = i; k < i + size; k++) {
      motorGains += motor.stiffness[k] + motor.damping[k];
      springGains += stiffness[k];
    }
    if (springGains > 0) work.joints.hasSpringForce = true;
    if (motorGains > 0) work.joints.hasMotorForce = true;
    if (springGains > 0) addLinearDrive(actor, group, stiffness, undefined, rest, h);
    if (motorGains > 0) {
      if (motor.maxForce[i] === Number.POSITIVE_INFINITY) {
        addLinearDrive(actor, group, motor.stiffness, motor.damping, motor.target, h);
      } else addMotor(actor, potentials, group, h);
    }
    if (friction[i] > 0) addFriction(actor, potentials, group, h);
  }
  addLimits(actor, potentials, h);
}

/** Writes pose - target to `error`, for a rotation vector in bone axes. */
function writeError(
  { pose }: Actor,
  { coordinate, size, isRotationVector }: MotorGroup,
  target: Float64Array,
): void {
  if (isRotationVector) writeRotationBetween(target, pose, coordinate, error, 0);
  else for (let k = 0; k < size; k++) error[k] = pose[coordinate + k] - target[coordinate + k];
}

/** Linear spring and damper: impulse h (-K (e + h v) - D (v - target velocity)), v at the end of the substep. */
function addLinearDrive(
  actor: Actor,
  group: MotorGroup,
  stiffness: Float64Array,
  damping: Float64Array | undefined,
  target: Float64Array,
  h: number,
): void {
  const { velocity, motor, work } = actor;
  const { implicitDiagonal, freeImpulse } = work.system;
  writeError(actor, group, target);
  for (let k = 0; k < group.size; k++) {
    const i = group.coordinate + k;
    const d = damping === undefined ? 0 : damping[i];
    implicitDiagonal[i] += h * (h * stiffness[i] + d);
    freeImpulse[i] -=
      h * (stiffness[i] * (error[k] + h * velocity[i]) + d * (velocity[i] - motor.targetVelocity[i]));
  }
}

function addPotential(
  actor: Actor,
  potentials: JointPotentials,
  kind: number,
  bone: number,
  i: number,
  size: number,
): number {
  const { coordinateStart } = actor.figure;
  const t = potentials.count++;
  potentials.kind[t] = kind;
  potentials.bone[t] = bone;
  potentials.blockStart[t] = coordinateStart[bone];
  potentials.blockSize[t] = coordinateStart[bone + 1] - coordinateStart[bone];
  potentials.coordinate[t] = i;
  potentials.size[t] = size;
  for (let k = 3 * t; k < 3 * t + 3; k++) {
    potentials.multiplier[k] = 0;
    potentials.targetVelocity[k] = 0;
    potentials.linearizedAt[k] = 0;
  }
  for (let k = 9 * t; k < 9 * t + 9; k++) potentials.curvature[k] = 0;
  return t;
}

function addMotor(actor: Actor, potentials: JointPotentials, group: MotorGroup, h: number): void {
  const { motor } = actor;
  const { coordinate: i, size, bone } = group;
  let stiffness = 0;
  let damping = 0;
  for (let k = i; k < i + size; k++) {
    stiffness += motor.stiffness[k] / size;
    damping += motor.damping[k] / size;
  }
  writeError(actor, group, motor.target);
  const t = addPotential(actor, potentials, DRIVE, bone, i, size);
  const rate = h * stiffness + damping;
  potentials.stiffness[t] = h * rate;
  potentials.maxImpulse[t] = h * motor.maxForce[i];
  potentials.source[t] = 0;
  for (let k = 0; k < size; k++) {
    potentials.targetVelocity[3 * t + k] =
      (damping * motor.targetVelocity[i + k] - stiffness * error[k]) / rate;
  }
}

function addFriction(actor: Actor, potentials: JointPotentials, group: MotorGroup, h: number): void {
  const { coordinate: i, size, bone } = group;
  const { effectiveInertia } = actor.work;
  const { frictionImpulses, impulseDuration } = actor.work.joints;
  const scale = warmStartScale(h, impulseDuration);
  const t = addPotential(actor, potentials, DRIVE, bone, i, size);
  potentials.stiffness[t] = effectiveInertia[i] / FRICTION_SOFTNESS;
  potentials.maxImpulse[t] = h * actor.friction[i];
  potentials.source[t] = -1 - i;
  for (let k = 0; k < size; k++) potentials.multiplier[3 * t + k] = scale * frictionImpulses[i + k];
}

/**
 * Adds a potential for each limit within reach: g(q) + h grad g . v <= 0 with the limit function g of the clamp and the IK solvers, scaled to a unit gradient.
 * A rotation vector's limit is a ball, whose gradient is invariant under J_r: grad g . q' = grad g . v for all of them.
 */
function addLimits(actor: Actor, potentials: JointPotentials, h: number): void {
  const { figure, pose, velocity } = actor;
  const { limitComponents } = figure;
  const scale = warmStartScale(h, actor.work.joints.impulseDuration);
  const near = NEAR_LIMIT + STEPS_AHEAD * h * maxNorm(velocity);
  for (let p = 0; p < limitComponents.length; p++) {
    const { kind, parameters, coordinate, size, bone } = limitComponents[p];
    if (kind === 'interval') {
      // Both bounds may be near at once.
      for (let bound = 0; bound < 2; bound++) {
        const distance = bound === 0 ? pose[coordinate] - parameters[0] : parameters[1] - pose[coordinate];
        if (!(distance < near)) continue;
        const t = addLimit(actor, potentials, bone, coordinate, 1, 2 * p + bound, distance / h, scale);
        potentials.row[3 * t] = bound === 0 ? 1 : -1;
      }
      continue;
    }
    const shape = limitShapes[kind];
    const length = writeLimitRow(shape, parameters, pose, coordinate, size, inward, 0);
    if (!(length > 0)) continue;
    const distance = -shape.value(parameters, pose, coordinate, size) / length;
    if (!(distance < near)) continue;
    const t = addLimit(actor, potentials, bone, coordinate, size, 2 * p, distance / h, scale);
    for (let k = 0; k < size; k++) potentials.row[3 * t + k] = inward[k];
    const impulse = potentials.multiplier[3 * t];
    if (!(impulse > 0)) continue;
    // Linearized at the pose: v_l = 0.
    writeLimitCurvature(potentials, t, shape, parameters, pose, coordinate, (h * impulse) / length);
    subtractCurvatureImpulse(potentials, t, velocity, actor.work.system.freeImpulse);
  }
}

/**
 * Writes minus the unit gradient of a limit at x[at..], into the limit, to row[o..].
 *
 * @returns the length of the gradient; the row is valid where it is positive.
 */
export function writeLimitRow(
  shape: LimitShape,
  parameters: Numbers,
  x: Numbers,
  at: number,
  size: number,
  row: Float64Array,
  o: number,
): number {
  shape.gradient(parameters, x, at, size, row, o);
  let square = 0;
  for (let k = o; k < o + size; k++) square += row[k] * row[k];
  const length = Math.sqrt(square);
  if (length > 0) for (let k = o; k < o + size; k++) row[k] /= -length;
  return length;
}

function addLimit(
  actor: Actor,
  potentials: JointPotentials,
  bone: number,
  coordinate: number,
  size: number,
  source: number,
  maxApproach: number,
  scale: number,
): number {
  const { effectiveInertia } = actor.work;
  const { limitImpulses } = actor.work.joints;
  const t = addPotential(actor, potentials, LIMIT, bone, coordinate, size);
  potentials.stiffness[t] = effectiveInertia[coordinate] / LIMIT_SOFTNESS;
  potentials.targetVelocity[3 * t] = -maxApproach;
  potentials.multiplier[3 * t] = scale * limitImpulses[source];
  potentials.source[t] = source;
  return t;
}

/** Caches the impulses of limits and friction for the next warm start. */
export function cacheJointImpulses({ work }: Actor, h: number): void {
  work.joints.impulseDuration = h;
  const { potentials, limitImpulses, frictionImpulses } = work.joints;
  limitImpulses.fill(0);
  for (let t = 0; t < potentials.count; t++) {
    const source = potentials.source[t];
    if (potentials.kind[t] === LIMIT) limitImpulses[source] = potentials.impulse[3 * t];
    else if (source < 0) {
      for (let k = 0; k < potentials.size[t]; k++)
        frictionImpulses[-1 - source + k] = potentials.impulse[3 * t + k];
    }
  }
}

/** Writes the velocity of potential t to out[3t..]. */
export function measureJointVelocity(
  potentials: JointPotentials,
  t: number,
  v: Float64Array,
  out: Float64Array,
): void {
  const { kind, coordinate, size, row } = potentials;
  const o = 3 * t;
  const i = coordinate[t];
  if (kind[t] === DRIVE) {
    for (let k = 0; k < size[t]; k++) out[o + k] = v[i + k];
    return;
  }
  let sum = 0;
  for (let k = 0; k < size[t]; k++) sum += row[o + k] * v[i + k];
  out[o] = sum;
}

/**
 * Evaluates impulse and K of potential t at velocity + alpha change.
 *
 * @returns change . impulse
 */
export function evaluateJointPotential(potentials: JointPotentials, t: number, alpha: number): number {
  const {
    kind,
    size,
    targetVelocity,
    stiffness,
    maxImpulse,
    multiplier,
    velocity,
    velocityChange,
    impulse,
    hessianScale,
    saturation,
  } = potentials;
  const o = 3 * t;
  const k = stiffness[t];
  if (kind[t] === LIMIT) {
    const unclamped = multiplier[o] - k * (velocity[o] + alpha * velocityChange[o] - targetVelocity[o]);
    impulse[o] = unclamped > 0 ? unclamped : 0;
    hessianScale[t] = unclamped > 0 ? k : 0;
    return velocityChange[o] * impulse[o];
  }
  const end = o + size[t];
  let square = 0;
  for (let n = o; n < end; n++) {
    const x = multiplier[n] - k * (velocity[n] + alpha * velocityChange[n] - targetVelocity[n]);
    impulse[n] = x;
    square += x * x;
  }
  const bound = maxImpulse[t];
  hessianScale[t] = k;
  saturation[t] = 0;
  if (square > bound * bound) {
    const shrink = bound / Math.sqrt(square);
    for (let n = o; n < end; n++) impulse[n] *= shrink;
    hessianScale[t] = k * shrink;
    saturation[t] = bound > 0 ? 1 / (bound * bound) : 0;
  }
  let rate = 0;
  for (let n = o; n < end; n++) rate += velocityChange[n] * impulse[n];
  return rate;
}

/** Adds the impulse of potential t to joint impulses. */
export function addJointImpulse(potentials: JointPotentials, t: number, out: Float64Array): void {
  const { kind, coordinate, size, row, impulse } = potentials;
  const o = 3 * t;
  const i = coordinate[t];
  for (let k = 0; k < size[t]; k++)
    out[i + k] += kind[t] === LIMIT ? row[o + k] * impulse[o] : impulse[o + k];
}

/** Adds K of potential t times the Newton direction to joint impulses. */
export function addJointHessianProduct(potentials: JointPotentials, t: number, out: Float64Array): void {
  const { kind, coordinate, size, row, velocityChange, impulse, hessianScale, saturation } = potentials;
  const o = 3 * t;
  const i = coordinate[t];
  const scale = hessianScale[t];
  if (kind[t] === LIMIT) {
    for (let k = 0; k < size[t]; k++) out[i + k] += scale * velocityChange[o] * row[o + k];
    return;
  }
  let sum = 0;
  for (let k = 0; k < size[t]; k++) sum += impulse[o + k] * velocityChange[o + k];
  sum *= saturation[t];
  for (let k = 0; k < size[t]; k++) out[i + k] += scale * (velocityChange[o + k] - sum * impulse[o + k]);
}

/** Adds K of potential t, and the curvature of a limit, to the joint blocks, 36 numbers a bone; see `TreeSystem.jointHessian`. */
export function addJointHessian(potentials: JointPotentials, t: number, blocks: Float64Array): void {
  const {
    kind,
    bone,
    blockStart,
    blockSize,
    coordinate,
    size,
    row,
    curvature,
    impulse,
    hessianScale,
    saturation,
  } = potentials;
  const scale = hessianScale[t];
  const o = 3 * t;
  const n = blockSize[t];
  const first = coordinate[t] - blockStart[t];
  const at = 36 * bone[t];
  if (kind[t] === LIMIT && size[t] > 1) {
    for (let r = 0; r < size[t]; r++) {
      for (let c = 0; c < size[t]; c++)
        blocks[at + (first + r) * n + first + c] += curvature[9 * t + size[t] * r + c];
    }
  }
  if (scale === 0) return;
  for (let r = 0; r < size[t]; r++) {
    for (let c = 0; c < size[t]; c++) {
      const entry =
        kind[t] === LIMIT
          ? row[o + r] * row[o + c]
          : (r === c ? 1 : 0) - saturation[t] * impulse[o + r] * impulse[o + c];
      blocks[at + (first + r) * n + first + c] += scale * entry;
    }
  }
}
