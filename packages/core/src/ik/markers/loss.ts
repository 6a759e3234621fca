import type { Loss } from './types.js';

/** rho(s) of a squared distance s, m^2: s itself, Huber's, or Geman and McClure's. */
export function costOf(loss: Loss, s: number): number {
  if (loss.type === 'squared') return s;
  const hh = loss.scale * loss.scale;
  if (loss.type === 'huber') return s <= hh ? s : 2 * loss.scale * Math.sqrt(s) - hh;
  return s / (1 + s / hh);
}

/** rho'(s), the weight of a marker: 1 near its measured position, decreasing with distance. */
export function derivativeOf(loss: Loss, s: number): number {
  if (loss.type === 'squared') return 1;
  const hh = loss.scale * loss.scale;
  if (loss.type === 'huber') return s <= hh ? 1 : loss.scale / Math.sqrt(s);
  const u = 1 + s / hh;
  return 1 / (u * u);
}

/** rho''(s), 1/m^2. */
export function curvatureOf(loss: Loss, s: number): number {
  if (loss.type === 'squared') return 0;
  const hh = loss.scale * loss.scale;
  if (loss.type === 'huber') return s <= hh ? 0 : (-0.5 * loss.scale) / (s * Math.sqrt(s));
  const u = 1 + s / hh;
  return -2 / (hh * u * u * u);
}
