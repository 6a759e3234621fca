/** Rigid metric frames of nodes at rest, by recursion over the hierarchy; formulas in scale.ts. */
import { affine, type Mat3, mat3, type Quat, quat } from 'poise/math';
import type { GltfNode } from './nodes.js';
import { conjugateByOrthogonal, type ScaleSplit, splitScale, uniformTolerance } from './scale.js';

/** The frame of a node: W = (rotation, position) output. */
export interface Frame {
  /** World from bone, unit quaternion. */
  readonly rotation: readonly number[];
  /** Origin in the world, m. */
  readonly position: readonly number[];
  /** In the rigid frame of the parent node. */
  readonly parentRotation: readonly number[];
  readonly parentPosition: readonly number[];
  /** The output matrix A, row by row. */
  readonly output: Mat3;
  /** Decomposition of A. */
  readonly split: ScaleSplit;
  /** Whether the world matrix is (rotation, position) A in every pose: the scale of all ancestors is uniform. */
  readonly exact: boolean;
}

const identity = [0, 0, 0, 1];

/** The world frame. */
export const rootFrame: Frame = {
  rotation: identity,
  position: [0, 0, 0],
  parentRotation: identity,
  parentPosition: [0, 0, 0],
  output: mat3.identity(),
  split: splitScale(mat3.identity()),
  exact: true,
};

/** Rotation R and stretch K of a node: its linear part is R K. */
export interface NodeParts {
  /** Unit quaternion. */
  readonly rotation: Quat;
  readonly stretch: Mat3;
}

/**
 * Decomposes a node's linear part: the normalized rotation and diag(scale) of TRS, the polar decomposition of a matrix
 * (which keeps shear).
 * @throws DomainError `singular`.
 */
export function nodeParts(node: GltfNode): NodeParts {
  if (!node.matrix) {
    const [x, y, z] = node.scale;
    return { rotation: quat.normalize(node.rotation), stretch: [x, 0, 0, 0, y, 0, 0, 0, z] };
  }
  const linear = affine.fromColumnMajor4(node.matrix).slice(0, 9);
  const rotation = mat3.rotationFactor(linear);
  return { rotation: quat.fromMatrix(rotation), stretch: mat3.multiply(mat3.transpose(rotation), linear) };
}

/** The frame of a node from its parent's. @throws DomainError `singular` for a node without inverse. */
export function frameBelow(parent: Frame, node: GltfNode): Frame {
  const { rotation, stretch } = nodeParts(node);
  const { orthogonal, departure } = parent.split;
  const parentPosition = mat3.multiplyVector(parent.output, node.translation);

  // Parent's A = O P; the rest rotation is O V O^T (scale.ts). Uniform: V = R, exactly. Otherwise V = rotation factor of P R |K|.
  let localRotation = rotation;
  const linear = mat3.multiply(quat.toMatrix(rotation), stretch);
  if (departure > uniformTolerance) {
    const p = mat3.multiply(mat3.transpose(orthogonal), parent.output);
    localRotation = quat.fromMatrix(
      mat3.rotationFactor(mat3.multiply(p, mat3.multiply(quat.toMatrix(rotation), absoluteStretch(stretch)))),
    );
  }
  const parentRotation = conjugateByOrthogonal(orthogonal, localRotation);
  // A_n = (O V O^T)^T A R K; for exactly A = a O this is a O K, computed without the rounding of R^T R.
  const output =
    departure === 0
      ? mat3.multiply(parent.output, stretch)
      : mat3.multiply(mat3.transpose(quat.toMatrix(parentRotation)), mat3.multiply(parent.output, linear));
  mat3.inverse(output);
  return {
    rotation: quat.normalize(quat.multiply(parent.rotation, parentRotation)),
    position: quat.rotate(parent.rotation, parentPosition).map((value, i) => value + parent.position[i]),
    parentRotation,
    parentPosition,
    output,
    split: splitScale(output),
    exact: parent.exact && departure <= uniformTolerance,
  };
}

/** |K|: a stretch without reflection. A diagonal loses its signs; a polar factor is positive or negative definite. */
function absoluteStretch(stretch: Mat3): Mat3 {
  const k = mat3.copy(stretch);
  const isDiagonal = k.every((value, i) => i % 4 === 0 || value === 0);
  if (isDiagonal) return k.map(Math.abs);
  return mat3.determinant(k) < 0 ? mat3.scale(k, -1) : k;
}
