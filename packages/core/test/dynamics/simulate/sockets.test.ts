/** Ball-and-socket joints without a limit swing through pi, where their coordinates are singular, as ball joints do. */
import { expect, test } from 'vitest';
import { stepSimulation } from '../../../src/dynamics/simulate/index.js';
import {
  createFigure,
  createState,
  type Figure,
  forwardKinematics,
  type JointData,
} from '../../../src/figure/index.js';
import { rotationVectorFromMatrix } from '../../../src/rotation/rotation-vector/log.js';
import { ballAndSocketJacobian } from '../../../src/rotation/swing-twist/ball-and-socket.js';
import { createSwingAxes } from '../../../src/rotation/swing-twist/swing.js';
import { alone } from './support.js';

const DT = 1 / 120;
const AXIS = [0, 1, 0] as const;
const SIDE = [1, 0, 0] as const;

const rod = (joint: JointData): Figure =>
  createFigure({
    bones: [
      {
        name: 'rod',
        joint,
        mass: 1,
        centerOfMass: [0, 0.3, 0],
        inertia: [0.01, 0.002, 0.01, 0, 0, 0],
      },
    ],
  });
const socket = rod({ type: 'ball-and-socket', axis: AXIS, side: SIDE });
const ball = rod({ type: 'ball' });

function rotationOf(figure: Figure, pose: Float64Array): Float64Array {
  const state = createState(figure);
  forwardKinematics(state, pose);
  return state.worldFromBone.slice(0, 9);
}

test.each([
  [
    [2.2, 0.1, 0],
    [3, 0.2, 0.1],
  ],
  [
    [1, 0.2, 0],
    [0, 0, 0],
  ],
  [
    [0.5, 0.1, 0],
    [4, 1, 0],
  ],
  [
    [2.5, 0.5, 1],
    [1, 1, 1],
  ],
  [
    [1.5, -0.5, 0.3],
    [0, 2, 5],
  ],
  [
    [2, 0, 0],
    [0, 0, 0],
  ],
])('from %j at %j: thirty seconds as a ball joint', (pose, velocity) => {
  const swung = alone({ figure: socket, pose, velocity });
  const m = ballAndSocketJacobian(pose, createSwingAxes(AXIS, SIDE), 'body');
  const turning = alone({
    figure: ball,
    pose: rotationVectorFromMatrix(rotationOf(socket, Float64Array.from(pose))),
    velocity: [0, 3, 6].map((r) => m[r] * velocity[0] + m[r + 1] * velocity[1] + m[r + 2] * velocity[2]),
  });
  // A step may return what one before it has lost; at a turning point there is no kinetic energy to take an error of h^3 from.
  const { energy } = swung.actors[0].work;
  const start = energy.kinetic + energy.potential;
  for (let n = 0; n < 3600; n++) {
    for (const each of [swung, turning]) expect(stepSimulation(each, DT).status).toBe('done');
    const { kinetic, potential } = swung.report;
    expect(kinetic + potential).toBeLessThan(start + 1e-7);
    const expected = rotationOf(ball, turning.actors[0].pose);
    rotationOf(socket, swung.actors[0].pose).forEach((x, k) => {
      expect(Math.abs(x - expected[k])).toBeLessThan(1e-7);
    });
  }
});

test('damped, it comes to rest where it hangs at pi', () => {
  const simulation = alone({ figure: socket, pose: [1, 0.2, 0], damping: 0.1 });
  for (let n = 0; n < 3600; n++) expect(stepSimulation(simulation, DT).status).toBe('done');
  const [rs, rt] = simulation.actors[0].pose;
  expect(Math.hypot(rs, rt)).toBeGreaterThan(Math.PI - 1e-3);
  expect(simulation.report.kinetic).toBeLessThan(1e-6);
});
