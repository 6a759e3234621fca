import type { RigidBody } from '@dimforge/rapier3d-compat';
import { loadRapier, type Rapier } from '../../peers/rapier.js';
import { principal } from '../../rigid/principal.js';
import { alongY, cross, plus, rotate, type V } from '../../rigid/vectors.js';
import type { Bone, BoneShape, Figure, Form, Scene, Surface } from '../scene.js';
import {
  dragForce,
  firstBodies,
  isTouched,
  pointOf,
  startStates,
  stateOf,
  statesOf,
  teleport,
  writeState,
} from '../states.js';
import { DAMPED_TURN, type Engine, type Run } from './engine.js';
import { nearBones, partsOf } from './near.js';

const xyz = ([x, y, z]: V) => ({ x, y, z });
const xyzw = ([x, y, z, w]: V) => ({ x, y, z, w });

/** s */
const MAX_STEP = 1 / 120;
const ITERATIONS = 8;

export async function loadRapierEngine(): Promise<Engine> {
  const rapier = await loadRapier();
  return {
    name: 'Rapier',
    version: '@dimforge/rapier3d-compat',
    settings: `impulse joints, ${ITERATIONS} solver iterations, steps of at most 1/120 s, continuous collision detection; only hinges take limits, which alone are judged; angular damping of 1/s for joints with damping; drags are forces`,
    open: (scene) => open(rapier, scene),
  };
}

function open(rapier: Rapier, scene: Scene): Run {
  const first = firstBodies(scene);
  const states = startStates(scene);
  const world = new rapier.World({ x: 0, y: -scene.gravity, z: 0 });
  world.numSolverIterations = ITERATIONS;
  const still = world.createRigidBody(rapier.RigidBodyDesc.fixed());
  for (const shape of scene.world) {
    const description =
      shape.type === 'plane'
        ? rapier.ColliderDesc.cuboid(500, 5, 500).setTranslation(0, -5, 0)
        : colliderOf(rapier, shape);
    world.createCollider(surfaced(rapier, description, shape), still);
  }
  const bodies = scene.figures.flatMap(({ bones }, f) =>
    bones.map((bone, b) => createBody(rapier, world, bone, stateOf(states, first[f] + b))),
  );
  const apart = new Set<string>();
  scene.figures.forEach((figure, f) => {
    joinBones(rapier, world, figure, bodies.slice(first[f], first[f + 1]));
    for (const [a, b] of nearBones(figure)) apart.add(`${first[f] + a} ${first[f] + b}`);
    figure.shapes.forEach((shape) => {
      const description = surfaced(rapier, colliderOf(rapier, shape), shape).setDensity(0);
      if (figure.bones.length > 1) description.setActiveHooks(rapier.ActiveHooks.FILTER_CONTACT_PAIRS);
      world.createCollider(description, bodies[first[f] + shape.bone]);
    });
  });
  const joints = scene.connections.map(({ a, b }) => {
    const other = 'bone' in b ? bodies[first[b.figure] + b.bone] : still;
    const data = rapier.JointData.spherical(xyz(b.point), xyz(a.point));
    return world.createImpulseJoint(data, other, bodies[first[a.figure] + a.bone], true);
  });
  const indexOf = new Map(bodies.map((body, n) => [body.handle, n]));
  const hooks = {
    filterContactPair(_a: number, _b: number, bodyA: number, bodyB: number) {
      const [a, b] = [indexOf.get(bodyA) ?? -1, indexOf.get(bodyB) ?? -1];
      const isApart = apart.has(`${a} ${b}`) || apart.has(`${b} ${a}`);
      return isApart ? null : rapier.SolverFlags.COMPUTE_IMPULSE;
    },
    filterIntersectionPair: () => false,
  };
  let dead = false;

  function read(out: Float64Array): void {
    if (dead) {
      out.fill(Number.NaN);
      return;
    }
    scene.figures.forEach(({ bones }, f) => {
      bones.forEach((bone, b) => {
        writeState(out, first[f] + b, bodyState(bodies[first[f] + b], bone));
      });
    });
  }

  /** What happens before a step; the forces of drags act in all its parts. */
  function disturb(step: number): void {
    for (const body of bodies) {
      body.resetForces(false);
      body.resetTorques(false);
    }
    if (!isTouched(scene, step)) return;
    read(states);
    for (const event of scene.events) {
      if (event.step !== step) continue;
      if (event.type === 'release') world.removeImpulseJoint(joints[event.connection], true);
      else if (event.type === 'impulse') {
        bodies[first[event.figure] + event.bone].applyImpulse(xyz(event.impulse), true);
      } else {
        teleport(scene, states, event);
        for (let n = first[event.figure]; n < first[event.figure + 1]; n++) {
          const { position, rotation } = stateOf(states, n);
          bodies[n].setTranslation(xyz(position), true);
          bodies[n].setRotation(xyzw(rotation), true);
          bodies[n].setLinvel(xyz([0, 0, 0]), true);
          bodies[n].setAngvel(xyz([0, 0, 0]), true);
        }
      }
    }
    const now = statesOf(states);
    for (const drag of scene.drags) {
      const at = pointOf(now, first, drag.at);
      const force = dragForce(drag, step, at);
      if (force === undefined) continue;
      bodies[first[drag.at.figure] + drag.at.bone].addForceAtPoint(xyz(force), xyz(at.position), true);
    }
  }

  return {
    read,
    step(step) {
      if (dead) return undefined;
      const { parts, length } = partsOf(scene.steps[step], MAX_STEP);
      try {
        disturb(step);
        world.timestep = length;
        for (let k = 0; k < parts; k++) world.step(undefined, hooks as never);
        return undefined;
      } catch (error) {
        dead = true;
        return `it stopped: ${error instanceof Error ? error.message : String(error)}`;
      }
    },
    jointError: ({ joint, limit }) => (joint.type === 'hinge' && limit ? undefined : 0),
    close() {
      if (!dead) world.free();
    },
  };
}

type World = InstanceType<Rapier['World']>;

function createBody(
  rapier: Rapier,
  world: World,
  { mass, center, inertia, joint, damping }: Bone,
  { position, rotation, velocity, spin }: ReturnType<typeof stateOf>,
): RigidBody {
  const { moments, axes } = principal(inertia);
  const isFree = joint.type === 'free';
  const mean = (moments[0] + moments[1] + moments[2]) / 3;
  const [x, y, z] = position;
  const moved = plus(velocity, cross(spin, rotate(rotation, center)));
  const description = rapier.RigidBodyDesc.dynamic()
    .setTranslation(x, y, z)
    .setRotation(xyzw(rotation))
    .setLinvel(moved[0], moved[1], moved[2])
    .setAngvel(xyz(spin))
    .setAdditionalMassProperties(mass, xyz(center), xyz(moments), xyzw(axes))
    .setLinearDamping(isFree ? damping.move / mass : 0)
    .setAngularDamping(isFree ? damping.turn / mean : damping.turn > 0 ? DAMPED_TURN : 0)
    .setCcdEnabled(true);
  return world.createRigidBody(description);
}

function joinBones(
  rapier: Rapier,
  world: World,
  { bones, position, rotation }: Figure,
  bodies: RigidBody[],
): void {
  bones.forEach(({ parent, at, joint, limit }, b) => {
    if (joint.type === 'free') return;
    const [x, y, z] = position;
    const above =
      parent >= 0
        ? bodies[parent]
        : world.createRigidBody(
            rapier.RigidBodyDesc.fixed().setTranslation(x, y, z).setRotation(xyzw(rotation)),
          );
    const anchor = xyz(parent >= 0 ? at : [0, 0, 0]);
    const origin = xyz([0, 0, 0]);
    const data =
      joint.type === 'hinge'
        ? rapier.JointData.revolute(anchor, origin, xyz(joint.axis))
        : rapier.JointData.spherical(anchor, origin);
    const made = world.createImpulseJoint(data, above, bodies[b], true);
    made.setContactsEnabled(false);
    // Those of the description are passed over.
    if (made instanceof rapier.UnitImpulseJoint && limit?.type === 'interval') made.setLimits(...limit.range);
  });
}

function colliderOf(rapier: Rapier, form: Form | BoneShape) {
  if (form.type === 'sphere') return rapier.ColliderDesc.ball(form.radius).setTranslation(...form.center);
  if (form.type === 'box') {
    return rapier.ColliderDesc.cuboid(...form.half)
      .setTranslation(...form.center)
      .setRotation(xyzw(form.rotation));
  }
  const { center, half, rotation } = alongY(form.from, form.to);
  return rapier.ColliderDesc.capsule(half, form.radius)
    .setTranslation(center[0], center[1], center[2])
    .setRotation(xyzw(rotation));
}

/** The geometric mean of two surfaces is the product of their roots. */
function surfaced(
  rapier: Rapier,
  description: ReturnType<typeof colliderOf>,
  { friction, restitution }: Surface,
) {
  return description
    .setFriction(Math.sqrt(friction))
    .setFrictionCombineRule(rapier.CoefficientCombineRule.Multiply)
    .setRestitution(restitution)
    .setRestitutionCombineRule(rapier.CoefficientCombineRule.Max);
}

function bodyState(body: RigidBody, { center }: Bone) {
  const [x, q, v, w] = [body.translation(), body.rotation(), body.linvel(), body.angvel()];
  const rotation = [q.x, q.y, q.z, q.w];
  const spin = [w.x, w.y, w.z];
  // Its velocity is that of the centre of mass.
  const velocity = plus([v.x, v.y, v.z], cross(spin, rotate(rotation, center)), -1);
  return { position: [x.x, x.y, x.z], rotation, velocity, spin };
}
