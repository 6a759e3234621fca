import loadMujoco from '@mujoco/mujoco';
import type { Ragdoll } from 'poise/dynamics';
import type { Bone, LimitData } from 'poise/figure';
import { conjugate, cross, dot, eulerAngles, plus, product, type V } from '../rigid/vectors.js';
import { apart } from './apart.js';
import { swingPlane } from './bodies.js';
import type { Block } from './depth.js';
import { DT, GRAVITY, type RagdollRunner } from './scenario.js';

/** One hinge that represents a coordinate of a joint. */
interface Hinge {
  readonly axis: V;
  readonly range: readonly [number, number] | undefined;
  readonly damping: number;
}

/** MuJoCo with a free joint and hinges in series for rotations, as in its own humanoids have them; `substeps` a step of 1/120 s. */
export async function mujocoRunner(
  ragdoll: Ragdoll,
  blocks: readonly Block[],
  substeps: number,
): Promise<RagdollRunner> {
  const mujoco = await loadMujoco();
  const { figure } = ragdoll;
  const hinges = figure.bones.map((bone) => hingesOf(bone, ragdoll.damping));
  const model = mujoco.MjModel.from_xml_string(mjcf(ragdoll, blocks, hinges, DT / substeps));
  const data = new mujoco.MjData(model);
  const qpos = data.qpos as Float64Array;
  const qvel = data.qvel as Float64Array;
  const applied = data.xfrc_applied as Float64Array;
  const start = new Array<number>(figure.bones.length).fill(0);
  // Bodies are counted depth first, the world before them.
  const order = depthFirst(figure.parents, 0);
  const bodyOf = figure.bones.map(({ index }) => 1 + order.indexOf(index));
  let next = 7;
  for (const b of order.slice(1)) {
    start[b] = next;
    next += hinges[b].length;
  }
  return {
    name: `MuJoCo: ${substeps === 1 ? '1/120 s' : `${substeps} steps of 1/${120 * substeps} s`}`,
    place(_pose, { position, rotation }) {
      mujoco.mj_resetData(model, data);
      qpos.set(position[0]);
      qpos.set([rotation[0][3], rotation[0][0], rotation[0][1], rotation[0][2]], 3);
      for (const bone of figure.bones) {
        if (bone.parent < 0) continue;
        const between = product(conjugate(rotation[bone.parent]), rotation[bone.index]);
        anglesOf(bone, between, hinges[bone.index]).forEach((angle, k) => {
          const [low, high] = hinges[bone.index][k].range ?? [-Infinity, Infinity];
          qpos[start[bone.index] + k] = Math.min(high, Math.max(low, angle));
        });
      }
      qvel.fill(0);
    },
    push(bone, impulse) {
      // At the centre of mass, as all pushes are.
      for (let k = 0; k < 3; k++) applied[6 * bodyOf[bone] + k] = impulse[k] / DT;
    },
    step() {
      for (let k = 0; k < substeps; k++) mujoco.mj_step(model, data);
      applied.fill(0);
    },
    read(out) {
      mujoco.mj_kinematics(model, data);
      mujoco.mj_comPos(model, data);
      mujoco.mj_comVel(model, data);
      const [x, q, v, center] = [data.xpos, data.xquat, data.cvel, data.subtree_com] as Float64Array[];
      for (let b = 0; b < figure.bones.length; b++) {
        const n = bodyOf[b];
        out.position[b] = [x[3 * n], x[3 * n + 1], x[3 * n + 2]];
        out.rotation[b] = [q[4 * n + 1], q[4 * n + 2], q[4 * n + 3], q[4 * n]];
        out.spin[b] = [v[6 * n], v[6 * n + 1], v[6 * n + 2]];
        // At the centre of mass of the whole tree.
        const arm = plus(out.position[b], [center[3], center[4], center[5]], -1);
        out.velocity[b] = plus([v[6 * n + 3], v[6 * n + 4], v[6 * n + 5]], cross(out.spin[b], arm));
      }
    },
    asleep: () => false,
    limitExcess() {
      let max = 0;
      hinges.forEach((row, b) => {
        row.forEach(({ range }, k) => {
          const angle = qpos[start[b] + k];
          if (range) max = Math.max(max, range[0] - angle, angle - range[1]);
        });
      });
      return (max * 180) / Math.PI;
    },
    close() {
      data.delete();
      model.delete();
    },
  };
}

function depthFirst(parents: Int32Array, bone: number): number[] {
  const below = Array.from(parents.keys()).filter((b) => parents[b] === bone);
  return [bone, ...below.flatMap((b) => depthFirst(parents, b))];
}

function hingesOf(bone: Bone, damping: Float64Array): Hinge[] {
  const { joint, limit, coordinate: i } = bone;
  const hinge = (axis: V, k: number, range: Hinge['range']): Hinge => ({
    axis,
    range,
    damping: damping[i + k],
  });
  switch (joint.type) {
    case 'free':
      return [];
    case 'hinge':
      return [
        hinge(joint.axis, 0, limit?.type === 'interval' ? [limit.min ?? -9, limit.max ?? 9] : undefined),
      ];
    case 'swing':
    case 'ball-and-socket': {
      const { s, t } = swingPlane(joint.axis, joint.side);
      const { swing, twist } = rangesOf(limit);
      const about = [hinge(s, 0, swing?.s), hinge(t, 1, swing?.t)];
      return joint.type === 'swing'
        ? about
        : [...about, hinge(joint.axis, 2, twist && [twist.min, twist.max])];
    }
    case 'euler': {
      const { min, max } = limit?.type === 'box' ? limit : { min: [], max: [] };
      return Array.from(joint.order, (letter, k) =>
        hinge(
          [0, 1, 2].map((n) => (letter === 'XYZ'[n] ? 1 : 0)),
          k,
          [min[k] ?? -9, max[k] ?? 9],
        ),
      );
    }
    default:
      throw new Error(`benchmarks: no hinges for a ${joint.type} joint`);
  }
}

function rangesOf(limit: LimitData | undefined) {
  const swing = limit?.type === 'swing-twist' ? limit.swing : limit;
  const twist = limit?.type === 'swing-twist' ? limit.twist : undefined;
  return { swing: swing?.type === 'quad-ellipse' ? swing : undefined, twist };
}

/** Angles of hinges in series for a rotation. */
function anglesOf({ joint }: Bone, rotation: V, row: readonly Hinge[]): number[] {
  if (joint.type === 'euler') return eulerAngles(joint.order, rotation);
  if (joint.type === 'hinge') return [2 * Math.atan2(dot(rotation, row[0].axis), rotation[3])];
  if (joint.type !== 'swing' && joint.type !== 'ball-and-socket') return [];
  // In the axes s, t, a the hinges are those of the order XYZ.
  const { s, t } = swingPlane(joint.axis, joint.side);
  const own = [dot(rotation, s), dot(rotation, t), dot(rotation, joint.axis), rotation[3]];
  return eulerAngles('XYZ', own).slice(0, row.length);
}

const list = (v: V): string => v.map((x) => (Math.abs(x) < 1e-12 ? 0 : x)).join(' ');

function mjcf(
  ragdoll: Ragdoll,
  blocks: readonly Block[],
  hinges: readonly (readonly Hinge[])[],
  step: number,
): string {
  const { figure, shapes } = ragdoll;
  const geoms = (bone: Bone): string =>
    shapes
      .filter((shape) => shape.bone === bone.name)
      .map((shape) => {
        if (shape.type === 'sphere')
          return `<geom type="sphere" size="${shape.radius}" pos="${list(shape.center ?? [0, 0, 0])}"/>`;
        if (shape.type === 'capsule') {
          return `<geom type="capsule" size="${shape.radius}" fromto="${list([...shape.from, ...shape.to])}"/>`;
        }
        const { position = [0, 0, 0], rotation: [x, y, z, w] = [0, 0, 0, 1] } = shape.placement ?? {};
        return `<geom type="box" size="${list(shape.halfSizes)}" pos="${list(position)}" quat="${list([w, x, y, z])}"/>`;
      })
      .join('');
  const body = (bone: Bone): string => {
    const { mass = 0, centerOfMass = [0, 0, 0], inertia = [] } = bone;
    const joints =
      bone.parent < 0
        ? '<freejoint/>'
        : hinges[bone.index]
            .map(({ axis, range, damping }) => {
              const limit = range ? ` limited="true" range="${list(range)}"` : '';
              return `<joint type="hinge" axis="${list(axis)}" damping="${damping}"${limit}/>`;
            })
            .join('');
    const below = figure.bones.filter(({ parent }) => parent === bone.index).map(body);
    const inertial = `<inertial pos="${list(centerOfMass)}" mass="${mass}" fullinertia="${list(inertia)}"/>`;
    return `<body name="${bone.name}" pos="${list(bone.rest.position)}">${joints}${inertial}${geoms(bone)}${below.join('')}</body>`;
  };
  const steps = blocks.map(
    ({ center, half }) => `<geom type="box" pos="${list(center)}" size="${list(half)}"/>`,
  );
  const names = apart(ragdoll).map(([a, b]) => [figure.bones[a].name, figure.bones[b].name]);
  const excluded = names.map(([a, b]) => `<exclude body1="${a}" body2="${b}"/>`);
  return `<mujoco><compiler angle="radian"/><option timestep="${step}" gravity="0 ${-GRAVITY} 0"/>
<default><geom friction="0.8 0.005 0.0001"/></default>
<worldbody><geom type="plane" size="0 0 1" zaxis="0 1 0"/>${steps.join('')}${body(figure.bones[0])}</worldbody>
<contact>${excluded.join('')}</contact></mujoco>`;
}
