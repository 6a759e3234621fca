/** A figure as the bones of an ASF file: one root, each bone from the end of its parent. */
import { FormatError } from 'poise';
import type { Bone, Figure, Triple } from 'poise/figure';
import { type Numbers, quat, rigid, vec3 } from 'poise/math';
import { eulerFromMatrix } from 'poise/rotation/alternatives';
import { fail } from '../text/json-checks.js';
import { uniqueNames } from '../text/unique-names.js';
import { type AsfSkeleton, CMU_SCALE } from './read-asf.js';
import type { AsfBone, AsfDof } from './skeleton-text.js';

/** A bone of the file and the bone of the figure that moves it. */
export interface OutputBone extends Omit<AsfBone, 'line'> {
  /** -1 for a bone that only leads to the start of another. */
  readonly bone: number;
}

export interface Layout {
  /** Whether it is that of the file that was read, in its numbers. */
  readonly isRead: boolean;
  /** Parents first, the root first. */
  readonly bones: readonly OutputBone[];
  /** Of the root at rest, file units. */
  readonly position: Triple;
  /** Axes of the file, +Y up, from the figure's world axes: twelve numbers. */
  readonly fileFromWorld: Numbers;
  /** Metres and radians in units of the file. */
  readonly scale: number;
  readonly angle: number;
}

const DEGREE = Math.PI / 180;
/** Starts of bones that are nearer than this share of the figure are one point. */
const SAME_POINT = 1e-9;

/**
 * The layout of the file that the figure was read from where it still has its bones, else one of its own.
 *
 * @param scale - Metres in a unit. Default: that of the skeleton, else CMU's.
 * @throws FormatError `unsupported` for a figure with several roots or none; `wrong-size` for the skeleton of another figure.
 */
export function layoutOf(
  figure: Figure,
  skeleton: AsfSkeleton | undefined,
  scale = skeleton?.scale ?? CMU_SCALE,
): Layout {
  if (skeleton !== undefined && skeleton.bones.length !== figure.bones.length) {
    const what = `has ${skeleton.bones.length} bones for ${figure.bones.length} of the figure.`;
    fail('wrong-size', 'options.skeleton', what, 'Give the skeleton that the figure was read from.');
  }
  if (skeleton !== undefined && scale === skeleton.scale && isOf(figure, skeleton)) {
    const named = new Map(figure.bones.map(({ name, index }) => [name, index]));
    const { bones, angle } = skeleton;
    const [x, y, z] = figure.bones[0].rest.position;
    return {
      isRead: true,
      bones: bones.map(({ line: _, ...bone }) => ({ ...bone, bone: named.get(bone.name) as number })),
      position: [x / scale, y / scale, z / scale],
      fileFromWorld: rigid.identity(),
      scale,
      angle,
    };
  }
  return ownLayout(figure, scale);
}

/** Whether a figure has the bones of a skeleton as they were read. */
function isOf({ bones }: Figure, { figure }: AsfSkeleton): boolean {
  const shape = ({ name, parent, rest, joint, limit, tip }: Bone): string =>
    JSON.stringify([name, parent, rest, joint, limit, tip]);
  return bones.every((bone, k) => shape(bone) === shape(figure.bones[k]));
}

function ownLayout(figure: Figure, scale: number): Layout {
  const roots = figure.bones.filter(({ parent }) => parent < 0);
  if (roots.length !== 1) {
    throw new FormatError('unsupported', `has ${roots.length} roots; a file of this format has one.`, {
      path: `figure ${figure.name}`,
      remedy: 'Give the figure one root.',
    });
  }
  const names = namesOf(figure);
  const fileFromWorld = uprightAxes(figure);
  const frames = restIn(fileFromWorld, figure);
  const size = Math.max(...frames.filter((_, i) => i % 12 >= 9).map(Math.abs));
  const inFile = (bone: number, point: readonly number[]): number[] =>
    rigid.transformVector(frames.subarray(12 * bone, 12 * bone + 12), point).map((x) => x / scale);
  const bones: OutputBone[] = [];
  /** Of each bone of the figure, the index of the bone of the file that its children start from. */
  const below: number[] = [];
  const taken = new Set(names);
  for (const bone of figure.bones) {
    const { index, parent } = bone;
    const start = parent < 0 ? -1 : startOf(index);
    below[index] = bones.length;
    const end = parent < 0 ? [0, 0, 0] : endOf(figure, bone, size);
    const at = inFile(index, end);
    bones.push({
      name: names[index],
      bone: index,
      parent: start,
      ...lengthOf(at),
      // The root's axes are those of the world: some programs read no others.
      axis: parent < 0 ? [0, 0, 0] : axisOf(frames, index),
      axisOrder: 'XYZ',
      ...dofOf(bone, scale),
    });
  }
  return { isRead: false, bones, position: [0, 0, 0], fileFromWorld, scale, angle: DEGREE };

  /** Index of the bone of the file at whose end a bone of the figure starts: its parent, or one that leads there. */
  function startOf(index: number): number {
    const { parent, rest } = figure.bones[index];
    const above = figure.bones[parent];
    const end = above.parent < 0 ? [0, 0, 0] : endOf(figure, above, size);
    const way = vec3.subtract(rest.position, end);
    if (vec3.norm(way) <= SAME_POINT * size) return below[parent];
    let name = `to_${names[index]}`;
    while (taken.has(name)) name = `${name}_`;
    taken.add(name);
    return (
      bones.push({
        name,
        bone: -1,
        parent: below[parent],
        ...lengthOf(inFile(parent, way)),
        axis: [0, 0, 0],
        axisOrder: 'XYZ',
        dof: [],
        limits: [],
      }) - 1
    );
  }
}

/** Names without what ends a word or a line; the root has the format's. */
function namesOf({ bones }: Figure): string[] {
  const plain = bones.map(({ name, parent, index }) => ({
    index,
    name: parent < 0 ? 'root' : name.replace(/[\s#:]+/g, '_'),
  }));
  // The root keeps its name whatever the others are called.
  const first = plain.filter(({ index }) => bones[index].parent < 0);
  const others = plain.filter(({ index }) => bones[index].parent >= 0);
  const unique = uniqueNames([...first, ...others]);
  const names: string[] = [];
  for (const [k, { index }] of [...first, ...others].entries()) names[index] = unique[k];
  return names;
}

/** The shortest rotation of the figure's up to +Y; of a figure that hangs, half a turn about x. */
function uprightAxes({ up: [x, y, z] }: Figure): number[] {
  const q = y > -1 + 1e-12 ? quat.normalize([-z, 0, x, 1 + y]) : [1, 0, 0, 0];
  return rigid.fromQuatPosition(q, [0, 0, 0]);
}

/** Frames of the bones with every joint at zero, mimic joints too. */
function restIn(fileFromWorld: Numbers, { bones }: Figure): Float64Array {
  const frames = new Float64Array(12 * bones.length);
  for (const { index, parent, rest } of bones) {
    const above = parent < 0 ? fileFromWorld : frames.subarray(12 * parent, 12 * parent + 12);
    const own = rigid.fromQuatPosition(rest.rotation, rest.position);
    rigid.compose(above, own, frames.subarray(12 * index, 12 * index + 12));
  }
  return frames;
}

/** End of a bone in its own frame, m: where its first child starts, or its tip. */
function endOf(figure: Figure, { index, tip }: Bone, size: number): readonly number[] {
  const children = figure.bones.filter(({ parent }) => parent === index);
  if (children.length === 0) return tip ?? [0, 0, 0];
  const atTip = children.find(
    ({ rest }) => tip !== undefined && vec3.distance(rest.position, tip) <= SAME_POINT * size,
  );
  return (atTip ?? children[0]).rest.position;
}

function lengthOf(way: readonly number[]): { direction: Triple; length: number } {
  const length = vec3.norm(way);
  if (length === 0) return { direction: [0, 0, 0], length };
  return { direction: [way[0] / length, way[1] / length, way[2] / length], length };
}

/** Degrees about x, y and z, in this order. */
function axisOf(frames: Float64Array, index: number): Triple {
  const [c, b, a] = eulerFromMatrix(frames.subarray(12 * index, 12 * index + 9), 'ZYX');
  return [a / DEGREE, b / DEGREE, c / DEGREE];
}

const ROTATIONS: readonly AsfDof[] = ['rx', 'ry', 'rz'];
const TRANSLATIONS: readonly AsfDof[] = ['tx', 'ty', 'tz'];
const FREE: readonly (readonly [number, number])[] = /* @__PURE__ */ [0, 1, 2, 3, 4, 5].map(() => [
  -Infinity,
  Infinity,
]);

/** The degrees of freedom of a joint; those of its limits that the format has. */
function dofOf(bone: Bone, scale: number): Pick<AsfBone, 'dof' | 'limits'> {
  const { joint, limit, parent } = bone;
  const free = (dof: readonly AsfDof[]) => ({ dof, limits: FREE.slice(0, dof.length) });
  if (parent < 0 || joint.type === 'free') return free([...TRANSLATIONS, ...ROTATIONS]);
  if (joint.type === 'fixed') return free([]);
  if (joint.type === 'hinge' || joint.type === 'slider') {
    const [all, unit] = joint.type === 'hinge' ? [ROTATIONS, DEGREE] : [TRANSLATIONS, scale];
    const k = joint.axis.findIndex((x) => Math.abs(x) === 1);
    if (k < 0) return free(all);
    if (limit?.type !== 'interval') return free([all[k]]);
    const [min, max] = [(limit.min ?? -Infinity) / unit, (limit.max ?? Infinity) / unit];
    return { dof: [all[k]], limits: [joint.axis[k] > 0 ? [min, max] : [-max, -min]] };
  }
  if (joint.type !== 'euler' || new Set(joint.order).size < 3) return free(ROTATIONS);
  const ranges = [...joint.order].map((letter, k) => {
    const [min, max] = limit?.type === 'box' ? [limit.min[k], limit.max[k]] : [null, null];
    return {
      dof: `r${letter.toLowerCase()}` as AsfDof,
      range: [(min ?? -Infinity) / DEGREE, (max ?? Infinity) / DEGREE] as const,
    };
  });
  // The format applies the first one first. The last axes of the order, innermost, may be held at zero: then the file does not have them.
  while (ranges.length > 1 && ranges[ranges.length - 1].range.every((bound) => bound === 0)) ranges.pop();
  ranges.reverse();
  return { dof: ranges.map(({ dof }) => dof), limits: ranges.map(({ range }) => range) };
}
