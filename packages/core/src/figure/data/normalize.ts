import { requireFields, requireNotNegative, requireNumbers, shown } from '../../checks.js';
import { FigureError, nearestName } from '../../errors.js';
import type { Numbers } from '../../math/linear/types.js';
import type { RigidData, Triple } from './types.js';

/** Maximum error of a quaternion's length; files store them in single precision or with a few digits. */
const UNIT_TOLERANCE = 1e-3;

/**
 * Error of the squared length within which a unit vector or quaternion is not normalized again, so that a figure read back from
 * its own JSON is the same to the bit.
 */
export const UNIT_ROUNDING: number = 8 * Number.EPSILON;

/** The error for an unknown bone name; suggests the nearest of `names`, otherwise gives `remedy`. */
export function unknownBone(
  name: unknown,
  names: Iterable<string>,
  path: string,
  remedy: string,
  what = `${shown(name)} is not the name of a bone.`,
): FigureError {
  const near = typeof name === 'string' ? nearestName(name, names) : undefined;
  return new FigureError('unknown-name', what, {
    path,
    remedy: near === undefined ? remedy : `Did you mean '${near}'?`,
  });
}

/** @throws FigureError `wrong-size`, `not-finite` unless `numbers` is `length` finite numbers. */
export function requireFinite(numbers: Numbers | null | undefined, length: number, path: string): Numbers {
  requireNumbers(numbers, length, path, FigureError);
  return numbers as Numbers;
}

/** Three finite numbers, copied; -0 becomes 0, since JSON has no -0 and a figure survives JSON to the bit. */
export function requireTriple(numbers: Numbers | null | undefined, path: string): Triple {
  const [x, y, z] = Array.from(requireFinite(numbers, 3, path));
  return [x + 0, y + 0, z + 0];
}

/** The rest transform with defaults and a normalized quaternion. */
export function normalizeRest(
  rest: { readonly position?: Numbers | null; readonly rotation?: Numbers | null } | null | undefined,
  path: string,
): RigidData {
  if (rest !== undefined && typeof rest !== 'object') {
    throw new FigureError('unsupported', `is ${shown(rest)}.`, {
      path,
      remedy: 'Give { position, rotation }, or leave it out.',
    });
  }
  requireFields(rest ?? {}, { position: true, rotation: true }, path, FigureError);
  const position = requireTriple(rest?.position ?? [0, 0, 0], `${path}.position`);
  const [x, y, z, w] = Array.from(requireFinite(rest?.rotation ?? [0, 0, 0, 1], 4, `${path}.rotation`));
  const squared = x * x + y * y + z * z + w * w;
  const length = Math.abs(squared - 1) <= UNIT_ROUNDING ? 1 : Math.sqrt(squared);
  if (!(Math.abs(length - 1) <= UNIT_TOLERANCE)) {
    throw new FigureError('not-unit', `has length ${length}.`, {
      path: `${path}.rotation`,
      remedy: 'Give a unit quaternion [x, y, z, w].',
    });
  }
  return { position, rotation: [x / length + 0, y / length + 0, z / length + 0, w / length + 0] };
}

/** @throws FigureError `out-of-range` unless the mass (kg) is finite and not negative. */
export function requireMass(mass: number, path: string): number {
  requireNotNegative(mass, path, FigureError, 'kg');
  return mass + 0;
}

/** Inertia about the centre of mass [xx, yy, zz, xy, xz, yz], diagonal entries not negative. */
export function normalizeInertia(
  inertia: Numbers,
  path: string,
): readonly [number, number, number, number, number, number] {
  const [xx, yy, zz, xy, xz, yz] = Array.from(requireFinite(inertia, 6, path));
  [xx, yy, zz].forEach((moment, k) => {
    if (moment >= 0) return;
    throw new FigureError('out-of-range', `is ${moment}.`, {
      path: `${path}[${k}]`,
      remedy: 'A moment of inertia is not negative.',
    });
  });
  return [xx + 0, yy + 0, zz + 0, xy + 0, xz + 0, yz + 0];
}
