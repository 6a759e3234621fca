import { MotionError } from '../../errors.js';
import type { Curve } from '../representation/curve.js';

/** @throws MotionError `unsupported` for what is no {@link Curve}: nothing, a rotation curve, a curve played by a timing. */
export function requireCurve(curve: Curve, path = 'curve'): void {
  if (typeof curve === 'object' && curve !== null && 'controls' in curve) return;
  const { kind, size } = (curve ?? {}) as { readonly kind?: unknown; readonly size?: unknown };
  if (kind === 'retimed' && size !== undefined) {
    throw new MotionError('unsupported', 'is a curve played by a timing, which has no Bezier points.', {
      path,
      remedy:
        'Give bakeTiming(curve, timing) where it can be had, or fitCurve to samples of evaluateRetimed.',
    });
  }
  const rotates = kind !== undefined;
  throw new MotionError('unsupported', rotates ? 'is a rotation curve.' : 'is no curve.', {
    path,
    remedy: rotates
      ? 'Use the function for rotations: simplifyRotation, retimeRotation.'
      : 'Give what createCurve, hermiteCurve and their like return.',
  });
}
