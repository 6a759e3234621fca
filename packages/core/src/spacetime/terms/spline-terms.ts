/** Terms in the spline coordinates and the time scaling: smoothness, speed limits, duration. */
import { SpacetimeError } from '../../errors.js';
import { gaussPoints, inequalityPoints } from '../transcription/quadrature.js';
import type { DurationTerm, SmoothnessTerm, SpeedLimitTerm } from '../types/data.js';
import {
  checkedSpan,
  checkWeight,
  costUnits,
  limitsByBone,
  requireRows,
  type TermContext,
  type TermLocation,
  valuesByBone,
  weighted,
} from './context.js';
import { type CompiledTerm, PLAIN } from './term.js';

/** Integral of a squared derivative of the spline coordinates: exact, since it is a polynomial in each knot interval. */
export function smoothnessTerm(
  context: TermContext,
  term: SmoothnessTerm,
  location: TermLocation,
): CompiledTerm {
  const { figure, parameterization } = context;
  const order = term.order ?? 2;
  if (order !== 1 && order !== 2 && order !== 3) {
    throw new SpacetimeError('out-of-range', `is ${order}.`, {
      path: `${location.path}.order`,
      remedy: 'Give 1 (rates), 2 (accelerations) or 3 (jerk).',
    });
  }
  if (order === 3 && parameterization.timeScaling.count > 1) {
    throw new SpacetimeError('unsupported', 'is 3 with a time scaling of several pieces.', {
      path: `${location.path}.order`,
      remedy: 'Give order 2, or a duration of one piece.',
    });
  }
  const factors = valuesByBone(
    figure,
    term.bones,
    term.bones === undefined ? 1 : 0,
    `${location.path}.bones`,
  );
  const coordinates = parameterization.free.filter((i) => factors[i] > 0);
  if (term.bones !== undefined) requireRows(coordinates, `${location.path}.bones`);
  const units = costUnits(figure, term.lengthUnit, `${location.path}.lengthUnit`);
  const scales = Float64Array.from(coordinates, (i) => Math.sqrt(factors[i]) / units[i]);
  const [from, to] = checkedSpan(term.over, context, `${location.path}.over`);
  const weight = checkWeight(term.weight ?? 1, `${location.path}.weight`);
  // n Gauss points integrate a polynomial of degree 2 n - 1 exactly.
  const points = Math.min(4, parameterization.basis.degree - order + 1) as 1 | 2 | 3 | 4;
  return {
    ...PLAIN,
    ...location,
    samples: weighted(gaussPoints(parameterization.basis, from, to, points), weight),
    integral: true,
    kind: 'cost',
    rows: coordinates.length,
    unit: 1,
    unitName: ['', 'rad/s or m/s', 'rad/s^2 or m/s^2', 'rad/s^3 or m/s^3'][order],
    space: 'coordinates',
    order,
    value({ x, timeScale: s, timeScaleRate }, _own, out, o) {
      for (let k = 0; k < coordinates.length; k++) {
        const i = coordinates[k];
        const rate =
          order === 1
            ? x[1][i] / s
            : order === 2
              ? (x[2][i] - (x[1][i] * timeScaleRate) / s) / (s * s)
              : x[3][i] / (s * s * s);
        out[o + k] = scales[k] * rate;
      }
    },
    derivatives(_moment, _own, { orders }) {
      const rows = orders[order];
      for (let k = 0; k < coordinates.length; k++) rows[k * figure.dof + coordinates[k]] = scales[k];
    },
  };
}

/** |v| / limit <= 1, at the points of {@link inequalityPoints}. */
export function speedLimitTerm(
  context: TermContext,
  term: SpeedLimitTerm,
  location: TermLocation,
): CompiledTerm {
  const { figure, parameterization } = context;
  const limits = limitsByBone(figure, term.limit, 'speedLimit', `${location.path}.limit`);
  const coordinates = parameterization.free.filter((i) => limits[i] > 0);
  requireRows(coordinates, `${location.path}.limit`);
  const [from, to] = checkedSpan(term.over, context, `${location.path}.over`);
  return {
    ...PLAIN,
    ...location,
    samples: inequalityPoints(parameterization.basis, context.density, from, to, 1),
    integral: false,
    kind: 'inequality',
    rows: 2 * coordinates.length,
    unit: 1,
    unitName: 'of the limit',
    space: 'tangent',
    order: 1,
    value({ velocity }, _own, out, o) {
      for (let k = 0; k < coordinates.length; k++) {
        const ratio = velocity[coordinates[k]] / limits[coordinates[k]];
        out[o + 2 * k] = ratio - 1;
        out[o + 2 * k + 1] = -ratio - 1;
      }
    },
    derivatives(_moment, _own, { orders }) {
      const { dof } = figure;
      for (let k = 0; k < coordinates.length; k++) {
        const i = coordinates[k];
        orders[1][2 * k * dof + i] = 1 / limits[i];
        orders[1][(2 * k + 1) * dof + i] = -1 / limits[i];
      }
    },
  };
}

/** The duration as a cost: the square of sqrt(T). */
export function durationTerm(context: TermContext, term: DurationTerm, location: TermLocation): CompiledTerm {
  const weight = checkWeight(term.weight ?? 1, `${location.path}.weight`);
  if (context.parameterization.timeScaling.count === 0) {
    throw new SpacetimeError('unsupported', 'has no effect: the duration is fixed.', {
      path: location.path,
      remedy: 'Give duration: { min, max, start }.',
    });
  }
  return {
    ...PLAIN,
    ...location,
    samples: [{ time: context.duration, weight }],
    integral: false,
    kind: 'cost',
    rows: 1,
    unit: 1,
    unitName: 's^(1/2)',
    space: 'tangent',
    order: 0,
    usesTime: true,
    value({ time }, _own, out, o) {
      out[o] = Math.sqrt(time);
    },
    derivatives(sample, _own, { time }) {
      time[0] = 0.5 / Math.sqrt(sample.time);
    },
  };
}
