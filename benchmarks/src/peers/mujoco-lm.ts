import loadMujoco, { type MainModule } from '@mujoco/mujoco';
import { ballsOf, type Model, type ProblemSet, type TargetPose } from '../problems.js';
import { type Peer, packageVersion, type Session } from './peer.js';

/*
 * A yardstick, not a published solver: Levenberg and Marquardt by hand on MuJoCo's kinematics and site Jacobians in
 * WebAssembly, ball joints as quaternions. No restarts; limits by putting a joint back on its limit after
 * each step. Position sets only.
 */

const MAX_ITERATIONS = 400;
/** First damping, in the units of J J^T (m^2). */
const FIRST_DAMPING = 1e-3;

/** The problem model in MuJoCo's language; unit masses, since the compiler asks for some and kinematics for none. */
function mjcf(model: Model): string {
  const body = (j: number): string => {
    const joint = model.joints[j];
    const inner = [
      joint.type === 'ball' ? `<joint type="ball"/>` : `<joint type="hinge" axis="${joint.axis.join(' ')}"/>`,
      `<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>`,
      ...model.effectors.map((effector, e) =>
        effector.joint === j ? `<site name="e${e}" pos="${effector.pos.join(' ')}"/>` : '',
      ),
      ...model.joints.map((child, c) => (child.parent === j ? body(c) : '')),
    ];
    return `<body pos="${joint.pos.join(' ')}" quat="${joint.quat.join(' ')}">${inner.join('')}</body>`;
  };
  const roots = model.joints.map((joint, j) => (joint.parent < 0 ? body(j) : ''));
  return `<mujoco><worldbody>${roots.join('')}</worldbody></mujoco>`;
}

export async function createMujocoLm(): Promise<Peer> {
  const mujoco = await loadMujoco();
  return {
    name: 'LM on MuJoCo wasm',
    version: packageVersion('@mujoco/mujoco'),
    role: 'reference',
    settings: `hand-written, up to ${MAX_ITERATIONS} iterations, first damping ${FIRST_DAMPING}, no restarts`,
    create: (set) => createSession(mujoco, set),
  };
}

function createSession(mujoco: MainModule, set: ProblemSet): Session | null {
  const joints = ballsOf(set);
  if (!joints) return null;
  const { effectors } = set.model;

  const model = mujoco.MjModel.from_xml_string(mjcf(set.model));
  const data = new mujoco.MjData(model);
  const n = 3 * joints.length;
  const rows = 3 * effectors.length;
  const jacobians = effectors.map(() => new mujoco.DoubleBuffer(3 * n));
  // Views into WebAssembly memory, taken once: all memory is allocated by now.
  const qpos = data.qpos as Float64Array;
  const sites = data.site_xpos as Float64Array;
  const J = jacobians.map((buffer) => buffer.GetView() as Float64Array);
  // The compiler numbers bodies depth first; find each joint's place by walking the tree in the same order.
  const place = new Int32Array(joints.length);
  let next = 0;
  const visit = (j: number): void => {
    place[j] = next++;
    joints.forEach((child, c) => {
      if (child.parent === j) visit(c);
    });
  };
  joints.forEach((joint, j) => {
    if (joint.parent < 0) visit(j);
  });
  const siteOrder = effectors
    .map((_, e) => e)
    .sort((a, b) => place[effectors[a].joint] - place[effectors[b].joint]);
  const siteOf = effectors.map((_, e) => siteOrder.indexOf(e));
  const theta = new Float64Array(joints.length);
  joints.forEach((joint, j) => {
    theta[place[j]] = joint.theta;
  });

  const goal = new Float64Array(rows);
  const error = new Float64Array(rows);
  const gram = new Float64Array(rows * rows);
  const factor = new Float64Array(rows * rows);
  const y = new Float64Array(rows);
  const accepted = new Float64Array(qpos.length);
  const squared = set.tolerance.position ** 2;

  /** Fills `error` with goal - site and returns its squared length, or -1 with every effector within tolerance. */
  const measure = (): number => {
    let sum = 0;
    let reached = true;
    for (let e = 0; e < effectors.length; e++) {
      let own = 0;
      for (let k = 0; k < 3; k++) {
        const d = goal[3 * e + k] - sites[3 * siteOf[e] + k];
        error[3 * e + k] = d;
        own += d * d;
      }
      if (!(own <= squared)) reached = false;
      sum += own;
    }
    return reached ? -1 : sum;
  };

  /** gram = J J^T. */
  const fillGram = (): void => {
    for (let r = 0; r < rows; r++) {
      const a = J[(r / 3) | 0];
      const ao = (r % 3) * n;
      for (let c = 0; c <= r; c++) {
        const b = J[(c / 3) | 0];
        const bo = (c % 3) * n;
        let sum = 0;
        for (let i = 0; i < n; i++) sum += a[ao + i] * b[bo + i];
        gram[r * rows + c] = sum;
      }
    }
  };

  /** (gram + damping I) y = error by Cholesky. */
  const solveDamped = (damping: number): void => {
    for (let r = 0; r < rows; r++) {
      for (let c = 0; c <= r; c++) {
        let sum = gram[r * rows + c] + (r === c ? damping : 0);
        for (let k = 0; k < c; k++) sum -= factor[r * rows + k] * factor[c * rows + k];
        factor[r * rows + c] = r === c ? Math.sqrt(sum) : sum / factor[c * rows + c];
      }
    }
    for (let r = 0; r < rows; r++) {
      let sum = error[r];
      for (let k = 0; k < r; k++) sum -= factor[r * rows + k] * y[k];
      y[r] = sum / factor[r * rows + r];
    }
    for (let r = rows - 1; r >= 0; r--) {
      let sum = y[r];
      for (let k = r + 1; k < rows; k++) sum -= factor[k * rows + r] * y[k];
      y[r] = sum / factor[r * rows + r];
    }
  };

  /** qpos = accepted * exp(J^T y), each ball in its child frame, then back to its limit. */
  const step = (): void => {
    for (let i = 0; i < n / 3; i++) {
      let vx = 0;
      let vy = 0;
      let vz = 0;
      for (let r = 0; r < rows; r++) {
        const a = J[(r / 3) | 0];
        const o = (r % 3) * n + 3 * i;
        vx += a[o] * y[r];
        vy += a[o + 1] * y[r];
        vz += a[o + 2] * y[r];
      }
      const angle = Math.sqrt(vx * vx + vy * vy + vz * vz);
      const s = angle < 1e-9 ? 0.5 : Math.sin(angle / 2) / angle;
      const [bw, bx, by, bz] = [Math.cos(angle / 2), s * vx, s * vy, s * vz];
      const [aw, ax, ay, az] = [
        accepted[4 * i],
        accepted[4 * i + 1],
        accepted[4 * i + 2],
        accepted[4 * i + 3],
      ];
      let w = aw * bw - ax * bx - ay * by - az * bz;
      let x = aw * bx + ax * bw + ay * bz - az * by;
      let yy = aw * by - ax * bz + ay * bw + az * bx;
      let z = aw * bz + ax * by - ay * bx + az * bw;
      if (w < 0) [w, x, yy, z] = [-w, -x, -yy, -z];
      if (set.limited) {
        const v = Math.sqrt(x * x + yy * yy + z * z);
        if (2 * Math.atan2(v, w) > theta[i]) {
          const c = Math.sin(theta[i] / 2) / v;
          [w, x, yy, z] = [Math.cos(theta[i] / 2), c * x, c * yy, c * z];
        }
      }
      qpos[4 * i] = w;
      qpos[4 * i + 1] = x;
      qpos[4 * i + 2] = yy;
      qpos[4 * i + 3] = z;
    }
  };

  return {
    prepare(target: readonly TargetPose[]) {
      for (let i = 0; i < qpos.length; i++) qpos[i] = i % 4 === 0 ? 1 : 0;
      target.forEach(({ p }, e) => {
        goal.set(p, 3 * e);
      });
    },
    run() {
      mujoco.mj_kinematics(model, data);
      let cost = measure();
      let damping = FIRST_DAMPING;
      let fresh = false;
      for (let iteration = 0; cost >= 0 && iteration < MAX_ITERATIONS; iteration++) {
        if (!fresh) {
          accepted.set(qpos);
          mujoco.mj_comPos(model, data);
          for (let e = 0; e < effectors.length; e++) {
            mujoco.mj_jacSite(model, data, jacobians[e], null, siteOf[e]);
          }
          fillGram();
          fresh = true;
        }
        solveDamped(damping);
        step();
        mujoco.mj_kinematics(model, data);
        const before = cost;
        cost = measure();
        if (cost < before) {
          damping = Math.max(damping / 8, 1e-9);
          fresh = false;
        } else {
          damping *= 6;
          if (damping > 1e8) return;
          // `error` belongs to the accepted pose again.
          qpos.set(accepted);
          mujoco.mj_kinematics(model, data);
          cost = measure();
        }
      }
    },
    read() {
      const values = new Float64Array(4 * joints.length);
      joints.forEach((_, j) => {
        const o = 4 * place[j];
        values.set([qpos[o + 1], qpos[o + 2], qpos[o + 3], qpos[o]], 4 * j);
      });
      return { values };
    },
  };
}
