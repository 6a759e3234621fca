import type { LimitKind } from '../../../src/figure/index.js';
import { direction, within } from '../support.js';

/** A limit shape at work: kind, its numbers, and how many coordinates it takes. */
export interface Sample {
  readonly kind: LimitKind;
  readonly parameters: readonly number[];
  readonly size: number;
}

/** Random shapes of every kind, radii from 0.05 to 3.1 rad. */
export function randomSamples(random: () => number): Sample[] {
  const radius = () => 0.05 + 3.05 * random();
  const low = within(random, 3);
  return [
    { kind: 'interval', parameters: [low, low + 3 * random()], size: 1 },
    { kind: 'interval', parameters: [Number.NEGATIVE_INFINITY, within(random, 3)], size: 1 },
    { kind: 'interval', parameters: [within(random, 3), Number.POSITIVE_INFINITY], size: 1 },
    { kind: 'disk', parameters: [radius()], size: 2 },
    { kind: 'disk', parameters: [radius()], size: 3 },
    { kind: 'ellipse', parameters: [radius(), radius()], size: 2 },
    { kind: 'quad-ellipse', parameters: [-radius(), radius(), -radius(), radius()], size: 2 },
  ];
}

/** Shapes with radii 1e-6 : 1 and 1 : 1e9 apart. */
export const EXTREME_SAMPLES: readonly Sample[] = [
  { kind: 'interval', parameters: [0, 0], size: 1 },
  { kind: 'interval', parameters: [-1e-300, 1e-300], size: 1 },
  { kind: 'disk', parameters: [1e-9], size: 2 },
  { kind: 'disk', parameters: [3.14159], size: 3 },
  { kind: 'ellipse', parameters: [1, 1e-6], size: 2 },
  { kind: 'ellipse', parameters: [1e-6, 1], size: 2 },
  { kind: 'ellipse', parameters: [1e-9, 3.14159], size: 2 },
  { kind: 'ellipse', parameters: [2, 2], size: 2 },
  { kind: 'quad-ellipse', parameters: [-1e-6, 1, -1, 1e-6], size: 2 },
  { kind: 'quad-ellipse', parameters: [-3, 1e-9, -1e-9, 3], size: 2 },
];

/** A random point: mostly around the set, sometimes tiny, huge, or on an axis. */
export function randomPoint(random: () => number, size: number): number[] {
  const scale = random() < 0.7 ? 4 * random() : 10 ** within(random, 300);
  const point = direction(random, size).map((x) => x * scale);
  if (random() < 0.2) point[Math.floor(random() * size)] = random() < 0.5 ? 0 : -0;
  return point;
}
