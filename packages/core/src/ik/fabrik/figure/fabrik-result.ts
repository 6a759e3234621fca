import { jointTypes } from '../../../figure/joints/joint-types.js';
import { forwardKinematics } from '../../../figure/kinematics/forward-kinematics.js';
import { updateMotionSubspaceQ } from '../../../figure/kinematics/jacobians.js';
import type { LimitComponent } from '../../../figure/limits/limit.js';
import { limitShapes } from '../../../figure/limits/shapes.js';
import type { Figure } from '../../../figure/model/figure.js';
import type { Numbers } from '../../../math/linear/types.js';
import {
  type ActiveSet,
  createActiveSet,
  stationarityOf,
  updateActiveSet,
} from '../../../math/optimization/active-limits.js';
import { lengthScaleOf } from '../../problem/length-scale.js';
import { activeLimitsOf, type GoalResidual, type IkResult, statusOf } from '../../problem/status.js';
import { type Chains, transformPoint } from './chains.js';

/** Workspace for the result: the position goals as a problem over the free coordinates. */
export interface ResultWorkspace {
  readonly chains: Chains;
  readonly figure: Figure;
  readonly lengthScale: number;
  readonly activeSet: ActiveSet<LimitComponent>;
  /** By column. */
  readonly gradient: Float64Array;
  readonly trial: Float64Array;
  readonly points: Float64Array;
}

/** @param rootFixed - Whether the translations of roots are locked. */
export function createResultWorkspace(chains: Chains, rootFixed: boolean): ResultWorkspace {
  const { bodies, active, endBodies } = chains;
  const { figure } = bodies;
  const lengthScale = lengthScaleOf(figure);
  const coordinates: number[] = [];
  const scale: number[] = [];
  for (const k of active) {
    const { joint, coordinate, dof } = figure.bones[bodies.bones[k]];
    const { translations } = jointTypes[joint.type];
    const lockedCount = rootFixed && chains.isRoot[k] === 1 ? translations : 0;
    for (let i = lockedCount; i < dof; i++) {
      coordinates.push(coordinate + i);
      scale.push(i < translations ? lengthScale : 1);
    }
  }
  const limits = figure.limitComponents.flatMap((limit) => {
    const column = coordinates.indexOf(limit.coordinate);
    return column < 0 ? [] : [{ limit, shape: limitShapes[limit.kind], column }];
  });
  return {
    chains,
    figure,
    lengthScale,
    activeSet: createActiveSet(limits, Int32Array.from(coordinates), Float64Array.from(scale)),
    gradient: new Float64Array(coordinates.length),
    trial: new Float64Array(figure.dof),
    points: new Float64Array(3 * endBodies.length),
  };
}

/** The result at a pose, by forward kinematics and the gradient of f = 1/2 sum of weight |r|^2 / scale^2. */
export function createFabrikResult(
  work: ResultWorkspace,
  pose: Float64Array,
  statistics: { readonly iterations: number; readonly restarts: number; readonly stopped: boolean },
): IkResult {
  const { chains, lengthScale, activeSet, gradient } = work;
  const { bodies, effectors, weights } = chains;
  const { figure, state } = bodies;
  const { iterations, restarts, stopped } = statistics;
  forwardKinematics(state, pose);
  let objective = 0;
  const residuals: GoalResidual[] = effectors.map(({ goal, bone, tolerance }, index) => {
    const value = distanceOf(work, index);
    objective += 0.5 * weights[index] * (value / lengthScale) ** 2;
    const satisfied = value <= tolerance;
    return {
      index,
      type: goal.type,
      bone: figure.bones[bone].name,
      value,
      unit: 'length',
      tolerance,
      satisfied,
    };
  });
  const common = { residuals, objective, lengthScale, iterations, restarts };
  if (residuals.every(({ satisfied }, e) => satisfied || weights[e] === 0))
    return { status: 'converged', activeLimits: [], ...common };
  writeGradient(work, pose);
  updateActiveSet(activeSet, pose, gradient);
  const activeLimits = activeLimitsOf(figure, activeSet);
  const stationarity = stationarityOf(activeSet, pose, gradient, work.trial);
  return {
    status: statusOf(stationarity, activeLimits.length, stopped),
    activeLimits,
    stationarity,
    ...common,
  };
}

function distanceOf({ chains, points }: ResultWorkspace, e: number): number {
  const { effectors, bodies } = chains;
  const { bone, point, targetBone, targetPoint, goal } = effectors[e];
  const { worldFromBone } = bodies.state;
  transformPoint(worldFromBone, 12 * bone, point, 0, points, 6 * e);
  if (targetBone >= 0) transformPoint(worldFromBone, 12 * targetBone, targetPoint, 0, points, 6 * e + 3);
  else for (let c = 0; c < 3; c++) points[6 * e + 3 + c] = (goal.target as Numbers)[c];
  return Math.hypot(
    points[6 * e] - points[6 * e + 3],
    points[6 * e + 1] - points[6 * e + 4],
    points[6 * e + 2] - points[6 * e + 5],
  );
}

/** g = sum of weight r . (dx_bone - dx_target)/dq / lengthScale^2, over the scaled coordinates. */
function writeGradient(
  { chains, activeSet, lengthScale, gradient, points }: ResultWorkspace,
  pose: Float64Array,
): void {
  const { effectors, bodies, weights } = chains;
  const { figure, state } = bodies;
  const { coordinates, columnScale } = activeSet;
  updateMotionSubspaceQ(state, pose);
  gradient.fill(0);
  effectors.forEach(({ bone, targetBone }, e) => {
    const w = weights[e] / lengthScale ** 2;
    const r = [0, 1, 2].map((c) => w * (points[6 * e + c] - points[6 * e + 3 + c]));
    for (const [start, sign, o] of [
      [bone, 1, 6 * e],
      [targetBone, -1, 6 * e + 3],
    ]) {
      const carries = new Uint8Array(figure.bones.length);
      for (let b = start; b >= 0; b = figure.parents[b]) carries[b] = 1;
      coordinates.forEach((i, column) => {
        const b = figure.boneOfCoordinate[i];
        if (carries[b] === 0) return;
        const origin = 12 * b + 9;
        const d = [0, 1, 2].map((c) => points[o + c] - state.worldFromBone[origin + c]);
        const [ax, ay, az, lx, ly, lz] = state.columnsQ.subarray(6 * i, 6 * i + 6);
        const vx = lx + ay * d[2] - az * d[1];
        const vy = ly + az * d[0] - ax * d[2];
        const vz = lz + ax * d[1] - ay * d[0];
        gradient[column] += sign * columnScale[column] * (r[0] * vx + r[1] * vy + r[2] * vz);
      });
    }
  });
}
