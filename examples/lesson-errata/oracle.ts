/** What the errata are judged by: differences and plain formulas that import nothing of the library. */

type Numbers = ArrayLike<number>;

/** Step of the differences, for functions that vary over a radian. */
const STEP = 1e-3;

/** Matrix of a rotation vector: cos I + sin [n] + (1 - cos) n n^T. Nine numbers row by row. */
export function matrixOf(v: Numbers): number[] {
  const angle = Math.hypot(v[0], v[1], v[2]);
  if (angle === 0) return [1, 0, 0, 0, 1, 0, 0, 0, 1];
  const [x, y, z] = [v[0] / angle, v[1] / angle, v[2] / angle];
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  const k = 1 - c;
  return [
    c + k * x * x,
    k * x * y - s * z,
    k * x * z + s * y,
    k * x * y + s * z,
    c + k * y * y,
    k * y * z - s * x,
    k * x * z - s * y,
    k * y * z + s * x,
    c + k * z * z,
  ];
}

/** Inner product. */
export function dot(a: Numbers, b: Numbers): number {
  return Array.from(a).reduce((sum, x, n) => sum + x * b[n], 0);
}

/** Unit quaternion of a rotation vector, [x, y, z, w]. */
export function quaternionOf(v: Numbers): number[] {
  const angle = Math.hypot(v[0], v[1], v[2]);
  const scale = angle === 0 ? 0.5 : Math.sin(angle / 2) / angle;
  return [scale * v[0], scale * v[1], scale * v[2], Math.cos(angle / 2)];
}

/** b a: first a, then b. */
export function product(b: Numbers, a: Numbers): number[] {
  const out: number[] = [];
  for (let i = 0; i < 3; i++) {
    for (let j = 0; j < 3; j++) out.push(b[3 * i] * a[j] + b[3 * i + 1] * a[3 + j] + b[3 * i + 2] * a[6 + j]);
  }
  return out;
}

/** Angle of the rotation from one matrix to another, rad. */
export function angleBetween(a: Numbers, b: Numbers): number {
  // |a - b|^2 = 8 sin^2(angle/2)
  let square = 0;
  for (let n = 0; n < 9; n++) square += (a[n] - b[n]) ** 2;
  return 2 * Math.asin(Math.min(1, Math.sqrt(square / 8)));
}

/** Derivative by t at 0: central differences at h and 2h, Richardson-extrapolated, so that the error is O(h^4). */
export function derivative(f: (t: number) => Numbers): number[] {
  const [p1, m1, p2, m2] = [f(STEP), f(-STEP), f(2 * STEP), f(-2 * STEP)];
  return Array.from(p1, (p, n) => (8 * (p - m1[n]) - (p2[n] - m2[n])) / (12 * STEP));
}

/** Angular velocity of a matrix that moves with t, at t = 0: the vector of R' R^T in world axes, of R^T R' in body axes. */
export function angularVelocity(rotation: (t: number) => Numbers, axes: 'world' | 'body'): number[] {
  const [rate, m] = [derivative(rotation), rotation(0)];
  const entry = (i: number, j: number): number => {
    let sum = 0;
    for (let k = 0; k < 3; k++)
      sum += axes === 'world' ? rate[3 * i + k] * m[3 * j + k] : m[3 * k + i] * rate[3 * k + j];
    return sum;
  };
  return [
    0.5 * (entry(2, 1) - entry(1, 2)),
    0.5 * (entry(0, 2) - entry(2, 0)),
    0.5 * (entry(1, 0) - entry(0, 1)),
  ];
}

export function determinant(columns: readonly Numbers[]): number {
  const [a, b, c] = columns;
  return (
    a[0] * (b[1] * c[2] - b[2] * c[1]) -
    a[1] * (b[0] * c[2] - b[2] * c[0]) +
    a[2] * (b[0] * c[1] - b[1] * c[0])
  );
}

/** The rate of v that an angular velocity in world axes gives: solves w = J v' with the columns of J by differences. */
export function rateByDifferences(v: Numbers, w: Numbers): number[] {
  const columns = [0, 1, 2].map((k) =>
    angularVelocity((t) => matrixOf(Array.from(v, (x, n) => (n === k ? x + t : x))), 'world'),
  );
  const whole = determinant(columns);
  return [0, 1, 2].map((k) => determinant(columns.map((column, n) => (n === k ? w : column))) / whole);
}

/** Quaternion of a rotation vector without sine or cosine: 2^-20 of it by its series, doubled 20 times. */
export function quaternionByDoubling(v: Numbers): number[] {
  const halvings = 20;
  const [x, y, z] = [0, 1, 2].map((k) => v[k] / 2 ** (halvings + 1));
  const square = x * x + y * y + z * z;
  // Vector part, and 1 - w, which keeps its digits.
  let vector = [x, y, z].map((c) => c * (1 - square / 6));
  let missing = square / 2 - (square * square) / 24;
  for (let n = 0; n < halvings; n++) {
    const w = 1 - missing;
    vector = vector.map((c) => 2 * w * c);
    missing = 2 * missing * (2 - missing);
  }
  return [...vector, 1 - missing];
}
