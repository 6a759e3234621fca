/** Pose, velocity and acceleration at a moment; closeness to the reference over a span. */

import { gaussMoments } from '../transcription/quadrature.js';
import type { AccelerationTerm, ClosenessTerm, PoseTerm, VelocityTerm } from '../types/data.js';
import {
  checkedSpan,
  checkedVector,
  checkWeight,
  chosenCoordinates,
  momentsAt,
  numbersByBone,
  requireRows,
  type TermContext,
  type TermPlace,
  weighted,
} from './context.js';
import { selectCoordinates, writeDifference, writeDifferenceRows } from './pose-difference.js';
import { type CompiledTerm, PLAIN } from './term.js';

export function poseTerm(context: TermContext, term: PoseTerm, place: TermPlace): CompiledTerm {
  const { figure } = context;
  const target =
    term.pose === undefined ? undefined : checkedVector(term.pose, figure.dof, `${place.path}.pose`);
  const chosen = chosenCoordinates(figure, term.bones, place.path);
  const selection = selectCoordinates(figure, (i) => chosen(i) && context.path.columnOf[i] >= 0);
  const rows = selection.coordinates.length;
  if (term.bones !== undefined) requireRows(selection.coordinates, `${place.path}.bones`);
  const difference = new Float64Array(rows);
  return {
    ...PLAIN,
    ...place,
    ...momentsAt(term.at, term.weight, context, place.path),
    kind: term.weight === undefined ? 'equality' : 'wish',
    rows,
    unit: 1,
    unitName: 'rad or m',
    space: 'tangent',
    order: 0,
    value({ pose, instant }, _own, out, o) {
      writeDifference(selection, pose, target ?? instant.reference.pose, difference, 0);
      for (let k = 0; k < rows; k++) out[o + k] = difference[k];
    },
    derivatives(_moment, _own, { orders }) {
      writeDifferenceRows(selection, difference, 0, 1, figure.dof, orders[0]);
    },
  };
}

/** nu or nu' at a moment. */
export function rateTerm(
  context: TermContext,
  term: VelocityTerm | AccelerationTerm,
  place: TermPlace,
): CompiledTerm {
  const { figure } = context;
  const second = term.type === 'acceleration';
  const given = term.type === 'acceleration' ? term.acceleration : term.velocity;
  const target =
    given === undefined
      ? new Float64Array(figure.dof)
      : checkedVector(given, figure.dof, `${place.path}.${term.type}`);
  const chosen = chosenCoordinates(figure, term.bones, place.path);
  const { coordinates } = selectCoordinates(figure, (i) => chosen(i) && context.path.columnOf[i] >= 0);
  if (term.bones !== undefined) requireRows(coordinates, `${place.path}.bones`);
  return {
    ...PLAIN,
    ...place,
    ...momentsAt(term.at, term.weight, context, place.path),
    kind: term.weight === undefined ? 'equality' : 'wish',
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

/** The squared difference to the reference, integrated. */
export function closenessTerm(context: TermContext, term: ClosenessTerm, place: TermPlace): CompiledTerm {
  const { figure } = context;
  const factors = numbersByBone(figure, term.bones, term.bones === undefined ? 1 : 0, `${place.path}.bones`);
  const selection = selectCoordinates(figure, (i) => factors[i] > 0 && context.path.columnOf[i] >= 0);
  const rows = selection.coordinates.length;
  if (term.bones !== undefined) requireRows(selection.coordinates, `${place.path}.bones`);
  const scales = Float64Array.from(selection.coordinates, (i) => Math.sqrt(factors[i]));
  const difference = new Float64Array(rows);
  const [from, to] = checkedSpan(term.over, context, `${place.path}.over`);
  const weight = checkWeight(term.weight ?? 1, `${place.path}.weight`);
  return {
    ...PLAIN,
    ...place,
    moments: weighted(gaussMoments(context.path.basis, from, to, 2), weight),
    integral: true,
    kind: 'wish',
    rows,
    unit: 1,
    unitName: 'rad or m',
    space: 'tangent',
    order: 0,
    value({ pose, instant }, _own, out, o) {
      writeDifference(selection, pose, instant.reference.pose, difference, 0);
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
