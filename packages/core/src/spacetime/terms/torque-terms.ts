/** Terms in the joint forces: effort and limits. */

import type { Figure } from '../../figure/model/figure.js';
import { findFreeRoots } from '../../figure/model/floating-base.js';
import { torqueDerivativesAt, torquesAt } from '../mechanics/mechanics-cache.js';
import { gaussPoints, inequalityPoints } from '../transcription/quadrature.js';
import type { StateSample } from '../transcription/state-sample.js';
import type { EffortTerm, TorqueLimitTerm } from '../types/data.js';
import {
  checkedSpan,
  checkWeight,
  limitsByBone,
  requireRows,
  type TermContext,
  type TermLocation,
  valuesByBone,
  weighted,
} from './context.js';
import type { CompiledTerm, RowBlock } from './term.js';

/** tau depends on pose, velocity, acceleration and contact forces. */
const TORQUE = {
  space: 'tangent',
  order: 2,
  usesForces: true,
  usesTime: false,
  own: 0,
} as const;

/** Unactuated coordinates: those of free roots. */
export function undrivenByDefault(figure: Figure): (coordinate: number) => boolean {
  const roots = new Set(findFreeRoots(figure));
  return (coordinate) => roots.has(figure.boneOfCoordinate[coordinate]);
}

/** Adds scale times the derivative of tau_i to row r of the block. */
export function addTorqueRow(
  { mechanics }: TermContext,
  sample: StateSample,
  i: number,
  scale: number,
  block: RowBlock,
  r: number,
): void {
  const { byTangent, byVelocity, byAcceleration, byForce } = torqueDerivativesAt(mechanics(), sample);
  const { dof } = sample.parameterization.figure;
  const [g0, g1, g2] = block.orders;
  for (let j = 0; j < dof; j++) {
    g0[r * dof + j] += scale * byTangent[i * dof + j];
    g1[r * dof + j] += scale * byVelocity[i * dof + j];
    g2[r * dof + j] += scale * byAcceleration[i * dof + j];
  }
  const forces = sample.forces.length;
  for (let j = 0; j < forces; j++) block.force[r * forces + j] += scale * byForce[i * forces + j];
}

/** Fewer Gauss points would leave oscillations without cost. */
function effortPoints(degree: number): 2 | 3 | 4 {
  return Math.min(4, degree - 2 + (degree === 3 ? 1 : 0)) as 2 | 3 | 4;
}

export function effortTerm(context: TermContext, term: EffortTerm, location: TermLocation): CompiledTerm {
  const { figure, parameterization } = context;
  const undriven = undrivenByDefault(figure);
  const factors = valuesByBone(
    figure,
    term.bones,
    term.bones === undefined ? 1 : 0,
    `${location.path}.bones`,
  );
  const coordinates = Array.from({ length: figure.dof }, (_, i) => i).filter(
    (i) => factors[i] > 0 && !undriven(i),
  );
  if (term.bones !== undefined) requireRows(coordinates, `${location.path}.bones`);
  const scales = coordinates.map((i) => Math.sqrt(factors[i]));
  const [from, to] = checkedSpan(term.over, context, `${location.path}.over`);
  const weight = checkWeight(term.weight ?? 1, `${location.path}.weight`);
  context.mechanics();
  return {
    ...TORQUE,
    ...location,
    samples: weighted(
      gaussPoints(parameterization.basis, from, to, effortPoints(parameterization.basis.degree)),
      weight,
    ),
    integral: true,
    kind: 'cost',
    rows: coordinates.length,
    unit: 1,
    unitName: 'N m or N',
    value(sample, _own, out, o) {
      const tau = torquesAt(context.mechanics(), sample);
      for (let k = 0; k < coordinates.length; k++) out[o + k] = scales[k] * tau[coordinates[k]];
    },
    derivatives(sample, _own, block) {
      for (let k = 0; k < coordinates.length; k++) {
        addTorqueRow(context, sample, coordinates[k], scales[k], block, k);
      }
    },
  };
}

/** |tau| / limit <= 1, at the points of {@link inequalityPoints}. */
export function torqueLimitTerm(
  context: TermContext,
  term: TorqueLimitTerm,
  location: TermLocation,
): CompiledTerm {
  const { figure, parameterization } = context;
  const undriven = undrivenByDefault(figure);
  const limits = limitsByBone(figure, term.limit, 'torqueLimit', `${location.path}.limit`);
  const coordinates = Array.from({ length: figure.dof }, (_, i) => i).filter(
    (i) => limits[i] > 0 && !undriven(i),
  );
  requireRows(coordinates, `${location.path}.limit`);
  const [from, to] = checkedSpan(term.over, context, `${location.path}.over`);
  context.mechanics();
  return {
    ...TORQUE,
    ...location,
    samples: inequalityPoints(parameterization.basis, context.density, from, to, TORQUE.order),
    integral: false,
    kind: 'inequality',
    rows: 2 * coordinates.length,
    unit: 1,
    unitName: 'of the limit',
    value(sample, _own, out, o) {
      const tau = torquesAt(context.mechanics(), sample);
      for (let k = 0; k < coordinates.length; k++) {
        const ratio = tau[coordinates[k]] / limits[coordinates[k]];
        out[o + 2 * k] = ratio - 1;
        out[o + 2 * k + 1] = -ratio - 1;
      }
    },
    derivatives(sample, _own, block) {
      for (let k = 0; k < coordinates.length; k++) {
        const i = coordinates[k];
        addTorqueRow(context, sample, i, 1 / limits[i], block, 2 * k);
        addTorqueRow(context, sample, i, -1 / limits[i], block, 2 * k + 1);
      }
    },
  };
}
