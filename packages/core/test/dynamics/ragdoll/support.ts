import type { BoneShape } from '../../../src/dynamics/collide/index.js';
import {
  createFigure,
  createState,
  type Figure,
  figureToData,
  forwardKinematics,
} from '../../../src/figure/index.js';
import { createHumanFigure } from '../../../src/humanoid/index.js';
import { quat, rigid } from '../../../src/math/index.js';
import { randomQuat } from '../../support/random-figure.js';

/** The built-in human as a file has it: balls below a free root, no masses, limits or tips. */
export function plainHuman(height = 1.75): Figure {
  const { bones } = figureToData(createHumanFigure({ height }));
  return createFigure({
    name: 'plain',
    bones: bones.map(({ name, parent, rest }) => ({
      name,
      parent: parent ?? null,
      ...(rest && { rest }),
      joint: { type: parent === null ? 'free' : 'ball' },
    })),
  });
}

/** The figure with other bone axes: each frame turned at random, all origins where they were at rest. */
export function rotatedFrames(figure: Figure, random: () => number): Figure {
  const world = restFrames(figure);
  const rotated = figure.bones.map(({ index }) => {
    const frame = world.subarray(12 * index, 12 * index + 12);
    const rotation = quat.multiply(rigid.toQuat(frame), randomQuat(random));
    return rigid.fromQuatPosition(rotation, rigid.toPosition(frame));
  });
  const data = figureToData(figure);
  return createFigure({
    ...data,
    bones: data.bones.map((bone, b) => {
      const up = figure.parents[b];
      const local = up < 0 ? rotated[b] : rigid.relative(rotated[up], rotated[b]);
      const [x, y, z] = rigid.toPosition(local);
      const [qx, qy, qz, qw] = rigid.toQuat(local);
      return { ...bone, rest: { position: [x, y, z], rotation: [qx, qy, qz, qw] } };
    }),
  });
}

/** World frames at rest, 12 numbers a bone. */
export function restFrames(figure: Figure): Float64Array {
  const state = createState(figure);
  forwardKinematics(state, new Float64Array(figure.dof));
  return Float64Array.from(state.worldFromBone);
}

/** What marks a shape in the world: the ends of a capsule, the corners of a box, and a radius. */
export function marksOf(figure: Figure, shape: BoneShape): { points: number[][]; radius: number } {
  const bone = figure.bones.findIndex(({ name }) => name === shape.bone);
  const frame = restFrames(figure).subarray(12 * bone, 12 * bone + 12);
  const place = (point: ArrayLike<number>): number[] => rigid.transformPoint(frame, point);
  if (shape.type === 'sphere') return { points: [place(shape.center ?? [0, 0, 0])], radius: shape.radius };
  if (shape.type === 'capsule') return { points: [place(shape.from), place(shape.to)], radius: shape.radius };
  const { position = [0, 0, 0], rotation = [0, 0, 0, 1] } = shape.placement ?? {};
  const points = Array.from({ length: 8 }, (_, corner) => {
    const half = shape.halfSizes.map((size, k) => ((corner >> k) & 1 ? size : -size));
    const rotated = quat.rotate(rotation, half);
    return place(rotated.map((x, k) => x + position[k]));
  });
  return { points, radius: 0 };
}
