/**
 * Set constraints in the step's model: a half-space is a stiff quadratic penalty along its normal, plus its multiplier times the curvature
 * of the boundary (the Hessian of the Lagrangian). Without the curvature, steps along small friction cones or narrow limits end far
 * outside.
 */

import type { Envelope } from '../../math/linear/envelope-cholesky.js';
import { normalize, projectOutOfBlock } from '../../math/optimization/active-limits.js';
import type { ConvexSet } from '../transcription/convex-sets.js';
import { APEX, INACTIVE, type SetConstraints } from './set-constraints.js';

/** Support point of a set, the normal and the curvature there. */
const supportPoint = /* @__PURE__ */ new Float64Array(3);
const boundaryNormal = /* @__PURE__ */ new Float64Array(3);
const scratch = /* @__PURE__ */ new Float64Array(3);
const curvature = /* @__PURE__ */ new Float64Array(9);

/** Adds the active set constraints to the model's gradient and matrix, and keeps their gradients for corrections of the step. */
export function addSetConstraints(
  sets: readonly ConvexSet[],
  constraints: SetConstraints,
  unknowns: Float64Array,
  modelGradient: Float64Array,
  { base, values }: Envelope,
): void {
  const { active, gradient } = constraints;
  gradient.fill(0);
  for (let k = 0; k < sets.length; k++) {
    if (active[k] === INACTIVE) continue;
    const { at, size } = sets[k];
    writeSetModel(sets[k], k, constraints, unknowns);
    for (let i = 0; i < size; i++) {
      for (let j = 0; j <= i; j++) values[base[at + i] + at + j] += curvature[size * i + j];
      modelGradient[at + i] += gradient[3 * k + i];
    }
  }
}

/** Adds the gradients of the set constraints in the last model. */
export function addSetGradients(
  sets: readonly ConvexSet[],
  { gradient }: SetConstraints,
  modelGradient: Float64Array,
): void {
  for (let k = 0; k < sets.length; k++) {
    const { at, size } = sets[k];
    for (let i = 0; i < size; i++) modelGradient[at + i] += gradient[3 * k + i];
  }
}

/** Writes the matrix of one set constraint to `curvature`, and its gradient at p = 0. */
function writeSetModel(set: ConvexSet, k: number, constraints: SetConstraints, unknowns: Float64Array): void {
  const { at, size } = set;
  const { normal, distance, multiplier, active, gradient } = constraints;
  const stiffness = constraints.penalty[k];
  const o = 3 * k;
  if (active[k] === APEX) {
    for (let i = 0; i < size; i++) {
      for (let j = 0; j < size; j++) curvature[size * i + j] = i === j ? stiffness : 0;
      gradient[o + i] = stiffness * unknowns[at + i] + multiplier[k] * normal[o + i];
    }
    return;
  }
  if (size > 1 && multiplier[k] > 0) {
    for (let i = 0; i < size; i++) supportPoint[i] = unknowns[at + i] + constraints.supportPoint[o + i];
    writeCurvature(set, multiplier[k], stiffness);
  } else {
    curvature.fill(0);
  }
  for (let i = 0; i < size; i++) {
    const n = normal[o + i];
    gradient[o + i] = (stiffness * distance[k] + multiplier[k]) * n;
    for (let j = 0; j < size; j++) {
      gradient[o + i] -= curvature[size * i + j] * constraints.supportPoint[o + j];
      curvature[size * i + j] += stiffness * n * normal[o + j];
    }
  }
}

/**
 * Multiplier times the curvature of the boundary at `supportPoint`: Z H Z over the length of the gradient, Z = 1 - n n^T; limited to
 * `limit`.
 */
function writeCurvature({ shape, parameters, size }: ConvexSet, multiplier: number, limit: number): void {
  shape.gradient(parameters, supportPoint, 0, size, boundaryNormal, 0);
  const inverseLength = normalize(boundaryNormal, 0, size);
  if (!(inverseLength < Number.POSITIVE_INFINITY)) {
    writeRayCurvature(size, limit);
    return;
  }
  shape.hessian(parameters, supportPoint, 0, size, curvature, 0);
  projectOutOfBlock(boundaryNormal, 0, size, curvature, size, 0, scratch);
  let trace = 0;
  for (let i = 0; i < size; i++) trace += curvature[(size + 1) * i];
  const scale = trace > 0 ? Math.min(multiplier * inverseLength, limit / trace) : 0;
  for (let i = 0; i < size; i++) {
    for (let j = 0; j <= i; j++) curvature[size * j + i] = curvature[size * i + j] *= scale;
  }
}

/** Where the boundary has no gradient the set is a ray, a cone without friction: `limit` orthogonal to the direction of `supportPoint`. */
function writeRayCurvature(size: number, limit: number): void {
  let square = 0;
  for (let i = 0; i < size; i++) square += supportPoint[i] * supportPoint[i];
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < size; j++) {
      curvature[size * i + j] = limit * ((i === j ? 1 : 0) - (supportPoint[i] * supportPoint[j]) / square);
    }
  }
}
