import type { BoneShape, Ragdoll } from 'poise/dynamics';
import type { Bone } from 'poise/figure';
import { createJoltWorld, JOLT_MOVING, JOLT_STILL, type Jolt, loadJolt } from '../peers/jolt.js';
import { alongY, conjugate, cross, plus, product, rotate, twistAbout, type V } from '../rigid/vectors.js';
import { apart } from './apart.js';
import { createBodies, placeBodies } from './bodies.js';
import type { Block } from './depth.js';
import { normalOf, parentFrame, swingTwistExcess, swingTwistOf } from './jolt-joints.js';
import { DT, GRAVITY, type RagdollRunner } from './scenario.js';

type World = InstanceType<Jolt['JoltInterface']>;
type Body = ReturnType<World['sGetFixedToWorldBody']>;

/** Jolt with its own settings: hinges and swing-twist constraints, its damping of bodies, its iterations, its caps on speed, its sleep. */
export async function joltRunner(ragdoll: Ragdoll, blocks: readonly Block[]): Promise<RagdollRunner> {
  const jolt = await loadJolt();
  const { figure, shapes } = ragdoll;
  const world = createJoltWorld(jolt, [0, -GRAVITY, 0]);
  const physics = world.GetPhysicsSystem();
  const host = physics.GetBodyInterface();
  const temporary: object[] = [];
  const keep = <T extends object>(made: T): T => {
    temporary.push(made);
    return made;
  };
  const vec3 = ([x, y, z]: V) => keep(new jolt.Vec3(x, y, z));
  const place3 = ([x, y, z]: V) => keep(new jolt.RVec3(x, y, z));
  const quat = ([x, y, z, w]: V) => keep(new jolt.Quat(x, y, z, w));

  const filter = new jolt.GroupFilterTable(figure.bones.length);
  for (const [a, b] of apart(ragdoll)) filter.DisableCollision(a, b);

  const floor = { center: [0, -5, 0], half: [500, 5, 500] };
  for (const { center, half } of [floor, ...blocks]) {
    const settings = keep(
      new jolt.BodyCreationSettings(
        new jolt.BoxShape(vec3(half)),
        place3(center),
        quat([0, 0, 0, 1]),
        jolt.EMotionType_Static,
        JOLT_STILL,
      ),
    );
    settings.mFriction = 0.8;
    host.CreateAndAddBody(settings, jolt.EActivation_DontActivate);
  }

  const shapeOf = (shape: BoneShape) => {
    if (shape.type === 'sphere') {
      const at = vec3(shape.center ?? [0, 0, 0]);
      return new jolt.RotatedTranslatedShapeSettings(
        at,
        quat([0, 0, 0, 1]),
        new jolt.SphereShapeSettings(shape.radius),
      );
    }
    if (shape.type === 'capsule') {
      const { center, half, rotation } = alongY(shape.from, shape.to);
      return new jolt.RotatedTranslatedShapeSettings(
        vec3(center),
        quat(rotation),
        new jolt.CapsuleShapeSettings(half, shape.radius),
      );
    }
    const { position = [0, 0, 0], rotation = [0, 0, 0, 1] } = shape.placement ?? {};
    const rounded = 0.2 * Math.min(...shape.halfSizes);
    const box = new jolt.BoxShapeSettings(vec3(shape.halfSizes), rounded);
    return new jolt.RotatedTranslatedShapeSettings(vec3(position), quat(rotation), box);
  };

  const rest = createBodies(figure);
  const still = new Float64Array(figure.dof);
  placeBodies(figure, still, still, rest);

  const bodies = figure.bones.map(
    ({ index, name, mass = 0, centerOfMass = [0, 0, 0], inertia = [0, 0, 0, 0, 0, 0] }): Body => {
      const own = shapes.filter(({ bone }) => bone === name);
      if (own.length > 1) throw new Error('benchmarks: a bone with several shapes');
      // Its centre of mass is where the figure has it: shifted from where the shape alone would have it.
      const shape =
        own.length === 0
          ? new jolt.EmptyShape(vec3(centerOfMass))
          : (() => {
              const plain = shapeOf(own[0]).Create().Get();
              const c = plain.GetCenterOfMass();
              const shift = plus(centerOfMass, [c.GetX(), c.GetY(), c.GetZ()], -1);
              return new jolt.OffsetCenterOfMassShape(plain, vec3(shift));
            })();
      const settings = keep(
        new jolt.BodyCreationSettings(
          shape,
          place3(rest.position[index]),
          quat(rest.rotation[index]),
          jolt.EMotionType_Dynamic,
          JOLT_MOVING,
        ),
      );
      const [xx, yy, zz, xy, xz, yz] = inertia;
      const properties = settings.mMassPropertiesOverride;
      properties.mMass = mass;
      const columns = [
        [xx, xy, xz],
        [xy, yy, yz],
        [xz, yz, zz],
      ];
      for (const [k, column] of columns.entries()) properties.mInertia.SetColumn3(k, vec3(column));
      settings.mMassPropertiesOverride = properties;
      settings.mOverrideMassProperties = jolt.EOverrideMassProperties_MassAndInertiaProvided;
      settings.mFriction = 0.8;
      settings.mCollisionGroup = keep(new jolt.CollisionGroup(filter, 0, index));
      const body = host.CreateBody(settings);
      host.AddBody(body.GetID(), jolt.EActivation_Activate);
      return body;
    },
  );

  const joined = figure.bones.filter(({ parent }) => parent >= 0);
  for (const bone of joined) physics.AddConstraint(constraintOf(bone));

  /** Made with all bones at rest, in world axes. */
  function constraintOf(bone: Bone) {
    const at = place3(rest.position[bone.index]);
    const { joint, limit } = bone;
    const cone = swingTwistOf(bone);
    if (cone !== undefined) {
      const settings = keep(new jolt.SwingTwistConstraintSettings());
      const { twist, plane } = parentFrame(cone);
      settings.mSpace = jolt.EConstraintSpace_WorldSpace;
      settings.mPosition1 = at;
      settings.mPosition2 = at;
      settings.mTwistAxis1 = vec3(twist);
      settings.mPlaneAxis1 = vec3(plane);
      settings.mTwistAxis2 = vec3(cone.axis);
      settings.mPlaneAxis2 = vec3(cone.s);
      settings.mNormalHalfConeAngle = cone.halves[0];
      settings.mPlaneHalfConeAngle = cone.halves[1];
      settings.mTwistMinAngle = cone.twist[0];
      settings.mTwistMaxAngle = cone.twist[1];
      return settings.Create(bodies[bone.parent], bodies[bone.index]);
    }
    if (joint.type !== 'hinge' || limit?.type !== 'interval')
      throw new Error('benchmarks: no constraint for it');
    const settings = keep(new jolt.HingeConstraintSettings());
    settings.mSpace = jolt.EConstraintSpace_WorldSpace;
    settings.mPoint1 = at;
    settings.mPoint2 = at;
    const [axis, normal] = [vec3(joint.axis), vec3(normalOf(joint.axis))];
    settings.mHingeAxis1 = axis;
    settings.mHingeAxis2 = axis;
    settings.mNormalAxis1 = normal;
    settings.mNormalAxis2 = normal;
    settings.mLimitsMin = limit.min ?? -Math.PI;
    settings.mLimitsMax = limit.max ?? Math.PI;
    return settings.Create(bodies[bone.parent], bodies[bone.index]);
  }

  for (const each of temporary.splice(0)) jolt.destroy(each);

  const three = (v: { GetX(): number; GetY(): number; GetZ(): number }) => [v.GetX(), v.GetY(), v.GetZ()];
  const cones = figure.bones.map(swingTwistOf);

  return {
    name: 'Jolt: hinges and swing-twist constraints',
    place(_pose, { position, rotation }) {
      bodies.forEach((body, b) => {
        const none = vec3([0, 0, 0]);
        host.SetPositionRotationAndVelocity(body.GetID(), place3(position[b]), quat(rotation[b]), none, none);
        host.ActivateBody(body.GetID());
        host.ResetSleepTimer(body.GetID());
      });
      for (const each of temporary.splice(0)) jolt.destroy(each);
    },
    push(bone, impulse, point) {
      host.ActivateBody(bodies[bone].GetID());
      bodies[bone].AddImpulse(vec3(impulse), place3(point));
      for (const each of temporary.splice(0)) jolt.destroy(each);
    },
    step() {
      world.Step(DT, 1);
    },
    read(out) {
      bodies.forEach((body, b) => {
        // Each call writes over the vector that the one before gave.
        out.position[b] = three(body.GetPosition());
        const q = body.GetRotation();
        out.rotation[b] = [q.GetX(), q.GetY(), q.GetZ(), q.GetW()];
        const velocity = three(body.GetLinearVelocity());
        out.spin[b] = three(body.GetAngularVelocity());
        const arm = rotate(out.rotation[b], figure.bones[b].centerOfMass ?? [0, 0, 0]);
        out.velocity[b] = plus(velocity, cross(out.spin[b], arm), -1);
      });
    },
    asleep: () => bodies.every((body) => !body.IsActive()),
    limitExcess({ rotation }) {
      let max = 0;
      for (const { index, parent, joint, limit } of joined) {
        const q = product(conjugate(rotation[parent]), rotation[index]);
        const cone = cones[index];
        if (cone !== undefined) max = Math.max(max, swingTwistExcess(cone, q));
        if (joint.type !== 'hinge' || limit?.type !== 'interval') continue;
        const angle = twistAbout(q, joint.axis);
        max = Math.max(max, (limit.min ?? -9) - angle, angle - (limit.max ?? 9));
      }
      return (max * 180) / Math.PI;
    },
    close() {
      jolt.destroy(world);
    },
  };
}
