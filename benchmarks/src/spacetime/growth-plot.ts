/** Time against length as a picture: both axes logarithmic, with the line of equal growth. */

export interface GrowthPoint {
  readonly seconds: number;
  readonly milliseconds: number;
}

const WIDTH = 480;
const HEIGHT = 320;
const MARGIN = 56;

/** An SVG of points and the straight line through the first of them with slope one. */
export function growthPlot(title: string, points: readonly GrowthPoint[]): string {
  const xs = points.map(({ seconds }) => Math.log2(seconds));
  const ys = points.map(({ milliseconds }) => Math.log2(milliseconds));
  const [low, high] = [Math.min(...xs), Math.max(...xs)];
  const bottom = Math.floor(Math.min(...ys, ys[0]) - 0.3);
  const top = Math.ceil(Math.max(...ys, ys[0] + high - low) + 0.3);
  const x = (value: number): number => MARGIN + ((value - low) / (high - low)) * (WIDTH - 2 * MARGIN);
  const y = (value: number): number =>
    HEIGHT - MARGIN - ((value - bottom) / (top - bottom)) * (HEIGHT - 2 * MARGIN);
  const text = (at: number, from: number, what: string, anchor = 'middle'): string =>
    `<text x="${at.toFixed(1)}" y="${from.toFixed(1)}" text-anchor="${anchor}">${what}</text>`;
  const dots = xs
    .map(
      (value, k) => `<circle cx="${x(value).toFixed(1)}" cy="${y(ys[k]).toFixed(1)}" r="4" fill="#2463c4"/>`,
    )
    .join('');
  const labels = points
    .map(({ seconds, milliseconds }, k) =>
      [
        text(x(xs[k]), HEIGHT - MARGIN + 18, `${seconds} s`),
        text(x(xs[k]), y(ys[k]) - 10, `${milliseconds.toFixed(0)} ms`),
      ].join(''),
    )
    .join('');
  const line = `<line x1="${x(low)}" y1="${y(ys[0]).toFixed(1)}" x2="${x(high)}" y2="${y(ys[0] + high - low).toFixed(1)}" stroke="#888" stroke-dasharray="5 4"/>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    '<rect width="100%" height="100%" fill="#fff"/>',
    text(WIDTH / 2, 20, title),
    line,
    dots,
    labels,
    text(WIDTH / 2, HEIGHT - 10, 'length of the motion; dashed: in proportion to it'),
    '</svg>',
    '',
  ].join('\n');
}
