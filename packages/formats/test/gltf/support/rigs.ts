/** Rigs with every kind of scale, made in code. */
import { quat } from 'poise/math';
import type { TestFile, TestNode } from './build.js';

export const rotationAbout = (axis: number[], degrees: number): number[] =>
  quat.fromAxisAngle(quat.normalize([...axis, 0]).slice(0, 3), (degrees * Math.PI) / 180);

/** Column-major inverse of a translation: an inverse bind matrix that is easy to recognise. */
export const moved = (x: number, y: number, z: number): number[] => [
  1,
  0,
  0,
  0,
  0,
  1,
  0,
  0,
  0,
  0,
  1,
  0,
  -x,
  -y,
  -z,
  1,
];

/** A chain: each node is the only child of the one before it. */
export function chain(nodes: TestNode[]): TestNode[] {
  return nodes.map((node, i) => (i < nodes.length - 1 ? { ...node, children: [i + 1] } : node));
}

/** What Blender and Mixamo write: centimetres, z up, an armature that makes metres and y up of it. */
export const centimetreArmature: TestFile = {
  nodes: [
    { name: 'Armature', rotation: rotationAbout([1, 0, 0], -90), scale: [0.01, 0.01, 0.01], children: [1] },
    { name: 'Hips', translation: [0, 0, 100], rotation: rotationAbout([0, 0, 1], 90), children: [2, 5] },
    { name: 'Spine', translation: [10, 20, 0], rotation: rotationAbout([1, 2, 3], 35), children: [3] },
    { name: 'Neck', translation: [0, 45, 0], rotation: rotationAbout([0, 1, 0], -20), children: [4] },
    { name: 'Head', translation: [0, 15, 3] },
    { name: 'Leg', translation: [-12, 0, 4], rotation: rotationAbout([1, 0, 0], 170), children: [6] },
    { name: 'Foot', translation: [0, 48, 0], rotation: rotationAbout([1, 0, 1], 60) },
  ],
  skins: [
    {
      name: 'Body',
      joints: [1, 2, 3, 4, 5, 6],
      inverseBinds: [1, 2, 3, 4, 5, 6].map((i) => moved(i, 2 * i, -i)),
    },
  ],
};

export const nestedUniform: TestFile = {
  nodes: chain([
    { name: 'a', scale: [2, 2, 2], translation: [1, 2, 3], rotation: rotationAbout([1, 1, 0], 50) },
    { name: 'b', scale: [0.5, 0.5, 0.5], translation: [0, 1, 0], rotation: rotationAbout([0, 1, 1], 80) },
    { name: 'c', scale: [3, 3, 3], translation: [0.2, 1, 0], rotation: rotationAbout([1, 0, 3], -70) },
    { name: 'd', scale: [0.1, 0.1, 0.1], translation: [0, 1, 0.4], rotation: rotationAbout([5, 0, 1], 120) },
    { name: 'e', translation: [7, -3, 2] },
  ]),
  skins: [{ joints: [0, 1, 2, 3, 4], inverseBinds: [0, 1, 2, 3, 4].map((i) => moved(i, i, i)) }],
};

export const mirrored: TestFile = {
  nodes: chain([
    { name: 'a', scale: [-1, 1, 1], translation: [1, 2, 3], rotation: rotationAbout([1, 1, 0], 50) },
    { name: 'b', translation: [0, 1, 0.5], rotation: rotationAbout([0, 1, 1], 80) },
    { name: 'c', scale: [-2, -2, -2], translation: [0.2, 1, 0], rotation: rotationAbout([1, 0, 3], -70) },
    { name: 'd', scale: [1, -1, -1], translation: [0, 1, 0.4], rotation: rotationAbout([5, 0, 1], 120) },
    {
      name: 'e',
      scale: [0.5, 0.5, -0.5],
      translation: [0.7, -0.3, 2],
      rotation: rotationAbout([1, 1, 1], 40),
    },
    { name: 'f', translation: [0.1, 0.3, 0] },
  ]),
  skins: [{ joints: [0, 1, 2, 3, 4, 5], inverseBinds: [0, 1, 2, 3, 4, 5].map((i) => moved(i, -i, i)) }],
};

/** Roots that are joints themselves, two skins that share a joint, a joint in no scene tree of the other. */
export const severalRootsAndSkins: TestFile = {
  nodes: [
    { name: 'left', translation: [-1, 0, 0], rotation: rotationAbout([0, 0, 1], 30), children: [1] },
    { name: 'left tip', translation: [0, 1, 0], scale: [2, 2, 2] },
    { name: 'right', translation: [1, 0, 0], scale: [0.3, 0.3, 0.3], children: [3] },
    { name: 'right tip', translation: [0, 1, 0], rotation: rotationAbout([1, 0, 0], 10) },
    { name: 'prop', translation: [0, 0, 5] },
  ],
  skins: [
    { name: 'one', joints: [0, 1, 3], inverseBinds: [moved(1, 0, 0), moved(0, 2, 0), moved(0, 0, 3)] },
    { name: 'two', joints: [3, 2], inverseBinds: [moved(4, 0, 0), moved(0, 5, 0)] },
  ],
};

export const noSkin: TestFile = {
  nodes: [
    { name: 'body', translation: [0, 1, 0], children: [1, 2] },
    { name: 'arm', translation: [1, 0, 0], rotation: rotationAbout([0, 0, 1], 45), scale: [2, 2, 2] },
    { translation: [-1, 0, 0] },
    { name: 'apart', translation: [0, 0, 9] },
  ],
};

/** Matrices column by column: rotation, uniform scale and mirror in one, as COLLADA exporters write them. */
export const matrixNodes: TestFile = {
  nodes: chain([
    { name: 'up', matrix: [1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1] },
    { name: 'half', matrix: [0, 0.5, 0, 0, -0.5, 0, 0, 0, 0, 0, 0.5, 0, 1, 2, 3, 1] },
    { name: 'bone', translation: [0, 1, 0], rotation: rotationAbout([1, 2, 0], 70) },
    { name: 'mirror', matrix: [0, -2, 0, 0, -2, 0, 0, 0, 0, 0, 2, 0, 0, 1, 0.5, 1] },
    { name: 'end', translation: [0, 1, 0.2], rotation: rotationAbout([0, 1, 0], 33) },
  ]),
  skins: [{ joints: [1, 2, 3, 4], inverseBinds: [1, 2, 3, 4].map((i) => moved(i, 0, -i)) }],
};

export const longChain: TestFile = {
  nodes: chain(
    Array.from({ length: 100 }, (_, i) => ({
      name: `link ${i}`,
      translation: [0.1 * Math.sin(i), 0.3, 0.1 * Math.cos(3 * i)],
      rotation: rotationAbout([Math.sin(5 * i), Math.cos(i), 0.4], 40 * Math.sin(7 * i)),
      // Up and down again, so the product stays near 1.
      ...(i % 10 === 3 && { scale: [1.25, 1.25, 1.25] }),
      ...(i % 10 === 8 && { scale: [0.8, 0.8, 0.8] }),
    })),
  ),
  skins: [
    {
      joints: Array.from({ length: 100 }, (_, i) => i),
      inverseBinds: Array.from({ length: 100 }, (_, i) => moved(0, 0.3 * i, 0)),
    },
  ],
};

export const nonUniformArmature: TestFile = {
  ...centimetreArmature,
  nodes: centimetreArmature.nodes.map((node, i) =>
    i === 0 ? { ...node, scale: [0.01, 0.02, 0.015] } : node,
  ),
};

export const nonUniformSpine: TestFile = {
  ...centimetreArmature,
  nodes: centimetreArmature.nodes.map((node, i) => (i === 2 ? { ...node, scale: [1, 1.5, -0.8] } : node)),
};

/** Scales that an exporter rounded: of a bone and of the next. */
export const roundedScales: TestFile = {
  ...centimetreArmature,
  nodes: centimetreArmature.nodes.map((node, i) =>
    i === 2 || i === 3 ? { ...node, scale: [1, 1 + 2e-6, 1 - 1e-6] } : node,
  ),
};

export const nonUniformLeaf: TestFile = {
  ...centimetreArmature,
  nodes: centimetreArmature.nodes.map((node, i) =>
    i === 4 || i === 6 ? { ...node, scale: [1, 2, -3] } : node,
  ),
};
