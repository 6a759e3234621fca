/** From a URDF file to a figure. */
import { nearestName } from 'poise/errors';
import { type BoneData, createFigure, type Figure } from 'poise/figure';
import { fail } from '../text/json-checks.js';
import { textOf } from '../text/text-of.js';
import { nameAt } from './attributes.js';
import { jointBones, rangeOf, rootBone, withTips } from './bones.js';
import { inertialOf, type UrdfInertial } from './inertial.js';
import {
  type JointElement,
  jointElement,
  type UrdfJointLimits,
  type UrdfJointType,
  type UrdfMimic,
} from './joint-element.js';
import { followings, rangesWithoutRoom, warnConstant } from './mimic.js';
import type { ReadUrdfOptions } from './options.js';
import { treeOf } from './structure.js';
import { refuseXacro } from './xacro.js';
import { childrenOf, parseXml, type XmlElement } from './xml.js';

/** A joint of the file and its place in the figure. */
export interface UrdfJoint extends UrdfJointLimits {
  readonly name: string;
  readonly type: UrdfJointType;
  /** Links that it joins. */
  readonly parent: string;
  readonly child: string;
  /** Index of the child link's bone. */
  readonly bone: number;
  /** Index in the pose of its first coordinate; -1 where it has none: fixed, or following another joint. */
  readonly coordinate: number;
  /** Number of its coordinates: revolute, continuous and prismatic 1 (0 where it follows another), planar 3, floating 6. */
  readonly dof: number;
  /** What the file says it follows. */
  readonly mimic?: UrdfMimic;
}

/** A robot read from a URDF file. */
export interface UrdfRobot {
  /** One bone a link, by the link's name; its joint is the joint above the link. */
  readonly figure: Figure;
  /** By name, in the order of the file. */
  readonly joints: ReadonlyMap<string, UrdfJoint>;
  /** Which axis of the world points up. */
  readonly upAxis: 'y' | 'z';
  /** What was read with a reservation, one sentence each, the place in front. */
  readonly warnings: readonly string[];
}

/** Locked joints named in a warning. */
const NAMED = 3;

/**
 * Reads a robot: one bone a link, named as the link, its frame the link's; rest = the joint origins, q = 0 of the file; masses
 * and inertias about the centre of mass in link axes. Meshes, collisions and transmissions are left out.
 *
 * | in the file | in the figure |
 * | --- | --- |
 * | `revolute`, `continuous` | `hinge`, with and without limit |
 * | `prismatic` | `slider` |
 * | `fixed` | `fixed` |
 * | `floating` | `free` |
 * | `planar` | two massless bones `JOINT.s`, `JOINT.t` with sliders, and a hinge about the normal |
 * | `<mimic>` | a joint that follows: `coupling` |
 *
 * @param input - Text, or UTF-8 bytes.
 * @throws FormatError with code, place (`panda.urdf#/robot/joint[@name='panda_joint1']/axis/@xyz`) and remedy.
 */
export function readUrdf(input: string | Uint8Array | ArrayBuffer, options: ReadUrdfOptions = {}): UrdfRobot {
  const source = options.source ?? 'robot.urdf';
  const warnings: string[] = [];
  const root = parseXml(textOf(input, source), source);
  if (root.tag !== 'robot') {
    const what = `has <${root.tag}> at the top, where URDF has <robot>.`;
    fail('invalid-file', source, what, 'Give a URDF file.');
  }
  refuseXacro(root, source);
  const links = linksOf(root, warnings);
  const joints = childrenOf(root, 'joint').map((element) => jointElement(element, warnings));
  requireDistinct(joints);
  const names = treeOf(
    new Map([...links].map(([name, { place }]) => [name, place])),
    joints,
    source,
    warnings,
  );
  const following = followings(joints, warnings);
  const jointOf = new Map(joints.map((joint) => [joint.child, joint]));
  const taken = new Set(names);
  const followingOf = ({ name }: JointElement) =>
    options.mimic === 'free' ? undefined : following.get(name);
  warnConstant(joints, followingOf, warnings);
  const leftOut = rangesWithoutRoom(joints, followingOf, (joint) => rangeOf(joint, options));
  const bones = names.flatMap((name): BoneData[] => {
    const joint = jointOf.get(name);
    const mass = links.get(name)?.inertial ?? {};
    if (joint === undefined) return [rootBone(name, mass, options)];
    return jointBones(joint, mass, followingOf(joint), leftOut.has(joint.name), taken, options);
  });
  warnLocked(joints, leftOut, options, source, warnings);
  const robotName = root.attributes.get('name')?.trim();
  const data = { name: options.name ?? (robotName || source), bones: withTips(bones) };
  const figure = createFigure(data);
  return {
    figure,
    joints: placedJoints(figure, joints),
    upAxis: options.upAxis ?? 'z',
    warnings,
  };
}

interface Link {
  readonly place: string;
  readonly inertial: UrdfInertial;
}

function linksOf(root: XmlElement, warnings: string[]): Map<string, Link> {
  const links = new Map<string, Link>();
  for (const element of childrenOf(root, 'link')) {
    const name = nameAt(element, 'name');
    if (links.has(name)) {
      fail(
        'duplicate-name',
        element.place,
        `'${name}' names two links.`,
        'Give each link a name of its own.',
      );
    }
    links.set(name, { place: element.place, inertial: inertialOf(element, warnings) });
  }
  return links;
}

function requireDistinct(joints: readonly JointElement[]): void {
  const names = new Set<string>();
  for (const { name, place } of joints) {
    if (names.has(name)) {
      fail('duplicate-name', place, `'${name}' names two joints.`, 'Give each joint a name of its own.');
    }
    names.add(name);
  }
}

/** A robot whose joints cannot move surprises whoever reads it, and files carry limits of 0 to 0 as placeholders. */
function warnLocked(
  joints: readonly JointElement[],
  leftOut: ReadonlySet<string>,
  { limits }: ReadUrdfOptions,
  source: string,
  warnings: string[],
): void {
  const locked = joints.filter(
    ({ name, lower, upper }) => lower !== undefined && lower === upper && !leftOut.has(name),
  );
  if (locked.length > 0 && limits !== 'none') {
    const names = listed(locked.map(({ name }) => name));
    warnings.push(
      `${source}: lower and upper limit are the same, so that nothing moves: ${names} (limits: 'none' leaves all limits out).`,
    );
  }
  if (leftOut.size > 0) {
    warnings.push(
      `${source}: limits that would keep the joint they follow from moving are left out: ${listed([...leftOut])}.`,
    );
  }
}

function listed(names: readonly string[]): string {
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
  return `${names.slice(0, NAMED).join(', ')}${more}`;
}

function placedJoints(figure: Figure, joints: readonly JointElement[]): Map<string, UrdfJoint> {
  const boneOf = new Map(figure.bones.map((bone) => [bone.name, bone]));
  return new Map(
    joints.map((joint) => {
      const {
        place: _p,
        parentPlace: _pp,
        childPlace: _cp,
        mimicPlace: _mp,
        origin: _o,
        axis: _a,
        ...kept
      } = joint;
      const bone = boneOf.get(joint.child) as Figure['bones'][number];
      // The massless bones of a planar joint stand right before its link's.
      const first = joint.type === 'planar' ? figure.parents[bone.parent] : bone.index;
      const coordinate = figure.coordinateStart[first];
      const dof = figure.coordinateStart[bone.index + 1] - coordinate;
      return [joint.name, { ...kept, bone: bone.index, coordinate: dof > 0 ? coordinate : -1, dof }];
    }),
  );
}

/**
 * A joint by name.
 *
 * @throws FormatError `unknown-name` that suggests the nearest name.
 */
export function urdfJoint({ joints, figure }: UrdfRobot, name: string): UrdfJoint {
  const joint = joints.get(name);
  if (joint) return joint;
  const near = nearestName(name, joints.keys());
  return fail(
    'unknown-name',
    'joint',
    `no joint of ${figure.name} is called '${name}'.`,
    near === undefined ? 'List the names with robot.joints.keys().' : `Did you mean '${near}'?`,
  );
}
