import { MotionError } from '../../errors.js';
import type { Curve } from '../representation/curve.js';

/** @throws MotionError `unsupported` for anything but a {@link Curve}, such as a rotation curve or a retimed one. */
export function requireCurve(curve: Curve, path = 'curve'): void {
  if (typeof curve === 'object' && curve !== null && 'controls' in curve) return;
  const { kind, size } = (curve ?? {}) as { readonly kind?: unknown; readonly size?: unknown };
  if (kind === 'retimed' && size !== undefined) {
    throw new MotionError('unsupported', 'is a retimed curve, which has no Bezier points.', {
      path,
      remedy: 'Use bakeTiming(curve, timing) where possible, else fitCurve to samples of evaluateRetimed.',
    });
  }
  const rotates = kind !== undefined;
  throw new MotionError('unsupported', rotates ? 'is a rotation curve.' : 'is not a curve.', {
    path,
    remedy: rotates
      ? 'Use the function for rotations: simplifyRotation, retimeRotation.'
      : 'Give a curve of createCurve, hermiteCurve or similar.',
  });
}
