import {
  applyImpulse,
  createDynamics,
  createSimulation,
  massMatrix,
  potentialEnergy,
  type Ragdoll,
  stepSimulation,
} from 'poise/dynamics';
import { placeBodies } from './bodies.js';
import { type Block, worldShapes } from './depth.js';
import { DT, GRAVITY, type RagdollRunner } from './scenario.js';

export function poiseRunner(
  { figure, shapes, damping, exclude }: Ragdoll,
  blocks: readonly Block[],
): RagdollRunner {
  const simulation = createSimulation([{ figure, shapes, damping }], {
    world: worldShapes(blocks),
    collide: { exclude },
    gravity: [0, -GRAVITY, 0],
  });
  const [actor] = simulation.actors;
  const { pose, velocity } = actor;
  const dynamics = createDynamics(figure, { gravity: [0, -GRAVITY, 0] });
  const { dof } = figure;
  const matrix = new Float64Array(dof * dof);
  return {
    name: 'Poise',
    place(wanted) {
      pose.set(wanted);
      velocity.fill(0);
    },
    push(bone, [x, y, z], [px, py, pz]) {
      applyImpulse(simulation, 0, bone, [x, y, z], [px, py, pz]);
    },
    step() {
      const { status } = stepSimulation(simulation, DT);
      if (status !== 'done') pose.fill(Number.NaN);
    },
    read(out) {
      placeBodies(figure, pose, velocity, out);
    },
    asleep: () => actor.asleep,
    energy() {
      massMatrix(dynamics, pose, matrix);
      let twice = 0;
      for (let i = 0; i < dof; i++) {
        let row = 0;
        for (let j = 0; j < dof; j++) row += matrix[i * dof + j] * velocity[j];
        twice += row * velocity[i];
      }
      return 0.5 * twice + potentialEnergy(dynamics, pose);
    },
    close() {},
  };
}
