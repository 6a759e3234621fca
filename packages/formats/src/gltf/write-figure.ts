/** Writes a figure without a file as a GLB: a skin over its bones, a capsule on each. */
import { checkPose, createState, type Figure, forwardKinematics } from 'poise/figure';
import { affine, type Numbers, quat, rigid } from 'poise/math';
import { fail } from '../text/json-checks.js';
import { assembleGlb } from './container/serialize.js';
import { addCapsule, type Mesh } from './mesh/capsule.js';

/** Density of the capsule of a bone with a mass, kg/m^3: about that of the human body. */
const DENSITY = 1000;
/** Radius over length of a bone without mass. */
const DEFAULT_RADIUS_RATIO = 0.12;
/** Largest radius over length: short heavy segments (head, pelvis) become balls, not discs. */
const MAX_RADIUS_RATIO = 0.75;
/** Sphere radius of a bone without length, relative to the size of the figure. */
const POINT_RADIUS_RATIO = 0.01;

/** Colours of the capsules by depth in the tree, linear RGB, to distinguish neighbours. */
const SHADES = [
  [0.6, 0.62, 0.65],
  [0.42, 0.5, 0.6],
] as const;

/**
 * Bytes of a GLB with one node a bone, named as the bones and posed by `pose`; a skin that binds at rest; and one
 * skinned mesh, a capsule along each bone with a volume for the bone's mass. Lengths in metres.
 *
 * The node transforms are full doubles. Reading the file back gives the bones with `pose` as their rest, without
 * joints and limits: glTF cannot store them.
 *
 * @param pose - Coordinates, length `figure.dof`.
 * @throws FigureError `wrong-size` | `not-finite` for the pose; FormatError `unsupported` for a figure without bones.
 */
export function writeFigureGltf(figure: Figure, pose: Numbers): Uint8Array {
  checkPose(figure, pose);
  if (figure.bones.length === 0)
    fail('unsupported', figure.name, 'has no bones.', 'Write a figure with at least one bone.');
  const state = createState(figure);
  forwardKinematics(state, new Float64Array(figure.dof));
  const inverseBinds = figure.bones.flatMap(({ index }) =>
    affine.toColumnMajor4(rigid.inverse(state.worldFromBone.subarray(12 * index, 12 * index + 12))),
  );
  const body = bodyMesh(figure, state.worldFromBone);
  forwardKinematics(state, pose);
  const nodes: Record<string, unknown>[] = figure.bones.map(({ index, name }) => {
    const children = figure.bones.filter((bone) => bone.parent === index).map((bone) => bone.index);
    const parentFromBone = state.parentFromBone.subarray(12 * index, 12 * index + 12);
    return {
      name,
      translation: rigid.toPosition(parentFromBone),
      rotation: quat.normalize(quat.fromMatrix(parentFromBone)),
      ...(children.length > 0 && { children }),
    };
  });
  const roots = figure.bones.filter((bone) => bone.parent < 0).map((bone) => bone.index);
  // Joints of a skin must have a common root.
  if (roots.length > 1) nodes.push({ name: figure.name, children: roots });
  const top = roots.length > 1 ? nodes.length - 1 : roots[0];
  nodes.push({ name: `${figure.name} body`, mesh: 0, skin: 0 });
  return glbOf(figure, { nodes, scene: [top, nodes.length - 1] }, body, inverseBinds);
}

interface Body extends Mesh {
  /** Bone of each vertex. */
  readonly joints: number[];
  /** Linear RGB of each vertex. */
  readonly colors: number[];
}

/** The capsules of all bones at rest, in the world. */
function bodyMesh(figure: Figure, worldFromBone: Float64Array): Body {
  const body: Body = { positions: [], normals: [], indices: [], joints: [], colors: [] };
  const ends = figure.bones.map((bone) => endsOf(figure, bone.index));
  const size = Math.max(
    ...worldFromBone.filter((_, i) => i % 12 >= 9).map(Math.abs),
    ...ends.flat(2).map(Math.abs),
  );
  const pointRadius = size > 0 ? POINT_RADIUS_RATIO * size : POINT_RADIUS_RATIO;
  figure.bones.forEach(({ index, mass }) => {
    const frame = worldFromBone.subarray(12 * index, 12 * index + 12);
    const origin = rigid.toPosition(frame);
    const totalLength = ends[index].reduce((sum, end) => sum + Math.hypot(...end), 0);
    // A cylinder of this mass over the length of the bone: m = density pi r^2 l.
    const massRadius =
      mass !== undefined && mass > 0 && totalLength > 0
        ? Math.min(Math.sqrt(mass / (DENSITY * Math.PI * totalLength)), MAX_RADIUS_RATIO * totalLength)
        : DEFAULT_RADIUS_RATIO * totalLength;
    const radius = massRadius > 0 ? massRadius : pointRadius;
    const hasChild = figure.bones.some((bone) => bone.parent === index);
    const shade = SHADES[depthOf(figure, index) % SHADES.length];
    for (const end of ends[index].length > 0 ? ends[index] : [[0, 0, 0]]) {
      const added = addCapsule(
        body,
        origin,
        rigid.transformPoint(frame, inset(end, hasChild ? 0 : radius)),
        radius,
      );
      for (let i = 0; i < added; i++) {
        body.joints.push(index);
        body.colors.push(...shade);
      }
    }
  });
  return body;
}

/** Ends of a bone in its own frame: its tip, else the origins of its children. */
function endsOf(figure: Figure, index: number): (readonly number[])[] {
  const { tip } = figure.bones[index];
  if (tip !== undefined) return [tip];
  return figure.bones.filter((bone) => bone.parent === index).map((bone) => bone.rest.position);
}

/** Moves a point towards the origin by at most `distance`, so that the round end of a leaf's capsule is at its tip. */
function inset(point: readonly number[], distance: number): number[] {
  const length = Math.hypot(...point);
  const factor = length > distance ? 1 - distance / length : 0;
  return point.map((value) => value * factor);
}

function depthOf(figure: Figure, index: number): number {
  let depth = 0;
  for (let b = figure.parents[index]; b >= 0; b = figure.parents[b]) depth++;
  return depth;
}

const ARRAY_BUFFER = 34962;
const ELEMENT_ARRAY_BUFFER = 34963;

function glbOf(
  figure: Figure,
  tree: { readonly nodes: readonly unknown[]; readonly scene: readonly number[] },
  { positions, normals, indices, joints, colors }: Body,
  inverseBinds: readonly number[],
): Uint8Array {
  const views: Record<string, unknown>[] = [];
  const accessors: Record<string, unknown>[] = [];
  const arrays: Uint8Array[] = [];
  let length = 0;
  // Every array is a multiple of four bytes long, so every array is aligned.
  const add = (
    data: Float32Array | Uint16Array | Uint32Array,
    width: number,
    more: object,
    target?: number,
  ) => {
    arrays.push(new Uint8Array(data.buffer));
    views.push({ buffer: 0, byteOffset: length, byteLength: data.byteLength, ...(target && { target }) });
    const componentType = data instanceof Float32Array ? 5126 : data instanceof Uint16Array ? 5123 : 5125;
    accessors.push({ bufferView: views.length - 1, componentType, count: data.length / width, ...more });
    length += data.byteLength;
    return accessors.length - 1;
  };
  const vertices = new Float32Array(positions);
  const bounds = { min: extreme(vertices, Math.min), max: extreme(vertices, Math.max) };
  const attributes = {
    POSITION: add(vertices, 3, { type: 'VEC3', ...bounds }, ARRAY_BUFFER),
    NORMAL: add(new Float32Array(normals), 3, { type: 'VEC3' }, ARRAY_BUFFER),
    COLOR_0: add(new Float32Array(colors), 3, { type: 'VEC3' }, ARRAY_BUFFER),
    JOINTS_0: add(new Uint16Array(joints.flatMap((j) => [j, 0, 0, 0])), 4, { type: 'VEC4' }, ARRAY_BUFFER),
    WEIGHTS_0: add(new Float32Array(joints.flatMap(() => [1, 0, 0, 0])), 4, { type: 'VEC4' }, ARRAY_BUFFER),
  };
  const faces = add(new Uint32Array(indices), 1, { type: 'SCALAR' }, ELEMENT_ARRAY_BUFFER);
  const inverses = add(new Float32Array(inverseBinds), 16, { type: 'MAT4' });
  const json = {
    asset: { version: '2.0', generator: 'Poise' },
    scene: 0,
    scenes: [{ nodes: tree.scene }],
    nodes: tree.nodes,
    meshes: [{ name: 'body', primitives: [{ attributes, indices: faces, material: 0 }] }],
    materials: [{ name: 'body', pbrMetallicRoughness: { metallicFactor: 0, roughnessFactor: 0.7 } }],
    skins: [
      { name: figure.name, joints: figure.bones.map((bone) => bone.index), inverseBindMatrices: inverses },
    ],
    accessors,
    bufferViews: views,
    buffers: [{ byteLength: length }],
  };
  const binary = new Uint8Array(length);
  let at = 0;
  for (const array of arrays) {
    binary.set(array, at);
    at += array.length;
  }
  return assembleGlb(JSON.stringify(json), binary, [], figure.name);
}

/** Minimum or maximum x, y, z over the vertices. */
function extreme(vertices: Float32Array, pick: (...values: number[]) => number): number[] {
  const out = Array.from(vertices.subarray(0, 3));
  for (let i = 3; i < vertices.length; i++) out[i % 3] = pick(out[i % 3], vertices[i]);
  return out;
}
