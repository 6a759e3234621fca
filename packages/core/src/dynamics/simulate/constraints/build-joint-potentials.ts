import { limitShapes } from '../../../figure/limits/shapes.js';
import { writeRotationBetween } from '../../../rotation/rotation-vector/rotation-between.js';
import type { Actor } from '../state/actor.js';
import { DRIVE, type JointPotentials, LIMIT } from '../state/joint-potentials.js';
import type { MotorGroup } from '../state/motor.js';

/** Share of the inertia that a limit gives way by within one solve, and dry friction. */
const LIMIT_SOFTNESS = 0.05;
const FRICTION_SOFTNESS = 0.05;
/** How near limits count, rad or m, and for how many steps at the present speed. */
const NEAR_LIMIT = 0.2;
const STEPS_AHEAD = 3;

const error = /* @__PURE__ */ new Float64Array(3);
const gradient = /* @__PURE__ */ new Float64Array(3);

/**
 * Fills the terms of an actor's joints for a step of h seconds, and what joints do that is linear in nu: `diagonal`, to be added to the mass matrix, and,
 * added to `push`, its impulse at the present velocities.
 */
export function buildJointPotentials(
  actor: Actor,
  terms: JointPotentials,
  groups: readonly MotorGroup[],
  h: number,
): void {
  const { velocity, damping, friction, motor, stiffness, rest, work } = actor;
  const { implicitDiagonal, freeImpulse, dynamics } = work;
  terms.count = 0;
  work.hasMotorForce = false;
  work.hasSpringForce = false;
  for (let i = 0; i < velocity.length; i++) {
    implicitDiagonal[i] = dynamics.armature[i] + h * damping[i];
    freeImpulse[i] -= h * damping[i] * velocity[i];
  }
  for (const group of groups) {
    const { coordinate: i, size } = group;
    let pulls = 0;
    let springs = 0;
    for (let k = i; k < i + size; k++) {
      pulls += motor.stiffness[k] + motor.damping[k];
      springs += stiffness[k];
    }
    if (springs > 0) work.hasSpringForce = true;
    if (pulls > 0) work.hasMotorForce = true;
    if (springs > 0) addLinearDrive(actor, group, stiffness, undefined, rest, h);
    if (pulls > 0) {
      if (motor.maxForce[i] === Number.POSITIVE_INFINITY) {
        addLinearDrive(actor, group, motor.stiffness, motor.damping, motor.target, h);
      } else addMotor(actor, terms, group, h);
    }
    if (friction[i] > 0) addFriction(actor, terms, group, h);
  }
  addLimits(actor, terms, h);
}

/** pose - target, in bone axes at a rotation vector, to `error`. */
function writeError(
  { pose }: Actor,
  { coordinate, size, isRotationVector }: MotorGroup,
  target: Float64Array,
): void {
  if (isRotationVector) writeRotationBetween(target, pose, coordinate, error, 0);
  else for (let k = 0; k < size; k++) error[k] = pose[coordinate + k] - target[coordinate + k];
}

/** h (-K (e + h nu') - D (nu' - aim)), nu' at the end of the step. */
function addLinearDrive(
  actor: Actor,
  group: MotorGroup,
  stiffness: Float64Array,
  damping: Float64Array | undefined,
  target: Float64Array,
  h: number,
): void {
  const { velocity, motor, work } = actor;
  const { implicitDiagonal, freeImpulse } = work;
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
  terms: JointPotentials,
  kind: number,
  bone: number,
  i: number,
  size: number,
): number {
  const { coordinateStart } = actor.figure;
  const t = terms.count++;
  terms.kind[t] = kind;
  terms.bone[t] = bone;
  terms.blockStart[t] = coordinateStart[bone];
  terms.blockSize[t] = coordinateStart[bone + 1] - coordinateStart[bone];
  terms.coordinate[t] = i;
  terms.size[t] = size;
  for (let k = 3 * t; k < 3 * t + 3; k++) {
    terms.multiplier[k] = 0;
    terms.targetVelocity[k] = 0;
  }
  return t;
}

function addMotor(actor: Actor, terms: JointPotentials, group: MotorGroup, h: number): void {
  const { motor } = actor;
  const { coordinate: i, size, bone } = group;
  let stiffness = 0;
  let damping = 0;
  for (let k = i; k < i + size; k++) {
    stiffness += motor.stiffness[k] / size;
    damping += motor.damping[k] / size;
  }
  writeError(actor, group, motor.target);
  const t = addPotential(actor, terms, DRIVE, bone, i, size);
  const rate = h * stiffness + damping;
  terms.stiffness[t] = h * rate;
  terms.maxImpulse[t] = h * motor.maxForce[i];
  terms.source[t] = 0;
  for (let k = 0; k < size; k++) {
    terms.targetVelocity[3 * t + k] = (damping * motor.targetVelocity[i + k] - stiffness * error[k]) / rate;
  }
}

function addFriction(actor: Actor, terms: JointPotentials, group: MotorGroup, h: number): void {
  const { coordinate: i, size, bone } = group;
  const { effectiveInertia, frictionImpulses } = actor.work;
  const t = addPotential(actor, terms, DRIVE, bone, i, size);
  terms.stiffness[t] = effectiveInertia[i] / FRICTION_SOFTNESS;
  terms.maxImpulse[t] = h * actor.friction[i];
  terms.source[t] = -1 - i;
  for (let k = 0; k < size; k++) terms.multiplier[3 * t + k] = frictionImpulses[i + k];
}

/**
 * A term for each limit that the motion could reach: g(q) + h grad g . nu <= 0, g the very limit that clamps and solvers use, scaled to the length of
 * its gradient. A rotation vector's limit is a ball, whose gradient J_r leaves as it is: grad g . N nu = grad g . nu for all of them.
 */
function addLimits(actor: Actor, terms: JointPotentials, h: number): void {
  const { figure, pose, velocity } = actor;
  const { limitComponents } = figure;
  let fastest = 0;
  for (let i = 0; i < velocity.length; i++) fastest = Math.max(fastest, Math.abs(velocity[i]));
  const near = NEAR_LIMIT + STEPS_AHEAD * h * fastest;
  for (let p = 0; p < limitComponents.length; p++) {
    const { kind, parameters, coordinate, size, bone } = limitComponents[p];
    if (kind === 'interval') {
      // Both sides may be near at once.
      for (let side = 0; side < 2; side++) {
        const room = side === 0 ? pose[coordinate] - parameters[0] : parameters[1] - pose[coordinate];
        if (!(room < near)) continue;
        const t = addLimit(actor, terms, bone, coordinate, 1, 2 * p + side, room / h);
        terms.row[3 * t] = side === 0 ? 1 : -1;
      }
      continue;
    }
    const shape = limitShapes[kind];
    shape.gradient(parameters, pose, coordinate, size, gradient, 0);
    let length = 0;
    for (let k = 0; k < size; k++) length += gradient[k] * gradient[k];
    length = Math.sqrt(length);
    if (!(length > 0)) continue;
    const room = -shape.value(parameters, pose, coordinate, size) / length;
    if (!(room < near)) continue;
    const t = addLimit(actor, terms, bone, coordinate, size, 2 * p, room / h);
    for (let k = 0; k < size; k++) terms.row[3 * t + k] = -gradient[k] / length;
  }
}

function addLimit(
  actor: Actor,
  terms: JointPotentials,
  bone: number,
  coordinate: number,
  size: number,
  source: number,
  fastest: number,
): number {
  const { effectiveInertia, limitImpulses } = actor.work;
  const t = addPotential(actor, terms, LIMIT, bone, coordinate, size);
  terms.stiffness[t] = effectiveInertia[coordinate] / LIMIT_SOFTNESS;
  terms.targetVelocity[3 * t] = -fastest;
  terms.multiplier[3 * t] = limitImpulses[source];
  terms.source[t] = source;
  return t;
}

/** Remembers what limits and friction pushed with, for the next step to start from. */
export function cacheJointImpulses(actor: Actor, terms: JointPotentials): void {
  const { limitImpulses, frictionImpulses } = actor.work;
  limitImpulses.fill(0);
  for (let t = 0; t < terms.count; t++) {
    const source = terms.source[t];
    if (terms.kind[t] === LIMIT) limitImpulses[source] = terms.impulse[3 * t];
    else if (source < 0) {
      for (let k = 0; k < terms.size[t]; k++) frictionImpulses[-1 - source + k] = terms.impulse[3 * t + k];
    }
  }
}
