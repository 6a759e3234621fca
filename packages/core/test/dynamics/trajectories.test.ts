import { readFileSync } from 'node:fs';
import { describeWithData } from '@poise/test-support/shared-data';
import { expect, test } from 'vitest';
import {
  computeMomentum,
  createDynamics,
  type Dynamics,
  forwardDynamics,
  inverseDynamics,
  kineticEnergy,
  potentialEnergy,
} from '../../src/dynamics/index.js';
import {
  createFigure,
  createState,
  forwardKinematics,
  ratesFromVelocity,
  regularizePose,
} from '../../src/figure/index.js';
import * as quat from '../../src/math/geometry/quat.js';
import type { Numbers } from '../../src/math/linear/types.js';
import { largestGap } from '../figure/support.js';

interface Case {
  readonly kind: string;
  readonly energy: number;
  readonly rows: readonly (readonly number[])[];
}

interface Pendulum extends Case {
  readonly m1: number;
  readonly m2: number;
  readonly l1: number;
  readonly l2: number;
}

interface Spin extends Case {
  readonly inertia: readonly [number, number, number];
  readonly angular_momentum: number;
}

/** q then v. */
type State = Float64Array<ArrayBuffer>;

/** (q', v') of free motion. */
function slope(dynamics: Dynamics, x: State): State {
  const { figure, state } = dynamics;
  const { dof } = figure;
  const pose = x.subarray(0, dof);
  const v = x.subarray(dof);
  const out = new Float64Array(2 * dof);
  out.set(forwardDynamics(dynamics, pose, v, new Float64Array(dof)), dof);
  ratesFromVelocity(state, pose, v, out);
  return out;
}

/** One step of the classic fourth-order method of Runge and Kutta. */
function rungeKutta(dynamics: Dynamics, x: State, h: number): State {
  const at = (k: State, s: number) => x.map((y, i) => y + s * k[i]);
  const a = slope(dynamics, x);
  const b = slope(dynamics, at(a, h / 2));
  const c = slope(dynamics, at(b, h / 2));
  const d = slope(dynamics, at(c, h));
  return x.map((y, i) => y + (h / 6) * (a[i] + 2 * b[i] + 2 * c[i] + d[i]));
}

/** Fifth order: one step against two of half its length. Charts are left between steps only. */
function advance(dynamics: Dynamics, x: State, duration: number, longest: number): State {
  const { figure } = dynamics;
  const count = Math.max(1, Math.ceil(duration / longest - 1e-9));
  const h = duration / count;
  let y = x;
  for (let n = 0; n < count; n++) {
    const whole = rungeKutta(dynamics, y, h);
    const halves = rungeKutta(dynamics, rungeKutta(dynamics, y, h / 2), h / 2);
    y = halves.map((z, i) => z + (z - whole[i]) / 15);
    regularizePose(figure, y.subarray(0, figure.dof));
  }
  return y;
}

function rotationOf(dynamics: Dynamics, pose: Numbers): number[] {
  const state = createState(dynamics.figure);
  forwardKinematics(state, pose);
  return quat.fromMatrix(state.worldFromBone);
}

describeWithData('trajectories in 30 digits', 'reference/dynamics/analytic_cases.json', (path) => {
  const cases = (): readonly Case[] => JSON.parse(readFileSync(path, 'utf8')).cases;

  test('double pendulums of points on rods', () => {
    const found = cases().filter(({ kind }) => kind.includes('double pendulum')) as Pendulum[];
    expect(found.length).toBe(2);
    for (const { m1, m2, l1, l2, energy, rows } of found) {
      const hinge = { type: 'hinge', axis: [0, 0, 1] } as const;
      const figure = createFigure({
        bones: [
          { name: 'upper', joint: hinge, mass: m1, centerOfMass: [0, -l1, 0] },
          {
            name: 'lower',
            parent: 'upper',
            rest: { position: [0, -l1, 0] },
            joint: hinge,
            mass: m2,
            centerOfMass: [0, -l2, 0],
          },
        ],
      });
      const dynamics = createDynamics(figure);
      // The angles of the reference are from the vertical, both of them.
      const [t0, a, b, u, v] = rows[0];
      let x = Float64Array.of(a, b - a, u, v - u);
      let time = t0;
      for (const [t, ...expected] of rows) {
        x = t > time ? advance(dynamics, x, t - time, 1e-3) : x;
        time = t;
        expect(largestGap([x[0], x[0] + x[1], x[2], x[2] + x[3]], expected)).toBeLessThan(1e-9);
        const [pose, v] = [x.subarray(0, 2), x.subarray(2)];
        const sum = kineticEnergy(dynamics, pose, v) + potentialEnergy(dynamics, pose);
        expect(Math.abs(sum - energy)).toBeLessThan(1e-10);
      }
    }
  });

  test.each(['ball', 'free'] as const)('a body that tumbles without torque, on a %s joint', (type) => {
    const found = cases().find(({ kind }) => kind.startsWith('torque-free')) as Spin;
    const [i, j, k] = found.inertia;
    const figure = createFigure({
      bones: [{ name: 'body', joint: { type }, mass: 1, inertia: [i, j, k, 0, 0, 0] }],
    });
    const dynamics = createDynamics(figure, { gravity: [0, 0, 0] });
    const { dof } = figure;
    let x = new Float64Array(2 * dof);
    x.set(found.rows[0].slice(5), 2 * dof - 3);
    let time = 0;
    for (const [t, ...expected] of found.rows) {
      x = t > time ? advance(dynamics, x, t - time, 1e-3) : x;
      time = t;
      const q = rotationOf(dynamics, x.subarray(0, dof));
      const sign = quat.dot(q as never, expected.slice(0, 4) as never) < 0 ? -1 : 1;
      const ours = [...q.map((y) => sign * y), ...x.subarray(2 * dof - 3)];
      // Spin about the middle axis runs off by a factor of 18 in each second.
      expect(largestGap(ours, expected)).toBeLessThan(1e-9);
      const [pose, v] = [x.subarray(0, dof), x.subarray(dof)];
      expect(Math.abs(kineticEnergy(dynamics, pose, v) / found.energy - 1)).toBeLessThan(1e-11);
      const { angular } = computeMomentum(dynamics, pose, v);
      expect(Math.abs(Math.hypot(...angular) / found.angular_momentum - 1)).toBeLessThan(1e-11);
    }
  });
});

/** Rows of numbers of an OpenSim table. */
function tableOf(text: string): number[][] {
  const lines = text.slice(text.indexOf('endheader')).split('\n').slice(2);
  return lines.map((line) => line.trim().split(/\s+/).map(Number)).filter((row) => row.length > 1);
}

describeWithData('a pendulum of OpenSim', 'opensim/dyn_single_pin', (path) => {
  // SinglePin.osim: 0.75 kg, 0.025 kg m^2, pinned 0.5 m above its centre.
  const figure = createFigure({
    bones: [
      {
        name: 'rod1',
        joint: { type: 'hinge', axis: [0, 0, 1] },
        mass: 0.75,
        centerOfMass: [0, -0.5, 0],
        inertia: [0.025, 0.025, 0.025, 0, 0, 0],
      },
    ],
  });
  const dynamics = createDynamics(figure, { gravity: [0, -9.80665, 0] });
  const states = () => tableOf(readFileSync(`${path}/SinglePin_states.sto`, 'utf8'));

  test('swings as in its forward simulation', () => {
    let x = Float64Array.of(1, 0);
    let time = 0;
    const rows = states();
    expect(rows.length).toBe(302);
    for (const [t, angle, rate] of rows) {
      x = t > time ? advance(dynamics, x, t - time, 5e-3) : x;
      time = t;
      // What its integrator leaves, at steps of 10 ms.
      expect(largestGap(x, [angle, rate])).toBeLessThan(1e-6);
    }
  });

  test('has the joint reactions of its analysis', () => {
    const loads = tableOf(readFileSync(`${path}/std_SinglePin_JointReaction_ReactionLoads.sto`, 'utf8'));
    const at = new Map(states().map((row) => [row[0].toFixed(2), row]));
    let compared = 0;
    for (const load of loads) {
      const state = at.get(load[0].toFixed(2));
      if (state === undefined) continue;
      const [, angle, rate] = state;
      const found = forwardDynamics(dynamics, [angle], [rate], [0]);
      const [torque] = inverseDynamics(dynamics, [angle], [rate], found);
      expect(Math.abs(torque)).toBeLessThan(1e-13);
      // In ground axes; printed with ten digits.
      expect(largestGap(dynamics.force, load.slice(19, 22))).toBeLessThan(1e-8);
      compared++;
    }
    expect(compared).toBeGreaterThan(300);
  });
});
