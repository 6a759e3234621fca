/** Pose, velocity and acceleration at given times; tracking of the reference over a span. */

import { gaussPoints } from '../transcription/quadrature.js';
import type { AccelerationTerm, PoseTerm, TrackingTerm, VelocityTerm } from '../types/data.js';
import {
  checkedSpan,
  checkedVector,
  checkWeight,
  chosenCoordinates,
  costUnits,
  requireRows,
  samplesAt,
  type TermContext,
  type TermLocation,
  valuesByBone,
  weighted,
} from './context.js';
import { selectCoordinates, writeDifference, writeDifferenceRows } from './pose-difference.js';
import { type CompiledTerm, PLAIN } from './term.js';

export function poseTerm(context: TermContext, term: PoseTerm, location: TermLocation): CompiledTerm {
  const { figure } = context;
  const target =
    term.pose === undefined ? undefined : checkedVector(term.pose, figure.dof, `${location.path}.pose`);
  const chosen = chosenCoordinates(figure, term.bones, location.path);
  const selection = selectCoordinates(figure, (i) => chosen(i) && context.parameterization.columnOf[i] >= 0);
  const rows = selection.coordinates.length;
  if (term.bones !== undefined) requireRows(selection.coordinates, `${location.path}.bones`);
  const difference = new Float64Array(rows);
  return {
    ...PLAIN,
    ...location,
    ...samplesAt(term.at, term.weight, context, location.path),
    kind: term.weight === undefined ? 'equality' : 'cost',
    rows,
    unit: 1,
    unitName: 'rad or m',
    space: 'tangent',
    order: 0,
    value({ pose, collocation }, _own, out, o) {
      writeDifference(selection, pose, target ?? collocation.reference.pose, difference, 0);
      for (let k = 0; k < rows; k++) out[o + k] = difference[k];
    },
    derivatives(_moment, _own, { orders }) {
      writeDifferenceRows(selection, difference, 0, 1, figure.dof, orders[0]);
    },
  };
}

/** v or v' at given times. */
export function rateTerm(
  context: TermContext,
  term: VelocityTerm | AccelerationTerm,
  location: TermLocation,
): CompiledTerm {
  const { figure } = context;
  const second = term.type === 'acceleration';
  const given = term.type === 'acceleration' ? term.acceleration : term.velocity;
  const target =
    given === undefined
      ? new Float64Array(figure.dof)
      : checkedVector(given, figure.dof, `${location.path}.${term.type}`);
  const chosen = chosenCoordinates(figure, term.bones, location.path);
  const { coordinates } = selectCoordinates(
    figure,
    (i) => chosen(i) && context.parameterization.columnOf[i] >= 0,
  );
  if (term.bones !== undefined) requireRows(coordinates, `${location.path}.bones`);
  return {
    ...PLAIN,
    ...location,
    ...samplesAt(term.at, term.weight, context, location.path),
    kind: term.weight === undefined ? 'equality' : 'cost',
    rows: coordinates.length,
    unit: 1,
    unitName: second ? 'rad/s^2 or m/s^2' : 'rad/s or m/s',
    space: 'tangent',
    order: second ? 2 : 1,
    value({ velocity, acceleration }, _own, out, o) {
      const is = second ? acceleration : velocity;
      for (let k = 0; k < coordinates.length; k++) out[o + k] = is[coordinates[k]] - target[coordinates[k]];
    },
    derivatives(_moment, _own, { orders }) {
      const rows = orders[second ? 2 : 1];
      for (let k = 0; k < coordinates.length; k++) rows[k * figure.dof + coordinates[k]] = 1;
    },
  };
}

/** Integral of the squared difference to the reference. */
export function trackingTerm(context: TermContext, term: TrackingTerm, location: TermLocation): CompiledTerm {
  const { figure } = context;
  const factors = valuesByBone(
    figure,
    term.bones,
    term.bones === undefined ? 1 : 0,
    `${location.path}.bones`,
  );
  const selection = selectCoordinates(
    figure,
    (i) => factors[i] > 0 && context.parameterization.columnOf[i] >= 0,
  );
  const rows = selection.coordinates.length;
  if (term.bones !== undefined) requireRows(selection.coordinates, `${location.path}.bones`);
  const units = costUnits(figure, term.lengthUnit, `${location.path}.lengthUnit`);
  const scales = Float64Array.from(selection.coordinates, (i) => Math.sqrt(factors[i]) / units[i]);
  const difference = new Float64Array(rows);
  const [from, to] = checkedSpan(term.over, context, `${location.path}.over`);
  const weight = checkWeight(term.weight ?? 1, `${location.path}.weight`);
  return {
    ...PLAIN,
    ...location,
    samples: weighted(gaussPoints(context.parameterization.basis, from, to, 2), weight),
    integral: true,
    kind: 'cost',
    rows,
    unit: 1,
    unitName: 'rad or m',
    space: 'tangent',
    order: 0,
    value({ pose, collocation }, _own, out, o) {
      writeDifference(selection, pose, collocation.reference.pose, difference, 0);
      for (let k = 0; k < rows; k++) out[o + k] = scales[k] * difference[k];
    },
    derivatives(_moment, _own, { orders }) {
      const [byPose] = orders;
      writeDifferenceRows(selection, difference, 0, 1, figure.dof, byPose);
      for (let k = 0; k < rows; k++) {
        for (let i = 0; i < figure.dof; i++) byPose[k * figure.dof + i] *= scales[k];
      }
    },
  };
}
