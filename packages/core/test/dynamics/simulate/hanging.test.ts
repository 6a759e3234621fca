import { describe, expect, test } from 'vitest';
import { createRagdoll } from '../../../src/dynamics/ragdoll/ragdoll.js';
import { writeLimitCurvature } from '../../../src/dynamics/simulate/constraints/limit-curvature.js';
import {
  type ConnectionOptions,
  createSimulation,
  type Simulation,
  stepSimulation,
} from '../../../src/dynamics/simulate/index.js';
import { createJointPotentials } from '../../../src/dynamics/simulate/state/joint-potentials.js';
import { createPose, createState, forwardKinematics } from '../../../src/figure/index.js';
import { limitShapes } from '../../../src/figure/limits/shapes.js';
import { createHumanFigure } from '../../../src/humanoid/index.js';
import { box } from './support.js';

const ragdoll = createRagdoll(createHumanFigure());
const { figure } = ragdoll;
const HIGH = 3;
/** Of the air, by which a figure stops to swing, 1/s. */
const DRAG = 2.5;

function originOf(bone: string): [number, number, number] {
  const pose = createPose(figure);
  pose[1] = HIGH;
  const state = createState(figure);
  forwardKinematics(state, pose);
  const o = 12 * figure.bones.findIndex(({ name }) => name === bone) + 9;
  return [state.worldFromBone[o], state.worldFromBone[o + 1], state.worldFromBone[o + 2]];
}

/** A human in the T-pose that hangs by its hands, with a crate below a foot. */
function hung(hands: readonly string[], crateMass: number, drag = DRAG): Simulation {
  const mass = figure.bones.reduce((sum, bone) => sum + (bone.mass ?? 0), 0);
  const pose = createPose(figure);
  pose[1] = HIGH;
  const damping = ragdoll.damping.map((d, i) => (i < 3 ? mass * drag : d));
  const connections: ConnectionOptions[] = hands.map((bone) => ({
    type: 'point',
    a: { actor: 0, bone },
    b: { position: originOf(bone) },
  }));
  const actors = [{ figure, shapes: ragdoll.shapes, exclude: ragdoll.exclude, damping, pose }];
  if (crateMass === 0) return createSimulation(actors, { connections, sleep: false });
  const [x, y, z] = originOf('rightFoot');
  const crate = box(crateMass, [0.2, 0.2, 0.2], [x, y - 0.35, z, 0, 0, 0]);
  connections.push({
    type: 'point',
    a: { actor: 1, bone: 'body', position: [0, 0.35, 0] },
    b: { actor: 0, bone: 'rightFoot' },
  });
  const moveDamping = Float64Array.from([0, 1, 2, 3, 4, 5], (i) => (i < 3 ? crateMass * drag : 0));
  return createSimulation([...actors, { ...crate, damping: moveDamping }], { connections, sleep: false });
}

describe('a human that hangs', () => {
  test.each([30, 60, 120])('by both hands, without drag of the air, comes to rest at %d Hz', (rate) => {
    const simulation = hung(['leftHand', 'rightHand'], 0, 0);
    for (let k = 0; k < 20 * rate; k++) {
      expect(stepSimulation(simulation, 1 / rate).status).toBe('done');
      if (k < 18 * rate) continue;
      for (const speed of simulation.actors[0].velocity) expect(Math.abs(speed)).toBeLessThan(0.2);
    }
  });

  test.each([
    ['by both hands with straight arms', ['leftHand', 'rightHand'], 0, 60],
    ['by both hands with straight arms', ['leftHand', 'rightHand'], 0, 120],
    ['by both hands, 100 kg at a foot', ['leftHand', 'rightHand'], 100, 60],
    ['by a hand', ['leftHand'], 0, 60],
    ['by a hand, 5 kg at a foot', ['rightHand'], 5, 60],
    ['by a hand, 100 kg at a foot', ['leftHand'], 100, 60],
    ['by a hand, 100 kg at a foot', ['leftHand'], 100, 120],
    ['by a hand, 300 kg at a foot', ['rightHand'], 300, 120],
  ] as const)('%s (%s, %d kg, %d Hz) comes to rest', (_, hands, crateMass, rate) => {
    const simulation = hung(hands, crateMass);
    const gap = (): number =>
      Math.max(...simulation.connections.map(({ positionError }) => Math.hypot(...positionError)));
    for (let k = 0; k < 14 * rate; k++) {
      const { status, warnings } = stepSimulation(simulation, 1 / rate);
      expect(status).toBe('done');
      expect([...warnings]).toEqual([]);
      expect(gap()).toBeLessThan(0.005);
      if (k < 12 * rate) continue;
      for (const { velocity } of simulation.actors) {
        for (let i = 0; i < velocity.length; i++)
          expect(Math.abs(velocity[i])).toBeLessThan(i < 3 ? 0.02 : 0.3);
      }
    }
    expect(gap()).toBeLessThan(1e-3);
  });
});

describe('a human that is pulled by a bounded force', () => {
  /** Pulled at its right hand, and at its left too where a force is given. */
  function pulled(rate: number, second?: number): Simulation {
    const pose = createPose(figure);
    pose[1] = HIGH;
    const mass = figure.bones.reduce((sum, bone) => sum + (bone.mass ?? 0), 0);
    const damping = ragdoll.damping.map((d, i) => (i < 3 ? mass * DRAG : d));
    const [x, y, z] = originOf('rightHand');
    const connections: ConnectionOptions[] = [
      { type: 'point', a: { bone: 'rightHand' }, b: { position: [x, y + 0.3, z] }, maxForce: 12000 },
    ];
    if (second) {
      const b = { position: [0, -50, 0] } as const;
      connections.push({ type: 'point', a: { bone: 'leftHand' }, b, maxForce: second });
    }
    const { shapes, exclude } = ragdoll;
    const simulation = createSimulation([{ figure, shapes, exclude, damping, pose }], {
      connections,
      sleep: false,
    });
    for (let k = 0; k < 8 * rate; k++) {
      expect(stepSimulation(simulation, 1 / rate).status).toBe('done');
    }
    return simulation;
  }

  test.each([60, 120])('from afar hangs at the target, not below it (%d Hz)', (rate) => {
    const [{ positionError }] = pulled(rate).connections;
    expect(Math.hypot(...positionError)).toBeLessThan(1e-4);
  });

  test.each([
    [60, 500],
    [120, 2000],
  ])('to a target out of reach hangs still (%d Hz, %d N)', (rate, force) => {
    const simulation = pulled(rate, force);
    expect(simulation.report.kinetic).toBeLessThan(0.01);
    // Down, at its bound.
    expect(simulation.connections[1].force[1]).toBeCloseTo(-force, 0);
  });
});

test.each([
  ['disk', [0.7], [0.42, -0.56]],
  ['disk', [0.7], [0.3, -0.6, 0.2]],
  ['ellipse', [0.3, 0.9], [0.18, 0.72]],
  ['quad-ellipse', [-0.2, 0.3, -0.5, 0.9], [0.18, 0.72]],
  ['quad-ellipse', [-0.2, 0.3, -0.5, 0.9], [-0.12, -0.4]],
] as const)('the force of a limit turns along a %s %j as its curvature says', (kind, parameters, x) => {
  const shape = limitShapes[kind];
  const size = x.length;
  const potentials = createJointPotentials(size, 1);
  potentials.size[0] = size;
  const gradient = new Float64Array(3);
  const inward = (q: readonly number[]): number[] => {
    shape.gradient(parameters, q, 0, size, gradient, 0);
    return Array.from(q, (_, k) => -gradient[k] / Math.hypot(...gradient));
  };
  const normal = inward(x);
  potentials.row.set(normal);
  writeLimitCurvature(potentials, 0, shape, parameters, x, 0, 1 / Math.hypot(...gradient));
  const product = (v: readonly number[], r: number): number =>
    v.reduce((sum, value, k) => sum + potentials.curvature[size * r + k] * value, 0);
  const step = 1e-6;
  for (let axis = 0; axis < size; axis++) {
    const along = normal.map((n, k) => (k === axis ? 1 : 0) - normal[axis] * n);
    const ahead = inward(x.map((value, k) => value + step * along[k]));
    const behind = inward(x.map((value, k) => value - step * along[k]));
    for (let r = 0; r < size; r++) {
      expect((behind[r] - ahead[r]) / (2 * step)).toBeCloseTo(product(along, r), 6);
      // Across the boundary it has no stiffness.
      expect(product(normal, r)).toBeCloseTo(0, 12);
    }
  }
});
