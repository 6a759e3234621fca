/** Line plots as SVG, for the documentation. */

export interface PlotLine {
  readonly name: string;
  readonly color: string;
  readonly points: readonly (readonly [number, number])[];
  /** Whether each point is marked. */
  readonly marks?: boolean;
}

export interface PlotAxis {
  readonly label: string;
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

export interface Plot {
  readonly title: string;
  readonly x: PlotAxis;
  readonly y: PlotAxis;
  readonly lines: readonly PlotLine[];
}

const WIDTH = 720;
const HEIGHT = 380;
const LEFT = 64;
const RIGHT = 16;
const TOP = 36;
const BOTTOM = 52;

/** A plot with a legend. What leaves the axes is cut off. */
export function linePlot({ title, x, y, lines }: Plot): string {
  const px = (value: number): number => LEFT + ((value - x.from) / (x.to - x.from)) * (WIDTH - LEFT - RIGHT);
  const py = (value: number): number =>
    HEIGHT - BOTTOM - ((value - y.from) / (y.to - y.from)) * (HEIGHT - TOP - BOTTOM);
  const round = (value: number): string => value.toFixed(1);
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="13" fill="#233044">`,
    `<title>${title}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    `<clipPath id="inside"><rect x="${LEFT}" y="${TOP}" width="${WIDTH - LEFT - RIGHT}" height="${HEIGHT - TOP - BOTTOM}"/></clipPath>`,
    `<text x="${LEFT}" y="22" font-size="15" font-weight="600">${title}</text>`,
  ];
  for (const value of ticks(x)) {
    parts.push(
      `<line x1="${round(px(value))}" y1="${TOP}" x2="${round(px(value))}" y2="${HEIGHT - BOTTOM}" stroke="#e3e7ec"/>`,
      `<text x="${round(px(value))}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${shown(value)}</text>`,
    );
  }
  for (const value of ticks(y)) {
    parts.push(
      `<line x1="${LEFT}" y1="${round(py(value))}" x2="${WIDTH - RIGHT}" y2="${round(py(value))}" stroke="#e3e7ec"/>`,
      `<text x="${LEFT - 8}" y="${round(py(value) + 4)}" text-anchor="end">${shown(value)}</text>`,
    );
  }
  parts.push(
    `<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 12}" text-anchor="middle">${x.label}</text>`,
    `<text transform="translate(16 ${(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)" text-anchor="middle">${y.label}</text>`,
  );
  // Far outside is far enough.
  const held = (value: number): number => Math.min(Math.max(value, -HEIGHT), 2 * HEIGHT);
  lines.forEach(({ name, color, points, marks }, n) => {
    const path = points.map(([a, b]) => `${round(px(a))},${round(held(py(b)))}`);
    parts.push(
      `<polyline clip-path="url(#inside)" points="${path.join(' ')}" fill="none" stroke="${color}" stroke-width="1.8"/>`,
    );
    if (marks) {
      for (const [a, b] of points)
        parts.push(`<circle cx="${round(px(a))}" cy="${round(py(b))}" r="3" fill="${color}"/>`);
    }
    const row = TOP + 18 + 18 * n;
    parts.push(
      `<line x1="${WIDTH - 330}" y1="${row - 4}" x2="${WIDTH - 306}" y2="${row - 4}" stroke="${color}" stroke-width="2.4"/>`,
      `<text x="${WIDTH - 298}" y="${row}">${name}</text>`,
    );
  });
  return `${parts.join('\n')}\n</svg>\n`;
}

function ticks({ from, to, step }: PlotAxis): number[] {
  return Array.from({ length: Math.round((to - from) / step) + 1 }, (_, k) => from + k * step);
}

function shown(value: number): string {
  return String(Number(value.toFixed(6)));
}
