/** Reads a URDF file as a figure. */
import { FormatError } from 'poise';
import { nearestName } from 'poise/errors';
import { type BoneData, createFigure, type Figure } from 'poise/figure';
import { type FieldsOf, requireFields } from 'poise/internal/checks';
import { requireBudget } from '../budget.js';
import { withTips } from '../robot/tips.js';
import { cut, fail } from '../text/json-checks.js';
import { textOf } from '../text/utf8.js';
import { childrenOf, parseXml, type XmlElement } from '../text/xml.js';
import { nameAt } from './attributes.js';
import { jointBones, rangeOf, rootBone } from './bones.js';
import { inertialOf, type UrdfInertial } from './inertial.js';
import {
  type JointElement,
  jointElement,
  type UrdfJointLimits,
  type UrdfJointType,
  type UrdfMimic,
} from './joint-element.js';
import { conflictingRanges, resolveMimics, warnConstant } from './mimic.js';
import type { ReadUrdfOptions } from './options.js';
import { checkTree } from './structure.js';
import { refuseXacro } from './xacro.js';

/** A joint of the file and its coordinates in the figure. */
export interface UrdfJoint extends UrdfJointLimits {
  readonly name: string;
  readonly type: UrdfJointType;
  /** The links that it connects. */
  readonly parent: string;
  readonly child: string;
  /** Index of the child link's bone. */
  readonly bone: number;
  /** Index in the pose of its first coordinate; -1 where it has none: fixed or mimic joints. */
  readonly coordinate: number;
  /** Number of its coordinates: revolute, continuous and prismatic 1 (0 for mimic joints), planar 3, floating 6. */
  readonly dof: number;
  /** The `<mimic>` element of the file. */
  readonly mimic?: UrdfMimic;
}

/** A robot read from a URDF file. */
export interface UrdfRobot {
  /** One bone a link, by the link's name; its joint is the joint above the link. */
  readonly figure: Figure;
  /** By name, in the order of the file. */
  readonly joints: ReadonlyMap<string, UrdfJoint>;
  /** One sentence each, starting with the location in the file. */
  readonly warnings: readonly string[];
}

/** Joints named in a warning at most. */
const MAX_NAMED = 3;

const FIELDS: FieldsOf<ReadUrdfOptions> = {
  source: true,
  name: true,
  upAxis: true,
  root: true,
  limits: true,
  mimic: true,
  budget: true,
};

/**
 * Reads a robot: one bone a link, named as the link, its frame the link's; rest = the joint origins, q = 0 of the file; masses
 * and inertias about the centre of mass in link axes. Meshes, collisions and transmissions are ignored.
 *
 * | in the file | in the figure |
 * | --- | --- |
 * | `revolute`, `continuous` | `hinge`, with and without limit |
 * | `prismatic` | `slider` |
 * | `fixed` | `fixed` |
 * | `floating` | `free` |
 * | `planar` | two massless bones `JOINT.s`, `JOINT.t` with sliders, and a hinge about the normal |
 * | `<mimic>` | a mimic joint: `mimic` |
 *
 * @param input - Text, or UTF-8 bytes.
 * @throws FormatError with code, location (`panda.urdf#/robot/joint[@name='panda_joint1']/axis/@xyz`) and remedy.
 */
export function readUrdf(input: string | Uint8Array | ArrayBuffer, options: ReadUrdfOptions = {}): UrdfRobot {
  requireFields(options, FIELDS, 'options', FormatError);
  const source = options.source ?? 'robot.urdf';
  const warnings: string[] = [];
  const root = parseXml(textOf(input, source), source);
  if (root.tag !== 'robot') {
    const what = `has <${cut(root.tag)}> at the top, where URDF has <robot>.`;
    fail('invalid-file', source, what, 'Give a URDF file.');
  }
  refuseXacro(root, source);
  const links = linksOf(root, warnings);
  requireBudget(options.budget, 'bones', links.size, `${source}#/robot`);
  const joints = childrenOf(root, 'joint').map((element) => jointElement(element, warnings));
  requireDistinct(joints);
  const names = checkTree(
    new Map([...links].map(([name, { location }]) => [name, location])),
    joints,
    source,
    warnings,
  );
  const mimics = resolveMimics(joints, warnings);
  const jointOf = new Map(joints.map((joint) => [joint.child, joint]));
  const usedNames = new Set(names);
  const mimicOf = ({ name }: JointElement) => (options.mimic === 'free' ? undefined : mimics.get(name));
  warnConstant(joints, mimicOf, warnings);
  const ignoredLimits = conflictingRanges(joints, mimicOf, (joint) => rangeOf(joint, options));
  const bones = names.flatMap((name): BoneData[] => {
    const joint = jointOf.get(name);
    const mass = links.get(name)?.inertial ?? {};
    if (joint === undefined) return [rootBone(name, mass, options)];
    return jointBones(joint, mass, mimicOf(joint), ignoredLimits.has(joint.name), usedNames, options);
  });
  warnLocked(joints, ignoredLimits, options, source, warnings);
  const robotName = root.attributes.get('name')?.trim();
  const figure = createFigure({
    name: options.name ?? (robotName || source),
    up: options.upAxis === 'y' ? [0, 1, 0] : [0, 0, 1],
    bones: withTips(bones),
  });
  return {
    figure,
    joints: jointTable(figure, joints),
    warnings,
  };
}

interface Link {
  readonly location: string;
  readonly inertial: UrdfInertial;
}

function linksOf(root: XmlElement, warnings: string[]): Map<string, Link> {
  const links = new Map<string, Link>();
  for (const element of childrenOf(root, 'link')) {
    const name = nameAt(element, 'name');
    if (links.has(name)) {
      fail(
        'duplicate-name',
        element.location,
        `two links have the name '${cut(name)}'.`,
        'Give each link a unique name.',
      );
    }
    links.set(name, { location: element.location, inertial: inertialOf(element, warnings) });
  }
  return links;
}

function requireDistinct(joints: readonly JointElement[]): void {
  const names = new Set<string>();
  for (const { name, location } of joints) {
    if (names.has(name)) {
      fail(
        'duplicate-name',
        location,
        `two joints have the name '${cut(name)}'.`,
        'Give each joint a unique name.',
      );
    }
    names.add(name);
  }
}

/** Warns of joints that cannot move: files have limits from 0 to 0 as placeholders. */
function warnLocked(
  joints: readonly JointElement[],
  ignoredLimits: ReadonlySet<string>,
  { limits }: ReadUrdfOptions,
  source: string,
  warnings: string[],
): void {
  const locked = joints.filter(
    ({ name, lower, upper }) => lower !== undefined && lower === upper && !ignoredLimits.has(name),
  );
  if (locked.length > 0 && limits !== 'none') {
    const names = listed(locked.map(({ name }) => name));
    warnings.push(
      `${source}: lower and upper limit are equal, so these joints cannot move: ${names} (the option limits: 'none' ignores all limits).`,
    );
  }
  if (ignoredLimits.size > 0) {
    warnings.push(
      `${source}: limits of mimic joints that would lock their source joint are ignored: ${listed([...ignoredLimits])}.`,
    );
  }
}

function listed(names: readonly string[]): string {
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  return `${names
    .slice(0, MAX_NAMED)
    .map((name) => cut(name))
    .join(', ')}${more}`;
}

function jointTable(figure: Figure, joints: readonly JointElement[]): Map<string, UrdfJoint> {
  const boneOf = new Map(figure.bones.map((bone) => [bone.name, bone]));
  return new Map(
    joints.map((joint) => {
      const {
        location: _p,
        parentLocation: _pp,
        childLocation: _cp,
        mimicLocation: _mp,
        origin: _o,
        axis: _a,
        ...rest
      } = joint;
      const bone = boneOf.get(joint.child) as Figure['bones'][number];
      // The massless bones of a planar joint directly precede its link's.
      const first = joint.type === 'planar' ? figure.parents[bone.parent] : bone.index;
      const coordinate = figure.coordinateStart[first];
      const dof = figure.coordinateStart[bone.index + 1] - coordinate;
      return [joint.name, { ...rest, bone: bone.index, coordinate: dof > 0 ? coordinate : -1, dof }];
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
    `no joint of ${cut(figure.name)} is called '${cut(name)}'.`,
    near === undefined ? 'List the names with robot.joints.keys().' : `Did you mean '${cut(near)}'?`,
  );
}
