import type { BoneData, JointData, Triple } from '../../src/figure/data/types.js';
import { createFigure, type Figure } from '../../src/figure/index.js';
import * as quat from '../../src/math/geometry/quat.js';
import type { Numbers } from '../../src/math/linear/types.js';
import { rotationVectorFromQuat } from '../../src/rotation/rotation-vector/log.js';

/** A body as MuJoCo compiles it; quaternions w, x, y, z. */
export interface Body {
  readonly name: string;
  readonly parent: string;
  readonly pos: Numbers;
  readonly quat_wxyz: Numbers;
  readonly mass: number;
  readonly ipos: Numbers;
  readonly iquat_wxyz: Numbers;
  readonly inertia_diag: Numbers;
}

export interface MujocoJoint {
  readonly type: string;
  readonly body: string;
  readonly qposadr: number;
  readonly dofadr: number;
  readonly pos: Numbers;
  readonly axis: Numbers;
  readonly qpos0: Numbers;
}

/** The figure of a MuJoCo model, and MuJoCo's states in its coordinates. */
export interface MujocoFigure {
  readonly figure: Figure;
  /** Index in v of each of MuJoCo's velocities. Both have the same ones, in another order. */
  readonly indices: Int32Array;
  poseOf(qpos: Numbers): Float64Array;
  /** v, v', tau or armature. */
  toFigure(vector: Numbers): Float64Array;
  fromFigure(vector: Numbers): number[];
  /** Square matrices likewise. */
  matrixFromFigure(matrix: Numbers): number[];
}

/**
 * A joint of MuJoCo is one bone, which turns about the joint's anchor in its body, the first joint outermost; at the end of them comes the
 * body, fixed to the last one. So all moving bones are without mass, and all masses are on fixed bones.
 */
export function figureFromMujoco(bodies: readonly Body[], joints: readonly MujocoJoint[]): MujocoFigure {
  const bones: BoneData[] = [];
  for (const body of bodies) {
    let parent = body.parent === 'world' ? null : body.parent;
    let position: readonly number[] = Array.from(body.pos);
    let rotation: readonly number[] = xyzw(body.quat_wxyz);
    const own = joints.filter((joint) => joint.body === body.name);
    own.forEach((joint, k) => {
      const name = nameOf(joint);
      // A free joint says where the body is, wherever the model has put it.
      if (joint.type === 'free') {
        [position, rotation] = [
          [0, 0, 0],
          [0, 0, 0, 1],
        ];
      }
      const anchor = k === 0 ? Array.from(joint.pos) : Array.from(joint.pos, (x, n) => x - own[k - 1].pos[n]);
      const moved = quat.rotate(rotation, anchor);
      bones.push({
        name,
        parent,
        rest: rest(
          position.map((x, n) => x + moved[n]),
          rotation,
        ),
        joint: jointOf(joint),
      });
      parent = name;
      [position, rotation] = [Array.from(joint.pos, (x) => -x), [0, 0, 0, 1]];
      if (k + 1 < own.length) position = [0, 0, 0];
    });
    bones.push({
      name: body.name,
      parent,
      rest: rest(position, rotation),
      mass: body.mass,
      centerOfMass: Array.from(body.ipos) as unknown as Triple,
      inertia: rotatedInertia(xyzw(body.iquat_wxyz), body.inertia_diag),
    });
  }
  const figure = createFigure({ bones });
  const coordinateOf = new Map(figure.bones.map(({ name, coordinate }) => [name, coordinate]));
  const positions = new Int32Array(figure.dof);
  for (const joint of joints) {
    const first = coordinateOf.get(nameOf(joint)) as number;
    for (let k = 0; k < sizes[joint.type]; k++) positions[joint.dofadr + k] = first + k;
  }
  const { dof } = figure;
  return {
    figure,
    indices: positions,
    poseOf(qpos) {
      const pose = new Float64Array(dof);
      for (const joint of joints) {
        const i = coordinateOf.get(nameOf(joint)) as number;
        const a = joint.qposadr;
        const rotate = (o: number) =>
          rotationVectorFromQuat([qpos[o + 1], qpos[o + 2], qpos[o + 3], qpos[o]] as const);
        if (joint.type === 'free') pose.set([qpos[a], qpos[a + 1], qpos[a + 2], ...rotate(a + 3)], i);
        else if (joint.type === 'ball') pose.set(rotate(a), i);
        else pose[i] = qpos[a] - joint.qpos0[0];
      }
      return pose;
    },
    toFigure(vector) {
      const out = new Float64Array(dof);
      for (let k = 0; k < dof; k++) out[positions[k]] = vector[k];
      return out;
    },
    fromFigure: (vector) => Array.from(positions, (i) => vector[i]),
    matrixFromFigure: (matrix) =>
      Array.from(positions).flatMap((i) => Array.from(positions, (j) => matrix[i * dof + j])),
  };
}

const sizes: Readonly<Record<string, number>> = { free: 6, ball: 3, hinge: 1, slide: 1 };

const nameOf = ({ body, dofadr }: MujocoJoint): string => `${body}:${dofadr}`;

const xyzw = (q: Numbers): number[] => quat.normalize([q[1], q[2], q[3], q[0]]);

function rest(position: readonly number[], rotation: readonly number[]) {
  return {
    position: position as unknown as Triple,
    rotation: rotation as unknown as readonly [number, number, number, number],
  };
}

function jointOf(joint: MujocoJoint): JointData {
  const axis = Array.from(joint.axis) as unknown as Triple;
  switch (joint.type) {
    case 'free':
      return { type: 'free' };
    case 'ball':
      return { type: 'ball' };
    case 'hinge':
      return { type: 'hinge', axis };
    default:
      return { type: 'slider', axis };
  }
}

/** R diag R^T as [xx, yy, zz, xy, xz, yz]. */
function rotatedInertia(q: Numbers, diagonal: Numbers): [number, number, number, number, number, number] {
  const r = quat.toMatrix(q as unknown as readonly [number, number, number, number]);
  const entry = (i: number, j: number) =>
    [0, 1, 2].reduce((sum, k) => sum + r[3 * i + k] * diagonal[k] * r[3 * j + k], 0);
  return [entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)];
}

/** Largest difference against the largest entry of what is expected. */
export function relativeGap(ours: Numbers, expected: Numbers): number {
  let scale = 0;
  let gap = ours.length === expected.length ? 0 : Number.NaN;
  for (let i = 0; i < expected.length; i++) {
    scale = Math.max(scale, Math.abs(expected[i]));
    const off = Math.abs(ours[i] - expected[i]);
    if (!(off <= gap)) gap = off;
  }
  return scale > 0 ? gap / scale : gap;
}
