import { requireNumbers } from '../../checks.js';
import { FigureError } from '../../errors.js';
import { length } from '../../math/geometry/vec3.js';
import type { MutableNumbers } from '../../math/linear/types.js';
import { reparameterize, reparameterizeTangent, shellIndex } from '../../rotation/rotation-vector/charts.js';
import { jointTypes } from '../joints/joint-types.js';
import type { Bone, Figure } from './figure.js';
import { checkPose } from './pose.js';

/** A rotation vector, and a tangent at it. */
const v = /* @__PURE__ */ new Float64Array(3);
const m = /* @__PURE__ */ new Float64Array(3);

/**
 * Reparameterizes the rotation vectors of a pose to |v| <= pi, in place: the same orientations, away from the singular shells at
 * 2 pi, 4 pi, ... (Grassia 1997, section 3.2.2). Only of ball and free joints without a limit on the rotation, since a limit is a
 * set of coordinates.
 *
 * Rates q', tangents and increments of the old coordinates must be mapped too (docs/errata.md, erratum 5). Joint velocities v do
 * not depend on the chart. Never call it inside an optimization or between the stages of an integration step, where the chart
 * must not change.
 *
 * @param tangents - Tangent vectors at the pose, length `figure.dof` each, mapped in place.
 * @returns Whether anything changed.
 * @throws FigureError `wrong-size`, `not-finite`.
 */
export function regularizePose(
  figure: Figure,
  pose: MutableNumbers,
  ...tangents: readonly MutableNumbers[]
): boolean {
  checkPose(figure, pose);
  for (let n = 0; n < tangents.length; n++)
    requireNumbers(tangents[n], figure.dof, `tangents[${n}]`, FigureError);
  let changed = false;
  for (let b = 0; b < figure.bones.length; b++) {
    const i = freeRotationVector(figure.bones[b]);
    if (i < 0) continue;
    for (let k = 0; k < 3; k++) v[k] = pose[i + k];
    const angle = length(v[0], v[1], v[2]);
    // v and -v are equivalent at |v| = pi: reparameterization would flip the sign at every call.
    if (angle <= Math.PI) continue;
    const k = shellIndex(v);
    for (let n = 0; n < tangents.length; n++) {
      for (let c = 0; c < 3; c++) m[c] = tangents[n][i + c];
      reparameterizeTangent(v, m, k, m);
      for (let c = 0; c < 3; c++) tangents[n][i + c] = m[c];
    }
    reparameterize(v, k, v);
    for (let c = 0; c < 3; c++) pose[i + c] = v[c];
    changed = true;
  }
  return changed;
}

/**
 * Reparameterizes the rotation vectors at the coordinates `charts` to |v| <= pi, in place: what {@link regularizePose} does, for an
 * accepted iterate or step of a solver, without allocation.
 *
 * @returns How many changed chart.
 */
export function regularizeCharts(charts: Int32Array, pose: Float64Array): number {
  let changes = 0;
  for (let n = 0; n < charts.length; n++) {
    const i = charts[n];
    const t = pose[i] * pose[i] + pose[i + 1] * pose[i + 1] + pose[i + 2] * pose[i + 2];
    if (t <= Math.PI * Math.PI) continue;
    const theta = Math.sqrt(t);
    const factor = 1 - (2 * Math.PI * Math.round(theta / (2 * Math.PI))) / theta;
    for (let k = 0; k < 3; k++) pose[i + k] *= factor;
    changes++;
  }
  return changes;
}

/** First coordinate of each rotation vector of a figure, ascending. */
export function rotationVectors(figure: Figure): Int32Array {
  return Int32Array.from(
    figure.bones
      .filter(({ joint, dof }) => dof > 0 && jointTypes[joint.type].rotationVector >= 0)
      .map(({ joint, coordinate }) => coordinate + jointTypes[joint.type].rotationVector),
  );
}

/** First coordinate of each rotation vector of a figure that may be reparameterized, ascending. */
export function freeRotationVectors(figure: Figure): Int32Array {
  return Int32Array.from(figure.bones.map(freeRotationVector).filter((i) => i >= 0));
}

/** First coordinate of the bone's rotation vector where it may be reparameterized; -1 for none. */
function freeRotationVector({ joint, limit, coordinate }: Bone): number {
  const offset = jointTypes[joint.type].rotationVector;
  // The box limit of a free joint limits its position only, as `normalizeLimit` checks.
  if (offset < 0 || (limit?.type === 'angle' && limit.max < Math.PI)) return -1;
  return coordinate + offset;
}
