import { createJoltWorld, JOLT_MOVING, JOLT_STILL, type Jolt, loadJolt } from '../../peers/jolt.js';
import {
  normalOf,
  parentFrame,
  type SwingTwist,
  swingTwistExcess,
  swingTwistOf,
} from '../../ragdoll/jolt-joints.js';
import { alongY, cross, plus, rotate, type V } from '../../rigid/vectors.js';
import type { Bone, Figure, Form, Scene } from '../scene.js';
import {
  type BodyState,
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

type World = InstanceType<Jolt['JoltInterface']>;
type Body = ReturnType<World['sGetFixedToWorldBody']>;

/** s */
const MAX_STEP = 1 / 120;
/** Twice those of Jolt's defaults. */
const VELOCITY_STEPS = 20;
const POSITION_STEPS = 4;

export async function loadJoltEngine(): Promise<Engine> {
  const jolt = await loadJolt();
  return {
    name: 'Jolt',
    version: 'jolt-physics',
    settings:
      'hinges, points, and swing-twist constraints with the ellipse about the middle of the range, against which it is judged; twice its default iterations (20 and 4), collision steps of at most 1/120 s, continuous collision detection, no caps on speed; angular damping of 1/s for joints with damping; drags are forces',
    open: (scene) => open(jolt, scene),
  };
}

function open(jolt: Jolt, scene: Scene): Run {
  const first = firstBodies(scene);
  const states = startStates(scene);
  const world = createJoltWorld(jolt, [0, -scene.gravity, 0]);
  const physics = world.GetPhysicsSystem();
  const host = physics.GetBodyInterface();
  const own = physics.GetPhysicsSettings();
  own.mNumVelocitySteps = VELOCITY_STEPS;
  own.mNumPositionSteps = POSITION_STEPS;
  physics.SetPhysicsSettings(own);
  const temporary: object[] = [];
  const keep = <T extends object>(made: T): T => {
    temporary.push(made);
    return made;
  };
  const sweep = (): void => {
    for (const each of temporary.splice(0)) jolt.destroy(each);
  };
  const vec3 = ([x, y, z]: V) => keep(new jolt.Vec3(x, y, z));
  const place3 = ([x, y, z]: V) => keep(new jolt.RVec3(x, y, z));
  const quat = ([x, y, z, w]: V) => keep(new jolt.Quat(x, y, z, w));

  /** Its shape, its place and its rotation. */
  function shapeOf(form: Form) {
    if (form.type === 'sphere') {
      return { shape: new jolt.SphereShapeSettings(form.radius), at: form.center, rotation: [0, 0, 0, 1] };
    }
    if (form.type === 'capsule') {
      const { center, half, rotation } = alongY(form.from, form.to);
      return { shape: new jolt.CapsuleShapeSettings(half, form.radius), at: center, rotation };
    }
    const rounded = Math.min(0.05, 0.2 * Math.min(...form.half));
    return {
      shape: new jolt.BoxShapeSettings(vec3(form.half), rounded),
      at: form.center,
      rotation: form.rotation,
    };
  }

  for (const each of scene.world) {
    const form: Form =
      each.type === 'plane'
        ? { type: 'box', center: [0, -5, 0], half: [500, 5, 500], rotation: [0, 0, 0, 1] }
        : each;
    const { shape, at, rotation } = shapeOf(form);
    const settings = keep(
      new jolt.BodyCreationSettings(
        shape.Create().Get(),
        place3(at),
        quat(rotation),
        jolt.EMotionType_Static,
        JOLT_STILL,
      ),
    );
    settings.mFriction = each.friction;
    settings.mRestitution = each.restitution;
    host.CreateAndAddBody(settings, jolt.EActivation_DontActivate);
    sweep();
  }

  function createBody(figure: Figure, f: number, b: number): Body {
    const bone = figure.bones[b];
    const { mass, center, inertia, joint, damping } = bone;
    const { position, rotation, velocity, spin } = stateOf(states, first[f] + b);
    const own = figure.shapes.filter((shape) => shape.bone === b);
    const made = () => {
      const compound = new jolt.StaticCompoundShapeSettings();
      for (const form of own) {
        const { shape, at, rotation } = shapeOf(form);
        compound.AddShapeShapeSettings(vec3(at), quat(rotation), shape, 0);
      }
      const plain = compound.Create().Get();
      const c = plain.GetCenterOfMass();
      // Its centre of mass is where the bone has it: shifted from where the shapes alone would have it.
      return new jolt.OffsetCenterOfMassShape(plain, vec3(plus(center, [c.GetX(), c.GetY(), c.GetZ()], -1)));
    };
    const settings = keep(
      new jolt.BodyCreationSettings(
        own.length === 0 ? new jolt.EmptyShape(vec3(center)) : made(),
        place3(position),
        quat(rotation),
        jolt.EMotionType_Dynamic,
        JOLT_MOVING,
      ),
    );
    const [xx, yy, zz, xy, xz, yz] = inertia;
    const properties = settings.mMassPropertiesOverride;
    properties.mMass = mass;
    [
      [xx, xy, xz],
      [xy, yy, yz],
      [xz, yz, zz],
    ].forEach((column, k) => {
      properties.mInertia.SetColumn3(k, vec3(column));
    });
    settings.mMassPropertiesOverride = properties;
    settings.mOverrideMassProperties = jolt.EOverrideMassProperties_MassAndInertiaProvided;
    settings.mFriction = own[0]?.friction ?? 0;
    settings.mRestitution = own[0]?.restitution ?? 0;
    const isFree = joint.type === 'free';
    settings.mLinearDamping = isFree ? damping.move / mass : 0;
    settings.mAngularDamping = isFree
      ? (3 * damping.turn) / (xx + yy + zz)
      : damping.turn > 0
        ? DAMPED_TURN
        : 0;
    settings.mMaxLinearVelocity = 1e4;
    settings.mMaxAngularVelocity = 1e4;
    settings.mApplyGyroscopicForce = true;
    settings.mMotionQuality = jolt.EMotionQuality_LinearCast;
    settings.mLinearVelocity = vec3(plus(velocity, cross(spin, rotate(rotation, center))));
    settings.mAngularVelocity = vec3(spin);
    if (figure.bones.length > 1) settings.mCollisionGroup = keep(new jolt.CollisionGroup(filters[f], f, b));
    const body = host.CreateBody(settings);
    host.AddBody(body.GetID(), jolt.EActivation_Activate);
    sweep();
    return body;
  }

  const filters = scene.figures.map((figure) => {
    const filter = new jolt.GroupFilterTable(figure.bones.length);
    for (const [a, b] of nearBones(figure)) filter.DisableCollision(a, b);
    return filter;
  });
  const bodies = scene.figures.flatMap((figure, f) => figure.bones.map((_, b) => createBody(figure, f, b)));
  const cones = new Map<Bone, SwingTwist>();

  /** In the frames of the two bodies, whose origins are those of the bones at rest. */
  function joinBone(above: Body, own: Body, bone: Bone, anchor: V, atRest: V): void {
    const { joint, limit } = bone;
    const cone = limit && swingTwistOf(jointOf(bone));
    if (cone) {
      cones.set(bone, cone);
      const settings = keep(new jolt.SwingTwistConstraintSettings());
      const { twist, plane } = parentFrame(cone);
      settings.mSpace = jolt.EConstraintSpace_LocalToBodyCOM;
      settings.mPosition1 = place3(anchor);
      settings.mPosition2 = place3(atRest);
      settings.mTwistAxis1 = vec3(twist);
      settings.mPlaneAxis1 = vec3(plane);
      settings.mTwistAxis2 = vec3(cone.axis);
      settings.mPlaneAxis2 = vec3(cone.s);
      settings.mNormalHalfConeAngle = cone.halves[0];
      settings.mPlaneHalfConeAngle = cone.halves[1];
      settings.mTwistMinAngle = cone.twist[0];
      settings.mTwistMaxAngle = cone.twist[1];
      physics.AddConstraint(settings.Create(above, own));
    } else if (joint.type === 'hinge') {
      const settings = keep(new jolt.HingeConstraintSettings());
      settings.mSpace = jolt.EConstraintSpace_LocalToBodyCOM;
      settings.mPoint1 = place3(anchor);
      settings.mPoint2 = place3(atRest);
      const [axis, normal] = [vec3(joint.axis), vec3(normalOf(joint.axis))];
      settings.mHingeAxis1 = axis;
      settings.mHingeAxis2 = axis;
      settings.mNormalAxis1 = normal;
      settings.mNormalAxis2 = normal;
      const [min, max] = limit?.type === 'interval' ? limit.range : [-Math.PI, Math.PI];
      settings.mLimitsMin = min;
      settings.mLimitsMax = max;
      physics.AddConstraint(settings.Create(above, own));
    } else physics.AddConstraint(point(above, own, anchor, atRest));
    sweep();
  }

  function point(above: Body, own: Body, anchor: V, atRest: V) {
    const settings = keep(new jolt.PointConstraintSettings());
    settings.mSpace = jolt.EConstraintSpace_LocalToBodyCOM;
    settings.mPoint1 = place3(anchor);
    settings.mPoint2 = place3(atRest);
    return settings.Create(above, own);
  }

  const fixed = world.sGetFixedToWorldBody();
  scene.figures.forEach(({ bones, position }, f) => {
    bones.forEach((bone, b) => {
      if (bone.joint.type === 'free') return;
      const above = bone.parent >= 0 ? bodies[first[f] + bone.parent] : fixed;
      const anchor = bone.parent >= 0 ? plus(bone.at, bones[bone.parent].center, -1) : position;
      joinBone(above, bodies[first[f] + b], bone, anchor, plus([0, 0, 0], bone.center, -1));
    });
  });
  const local = ({ figure, bone, point }: { figure: number; bone: number; point: V }): number[] =>
    plus(point, scene.figures[figure].bones[bone].center, -1);
  const joints = scene.connections.map(({ a, b }) => {
    const above = 'bone' in b ? bodies[first[b.figure] + b.bone] : fixed;
    const made = point(above, bodies[first[a.figure] + a.bone], 'bone' in b ? local(b) : b.point, local(a));
    physics.AddConstraint(made);
    sweep();
    return made;
  });

  const three = (v: { GetX(): number; GetY(): number; GetZ(): number }) => [v.GetX(), v.GetY(), v.GetZ()];

  function read(out: Float64Array): void {
    scene.figures.forEach(({ bones }, f) => {
      bones.forEach(({ center }, b) => {
        const body = bodies[first[f] + b];
        // Each call writes over the vector that the one before gave.
        const position = three(body.GetPosition());
        const q = body.GetRotation();
        const rotation = [q.GetX(), q.GetY(), q.GetZ(), q.GetW()];
        const moved = three(body.GetLinearVelocity());
        const spin = three(body.GetAngularVelocity());
        const velocity = plus(moved, cross(spin, rotate(rotation, center)), -1);
        writeState(out, first[f] + b, { position, rotation, velocity, spin });
      });
    });
  }

  function write(n: number, { position, rotation }: BodyState): void {
    const none = vec3([0, 0, 0]);
    host.SetPositionRotationAndVelocity(bodies[n].GetID(), place3(position), quat(rotation), none, none);
    host.ActivateBody(bodies[n].GetID());
    host.ResetSleepTimer(bodies[n].GetID());
  }

  function disturb(step: number): void {
    if (!isTouched(scene, step)) return;
    read(states);
    for (const event of scene.events) {
      if (event.step !== step) continue;
      if (event.type === 'release') joints[event.connection].SetEnabled(false);
      else if (event.type === 'impulse') {
        const body = bodies[first[event.figure] + event.bone];
        host.ActivateBody(body.GetID());
        body.AddImpulse(vec3(event.impulse));
      } else {
        teleport(scene, states, event);
        for (let n = first[event.figure]; n < first[event.figure + 1]; n++) write(n, stateOf(states, n));
      }
    }
  }

  /** Forces last for one update with all its collision steps. */
  function pull(step: number): void {
    if (!scene.drags.some(({ from, until }) => step >= from && step < until)) return;
    read(states);
    const now = statesOf(states);
    for (const drag of scene.drags) {
      const at = pointOf(now, first, drag.at);
      const force = dragForce(drag, step, at);
      if (force === undefined) continue;
      const body = bodies[first[drag.at.figure] + drag.at.bone];
      host.ActivateBody(body.GetID());
      body.AddForce(vec3(force), place3(at.position));
    }
  }

  return {
    read,
    step(step) {
      disturb(step);
      pull(step);
      sweep();
      const { parts, length } = partsOf(scene.steps[step], MAX_STEP);
      world.Step(parts * length, parts);
      return undefined;
    },
    jointError(bone, _body, rotation) {
      const cone = cones.get(bone);
      return cone && swingTwistExcess(cone, rotation);
    },
    close() {
      jolt.destroy(world);
    },
  };
}

/** A joint and its limit in the words of the ragdolls' runner. */
function jointOf({ joint, limit }: Bone): Parameters<typeof swingTwistOf>[0] {
  if (limit?.type === 'swing') {
    const swing = { type: 'quad-ellipse', s: limit.s, t: limit.t } as const;
    const twist = limit.twist && { min: limit.twist[0], max: limit.twist[1] };
    return { joint, limit: twist ? { type: 'swing-twist', swing, twist } : swing } as never;
  }
  if (limit?.type === 'box') {
    const [min, max] = [0, 1].map((k) => limit.ranges.map((range) => range[k]));
    return { joint, limit: { type: 'box', min, max } } as never;
  }
  return { joint } as never;
}
