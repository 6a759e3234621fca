import { GoalError } from '../../../errors.js';
import { lowestCommonAncestorIn } from '../../../figure/basis.js';
import { forwardKinematics } from '../../../figure/kinematics/forward-kinematics.js';
import { worldPoint } from '../../../figure/kinematics/points.js';
import { boneIndex, type Figure } from '../../../figure/model/figure.js';
import { createState, type FigureState } from '../../../figure/model/state.js';
import * as vec3 from '../../../math/geometry/vec3.js';
import type { Numbers, Vec3 } from '../../../math/linear/types.js';
import {
  addObservedPointHessian,
  addObservedPointRows,
  rotateRowsToWorld,
  toObserverFrame,
  writeForce,
} from '../residuals/observed-point.js';
import { addNormal } from '../residuals/tree-hessian.js';
import { checkPlane, PLANE, requireVector, resolvePlane, toleranceOf } from '../types/checks.js';
import { isCarried, type MirrorGoal, type Plane } from '../types/goal.js';
import { componentOf, type GoalHessian, type GoalType, type ResidualFunction } from '../types/goal-type.js';

interface MirrorData {
  /** The bone that is mirrored, and its point whose mirror image is `point` at rest, bone frames. */
  readonly of: number;
  readonly image: Vec3;
  readonly point: Vec3;
  /** In the frame of `targetBone`, or in the world. */
  readonly plane: Plane;
}

const worldOwn = /* @__PURE__ */ new Float64Array(3);
const worldImage = /* @__PURE__ */ new Float64Array(3);
const observed = /* @__PURE__ */ new Float64Array(3);
/** S R^T and -R^T: the derivative of r with respect to the world motion of image and point. */
const reflection = /* @__PURE__ */ new Float64Array(9);
const minusIdentity = /* @__PURE__ */ new Float64Array(9);
const force = /* @__PURE__ */ new Float64Array(3);
const ZERO = /* @__PURE__ */ new Float64Array(9);

/**
 * In the plane's frame, r = S (p_image - o) + o - p with S = I - 2 n n^T: linear in both points, so the second derivative of f is
 * J^T J and the geometric stiffness of the forces S r at the image and -r at the point.
 */
export const mirrorResidual: ResidualFunction<MirrorData> = {
  evaluate(state, { bone, targetBone, data }, out, o) {
    worldPoint(state, bone, data.point, worldOwn);
    worldPoint(state, data.of, data.image, worldImage);
    toObserverFrame(state, targetBone, worldImage, observed);
    reflect(data.plane, observed, observed);
    for (let k = 0; k < 3; k++) out[o + k] = observed[k];
    toObserverFrame(state, targetBone, worldOwn, observed);
    for (let k = 0; k < 3; k++) out[o + k] -= observed[k];
    return vec3.length(out[o], out[o + 1], out[o + 2]);
  },
  jacobian(state, { bone, targetBone, data, rowScale, firstRow }, _residual, out) {
    worldPoint(state, bone, data.point, worldOwn);
    worldPoint(state, data.of, data.image, worldImage);
    writeReflection(state, targetBone, data.plane);
    addObservedPointRows(state, data.of, targetBone, worldImage, reflection, 3, rowScale, firstRow, out);
    addObservedPointRows(state, bone, targetBone, worldOwn, minusIdentity, 3, rowScale, firstRow, out);
  },
  check({ plane }, path) {
    if (!isCarried(plane)) checkPlane(plane, `${path}.plane`);
  },
  generic: (data, random) =>
    isCarried(data.plane)
      ? data
      : {
          ...data,
          plane: { point: [random(), random(), random()], normal: [1, random(), random()] },
        },
};

const mirrorHessian: GoalHessian<MirrorData> = {
  residualFunction: mirrorResidual,
  add(state, { bone, targetBone, data, rowScale, firstRow }, residual, columns, out) {
    addNormal(columns, firstRow, 3, out);
    worldPoint(state, bone, data.point, worldOwn);
    worldPoint(state, data.of, data.image, worldImage);
    writeReflection(state, targetBone, data.plane);
    const square = rowScale * rowScale;
    writeForce(reflection, 3, residual, firstRow, square, force);
    addObservedPointHessian(state, columns, data.of, targetBone, worldImage, force, ZERO, out);
    writeForce(minusIdentity, 3, residual, firstRow, square, force);
    addObservedPointHessian(state, columns, bone, targetBone, worldOwn, force, ZERO, out);
  },
};

/** S R^T and -R^T: the derivatives of r, in the plane's axes, with respect to world motion. */
function writeReflection(state: FigureState, observer: number, { normal }: Plane): void {
  const square = vec3.dot(normal, normal);
  for (let i = 0; i < 3; i++) {
    for (let j = 0; j < 3; j++) {
      const same = i === j ? 1 : 0;
      reflection[3 * i + j] = same - (2 * normal[i] * normal[j]) / square;
      minusIdentity[3 * i + j] = -same;
    }
  }
  rotateRowsToWorld(state, observer, reflection, 3);
  rotateRowsToWorld(state, observer, minusIdentity, 3);
}

/** The mirror image of p. */
function reflect({ point, normal }: Plane, p: Numbers, out: Float64Array): void {
  const along =
    (normal[0] * (p[0] - point[0]) + normal[1] * (p[1] - point[1]) + normal[2] * (p[2] - point[2])) /
    vec3.dot(normal, normal);
  for (let k = 0; k < 3; k++) out[k] = p[k] - 2 * along * normal[k];
}

/** The Hessians of mirror goals. */
export const mirrorHessians: readonly GoalHessian[] = [mirrorHessian];

export const mirrorGoal: GoalType<MirrorGoal> = {
  fields: { bone: true, of: true, plane: PLANE, points: true, tolerance: true },
  components(figure, goal, path) {
    const bone = boneIndex(figure, goal.bone, `${path}.bone`);
    const of = boneIndex(figure, goal.of, `${path}.of`);
    if (bone === of) {
      throw new GoalError('unsupported', `asks '${figure.bones[bone].name}' to mirror itself.`, {
        path: `${path}.of`,
        remedy: 'Name the bone on the other side.',
      });
    }
    const rest = createState(figure);
    forwardKinematics(rest, new Float64Array(figure.dof));
    const { plane, targetBone } =
      goal.plane === undefined
        ? symmetryPlane(figure, rest, bone, of)
        : resolvePlane(figure, goal.plane, `${path}.plane`);
    const points = goal.points ?? [[0, 0, 0]];
    if (!Array.isArray(points) || points.length === 0) {
      throw new GoalError('wrong-size', 'has no points.', {
        path: `${path}.points`,
        remedy: 'Give one point or more, or leave it out for the origin.',
      });
    }
    return points.map((point, n) => {
      requireVector(point, 3, `${path}.points[${n}]`);
      return componentOf({
        residualFunction: mirrorResidual,
        data: {
          of,
          plane,
          point: Array.from(point as Vec3),
          image: imageAtRest(rest, bone, of, targetBone, plane, point),
        },
        rows: 3,
        unit: 'length',
        ...(points.length > 1 ? { name: `point ${n}` } : {}),
        bone,
        targetBone,
        otherBones: [of],
        tolerance: toleranceOf(goal.tolerance, path),
      });
    });
  },
};

/** The plane through the origin of the lowest common ancestor, perpendicular to the world's x axis at rest. */
function symmetryPlane(
  figure: Figure,
  { worldFromBone: m }: FigureState,
  bone: number,
  of: number,
): { readonly plane: Plane; readonly targetBone: number } {
  const shared = lowestCommonAncestorIn(figure.parents, bone, of);
  if (shared < 0) return { plane: { point: [0, 0, 0], normal: [1, 0, 0] }, targetBone: -1 };
  const w = 12 * shared;
  return {
    plane: { bone: shared, point: [0, 0, 0], normal: [m[w], m[w + 1], m[w + 2]] },
    targetBone: shared,
  };
}

/** The mirror image at rest of a point of `bone`, in the frame of `of`. */
function imageAtRest(
  rest: FigureState,
  bone: number,
  of: number,
  observer: number,
  plane: Plane,
  point: Vec3,
): Vec3 {
  worldPoint(rest, bone, point, worldOwn);
  toObserverFrame(rest, observer, worldOwn, observed);
  reflect(plane, observed, observed);
  if (observer >= 0) worldPoint(rest, observer, Array.from(observed), observed);
  const out = [0, 0, 0];
  toObserverFrame(rest, of, observed, out);
  return out;
}
