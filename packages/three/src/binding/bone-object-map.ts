/** The pose-independent part of a binding: which bone belongs to which object, and the scale between them. */
import { FigureError } from 'poise';
import type { Figure } from 'poise/figure';
import { mat3, quat } from 'poise/math';
import type { Object3D } from 'three';
import { ancestors, worldScale } from './hierarchy.js';
import { localRotation, pathOf } from './local-transform.js';
import { frameBelow, type ObjectFrame, topFrame } from './scale-split.js';

/** A bone with an object. */
export interface BoundBone {
  readonly bone: number;
  readonly object: Object3D;
  /** Bone of the nearest ancestor object that has one, -1 for the frame. */
  readonly above: number;
  /** Objects without a bone between that ancestor and this object, outermost first. */
  readonly between: readonly Object3D[];
  /** Diagonal of the parent object's output matrix, if this object's local transform is the joint's up to that scale. */
  readonly parentScale: readonly [number, number, number] | undefined;
  /** A_n K^-1, row by row: bone frame from object without its own scale. */
  readonly boneFromUnscaled: readonly number[];
}

/** A bone, its object, and the objects between it and the nearest ancestor with a bone. */
export interface Link {
  readonly bone: number;
  readonly object: Object3D;
  readonly above: number;
  readonly between: readonly Object3D[];
}

/** Links of all bones that have objects, ancestors first. */
export function linksOf(objects: readonly (Object3D | undefined)[], frame: Object3D | null): Link[] {
  const boneOf = new Map(
    objects.flatMap((object, b) => (object === undefined ? [] : [[object, b] as const])),
  );
  const depth = new Map([...boneOf.keys()].map((object) => [object, ancestors(object).length]));
  const hierarchies = new Set([...boneOf.keys()].map((object) => ancestors(object).at(-1) ?? object));
  const [, second] = hierarchies;
  if (second !== undefined) {
    throw new FigureError(
      'unsupported',
      `${pathOf(second)} belongs to another hierarchy than the other objects.`,
      {
        path: 'objects',
        remedy: 'Bind objects of one hierarchy, with their common ancestor as root.',
      },
    );
  }
  const sorted = [...boneOf].sort(([a], [b]) => (depth.get(a) as number) - (depth.get(b) as number));
  return sorted.map(([object, bone]) => {
    const between: Object3D[] = [];
    for (let above = object.parent; above !== null && above !== frame; above = above.parent) {
      const parent = boneOf.get(above);
      if (parent !== undefined) return { bone, object, above: parent, between };
      between.unshift(above);
    }
    return { bone, object, above: -1, between };
  });
}

/**
 * Figure metres per unit of the frame: the ratio of bone lengths, so that a figure in the metres of a file binds to a
 * scene that shows the file at another size. Without bone lengths, the frame's world scale.
 */
export function unitOf(
  figure: Figure,
  links: readonly Link[],
  frame: Object3D | null,
  warnings: string[],
): number {
  const inWorld = worldScale(frame);
  const frames = objectFrames(links, 1);
  const pairs: { bone: number; figure: number; object: number }[] = [];
  for (const { bone, object, above, between } of links) {
    const { parent, rest, joint } = figure.bones[bone];
    if (above < 0 || above !== parent || between.length > 0) continue;
    if (joint.type === 'free' || joint.type === 'slider') continue;
    const inObjects = Math.hypot(...(frames.get(object) as ObjectFrame).position);
    const inFigure = Math.hypot(...rest.position);
    if (inObjects > 0 && inFigure > 0) pairs.push({ bone, figure: inFigure, object: inObjects });
  }
  if (pairs.length === 0) return inWorld;
  const total =
    pairs.reduce((sum, pair) => sum + pair.figure, 0) / pairs.reduce((sum, pair) => sum + pair.object, 0);
  // Snaps to the exact scale if the lengths agree to 1e-6.
  const unit = [inWorld, 1].find((candidate) => Math.abs(total / candidate - 1) < 1e-6) ?? total;
  const off = pairs.filter((pair) => Math.abs(pair.figure / (unit * pair.object) - 1) > 0.01);
  if (off.length > 0) {
    const [{ bone, figure: length, object }] = off;
    warnings.push(
      `${off.length} of ${pairs.length} bones differ in length from their objects (first '${figure.bones[bone].name}': ` +
        `${length.toPrecision(3)} m against ${(unit * object).toPrecision(3)} m): writing a pose stretches the objects.`,
    );
  }
  return unit;
}

/** Frames of all linked objects and of the objects between them, for `unit` metres per unit of the frame. */
function objectFrames(links: readonly Link[], unit: number): Map<Object3D, ObjectFrame> {
  const frames = new Map<Object3D, ObjectFrame>();
  const top = topFrame(unit);
  for (const { object, between } of links) {
    for (const one of [...between, object]) {
      if (frames.has(one)) continue;
      frames.set(one, frameBelow(parentFrame(one, frames) ?? top, one));
    }
  }
  return frames;
}

export function boundBones(
  figure: Figure,
  links: readonly Link[],
  unit: number,
  warnings: string[],
): BoundBone[] {
  const frames = objectFrames(links, unit);
  const top = topFrame(unit);
  return links.map(({ bone, object, above, between }) => {
    const parent = parentFrame(object, frames) ?? top;
    const { rotation, exact } = frames.get(object) as ObjectFrame;
    const grandparent = parentFrame(object.parent, frames);
    if (parent.nonUniform && !grandparent?.nonUniform) {
      warnings.push(
        `${pathOf(object)}: is below non-uniform scale; it and its descendants get exact positions but only the nearest ` +
          'rotation.',
      );
    }
    const isUniform = between.length === 0 && above === figure.bones[bone].parent && exact;
    return {
      bone,
      object,
      above,
      between,
      parentScale: isUniform ? parent.uniformScale : undefined,
      boneFromUnscaled: mat3.multiply(
        mat3.transpose(quat.toMatrix(rotation)),
        mat3.multiply(parent.outputMatrix, quat.toMatrix(localRotation(object, [0, 0, 0, 1]))),
      ),
    };
  });
}

function parentFrame(
  object: Object3D | null,
  frames: ReadonlyMap<Object3D, ObjectFrame>,
): ObjectFrame | undefined {
  return object?.parent ? frames.get(object.parent) : undefined;
}
