/** Text and numbers for HTML and SVG. */

/** Escapes text for HTML. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** A coordinate in px, rounded to 0.01. */
export function px(value: number): string {
  return String(Number(value.toFixed(2)) + 0);
}

/** Colours that are distinguishable with colour blindness (Okabe and Ito 2008). */
export const COLORS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9'] as const;

/** The same for curves of a page, each in the shade of its theme. */
export const CURVES = COLORS.map((_, k) => `var(--c${k})`);

/** The path of a polyline. */
export function polyline(points: readonly (readonly [number, number])[]): string {
  return points.map(([x, y], k) => `${k === 0 ? 'M' : 'L'}${px(x)} ${px(y)}`).join('');
}

/** A number for a label. */
export function label(value: number): string {
  const size = Math.abs(value);
  if (size > 0 && (size < 1e-3 || size >= 1e5)) return value.toExponential().replace('e+', 'e');
  return String(Number(value.toPrecision(6)) + 0);
}
