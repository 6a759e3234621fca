import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { describeWithData } from '../../../../scripts/test-support/shared-data.js';
import * as mat3 from '../../src/math/geometry/mat3.js';
import * as quat from '../../src/math/geometry/quat.js';
import * as rigid from '../../src/math/geometry/rigid-transform.js';
import * as vec3 from '../../src/math/geometry/vec3.js';
import * as rotation from './all-forms.js';
import { difference, expectNear } from './support.js';

/** Reads JSON inside a test, so that a skipped block never touches the file. */
function read<T>(path: string): T {
  return JSON.parse(readFileSync(path, 'utf8')) as T;
}

/** Expects two quaternions to be the same rotation. */
function expectSameRotation(got: number[], wanted: number[], tolerance: number): void {
  expectNear(quat.dot(got, wanted) < 0 ? quat.negate(got) : got, wanted, tolerance);
}

interface Reference {
  readonly products: {
    a: number[];
    b: number[];
    v: number[];
    a_unit: number[];
    b_unit: number[];
    ab: number[];
    a_inv_b: number[];
    rotate_v_by_a: number[];
    matrix_a: number[][];
    rotvec_a: number[];
    angle_ab: number;
  }[];
  readonly exp_log: { rotvec: number[]; quat: number[]; matrix: number[][]; theta: number }[];
  readonly euler_intrinsic: {
    order_intrinsic: rotation.EulerOrder;
    angles: number[];
    quat: number[];
    matrix: number[][];
    near_gimbal_lock: boolean;
  }[];
  readonly swing_twist: {
    q: number[];
    axis: number[];
    twist?: number[];
    swing?: number[];
    twist_angle?: number;
    swing_angle?: number;
    singular?: boolean;
  }[];
  readonly se3_exp: { omega: number[]; v: number[]; R: number[][]; p: number[] }[];
}

describeWithData('50-digit reference values', 'reference/rotation/rotation_reference.json', (path) => {
  it('products, inverses, rotated vectors, matrices and logs of quaternions', () => {
    const { products } = read<Reference>(path);
    expect(products.length).toBeGreaterThan(5);
    for (const p of products) {
      const a = quat.normalize(p.a);
      const b = quat.normalize(p.b);
      expectNear(a, p.a_unit, 3e-16);
      expectNear(quat.multiply(a, b), p.ab, 1e-15);
      expectSameRotation(quat.multiply(quat.conjugate(a), b), p.a_inv_b, 1e-15);
      expectNear(quat.rotate(a, p.v), p.rotate_v_by_a, 2e-15);
      expectNear(quat.toMatrix(a), p.matrix_a.flat(), 1e-15);
      expectNear(rotation.rotationVectorFromQuat(a), p.rotvec_a, 2e-15);
      expect(quat.angleBetween(a, b)).toBeCloseTo(p.angle_ab, 13);
    }
  });

  it('exponential and logarithm from 0 and 1e-300 up to pi', () => {
    const { exp_log: cases } = read<Reference>(path);
    expect(cases.length).toBeGreaterThan(15);
    for (const { rotvec, quat: q, matrix } of cases) {
      expectNear(rotation.quatFromRotationVector(rotvec), q, 7e-16);
      expectNear(rotation.matrixFromRotationVector(rotvec), matrix.flat(), 1e-15);
      const scale = Math.max(vec3.norm(rotvec), 5e-324);
      const back = rotation.rotationVectorFromQuat(q, rotvec);
      expect(difference(back, rotvec) / scale).toBeLessThanOrEqual(1e-15);
      const fromMatrix = rotation.rotationVectorFromMatrix(matrix.flat(), rotvec);
      expect(difference(fromMatrix, rotvec) / scale).toBeLessThanOrEqual(2e-15);
    }
  });

  it('Euler angles in all twelve orders, gimbal lock among them', () => {
    const { euler_intrinsic: cases } = read<Reference>(path);
    expect(new Set(cases.map((c) => c.order_intrinsic)).size).toBe(12);
    for (const { order_intrinsic: order, angles, quat: q, matrix, near_gimbal_lock: locked } of cases) {
      expectNear(rotation.matrixFromEuler(angles, order), matrix.flat(), 1e-15);
      expectSameRotation(rotation.quatFromEuler(angles, order), q, 1e-15);
      const back = rotation.eulerFromMatrix(matrix.flat(), order);
      expectNear(rotation.matrixFromEuler(back, order), matrix.flat(), 4e-15);
      if (locked) expect(rotation.eulerGimbalMeasure(angles, order).determinant).toBeLessThan(1e-4);
    }
  });

  it('swing and twist, the undetermined ones flagged', () => {
    const { swing_twist: cases } = read<Reference>(path);
    expect(cases.some((c) => c.singular)).toBe(true);
    for (const c of cases) {
      const axes = rotation.createSwingAxes(c.axis);
      const { swing, twist, degenerate } = rotation.decomposeSwingTwist(c.q, axes);
      expect([...swing, twist].every(Number.isFinite)).toBe(true);
      expectSameRotation(rotation.quatFromSwingTwist(swing, twist, axes), quat.normalize(c.q), 1e-14);
      if (c.singular) {
        expect(degenerate).toBe(true);
        continue;
      }
      expect(degenerate).toBe(false);
      if (c.twist === undefined || c.swing === undefined) throw new Error('a regular case without its parts');
      const allowed = 1e-15 / Math.abs(Math.cos(Math.hypot(...swing) / 2));
      expectSameRotation(rotation.quatFromTwist(vec3.normalize(c.axis), twist), c.twist, allowed * 4);
      expectSameRotation(rotation.quatFromSwing(swing, axes), c.swing, allowed * 4);
    }
  });

  it('the left Jacobian carries the translation of a screw: p = J_l(omega) v', () => {
    for (const { omega, v, R, p } of read<Reference>(path).se3_exp) {
      expectNear(rotation.matrixFromRotationVector(omega), R.flat(), 1e-15);
      expectNear(mat3.multiplyVector(rotation.leftJacobian(omega), v), p, 1e-15);
    }
  });
});

describeWithData('scipy and pytransform3d values (pybvh)', 'rotation', (folder) => {
  it('Euler ZYX to matrices', () => {
    const data = read<{ euler: number[][]; rotmat: number[][][] }>(
      `${folder}/pybvh_euler_zyx_to_rotmat.json`,
    );
    expect(data.euler.length).toBe(97);
    data.euler.forEach((angles, n) => {
      expectNear(rotation.matrixFromEuler(angles, 'ZYX'), data.rotmat[n].flat(), 1e-15);
    });
  });

  it('matrices to quaternions', () => {
    const data = read<{ rotmat: number[][][]; quat_wxyz: number[][] }>(`${folder}/pybvh_rotmat_to_quat.json`);
    data.rotmat.forEach((m, n) => {
      const [w, x, y, z] = data.quat_wxyz[n];
      expectSameRotation(quat.fromMatrix(m.flat()), [x, y, z, w], 2e-15);
    });
  });

  it('matrices to rotation vectors', () => {
    const data = read<{ rotmat: number[][][]; rotvec: number[][] }>(
      `${folder}/pybvh_rotmat_to_axisangle.json`,
    );
    data.rotmat.forEach((m, n) => {
      expectNear(rotation.rotationVectorFromMatrix(m.flat(), data.rotvec[n]), data.rotvec[n], 4e-15);
    });
  });

  it('screws to rigid transforms, but for the peer below 1e-6 rad, where it leaves out 1/2 omega x v', () => {
    const data = read<{ twist: number[][]; transform: number[][][] }>(`${folder}/pybvh_se3_exp_log.json`);
    expect(data.twist.length).toBe(189);
    let cut = 0;
    data.twist.forEach((twist, n) => {
      const omega = twist.slice(0, 3);
      const v = twist.slice(3);
      const m = data.transform[n];
      const p = mat3.multiplyVector(rotation.leftJacobian(omega), v);
      const ours = rigid.fromQuatPosition(rotation.quatFromRotationVector(omega), p);
      const wantedRotation = [0, 1, 2].flatMap((i) => m[i].slice(0, 3));
      const wantedPosition = [m[0][3], m[1][3], m[2][3]];
      const theta = vec3.norm(omega);
      const halfCross = vec3.scale(vec3.cross(omega, v), 0.5);
      if (theta > 0 && theta < 1e-6 && difference(wantedPosition, v) < 1e-3 * vec3.norm(halfCross)) {
        // The peer returns v itself here; the difference to ours is the term it drops.
        expectNear(vec3.subtract(p, wantedPosition), halfCross, 1e-12);
        cut++;
        return;
      }
      expectNear(ours.slice(0, 9), wantedRotation, 1e-14);
      // Above its threshold the peer takes 1 - cos(theta), whose rounding is eps/theta of the position.
      expectNear(ours.slice(9), wantedPosition, 1e-14 + (theta > 0 ? Number.EPSILON / theta : 0));
    });
    expect(cut).toBeLessThan(30);
  });
});
