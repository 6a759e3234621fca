import { boneIndex } from '../../../figure/model/figure.js';
import * as vec3 from '../../../math/geometry/vec3.js';
import type { MutableNumbers, Numbers, Vec3 } from '../../../math/linear/types.js';
import {
  type CarriedPoint,
  type PointFunction,
  pointHessian,
  pointResidual,
} from '../residuals/point-residual.js';
import {
  BONE_POINT,
  checkWorldPoint,
  copyAs,
  requireMagnitude,
  resolveTarget,
  toleranceOf,
} from '../types/checks.js';
import { type BonePoint, type DistanceGoal, isCarried } from '../types/goal.js';
import { componentOf, type GoalHessian, type GoalType } from '../types/goal-type.js';

interface DistanceData extends CarriedPoint {
  /** The caller's goal: its distance is read at each solve. */
  readonly goal: { readonly distance: number };
  readonly target: Vec3 | BonePoint;
}

const ORIGIN: Vec3 = [0, 0, 0];
/** Direction from the target to the point, and their distance. */
const sight = /* @__PURE__ */ new Float64Array(4);

function writeSight(p: Numbers, { target }: DistanceData): void {
  const from: Numbers = isCarried(target) ? (target.point ?? ORIGIN) : target;
  const x = p[0] - from[0];
  const y = p[1] - from[1];
  const z = p[2] - from[2];
  const distance = vec3.length(x, y, z);
  // Where both coincide every direction is equivalent: the first axis.
  sight[0] = distance > 0 ? x / distance : 1;
  sight[1] = distance > 0 ? y / distance : 0;
  sight[2] = distance > 0 ? z / distance : 0;
  sight[3] = distance;
}

/** r = l - distance, l = |p - p_target|; dr/dp = u, the direction between them; r'' = (I - u u^T) / l. */
const distanceFunction: PointFunction<DistanceData> = {
  value(p, data, out, o) {
    writeSight(p, data);
    out[o] = sight[3] - data.goal.distance;
    return Math.abs(out[o]);
  },
  gradient(p, data, _residual, _o, out) {
    writeSight(p, data);
    for (let k = 0; k < 3; k++) out[k] = sight[k];
  },
  check({ goal, target }, path) {
    requireMagnitude(goal.distance, `${path}.distance`);
    checkWorldPoint(target, `${path}.target`);
  },
  generic: (data, random) => ({
    ...data,
    goal: { distance: 1 + random() },
    target: isCarried(data.target) ? data.target : [random(), random(), random()],
  }),
};

const distanceResidual = /* @__PURE__ */ pointResidual(distanceFunction);
const distanceHessian = /* @__PURE__ */ pointHessian(
  distanceResidual,
  distanceFunction,
  addDistanceCurvature,
);

function addDistanceCurvature(
  p: Numbers,
  data: DistanceData,
  residual: Numbers,
  o: number,
  out: MutableNumbers,
): void {
  writeSight(p, data);
  if (!(sight[3] > 0)) return;
  const factor = residual[o] / sight[3];
  for (let i = 0; i < 3; i++) {
    for (let j = 0; j < 3; j++) out[3 * i + j] += factor * ((i === j ? 1 : 0) - sight[i] * sight[j]);
  }
}

/** The Hessians of distance goals. */
export const distanceHessians: readonly GoalHessian[] = [distanceHessian];

export const distanceGoal: GoalType<DistanceGoal> = {
  fields: { bone: true, point: true, target: BONE_POINT, distance: true, tolerance: true },
  components(figure, goal, path) {
    requireMagnitude(goal.distance, `${path}.distance`);
    const { target, targetBone } = resolveTarget(figure, goal.target, `${path}.target`);
    return [
      componentOf({
        residualFunction: distanceResidual,
        data: { goal, target, ...copyAs('point', goal.point, path) },
        rows: 1,
        unit: 'length',
        bone: boneIndex(figure, goal.bone, `${path}.bone`),
        targetBone,
        tolerance: toleranceOf(goal.tolerance, path),
      }),
    ];
  },
};
