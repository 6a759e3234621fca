/** Inertias that no body has. */

/** About the centre of mass in bone axes, kg m^2: [xx, yy, zz, xy, xz, yz]. */
export type Inertia = readonly [number, number, number, number, number, number];

/** Relative rounding of moments of inertia that is accepted: files have few digits. */
const ROUNDING = 1e-6;

/** Why an inertia is not physical, and whether it is unusable. */
export function inertiaDefect(
  inertia: Inertia,
): { readonly message: string; readonly isUnusable: boolean } | undefined {
  const size = Math.max(...inertia.map(Math.abs));
  if (size === 0) return undefined;
  const [xx, yy, zz, xy, xz, yz] = inertia.map((moment) => moment / size);
  if (Math.min(xx, yy, zz) < 0 || !isSemidefinite(xx, yy, zz, xy, xz, yz)) {
    return {
      message: 'has a negative principal moment of inertia; the inertia is ignored.',
      isUnusable: true,
    };
  }
  // The second-moment matrix tr(I)/2 1 - I must be positive semidefinite too.
  const half = (xx + yy + zz) / 2;
  return isSemidefinite(half - xx, half - yy, half - zz, -xy, -xz, -yz)
    ? undefined
    : {
        message:
          'has a principal moment of inertia larger than the sum of the other two: no body has, and dynamics refuse the link unless links fixed to it make up for it.',
        isUnusable: false,
      };
}

/** Positive semidefinite: no principal minor is negative. */
function isSemidefinite(xx: number, yy: number, zz: number, xy: number, xz: number, yz: number): boolean {
  const determinant = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
  const minors = [xx * yy - xy * xy, xx * zz - xz * xz, yy * zz - yz * yz];
  return Math.min(xx, yy, zz, ...minors, determinant) >= -ROUNDING;
}
