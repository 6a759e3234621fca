import { Vector3 } from 'three';
import { BODIES, humanoidBones, restRotations } from '../humanoid.js';
import { POSES } from './row.js';

/** three.js's rows, and `evaluate` for the comparison of outputs. */
export function threeRows(poses: readonly Float64Array[]) {
  const { bones } = humanoidBones(restRotations(false));
  const rotated = humanoidBones(restRotations(true));
  const axis = new Vector3();
  const rootRest = new Vector3(...BODIES[0].position);
  const moved = new Vector3();

  /** Axis and angle to each bone's quaternion, as a three.js user writes it. */
  const setPose = (pose: Float64Array): void => {
    bones[0].position.set(rootRest.x + pose[0], rootRest.y + pose[1], rootRest.z + pose[2]);
    for (let b = 0; b < bones.length; b++) {
      const o = 3 + 3 * b;
      axis.set(pose[o], pose[o + 1], pose[o + 2]);
      const angle = axis.length();
      bones[b].quaternion.setFromAxisAngle(axis.divideScalar(angle), angle);
    }
    bones[0].updateMatrixWorld(true);
  };
  const setRotatedPose = (pose: Float64Array): void => {
    moved.set(pose[0], pose[1], pose[2]).applyQuaternion(rotated.rest[0]);
    rotated.bones[0].position.addVectors(rootRest, moved);
    for (let b = 0; b < bones.length; b++) {
      const o = 3 + 3 * b;
      axis.set(pose[o], pose[o + 1], pose[o + 2]);
      const angle = axis.length();
      rotated.bones[b].quaternion
        .setFromAxisAngle(axis.divideScalar(angle), angle)
        .premultiply(rotated.rest[b]);
    }
    rotated.bones[0].updateMatrixWorld(true);
  };
  const rows = {
    bare: {
      name: 'three.js: bare updateMatrixWorld, quaternions as they are',
      loop: (calls: number) => {
        for (let i = 0; i < calls; i++) bones[0].updateMatrixWorld(true);
      },
    },
    vectors: {
      name: 'three.js: from rotation vectors (setFromAxisAngle), then updateMatrixWorld',
      loop: (calls: number) => {
        for (let i = 0; i < calls; i++) setPose(poses[i % POSES]);
      },
    },
    rotated: {
      name: 'three.js: the same, a rest rotation on every bone',
      loop: (calls: number) => {
        for (let i = 0; i < calls; i++) setRotatedPose(poses[i % POSES]);
      },
    },
  };
  const evaluate = (pose: Float64Array): void => {
    setPose(pose);
    setRotatedPose(pose);
  };
  return { rows, evaluate, bones, rotated: rotated.bones };
}
