import loadMujoco from '@mujoco/mujoco';
import { quaternionFromVector } from '../check.js';
import { BODIES, DOF, humanoidMjcf, SITES } from '../humanoid.js';
import { POSES } from './row.js';

/** MuJoCo's rows, and `evaluate` for the comparison of outputs. Loading it slows typed arrays; see ../kinematics.ts. */
export async function mujocoRows(poses: readonly Float64Array[]) {
  const mujoco = await loadMujoco();
  const model = mujoco.MjModel.from_xml_string(humanoidMjcf());
  const data = new mujoco.MjData(model);
  if (model.nv !== DOF || model.nbody !== BODIES.length + 1 || model.nsite !== SITES.length) {
    throw new Error('benchmarks: the MuJoCo model is not the humanoid');
  }
  // Buffers in WebAssembly memory: nothing is copied across the border in a call.
  const jacobians = SITES.map(() => new mujoco.DoubleBuffer(3 * DOF));
  const qpos = data.qpos as Float64Array;
  // Its own input representation, made beforehand: position and quaternions w, x, y, z.
  const inputs = poses.map((pose) => {
    const q = new Float64Array(7 + 4 * (BODIES.length - 1));
    for (let k = 0; k < 3; k++) q[k] = BODIES[0].position[k] + pose[k];
    for (let b = 0; b < BODIES.length; b++) {
      const [x, y, z, w] = quaternionFromVector(pose[3 + 3 * b], pose[4 + 3 * b], pose[5 + 3 * b]);
      q.set([w, x, y, z], 3 + 4 * b);
    }
    return q;
  });
  // Sites are numbered by body; SITES stand in that order.
  const evaluate = (k: number): void => {
    qpos.set(inputs[k]);
    mujoco.mj_kinematics(model, data);
    mujoco.mj_comPos(model, data);
    for (let s = 0; s < 5; s++) mujoco.mj_jacSite(model, data, jacobians[s], null, s);
  };
  const rows = {
    kinematics: {
      name: 'MuJoCo wasm: mj_kinematics from quaternions',
      loop: (calls: number) => {
        for (let i = 0; i < calls; i++) {
          qpos.set(inputs[i % POSES]);
          mujoco.mj_kinematics(model, data);
        }
      },
    },
    jacobians: {
      name: 'MuJoCo wasm: mj_kinematics + mj_comPos + 5 mj_jacSite',
      loop: (calls: number) => {
        for (let i = 0; i < calls; i++) evaluate(i % POSES);
      },
    },
  };
  return { rows, evaluate, data, jacobians };
}
