/** Joint limits of displacement coordinates: their control points do not bound them, so they are inequalities at sample points. */
import type { LimitComponent } from '../../figure/limits/limit.js';
import { limitShapes } from '../../figure/limits/shapes.js';
import { rotationVectors } from '../../figure/model/regularize.js';
import { writeRightJacobianInverse } from '../../rotation/rotation-vector/kernels.js';
import { inequalityPoints } from '../transcription/quadrature.js';
import type { TermContext, TermLocation } from './context.js';
import { type CompiledTerm, PLAIN } from './term.js';

const gradient = /* @__PURE__ */ new Float64Array(3);
const inverse = /* @__PURE__ */ new Float64Array(9);

/**
 * One row per set, and per end of an interval: the nearer end alone would have a kink in the middle of the interval. Where the reference
 * violates a limit, the same violation is allowed, so that a zero displacement is always feasible.
 *
 * @param components - Over free coordinates.
 */
export function limitTerm(
  context: TermContext,
  components: readonly LimitComponent[],
  location: TermLocation,
): CompiledTerm {
  const { figure, parameterization, duration } = context;
  const vectors = new Set(rotationVectors(figure));
  const ends = components.flatMap(({ kind, coordinate, parameters }) =>
    kind !== 'interval'
      ? []
      : [
          { coordinate, sign: -1, end: parameters[0] },
          { coordinate, sign: 1, end: parameters[1] },
        ].filter(({ end }) => Number.isFinite(end)),
  );
  const sets = components.filter(({ kind }) => kind !== 'interval');
  return {
    ...PLAIN,
    ...location,
    samples: inequalityPoints(parameterization.basis, context.density, 0, duration),
    integral: false,
    kind: 'inequality',
    rows: ends.length + sets.length,
    unit: 1,
    unitName: 'rad or m, swings of the limit',
    space: 'tangent',
    order: 0,
    value({ pose, collocation }, _own, out, o) {
      const { pose: reference } = collocation.reference;
      for (let k = 0; k < ends.length; k++) {
        const { coordinate, sign, end } = ends[k];
        const allowed = Math.max(0, sign * (reference[coordinate] - end));
        out[o + k] = sign * (pose[coordinate] - end) - allowed;
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
      for (let k = 0; k < ends.length; k++) rows[k * figure.dof + ends[k].coordinate] = ends[k].sign;
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
