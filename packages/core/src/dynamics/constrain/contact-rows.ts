import type { FigureState } from '../../figure/state.js';
import type { Numbers } from '../../math/types.js';
import { addRow, type ConstraintRows, chainOf } from './rows.js';

/** Where two bones touch, or a bone and the world; see `Contacts`. */
export interface ContactPoint {
  /** Bone of A, and of B: -1 for the world. */
  readonly boneA: number;
  readonly boneB: number;
  /** World axes, m. */
  readonly pointA: Numbers;
  readonly pointB: Numbers;
  /** Unit, from B to A. */
  readonly normal: Numbers;
  /** m, negative inside. */
  readonly gap: number;
  readonly friction: number;
  readonly restitution: number;
}

export interface ContactSettings {
  /** s */
  readonly step: number;
  /** Share of a depth that is undone in a step, and the fastest that it is undone at, m/s. */
  readonly correction: number;
  readonly fastestCorrection: number;
  /** Depth that is left alone, m: contacts then stay contacts. */
  readonly slop: number;
  /** Slowest approach that bounces, m/s. */
  readonly bounceFrom: number;
}

const across = /* @__PURE__ */ new Float64Array(6);

/**
 * Adds the rows of a contact: one along the normal, and two that rub where there is friction. What is apart may come together within the step and
 * no further (which is why nothing tunnels); what is inside moves apart; what hits faster than `bounceFrom` leaves at `restitution` times
 * the speed.
 *
 * @param nu - Joint velocities before the step.
 * @returns the row along the normal, -1 where there was no room.
 */
export function addContactRows(
  rows: ConstraintRows,
  state: FigureState,
  contact: ContactPoint,
  nu: Numbers,
  settings: ContactSettings,
): number {
  const { boneA, boneB, normal, gap, friction, restitution } = contact;
  const chains = [chainOf(rows, boneA), chainOf(rows, boneB)] as const;
  const r = addRow(rows, ...chains);
  if (r < 0) return r;
  writeContactRow(rows, state, contact, normal, 0, r);
  const { step, correction, fastestCorrection, slop, bounceFrom } = settings;
  const depth = -gap - slop;
  const apart = gap > 0 ? gap / step : -Math.min(fastestCorrection, (correction / step) * Math.max(0, depth));
  const n = rows.figure.dof;
  let approach = 0;
  for (let i = 0; i < n; i++) approach -= rows.jacobian[r * n + i] * nu[i];
  const reaches = gap < approach * step;
  const bounce =
    restitution > 0 && approach > bounceFrom && reaches ? -restitution * approach : Number.POSITIVE_INFINITY;
  rows.bias[r] = Math.min(apart, bounce);
  if (friction > 0) {
    writeAcross(normal);
    for (let k = 0; k < 2; k++) {
      const t = addRow(rows, ...chains);
      if (t < 0) {
        // A pair or none.
        rows.count = r + 1;
        break;
      }
      writeContactRow(rows, state, contact, across, 3 * k, t);
      rows.pushes[t] = r;
      rows.friction[t] = friction;
    }
  }
  return r;
}

/** d . (velocity of A at its point - velocity of B at its) by each joint velocity. */
function writeContactRow(
  { figure, jacobian }: ConstraintRows,
  state: FigureState,
  { boneA, boneB, pointA, pointB }: ContactPoint,
  d: Numbers,
  k: number,
  r: number,
): void {
  const o = r * figure.dof;
  addPointRow(state, boneA, pointA, d, k, 1, jacobian, o);
  addPointRow(state, boneB, pointB, d, k, -1, jacobian, o);
}

function addPointRow(
  { figure, worldFromBone: m, columnsNu: columns, bodyTurn, slides }: FigureState,
  bone: number,
  point: Numbers,
  d: Numbers,
  k: number,
  sign: 1 | -1,
  out: Float64Array,
  o: number,
): void {
  const { parents, coordinateStart } = figure;
  const x = sign * d[k];
  const y = sign * d[k + 1];
  const z = sign * d[k + 2];
  for (let b = bone; b >= 0; b = parents[b]) {
    const e = 12 * b;
    // d . (a x r) = a . (r x d)
    const rx = point[0] - m[e + 9];
    const ry = point[1] - m[e + 10];
    const rz = point[2] - m[e + 11];
    const tx = ry * z - rz * y;
    const ty = rz * x - rx * z;
    const tz = rx * y - ry * x;
    const first = coordinateStart[b];
    if (bodyTurn[b] === 1) {
      out[o + first] += m[e] * tx + m[e + 3] * ty + m[e + 6] * tz;
      out[o + first + 1] += m[e + 1] * tx + m[e + 4] * ty + m[e + 7] * tz;
      out[o + first + 2] += m[e + 2] * tx + m[e + 5] * ty + m[e + 8] * tz;
      continue;
    }
    for (let i = first; i < coordinateStart[b + 1]; i++) {
      const c = 6 * i;
      out[o + i] += columns[c] * tx + columns[c + 1] * ty + columns[c + 2] * tz;
      if (slides[b] === 1) out[o + i] += columns[c + 3] * x + columns[c + 4] * y + columns[c + 5] * z;
    }
  }
}

/** Two unit vectors across the normal and across each other. */
function writeAcross(normal: Numbers): void {
  const [x, y, z] = [normal[0], normal[1], normal[2]];
  // Duff and others 2017: without a branch but for the sign.
  const sign = z >= 0 ? 1 : -1;
  const a = -1 / (sign + z);
  const b = x * y * a;
  across[0] = 1 + sign * x * x * a;
  across[1] = sign * b;
  across[2] = -sign * x;
  across[3] = b;
  across[4] = sign + y * y * a;
  across[5] = -y;
}
