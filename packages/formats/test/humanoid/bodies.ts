/** Figures of files that the readers do not read: bodies, and offsets alone. */
import { createFigure, type Figure, type Triple } from 'poise/figure';

/** The bones of a MakeHuman rig, placed by the mean of the vertices of each joint. */
export function mhskelBones(text: string, obj: string): Figure {
  const skeleton = JSON.parse(text) as {
    joints: Record<string, number[]>;
    bones: Record<string, { head: string; parent: string | null }>;
  };
  const vertices = [...obj.matchAll(/^v (\S+) (\S+) (\S+)/gm)].map((match) => match.slice(1, 4).map(Number));
  const at = (joint: string): number[] => {
    const of = skeleton.joints[joint];
    return [0, 1, 2].map((k) => of.reduce((sum, v) => sum + vertices[v][k], 0) / of.length);
  };
  return createFigure({
    bones: Object.entries(skeleton.bones).map(([name, { head, parent }]) => {
      const above = parent ? at(skeleton.bones[parent].head) : [0, 0, 0];
      return {
        name,
        parent: parent || null,
        rest: { position: at(head).map((x, k) => x - above[k]) as unknown as Triple },
        joint: { type: parent ? 'ball' : 'free' } as const,
      };
    }),
  });
}

/** The nodes of a skeleton given as a pose: names, parents and offsets in a T-pose. */
export function poseNodes(text: string): Figure {
  const { node_names, parent_indices, local_translation, rotation } = JSON.parse(text) as {
    node_names: string[];
    parent_indices: number[];
    local_translation: number[][];
    rotation: number[][];
  };
  // Rotations are of the world; offsets are turned into it.
  const rotated = ([x, y, z, w]: number[], v: number[]): number[] => {
    const t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])];
    return [
      v[0] + w * t[0] + y * t[2] - z * t[1],
      v[1] + w * t[1] + z * t[0] - x * t[2],
      v[2] + w * t[2] + x * t[1] - y * t[0],
    ];
  };
  return createFigure({
    bones: node_names.map((name, k) => ({
      name,
      parent: parent_indices[k] < 0 ? null : node_names[parent_indices[k]],
      rest: {
        position: (parent_indices[k] < 0
          ? [0, 0, 0]
          : rotated(rotation[parent_indices[k]], local_translation[k])) as unknown as Triple,
      },
      joint: { type: parent_indices[k] < 0 ? 'free' : 'ball' } as const,
    })),
  });
}
