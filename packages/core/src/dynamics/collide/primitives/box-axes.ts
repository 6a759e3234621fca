/*
 * Separating axis test of two boxes (Gottschalk, Lin, Manocha 1996): separations along the face normals of both and along the cross products of
 * their edges. The greatest is the exact penetration depth where the boxes overlap, and a lower bound of the distance where they do not.
 */

/** Sine of the angle below which two edges count as parallel. */
const PARALLEL_TOLERANCE = 1e-6;

/** The relative pose of two boxes. */
export interface BoxPair {
  /** Rotation of B in the axes of A, row i and column j: A_i . B_j; and the absolute values. */
  readonly relativeRotation: Float64Array;
  readonly absoluteRotation: Float64Array;
  /** Centre of B in the frame of A, and of A in the frame of B. */
  readonly centerInA: Float64Array;
  readonly centerInB: Float64Array;
}

export function createBoxPair(): BoxPair {
  return {
    relativeRotation: new Float64Array(9),
    absoluteRotation: new Float64Array(9),
    centerInA: new Float64Array(3),
    centerInB: new Float64Array(3),
  };
}

/** Writes the relative pose of two boxes to `pair`. */
export function updateBoxPair(shapes: Float64Array, a: number, b: number, pair: BoxPair): void {
  const { relativeRotation, absoluteRotation, centerInA, centerInB } = pair;
  const x = shapes[b] - shapes[a];
  const y = shapes[b + 1] - shapes[a + 1];
  const z = shapes[b + 2] - shapes[a + 2];
  for (let i = 0; i < 3; i++) {
    const a0 = shapes[a + 3 + i];
    const a1 = shapes[a + 6 + i];
    const a2 = shapes[a + 9 + i];
    centerInA[i] = a0 * x + a1 * y + a2 * z;
    centerInB[i] = -(shapes[b + 3 + i] * x + shapes[b + 6 + i] * y + shapes[b + 9 + i] * z);
    for (let j = 0; j < 3; j++) {
      const dot = a0 * shapes[b + 3 + j] + a1 * shapes[b + 6 + j] + a2 * shapes[b + 9 + j];
      relativeRotation[3 * i + j] = dot;
      absoluteRotation[3 * i + j] = Math.abs(dot);
    }
  }
}

/** Separation along the normal of a face: 0 to 2 of A, 3 to 5 of B. */
export function faceSeparation(
  { absoluteRotation, centerInA, centerInB }: BoxPair,
  shapes: Float64Array,
  a: number,
  b: number,
  i: number,
): number {
  if (i < 3) {
    const j = 3 * i;
    return (
      Math.abs(centerInA[i]) -
      shapes[a + 12 + i] -
      shapes[b + 12] * absoluteRotation[j] -
      shapes[b + 13] * absoluteRotation[j + 1] -
      shapes[b + 14] * absoluteRotation[j + 2]
    );
  }
  const j = i - 3;
  return (
    Math.abs(centerInB[j]) -
    shapes[b + 12 + j] -
    shapes[a + 12] * absoluteRotation[j] -
    shapes[a + 13] * absoluteRotation[j + 3] -
    shapes[a + 14] * absoluteRotation[j + 6]
  );
}

/** Separation along A_i x B_j, n = 3 i + j; minus infinity for parallel edges. */
export function edgeSeparation(
  { relativeRotation, absoluteRotation, centerInA }: BoxPair,
  shapes: Float64Array,
  a: number,
  b: number,
  n: number,
): number {
  const i = (n / 3) | 0;
  const j = n % 3;
  const i1 = (i + 1) % 3;
  const i2 = (i + 2) % 3;
  const j1 = (j + 1) % 3;
  const j2 = (j + 2) % 3;
  // With R the relative rotation, A_i x B_j = R[i1][j] A_i2 - R[i2][j] A_i1.
  const u = relativeRotation[3 * i1 + j];
  const v = relativeRotation[3 * i2 + j];
  const length = Math.sqrt(u * u + v * v);
  if (length < PARALLEL_TOLERANCE) return Number.NEGATIVE_INFINITY;
  return (
    (Math.abs(centerInA[i2] * u - centerInA[i1] * v) -
      shapes[a + 12 + i1] * absoluteRotation[3 * i2 + j] -
      shapes[a + 12 + i2] * absoluteRotation[3 * i1 + j] -
      shapes[b + 12 + j1] * absoluteRotation[3 * i + j2] -
      shapes[b + 12 + j2] * absoluteRotation[3 * i + j1]) /
    length
  );
}
