/** Terms over the joint forces: effort and bounds. */

import { jointTypes } from '../../figure/joints/joint-types.js';
import type { Figure } from '../../figure/model/figure.js';
import { torqueDerivativesAt, torquesAt } from '../mechanics/mechanics-cache.js';
import { gaussMoments, limitMoments } from '../transcription/quadrature.js';
import type { Moment } from '../transcription/state-at.js';
import type { EffortTerm, TorqueLimitTerm } from '../types/data.js';
import {
  checkedSpan,
  checkWeight,
  limitsByBone,
  numbersByBone,
  requireRows,
  type TermContext,
  type TermPlace,
  weighted,
} from './context.js';
import type { CompiledTerm, RowBlock } from './term.js';

/** Rows of tau are written against all that they depend on. */
const TORQUE = {
  space: 'tangent',
  order: 2,
  usesForces: true,
  usesTime: false,
  own: 0,
} as const;

/** Coordinates that nothing drives: those of free joints. */
export function undrivenByDefault({ bones }: Figure): (coordinate: number) => boolean {
  const undriven = new Set<number>();
  for (const { joint, coordinate, dof } of bones) {
    if (joint.type !== 'free' || dof === 0) continue;
    for (let k = 0; k < jointTypes[joint.type].dof; k++) undriven.add(coordinate + k);
  }
  return (coordinate) => undriven.has(coordinate);
}

/** Row r of the block = scale times the derivative of tau_i. */
export function addTorqueRow(
  { mechanics }: TermContext,
  moment: Moment,
  i: number,
  scale: number,
  block: RowBlock,
  r: number,
): void {
  const { byTangent, byVelocity, byAcceleration, byForce } = torqueDerivativesAt(mechanics(), moment);
  const { dof } = moment.path.figure;
  const [g0, g1, g2] = block.orders;
  for (let j = 0; j < dof; j++) {
    g0[r * dof + j] += scale * byTangent[i * dof + j];
    g1[r * dof + j] += scale * byVelocity[i * dof + j];
    g2[r * dof + j] += scale * byAcceleration[i * dof + j];
  }
  const forces = moment.forces.length;
  for (let j = 0; j < forces; j++) block.force[r * forces + j] += scale * byForce[i * forces + j];
}

/** Fewer points would leave wiggles that cost nothing. */
function effortPoints(degree: number): 2 | 3 | 4 {
  return Math.min(4, degree - 2 + (degree === 3 ? 1 : 0)) as 2 | 3 | 4;
}

export function effortTerm(context: TermContext, term: EffortTerm, place: TermPlace): CompiledTerm {
  const { figure, path } = context;
  const undriven = undrivenByDefault(figure);
  const factors = numbersByBone(figure, term.bones, term.bones === undefined ? 1 : 0, `${place.path}.bones`);
  const coordinates = Array.from({ length: figure.dof }, (_, i) => i).filter(
    (i) => factors[i] > 0 && !undriven(i),
  );
  if (term.bones !== undefined) requireRows(coordinates, `${place.path}.bones`);
  const scales = coordinates.map((i) => Math.sqrt(factors[i]));
  const [from, to] = checkedSpan(term.over, context, `${place.path}.over`);
  const weight = checkWeight(term.weight ?? 1, `${place.path}.weight`);
  context.mechanics();
  return {
    ...TORQUE,
    ...place,
    moments: weighted(gaussMoments(path.basis, from, to, effortPoints(path.basis.degree)), weight),
    integral: true,
    kind: 'wish',
    rows: coordinates.length,
    unit: 1,
    unitName: 'N m or N',
    value(moment, _own, out, o) {
      const tau = torquesAt(context.mechanics(), moment);
      for (let k = 0; k < coordinates.length; k++) out[o + k] = scales[k] * tau[coordinates[k]];
    },
    derivatives(moment, _own, block) {
      for (let k = 0; k < coordinates.length; k++) {
        addTorqueRow(context, moment, coordinates[k], scales[k], block, k);
      }
    },
  };
}

/** |tau| <= limit, over the limit, at the moments of {@link limitMoments}. */
export function torqueLimitTerm(context: TermContext, term: TorqueLimitTerm, place: TermPlace): CompiledTerm {
  const { figure, path } = context;
  const undriven = undrivenByDefault(figure);
  const limits = limitsByBone(figure, term.limit, `${place.path}.limit`);
  const coordinates = Array.from({ length: figure.dof }, (_, i) => i).filter(
    (i) => limits[i] > 0 && !undriven(i),
  );
  requireRows(coordinates, `${place.path}.limit`);
  const [from, to] = checkedSpan(term.over, context, `${place.path}.over`);
  context.mechanics();
  return {
    ...TORQUE,
    ...place,
    moments: limitMoments(path.basis, from, to, TORQUE.order),
    integral: false,
    kind: 'inequality',
    rows: 2 * coordinates.length,
    unit: 1,
    unitName: 'of the limit',
    value(moment, _own, out, o) {
      const tau = torquesAt(context.mechanics(), moment);
      for (let k = 0; k < coordinates.length; k++) {
        const share = tau[coordinates[k]] / limits[coordinates[k]];
        out[o + 2 * k] = share - 1;
        out[o + 2 * k + 1] = -share - 1;
      }
    },
    derivatives(moment, _own, block) {
      for (let k = 0; k < coordinates.length; k++) {
        const i = coordinates[k];
        addTorqueRow(context, moment, i, 1 / limits[i], block, 2 * k);
        addTorqueRow(context, moment, i, -1 / limits[i], block, 2 * k + 1);
      }
    },
  };
}
