import { forwardKinematics } from '../../figure/forward-kinematics.js';
import { updateColumnsQ } from '../../figure/jacobians.js';
import { jointTypes } from '../../figure/joints/joint-types.js';
import type { LimitPart } from '../../figure/limits/limit.js';
import { limitShapes } from '../../figure/limits/shapes.js';
import type { Numbers } from '../../math/types.js';
import type { GoalResidual, IkResult, IkStatus } from '../result.js';
import { type Chains, carry } from './chains.js';

/** Stationarity that DESIGN.md asks of `out-of-reach` and `limit-blocked`. */
const STATIONARY = 1e-8;

/** How near its boundary (in g, which has no unit) a curved limit counts as reached. */
const TOUCHING = 1e-10;

/** What judging a pose needs, made once. */
export interface Judge {
  readonly chains: Chains;
  /** Coordinates that may change: 1; what the goals cannot feel has no gradient anyway. */
  readonly free: Uint8Array;
  /** Length that a translation is counted in, 1 for an angle. */
  readonly scale: Float64Array;
  readonly lengthScale: number;
  readonly gradient: Float64Array;
  readonly moved: Float64Array;
  readonly points: Float64Array;
}

/** @param rootFixed - Whether the translations of roots are held. */
export function createJudge(chains: Chains, rootFixed: boolean): Judge {
  const { bodies, active, endBodies } = chains;
  const { figure } = bodies;
  const lengthScale = LEVER_ARM * longestPath(chains);
  const free = new Uint8Array(figure.dof);
  const scale = new Float64Array(figure.dof).fill(1);
  for (const k of active) {
    const bone = figure.bones[bodies.bones[k]];
    const { translations } = jointTypes[bone.joint.type];
    const held = rootFixed && chains.isRoot[k] === 1 ? translations : 0;
    free.fill(1, bone.coordinate + held, bone.coordinate + bone.dof);
    scale.fill(lengthScale, bone.coordinate, bone.coordinate + translations);
  }
  return {
    chains,
    free,
    scale,
    lengthScale,
    gradient: new Float64Array(figure.dof),
    moved: new Float64Array(figure.dof),
    points: new Float64Array(3 * endBodies.length),
  };
}

/** The length scale over the reach: as in `solveIk`, so that both results compare. */
const LEVER_ARM = 0.25;

/** Longest path along the bones from a root to an origin or tip at rest, m; 1 for a figure without extent. */
function longestPath({ bodies }: Chains): number {
  const { figure, boneRests } = bodies;
  const along = new Float64Array(figure.bones.length);
  let longest = 0;
  for (const { index, parent, tip } of figure.bones) {
    const o = 12 * index + 9;
    if (parent >= 0)
      along[index] = along[parent] + Math.hypot(boneRests[o], boneRests[o + 1], boneRests[o + 2]);
    longest = Math.max(longest, along[index] + (tip === undefined ? 0 : Math.hypot(...tip)));
  }
  return longest > 0 ? longest : 1;
}

/** Says where a pose stands, from forward kinematics of its own and the gradient of f = 1/2 sum of weight |r|^2 / scale^2. */
export function judge(
  work: Judge,
  pose: Float64Array,
  effort: { readonly iterations: number; readonly restarts: number; readonly stopped: boolean },
): IkResult {
  const { chains, lengthScale } = work;
  const { bodies, effectors, weights } = chains;
  const { figure, state } = bodies;
  const { iterations, restarts, stopped } = effort;
  forwardKinematics(state, pose);
  let objective = 0;
  const residuals: GoalResidual[] = effectors.map(({ goal, bone, tolerance }, index) => {
    const value = distanceOf(work, index);
    objective += 0.5 * weights[index] * (value / lengthScale) ** 2;
    const satisfied = value <= tolerance;
    return { index, type: goal.type, bone: figure.bones[bone].name, value, tolerance, satisfied };
  });
  const common = { residuals, objective, lengthScale, iterations, restarts };
  if (residuals.every(({ satisfied }, e) => satisfied || weights[e] === 0))
    return { status: 'converged', activeLimits: [], ...common };
  writeGradient(work, pose);
  const activeLimits = figure.limitParts.flatMap((part) => {
    const multiplier = multiplierOf(work, part, pose);
    if (multiplier <= STATIONARY) return [];
    const { bone, role, coordinate } = part;
    return [{ bone: figure.bones[bone].name, role, coordinate, multiplier }];
  });
  const stationarity = stationarityOf(work, pose);
  return { status: statusOf(stationarity, activeLimits, stopped), activeLimits, stationarity, ...common };
}

function statusOf(stationarity: number, active: IkResult['activeLimits'], stopped: boolean): IkStatus {
  if (stationarity <= STATIONARY) return active.length > 0 ? 'limit-blocked' : 'out-of-reach';
  return stopped ? 'iteration-limit' : 'stalled';
}

function distanceOf({ chains, points }: Judge, e: number): number {
  const { effectors, bodies } = chains;
  const { bone, point, targetBone, targetPoint, goal } = effectors[e];
  const { worldFromBone } = bodies.state;
  carry(worldFromBone, 12 * bone, point, 0, points, 6 * e);
  if (targetBone >= 0) carry(worldFromBone, 12 * targetBone, targetPoint, 0, points, 6 * e + 3);
  else for (let c = 0; c < 3; c++) points[6 * e + 3 + c] = (goal.target as Numbers)[c];
  return Math.hypot(
    points[6 * e] - points[6 * e + 3],
    points[6 * e + 1] - points[6 * e + 4],
    points[6 * e + 2] - points[6 * e + 5],
  );
}

/** g = sum of weight r . (dx_bone - dx_target)/dq / lengthScale^2, over the scaled coordinates. */
function writeGradient(
  { chains, free, scale, lengthScale, gradient, points }: Judge,
  pose: Float64Array,
): void {
  const { effectors, bodies, weights } = chains;
  const { figure, state } = bodies;
  updateColumnsQ(state, pose);
  gradient.fill(0);
  effectors.forEach(({ bone, targetBone }, e) => {
    const w = weights[e] / lengthScale ** 2;
    const r = [0, 1, 2].map((c) => w * (points[6 * e + c] - points[6 * e + 3 + c]));
    for (const [start, sign, o] of [
      [bone, 1, 6 * e],
      [targetBone, -1, 6 * e + 3],
    ]) {
      for (let b = start; b >= 0; b = figure.parents[b]) {
        const origin = 12 * b + 9;
        const d = [0, 1, 2].map((c) => points[o + c] - state.worldFromBone[origin + c]);
        for (let i = figure.coordinateStart[b]; i < figure.coordinateStart[b + 1]; i++) {
          if (free[i] === 0) continue;
          const [ax, ay, az, lx, ly, lz] = state.columnsQ.subarray(6 * i, 6 * i + 6);
          const vx = lx + ay * d[2] - az * d[1];
          const vy = ly + az * d[0] - ax * d[2];
          const vz = lz + ax * d[1] - ay * d[0];
          gradient[i] += sign * scale[i] * (r[0] * vx + r[1] * vy + r[2] * vz);
        }
      }
    }
  });
}

/** Push of a limit that the pose touches against the descent, 0 where there is none. */
function multiplierOf({ gradient, free, scale }: Judge, part: LimitPart, pose: Float64Array): number {
  const { kind, parameters, coordinate: i, size } = part;
  if (free[i] === 0) return 0;
  if (kind === 'interval') {
    // A joint read back from its transform stands a rounding inside the bound that it was put on.
    const slack = TOUCHING * scale[i];
    const above = pose[i] + slack >= parameters[1];
    const under = pose[i] - slack <= parameters[0];
    if (above && under) return Math.abs(gradient[i]);
    return above ? Math.max(0, -gradient[i]) : under ? Math.max(0, gradient[i]) : 0;
  }
  const shape = limitShapes[kind];
  if (shape.value(parameters, pose, i, size) < -TOUCHING) return 0;
  const normal = [0, 0, 0];
  shape.gradient(parameters, pose, i, size, normal, 0);
  const push = normal.reduce((sum, x, c) => sum - (c < size ? x * gradient[i + c] : 0), 0);
  return Math.max(0, push / Math.hypot(...normal));
}

/** |P(q - grad f) - q|, P the projection on the limits, translations in length scales. */
function stationarityOf({ chains, free, scale, gradient, moved }: Judge, pose: Float64Array): number {
  const { limitParts } = chains.bodies.figure;
  for (let i = 0; i < pose.length; i++) moved[i] = pose[i] - gradient[i] * scale[i];
  for (const { kind, parameters, coordinate, size } of limitParts) {
    if (free[coordinate] === 1) limitShapes[kind].project(parameters, moved, coordinate, size);
  }
  let sum = 0;
  for (let i = 0; i < pose.length; i++) sum += ((moved[i] - pose[i]) / scale[i]) ** 2;
  return Math.sqrt(sum);
}
