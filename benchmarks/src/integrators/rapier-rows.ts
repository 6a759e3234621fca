import { loadRapier, type Rapier } from '../peers/rapier.js';
import type { System } from './bodies.js';
import { type BodyState, bodiesOf, judgeBodies, largestGap, quaternionsOf } from './judge.js';
import type { Runner } from './rows.js';

type World = InstanceType<Rapier['World']>;
type RigidBody = ReturnType<World['createRigidBody']>;

const xyz = ([x, y, z]: readonly number[]) => ({ x, y, z });
const none = { x: 0, y: 0, z: 0, w: 1 };
/** Length of the first step of a multibody, in which forces give it its initial velocities. */
const PUSH = 1e-6;

export type RapierJoints = 'impulse' | 'multibody';

/**
 * Bodies without colliders, so that nothing touches, with the mass and inertia given; Rapier's own iterations. Its multibody joints damp
 * every angle by 0.1 N m s/rad (measured on one body that turns freely), and this cannot be turned off.
 */
export async function rapierRunner(system: System, joints: RapierJoints): Promise<Runner> {
  const rapier = await loadRapier();
  const { figure, gravity, velocity } = system;
  const start = bodiesOf(figure, quaternionsOf(new Float64Array(velocity.length)), velocity);
  let world: World | undefined;
  let bodies: RigidBody[] = [];
  let [gap, isFresh] = [0, true];

  /** `World`, with bodies at the start and joints between them. */
  function build(): World {
    const made = new rapier.World(xyz(gravity));
    let before = made.createRigidBody(rapier.RigidBodyDesc.fixed());
    bodies = figure.bones.map(({ rest, mass = 0, centerOfMass = [0, 0, 0], inertia = [] }, b) => {
      const { center, velocity, spin } = start[b];
      const description = rapier.RigidBodyDesc.dynamic()
        .setTranslation(...(center.map((x, k) => x - centerOfMass[k]) as [number, number, number]))
        .setAdditionalMassProperties(mass, xyz(centerOfMass), xyz(inertia), none)
        .setLinvel(...(velocity as [number, number, number]))
        .setAngvel(xyz(spin))
        .setLinearDamping(0)
        .setAngularDamping(0)
        .setCanSleep(false);
      const body = made.createRigidBody(description);
      const joint = rapier.JointData.spherical(xyz(rest?.position ?? [0, 0, 0]), xyz([0, 0, 0]));
      if (joints === 'impulse') made.createImpulseJoint(joint, before, body, true);
      else made.createMultibodyJoint(joint, before, body, true);
      before = body;
      return body;
    });
    if (joints === 'multibody') push(made);
    made.timestep = 0.001;
    return made;
  }

  /** A multibody starts at rest whatever its bodies were told: one very short step with the forces that give it its velocities. */
  function push(made: World): void {
    figure.bones.forEach(({ mass = 0, inertia = [] }, b) => {
      const { velocity, spin } = start[b];
      bodies[b].addForce(xyz(velocity.map((v, k) => mass * (v / PUSH - gravity[k]))), true);
      bodies[b].addTorque(xyz(spin.map((w, k) => (inertia[k] * w) / PUSH)), true);
    });
    made.timestep = PUSH;
    made.step();
    for (const body of bodies) {
      body.resetForces(true);
      body.resetTorques(true);
    }
  }

  const read = (): BodyState[] =>
    bodies.map((body) => {
      const [x, q, v, w] = [body.worldCom(), body.rotation(), body.linvel(), body.angvel()];
      return {
        center: [x.x, x.y, x.z],
        quaternion: [q.w, q.x, q.y, q.z],
        velocity: [v.x, v.y, v.z],
        spin: [w.x, w.y, w.z],
      };
    });

  return {
    name: `Rapier: ${joints} joints`,
    reset() {
      world?.free();
      world = build();
      [gap, isFresh] = [0, true];
    },
    advance(steps) {
      isFresh = false;
      for (let k = 0; k < steps; k++) world?.step();
      return true;
    },
    measure() {
      // The bodies report their actual velocities only after a step of full length.
      const now = isFresh ? start : read();
      gap = Math.max(gap, largestGap(figure, now));
      return judgeBodies(figure, gravity, now);
    },
    gap: () => gap,
  };
}
