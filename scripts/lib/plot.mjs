/** Line plots as SVG, for the documentation. */

/** @typedef {{ name: string, color: string, points: readonly (readonly [number, number])[], marks?: boolean, dashed?: boolean }} PlotLine
 * `marks`: whether each point is marked */
/** @typedef {{ label: string, from: number, to: number, step: number }} PlotAxis */
/** @typedef {{ title: string, x: PlotAxis, y: PlotAxis, lines: readonly PlotLine[] }} Plot */

const WIDTH = 720;
const HEIGHT = 380;
const LEFT = 64;
const RIGHT = 16;
const TOP = 36;
const BOTTOM = 52;
/** Height of a line of the legend. */
const ROW = 18;

/**
 * A plot with its legend below. What leaves the axes is cut off; lines without a name are not in the legend.
 *
 * @param {Plot} plot
 * @returns {string} SVG
 */
export function linePlot({ title, x, y, lines }) {
  /** @param {number} value */
  const px = (value) => LEFT + ((value - x.from) / (x.to - x.from)) * (WIDTH - LEFT - RIGHT);
  /** @param {number} value */
  const py = (value) => HEIGHT - BOTTOM - ((value - y.from) / (y.to - y.from)) * (HEIGHT - TOP - BOTTOM);
  /** @param {number} value */
  const round = (value) => value.toFixed(1);
  const named = lines.filter(({ name }) => name !== '');
  const height = HEIGHT + ROW * Math.ceil(named.length / 2);
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="13" fill="#233044">`,
    `<title>${title}</title>`,
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
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
  /** @param {number} value */
  const held = (value) => Math.min(Math.max(value, -HEIGHT), 2 * HEIGHT);
  for (const { color, points, marks, dashed } of lines) {
    const dash = dashed ? ' stroke-dasharray="5 4"' : '';
    const path = points.map(([a, b]) => `${round(px(a))},${round(held(py(b)))}`);
    parts.push(
      `<polyline clip-path="url(#inside)" points="${path.join(' ')}" fill="none" stroke="${color}" stroke-width="1.8"${dash}/>`,
    );
    if (marks) {
      for (const [a, b] of points)
        parts.push(`<circle cx="${round(px(a))}" cy="${round(py(b))}" r="3" fill="${color}"/>`);
    }
  }
  named.forEach(({ name, color, dashed }, n) => {
    const dash = dashed ? ' stroke-dasharray="5 4"' : '';
    const left = LEFT + (n % 2) * 0.5 * (WIDTH - LEFT - RIGHT);
    const row = HEIGHT + ROW * Math.floor(n / 2) + 8;
    parts.push(
      `<line x1="${left}" y1="${row - 4}" x2="${left + 24}" y2="${row - 4}" stroke="${color}" stroke-width="2.4"${dash}/>`,
      `<text x="${left + 32}" y="${row}">${name}</text>`,
    );
  });
  return `${parts.join('\n')}\n</svg>\n`;
}

/** @param {PlotAxis} axis */
function ticks({ from, to, step }) {
  return Array.from({ length: Math.round((to - from) / step) + 1 }, (_, k) => from + k * step);
}

/** @param {number} value */
function shown(value) {
  return String(Number(value.toFixed(6)));
}
