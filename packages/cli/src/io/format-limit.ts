/** Joints and limits in a few words, angles in degrees. */
import type { Bone, Figure, LimitComponent, Triple } from 'poise/figure';
import type { Numbers } from 'poise/math';
import { decimals, triple } from './parse-number.js';

/** `hinge about x`, `euler XZY`, `ball`; of a joint that follows another: `slider along -y, follows leftFinger`. */
export function jointText({ joint, mimic }: Bone): string {
  return `${jointTypeText(joint)}${mimic ? `, follows ${mimic.bone}${polynomialText(mimic.polynomial)}` : ''}`;
}

/** ` (0.1 - 2 y)`; empty for y itself. rad and m. */
function polynomialText(c: readonly number[]): string {
  const terms = c.flatMap((value, n) => {
    const size = decimals(Math.abs(value));
    if (size === '0') return [];
    const power = n === 0 ? '' : n === 1 ? 'y' : `y^${n}`;
    const factor = size === '1' && n > 0 ? '' : n > 0 ? `${size} ` : size;
    return [{ sign: value < 0 ? '-' : '+', text: `${factor}${power}` }];
  });
  const text = terms
    .map(({ sign, text: term }, k) => (k > 0 ? ` ${sign} ${term}` : `${sign === '-' ? '-' : ''}${term}`))
    .join('');
  return text === 'y' ? '' : ` (${text || '0'})`;
}

function jointTypeText(joint: Bone['joint']): string {
  switch (joint.type) {
    case 'hinge':
    case 'swing':
    case 'ball-and-socket':
      return `${joint.type} about ${axisText(joint.axis)}`;
    case 'slider':
      return `slider along ${axisText(joint.axis)}`;
    case 'euler':
      return `euler ${joint.order}`;
    default:
      return joint.type;
  }
}

/** `swing -14..45 x ±15°, twist ±8°`; empty for a joint without a limit. Reads the parts that the solver reads. */
export function limitText(figure: Figure, bone: Bone): string {
  return figure.limitComponents
    .filter((part) => part.bone === bone.index)
    .map((part) => partText(figure, part))
    .join(', ');
}

/** One part: `twist ±8°`, `Z -80..70°` (of Euler angles), `0..150°`, `0.1..0.3 m`. */
export function partText(figure: Figure, part: LimitComponent): string {
  const { kind, parameters: p } = part;
  const unit = isMetric(part) ? ' m' : '°';
  const shown = (value: number) => (isMetric(part) ? value : degrees(value));
  const range = (low: number, high: number) => rangeText(shown(low), shown(high), isMetric(part) ? 3 : 1);
  const what = partName(figure.bones[part.bone], part);
  switch (kind) {
    case 'interval':
      return `${what}${range(p[0], p[1])}${unit}`;
    case 'disk':
      return `${what}up to ${decimals(shown(p[0]), 1)}${unit}`;
    case 'ellipse':
      return `${what}${range(-p[0], p[0])} x ${range(-p[1], p[1])}${unit}`;
    default:
      return `${what}${range(p[0], p[1])} x ${range(p[2], p[3])}${unit}`;
  }
}

/** The limited coordinates in a pose: `150°`, `(20, -15)°`, `0.3 m`. */
export function partValueText(part: LimitComponent, pose: Numbers): string {
  const values = Array.from({ length: part.size }, (_, k) => {
    const value = pose[part.coordinate + k];
    return isMetric(part) ? decimals(value) : decimals(degrees(value), 1);
  });
  return `${values.length === 1 ? values[0] : `(${values.join(', ')})`}${isMetric(part) ? ' m' : '°'}`;
}

/** Which freedom is meant where the joint has several, with a space behind. */
function partName({ joint, coordinate }: Bone, part: LimitComponent): string {
  const k = part.coordinate - coordinate;
  if (joint.type === 'euler') return `${joint.order[k]} `;
  if (joint.type === 'free') return `${'xyz'[k]} `;
  return part.role === 'swing' || part.role === 'twist' ? `${part.role} ` : '';
}

/** Whether the coordinates are metres; of a free joint the first three are. */
function isMetric({ role }: LimitComponent): boolean {
  return role === 'distance' || role === 'position';
}

/** `x`, `-y` or `(0.6, 0.8, 0)`. */
function axisText(axis: Triple): string {
  const k = axis.findIndex((value) => Math.abs(value) === 1);
  return k < 0 ? `(${triple(axis)})` : `${axis[k] < 0 ? '-' : ''}${'xyz'[k]}`;
}

/** `0..150`, `±45`, `from 10`, `up to 20`. */
function rangeText(min: number, max: number, digits: number): string {
  if (max === Number.POSITIVE_INFINITY) return `from ${decimals(min, digits)}`;
  if (min === Number.NEGATIVE_INFINITY) return `up to ${decimals(max, digits)}`;
  const [low, high] = [decimals(min, digits), decimals(max, digits)];
  return low === `-${high}` ? `±${high}` : `${low}..${high}`;
}

function degrees(radians: number): number {
  return (radians * 180) / Math.PI;
}
