import { createJoltWorld, JOLT_MOVING, type Jolt, loadJolt } from '../peers/jolt.js';
import type { System } from './bodies.js';
import { type BodyState, bodiesOf, judgeBodies, largestGap, quaternionsOf } from './judge.js';
import type { Runner } from './rows.js';

type World = InstanceType<Jolt['JoltInterface']>;
type Body = ReturnType<World['sGetFixedToWorldBody']>;

/** Bodies without shapes, with the mass and inertia given, gyroscopic force on, nothing capped; Jolt's own iterations. */
export async function joltRunner(system: System): Promise<Runner> {
  const jolt = await loadJolt();
  const { figure, gravity, velocity } = system;
  const start = bodiesOf(figure, quaternionsOf(new Float64Array(velocity.length)), velocity);
  let world: World | undefined;
  let bodies: Body[] = [];
  let gap = 0;

  const vec3 = ([x, y, z]: readonly number[]) => new jolt.Vec3(x, y, z);

  function build(): World {
    const made = createJoltWorld(jolt, gravity);
    const physics = made.GetPhysicsSystem();
    const own = physics.GetPhysicsSettings();
    own.mAllowSleeping = false;
    physics.SetPhysicsSettings(own);
    let before = made.sGetFixedToWorldBody();
    bodies = figure.bones.map(({ mass = 0, centerOfMass = [0, 0, 0], inertia = [] }, b) => {
      const { center, velocity, spin } = start[b];
      const [x, y, z] = center.map((each, k) => each - centerOfMass[k]);
      const at = new jolt.RVec3(x, y, z);
      const rotation = new jolt.Quat(0, 0, 0, 1);
      const offset = vec3(centerOfMass);
      const shape = new jolt.EmptyShape(offset);
      const settings = new jolt.BodyCreationSettings(
        shape,
        at,
        rotation,
        jolt.EMotionType_Dynamic,
        JOLT_MOVING,
      );
      const properties = settings.mMassPropertiesOverride;
      properties.mMass = mass;
      const columns = [0, 1, 2].map((k) => vec3([0, 1, 2].map((r) => (r === k ? inertia[k] : 0))));
      for (const [k, column] of columns.entries()) properties.mInertia.SetColumn3(k, column);
      settings.mMassPropertiesOverride = properties;
      settings.mOverrideMassProperties = jolt.EOverrideMassProperties_MassAndInertiaProvided;
      const linear = vec3(velocity);
      const angular = vec3(spin);
      settings.mLinearVelocity = linear;
      settings.mAngularVelocity = angular;
      settings.mLinearDamping = 0;
      settings.mAngularDamping = 0;
      settings.mMaxLinearVelocity = 1e6;
      settings.mMaxAngularVelocity = 1e6;
      settings.mApplyGyroscopicForce = true;
      settings.mAllowSleeping = false;
      const body = physics.GetBodyInterface().CreateBody(settings);
      physics.GetBodyInterface().AddBody(body.GetID(), jolt.EActivation_Activate);
      const ball = new jolt.PointConstraintSettings();
      ball.mSpace = jolt.EConstraintSpace_WorldSpace;
      ball.mPoint1 = at;
      ball.mPoint2 = at;
      physics.AddConstraint(ball.Create(before, body));
      for (const each of [at, rotation, offset, settings, linear, angular, ball, ...columns])
        jolt.destroy(each);
      before = body;
      return body;
    });
    return made;
  }

  const read = (): BodyState[] =>
    bodies.map((body) => {
      // Each call writes over the vector that the one before gave.
      const three = (v: { GetX(): number; GetY(): number; GetZ(): number }) => [v.GetX(), v.GetY(), v.GetZ()];
      const center = three(body.GetCenterOfMassPosition());
      const q = body.GetRotation();
      const quaternion = [q.GetW(), q.GetX(), q.GetY(), q.GetZ()];
      const velocity = three(body.GetLinearVelocity());
      return { center, quaternion, velocity, spin: three(body.GetAngularVelocity()) };
    });

  return {
    name: 'Jolt: point constraints',
    reset() {
      if (world !== undefined) jolt.destroy(world);
      world = build();
      gap = 0;
    },
    advance(steps) {
      for (let k = 0; k < steps; k++) world?.Step(0.001, 1);
      return true;
    },
    measure() {
      const now = read();
      gap = Math.max(gap, largestGap(figure, now));
      return judgeBodies(figure, gravity, now);
    },
    gap: () => gap,
  };
}
