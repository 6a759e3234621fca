import { expect, test } from 'vitest';
import {
  createDynamics,
  createIntegrator,
  createSimulation,
  stepIntegrator,
  stepSimulation,
} from '../src/dynamics/index.js';
import { createPose } from '../src/figure/index.js';
import { createHumanFigure } from '../src/humanoid/index.js';
import {
  createDifferentialControl,
  createFabrik,
  createIk,
  createMarkerTracker,
  createPointFabrik,
  createPositionsToPose,
  createTwoBone,
  type PositionGoal,
  solveFabrik,
  solveIk,
  solveMarkers,
  solvePointFabrik,
  solvePositionsToPose,
  solveTwoBone,
  stepDifferentialControl,
  type TwoBone,
} from '../src/ik/index.js';

// docs/architecture.md, "Results".
const figure = createHumanFigure();
const target = [0.3, 1.2, 0.45];
const goal: PositionGoal = { type: 'position', bone: 'leftHand', target };
const pose = createPose(figure);
const ik = createIk(figure, [goal]);
const fabrik = createFabrik(figure, [goal]);
const chain = { positions: [0, 0, 0, 1, 0, 0, 2, 0, 0], parents: [-1, 0, 1] };
const points = createPointFabrik(chain, [{ point: 2, target: [1, 1, 0] }]);
const markers = createMarkerTracker(figure, [{ name: 'hand', bone: 'leftHand' }]);
const limb = createTwoBone(figure, {
  type: 'position',
  bone: 'leftFoot',
  target: [0.1, 0.2, 0.1],
}) as TwoBone;
const control = createDifferentialControl(figure, [goal]);
const simulation = createSimulation([{ figure }]);
const integrator = createIntegrator(createDynamics(figure), { method: 'rk4' });
const state = { pose: createPose(figure), velocity: new Float64Array(figure.dof), time: 0 };
const reader = createPositionsToPose(figure, { points: [{ bone: 'leftHand' }] });

test.each<[string, () => unknown]>([
  ['solveIk', () => solveIk(ik, pose)],
  ['solveFabrik', () => solveFabrik(fabrik, pose)],
  ['solveMarkers', () => solveMarkers(markers, target, pose)],
  ['solveTwoBone', () => solveTwoBone(limb, pose)],
  ['solvePointFabrik', () => solvePointFabrik(points, Float64Array.from(chain.positions))],
])('%s returns a new object', (_, solve) => {
  const first = solve();
  const copy = structuredClone(first);
  target[1] += 0.1;
  expect(solve()).not.toBe(first);
  expect(first).toEqual(copy);
});

test.each<[string, unknown, () => unknown]>([
  ['stepDifferentialControl', control.result, () => stepDifferentialControl(control, pose, 0.01)],
  ['stepSimulation', simulation.report, () => stepSimulation(simulation, 0.01)],
  ['stepIntegrator', integrator.report, () => stepIntegrator(integrator, state, 0.01)],
  ['solvePositionsToPose', reader.report, () => solvePositionsToPose(reader, [0.5, 1.4, 0.1], pose)],
])('%s returns the report of its object', (_, report, step) => {
  expect(step()).toBe(report);
  expect(step()).toBe(report);
});
