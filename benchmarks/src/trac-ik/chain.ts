import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Prng } from '../prng.js';
import { dataFolder } from '../problems.js';

/*
 * The judge's own view of a robot: a chain of a URDF file with its own reading of the file and its own kinematics.
 * It imports nothing from packages/, so that a fault of the reader or of the figure cannot hide in both.
 */

/** Rigid transform: rotation row by row, then position. */
export type Frame = readonly number[];

export interface ChainJoint {
  readonly name: string;
  readonly type: 'revolute' | 'continuous' | 'fixed';
  /** Child link. */
  readonly link: string;
  /** Frame of the joint in its parent link. */
  readonly origin: Frame;
  /** Unit, joint frame. */
  readonly axis: readonly [number, number, number];
  /** Limits of the file, rad; infinite for a continuous joint. */
  readonly lower: number;
  readonly upper: number;
}

export interface Chain {
  readonly id: string;
  readonly file: string;
  readonly base: string;
  readonly tip: string;
  readonly joints: readonly ChainJoint[];
  /** The joints that move, in order: their angles are a configuration. */
  readonly moving: readonly ChainJoint[];
}

/** The robots of the protocol. */
export const ROBOTS = [
  { id: 'pr2', file: 'pr2_simplified.urdf', base: 'torso_lift_link', tip: 'r_wrist_roll_link' },
  { id: 'iiwa14', file: 'iiwa14_no_collision.urdf', base: 'iiwa_link_0', tip: 'iiwa_link_7' },
  { id: 'panda', file: 'panda.urdf', base: 'panda_link0', tip: 'panda_link8' },
  { id: 'ur5', file: 'ur5.urdf', base: 'base_link', tip: 'ee_link' },
] as const;

export function readRobotFile(file: string): string {
  const path = join(dataFolder(), 'urdf', file);
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new Error(`benchmarks: cannot read ${path}; set POISE_DATA to the shared data folder`, { cause });
  }
}

/** Reads the chain from `base` to `tip`: revolute, continuous and fixed joints. */
export function readChain({ id, file, base, tip }: (typeof ROBOTS)[number]): Chain {
  // <joint> inside <transmission> or <gazebo> only names one.
  const body = readRobotFile(file).replace(/<!--[\s\S]*?-->|<(transmission|gazebo)\b[\s\S]*?<\/\1>/g, '');
  const joints = new Map<string, ChainJoint & { readonly parent: string }>();
  for (const [, head, inner] of body.matchAll(/<joint\b([^>]*)>([\s\S]*?)<\/joint>/g)) {
    const joint = jointOf(head, inner);
    joints.set(joint.link, joint);
  }
  const chain: ChainJoint[] = [];
  for (let link: string = tip; link !== base; ) {
    const joint = joints.get(link);
    if (joint === undefined) throw new Error(`benchmarks: no joint of ${file} leads to link ${link}`);
    chain.unshift(joint);
    link = joint.parent;
  }
  return { id, file, base, tip, joints: chain, moving: chain.filter((joint) => joint.type !== 'fixed') };
}

function jointOf(head: string, inner: string): ChainJoint & { readonly parent: string } {
  const tag = (name: string): string => new RegExp(`<${name}\\b([^>]*)>`).exec(inner)?.[1] ?? '';
  const [x, y, z] = numbers(attribute(tag('axis'), 'xyz') || '1 0 0');
  const size = Math.hypot(x, y, z);
  const type = attribute(head, 'type') as ChainJoint['type'];
  const limit = tag('limit');
  const bound = (name: string, open: number): number =>
    type === 'continuous' ? open : Number(attribute(limit, name) || 0);
  return {
    name: attribute(head, 'name'),
    type,
    parent: attribute(tag('parent'), 'link'),
    link: attribute(tag('child'), 'link'),
    origin: originFrame(
      numbers(attribute(tag('origin'), 'xyz') || '0 0 0'),
      numbers(attribute(tag('origin'), 'rpy') || '0 0 0'),
    ),
    axis: [x / size, y / size, z / size],
    lower: bound('lower', Number.NEGATIVE_INFINITY),
    upper: bound('upper', Number.POSITIVE_INFINITY),
  };
}

function attribute(text: string, name: string): string {
  return new RegExp(`\\b${name}\\s*=\\s*"([^"]*)"`).exec(text)?.[1] ?? '';
}

function numbers(text: string): number[] {
  return text.trim().split(/\s+/).map(Number);
}

/** Rz(yaw) Ry(pitch) Rx(roll), then the position. */
function originFrame(xyz: number[], [roll, pitch, yaw]: number[]): Frame {
  const rotate = (axis: [number, number, number], angle: number): Frame => rotation(axis, angle);
  const r = compose(compose(rotate([0, 0, 1], yaw), rotate([0, 1, 0], pitch)), rotate([1, 0, 0], roll));
  return [...r.slice(0, 9), ...xyz];
}

/** Rotation about a unit axis: cos I + sin [a] + (1 - cos) a a^T. */
function rotation([x, y, z]: readonly [number, number, number], angle: number): Frame {
  const s = Math.sin(angle);
  const c = Math.cos(angle);
  const v = 1 - c;
  return [
    c + v * x * x,
    v * x * y - s * z,
    v * x * z + s * y,
    v * x * y + s * z,
    c + v * y * y,
    v * y * z - s * x,
    v * x * z - s * y,
    v * y * z + s * x,
    c + v * z * z,
    0,
    0,
    0,
  ];
}

function compose(a: Frame, b: Frame): Frame {
  const out: number[] = [];
  for (let r = 0; r < 3; r++) {
    for (let c = 0; c < 3; c++) out.push(a[3 * r] * b[c] + a[3 * r + 1] * b[3 + c] + a[3 * r + 2] * b[6 + c]);
  }
  for (let r = 0; r < 3; r++)
    out.push(a[9 + r] + a[3 * r] * b[9] + a[3 * r + 1] * b[10] + a[3 * r + 2] * b[11]);
  return out;
}

/** Frame of the tip link in the base link. */
export function forwardChain(chain: Chain, angles: ArrayLike<number>): Frame {
  let frame: Frame = [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0];
  let next = 0;
  for (const joint of chain.joints) {
    frame = compose(frame, joint.origin);
    if (joint.type !== 'fixed') frame = compose(frame, rotation(joint.axis, angles[next++]));
  }
  return frame;
}

/** The middle of each range; 0 for a continuous joint. */
export function midRange(chain: Chain): number[] {
  return chain.moving.map(({ type, lower, upper }) => (type === 'continuous' ? 0 : (lower + upper) / 2));
}

/** Random configurations within the limits, continuous joints in +-pi, and the tip's frame at each. */
export function drawTargets(chain: Chain, prng: Prng, count: number): Frame[] {
  return Array.from({ length: count }, () => {
    const angles = chain.moving.map(({ type, lower, upper }) =>
      type === 'continuous' ? Math.PI * (2 * prng.uniform() - 1) : lower + (upper - lower) * prng.uniform(),
    );
    return forwardChain(chain, angles);
  });
}

/** Largest error that counts as reached, for each of the six components: m and rad. */
export const TOLERANCE = 1e-5;
/** Longest time that counts, ms. */
export const TIME_LIMIT = 5;
/** Allowed over a limit for rounding, rad. */
const LIMIT_ROUNDING = 1e-12;

export interface ChainVerdict {
  readonly success: boolean;
  /** Largest of the six components: position (m) and rotation vector (rad) from the target to the tip, base axes. */
  readonly error: number;
  readonly limitExcess: number;
}

/** Is it a solution: all six components within 1e-5 and every joint within its limits? */
export function judge(chain: Chain, target: Frame, angles: ArrayLike<number>): ChainVerdict {
  const tip = forwardChain(chain, angles);
  let error = 0;
  for (let k = 9; k < 12; k++) error = worst(error, Math.abs(tip[k] - target[k]));
  for (const x of rotationVector(tip, target)) error = worst(error, Math.abs(x));
  let limitExcess = 0;
  chain.moving.forEach(({ lower, upper }, k) => {
    limitExcess = worst(limitExcess, lower - angles[k], angles[k] - upper);
  });
  return { success: error <= TOLERANCE && limitExcess <= LIMIT_ROUNDING, error, limitExcess };
}

/** The largest, with NaN as infinity. */
function worst(...values: number[]): number {
  return Math.max(...values.map((x) => (Number.isNaN(x) ? Number.POSITIVE_INFINITY : x)));
}

/** log(A B^T) for rotations less than half a turn apart: the axial part of the skew half, stretched to the angle. */
function rotationVector(a: Frame, b: Frame): number[] {
  const m = (r: number, c: number): number =>
    a[3 * r] * b[3 * c] + a[3 * r + 1] * b[3 * c + 1] + a[3 * r + 2] * b[3 * c + 2];
  const axial = [m(2, 1) - m(1, 2), m(0, 2) - m(2, 0), m(1, 0) - m(0, 1)].map((x) => x / 2);
  const sine = Math.hypot(...axial);
  const angle = Math.atan2(sine, (m(0, 0) + m(1, 1) + m(2, 2) - 1) / 2);
  // Half a turn has no sine to take the axis from; any component over the tolerance says "missed".
  const stretch = sine > 1e-12 ? angle / sine : 1;
  return angle > 3 ? [angle, 0, 0] : axial.map((x) => stretch * x);
}
