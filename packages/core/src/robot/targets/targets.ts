/** Targets of a robot's bones from the bodies of a human, as GMR scales and offsets them. */
import { areFinite, requireSize } from '../../checks.js';
import { GoalError } from '../../errors.js';
import type { Triple } from '../../figure/data/types.js';
import type { HumanFrame, RobotRetargetConfig } from '../types/retargeting.js';

/** How a frame of a human becomes targets. Arrays by human body. */
export interface TargetPlan {
  /** Names of the bodies. */
  readonly bodies: readonly string[];
  /** Index of the root. */
  readonly root: number;
  readonly scales: Float64Array;
  /** 1 for a body with an offset: those of the first table. */
  readonly hasOffset: Uint8Array;
  /** Offset of position, 3 numbers a body, and of rotation, 4. */
  readonly positions: Float64Array;
  readonly rotations: Float64Array;
  readonly up: Triple;
  readonly groundOffset: number;
  /** Bodies the lowest of which is brought to {@link FOOT_HEIGHT}; empty where the ground is left as it is. */
  readonly feet: Int32Array;
}

/** Targets: 3 and 4 numbers a body. */
export interface Targets {
  readonly positions: Float64Array;
  readonly rotations: Float64Array;
}

/** GMR's height of the lowest foot, m. */
const FOOT_HEIGHT = 0.1;

export interface TargetOptions {
  readonly humanHeight: number;
  readonly groundOffset: number;
  readonly toGround: boolean;
}

/** @throws GoalError `unknown-name` for a body without a scale. */
export function createTargetPlan(
  config: RobotRetargetConfig,
  up: Triple,
  options: TargetOptions,
): TargetPlan {
  const { humanRoot, groundHeight, first, second } = config;
  const matches = [...first, ...second];
  const bodies = [...new Set([humanRoot, ...matches.map(({ human }) => human)])];
  // Without weights an entry of GMR is no match, and its offset is not used.
  const offsets = new Map(
    first.filter((m) => m.positionWeight > 0 || m.rotationWeight > 0).map((match) => [match.human, match]),
  );
  const ratio = options.humanHeight / config.humanHeight;
  return {
    bodies,
    root: 0,
    scales: Float64Array.from(bodies, (body) => ratio * scaleOf(config, body, humanRoot)),
    hasOffset: Uint8Array.from(bodies, (body) => (offsets.has(body) ? 1 : 0)),
    // GMR subtracts the ground from the offsets, which are in the axes of the targets.
    positions: Float64Array.from(
      bodies.flatMap((body) => {
        const match = offsets.get(body);
        return [0, 1, 2].map((k) => (match ? match.position[k] - groundHeight * up[k] : 0));
      }),
    ),
    rotations: Float64Array.from(bodies.flatMap((body) => offsets.get(body)?.rotation ?? [0, 0, 0, 1])),
    up,
    groundOffset: options.groundOffset,
    feet: Int32Array.from(
      options.toGround ? bodies.flatMap((body, k) => (/foot/i.test(body) ? [k] : [])) : [],
    ),
  };
}

function scaleOf({ scales }: RobotRetargetConfig, body: string, root: string): number {
  const scale = scales.get(body);
  if (scale !== undefined) return scale;
  if (body === root) return 1;
  throw new GoalError('unknown-name', `has no scale for '${body}', which a bone follows.`, {
    path: 'config.scales',
    remedy: 'Give it one; 1 keeps its distance from the root.',
  });
}

export function createTargets({ bodies }: TargetPlan): Targets {
  return { positions: new Float64Array(3 * bodies.length), rotations: new Float64Array(4 * bodies.length) };
}

/** @throws GoalError `wrong-size`, `not-finite`. */
export function checkHuman({ bodies }: TargetPlan, human: HumanFrame): void {
  const remedy = 'Give the bodies of `humanBodies`, in that order.';
  requireSize(human?.positions, 3 * bodies.length, 'human.positions', GoalError, remedy);
  requireSize(human?.rotations, 4 * bodies.length, 'human.rotations', GoalError, remedy);
  if (areFinite(human.positions) && areFinite(human.rotations)) return;
  throw new GoalError('not-finite', 'has numbers that are not finite.', {
    path: areFinite(human.positions) ? 'human.rotations' : 'human.positions',
    remedy: 'Give finite numbers.',
  });
}

/**
 * Targets of a frame (GMR, `update_targets`): p* = s (p - p_root) + s_root p_root + R* o,  R* = R R_o, then the ground.
 */
export function writeTargets(plan: TargetPlan, human: HumanFrame, out: Targets): void {
  const { root, scales, up, groundOffset, feet } = plan;
  const { positions: p } = human;
  const o = 3 * root;
  const rx = p[o];
  const ry = p[o + 1];
  const rz = p[o + 2];
  const s0 = scales[root];
  for (let b = 0; b < scales.length; b++) {
    const s = scales[b];
    const i = 3 * b;
    out.positions[i] = (p[i] - rx) * s + s0 * rx;
    out.positions[i + 1] = (p[i + 1] - ry) * s + s0 * ry;
    out.positions[i + 2] = (p[i + 2] - rz) * s + s0 * rz;
    writeOffset(plan, human, b, out);
  }
  let shift = -groundOffset;
  if (feet.length > 0) {
    let lowest = Number.POSITIVE_INFINITY;
    for (let k = 0; k < feet.length; k++) {
      const i = 3 * feet[k];
      const q = out.positions;
      lowest = Math.min(lowest, q[i] * up[0] + q[i + 1] * up[1] + q[i + 2] * up[2]);
    }
    shift = FOOT_HEIGHT - lowest;
  }
  if (shift === 0) return;
  for (let i = 0; i < out.positions.length; i++) out.positions[i] += shift * up[i % 3];
}

/** Rotation of body `b`, turned by its offset, and the offset of its position in these axes. */
function writeOffset(plan: TargetPlan, { rotations: r }: HumanFrame, b: number, out: Targets): void {
  const { hasOffset, positions, rotations } = plan;
  const i = 4 * b;
  const norm = 1 / Math.hypot(r[i], r[i + 1], r[i + 2], r[i + 3]);
  const ax = norm * r[i];
  const ay = norm * r[i + 1];
  const az = norm * r[i + 2];
  const aw = norm * r[i + 3];
  if (hasOffset[b] === 0) {
    out.rotations[i] = ax;
    out.rotations[i + 1] = ay;
    out.rotations[i + 2] = az;
    out.rotations[i + 3] = aw;
    return;
  }
  const bx = rotations[i];
  const by = rotations[i + 1];
  const bz = rotations[i + 2];
  const bw = rotations[i + 3];
  const x = aw * bx + ax * bw + ay * bz - az * by;
  const y = aw * by - ax * bz + ay * bw + az * bx;
  const z = aw * bz + ax * by - ay * bx + az * bw;
  const w = aw * bw - ax * bx - ay * by - az * bz;
  out.rotations[i] = x;
  out.rotations[i + 1] = y;
  out.rotations[i + 2] = z;
  out.rotations[i + 3] = w;
  const k = 3 * b;
  const ox = positions[k];
  const oy = positions[k + 1];
  const oz = positions[k + 2];
  if (ox === 0 && oy === 0 && oz === 0) return;
  // v + 2 w (u x v) + 2 u x (u x v)
  const tx = 2 * (y * oz - z * oy);
  const ty = 2 * (z * ox - x * oz);
  const tz = 2 * (x * oy - y * ox);
  out.positions[k] += ox + w * tx + (y * tz - z * ty);
  out.positions[k + 1] += oy + w * ty + (z * tx - x * tz);
  out.positions[k + 2] += oz + w * tz + (x * ty - y * tx);
}
