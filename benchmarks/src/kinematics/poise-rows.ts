import {
  createFigure,
  createState,
  forwardKinematics,
  pointJacobianQ,
  pointJacobianV,
  updateMotionSubspaceQ,
  updateMotionSubspaceV,
} from 'poise/figure';
import { DOF, humanoidFigure, restRotations, SITES } from '../humanoid.js';
import { POSES } from './row.js';

/** Poise's rows, and `evaluate` for the comparison of outputs. */
export function poiseRows(poses: readonly Float64Array[]) {
  const figure = createFigure(humanoidFigure(restRotations(false)));
  const state = createState(figure);
  const rotated = createState(createFigure(humanoidFigure(restRotations(true))));
  const jacobians = SITES.map(() => new Float64Array(3 * DOF));
  const bodies = Int32Array.from(SITES, (site) => site.body);
  const local = Float64Array.from(SITES.flatMap((site) => [...site.position]));
  const point = new Float64Array(3);
  /** Writes the world position of site `s` to `point`. */
  const placeSite = (s: number): void => {
    const m = state.worldFromBone;
    const o = 12 * bodies[s];
    const x = local[3 * s];
    const y = local[3 * s + 1];
    const z = local[3 * s + 2];
    point[0] = m[o + 9] + m[o] * x + m[o + 1] * y + m[o + 2] * z;
    point[1] = m[o + 10] + m[o + 3] * x + m[o + 4] * y + m[o + 5] * z;
    point[2] = m[o + 11] + m[o + 6] * x + m[o + 7] * y + m[o + 8] * z;
  };
  const rows = {
    kinematics: {
      name: 'poise: forward kinematics from rotation vectors',
      loop: (calls: number) => {
        for (let i = 0; i < calls; i++) forwardKinematics(state, poses[i % POSES]);
      },
    },
    jacobiansV: {
      name: 'poise: forward kinematics + 5 point Jacobians (v)',
      loop: (calls: number) => {
        for (let i = 0; i < calls; i++) {
          forwardKinematics(state, poses[i % POSES]);
          updateMotionSubspaceV(state, poses[i % POSES]);
          for (let s = 0; s < 5; s++) {
            placeSite(s);
            pointJacobianV(state, bodies[s], point, jacobians[s]);
          }
        }
      },
    },
    jacobiansQ: {
      name: 'poise: forward kinematics + 5 point Jacobians (q)',
      loop: (calls: number) => {
        for (let i = 0; i < calls; i++) {
          forwardKinematics(state, poses[i % POSES]);
          updateMotionSubspaceQ(state, poses[i % POSES]);
          for (let s = 0; s < 5; s++) {
            placeSite(s);
            pointJacobianQ(state, bodies[s], point, jacobians[s]);
          }
        }
      },
    },
    rotated: {
      name: 'poise: forward kinematics, a rest rotation on every bone',
      loop: (calls: number) => {
        for (let i = 0; i < calls; i++) forwardKinematics(rotated, poses[i % POSES]);
      },
    },
  };
  const evaluate = (pose: Float64Array): void => {
    forwardKinematics(state, pose);
    forwardKinematics(rotated, pose);
    updateMotionSubspaceV(state, pose);
    for (let s = 0; s < 5; s++) {
      placeSite(s);
      pointJacobianV(state, bodies[s], point, jacobians[s]);
    }
  };
  return { rows, evaluate, state, rotated, jacobians };
}
