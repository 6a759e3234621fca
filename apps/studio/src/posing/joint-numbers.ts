import { clampToLimits, type Figure, type LimitComponent, type LimitData } from 'poise/figure';
import { directionWords } from '../session/words.js';
import { OPENING, withEnd, withOpening } from './rim.js';

/** A number of a joint, as a field shows it. */
export interface JointNumber {
  readonly coordinate: number;
  readonly label: string;
  /** Shown per unit of the coordinate: degrees a radian, centimetres a metre. */
  readonly scale: number;
  readonly unit: '°' | 'cm';
}

const DEGREES = { scale: 180 / Math.PI, unit: '°' } as const;
const CENTIMETRES = { scale: 100, unit: 'cm' } as const;

/**
 * The numbers of a bone's joint: a hinge bends, a ball-and-socket swings in two directions and twists, others turn about their axes.
 *
 * @param human - VRM name of the bone, where it is a human's: its joint may have words of its own.
 */
export function jointNumbers({ bones }: Figure, bone: number, human?: string): JointNumber[] {
  const { joint, coordinate, dof } = bones[bone];
  const words: Readonly<Record<string, readonly string[]>> = {
    hinge: ['Bend'],
    swing: ['Swing 1', 'Swing 2'],
    'ball-and-socket': ['Swing 1', 'Swing 2', 'Twist'],
    slider: ['Slide'],
  };
  const own = directionWords(joint, human);
  const labels = own?.map(({ label }) => label) ?? words[joint.type] ?? ['Axis 1', 'Axis 2', 'Axis 3'];
  // Where a free joint is belongs to the handles.
  const first = joint.type === 'free' ? 3 : 0;
  return Array.from({ length: dof - first }, (_, n) => ({
    coordinate: coordinate + first + n,
    label: labels[n],
    ...(joint.type === 'slider' ? CENTIMETRES : DEGREES),
  }));
}

/** The pose with a number of a joint as near to the one asked for as its limits allow. */
export function withNumber(
  figure: Figure,
  pose: ArrayLike<number>,
  { coordinate, scale }: JointNumber,
  shown: number,
): Float64Array {
  const out = Float64Array.from(pose);
  out[coordinate] = shown / scale;
  clampToLimits(figure, out);
  return out;
}

/** Least and most of a coordinate within its limits, the others at rest; undefined without both. */
export function rangeOf(
  { limitComponents }: Figure,
  coordinate: number,
): readonly [number, number] | undefined {
  const component = limitComponents.find(
    ({ coordinate: first, size }) => coordinate >= first && coordinate < first + size,
  );
  if (component === undefined) return undefined;
  const { kind, parameters } = component;
  const n = coordinate - component.coordinate;
  const range = {
    interval: [parameters[0], parameters[1]],
    disk: [-parameters[0], parameters[0]],
    ellipse: [-parameters[n], parameters[n]],
    'quad-ellipse': [parameters[2 * n], parameters[2 * n + 1]],
  }[kind] as [number, number];
  return range.every(Number.isFinite) ? range : undefined;
}

/** An end of a limit as a field shows and sets it. */
export interface JointEnd {
  readonly label: string;
  readonly unit: '°' | 'cm';
  /** As shown. */
  readonly value: number;
  /** The joint's limit with this end, as near to what is asked for as there are limits. */
  set(shown: number): LimitData | undefined;
}

/** The ends of a component of a joint's limit: two of an angle, up to four of a swing. */
export function jointEnds(figure: Figure, component: LimitComponent, human?: string): JointEnd[] {
  const { limit, coordinate: first, joint } = figure.bones[component.bone];
  if (limit === undefined) return [];
  const numbers = jointNumbers(figure, component.bone, human);
  const own = directionWords(joint, human);
  const { parameters, kind, size } = component;
  const n = component.coordinate - first;
  const words = (k: number, end: 'min' | 'max') =>
    own?.[k]?.[end] ?? `${numbers[k]?.label ?? 'Turn'}, ${end === 'min' ? 'least' : 'most'}`;
  if (size === 1) {
    const { scale, unit } = joint.type === 'slider' ? CENTIMETRES : DEGREES;
    return (['min', 'max'] as const).flatMap((end, k) => {
      if (!Number.isFinite(parameters[k])) return [];
      const label = words(n, end);
      const within = (x: number) =>
        end === 'min' ? Math.min(x, parameters[1] - LEAST) : Math.max(x, parameters[0] + LEAST);
      const set = (shown: number) => withEnd(limit, n, end, within(shown / scale));
      return [{ label, unit, value: scale * parameters[k], set }];
    });
  }
  const open = (label: string, angle: number, radius: number, sign: 1 | -1 = 1): JointEnd => ({
    label,
    unit: '°',
    value: DEGREES.scale * sign * radius,
    set: (shown) => withOpening(limit, angle, (sign * shown) / DEGREES.scale),
  });
  const quarter = Math.PI / 2;
  switch (kind) {
    case 'ellipse':
      return [open(numbers[n].label, 0, parameters[0]), open(numbers[n + 1].label, quarter, parameters[1])];
    case 'quad-ellipse':
      return [
        open(words(n, 'min'), 2 * quarter, -parameters[0], -1),
        open(words(n, 'max'), 0, parameters[1]),
        open(words(n + 1, 'min'), 3 * quarter, -parameters[2], -1),
        open(words(n + 1, 'max'), quarter, parameters[3]),
      ];
    default:
      return [open(size === 3 ? 'Turn' : 'Swing', 0, parameters[0])];
  }
}

/** Least room between two ends: a narrower joint is locked. */
const LEAST = OPENING.min;
