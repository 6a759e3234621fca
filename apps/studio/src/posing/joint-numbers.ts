import { clampToLimits, type Figure } from 'poise/figure';

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

/** The numbers of a bone's joint: a hinge bends, a ball-and-socket swings in two directions and twists, others turn about their axes. */
export function jointNumbers({ bones }: Figure, bone: number): JointNumber[] {
  const { joint, coordinate, dof } = bones[bone];
  const words: Readonly<Record<string, readonly string[]>> = {
    hinge: ['Bend'],
    swing: ['Swing 1', 'Swing 2'],
    'ball-and-socket': ['Swing 1', 'Swing 2', 'Twist'],
    slider: ['Slide'],
  };
  const labels = words[joint.type] ?? ['Axis 1', 'Axis 2', 'Axis 3'];
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
