import loadMujoco from '@mujoco/mujoco';
import { quaternionFromVector } from '../check.js';
import { ballMjcf, DOF } from './figures.js';
import { cycle, type Motion } from './motions.js';

/** MuJoCo's rows, and `evaluate` for the comparison of what they give. Loading it slows typed arrays; see ../kinematics.ts. */
export async function mujocoRows(motions: readonly Motion[]) {
  const mujoco = await loadMujoco();
  const model = mujoco.MjModel.from_xml_string(ballMjcf());
  const data = new mujoco.MjData(model);
  if (model.nv !== DOF) throw new Error('benchmarks: the MuJoCo model is not the figure');
  const qpos = data.qpos as Float64Array;
  const qvel = data.qvel as Float64Array;
  const qacc = data.qacc as Float64Array;
  const applied = data.qfrc_applied as Float64Array;
  const fullM = new mujoco.DoubleBuffer(DOF * DOF);
  // Its own coordinates, made beforehand: position and quaternions w, x, y, z. Velocities and forces are the same numbers.
  const positions = motions.map(({ pose }) => {
    const q = new Float64Array(qpos.length);
    for (let k = 0; k < 3; k++) q[k] = pose[k];
    for (let o = 3; o < DOF; o += 3) {
      const [x, y, z, w] = quaternionFromVector(pose[o], pose[o + 1], pose[o + 2]);
      q.set([w, x, y, z], 3 + (4 * (o - 3)) / 3);
    }
    return q;
  });
  const forward = (k: number): void => {
    qpos.set(positions[k]);
    qvel.set(motions[k].velocity);
    applied.set(motions[k].forces);
    mujoco.mj_forward(model, data);
  };
  const inverse = (k: number): void => {
    qpos.set(positions[k]);
    qvel.set(motions[k].velocity);
    qacc.set(motions[k].accelerations);
    mujoco.mj_inverse(model, data);
  };
  const step = (k: number): void => {
    qpos.set(positions[k]);
    qvel.set(motions[k].velocity);
    applied.set(motions[k].forces);
    mujoco.mj_step(model, data);
  };
  const row = (name: string, call: (k: number) => void) => cycle(name, motions.length, call);
  const evaluate = (k: number) => {
    forward(k);
    const accelerations = Float64Array.from(qacc);
    mujoco.mj_fullM(model, data, fullM);
    const matrix = Float64Array.from(fullM.GetView() as Float64Array);
    inverse(k);
    return { accelerations, matrix, tau: Float64Array.from(data.qfrc_inverse as Float64Array) };
  };
  return {
    rows: {
      forward: row('mj_forward', forward),
      inverse: row('mj_inverse', inverse),
      step: row('mj_step', step),
    },
    evaluate,
  };
}
