import { lowestCommonAncestorIn } from '../../../figure/basis.js';
import { worldPoint } from '../../../figure/kinematics/points.js';
import { boneIndex } from '../../../figure/model/figure.js';
import type { Numbers, Vec3 } from '../../../math/linear/types.js';
import { addPointRows, targetPoint } from '../residuals/point-jacobian.js';
import { type PointFunction, pointHessian, pointResidual } from '../residuals/point-residual.js';
import {
  addChainStiffness,
  addCrossStiffness,
  COUPLE_BY_TRANSLATION,
  FORCE_BY_TRANSLATION,
  writeBlock,
  writeCrossBlock,
} from '../residuals/tree-hessian.js';
import {
  BONE_POINT,
  checkWorldPoint,
  copyAs,
  normalizeMask,
  resolveTarget,
  toleranceOf,
} from '../types/checks.js';
import { type AxisMask, type BonePoint, isCarried, type PositionGoal } from '../types/goal.js';
import {
  componentOf,
  type GoalComponent,
  type GoalHessian,
  type GoalType,
  type ResidualFunction,
} from '../types/goal-type.js';

/** Data of a position component. */
export interface PositionData {
  readonly point?: Vec3;
  readonly target: Vec3 | BonePoint;
}

const point = /* @__PURE__ */ new Float64Array(3);
const target = /* @__PURE__ */ new Float64Array(3);
/** rowScale^2 I: stiffness of the point. */
const identityBlock = /* @__PURE__ */ new Float64Array(9);
const force = /* @__PURE__ */ new Float64Array(6);
const stiffness = /* @__PURE__ */ new Float64Array(36);

/** r = x_bone - x_target; dr = J_bone - J_target. */
export const positionResidual: ResidualFunction<PositionData> = {
  evaluate(state, { bone, targetBone, data }, out, o) {
    worldPoint(state, bone, data.point, point);
    targetPoint(state, targetBone, data.target, target);
    const x = point[0] - target[0];
    const y = point[1] - target[1];
    const z = point[2] - target[2];
    out[o] = x;
    out[o + 1] = y;
    out[o + 2] = z;
    return Math.sqrt(x * x + y * y + z * z);
  },
  jacobian(state, { bone, targetBone, data, rowScale, firstRow }, _residual, out) {
    worldPoint(state, bone, data.point, point);
    addPointRows(state, bone, point, rowScale, firstRow, out);
    if (targetBone < 0) return;
    targetPoint(state, targetBone, data.target, target);
    addPointRows(state, targetBone, target, -rowScale, firstRow, out);
  },
  check: ({ target: worldTarget }, path) => checkWorldPoint(worldTarget, `${path}.target`),
  generic: (data, random) =>
    isCarried(data.target) ? data : { ...data, target: [random(), random(), random()] },
};

/**
 * f = 1/2 |r|^2: f_i = r.x_i and f_ij = x_i.x_j + r.x_ij on the bone's chain, with x_ij = a_i x x_j, so that
 * r.x_ij = a_i.(x_j x r); on the target's, t_i.t_j - a_i.(t_j x r), t_i the velocity of the target's point; between them -x_i.t_j.
 */
const positionHessian: GoalHessian<PositionData> = {
  residualFunction: positionResidual,
  add(state, { bone, targetBone, data, rowScale, firstRow }, residual, columns, out) {
    const end = lowestCommonAncestorIn(state.figure.parents, bone, targetBone);
    const square = rowScale * rowScale;
    worldPoint(state, bone, data.point, point);
    for (let k = 0; k < 3; k++) force[k] = square * residual[firstRow + k];
    identityBlock[0] = identityBlock[4] = identityBlock[8] = square;
    writeBlock(stiffness, FORCE_BY_TRANSLATION, identityBlock, 1);
    writeCrossBlock(stiffness, COUPLE_BY_TRANSLATION, force, -1);
    addChainStiffness(state, columns, bone, end, point, stiffness, force, out);
    if (targetBone < 0) return;
    targetPoint(state, targetBone, data.target, target);
    for (let k = 0; k < 3; k++) force[k] = -force[k];
    writeCrossBlock(stiffness, COUPLE_BY_TRANSLATION, force, -1);
    addChainStiffness(state, columns, targetBone, end, target, stiffness, force, out);
    stiffness.fill(0);
    writeBlock(stiffness, FORCE_BY_TRANSLATION, identityBlock, -1);
    addCrossStiffness(state, columns, bone, point, targetBone, target, end, stiffness, out);
  },
};

interface MaskedPositionData extends PositionData {
  readonly mask: AxisMask;
}

const ORIGIN: Vec3 = [0, 0, 0];

/** r = M (p - p_target) in the frame of the target: the world's axes, or those of the bone that carries it. */
const maskedPosition: PointFunction<MaskedPositionData> = {
  value(p, { target: worldTarget, mask }, out, o) {
    const goal: Numbers = isCarried(worldTarget) ? (worldTarget.point ?? ORIGIN) : worldTarget;
    let square = 0;
    for (let k = 0; k < 3; k++) {
      const r = mask[k] * (p[k] - goal[k]);
      out[o + k] = r;
      square += r * r;
    }
    return Math.sqrt(square);
  },
  gradient(_p, { mask }, _residual, _o, out) {
    for (let k = 0; k < 9; k++) out[k] = k % 4 === 0 ? mask[k / 4] : 0;
  },
  check: positionResidual.check as (data: MaskedPositionData, path: string) => void,
  generic: positionResidual.generic as (data: MaskedPositionData, random: () => number) => MaskedPositionData,
};

export const maskedPositionResidual = /* @__PURE__ */ pointResidual(maskedPosition);
const maskedPositionHessian = /* @__PURE__ */ pointHessian(maskedPositionResidual, maskedPosition);

/** The Hessians of position goals. Relative poses need these and those of orientations. */
export const positionHessians: readonly GoalHessian[] = [positionHessian, maskedPositionHessian];

export const positionGoal: GoalType<PositionGoal> = {
  fields: { bone: true, point: true, target: BONE_POINT, mask: true, tolerance: true },
  components: (figure, goal, path) => [
    positionComponent(
      boneIndex(figure, goal.bone, `${path}.bone`),
      {
        ...copyAs('point', goal.point, `${path}`),
        ...resolveTarget(figure, goal.target, `${path}.target`),
      },
      normalizeMask(goal.mask, `${path}.mask`),
      toleranceOf(goal.tolerance, path),
    ),
  ],
};

/** A position component, masked or not. */
export function positionComponent(
  bone: number,
  { targetBone, ...data }: PositionData & { readonly targetBone: number },
  mask: AxisMask | undefined,
  tolerance: number,
): GoalComponent {
  const common = { rows: 3, unit: 'length', bone, targetBone, tolerance } as const;
  return mask === undefined
    ? componentOf({ ...common, residualFunction: positionResidual, data })
    : componentOf({ ...common, residualFunction: maskedPositionResidual, data: { ...data, mask } });
}
