/** The height of a figure at rest: the one answer of all commands. */
import { boneVertices } from '@poise/formats';
import { PoiseError } from 'poise';
import { createPose, createState, forwardKinematics } from 'poise/figure';
import { rigid, type Vec3, vec3 } from 'poise/math';
import type { Source } from './source.js';

export interface Height {
  /** Along its up, m. */
  readonly metres: number;
  /** What was measured: the vertices of its mesh, or without a mesh the origins and tips of its bones. */
  readonly of: 'mesh' | 'bones';
}

export function heightOf(source: Pick<Source, 'figure' | 'rig'>): Height {
  const { figure } = source;
  const state = createState(figure);
  forwardKinematics(state, createPose(figure));
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const add = (bone: number, point: Vec3): void => {
    const frame = state.worldFromBone.subarray(12 * bone, 12 * bone + 12);
    const height = vec3.dot(rigid.transformPoint(frame, point), figure.up);
    low = Math.min(low, height);
    high = Math.max(high, height);
  };
  for (const [name, vertices] of Object.entries(verticesOf(source))) {
    const bone = figure.bones.findIndex((other) => other.name === name);
    for (let i = 0; i + 2 < vertices.length; i += 3) add(bone, vertices.subarray(i, i + 3));
  }
  if (high > low) return { metres: high - low, of: 'mesh' };
  for (const { index, tip } of figure.bones) {
    add(index, [0, 0, 0]);
    if (tip) add(index, tip);
  }
  return { metres: high - low, of: 'bones' };
}

/** None of a mesh that cannot be read, as a compressed one. */
function verticesOf({ rig }: Pick<Source, 'rig'>): Readonly<Record<string, Float64Array>> {
  if (rig === undefined) return {};
  try {
    return boneVertices(rig);
  } catch (error) {
    if (error instanceof PoiseError) return {};
    throw error;
  }
}
