/** Joint limits of coordinates that are displacements: these can not be told from their control points, and are held at moments. */
import type { LimitPart } from '../../figure/limits/limit.js';
import { limitShapes } from '../../figure/limits/shapes.js';
import { rotationVectors } from '../../figure/regularize.js';
import { writeRightJacobianInverse } from '../../rotation/kernels.js';
import { limitMoments } from '../moments-of.js';
import { type CompiledTerm, PLAIN } from '../term.js';
import type { TermContext, TermPlace } from './context.js';

const gradient = /* @__PURE__ */ new Float64Array(3);
const inverse = /* @__PURE__ */ new Float64Array(9);

/** @param parts - Over free coordinates. */
export function limitTerm(context: TermContext, parts: readonly LimitPart[], place: TermPlace): CompiledTerm {
  const { figure, path, duration } = context;
  const vectors = new Set(rotationVectors(figure));
  return {
    ...PLAIN,
    ...place,
    moments: limitMoments(path.basis, 0, duration),
    integral: false,
    kind: 'inequality',
    rows: parts.length,
    unit: 1,
    unitName: 'of the limit',
    space: 'tangent',
    order: 0,
    value({ pose }, _own, out, o) {
      for (let k = 0; k < parts.length; k++) {
        const { kind, parameters, coordinate, size } = parts[k];
        out[o + k] = limitShapes[kind].value(parameters, pose, coordinate, size);
      }
    },
    derivatives({ pose }, _own, { orders }) {
      for (let k = 0; k < parts.length; k++) {
        const { kind, parameters, coordinate: i, size } = parts[k];
        const at = k * figure.dof + i;
        limitShapes[kind].gradient(parameters, pose, i, size, gradient, 0);
        for (let c = 0; c < size; c++) orders[0][at + c] = gradient[c];
        if (size !== 3 || !vectors.has(i)) continue;
        writeRightJacobianInverse(pose[i], pose[i + 1], pose[i + 2], inverse, 0);
        for (let c = 0; c < 3; c++) {
          orders[0][at + c] =
            gradient[0] * inverse[c] + gradient[1] * inverse[3 + c] + gradient[2] * inverse[6 + c];
        }
      }
    },
  };
}
