import { boneIndex, type Figure } from '../../../figure/model/figure.js';
import * as vec3 from '../../../math/geometry/vec3.js';
import type { Numbers } from '../../../math/linear/types.js';
import {
  type CarriedPoint,
  type PointFunction,
  pointHessian,
  pointResidual,
} from '../residuals/point-residual.js';
import { checkPlane, copyAs, PLANE, requireCoordinate, resolvePlane, toleranceOf } from '../types/checks.js';
import { type HalfSpaceGoal, isCarried, type Plane, type PlaneGoal } from '../types/goal.js';
import { componentOf, type GoalComponent, type GoalHessian, type GoalType } from '../types/goal-type.js';

interface PlaneData extends CarriedPoint {
  readonly plane: Plane;
  /** The caller's goal: its clearance is read at each solve. */
  readonly goal: { readonly clearance?: number };
  /** Whether the residual is zero in front of the plane. */
  readonly oneSided: boolean;
}

/** n.(p - plane) - clearance, n of unit length. */
function height(p: Numbers, { plane: { point, normal }, goal }: PlaneData): number {
  const along = normal[0] * (p[0] - point[0]) + normal[1] * (p[1] - point[1]) + normal[2] * (p[2] - point[2]);
  return along / vec3.length(normal[0], normal[1], normal[2]) - (goal.clearance ?? 0);
}

/** r = n.(p - plane) in the plane's frame; one-sided: min(0, r - clearance). */
const planeFunction: PointFunction<PlaneData> = {
  value(p, data, out, o) {
    const r = height(p, data);
    out[o] = data.oneSided ? Math.min(0, r) : r;
    return Math.abs(out[o]);
  },
  gradient(_p, data, residual, o, out) {
    const { normal } = data.plane;
    const counts = !data.oneSided || residual[o] < 0;
    const factor = counts ? 1 / vec3.length(normal[0], normal[1], normal[2]) : 0;
    for (let k = 0; k < 3; k++) out[k] = factor * normal[k];
  },
  check({ plane, goal }, path) {
    if (!isCarried(plane)) checkPlane(plane, `${path}.target`);
    requireCoordinate(goal.clearance ?? 0, `${path}.clearance`);
  },
  generic: (data, random) => ({
    ...data,
    oneSided: false,
    plane: isCarried(data.plane)
      ? data.plane
      : { point: [random(), random(), random()], normal: [1 + random(), random(), random()] },
  }),
};

const planeResidual = /* @__PURE__ */ pointResidual(planeFunction);
const planeHessian = /* @__PURE__ */ pointHessian(planeResidual, planeFunction);

/** The Hessians of plane and half-space goals. */
export const planeHessians: readonly GoalHessian[] = [planeHessian];

export const planeGoal: GoalType<PlaneGoal> = {
  fields: { bone: true, point: true, target: PLANE, tolerance: true },
  components: (figure, goal, path) => [planeComponent(figure, goal, {}, false, path)],
};

export const halfSpaceGoal: GoalType<HalfSpaceGoal> = {
  fields: { bone: true, point: true, target: PLANE, clearance: true, tolerance: true },
  components(figure, goal, path) {
    requireCoordinate(goal.clearance ?? 0, `${path}.clearance`);
    return [planeComponent(figure, goal, goal, true, path)];
  },
};

function planeComponent(
  figure: Figure,
  goal: PlaneGoal | HalfSpaceGoal,
  inputs: PlaneData['goal'],
  oneSided: boolean,
  path: string,
): GoalComponent {
  const { plane, targetBone } = resolvePlane(figure, goal.target, `${path}.target`);
  const component: GoalComponent<PlaneData> = {
    residualFunction: planeResidual,
    data: { plane, goal: inputs, oneSided, ...copyAs('point', goal.point, path) },
    rows: 1,
    unit: 'length',
    bone: boneIndex(figure, goal.bone, `${path}.bone`),
    targetBone,
    tolerance: toleranceOf(goal.tolerance, path),
  };
  if (!oneSided) return componentOf(component);
  return componentOf({
    ...component,
    inequality: componentOf({ ...component, data: { ...component.data, oneSided: false } }),
  });
}
