import { GoalError } from '../../../errors.js';
import type { Figure } from '../../../figure/model/figure.js';
import { totalMass } from '../../../figure/model/mass.js';
import type { FigureState } from '../../../figure/model/state.js';
import * as vec3 from '../../../math/geometry/vec3.js';
import type { Vec3 } from '../../../math/linear/types.js';
import {
  createSupportPolygon,
  edgeRows,
  nearestOnPolygon,
  type SupportPolygon,
  updateSupportPolygon,
  writeEdge,
} from '../residuals/support-polygon.js';
import { normalizeMask, requireDirection, requireVector, toleranceOf } from '../types/checks.js';
import type { AxisMask, CenterOfMassGoal } from '../types/goal.js';
import {
  type ColumnMap,
  componentOf,
  type GoalComponent,
  type GoalHessian,
  type GoalType,
  type ResidualFunction,
} from '../types/goal-type.js';

interface CenterOfMassData {
  /** Mass of each bone, kg, and of all. */
  readonly masses: Float64Array;
  readonly total: number;
  /** Centre of mass of each bone, bone frame, m. */
  readonly centers: Float64Array;
  /** Mass of each bone with its descendants, and their first moment: the sum of mass times world position. */
  readonly carried: Float64Array;
  readonly firstMoments: Float64Array;
  readonly goal: CenterOfMassGoal;
  /** Up of the figure, for goals without one. */
  readonly up: Vec3;
  readonly mask?: AxisMask;
  readonly support?: SupportPolygon;
}

/** dr/dc, 3x3. */
const residualGradient = /* @__PURE__ */ new Float64Array(9);
const column = /* @__PURE__ */ new Float64Array(3);
const scratch = /* @__PURE__ */ new Float64Array(3);
const force = /* @__PURE__ */ new Float64Array(3);

/**
 * c = sum m_b x_b / sum m_b. A coordinate moves the subtree of its bone, as one point at the subtree's centre of mass:
 *
 *   c_i = M_b/M (l_i + a_i x (s_b - o_b)),   c_ij = a_i x c_j for i before j, where j's bone is carried by i's
 *
 * r = Q (c - target), Q the mask; over a support r = c - its nearest point, normal to up: dr/dc = 0 inside; outside the projection onto
 * the edge's normal, or at a corner onto the plane; the second derivative of r with respect to c is zero.
 */
export const centerOfMassResidual: ResidualFunction<CenterOfMassData> = {
  evaluate(state, { data }, out, o) {
    updateFirstMoments(state, data);
    const { firstMoments, total } = data;
    const roots = firstMoments.length - 3;
    const x = firstMoments[roots] / total;
    const y = firstMoments[roots + 1] / total;
    const z = firstMoments[roots + 2] / total;
    if (data.support !== undefined) return nearestOnPolygon(data.support, x, y, z, out, o, residualGradient);
    const target = data.goal.target as Vec3;
    const mask = data.mask ?? ONES;
    out[o] = mask[0] * (x - target[0]);
    out[o + 1] = mask[1] * (y - target[1]);
    out[o + 2] = mask[2] * (z - target[2]);
    return vec3.length(out[o], out[o + 1], out[o + 2]);
  },
  jacobian(state, { data, rowScale, firstRow }, _residual, out) {
    const { values, width, columnOf, columnScale } = out;
    writeResidualGradient(data);
    const { columnStart, columnEnd } = state;
    const { bones } = state.figure;
    for (let b = 0; b < bones.length; b++) {
      if (data.carried[b] === 0) continue;
      for (let i = columnStart[b]; i < columnEnd[b]; i++) {
        const k = columnOf[i];
        if (k < 0) continue;
        writeColumn(state, data, b, i);
        const s = rowScale * columnScale[k];
        for (let r = 0; r < 3; r++) {
          values[(firstRow + r) * width + k] +=
            s *
            (residualGradient[3 * r] * column[0] +
              residualGradient[3 * r + 1] * column[1] +
              residualGradient[3 * r + 2] * column[2]);
        }
      }
    }
  },
  check({ goal, support, up }, path) {
    if (support === undefined) requireVector(goal.target as Vec3, 3, `${path}.target`);
    else updateSupportPolygon(support, goal.support as readonly Vec3[], goal.up ?? up, path);
  },
  generic: ({ support: _support, ...data }, random) => ({
    ...data,
    goal: { ...data.goal, target: [random() + 3, random(), random()] },
  }),
};

const centerOfMassHessian: GoalHessian<CenterOfMassData> = {
  residualFunction: centerOfMassResidual,
  add(state, { data, rowScale, firstRow }, residual, columns, out) {
    writeResidualGradient(data);
    const square = rowScale * rowScale;
    for (let k = 0; k < 3; k++) {
      let sum = 0;
      for (let r = 0; r < 3; r++) sum += residualGradient[3 * r + k] * residual[firstRow + r];
      force[k] = square * sum;
    }
    for (let b = 0; b < state.figure.bones.length; b++) {
      if (data.carried[b] > 0) addBoneHessian(state, data, b, square, columns, out);
    }
  },
};

/** One row for each edge of the support: the distance of the centre of mass inside of it; a large constant for missing edges. */
export const supportEdgeResidual: ResidualFunction<CenterOfMassData> = {
  evaluate(state, { data, rows }, out, o) {
    updateFirstMoments(state, data);
    const { firstMoments, total, support } = data;
    const roots = firstMoments.length - 3;
    const [x, y, z] = [
      firstMoments[roots] / total,
      firstMoments[roots + 1] / total,
      firstMoments[roots + 2] / total,
    ];
    for (let r = 0; r < rows; r++) out[o + r] = writeEdge(support as SupportPolygon, r, x, y, z, edge);
    return 0;
  },
  jacobian(state, { data, rows, rowScale, firstRow }, _residual, out) {
    const { values, width, columnOf, columnScale } = out;
    const { columnStart, columnEnd } = state;
    const { bones } = state.figure;
    for (let r = 0; r < rows; r++) {
      writeEdge(data.support as SupportPolygon, r, 0, 0, 0, edge);
      for (let b = 0; b < bones.length; b++) {
        if (data.carried[b] === 0) continue;
        for (let i = columnStart[b]; i < columnEnd[b]; i++) {
          const k = columnOf[i];
          if (k < 0) continue;
          writeColumn(state, data, b, i);
          const along = edge[0] * column[0] + edge[1] * column[1] + edge[2] * column[2];
          values[(firstRow + r) * width + k] += rowScale * columnScale[k] * along;
        }
      }
    }
  },
};

/** The rows are linear in c: the Hessian of their weighted normals as a force. */
const supportEdgeHessian: GoalHessian<CenterOfMassData> = {
  residualFunction: supportEdgeResidual,
  add(state, { data, rows, rowScale, firstRow }, multipliers, columns, out) {
    force.fill(0);
    for (let r = 0; r < rows; r++) {
      writeEdge(data.support as SupportPolygon, r, 0, 0, 0, edge);
      for (let k = 0; k < 3; k++) force[k] += rowScale * rowScale * multipliers[firstRow + r] * edge[k];
    }
    for (let b = 0; b < state.figure.bones.length; b++) {
      if (data.carried[b] > 0) addBoneHessian(state, data, b, 0, columns, out);
    }
  },
};

const edge = /* @__PURE__ */ new Float64Array(3);
const ONES: AxisMask = [1, 1, 1];

/** The Hessians of center-of-mass goals. */
export const centerOfMassHessians: readonly GoalHessian[] = [centerOfMassHessian, supportEdgeHessian];

export const centerOfMassGoal: GoalType<CenterOfMassGoal> = {
  fields: { target: true, mask: true, support: true, up: true, tolerance: true },
  components(figure, goal, path) {
    const data = createData(figure, goal, path);
    centerOfMassResidual.check?.(data, path);
    const common = {
      unit: 'length',
      bone: figure.bones.findIndex(({ index }) => data.masses[index] > 0),
      targetBone: -1,
      otherBones: figure.bones.flatMap(({ index }) => (data.masses[index] > 0 ? [index] : [])),
      tolerance: toleranceOf(goal.tolerance, path),
    } as const;
    const component: GoalComponent<CenterOfMassData> = {
      ...common,
      residualFunction: centerOfMassResidual,
      data,
      rows: 3,
    };
    const points = goal.support?.length ?? 0;
    // A single point has no interior: it is an equality, like a target.
    if (points < 2) return [componentOf(component)];
    const inequality = componentOf({
      ...common,
      residualFunction: supportEdgeResidual,
      data,
      rows: edgeRows(points),
    });
    return [componentOf({ ...component, inequality })];
  },
};

function createData(figure: Figure, goal: CenterOfMassGoal, path: string): CenterOfMassData {
  const { bones } = figure;
  const masses = Float64Array.from(bones, ({ mass }) => mass ?? 0);
  const total = totalMass(figure, GoalError, path);
  if ((goal.target === undefined) === (goal.support === undefined)) {
    throw new GoalError('unsupported', 'has both or none of target and support.', {
      path,
      remedy: 'Give a target point, or support points.',
    });
  }
  requireDirection(goal.up ?? figure.up, 3, `${path}.up`);
  const mask = normalizeMask(goal.mask, `${path}.mask`);
  return {
    masses,
    total,
    centers: Float64Array.from(bones.flatMap(({ centerOfMass }) => [...(centerOfMass ?? [0, 0, 0])])),
    carried: new Float64Array(bones.length),
    // The last triple is the sum over the roots.
    firstMoments: new Float64Array(3 * bones.length + 3),
    goal,
    up: figure.up,
    ...(mask === undefined ? {} : { mask }),
    ...(goal.support === undefined ? {} : { support: createSupportPolygon(goal.support, `${path}.support`) }),
  };
}

/** Sums masses and first moments over the subtree of each bone. */
function updateFirstMoments({ figure, worldFromBone: m }: FigureState, data: CenterOfMassData): void {
  const { masses, centers, carried, firstMoments } = data;
  const { parents, bones } = figure;
  firstMoments.fill(0);
  carried.fill(0);
  for (let b = bones.length - 1; b >= 0; b--) {
    const mass = masses[b];
    const w = 12 * b;
    const c = 3 * b;
    for (let r = 0; r < 3; r++) {
      const o = w + 3 * r;
      const position =
        m[w + 9 + r] + m[o] * centers[c] + m[o + 1] * centers[c + 1] + m[o + 2] * centers[c + 2];
      firstMoments[c + r] += mass * position;
    }
    carried[b] += mass;
    const parent = parents[b] < 0 ? bones.length : parents[b];
    if (parent < bones.length) carried[parent] += carried[b];
    for (let r = 0; r < 3; r++) firstMoments[3 * parent + r] += firstMoments[c + r];
  }
}

/** Writes dr/dc: the mask, or the derivative over the support. */
function writeResidualGradient({ support, mask = ONES, firstMoments, total }: CenterOfMassData): void {
  residualGradient.fill(0);
  for (let k = 0; k < 3; k++) residualGradient[4 * k] = mask[k];
  if (support === undefined) return;
  const roots = firstMoments.length - 3;
  const [x, y, z] = [
    firstMoments[roots] / total,
    firstMoments[roots + 1] / total,
    firstMoments[roots + 2] / total,
  ];
  nearestOnPolygon(support, x, y, z, scratch, 0, residualGradient);
}

/** c_i of coordinate i of bone b to `column`. */
function writeColumn(
  { worldFromBone: world, columnsQ }: FigureState,
  { carried, firstMoments, total }: CenterOfMassData,
  b: number,
  i: number,
): void {
  const o = 12 * b + 9;
  const c = 6 * i;
  // M_b (s_b - o_b)
  const mass = carried[b];
  const x = firstMoments[3 * b] - mass * world[o];
  const y = firstMoments[3 * b + 1] - mass * world[o + 1];
  const z = firstMoments[3 * b + 2] - mass * world[o + 2];
  column[0] = (mass * columnsQ[c + 3] + columnsQ[c + 1] * z - columnsQ[c + 2] * y) / total;
  column[1] = (mass * columnsQ[c + 4] + columnsQ[c + 2] * x - columnsQ[c] * z) / total;
  column[2] = (mass * columnsQ[c + 5] + columnsQ[c] * y - columnsQ[c + 1] * x) / total;
}

/** Adds f_ij for each coordinate j of bone b, and i up to j on its ancestors; pairs on two branches share only J^T J. */
function addBoneHessian(
  state: FigureState,
  data: CenterOfMassData,
  b: number,
  square: number,
  { width, columnOf, columnScale }: ColumnMap,
  out: Float64Array,
): void {
  const { figure, columnsQ, axisDerivatives, worldFromBone: world, columnStart, columnEnd } = state;
  const { parents } = figure;
  const first = columnStart[b];
  const o = 12 * b + 9;
  for (let j = first; j < columnEnd[b]; j++) {
    const row = columnOf[j];
    if (row < 0) continue;
    writeColumn(state, data, b, j);
    const [cx, cy, cz] = column;
    // J^T J with every other column; Q^T Q c_j first.
    const s = square * columnScale[row];
    for (let k = 0; k < 3; k++) {
      let sum = 0;
      for (let r = 0; r < 3; r++) {
        const along =
          residualGradient[3 * r] * cx + residualGradient[3 * r + 1] * cy + residualGradient[3 * r + 2] * cz;
        sum += residualGradient[3 * r + k] * along;
      }
      scratch[k] = s * sum;
    }
    const [ax, ay, az] = scratch;
    for (let d = 0; d <= b; d++) {
      if (data.carried[d] === 0) continue;
      for (let i = columnStart[d]; i < columnEnd[d] && (d < b || i <= j); i++) {
        const k = columnOf[i];
        if (k < 0) continue;
        writeColumn(state, data, d, i);
        const work = columnScale[k] * (column[0] * ax + column[1] * ay + column[2] * az);
        out[k <= row ? row * width + k : k * width + row] += work;
      }
    }
    // g.(a_i x c_j) = a_i.(c_j x g)
    const tx = columnScale[row] * (cy * force[2] - cz * force[1]);
    const ty = columnScale[row] * (cz * force[0] - cx * force[2]);
    const tz = columnScale[row] * (cx * force[1] - cy * force[0]);
    for (let d = b; d >= 0; d = parents[d]) {
      for (let i = columnStart[d]; i < columnEnd[d] && (d < b || i <= j); i++) {
        const k = columnOf[i];
        if (k < 0) continue;
        const c = 6 * i;
        const work = columnScale[k] * (columnsQ[c] * tx + columnsQ[c + 1] * ty + columnsQ[c + 2] * tz);
        out[k <= row ? row * width + k : k * width + row] += work;
      }
    }
    // g.(da_i/dq_j x M_b/M (s_b - o_b)) = da_i/dq_j.(arm x g)
    const mass = data.carried[b];
    const x = (data.firstMoments[3 * b] - mass * world[o]) / data.total;
    const y = (data.firstMoments[3 * b + 1] - mass * world[o + 1]) / data.total;
    const z = (data.firstMoments[3 * b + 2] - mass * world[o + 2]) / data.total;
    const ux = columnScale[row] * (y * force[2] - z * force[1]);
    const uy = columnScale[row] * (z * force[0] - x * force[2]);
    const uz = columnScale[row] * (x * force[1] - y * force[0]);
    for (let i = Math.max(first, j - 2); i <= j; i++) {
      const k = columnOf[i];
      if (k < 0) continue;
      const d = 9 * i + 3 * (j - i);
      const work =
        columnScale[k] *
        (axisDerivatives[d] * ux + axisDerivatives[d + 1] * uy + axisDerivatives[d + 2] * uz);
      out[row * width + k] += work;
    }
  }
}
