import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { biasForces, createDynamics, massMatrix } from '../../../src/dynamics/index.js';
import {
  type Actor,
  createSimulation,
  type Simulation,
  stepSimulation,
} from '../../../src/dynamics/simulate/index.js';
import {
  createFigure,
  createState,
  type FigureState,
  forwardKinematics,
  frameJacobianV,
  updateMotionSubspaceV,
} from '../../../src/figure/index.js';
import { createRandom, within } from '../../figure/support.js';
import { randomFigure, randomPose } from '../../support/random-figure.js';
import { largest, randomInertia, randomTrial } from '../support.js';
import { alone, G, vector } from './support.js';

const H = 1 / 120;
const salts = fc.integer({ min: 0, max: 2 ** 30 });

/** The velocity equation of a step, by the mass matrix and inverse dynamics that are tested against MuJoCo. */
function equationOf(actor: Actor, gravity: readonly [number, number, number]) {
  const { figure, work } = actor;
  const dynamics = createDynamics(figure, { gravity, armature: work.dynamics.armature });
  const pose = Float64Array.from(actor.pose);
  const velocity = Float64Array.from(actor.velocity);
  const matrix = massMatrix(dynamics, pose);
  const n = figure.dof;
  return {
    pose,
    velocity,
    /** M (v' - v) + h (bias - applied forces) + h D v': the impulse that the constraints must supply. */
    requiredImpulse(
      next: Float64Array,
      h: number,
      external?: Float64Array,
      tau?: Float64Array,
    ): Float64Array {
      const bias = biasForces(dynamics, pose, velocity, new Float64Array(n), external);
      return Float64Array.from({ length: n }, (_, i) => {
        let sum = h * (bias[i] - (tau?.[i] ?? 0) + actor.damping[i] * next[i]);
        for (let j = 0; j < n; j++) sum += matrix[n * i + j] * (next[j] - velocity[j]);
        return sum;
      });
    },
    scale: (next: Float64Array): number => largest(matrix) * (largest(velocity, next) + 1),
  };
}

test("a figure without constraints obeys M (v' - v) = h (tau + J^T f - bias - D v'), with any joints whose axes the step follows", () => {
  fc.assert(
    fc.property(salts, (salt) => {
      const { figure, dynamics, pose, velocity, tau, external, random } = randomTrial(salt);
      fc.pre(figure.dof > 0);
      // Without a limit those are taken as ball joints: `sockets.test.ts`.
      fc.pre(figure.bones.every(({ joint, limit }) => joint.type !== 'ball-and-socket' || limit));
      let simulation: Simulation;
      try {
        const damping = Float64Array.from(velocity, () => 3 * random());
        const { armature } = dynamics;
        simulation = createSimulation([{ figure, pose, velocity, damping, armature }], {
          gravity: [1.3, -9.81, 0.7],
        });
      } catch (error) {
        // A massless link between two sliders along one axis and the like.
        expect(String(error)).toMatch(/without inertia/);
        return;
      }
      const [actor] = simulation.actors;
      const balance = equationOf(actor, [1.3, -9.81, 0.7]);
      stepSimulation(simulation, H, (_, out) => {
        out.tau.set(tau);
        out.external.set(external);
      });
      fc.pre(simulation.report.status === 'done' && !simulation.report.warnings.has('too-fast'));
      const next = actor.work.solver.nextVelocity;
      expect(largest(balance.requiredImpulse(next, H, external, tau))).toBeLessThan(
        1e-10 * balance.scale(next),
      );
    }),
    { numRuns: 60 },
  );
});

describe('bounded motors', () => {
  test('never exceed their bound, whatever limits and contacts do', () => {
    fc.assert(
      fc.property(salts, (salt) => {
        const random = createRandom(salt);
        const figure = withInertia(randomFigure(random, 5), random);
        const sized = (size: number) => Float64Array.from({ length: figure.dof }, () => size * random());
        const bounds = sized(20);
        const motor = {
          target: randomPose(figure, random, 3),
          stiffness: sized(10 ** (6 * random())),
          damping: sized(10 ** (3 * random())),
          maxForce: bounds,
        };
        const shapes = figure.bones.map(
          ({ index }) => ({ bone: index, type: 'sphere', radius: 0.1 }) as const,
        );
        const simulation = alone(
          { figure, motor, shapes, friction: 0.3, pose: randomPose(figure, random, 1) },
          { world: [{ type: 'plane', offset: -0.3 }], contacts: 256 },
        );
        for (let n = 0; n < 20; n++) {
          stepSimulation(simulation, H);
          const { substeps, status } = simulation.report;
          if (status !== 'done') return;
          const potentials = simulation.actors[0].work.joints.potentials;
          for (let t = 0; t < potentials.count; t++) {
            if (potentials.kind[t] !== 1) continue;
            const push = Math.hypot(...potentials.impulse.subarray(3 * t, 3 * t + potentials.size[t]));
            const max = potentials.source[t] < 0 ? 0.3 : bounds[potentials.coordinate[t]];
            // After substeps, the potentials are those of the last.
            expect(push).toBeLessThanOrEqual(H * max * (1 + 1e-12));
            if (substeps === 1) expect(potentials.maxImpulse[t]).toBeCloseTo(H * max, 12);
          }
        }
      }),
      { numRuns: 15 },
    );
  });

  test("give K (target - q') + D (target velocity - v'), clamped to their bound", () => {
    const random = createRandom(3);
    const bones = Array.from({ length: 4 }, (_, k) => ({
      name: `b${k}`,
      parent: k === 0 ? null : `b${k - 1}`,
      rest: { position: [0.3, 0, 0.1] as const },
      joint: { type: 'hinge', axis: [within(random, 1), 1, within(random, 1)] } as const,
      mass: 1 + k,
      centerOfMass: [0.2, 0.1, 0] as const,
      inertia: randomInertia(random),
    }));
    const figure = createFigure({ bones });
    let [unclamped, clamped] = [0, 0];
    for (let trial = 0; trial < 50; trial++) {
      const vector = (size: number) => Float64Array.from({ length: 4 }, () => within(random, size));
      const positive = (size: number) => vector(size).map(Math.abs);
      const motor = {
        target: vector(2),
        targetVelocity: vector(1),
        stiffness: positive(50),
        damping: positive(5),
        maxForce: positive(40),
      };
      const simulation = alone({ figure, motor, pose: vector(1), velocity: vector(3), damping: 0.2 });
      const [actor] = simulation.actors;
      const balance = equationOf(actor, [0, -9.81, 0]);
      stepSimulation(simulation, H);
      const { nextVelocity } = actor.work.solver;
      const push = balance.requiredImpulse(nextVelocity, H);
      for (let i = 0; i < 4; i++) {
        const wanted =
          motor.stiffness[i] * (motor.target[i] - balance.pose[i] - H * nextVelocity[i]) +
          motor.damping[i] * (motor.targetVelocity[i] - nextVelocity[i]);
        const given = Math.max(-motor.maxForce[i], Math.min(motor.maxForce[i], wanted));
        if (given === wanted) unclamped++;
        else clamped++;
        // The residual is at most 3e-4 of all impulses.
        expect(Math.abs(push[i] / H - given)).toBeLessThan((1e-3 * largest(push)) / H + 1e-9);
      }
    }
    expect(unclamped).toBeGreaterThan(20);
    expect(clamped).toBeGreaterThan(20);
  });
});

describe('limits', () => {
  test('push inward without bound, and only where the step ends on them', () => {
    const random = createRandom(9);
    const figure = createFigure({
      bones: Array.from({ length: 5 }, (_, k) => ({
        name: `b${k}`,
        parent: k === 0 ? null : `b${k - 1}`,
        rest: { position: [0.3, 0, 0] as const },
        joint: { type: 'hinge', axis: [within(random, 1), within(random, 1), 1] } as const,
        limit: { type: 'interval', min: -0.4, max: 0.3 } as const,
        mass: 1,
        centerOfMass: [0.15, 0, 0] as const,
        inertia: [0.002, 0.01, 0.01, 0, 0, 0] as const,
      })),
    });
    const simulation = alone({ figure, velocity: [1, 2, -1, 3, -2] });
    const [actor] = simulation.actors;
    let pushes = 0;
    for (let n = 0; n < 240; n++) {
      const balance = equationOf(actor, [0, -9.81, 0]);
      stepSimulation(simulation, H);
      if (simulation.report.substeps > 1) continue;
      const push = balance.requiredImpulse(actor.work.solver.nextVelocity, H);
      const slack = 2e-3 * largest(push) + 1e-9;
      push.forEach((impulse, i) => {
        const end = balance.pose[i] + H * actor.work.solver.nextVelocity[i];
        // Limits may give way by 0.05 rad/s; the pose is then brought back.
        expect(end).toBeLessThan(0.3 + 5e-4);
        expect(end).toBeGreaterThan(-0.4 - 5e-4);
        if (Math.abs(impulse) < slack) return;
        pushes++;
        expect(Math.abs(end - (impulse > 0 ? -0.4 : 0.3))).toBeLessThan(5e-4);
      });
    }
    expect(pushes).toBeGreaterThan(100);
  });
});

test('contact impulses: friction within its disk and against sliding, and no other impulse acts', () => {
  const bones = Array.from({ length: 5 }, (_, k) => ({
    name: `b${k}`,
    parent: k === 0 ? null : `b${k - 1}`,
    rest: { position: [k === 0 ? 0 : 0.3, 0, 0] as const },
    joint: { type: k === 0 ? 'free' : 'ball' } as const,
    mass: 1 + 0.5 * k,
    centerOfMass: [0.1, 0.02, 0] as const,
    inertia: [0.01, 0.012, 0.015, 0, 0, 0] as const,
  }));
  const figure = createFigure({ bones });
  const mu = 0.4;
  const shapes = bones.map(
    ({ name }) => ({ bone: name, type: 'sphere', radius: 0.1, friction: mu }) as const,
  );
  const pose = vector(figure.dof, { 1: 0.3, 5: 0.3, 7: 0.4 });
  const velocity = vector(figure.dof, { 0: 1, 2: -0.5 });
  const simulation = alone(
    { figure, shapes, pose, velocity, damping: new Float64Array(figure.dof).fill(0.05, 6) },
    { world: [{ type: 'plane', friction: mu }], collide: { neighbours: 9 } },
  );
  const [actor] = simulation.actors;
  const state = createState(figure);
  let [pushes, slides, sticks] = [0, 0, 0];
  for (let n = 0; n < 300; n++) {
    const balance = equationOf(actor, [0, -G, 0]);
    stepSimulation(simulation, H);
    const { contacts, report } = simulation;
    if (report.substeps > 1 || contacts.count === 0) continue;
    const next = actor.work.solver.nextVelocity;
    const requiredImpulse = balance.requiredImpulse(next, H);
    forwardKinematics(state, balance.pose);
    updateMotionSubspaceV(state, balance.pose);
    const rows: Float64Array[] = [];
    for (let c = 0; c < contacts.count; c++) {
      const bone = contacts.bodyA[c];
      rows.push(...pointRows(state, bone, contacts.pointA.subarray(3 * c, 3 * c + 3)));
    }
    const impulses = leastSquares(rows, requiredImpulse);
    const left = requiredImpulse.map(
      (x, i) => x - rows.reduce((sum, row, k) => sum + row[i] * impulses[k], 0),
    );
    const max = Math.max(...impulses.map(Math.abs));
    expect(largest(left)).toBeLessThan(2e-3 * largest(requiredImpulse) + 1e-9);
    for (let c = 0; c < contacts.count; c++) {
      const [px, push, pz] = impulses.slice(3 * c, 3 * c + 3);
      const [ux, uy, uz] = [0, 1, 2].map((k) => rows[3 * c + k].reduce((sum, x, i) => sum + x * next[i], 0));
      // Bounds of friction are left alone where they would change velocities by 1e-5 m/s, against up to 500 kg.
      const slack = 5e-3 * max + 5e-3;
      const gap = contacts.separation[c] + H * uy;
      expect(push).toBeGreaterThan(-slack);
      if (contacts.separation[c] > 0) expect(gap).toBeGreaterThan(-1e-3);
      if (push < 2 * slack) continue;
      pushes++;
      expect(gap).toBeLessThan(1e-3);
      const across = Math.hypot(px, pz);
      const slip = Math.hypot(ux, uz);
      // The bound of the last solve is that of the push before: within a fifth.
      expect(across).toBeLessThan(1.25 * mu * push + slack);
      if (slip < 0.02) {
        sticks++;
        continue;
      }
      slides++;
      expect(px * ux + pz * uz).toBeLessThan(-0.97 * across * slip + slack * slip);
      expect(across).toBeGreaterThan(0.8 * mu * push - slack);
    }
  }
  expect(Math.min(pushes, slides, sticks)).toBeGreaterThan(20);
});

/** Jacobian of a point of a bone, world axes: three rows. */
function pointRows(state: FigureState, bone: number, point: Float64Array): Float64Array[] {
  const { dof } = state.figure;
  const jacobian = new Float64Array(6 * dof);
  frameJacobianV(state, bone, point, jacobian);
  return [0, 1, 2].map((k) => jacobian.subarray(k * dof, (k + 1) * dof));
}

/** Least-squares weights of rows for a vector. */
function leastSquares(rows: Float64Array[], vector: Float64Array): number[] {
  const n = rows.length;
  const system = rows.map((row) => [
    ...rows.map((other) => row.reduce((sum, x, i) => sum + x * other[i], 0)),
    row.reduce((sum, x, i) => sum + x * vector[i], 0),
  ]);
  for (let k = 0; k < n; k++) system[k][k] *= 1 + 1e-12;
  for (let k = 0; k < n; k++) {
    for (let r = k + 1; r < n; r++) {
      const share = system[r][k] / system[k][k];
      for (let c = k; c <= n; c++) system[r][c] -= share * system[k][c];
    }
  }
  const out = new Array<number>(n).fill(0);
  for (let k = n - 1; k >= 0; k--) {
    let sum = system[k][n];
    for (let c = k + 1; c < n; c++) sum -= system[k][c] * out[c];
    out[k] = sum / system[k][k];
  }
  return out;
}

/** The same figure with an inertia on every bone. */
function withInertia(figure: ReturnType<typeof randomFigure>, random: () => number) {
  return createFigure({
    bones: figure.bones.map(({ name, parent, rest, joint, limit, mass, centerOfMass }) => ({
      name,
      parent: parent < 0 ? null : figure.bones[parent].name,
      rest,
      joint,
      ...(limit && { limit }),
      ...(mass && { mass }),
      ...(centerOfMass && { centerOfMass }),
      inertia: randomInertia(random),
    })),
  });
}
