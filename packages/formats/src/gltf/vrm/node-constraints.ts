/** Node constraints of VRM 1.0 (`VRMC_node_constraint`): twist bones, helpers and eyes that follow another bone. */
import {
  createState,
  type Figure,
  type FigureState,
  forwardKinematics,
  type Quadruple,
  type Triple,
} from 'poise/figure';
import { type MutableNumbers, mat3, quat, rigid, vec3 } from 'poise/math';
import { rotationVectorFromQuat } from 'poise/rotation';
import { fail, indexAt, type JsonObject, objectAt, wordOf } from '../../text/json-checks.js';
import type { GltfRig } from '../skeleton/read-rig.js';

/** A bone that follows another one by a rule. */
export interface VrmConstraint {
  /** `roll`: as far as the source rolls about the axis; `rotation`: as the source rotates; `aim`: the axis to the origin of the source. */
  readonly type: 'roll' | 'aim' | 'rotation';
  /** Bone that is moved, and bone that it follows. */
  readonly bone: number;
  readonly source: number;
  /** Unit axis of the bone's frame; zero for `rotation`. */
  readonly axis: Triple;
  /** Share of the way from rest, 0 to 1. */
  readonly weight: number;
}

const EXTENSION = 'VRMC_node_constraint';
const AXES: Readonly<Record<string, Triple>> = {
  X: [1, 0, 0],
  Y: [0, 1, 0],
  Z: [0, 0, 1],
  PositiveX: [1, 0, 0],
  PositiveY: [0, 1, 0],
  PositiveZ: [0, 0, 1],
  NegativeX: [-1, 0, 0],
  NegativeY: [0, -1, 0],
  NegativeZ: [0, 0, -1],
};

/**
 * The node constraints of a VRM 1.0, each after those that it depends on, as `applyVrmConstraints` takes them. Left out are those whose node or source is
 * no bone of the figure.
 *
 * @throws FormatError `invalid-file` | `out-of-range` for an invalid extension; `cycle` for constraints that depend on each other in a circle;
 *   `unsupported` for a constrained bone whose joint is neither `ball` nor `free`, or below mirrored or non-uniform scale.
 */
export function vrmConstraints(rig: GltfRig): readonly VrmConstraint[] {
  const { document, binding, figure } = rig;
  const nodes = Array.isArray(document.json.nodes) ? (document.json.nodes as readonly unknown[]) : [];
  const all = nodes.flatMap((entry, node): { constraint: VrmConstraint; path: string }[] => {
    const path = `${document.source}#/nodes/${node}/extensions/${EXTENSION}/constraint`;
    const extensions = (entry as JsonObject | null)?.extensions as JsonObject | undefined;
    if (typeof extensions !== 'object' || extensions === null || !Object.hasOwn(extensions, EXTENSION))
      return [];
    const kinds = objectAt(objectAt(extensions[EXTENSION], path).constraint, path);
    const type = (['roll', 'aim', 'rotation'] as const).find((kind) => kinds[kind] !== undefined);
    if (type === undefined) return fail('invalid-file', path, 'is none of roll, aim, rotation.', 'Give one.');
    const data = objectAt(kinds[type], `${path}/${type}`);
    const sourceNode = indexAt(data.source, `${path}/${type}/source`, nodes.length, 'node');
    const [bone, source] = [binding.boneOfNode[node], binding.boneOfNode[sourceNode]];
    if (bone < 0 || source < 0) return [];
    requireMovable(rig, bone, path);
    const axis = axisOf(type, data, `${path}/${type}`);
    const weight = data.weight ?? 1;
    if (typeof weight !== 'number' || !(weight >= 0 && weight <= 1)) {
      fail('out-of-range', `${path}/${type}/weight`, `is ${wordOf(weight)}.`, 'Give a number from 0 to 1.');
    }
    return [{ constraint: { type, bone, source, axis, weight: weight as number }, path }];
  });
  return ordered(figure, all);
}

function axisOf(type: VrmConstraint['type'], data: JsonObject, path: string): Triple {
  if (type === 'rotation') return [0, 0, 0];
  const key = type === 'roll' ? 'rollAxis' : 'aimAxis';
  const name = wordOf(data[key]);
  const known = Object.hasOwn(AXES, name) && (name.length === 1) === (type === 'roll');
  if (known) return AXES[name];
  const remedy = type === 'roll' ? 'Give X, Y or Z.' : 'Give PositiveX, NegativeX, PositiveY, ...';
  return fail('invalid-file', `${path}/${key}`, `is ${name}.`, remedy);
}

/** @throws FormatError `unsupported`. */
function requireMovable({ figure, binding }: GltfRig, bone: number, path: string): void {
  const { name, joint } = figure.bones[bone];
  if (joint.type !== 'ball' && joint.type !== 'free') {
    fail(
      'unsupported',
      path,
      `'${name}' is a ${joint.type} joint.`,
      "Read the rig with the joint 'ball' there.",
    );
  }
  const { exact, outputMatrix } = binding.bones[bone];
  if (exact && mat3.determinant(outputMatrix) > 0) return;
  fail(
    'unsupported',
    path,
    `'${name}' has mirrored or non-uniform scale.`,
    'Apply the scale in a modelling program.',
  );
}

/** Each after the constraints of its source and of the ancestors that it depends on. */
function ordered(
  figure: Figure,
  all: readonly { readonly constraint: VrmConstraint; readonly path: string }[],
): VrmConstraint[] {
  const ofBone = new Map(all.map((each) => [each.constraint.bone, each]));
  const out: VrmConstraint[] = [];
  const done = new Set<number>();
  const open = new Set<number>();
  /** A constraint that comes before another one and is not done. */
  const dependency = ({ type, bone, source }: VrmConstraint): (typeof all)[number] | undefined => {
    for (const start of type === 'aim' ? [source, figure.parents[bone]] : [source]) {
      for (let b = start; b >= 0; b = figure.parents[b]) {
        if (ofBone.has(b) && !done.has(b)) return ofBone.get(b);
      }
    }
    return undefined;
  };
  // Without recursion: a file may chain thousands.
  for (const first of all) {
    const pending = done.has(first.constraint.bone) ? [] : [first];
    for (let each = pending.at(-1); each; each = pending.at(-1)) {
      const { constraint, path } = each;
      open.add(constraint.bone);
      const before = dependency(constraint);
      if (before === undefined) {
        done.add(constraint.bone);
        out.push(constraint);
        pending.pop();
      } else if (open.has(before.constraint.bone)) {
        fail(
          'cycle',
          path,
          'depends on itself through other constraints.',
          'Correct the file or export it again.',
        );
      } else pending.push(before);
    }
  }
  return out;
}

/**
 * Moves the constrained bones of a pose to where their constraints have them, in place: after the pose is set, before it is written or drawn. Their own
 * rotations in the pose are replaced, limits are not applied.
 *
 * With q the rotation of the source in its parent and q_0 that at rest, p_0 that of the bone at rest, the bone rotates away from rest by the share
 * `weight` of d: `rotation` d = q_0^-1 q; `roll` d = S(e -> n) e, e = p_0^-1 q q_0^-1 p_0, where S is the shortest rotation of the axis rotated by e back to
 * the axis n; `aim` the shortest rotation of the axis to the source, seen from the bone at rest.
 *
 * @param constraints - Of `vrmConstraints`.
 * @param pose - Coordinates, length `figure.dof`.
 * @param state - Workspace, for many poses of one figure.
 */
export function applyVrmConstraints(
  figure: Figure,
  constraints: readonly VrmConstraint[],
  pose: MutableNumbers,
  state: FigureState = createState(figure),
): void {
  for (const constraint of constraints) {
    forwardKinematics(state, pose);
    const { coordinate, dof } = figure.bones[constraint.bone];
    const v = rotationVectorFromQuat(awayFromRest(figure, state, constraint));
    for (let k = 0; k < 3; k++) pose[coordinate + dof - 3 + k] = constraint.weight * v[k];
  }
}

function awayFromRest(
  figure: Figure,
  { parentFromBone, worldFromBone }: FigureState,
  { type, bone, source, axis }: VrmConstraint,
): number[] {
  const restOf = (b: number): Quadruple => figure.bones[b].rest.rotation;
  const frame = (frames: Float64Array, b: number): Float64Array => frames.subarray(12 * b, 12 * b + 12);
  const p0 = restOf(bone);
  if (type === 'aim') {
    const parent = figure.parents[bone];
    const outer = parent < 0 ? quat.identity() : rigid.toQuat(frame(worldFromBone, parent));
    const worldFromRest = quat.multiply(outer, p0);
    const way = vec3.subtract(
      rigid.toPosition(frame(worldFromBone, source)),
      rigid.toPosition(frame(worldFromBone, bone)),
    );
    // At the source itself there is no direction.
    if (vec3.norm(way) === 0) return quat.identity();
    return rotationTo(axis, vec3.normalize(quat.rotate(quat.conjugate(worldFromRest), way)));
  }
  const q = rigid.toQuat(frame(parentFromBone, source));
  const q0 = restOf(source);
  if (type === 'rotation') return quat.multiply(quat.conjugate(q0), q);
  const away = quat.multiply(q, quat.conjugate(q0));
  const e = quat.multiply(quat.multiply(quat.conjugate(p0), away), p0);
  return quat.multiply(rotationTo(quat.rotate(e, axis), axis), e);
}

/** The shortest rotation of a unit vector to another one; of opposite ones about an axis perpendicular to both. */
function rotationTo(from: readonly number[], to: readonly number[]): number[] {
  const w = 1 + vec3.dot(from, to);
  if (w > 1e-12) return quat.normalize([...vec3.cross(from, to), w]);
  return [...vec3.perpendicular(from), 0];
}
