import { createDynamics, type Dynamics } from '../../../src/dynamics/index.js';
import type { JointData, Triple } from '../../../src/figure/data/types.js';
import { createFigure, type Figure } from '../../../src/figure/model/figure.js';

/** Mass and inertia about the middle of a capsule along x, length between the centres of its caps; density 1000. */
export function capsule(length: number, radius: number) {
  const tube = 1000 * Math.PI * radius ** 2 * length;
  const caps = (1000 * 4 * Math.PI * radius ** 3) / 3;
  const along = (tube * radius ** 2) / 2 + (caps * 2 * radius ** 2) / 5;
  const across =
    tube * (length ** 2 / 12 + radius ** 2 / 4) +
    caps * ((2 * radius ** 2) / 5 + length ** 2 / 4 + (3 * length * radius) / 8);
  return {
    mass: tube + caps,
    centerOfMass: [length / 2, 0, 0] as const,
    inertia: [along, across, across, 0, 0, 0] as const,
  };
}

/** Capsules of radius 0.03 in a row along x, each on a joint at the end of the one before. */
export function chain(count: number, length: number, joint: JointData = { type: 'ball' }): Figure {
  return createFigure({
    bones: Array.from({ length: count }, (_, k) => ({
      name: `b${k}`,
      ...(k > 0 ? { parent: `b${k - 1}`, rest: { position: [length, 0, 0] as const } } : {}),
      joint,
      ...capsule(length, 0.03),
    })),
  });
}

/** A chain of three ball joints, its start velocities and where it is after a second, quaternions w, x, y, z. */
export const threeBalls = {
  dynamics: (): Dynamics => createDynamics(chain(3, 0.3), { gravity: [0, 0, -9.81] }),
  velocity: [1, 0, 2, 0, 0, 0, 0, 0, 0],
  afterOneSecond: [
    [0.4293778983, -0.3796641127, 0.7987933142, -0.1828087064],
    [0.9074683788, -0.1968135793, 0.3106436149, -0.2031405941],
    [0.9742059442, -0.0468089143, 0.173220377, -0.1368444547],
  ],
};

/** A torque-free body, about a fixed point or free. */
export const flipping = {
  inertia: [1.4471663e-5, 1.4044511e-5, 1.6958531e-6] as const,
  spin: [0, 20, 0.1] as const,
  /** Between flips, s. */
  interval: 1.3033598,
  dynamics(type: 'ball' | 'free', centerOfMass: Triple = [0, 0, 0]): Dynamics {
    const bone = { name: 'body', joint: { type }, mass: 0.1, centerOfMass };
    const figure = createFigure({ bones: [{ ...bone, inertia: [...this.inertia, 0, 0, 0] }] });
    return createDynamics(figure, { gravity: [0, 0, 0] });
  },
};

/** A free root that carries two joints, none at a centre of mass. */
export function freeFigure(first: JointData, second: JointData): Figure {
  return createFigure({
    bones: [
      {
        name: 'root',
        joint: { type: 'free' },
        rest: { position: [0.1, 0.4, -0.3], rotation: [0.48, 0, 0.36, 0.8] },
        mass: 3,
        centerOfMass: [0.05, 0.1, 0],
        inertia: [0.03, 0.02, 0.04, 0, 0, 0.001],
      },
      {
        name: 'first',
        parent: 'root',
        joint: first,
        rest: { position: [0.2, 0.1, 0], rotation: [0, 0.6, 0, 0.8] },
        mass: 1,
        centerOfMass: [0.1, 0, 0.02],
        inertia: [0.01, 0.02, 0.02, 0, 0, 0],
      },
      {
        name: 'second',
        parent: 'first',
        joint: second,
        rest: { position: [0.3, 0, 0] },
        mass: 1,
        centerOfMass: [0.1, 0, 0],
        inertia: [0.01, 0.02, 0.02, 0, 0.001, 0],
      },
    ],
  });
}

/** Joints in pairs, all types among them. */
export const jointPairs: readonly (readonly [JointData, JointData])[] = [
  [{ type: 'ball' }, { type: 'hinge', axis: [0, 0.6, 0.8] }],
  [
    { type: 'swing', axis: [1, 0, 0] },
    { type: 'slider', axis: [0.6, 0.8, 0] },
  ],
  [
    { type: 'ball-and-socket', axis: [1, 0, 0] },
    { type: 'euler', order: 'ZXY' },
  ],
  [{ type: 'free' }, { type: 'ball' }],
];

/** Quaternion w, x, y, z of the rotation vector at pose[i], w not negative; with nothing of the library. */
export function quaternionAt(pose: ArrayLike<number>, i: number): number[] {
  const angle = Math.hypot(pose[i], pose[i + 1], pose[i + 2]);
  const s = angle > 0 ? Math.sin(angle / 2) / angle : 0.5;
  const q = [Math.cos(angle / 2), s * pose[i], s * pose[i + 1], s * pose[i + 2]];
  return q[0] < 0 ? q.map((x) => -x) : q;
}

/** Largest difference of a quaternion component between two poses of balls. */
export function orientationError(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let worst = 0;
  for (let i = 0; i < a.length; i += 3) {
    const p = quaternionAt(a, i);
    const q = quaternionAt(b, i);
    for (let k = 0; k < 4; k++) worst = Math.max(worst, Math.abs(p[k] - q[k]));
  }
  return worst;
}

/** Slope of the straight line through (log step, log error). */
export function fittedOrder(steps: readonly number[], errors: readonly number[]): number {
  const x = steps.map(Math.log);
  const y = errors.map(Math.log);
  const mean = (v: readonly number[]) => v.reduce((sum, each) => sum + each, 0) / v.length;
  const [mx, my] = [mean(x), mean(y)];
  const over = x.reduce((sum, each, k) => sum + (each - mx) * (y[k] - my), 0);
  return over / x.reduce((sum, each) => sum + (each - mx) ** 2, 0);
}
