import loadMujoco from '@mujoco/mujoco';
import {
  conjugate,
  cross,
  dot,
  eulerAngles,
  plus,
  product,
  rotate,
  type V,
  vectorOf,
} from '../../rigid/vectors.js';
import type { Bone, Figure, Form, Scene } from '../scene.js';
import {
  dragForce,
  firstBodies,
  isTouched,
  pointOf,
  startStates,
  stateOf,
  statesOf,
  teleport,
  writeState,
} from '../states.js';
import type { Engine, Run } from './engine.js';
import { nearBones, partsOf } from './near.js';

type Mujoco = Awaited<ReturnType<typeof loadMujoco>>;

/** s */
const MAX_STEP = 1 / 480;
/** Time constant of its soft constraints, s, and damping ratio: its documentation asks for two steps. */
const STIFF = '0.005 1';

export async function loadMujocoEngine(): Promise<Engine> {
  const mujoco = await loadMujoco();
  return {
    name: 'MuJoCo',
    version: '@mujoco/mujoco',
    settings:
      'implicit integration, RK4 where nothing touches; Newton, steps of at most 1/480 s; limits, contacts and connections as stiff as these steps allow (solref 0.005); hinges in a row in place of swings with limits, with the ranges of their angles, against which it is judged; the same damping; no restitution and no continuous collision detection; a contact has the larger friction; it does not sleep; drags are forces',
    open: (scene) => open(mujoco, scene),
  };
}

/** A hinge that represents a coordinate of a joint. */
interface Hinge {
  readonly axis: V;
  readonly range: readonly [number, number] | undefined;
}

function open(mujoco: Mujoco, scene: Scene): Run {
  const first = firstBodies(scene);
  const rows = scene.figures.map(({ bones }) => bones.map(hingesOf));
  const model = mujoco.MjModel.from_xml_string(mjcf(scene, rows));
  const data = new mujoco.MjData(model);
  const option = model.opt as { timestep: number };
  const qpos = data.qpos as Float64Array;
  const qvel = data.qvel as Float64Array;
  const damping = model.dof_damping as Float64Array;
  const applied = data.xfrc_applied as Float64Array;
  const states = startStates(scene);
  const count = first[scene.figures.length];
  // Bodies are counted depth first, the world before them.
  const bodyOf = new Array<number>(count);
  /** First of its coordinates and velocities, and the root of its tree. */
  const at = new Array<{ q: number; v: number; root: number }>(count);
  let [body, q, v] = [1, 0, 0];
  scene.figures.forEach(({ bones }, f) => {
    const root = body;
    for (const b of depthFirst(bones, 0)) {
      at[first[f] + b] = { q, v, root };
      bodyOf[first[f] + b] = body++;
      const row = rows[f][b];
      const [coordinates, velocities] = row
        ? [row.length, row.length]
        : bones[b].joint.type === 'free'
          ? [7, 6]
          : [4, 3];
      q += coordinates;
      v += velocities;
    }
  });

  scene.figures.forEach(({ bones, spin }, f) => {
    bones.forEach((bone, b) => {
      const { position, rotation, velocity } = stateOf(states, first[f] + b);
      const { q, v } = at[first[f] + b];
      const own = rotate(conjugate(rotation), b === 0 ? spin : [0, 0, 0]);
      const row = rows[f][b];
      if (bone.joint.type === 'free') {
        qpos.set([...position, rotation[3], ...rotation.slice(0, 3)], q);
        qvel.set([...velocity, ...own], v);
        const { move, turn } = bone.damping;
        damping.set([move, move, move, turn, turn, turn], v);
        return;
      }
      const above =
        bone.parent < 0 ? scene.figures[f].rotation : stateOf(states, first[f] + bone.parent).rotation;
      const between = product(conjugate(above), rotation);
      if (row) {
        qpos.set(anglesOf(bone, between), q);
        if (b === 0)
          qvel.set(
            row.map(({ axis }) => dot(own, axis)),
            v,
          );
      } else {
        qpos.set([between[3], ...between.slice(0, 3)], q);
        qvel.set(own, v);
      }
    });
  });

  function read(out: Float64Array): void {
    mujoco.mj_kinematics(model, data);
    mujoco.mj_comPos(model, data);
    mujoco.mj_comVel(model, data);
    const [x, r, c, center] = [data.xpos, data.xquat, data.cvel, data.subtree_com] as Float64Array[];
    for (let i = 0; i < count; i++) {
      const n = bodyOf[i];
      const position = [x[3 * n], x[3 * n + 1], x[3 * n + 2]];
      const spin = [c[6 * n], c[6 * n + 1], c[6 * n + 2]];
      // At the centre of mass of the whole tree.
      const o = 3 * at[i].root;
      const arm = plus(position, [center[o], center[o + 1], center[o + 2]], -1);
      writeState(out, i, {
        position,
        rotation: [r[4 * n + 1], r[4 * n + 2], r[4 * n + 3], r[4 * n]],
        velocity: plus([c[6 * n + 3], c[6 * n + 4], c[6 * n + 5]], cross(spin, arm)),
        spin,
      });
    }
  }

  /** Its flag of active constraints cannot be written from JavaScript: softened until nothing is left. */
  function release(connection: number): void {
    (model.eq_solref as Float64Array).set([1e4, 1], 2 * connection);
    (model.eq_solimp as Float64Array).set([1e-4, 1e-4], 5 * connection);
  }

  /** Forces of drags, in all parts of the step; of impulses, for a first part of that length. */
  function disturb(
    step: number,
    part: number,
  ): { readonly always: Float64Array; readonly once: Float64Array } | undefined {
    if (!isTouched(scene, step)) return undefined;
    read(states);
    const [always, once] = [new Float64Array(applied.length), new Float64Array(applied.length)];
    for (const event of scene.events) {
      if (event.step !== step) continue;
      if (event.type === 'release') release(event.connection);
      else if (event.type === 'impulse') {
        const n = 6 * bodyOf[first[event.figure] + event.bone];
        for (let k = 0; k < 3; k++) once[n + k] += event.impulse[k] / part;
      } else {
        teleport(scene, states, event);
        const { position, rotation } = stateOf(states, first[event.figure]);
        qpos.set([...position, rotation[3], ...rotation.slice(0, 3)], at[first[event.figure]].q);
        const last = first[event.figure + 1];
        qvel.fill(0, at[first[event.figure]].v, last < count ? at[last].v : qvel.length);
      }
    }
    const now = statesOf(states);
    for (const drag of scene.drags) {
      const point = pointOf(now, first, drag.at);
      const force = dragForce(drag, step, point);
      if (force === undefined) continue;
      const i = first[drag.at.figure] + drag.at.bone;
      const { center } = scene.figures[drag.at.figure].bones[drag.at.bone];
      const middle = plus(now[i].position, rotate(now[i].rotation, center));
      const couple = cross(plus(point.position, middle, -1), force);
      [...force, ...couple].forEach((x, k) => {
        always[6 * bodyOf[i] + k] += x;
      });
    }
    return { always, once };
  }

  return {
    read,
    step(step) {
      const { parts, length } = partsOf(scene.steps[step], MAX_STEP);
      const forces = disturb(step, length);
      option.timestep = length;
      for (let k = 0; k < parts; k++) {
        if (forces) {
          applied.set(forces.always);
          if (k === 0) for (let n = 0; n < applied.length; n++) applied[n] += forces.once[n];
        }
        mujoco.mj_step(model, data);
      }
      applied.fill(0);
      return undefined;
    },
    jointError(bone, body) {
      const row = hingesOf(bone);
      if (!row?.some(({ range }) => range)) return undefined;
      return row.reduce((max, { range }, k) => {
        const [low, high] = range ?? [-Infinity, Infinity];
        const angle = qpos[at[body].q + k];
        return Math.max(max, low - angle, angle - high);
      }, 0);
    },
    close() {
      data.delete();
      model.delete();
    },
  };
}

function depthFirst(bones: readonly Bone[], bone: number): number[] {
  const below = [...bones.keys()].filter((b) => bones[b].parent === bone);
  return [bone, ...below.flatMap((b) => depthFirst(bones, b))];
}

/** Hinges in a row; undefined for a joint that MuJoCo has itself: free and ball. */
function hingesOf({ joint, limit }: Bone): Hinge[] | undefined {
  switch (joint.type) {
    case 'free':
    case 'ball':
      return undefined;
    case 'hinge':
      return [{ axis: joint.axis, range: limit?.type === 'interval' ? limit.range : undefined }];
    case 'swing':
    case 'ball-and-socket': {
      if (limit?.type !== 'swing') return undefined;
      const t = cross(joint.axis, joint.side);
      const about = [
        { axis: joint.side, range: limit.s },
        { axis: t, range: limit.t },
      ];
      return joint.type === 'swing' ? about : [...about, { axis: joint.axis, range: limit.twist }];
    }
    case 'euler':
      return Array.from(joint.order, (letter, k) => ({
        axis: [0, 1, 2].map((n) => (letter === 'XYZ'[n] ? 1 : 0)),
        range: limit?.type === 'box' ? limit.ranges[k] : undefined,
      }));
  }
}

function anglesOf(bone: Bone, rotation: V): number[] {
  const { joint } = bone;
  if (joint.type === 'euler') return eulerAngles(joint.order, rotation);
  if (joint.type === 'hinge') return [dot(vectorOf(rotation), joint.axis)];
  if (joint.type !== 'swing' && joint.type !== 'ball-and-socket') return [];
  // In the axes s, t, a the hinges are those of the order XYZ.
  const t = cross(joint.axis, joint.side);
  const own = [dot(rotation, joint.side), dot(rotation, t), dot(rotation, joint.axis), rotation[3]];
  return eulerAngles('XYZ', own).slice(0, joint.type === 'swing' ? 2 : 3);
}

const list = (v: V): string => v.map((x) => (Math.abs(x) < 1e-15 ? 0 : x)).join(' ');

/** Runge and Kutta's is its most accurate; contacts and dampers are stiff. */
function integratorOf({ world, figures }: Scene): string {
  const isDamped = figures.some(({ bones }) => bones.some(({ damping }) => damping.turn + damping.move > 0));
  return world.length > 0 || isDamped ? 'implicit' : 'RK4';
}

function mjcf(scene: Scene, rows: readonly (readonly (Hinge[] | undefined)[])[]): string {
  const { figures } = scene;
  const geom = (form: Form & { readonly friction: number }): string => {
    const friction = `friction="${form.friction} 0.005 0.0001"`;
    if (form.type === 'sphere')
      return `<geom type="sphere" size="${form.radius}" pos="${list(form.center)}" ${friction}/>`;
    if (form.type === 'capsule')
      return `<geom type="capsule" size="${form.radius}" fromto="${list([...form.from, ...form.to])}" ${friction}/>`;
    const [x, y, z, w] = form.rotation;
    return `<geom type="box" size="${list(form.half)}" pos="${list(form.center)}" quat="${list([w, x, y, z])}" ${friction}/>`;
  };
  const jointsOf = (figure: Figure, f: number, b: number): string => {
    const { joint, damping } = figure.bones[b];
    if (joint.type === 'free') return '<freejoint/>';
    const row = rows[f][b];
    if (row === undefined) return `<joint type="ball" damping="${damping.turn}"/>`;
    return row
      .map(({ axis, range }) => {
        const limit = range ? ` limited="true" range="${list(range)}"` : '';
        return `<joint type="hinge" axis="${list(axis)}" damping="${damping.turn}"${limit}/>`;
      })
      .join('');
  };
  const body = (figure: Figure, f: number, b: number): string => {
    const { mass, center, inertia, at, parent } = figure.bones[b];
    const [x, y, z, w] = figure.rotation;
    const place =
      parent < 0 ? `pos="${list(figure.position)}" quat="${list([w, x, y, z])}"` : `pos="${list(at)}"`;
    const shapes = figure.shapes.filter(({ bone }) => bone === b).map(geom);
    const below = figure.bones.flatMap((bone, n) => (bone.parent === b ? [body(figure, f, n)] : []));
    const inertial = `<inertial pos="${list(center)}" mass="${mass}" fullinertia="${list(inertia)}"/>`;
    return `<body name="${f}/${b}" ${place}>${jointsOf(figure, f, b)}${inertial}${shapes.join('')}${below.join('')}</body>`;
  };
  const world = scene.world.map((shape) =>
    shape.type === 'plane'
      ? `<geom type="plane" size="0 0 1" zaxis="0 1 0" friction="${shape.friction} 0.005 0.0001"/>`
      : geom(shape),
  );
  const excluded = figures.flatMap((figure, f) =>
    nearBones(figure).map(([a, b]) => `<exclude body1="${f}/${a}" body2="${f}/${b}"/>`),
  );
  const connected = scene.connections.map(({ a, b }) => {
    const other = 'bone' in b ? ` body2="${b.figure}/${b.bone}"` : '';
    return `<connect body1="${a.figure}/${a.bone}"${other} anchor="${list(a.point)}"/>`;
  });
  return `<mujoco><compiler angle="radian" balanceinertia="true" boundmass="1e-9" boundinertia="1e-12"/>
<option gravity="0 ${-scene.gravity} 0" integrator="${integratorOf(scene)}"><flag autoreset="disable"/></option>
<default><joint solreflimit="${STIFF}"/><geom solref="${STIFF}"/><equality solref="${STIFF}"/></default>
<worldbody>${world.join('')}${figures.map((figure, f) => body(figure, f, 0)).join('')}</worldbody>
<contact>${excluded.join('')}</contact><equality>${connected.join('')}</equality></mujoco>`;
}
