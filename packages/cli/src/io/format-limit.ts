/** Joints and limits as text, angles in degrees. */
import type { Bone, Figure, LimitComponent, Triple } from 'poise/figure';
import type { Numbers } from 'poise/math';
import { decimals, triple } from './parse-number.js';

/** `hinge about x`, `euler XZY`, `ball`; of a mimic joint: `slider along -y, mimics leftFinger`. */
export function jointText({ joint, mimic }: Bone): string {
  return `${jointTypeText(joint)}${mimic ? `, mimics ${mimic.bone}${mimic.pieces ? ` (spline of ${mimic.pieces.length + 1} polynomials)` : polynomialText(mimic.polynomial)}` : ''}`;
}

/** ` (0.1 - 2 y)`, y the coordinate of the source; empty for y itself. rad and m. */
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

/** By bone: `swing -14..45 x ±15°, twist ±8°`; empty for a joint without a limit. From the limit components of the solver. */
export function limitTexts(figure: Figure): readonly string[] {
  const texts: string[][] = figure.bones.map(() => []);
  for (const component of figure.limitComponents) {
    texts[component.bone].push(limitComponentText(figure, component));
  }
  return texts.map((parts) => parts.join(', '));
}

/** One limit component: `twist ±8°`, `Z -80..70°` (of Euler angles), `0..150°`, `0.1..0.3 m`. */
export function limitComponentText(figure: Figure, component: LimitComponent): string {
  const { kind, parameters: p } = component;
  const unit = isMetric(component) ? ' m' : '°';
  const shown = (value: number) => (isMetric(component) ? value : degrees(value));
  const range = (low: number, high: number) =>
    rangeText(shown(low), shown(high), isMetric(component) ? 3 : 1);
  const what = limitComponentName(figure.bones[component.bone], component);
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
export function limitValueText(component: LimitComponent, pose: Numbers): string {
  const values = Array.from({ length: component.size }, (_, k) => {
    const value = pose[component.coordinate + k];
    return isMetric(component) ? decimals(value) : decimals(degrees(value), 1);
  });
  return `${values.length === 1 ? values[0] : `(${values.join(', ')})`}${isMetric(component) ? ' m' : '°'}`;
}

/** Name of the limited coordinate of a joint with several, with a trailing space. */
function limitComponentName({ joint, coordinate }: Bone, component: LimitComponent): string {
  const k = component.coordinate - coordinate;
  if (joint.type === 'euler') return `${joint.order[k]} `;
  if (joint.type === 'free') return `${'xyz'[k]} `;
  return component.role === 'swing' || component.role === 'twist' ? `${component.role} ` : '';
}

/** Whether the coordinates are lengths (m). */
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
