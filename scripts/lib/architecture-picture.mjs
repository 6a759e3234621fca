// The layers of core and the packages on top, as docs/architecture.md shows them. What may import what is read from
// .dependency-cruiser.mjs by the test of this picture (scripts/test/architecture.test.ts).

/**
 * A box: it may import the boxes below it.
 *
 * @typedef {{ name: string, text: string, x: number, y: number, w: number, h?: number, kind?: 'layer' | 'package' }} Box
 */

const ROW = 62;
const GAP = 10;
const LEFT = 20;
const WIDTH = 760;

/** @param {number} row from below @param {number} column @param {number} columns of how many @param {number} [width] of all */
function cell(row, column, columns, width = WIDTH) {
  const w = (width - GAP * (columns - 1)) / columns;
  return { x: LEFT + column * (w + GAP), y: row * (ROW + GAP), w };
}

/** Layers of core, lowest first, and the packages. @type {readonly Box[]} */
export const boxes = [
  { name: 'math', text: 'vectors, quaternions, factorizations, quadratic programs', ...cell(0, 0, 1) },
  {
    name: 'rotation',
    text: 'rotation vectors with exact derivatives, swing and twist, the paper’s alternatives',
    ...cell(1, 0, 1),
  },
  { name: 'figure', text: 'bones, joints, limits, pose, forward kinematics, Jacobians', ...cell(2, 0, 1) },
  {
    name: 'humanoid',
    text: 'the built-in human; which bone of a rig is which of a human’s',
    ...cell(3, 0, 1),
  },
  { name: 'ik', text: 'goals, solver, FABRIK, markers', ...cell(4, 0, 3) },
  { name: 'motion', text: 'curves, clips, retiming, fitting', ...cell(4, 1, 3) },
  { name: 'dynamics', text: 'RNEA, ABA, contact, ragdolls', ...cell(4, 2, 3) },
  {
    name: 'spacetime',
    text: 'whole motions by optimization: splines, terms, augmented Lagrangian',
    ...cell(5, 0, 1),
  },
  { name: 'worker', text: 'solvers in workers (ik, motion, spacetime)', ...cell(6, 1, 2) },
  { name: 'editing', text: 'edits, clean-up, loops, transitions by optimization', ...cell(6, 0, 2) },
  { name: 'retarget', text: 'a clip on another humanoid: aligned bodies, feet that stay', ...cell(7, 0, 1) },
  { name: '@poise/formats', text: 'glTF, VRM, URDF, BVH, scenes', kind: 'package', ...cell(8.6, 0, 2) },
  {
    name: '@poise/three',
    text: 'bindings, helpers, ragdolls in three.js',
    kind: 'package',
    ...cell(8.6, 1, 2),
  },
  { name: '@poise/cli', text: 'the poise command (core, formats)', kind: 'package', ...cell(9.6, 0, 2) },
  {
    name: 'studio',
    text: 'the page npm start opens (core, formats, three)',
    kind: 'package',
    ...cell(9.6, 1, 2),
  },
];

/** @returns {{ toString(): string }} */
function house() {
  const rows = 10.6;
  const height = rows * (ROW + GAP) + 40;
  /** @param {Box} box */
  const top = ({ y, kind }) => height - 20 - ROW - y - (kind === 'package' ? 0 : 8);
  const core = { y: height - 20 - 8 * (ROW + GAP) - 26, h: 8 * (ROW + GAP) + 26 };
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 ${height}" font-family="system-ui, sans-serif" role="img" aria-label="Layers of Poise: each box imports only from boxes below it.">`,
    `<rect width="800" height="${height}" fill="#ffffff"/>`,
    `<rect x="10" y="${core.y}" width="780" height="${core.h}" rx="8" fill="#f4f6fa" stroke="#c3c7ce"/>`,
    `<text x="400" y="${core.y + 20}" font-size="14" font-weight="600" text-anchor="middle" fill="#1d2b4f">poise (packages/core): imports point downwards</text>`,
    ...boxes.flatMap((box) => [
      `<rect x="${number(box.x)}" y="${number(top(box))}" width="${number(box.w)}" height="${ROW - 6}" rx="6" fill="${box.kind === 'package' ? '#fff4e6' : '#ffffff'}" stroke="${box.kind === 'package' ? '#e8590c' : '#1971c2'}"/>`,
      `<text x="${number(box.x + box.w / 2)}" y="${number(top(box) + 23)}" font-size="15" font-weight="600" text-anchor="middle" fill="#1d2b4f">${box.name}</text>`,
      `<text x="${number(box.x + box.w / 2)}" y="${number(top(box) + 43)}" font-size="12.5" text-anchor="middle" fill="#3b4252">${box.text}</text>`,
    ]),
    '</svg>',
    '',
  ];
  return { toString: () => lines.join('\n') };
}

/** @param {number} x */
const number = (x) => String(Math.round(100 * x) / 100);

/** @type {Record<string, () => { toString(): string }>} */
export const architecturePictures = { house };
