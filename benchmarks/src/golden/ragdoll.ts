import {
  type ActorOptions,
  applyImpulse,
  attachConnection,
  blendPoses,
  createActiveRagdoll,
  createFigure,
  createHumanFigure,
  createMotionTracker,
  createPose,
  createRagdoll,
  createSimulation,
  hitActiveRagdoll,
  type Simulation,
  type SimulationOptions,
  stepActiveRagdoll,
  stepSimulation,
  trackPose,
} from 'poise';
import {
  contactImpulse,
  createMotorGains,
  motorForces,
  trackingError,
  type WorldShape,
} from 'poise/dynamics';
import { createPrng } from '../prng.js';
import { staircase, worldShapes } from '../ragdoll/depth.js';
import { drawPose } from '../ragdoll/draw-pose.js';
import { humanRig, realRigs } from '../ragdoll/rigs.js';
import type { Take } from './digest.js';
import { createDraw, times } from './draw.js';
import type { Section } from './section.js';
import { sharedFile } from './shared-data.js';

const DT = 1 / 120;
const STEPS = 1200;
/** Steps between two samples. */
const EVERY = 60;

const rig = humanRig();
const human = createHumanFigure();

const box = createFigure({
  name: 'box',
  bones: [{ name: 'box', joint: { type: 'free' }, mass: 4, inertia: [0.06, 0.05, 0.07, 0, 0, 0] }],
});

function boxActor(x: number, y: number, z: number): ActorOptions {
  const pose = createPose(box);
  pose.set([x, y, z, 0.2, 0.3, -0.1]);
  return { figure: box, pose, shapes: [{ bone: 'box', type: 'box', halfSizes: [0.2, 0.15, 0.18] }] };
}

/** Ragdolls in the air, above each other where they are several. */
function fallen(of: typeof rig.ragdoll, count: number, seed: number): ActorOptions[] {
  const random = createPrng(seed);
  const { figure, shapes, damping, exclude } = of;
  return Array.from({ length: count }, (_, k) => {
    const { pose } = drawPose(of, random);
    pose[1] += 0.7 * k;
    return { figure, shapes, damping, exclude, pose };
  });
}

function sample({ actors, report, connections, time, contacts }: Simulation, take: Take): void {
  for (const { pose, velocity, asleep } of actors) take(pose, velocity, asleep);
  const { touching, dropped, depth, substeps, iterations, outerIterations, kinetic, potential, asleep } =
    report;
  take(time, [
    report.contacts,
    touching,
    dropped,
    depth,
    substeps,
    iterations,
    outerIterations,
    kinetic,
    potential,
    asleep,
  ]);
  for (const { enabled, force, couple } of connections) take(enabled, force, couple);
  take(contacts.count, report.status, report.warnings);
}

function simulate(
  actors: readonly ActorOptions[],
  options: SimulationOptions,
  take: Take,
  before: (simulation: Simulation, step: number) => void = () => {},
  steps = STEPS,
): Simulation {
  const simulation = createSimulation(actors, { gravity: [0, -9.81, 0], ...options });
  for (let step = 0; step < steps; step++) {
    before(simulation, step);
    stepSimulation(simulation, DT);
    if ((step + 1) % EVERY === 0) sample(simulation, take);
  }
  return simulation;
}

/** An impulse on a bone every 1.5 s. */
function pushes(seed: number): (simulation: Simulation, step: number) => void {
  const draw = createDraw(seed);
  return (simulation, step) => {
    if (step % 180 !== 179) return;
    for (const { index, figure } of simulation.actors) {
      const bone = Math.floor(draw.between(0, figure.bones.length));
      applyImpulse(simulation, index, bone, draw.vector(15));
    }
  };
}

const stairs = worldShapes(staircase(6, 0.17, 0.28, 8));
const ground: readonly WorldShape[] = [{ type: 'plane' }];
const hills: readonly WorldShape[] = [
  {
    type: 'heightfield',
    columns: 20,
    rows: 20,
    spacing: [0.5, 0.5],
    heights: Array.from(
      { length: 400 },
      (_, k) => 0.3 * Math.sin(0.7 * (k % 20)) * Math.cos(0.5 * Math.floor(k / 20)),
    ),
    placement: { position: [-4.75, 0, -4.75] },
  },
];

/** The human's pose as it sways. */
function sway(t: number): Float64Array {
  const pose = createPose(human);
  for (const [name, size] of [
    ['leftUpperArm', 0.5],
    ['rightUpperArm', -0.4],
    ['spine', 0.15],
    ['head', 0.3],
  ] as const) {
    const bone = human.bones.find((each) => each.name === name);
    if (bone) pose[bone.coordinate] = size * Math.sin(2 * t);
  }
  return pose;
}

export const ragdolls: Section = {
  name: 'ragdoll',
  run(entry) {
    entry('one on stairs, pushed', (take) => {
      simulate(fallen(rig.ragdoll, 1, 1), { world: stairs }, take, pushes(900));
    });
    entry('one on stairs, left to sleep', (take) => {
      simulate(fallen(rig.ragdoll, 1, 2), { world: stairs }, take);
    });
    entry('three in a heap with boxes', (take) => {
      const actors = [...fallen(rig.ragdoll, 3, 3), boxActor(0.2, 0.5, 0.1), boxActor(-0.1, 4, 0)];
      simulate(actors, { world: ground, contacts: 600 }, take, pushes(901), 720);
    });
    entry('on hills, without sleep', (take) => {
      simulate(fallen(rig.ragdoll, 1, 4), { world: hills, sleep: false }, take, pushes(902), 720);
    });
    entry('fixed by connections', (take) => {
      const actors = [...fallen(rig.ragdoll, 2, 5), boxActor(0, 5, 0)];
      const options: SimulationOptions = {
        world: stairs,
        connections: [
          { type: 'point', a: { actor: 0, bone: 'leftHand' }, b: { position: [0, 3, 0] } },
          {
            type: 'point',
            a: { actor: 0, bone: 'rightHand' },
            b: { actor: 1, bone: 'leftHand' },
            maxForce: 2000,
          },
          { type: 'weld', a: { actor: 1, bone: 'rightHand' }, b: { actor: 2, bone: 'box' } },
          { type: 'directions', a: { actor: 1, bone: 'head' }, b: {}, maxCouple: 40 },
        ],
      };
      simulate(
        actors,
        options,
        take,
        (simulation, step) => {
          if (step === 120) simulation.connections[0].enabled = false;
          if (step === 180) {
            attachConnection(simulation, simulation.connections[2], { actor: 1, bone: 'head' });
          }
        },
        300,
      );
    });
    entry('springs, friction and restitution', (take) => {
      const [actor] = fallen(rig.ragdoll, 1, 6);
      const shapes = actor.shapes?.map((shape) => ({ ...shape, restitution: 0.4, friction: 0.3 }));
      const sprung = { ...actor, ...(shapes && { shapes }), stiffness: 15, friction: 0.5, armature: 0.01 };
      const done = simulate([sprung], { world: stairs }, take, undefined, 720);
      times(done.contacts.count, (k) => take(contactImpulse(done, k)));
    });
    for (const supports of [['leftFoot', 'rightFoot'], undefined]) {
      entry(
        supports ? 'motors that track, feet on the ground' : 'motors that track, helped at the root',
        (take) => {
          const ragdoll = createRagdoll(human);
          const gains = createMotorGains(ragdoll.figure, supports ? { supports } : { root: 'assisted' });
          take(gains.stiffness, gains.damping, gains.maxForce);
          const simulation = createSimulation([{ ...ragdoll, pose: sway(0) }], {
            world: ground,
            gravity: [0, -9.81, 0],
          });
          const tracker = createMotionTracker(simulation, 0, { gains });
          for (let step = 0; step < 600; step++) {
            trackPose(tracker, sway(step * DT), DT);
            stepSimulation(simulation, DT);
            if (step % EVERY !== EVERY - 1) continue;
            sample(simulation, take);
            take(trackingError(tracker), motorForces(simulation.actors[0]));
          }
        },
      );
    }
    entry('active, hit and fallen', (take) => {
      const ragdoll = createRagdoll(human);
      const simulation = createSimulation([{ ...ragdoll, pose: sway(0) }], {
        world: ground,
        gravity: [0, -9.81, 0],
      });
      const active = createActiveRagdoll(simulation, 0, {
        gains: createMotorGains(ragdoll.figure, { root: 'assisted' }),
      });
      const draw = createDraw(910);
      for (let step = 0; step < STEPS; step++) {
        if (step === 120 || step === 300)
          hitActiveRagdoll(active, 'chest', draw.vector(step === 120 ? 15 : 90));
        stepActiveRagdoll(active, sway(step * DT), DT);
        stepSimulation(simulation, DT);
        if (step % EVERY !== EVERY - 1) continue;
        sample(simulation, take);
        const { state, stateTime, error, tilt, distance, balance, weights, target } = active;
        take(state, stateTime, error, tilt, distance, balance, weights, target);
      }
    });
    entry('blended poses', (take) => {
      const draw = createDraw(920);
      times(20, () => take(blendPoses(human, draw.pose(human), draw.pose(human), draw.between(0, 1))));
    });
    for (const joints of ['given', 'anatomical'] as const) {
      entry(`rigs of files, joints ${joints}`, (take) => {
        for (const file of ['gltf/RobotExpressive.glb', 'vrm/cryptovoxels.vrm']) sharedFile(file);
        for (const { ragdoll } of realRigs(joints)) {
          take(ragdoll.shapes, ragdoll.damping, ragdoll.exclude, ragdoll.mass, ragdoll.height);
          simulate(fallen(ragdoll, 1, 7), { world: stairs }, take, pushes(903), 360);
        }
      });
    }
  },
};
