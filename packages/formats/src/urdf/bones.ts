/** Bones from the links and joints of a robot. */
import type { BoneData, JointData, LimitData } from 'poise/figure';
import { quat, vec3 } from 'poise/math';
import { quatFromRotationVector } from 'poise/rotation';
import { fail } from '../text/json-checks.js';
import type { UrdfInertial } from './inertial.js';
import type { JointElement } from './joint-element.js';
import { isConstant, type ResolvedMimic } from './mimic.js';
import type { ReadUrdfOptions } from './options.js';
import { quaternionFromRollPitchYaw, type UrdfOrigin } from './origin.js';
import { planarBones, planeDirections } from './planar.js';

const Y_UP_FROM_Z_UP = /* @__PURE__ */ quaternionFromRollPitchYaw([-Math.PI / 2, 0, 0]);

/** The bone of the root link. */
export function rootBone(name: string, mass: UrdfInertial, { upAxis, root }: ReadUrdfOptions): BoneData {
  return {
    name,
    parent: null,
    ...(upAxis === 'y' && { rest: { rotation: Y_UP_FROM_Z_UP } }),
    joint: { type: root === 'free' ? 'free' : 'fixed' },
    ...mass,
  };
}

/** The bones of a joint: for a planar joint two massless ones, then the bone of the child link. */
export function jointBones(
  joint: JointElement,
  mass: UrdfInertial,
  mimic: ResolvedMimic | undefined,
  ignoreLimit: boolean,
  usedNames: ReadonlySet<string>,
  options: ReadUrdfOptions,
): BoneData[] {
  const planar = joint.type === 'planar' ? planarBones(joint, usedNames) : [];
  const limit = ignoreLimit ? undefined : limitOf(joint, options);
  if (mimic !== undefined && isConstant(mimic)) {
    const rest = movedOrigin(joint, mimic.offset);
    return [{ name: joint.child, parent: joint.parent, rest, joint: { type: 'fixed' }, ...mass }];
  }
  return [
    ...planar,
    {
      name: joint.child,
      parent: planar.at(-1)?.name ?? joint.parent,
      ...(planar.length === 0 && { rest: joint.origin }),
      joint: jointDataOf(joint),
      ...(limit && { limit }),
      ...(mimic === undefined && motorLimits(joint)),
      ...(mimic && {
        mimic: { bone: mimic.sourceJoint.child, polynomial: [mimic.offset, mimic.multiplier] },
      }),
      ...mass,
    },
  ];
}

/** Speed and effort of a joint of one coordinate. Files that do not know them say 0. */
function motorLimits({ type, velocity = 0, effort = 0 }: JointElement): Partial<BoneData> {
  if (type !== 'revolute' && type !== 'continuous' && type !== 'prismatic') return {};
  return {
    ...(velocity > 0 && velocity < Number.POSITIVE_INFINITY && { speedLimit: velocity }),
    ...(effort > 0 && effort < Number.POSITIVE_INFINITY && { torqueLimit: effort }),
  };
}

/** The origin of a one-coordinate joint displaced by `value`, rad or m. */
function movedOrigin({ type, axis, origin }: JointElement, value: number): UrdfOrigin {
  const displacement = vec3.scale(vec3.normalize(axis), value);
  const { position, rotation } = origin;
  if (type === 'prismatic') {
    const [x, y, z] = vec3.add(position, quat.rotate(rotation, displacement));
    return { position: [x, y, z], rotation };
  }
  const [x, y, z, w] = quat.multiply(rotation, quatFromRotationVector(displacement));
  return { position, rotation: [x, y, z, w] };
}

function jointDataOf({ type, axis }: JointElement): JointData {
  switch (type) {
    case 'revolute':
    case 'continuous':
      return { type: 'hinge', axis };
    case 'planar':
      return { type: 'hinge', axis: planeDirections(axis).normal };
    case 'prismatic':
      return { type: 'slider', axis };
    case 'floating':
      return { type: 'free' };
    case 'fixed':
      return { type: 'fixed' };
  }
}

/** The effective range of a joint; infinite bounds where it has none. @throws FormatError `invalid-limit`. */
export function rangeOf(joint: JointElement, { limits }: ReadUrdfOptions): readonly [number, number] {
  if (limits === 'none') return [-Infinity, Infinity];
  const soft = limits === 'soft';
  const min = Math.max(joint.lower ?? -Infinity, (soft ? joint.softLower : undefined) ?? -Infinity);
  const max = Math.min(joint.upper ?? Infinity, (soft ? joint.softUpper : undefined) ?? Infinity);
  if (min <= max) return [min, max];
  return fail(
    'invalid-limit',
    `${joint.location}/safety_controller`,
    'does not overlap the range of <limit>.',
    `Correct it, or read the file with limits: 'hard'.`,
  );
}

function limitOf(joint: JointElement, options: ReadUrdfOptions): LimitData | undefined {
  const [min, max] = rangeOf(joint, options);
  if (min === -Infinity && max === Infinity) return undefined;
  return { type: 'interval', min: min === -Infinity ? null : min, max: max === Infinity ? null : max };
}
