import { FigureError } from '../errors.js';
import type { Numbers } from '../math/types.js';
import type { Quadruple, RigidData, Triple } from './types.js';

/** Files carry quaternions in single precision or with a few digits; further from unit length is a mistake. */
const UNIT_TOLERANCE = 1e-3;

/** @throws FigureError when `numbers` is not `length` finite numbers. */
export function requireFinite(numbers: Numbers, length: number, path: string): void {
  if (numbers?.length !== length) {
    throw new FigureError('wrong-size', `has ${numbers?.length ?? 'no'} numbers where ${length} belong.`, {
      path,
      remedy: `Give ${length} numbers.`,
    });
  }
  for (let k = 0; k < length; k++) {
    if (!Number.isFinite(numbers[k])) {
      throw new FigureError('not-finite', `is ${numbers[k]}.`, {
        path: `${path}[${k}]`,
        remedy: 'Give a finite number.',
      });
    }
  }
}

export function requireTriple(numbers: Numbers, path: string): Triple {
  requireFinite(numbers, 3, path);
  return [numbers[0], numbers[1], numbers[2]];
}

/** The rest transform with defaults filled in and its quaternion made exactly unit. */
export function normalizeRest(
  rest: { readonly position?: Triple; readonly rotation?: Quadruple } | undefined,
  path: string,
): RigidData {
  const position = requireTriple(rest?.position ?? [0, 0, 0], `${path}.position`);
  const rotation = rest?.rotation ?? [0, 0, 0, 1];
  requireFinite(rotation, 4, `${path}.rotation`);
  const length = Math.hypot(...rotation);
  if (Math.abs(length - 1) > UNIT_TOLERANCE) {
    throw new FigureError('not-unit', `has length ${length}.`, {
      path: `${path}.rotation`,
      remedy: 'Give a unit quaternion [x, y, z, w].',
    });
  }
  const [x, y, z, w] = rotation;
  return { position, rotation: [x / length, y / length, z / length, w / length] };
}

/** Inertia about the centre of mass [xx, yy, zz, xy, xz, yz]: diagonal entries not negative. */
export function normalizeInertia(
  inertia: Numbers,
  path: string,
): readonly [number, number, number, number, number, number] {
  requireFinite(inertia, 6, path);
  for (let k = 0; k < 3; k++) {
    if (inertia[k] < 0) {
      throw new FigureError('out-of-range', `is ${inertia[k]}.`, {
        path: `${path}[${k}]`,
        remedy: 'A moment of inertia is not negative.',
      });
    }
  }
  return [inertia[0], inertia[1], inertia[2], inertia[3], inertia[4], inertia[5]];
}
