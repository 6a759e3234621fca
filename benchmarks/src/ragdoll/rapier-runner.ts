import type { BoneShape, Ragdoll } from 'poise/dynamics';
import { loadRapier, type Rapier } from '../peers/rapier.js';
import { principal } from '../rigid/principal.js';
import { alongY, conjugate, cross, plus, product, rotate, twistAbout, type V } from '../rigid/vectors.js';
import { apart } from './apart.js';
import type { Bodies } from './bodies.js';
import type { Block } from './depth.js';
import { DT, GRAVITY, type RagdollRunner } from './scenario.js';

type World = InstanceType<Rapier['World']>;
type RigidBody = ReturnType<World['createRigidBody']>;

const xyz = ([x, y, z]: V) => ({ x, y, z });
const xyzw = ([x, y, z, w]: V) => ({ x, y, z, w });

/** 1/s, of all bodies: its ball joints have no damping of their own. */
const ANGULAR_DAMPING = 1;

/**
 * Rapier with its own iterations. From JavaScript only impulse joints that are hinges take limits; a swing without twist is a ball. A multibody starts with all joints at rest, whatever its bodies were told.
 */
export async function rapierRunner(
  ragdoll: Ragdoll,
  blocks: readonly Block[],
  joints: 'impulse' | 'multibody',
): Promise<RagdollRunner> {
  const rapier = await loadRapier();
  const { figure, shapes } = ragdoll;
  // Neighbours by joint are kept apart by the joint; others by groups, a bit for each bone concerned.
  const others = apart(ragdoll).filter(([a, b]) => figure.parents[b] !== a);
  const bits = [...new Set(others.flat())];
  const groups = figure.bones.map(({ index }) => {
    const own = bits.includes(index) ? 2 << bits.indexOf(index) : 1;
    const never = others.flatMap(([a, b]) => (a === index ? [b] : b === index ? [a] : []));
    const mask = never.reduce((all, other) => all & ~(2 << bits.indexOf(other)), 0xffff);
    return ((own << 16) | mask) >>> 0;
  });
  let world: World | undefined;
  let bodies: RigidBody[] = [];

  const shapeOf = (shape: BoneShape) => {
    if (shape.type === 'sphere') {
      const [x, y, z] = shape.center ?? [0, 0, 0];
      return rapier.ColliderDesc.ball(shape.radius).setTranslation(x, y, z);
    }
    if (shape.type === 'capsule') {
      const {
        center: [x, y, z],
        half,
        rotation,
      } = alongY(shape.from, shape.to);
      return rapier.ColliderDesc.capsule(half, shape.radius)
        .setTranslation(x, y, z)
        .setRotation(xyzw(rotation));
    }
    const { position: [x, y, z] = [0, 0, 0], rotation = [0, 0, 0, 1] } = shape.placement ?? {};
    return rapier.ColliderDesc.cuboid(...shape.halfSizes)
      .setTranslation(x, y, z)
      .setRotation(xyzw(rotation));
  };

  function build({ position, rotation }: Bodies): void {
    const made = new rapier.World({ x: 0, y: -GRAVITY, z: 0 });
    made.timestep = DT;
    const still = made.createRigidBody(rapier.RigidBodyDesc.fixed());
    const floor = { center: [0, -5, 0], half: [500, 5, 500] };
    for (const {
      center: [x, y, z],
      half: [a, b, c],
    } of [floor, ...blocks]) {
      made.createCollider(
        rapier.ColliderDesc.cuboid(a, b, c).setTranslation(x, y, z).setFriction(0.8),
        still,
      );
    }
    bodies = figure.bones.map(({ index, mass = 0, centerOfMass = [0, 0, 0], inertia = [] }) => {
      const { moments, axes } = principal(inertia);
      const [x, y, z] = position[index];
      const description = rapier.RigidBodyDesc.dynamic()
        .setTranslation(x, y, z)
        .setRotation(xyzw(rotation[index]))
        .setAdditionalMassProperties(mass, xyz(centerOfMass), xyz(moments), xyzw(axes))
        .setAngularDamping(ANGULAR_DAMPING);
      return made.createRigidBody(description);
    });
    for (const { index, parent, rest, joint, limit } of figure.bones) {
      if (parent < 0) continue;
      const [anchor, origin] = [xyz(rest.position), xyz([0, 0, 0])];
      const data =
        joint.type === 'hinge'
          ? rapier.JointData.revolute(anchor, origin, xyz(joint.axis))
          : rapier.JointData.spherical(anchor, origin);
      const both =
        joints === 'impulse'
          ? made.createImpulseJoint(data, bodies[parent], bodies[index], true)
          : made.createMultibodyJoint(data, bodies[parent], bodies[index], true);
      both?.setContactsEnabled(false);
      // Those of the description are passed over.
      if (both instanceof rapier.UnitImpulseJoint && limit?.type === 'interval') {
        both.setLimits(limit.min ?? -Math.PI, limit.max ?? Math.PI);
      }
    }
    for (const shape of shapes) {
      const bone = figure.bones.findIndex(({ name }) => name === shape.bone);
      made.createCollider(
        shapeOf(shape).setDensity(0).setFriction(0.8).setCollisionGroups(groups[bone]),
        bodies[bone],
      );
    }
    world = made;
  }

  return {
    name: `Rapier: ${joints} joints`,
    place(_pose, at) {
      world?.free();
      build(at);
    },
    push(bone, impulse, point) {
      bodies[bone].applyImpulseAtPoint(xyz(impulse), xyz(point), true);
    },
    step() {
      world?.step();
    },
    read(out) {
      bodies.forEach((body, b) => {
        const [x, q, v, w] = [body.translation(), body.rotation(), body.linvel(), body.angvel()];
        out.position[b] = [x.x, x.y, x.z];
        out.rotation[b] = [q.x, q.y, q.z, q.w];
        out.spin[b] = [w.x, w.y, w.z];
        // Its velocity is that of the centre of mass.
        const arm = rotate(out.rotation[b], figure.bones[b].centerOfMass ?? [0, 0, 0]);
        out.velocity[b] = plus([v.x, v.y, v.z], cross(out.spin[b], arm), -1);
      });
    },
    asleep: () => bodies.every((body) => body.isSleeping()),
    limitExcess({ rotation }) {
      let max = 0;
      if (joints === 'multibody') return max;
      for (const { index, parent, joint, limit } of figure.bones) {
        if (joint.type !== 'hinge' || limit?.type !== 'interval') continue;
        const angle = twistAbout(product(conjugate(rotation[parent]), rotation[index]), joint.axis);
        max = Math.max(max, (limit.min ?? -9) - angle, angle - (limit.max ?? 9));
      }
      return (max * 180) / Math.PI;
    },
    close() {
      world?.free();
      world = undefined;
    },
  };
}
