/** Joint limits of coordinates that are displacements: these can not be told from their control points, and are held at moments. */
import type { LimitPart } from '../../figure/limits/limit.js';
import { limitShapes } from '../../figure/limits/shapes.js';
import { rotationVectors } from '../../figure/model/regularize.js';
import { writeRightJacobianInverse } from '../../rotation/rotation-vector/kernels.js';
import { limitMoments } from '../transcription/quadrature.js';
import type { TermContext, TermPlace } from './context.js';
import { type CompiledTerm, PLAIN } from './term.js';

const gradient = /* @__PURE__ */ new Float64Array(3);
const inverse = /* @__PURE__ */ new Float64Array(9);

/**
 * A row for each set, and for each end of an interval: the farther end alone would have a kink in the middle, where multipliers of both ends
 * meet. Where the reference itself is outside, as far outside is allowed: a displacement of nothing always holds.
 *
 * @param parts - Over free coordinates.
 */
export function limitTerm(context: TermContext, parts: readonly LimitPart[], place: TermPlace): CompiledTerm {
  const { figure, path, duration } = context;
  const vectors = new Set(rotationVectors(figure));
  const ends = parts.flatMap(({ kind, coordinate, parameters }) =>
    kind !== 'interval'
      ? []
      : [
          { coordinate, side: -1, end: parameters[0] },
          { coordinate, side: 1, end: parameters[1] },
        ].filter(({ end }) => Number.isFinite(end)),
  );
  const sets = parts.filter(({ kind }) => kind !== 'interval');
  return {
    ...PLAIN,
    ...place,
    moments: limitMoments(path.basis, 0, duration),
    integral: false,
    kind: 'inequality',
    rows: ends.length + sets.length,
    unit: 1,
    unitName: 'rad or m, swings of the limit',
    space: 'tangent',
    order: 0,
    value({ pose, instant }, _own, out, o) {
      const { pose: reference } = instant.reference;
      for (let k = 0; k < ends.length; k++) {
        const { coordinate, side, end } = ends[k];
        const allowed = Math.max(0, side * (reference[coordinate] - end));
        out[o + k] = side * (pose[coordinate] - end) - allowed;
      }
      for (let k = 0; k < sets.length; k++) {
        const { kind, parameters, coordinate, size } = sets[k];
        const { value } = limitShapes[kind];
        const allowed = Math.max(0, value(parameters, reference, coordinate, size));
        out[o + ends.length + k] = value(parameters, pose, coordinate, size) - allowed;
      }
    },
    derivatives({ pose }, _own, { orders }) {
      const [rows] = orders;
      for (let k = 0; k < ends.length; k++) rows[k * figure.dof + ends[k].coordinate] = ends[k].side;
      for (let k = 0; k < sets.length; k++) {
        const { kind, parameters, coordinate: i, size } = sets[k];
        const at = (ends.length + k) * figure.dof + i;
        limitShapes[kind].gradient(parameters, pose, i, size, gradient, 0);
        for (let c = 0; c < size; c++) rows[at + c] = gradient[c];
        if (!vectors.has(i)) continue;
        writeRightJacobianInverse(pose[i], pose[i + 1], pose[i + 2], inverse, 0);
        for (let c = 0; c < 3; c++) {
          rows[at + c] =
            gradient[0] * inverse[c] + gradient[1] * inverse[3 + c] + gradient[2] * inverse[6 + c];
        }
      }
    },
  };
}
