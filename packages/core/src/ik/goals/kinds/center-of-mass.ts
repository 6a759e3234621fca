import { GoalError } from '../../../errors.js';
import type { Figure } from '../../../figure/model/figure.js';
import { totalMass } from '../../../figure/model/mass.js';
import type { FigureState } from '../../../figure/model/state.js';
import * as vec3 from '../../../math/geometry/vec3.js';
import type { Numbers, Vec3 } from '../../../math/linear/types.js';
import { writeForce } from '../residuals/observed-point.js';
import {
  createSupportPolygon,
  edgeRows,
  nearestOnPolygon,
  type SupportPolygon,
  updateSupportPolygon,
  writeEdge,
} from '../residuals/support-polygon.js';
import {
  addJointStiffness,
  addNormal,
  COUPLE_BY_TRANSLATION,
  writeCrossBlock,
} from '../residuals/tree-hessian.js';
import { normalizeMask, requireDirection, requireVector, toleranceOf } from '../types/checks.js';
import type { AxisMask, CenterOfMassGoal } from '../types/goal.js';
import {
  type ColumnMap,
  type CompiledComponent,
  componentOf,
  type GoalComponent,
  type GoalHessian,
  type GoalType,
  type JacobianTarget,
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
  /** Q, 3x3. */
  readonly maskMatrix: Float64Array;
  readonly support?: SupportPolygon;
}

/** c, world axes. */
const center = /* @__PURE__ */ new Float64Array(3);
const subtreeCenter = /* @__PURE__ */ new Float64Array(3);
/** Of f by c, then its part that acts on a subtree. */
const force = /* @__PURE__ */ new Float64Array(3);
const wrench = /* @__PURE__ */ new Float64Array(6);
const stiffness = /* @__PURE__ */ new Float64Array(36);
const ONES: AxisMask = [1, 1, 1];

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
    const { goal, support, maskMatrix } = data;
    updateCenter(state, data);
    if (support !== undefined) return nearestOnPolygon(support, center, out, o);
    const target = goal.target as Vec3;
    for (let k = 0; k < 3; k++) out[o + k] = maskMatrix[4 * k] * (center[k] - target[k]);
    return vec3.length(out[o], out[o + 1], out[o + 2]);
  },
  jacobian(state, component, _residual, out) {
    addCenterRows(state, component, gradientOf(component.data), out);
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
  add(state, component, residual, columns, out) {
    addNormal(columns, component.firstRow, 3, out);
    addGeometricStiffness(state, component, gradientOf(component.data), residual, columns, out);
  },
};

/** One row for each edge of the support: the distance of the centre of mass inside of it; a large constant for missing edges. */
export const supportEdgeResidual: ResidualFunction<CenterOfMassData> = {
  evaluate(state, { data, rows }, out, o) {
    updateCenter(state, data);
    for (let r = 0; r < rows; r++) out[o + r] = writeEdge(data.support as SupportPolygon, r, center);
    return 0;
  },
  jacobian(state, component, _residual, out) {
    addCenterRows(state, component, edgesOf(component.data), out);
  },
};

/** The rows are linear in c: without J^T J that is the Hessian of their weighted normals as a force. */
const supportEdgeHessian: GoalHessian<CenterOfMassData> = {
  residualFunction: supportEdgeResidual,
  add(state, component, multipliers, columns, out) {
    addGeometricStiffness(state, component, edgesOf(component.data), multipliers, columns, out);
  },
};

/** dr/dc, 3x3. */
function gradientOf({ support, maskMatrix }: CenterOfMassData): Float64Array {
  return support === undefined ? maskMatrix : support.gradient;
}

/** The normals of the edges, a row each. */
function edgesOf({ support }: CenterOfMassData): Float64Array {
  return (support as SupportPolygon).edges;
}

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
  const [x, y, z] = normalizeMask(goal.mask, `${path}.mask`) ?? ONES;
  return {
    masses,
    total,
    centers: Float64Array.from(bones.flatMap(({ centerOfMass }) => [...(centerOfMass ?? [0, 0, 0])])),
    carried: new Float64Array(bones.length),
    // The last triple is the sum over the roots.
    firstMoments: new Float64Array(3 * bones.length + 3),
    goal,
    up: figure.up,
    maskMatrix: Float64Array.of(x, 0, 0, 0, y, 0, 0, 0, z),
    ...(goal.support === undefined ? {} : { support: createSupportPolygon(goal.support, `${path}.support`) }),
  };
}

/** Sums masses and first moments over the subtree of each bone, and writes c. */
function updateCenter({ figure, worldFromBone: m }: FigureState, data: CenterOfMassData): void {
  const { masses, centers, carried, firstMoments, total } = data;
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
  for (let r = 0; r < 3; r++) center[r] = firstMoments[3 * bones.length + r] / total;
}

/** Adds the rows `gradient` c_i, `gradient` being rows x 3. */
function addCenterRows(
  state: FigureState,
  { data, rows, rowScale, firstRow }: CompiledComponent<CenterOfMassData>,
  gradient: Float64Array,
  { values, width, columnOf, columnScale }: JacobianTarget,
): void {
  const { columnStart, columnEnd, worldFromBone: world, columnsQ } = state;
  const { carried, firstMoments, total } = data;
  for (let b = 0; b < carried.length; b++) {
    const mass = carried[b];
    if (mass === 0) continue;
    const o = 12 * b + 9;
    // M_b (s_b - o_b)
    const x = firstMoments[3 * b] - mass * world[o];
    const y = firstMoments[3 * b + 1] - mass * world[o + 1];
    const z = firstMoments[3 * b + 2] - mass * world[o + 2];
    for (let i = columnStart[b]; i < columnEnd[b]; i++) {
      const k = columnOf[i];
      if (k < 0) continue;
      const c = 6 * i;
      const cx = (mass * columnsQ[c + 3] + columnsQ[c + 1] * z - columnsQ[c + 2] * y) / total;
      const cy = (mass * columnsQ[c + 4] + columnsQ[c + 2] * x - columnsQ[c] * z) / total;
      const cz = (mass * columnsQ[c + 5] + columnsQ[c] * y - columnsQ[c + 1] * x) / total;
      const s = rowScale * columnScale[k];
      for (let r = 0; r < rows; r++) {
        values[(firstRow + r) * width + k] +=
          s * (gradient[3 * r] * cx + gradient[3 * r + 1] * cy + gradient[3 * r + 2] * cz);
      }
    }
  }
}

/** Adds g.c_ij, g = `gradient`^T y: for each coordinate j that of its subtree's centre of mass, which carries M_b/M of g. */
function addGeometricStiffness(
  state: FigureState,
  { data, rows, rowScale, firstRow }: CompiledComponent<CenterOfMassData>,
  gradient: Float64Array,
  y: Numbers,
  columns: ColumnMap,
  out: Float64Array,
): void {
  const { carried, firstMoments, total } = data;
  writeForce(gradient, rows, y, firstRow, rowScale * rowScale, force);
  for (let b = 0; b < carried.length; b++) {
    if (carried[b] === 0) continue;
    for (let k = 0; k < 3; k++) {
      subtreeCenter[k] = firstMoments[3 * b + k] / carried[b];
      wrench[k] = (carried[b] / total) * force[k];
    }
    writeCrossBlock(stiffness, COUPLE_BY_TRANSLATION, wrench, -1);
    addJointStiffness(state, columns, b, -1, subtreeCenter, stiffness, wrench, out);
  }
}
