/** Terms over the unknown coordinates and the timing themselves: smoothness, speed, duration. */
import { SpacetimeError } from '../../errors.js';
import { gaussMoments, limitMoments } from '../transcription/quadrature.js';
import type { DurationTerm, SmoothnessTerm, SpeedLimitTerm } from '../types/data.js';
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
import { type CompiledTerm, PLAIN } from './term.js';

/** The squared derivative of the unknown coordinates, integrated: exact, for it is a polynomial in each knot interval. */
export function smoothnessTerm(context: TermContext, term: SmoothnessTerm, place: TermPlace): CompiledTerm {
  const { figure, path } = context;
  const order = term.order ?? 2;
  if (order !== 1 && order !== 2 && order !== 3) {
    throw new SpacetimeError('out-of-range', `is ${order}.`, {
      path: `${place.path}.order`,
      remedy: 'Give 1 (rates), 2 (accelerations) or 3 (jerk).',
    });
  }
  if (order === 3 && path.clock.count > 1) {
    throw new SpacetimeError('unsupported', 'is 3 while the timing changes along the motion.', {
      path: `${place.path}.order`,
      remedy: 'Give order 2, or a duration in one piece.',
    });
  }
  const factors = numbersByBone(figure, term.bones, term.bones === undefined ? 1 : 0, `${place.path}.bones`);
  const coordinates = path.free.filter((i) => factors[i] > 0);
  if (term.bones !== undefined) requireRows(coordinates, `${place.path}.bones`);
  const scales = Float64Array.from(coordinates, (i) => Math.sqrt(factors[i]));
  const [from, to] = checkedSpan(term.over, context, `${place.path}.over`);
  const weight = checkWeight(term.weight ?? 1, `${place.path}.weight`);
  // A polynomial of twice this degree: so many points integrate it exactly.
  const points = Math.min(4, path.basis.degree - order + 1) as 1 | 2 | 3 | 4;
  return {
    ...PLAIN,
    ...place,
    moments: weighted(gaussMoments(path.basis, from, to, points), weight),
    integral: true,
    kind: 'wish',
    rows: coordinates.length,
    unit: 1,
    unitName: ['', 'rad/s or m/s', 'rad/s^2 or m/s^2', 'rad/s^3 or m/s^3'][order],
    space: 'coordinates',
    order,
    value({ x, stretch: s, stretchRate }, _own, out, o) {
      for (let k = 0; k < coordinates.length; k++) {
        const i = coordinates[k];
        const rate =
          order === 1
            ? x[1][i] / s
            : order === 2
              ? (x[2][i] - (x[1][i] * stretchRate) / s) / (s * s)
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

/** |nu| <= limit, over the limit, at the moments of {@link limitMoments}. */
export function speedLimitTerm(context: TermContext, term: SpeedLimitTerm, place: TermPlace): CompiledTerm {
  const { figure, path } = context;
  const limits = limitsByBone(figure, term.limit, `${place.path}.limit`);
  const coordinates = path.free.filter((i) => limits[i] > 0);
  requireRows(coordinates, `${place.path}.limit`);
  const [from, to] = checkedSpan(term.over, context, `${place.path}.over`);
  return {
    ...PLAIN,
    ...place,
    moments: limitMoments(path.basis, from, to, 1),
    integral: false,
    kind: 'inequality',
    rows: 2 * coordinates.length,
    unit: 1,
    unitName: 'of the limit',
    space: 'tangent',
    order: 1,
    value({ velocity }, _own, out, o) {
      for (let k = 0; k < coordinates.length; k++) {
        const share = velocity[coordinates[k]] / limits[coordinates[k]];
        out[o + 2 * k] = share - 1;
        out[o + 2 * k + 1] = -share - 1;
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

/** Time as a cost: the square of sqrt(T). */
export function durationTerm(context: TermContext, term: DurationTerm, place: TermPlace): CompiledTerm {
  const weight = checkWeight(term.weight ?? 1, `${place.path}.weight`);
  if (context.path.clock.count === 0) {
    throw new SpacetimeError('unsupported', 'asks for a short time while the duration is fixed.', {
      path: place.path,
      remedy: 'Give duration: { min, max, start }.',
    });
  }
  return {
    ...PLAIN,
    ...place,
    moments: [{ time: context.duration, weight }],
    integral: false,
    kind: 'wish',
    rows: 1,
    unit: 1,
    unitName: 's^(1/2)',
    space: 'tangent',
    order: 0,
    usesTime: true,
    value({ time }, _own, out, o) {
      out[o] = Math.sqrt(time);
    },
    derivatives(moment, _own, { time }) {
      time[0] = 0.5 / Math.sqrt(moment.time);
    },
  };
}
