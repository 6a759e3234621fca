/** Euler angles of files: continued from frame to frame, and those that were read where they are still right. */
import { type EulerOrder, eulerFromMatrix, matrixFromEuler } from 'poise/rotation/alternatives';

/** Entries of rotation matrices, and lengths relative to 1 unit, that differ by less differ by rounding. */
export const ROUNDING = 1e-10;
/** Whether two numbers differ by rounding. */
export function isNear(a: number, b: number): boolean {
  return Math.abs(a - b) <= ROUNDING * Math.max(1, Math.abs(b));
}

/** Whether angles (rad; missing ones are 0) give a rotation up to rounding; in gimbal lock many do. */
export function isSameRotation(angles: readonly number[], order: EulerOrder, r: Float64Array): boolean {
  const [a = 0, b = 0, c = 0] = angles;
  const m = matrixFromEuler([a, b, c], order);
  return m.every((x, k) => Math.abs(x - r[k]) <= ROUNDING);
}

/** Replaces angles by those of a rotation that are nearest to them (to 0 in the first frame): both solutions, and multiples of 2 pi of each. */
export function nearestAngles(r: Float64Array, order: EulerOrder, angles: number[], isFirst: boolean): void {
  const [a, b, c] = eulerFromMatrix(r, order);
  const before = isFirst ? [0, 0, 0] : angles.slice();
  let best = Infinity;
  for (const solution of [
    [a, b, c],
    [a + Math.PI, Math.PI - b, c + Math.PI],
  ]) {
    const rotated = solution.map((x, k) => x - 2 * Math.PI * Math.round((x - before[k]) / (2 * Math.PI)));
    const distance = rotated.reduce((sum, x, k) => sum + Math.abs(x - before[k]), 0);
    if (distance >= best) continue;
    best = distance;
    for (let k = 0; k < 3; k++) angles[k] = rotated[k];
  }
}
