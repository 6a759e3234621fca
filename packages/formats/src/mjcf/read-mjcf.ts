/** Reads an MJCF file, the models of MuJoCo, as a figure. */
import { FigureError, FormatError } from 'poise';
import { type BoneData, createFigure, type Figure, type RigidData, type Triple } from 'poise/figure';
import { type FieldsOf, requireFields } from 'poise/internal/checks';
import { requireBudget } from '../budget.js';
import { withTips } from '../robot/tips.js';
import { cut, fail } from '../text/json-checks.js';
import { textOf } from '../text/utf8.js';
import { childrenOf, type XmlElement } from '../text/xml.js';
import { actuatorLimits } from './actuators.js';
import { numberAt, numbersAt, tripleAt, wordAt } from './attributes.js';
import { type BodyElement, bodiesOf } from './body-element.js';
import { bonesOf, type PlacedJoint } from './bones.js';
import { type Compiler, compilerOf } from './compiler.js';
import { defaultsOf } from './defaults.js';
import { parseMjcf, withIncludes } from './include.js';
import type { MjcfJointType } from './joint-element.js';
import { type MimicPolynomial, mimicsOf } from './mimic.js';
import type { MjcfJoint, MjcfKeyframe, MjcfModel, MjcfSite } from './model.js';
import type { ReadMjcfOptions } from './options.js';
import { IDENTITY } from './placement.js';
import { poseFromQpos } from './qpos.js';

const FIELDS: FieldsOf<ReadMjcfOptions> = {
  source: true,
  name: true,
  upAxis: true,
  resource: true,
  mimic: true,
  budget: true,
};

const Y_UP: RigidData = { position: [0, 0, 0], rotation: [-Math.SQRT1_2, 0, 0, Math.SQRT1_2] };

/**
 * Reads a model of MuJoCo: a bone a body, named as the body, its frame the body's; rest = the pose of the file, `qpos0`; masses and
 * inertias of `<inertial>` or of geoms, as the compiler settings say. Geoms, meshes, tendons, sensors and contacts are ignored.
 *
 * | in the file | in the figure |
 * | --- | --- |
 * | `hinge`, `slide`, `ball`, `free` | `hinge`, `slider`, `ball`, `free` |
 * | no joint | `fixed` |
 * | several joints, or one away from the body's origin | massless bones in series, named as the joints |
 * | `<equality><joint>` | a mimic joint: `mimic` |
 * | `range` | a limit relative to `ref` |
 * | ranges of actuators, gear | `torqueLimit` |
 *
 * @param input - Text, or UTF-8 bytes.
 * @throws FormatError with code, location (`g1.xml#/mujoco/worldbody/body[@name='pelvis']/@pos`) and remedy.
 */
export function readMjcf(input: string | Uint8Array | ArrayBuffer, options: ReadMjcfOptions = {}): MjcfModel {
  requireFields(options, FIELDS, 'options', FormatError);
  const source = options.source ?? 'model.xml';
  const warnings: string[] = [];
  const root = withIncludes(rootOf(textOf(input, source), source), options, warnings);
  const compiler = compilerOf(root);
  const defaults = defaultsOf(root);
  const bodies = withTotalMass(bodiesOf(root, { compiler, defaults, warnings }), compiler);
  requireModel(bodies, options, source);
  const placed = bonesOf(bodies, options.upAxis === 'y' ? Y_UP : IDENTITY);
  const joints: ReadonlyMap<string, PlacedJoint> = new Map(placed.joints.map((joint) => [joint.name, joint]));
  const mimics =
    options.mimic === 'free'
      ? new Map<string, MimicPolynomial>()
      : mimicsOf(root, defaults, joints, warnings);
  const motors = actuatorLimits(root, defaults, compiler);
  const bones = withMotors(withMimics(placed.bones, joints, mimics), joints, mimics, motors);
  const figure = figureOf(bones, options, wordAt(root, 'model') || source, source);
  const boneOf = new Map(figure.bones.map((bone) => [bone.name, bone.index]));
  const layout = layoutOf(figure, boneOf, joints, mimics);
  return {
    figure,
    ...layout,
    sites: sitesOf(boneOf, bodies),
    mocap: bodies.flatMap(({ name, isMocap }) => (isMocap ? [boneOf.get(name) as number] : [])),
    keyframes: keyframesOf(root, { figure, ...layout }),
    armature: armatureOf(figure, layout.joints),
    gravity: gravityOf(root, options),
    warnings,
  };
}

/** @throws FormatError `invalid-file`. */
function rootOf(text: string, source: string): XmlElement {
  const root = parseMjcf(text, source);
  if (root.tag === 'mujoco') return root;
  const what = `has <${cut(root.tag)}> at the top, where MJCF has <mujoco>.`;
  return fail('invalid-file', source, what, 'Give an MJCF file.');
}

/** @throws FormatError `over-budget`, `invalid-file` for a model without bodies. */
function requireModel(bodies: readonly BodyElement[], { budget }: ReadMjcfOptions, source: string): void {
  const path = `${source}#/mujoco`;
  if (bodies.length === 0) fail('invalid-file', path, 'has no body.', 'Give it at least one <body>.');
  // A joint may need a bone of its own.
  const count = bodies.reduce((sum, { joints }) => sum + 1 + joints.length, 0);
  requireBudget(budget, 'bones', count, path);
}

/** Masses and inertias scaled to the total that the compiler asks for. */
function withTotalMass(bodies: readonly BodyElement[], { totalMass }: Compiler): readonly BodyElement[] {
  const sum = bodies.reduce((total, { mass }) => total + (mass?.mass ?? 0), 0);
  if (totalMass === undefined || sum === 0) return bodies;
  const scale = totalMass / sum;
  return bodies.map((body) => {
    if (body.mass === undefined) return body;
    const { mass, centerOfMass, inertia } = body.mass;
    const [xx, yy, zz, xy, xz, yz] = inertia.map((x) => x * scale);
    return { ...body, mass: { mass: mass * scale, centerOfMass, inertia: [xx, yy, zz, xy, xz, yz] } };
  });
}

function withMimics(
  bones: readonly BoneData[],
  joints: ReadonlyMap<string, PlacedJoint>,
  mimics: ReadonlyMap<string, MimicPolynomial>,
): readonly BoneData[] {
  const mimicOfBone = new Map(
    [...mimics].map(([name, { source, polynomial }]) => [
      joints.get(name)?.bone,
      { bone: joints.get(source)?.bone as string, polynomial },
    ]),
  );
  return bones.map((bone) => {
    const mimic = mimicOfBone.get(bone.name);
    return mimic ? { ...bone, mimic } : bone;
  });
}

/** The torque limits of hinges and sliders: what their actuators give, at most what the joint takes of all. */
function withMotors(
  bones: readonly BoneData[],
  joints: ReadonlyMap<string, PlacedJoint>,
  mimics: ReadonlyMap<string, MimicPolynomial>,
  motors: ReadonlyMap<string, number>,
): readonly BoneData[] {
  const limits = new Map<string, number>();
  for (const [name, { element, bone }] of joints) {
    if (mimics.has(name) || (element.type !== 'hinge' && element.type !== 'slide')) continue;
    const limit = Math.min(motors.get(name) ?? Infinity, element.actuatorLimit ?? Infinity);
    if (limit > 0 && limit < Infinity) limits.set(bone, limit);
  }
  return bones.map((bone) => {
    const torqueLimit = limits.get(bone.name);
    return torqueLimit === undefined ? bone : { ...bone, torqueLimit };
  });
}

/** @throws FormatError for what a figure cannot have, such as limits of mimic joints that exclude each other. */
function figureOf(
  bones: readonly BoneData[],
  { name, upAxis }: ReadMjcfOptions,
  model: string,
  source: string,
): Figure {
  try {
    const up: Triple = upAxis === 'y' ? [0, 1, 0] : [0, 0, 1];
    return createFigure({ name: name ?? model, up, bones: withTips(bones) });
  } catch (cause) {
    if (!(cause instanceof FigureError)) throw cause;
    const path = `${source}#${cause.path}`;
    throw new FormatError(cause.code, cause.what, { path, remedy: cause.remedy, cause });
  }
}

const QPOS: Readonly<Record<MjcfJointType, number>> = { hinge: 1, slide: 1, ball: 4, free: 7 };
const QVEL: Readonly<Record<MjcfJointType, number>> = { hinge: 1, slide: 1, ball: 3, free: 6 };

/** Where each joint stands in MuJoCo's vectors and in the pose. */
function layoutOf(
  figure: Figure,
  boneOf: ReadonlyMap<string, number>,
  joints: ReadonlyMap<string, PlacedJoint>,
  mimics: ReadonlyMap<string, MimicPolynomial>,
): Pick<MjcfModel, 'joints' | 'nq' | 'nv'> {
  let nq = 0;
  let nv = 0;
  const coordinateOf = (name: string) =>
    figure.bones[boneOf.get((joints.get(name) as PlacedJoint).bone) as number].coordinate;
  const placed = [...joints].map(([name, { element, body, frame, bone: boneName }]): [string, MjcfJoint] => {
    const { type, ref, range, stiffness, springref, damping, armature, frictionloss } = element;
    const bone = boneOf.get(boneName) as number;
    const { dof, coordinate } = figure.bones[bone];
    const mimic = mimics.get(name);
    const joint: MjcfJoint = {
      name,
      type,
      body,
      bone,
      coordinate: dof > 0 ? coordinate : -1,
      dof,
      qposIndex: nq,
      qvelIndex: nv,
      ref,
      frame,
      ...(range && { range }),
      stiffness,
      springref,
      damping,
      armature,
      frictionloss,
      ...(mimic && {
        mimic: { coordinate: coordinateOf(mimic.source), polynomial: mimic.polynomial },
      }),
    };
    nq += QPOS[type];
    nv += QVEL[type];
    return [name, joint];
  });
  return { joints: new Map(placed), nq, nv };
}

/** @throws FormatError `duplicate-name`. */
function sitesOf(
  boneOf: ReadonlyMap<string, number>,
  bodies: readonly BodyElement[],
): ReadonlyMap<string, MjcfSite> {
  const sites = new Map<string, MjcfSite>();
  for (const { name: body, sites: own, location } of bodies) {
    for (const { name, frame } of own) {
      if (name === undefined) continue;
      if (sites.has(name)) {
        fail(
          'duplicate-name',
          location,
          `two sites have the name '${cut(name)}'.`,
          'Give each a unique name.',
        );
      }
      sites.set(name, { bone: boneOf.get(body) as number, frame });
    }
  }
  return sites;
}

/** @throws FormatError `wrong-size` for positions of another model. */
function keyframesOf(
  root: XmlElement,
  model: Pick<MjcfModel, 'figure' | 'joints' | 'nq'>,
): readonly MjcfKeyframe[] {
  return childrenOf(root, 'keyframe').flatMap((section) =>
    childrenOf(section, 'key').map((key): MjcfKeyframe => {
      const qpos = numbersAt(key, 'qpos', model.nq);
      const pose = qpos ? poseFromQpos(model, qpos) : new Float64Array(model.figure.dof);
      return { name: wordAt(key, 'name') ?? '', time: numberAt(key, 'time', 0), pose };
    }),
  );
}

function armatureOf(figure: Figure, joints: ReadonlyMap<string, MjcfJoint>): Float64Array {
  const out = new Float64Array(figure.dof);
  for (const { coordinate, dof, armature } of joints.values()) {
    if (dof > 0) out.fill(armature, coordinate, coordinate + dof);
  }
  return out;
}

function gravityOf(root: XmlElement, { upAxis }: ReadMjcfOptions): Triple {
  const given = childrenOf(root, 'option').map((option) => tripleAt(option, 'gravity', undefined));
  const [x, y, z] = given.filter((gravity) => gravity !== undefined).at(-1) ?? [0, 0, -9.81];
  return upAxis === 'y' ? [x, z, 0 - y] : [x, y, z];
}
