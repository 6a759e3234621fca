/** Reads a glTF as a figure bound to its nodes. */

import { FormatError, PoiseError } from 'poise';
import {
  type BoneData,
  createFigure,
  type Figure,
  type JointData,
  type LimitData,
  type Triple,
} from 'poise/figure';
import { type FieldsOf, requireFields } from 'poise/internal/checks';
import { quat, type Vec3 } from 'poise/math';
import { requireBudget } from '../../budget.js';
import { uniqueNames } from '../../text/unique-names.js';
import { checkAccessors } from '../container/accessors.js';
import { type GltfDocument, type ParseGltfOptions, parseGltf } from '../container/container.js';
import { chooseNodes, defaultJoints, figureParents } from './choose-bones.js';
import { type Frame, frameBelow, rootFrame } from './frames.js';
import { type GltfHierarchy, type GltfNode, readNodes } from './nodes.js';
import { type GltfSkin, readSkins } from './skins.js';

/** Options of {@link readGltfRig}. */
export interface ReadGltfRigOptions extends ParseGltfOptions {
  /** Name of the figure. Default: the first skin's, else the source. */
  readonly name?: string;
  /**
   * Which nodes become bones. `skins`: the joints of all skins and every node above one, up to the scene root; in a
   * file without skins all nodes of the scene. `all`: all nodes of the scene. Default: `skins`.
   */
  readonly bones?: 'skins' | 'all';
  /**
   * Joint of a bone; undefined keeps the default: `free` for the topmost joints of the skins, `ball` for the joints
   * below them, `fixed` for other nodes (in a file without skins: `free` for roots, `ball` for the rest).
   */
  readonly joints?: (name: string, node: GltfNode) => JointData | undefined;
  /** Limit of a bone; must match its joint. Default: none. */
  readonly limits?: (name: string, node: GltfNode) => LimitData | undefined;
  /**
   * Parent of a bone in the figure, by name, to override the file: in some rigs (WebXR hands) all joints are children of
   * one node. undefined keeps the parent of the file, null makes a root. The hierarchy of the file is not changed.
   */
  readonly parents?: (name: string, node: GltfNode) => string | null | undefined;
}

const FIELDS: FieldsOf<ReadGltfRigOptions> = {
  source: true,
  resource: true,
  budget: true,
  name: true,
  bones: true,
  joints: true,
  limits: true,
  parents: true,
};

/** Binding of a bone to its node. */
export interface GltfBoneBinding {
  /** Index of the glTF node. */
  readonly node: number;
  /**
   * The output matrix A, 3x3 row by row: the linear part of the node's world matrix is R A, with R the rotation of the
   * bone's `worldFromBone`; the position is the same. A contains all scale, in metres per unit of the node.
   */
  readonly outputMatrix: readonly number[];
  /**
   * Whether that holds in every pose. False below a node with non-uniform scale: there only the position is exact, and the
   * linear part is the nearest that a rotation of the node can reach.
   */
  readonly exact: boolean;
}

/** Binding of a figure to its file. */
export interface GltfBinding extends GltfHierarchy {
  /** By bone index. */
  readonly bones: readonly GltfBoneBinding[];
  /** Bone index of each node, -1 for nodes that are not bones. */
  readonly boneOfNode: Int32Array;
  readonly skins: readonly GltfSkin[];
}

/** A character read from a glTF. */
export interface GltfRig {
  readonly figure: Figure;
  readonly binding: GltfBinding;
  readonly document: GltfDocument;
  /** One sentence each, starting with the location in the file. */
  readonly warnings: readonly string[];
}

/** Departure from uniform scale that warrants a warning; 0.01 % is not visible. */
const warnAbove = 1e-4;

/**
 * Reads the rig of a GLB, VRM or .gltf file: one bone a node, rest = the node transforms of the file (the default
 * pose that every loader shows; the bind pose of a skin may differ and stays in `binding.skins`), lengths in
 * metres of the scene with all scale applied.
 *
 * @throws FormatError with code, location (`file.glb#/nodes/4/rotation`) and remedy for an invalid file; a scale of zero on
 * a bone is `singular`. FigureError for an invalid joint or limit of `options`.
 */
export function readGltfRig(input: Uint8Array | ArrayBuffer, options: ReadGltfRigOptions = {}): GltfRig {
  requireFields(options, FIELDS, 'options', FormatError);
  const { source, resource, budget } = options;
  const document = parseGltf(input, {
    ...(source && { source }),
    ...(resource && { resource }),
    ...(budget && { budget }),
  });
  return rigFromDocument(document, options);
}

/** {@link readGltfRig} for a parsed document. */
export function rigFromDocument(document: GltfDocument, options: ReadGltfRigOptions = {}): GltfRig {
  requireFields(options, FIELDS, 'options', FormatError);

  // Content of the file: nodes with their local transforms, skins.
  checkAccessors(document);
  const hierarchy = readNodes(document);
  const warnings = [...document.warnings, ...hierarchy.warnings];
  const skins = readSkins(document, warnings);

  // Bones: the nodes chosen, with unique names.
  const chosen = chooseNodes(document, hierarchy, skins, options.bones ?? 'skins');
  requireBudget(document.budget, 'bones', chosen.nodes.length, `${document.source}#/nodes`);
  const names = uniqueNames(chosen.nodes);
  const nameOf = new Map(chosen.nodes.map((node, i) => [node.index, names[i]]));

  // Rigid frames: the world matrix of a node is its frame times an output matrix that has all scale.
  const frames = restFrames(document, hierarchy, chosen.nodes);
  warnScale(document, chosen.nodes, frames, warnings);

  // Parents and joints in the figure.
  const parentOf = figureParents(chosen.nodes, nameOf, options.parents);
  const joints = defaultJoints(chosen.nodes, chosen.joints, parentOf);
  const childrenOf = new Map<number, number[]>();
  for (const [node, parent] of parentOf) {
    const siblings = childrenOf.get(parent);
    if (siblings) siblings.push(node);
    else childrenOf.set(parent, [node]);
  }
  const bones = chosen.nodes.map((node): BoneData => {
    const name = nameOf.get(node.index) as string;
    const parent = parentOf.get(node.index) ?? -1;
    const joint = options.joints?.(name, node) ?? joints.get(node.index);
    const limit = options.limits?.(name, node);
    const children = (childrenOf.get(node.index) ?? []).map((child) => hierarchy.nodes[child]);
    const tip = tipOf(node, children, frames);
    return {
      name,
      parent: parent < 0 ? null : (nameOf.get(parent) as string),
      rest: restBetween(node, parent, frames),
      ...(joint && { joint }),
      ...(limit && { limit }),
      ...(tip && { tip }),
    };
  });
  const figure = createFigure({ name: options.name ?? skins[0]?.name ?? document.source, bones });
  return { figure, binding: bind(figure, hierarchy, skins, nameOf, frames), document, warnings };
}

/** Rigid rest frame and output matrix of each chosen node, by node index; ancestors of chosen nodes are always chosen. */
function restFrames(
  document: GltfDocument,
  { nodes, order }: GltfHierarchy,
  chosen: readonly GltfNode[],
): ReadonlyMap<number, Frame> {
  const chosenIndices = new Set(chosen.map((node) => node.index));
  const frames = new Map<number, Frame>();
  for (const index of order) {
    if (!chosenIndices.has(index)) continue;
    const node = nodes[index];
    const path = `${document.source}#/nodes/${index}/${node.matrix ? 'matrix' : 'scale'}`;
    try {
      frames.set(index, frameBelow(frames.get(node.parent) ?? rootFrame, node));
    } catch (cause) {
      if (!(cause instanceof PoiseError) || cause.code !== 'singular') throw cause;
      throw new FormatError(
        'singular',
        'has a scale of zero or close to it, so that the bone has no inverse transform.',
        {
          path,
          remedy: 'Give the node a nonzero scale; to hide a part, hide its mesh.',
          cause,
        },
      );
    }
  }
  return frames;
}

function warnScale(
  document: GltfDocument,
  chosen: readonly GltfNode[],
  frames: ReadonlyMap<number, Frame>,
  warnings: string[],
): void {
  const chosenIndices = new Set(chosen.map((node) => node.index));
  for (const node of chosen) {
    const { split } = frames.get(node.index) as Frame;
    const parentDeparture = frames.get(node.parent)?.split.departure ?? 0;
    if (split.departure <= warnAbove || parentDeparture > warnAbove) continue;
    if (!node.children.some((child) => chosenIndices.has(child))) continue;
    warnings.push(
      `${document.source}#/nodes/${node.index}: has non-uniform scale; below it a written pose has exact bone positions, ` +
        'but only approximate rotation and shear of meshes.',
    );
  }
}

/** Rest transform of a node in its parent in the figure. */
function restBetween(
  node: GltfNode,
  parent: number,
  frames: ReadonlyMap<number, Frame>,
): { position: Triple; rotation: [number, number, number, number] } {
  const frame = frames.get(node.index) as Frame;
  if (parent === node.parent) {
    const [x, y, z, w] = frame.parentRotation;
    return { position: triple(frame.parentPosition), rotation: [x, y, z, w] };
  }
  const outer = frames.get(parent) ?? rootFrame;
  const back = quat.conjugate(outer.rotation);
  const [x, y, z, w] = quat.normalize(quat.multiply(back, frame.rotation));
  const offset = frame.position.map((value, i) => value - outer.position[i]);
  return { position: triple(quat.rotate(back, offset)), rotation: [x, y, z, w] };
}

/**
 * Tip of a bone: the mean of its children's origins, in its own frame. undefined for a leaf: the file has no length for it.
 */
function tipOf(
  node: GltfNode,
  children: readonly GltfNode[],
  frames: ReadonlyMap<number, Frame>,
): Triple | undefined {
  if (children.length === 0) return undefined;
  const sum = [0, 0, 0];
  for (const child of children) {
    restBetween(child, node.index, frames).position.forEach((value, i) => {
      sum[i] += value / children.length;
    });
  }
  return Math.hypot(...sum) > 0 ? triple(sum) : undefined;
}

function bind(
  figure: Figure,
  hierarchy: GltfHierarchy,
  skins: readonly GltfSkin[],
  nameOf: ReadonlyMap<number, string>,
  frames: ReadonlyMap<number, Frame>,
): GltfBinding {
  const nodeOf = new Map([...nameOf].map(([node, name]) => [name, node]));
  const boneOfNode = new Int32Array(hierarchy.nodes.length).fill(-1);
  const bones = figure.bones.map(({ index, name }): GltfBoneBinding => {
    const node = nodeOf.get(name) as number;
    boneOfNode[node] = index;
    const { output, exact } = frames.get(node) as Frame;
    return { node, outputMatrix: Array.from(output), exact };
  });
  return { ...hierarchy, bones, boneOfNode, skins };
}

function triple(v: Vec3): Triple {
  return [v[0], v[1], v[2]];
}
