// Bundle size of single imports: bundles them from the built packages as an app would, minified and
// gzipped, prints the sizes, and fails where one is over its limit or differs from what docs/sizes.md says.
// `--write` writes the sizes there.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { root } from './lib/house.mjs';

/** The page that tells users the sizes, and how far it may be off, as a fraction. */
const PAGE = join(root, 'docs/sizes.md');
const TOLERANCE = 0.03;

/**
 * `limit` in bytes after gzip, without three.js. A limit is a promise to users: raise it only with a reason in the commit.
 * @type {{ says: string, code: string, limit: number }[]}
 */
const cases = [
  {
    says: 'one vector function',
    code: `import { vec3 } from 'poise/math'; export const f = vec3.add;`,
    limit: 300,
  },
  {
    says: 'one rotation function',
    code: `export { matrixFromRotationVector } from 'poise/rotation';`,
    limit: 2_000,
  },
  { says: 'poise/rotation', code: `export * from 'poise/rotation';`, limit: 9_700 },
  {
    says: 'figures, made and posed',
    code: `export { createFigure, createPose, createState, forwardKinematics } from 'poise/figure';`,
    limit: 12_200,
  },
  { says: 'poise/figure', code: `export * from 'poise/figure';`, limit: 21_800 },
  {
    says: 'position and points-at',
    code: `export { createIkWith, pointsAtGoal, positionGoal, solveIk } from 'poise/ik';`,
    limit: 19_000,
  },
  {
    says: 'one bone aimed',
    code: `export { createState } from 'poise/figure'; export { aimBoneAt } from 'poise/ik';`,
    limit: 15_400,
  },
  { says: 'every goal', code: `export { createIk, solveIk } from 'poise';`, limit: 40_200 },
  {
    says: 'a character in three.js',
    code: `export { bindFigure, FigureSolver, figureFromObject3D } from '@poise/three';`,
    limit: 61_200,
  },
  {
    says: 'ragdolls in three.js',
    code: `export { FigureSimulation } from '@poise/three';`,
    limit: 105_500,
  },
  {
    says: 'a cubic spline',
    code: `export { cubicSpline, evaluateCurve } from 'poise/motion';`,
    limit: 4_100,
  },
  {
    says: 'a C2 rotation spline',
    code: `export { evaluateRotation, rotationSpline } from 'poise/motion';`,
    limit: 8_600,
  },
  {
    says: 'forward dynamics',
    code: `export { createDynamics, forwardDynamics } from 'poise/dynamics';`,
    limit: 18_800,
  },
  {
    says: 'ragdolls that fall',
    code: `export { createRagdoll, createSimulation, stepSimulation } from 'poise/dynamics';`,
    limit: 90_800,
  },
  {
    says: 'spacetime',
    code: `export { createSpacetimeProblem, solveSpacetime } from 'poise/spacetime';`,
    limit: 90_900,
  },
  {
    says: 'the solver elsewhere',
    code: `export { connectIk, solveMany } from 'poise/worker';`,
    limit: 4_300,
  },
  // No trajectories in it.
  { says: 'a worker for IK', code: `export { serveIk } from 'poise/worker';`, limit: 41_400 },
  {
    says: 'trajectories elsewhere',
    code: `export { connectSpacetime } from 'poise/worker';`,
    limit: 2_950,
  },
  {
    says: 'a worker for them',
    code: `export { serveSpacetime } from 'poise/worker';`,
    limit: 95_900,
  },
  {
    says: 'every subpath',
    code: `export * as s0 from 'poise/math';
      export * as s1 from 'poise/rotation';
      export * as s2 from 'poise/rotation/alternatives';
      export * as s3 from 'poise/figure';
      export * as s4 from 'poise/humanoid';
      export * as s5 from 'poise/ik';
      export * as s6 from 'poise/motion';
      export * as s7 from 'poise/motion/alternatives';
      export * as s8 from 'poise/dynamics';
      export * as s9 from 'poise/spacetime';
      export * as s10 from 'poise/editing';
      export * as s11 from 'poise/worker';
      export * as s12 from 'poise/errors';
      export * as s13 from 'poise/retarget';
      export * as s14 from 'poise/robot';`,
    limit: 379_500,
  },
  { says: 'poise, all of it', code: `export * from 'poise';`, limit: 261_700 },
];

mkdirSync(join(root, '.cache'), { recursive: true });
const place = mkdtempSync(join(root, '.cache/bundle-size-'));
let failed = false;
/** @type {string[]} */
const rows = [];
try {
  for (const [i, { says, code, limit }] of cases.entries()) {
    const bundle = await bundled(`case-${i}`, code);
    const size = gzipSync(bundle, { level: 9 }).length;
    const over = size > limit;
    failed ||= over;
    rows.push(row(code, size));
    const kilobytes = (/** @type {number} */ bytes) => `${(bytes / 1000).toFixed(2).padStart(6)} kB`;
    console.log(
      `size: ${says.padEnd(22)} ${kilobytes(bundle.length)} minified ${kilobytes(size)} gzipped` +
        ` (limit ${kilobytes(limit).trim()})${over ? '  OVER' : ''}`,
    );
  }
} finally {
  rmSync(place, { recursive: true, force: true });
}
const page = readFileSync(PAGE, 'utf8');
if (process.argv.includes('--write')) writeFileSync(PAGE, withTable(page, rows));
else if (!rows.every((measured) => isDocumented(page, measured))) {
  failed = true;
  console.log('size: docs/sizes.md says other sizes. `node scripts/bundle-size.mjs --write` writes these.');
}
process.exit(failed ? 1 : 0);

/**
 * A row of the page: the import as a user writes it, and its size.
 *
 * @param {string} code
 * @param {number} size bytes
 */
function row(code, size) {
  const imports = (code.match(/(?:import|export) [^;]+ from [^;]+;/g) ?? []).map((line) =>
    line.replace('export *', 'import * as all').replace('export', 'import'),
  );
  const what = imports.length > 9 ? 'everything, by all subpaths' : `\`${imports.join(' ')}\``;
  return `| ${what} | ${(size / 1000).toFixed(1)} |`;
}

/**
 * @param {string} page
 * @param {readonly string[]} rows
 */
function withTable(page, rows) {
  const lines = page.split('\n');
  const first = lines.findIndex((line) => line.startsWith('| ---')) + 1;
  const last = lines.findIndex((line, i) => i >= first && !line.startsWith('|'));
  return [...lines.slice(0, first), ...rows, ...lines.slice(last)].join('\n');
}

/**
 * Whether the page has this row, its size within the tolerance.
 *
 * @param {string} page
 * @param {string} measured
 */
function isDocumented(page, measured) {
  const [what, size] = cells(measured);
  const said = page
    .split('\n')
    .map(cells)
    .find(([cell]) => cell === what);
  return said !== undefined && Math.abs(Number(said[1]) - Number(size)) <= TOLERANCE * Number(size);
}

/** @param {string} line */
function cells(line) {
  return line.split(' | ').map((cell) => cell.replaceAll('|', '').trim());
}

/**
 * @param {string} name
 * @param {string} code
 * @returns {Promise<string>}
 */
async function bundled(name, code) {
  const entry = join(place, `${name}.js`);
  writeFileSync(entry, code);
  const result = await build({
    configFile: false,
    root: place,
    logLevel: 'error',
    build: {
      write: false,
      minify: true,
      target: 'es2022',
      lib: { entry, formats: ['iife'], name: 'P', fileName: name },
      rollupOptions: { external: /^three/, output: { globals: () => 'THREE' } },
    },
  });
  const outputs = (Array.isArray(result) ? result : [result]).flatMap((one) =>
    'output' in one ? one.output : [],
  );
  return outputs.map((output) => ('code' in output ? output.code : '')).join('');
}
