// Bundle size of single imports: bundles them from the built packages as an app would, minified and
// gzipped, prints the sizes, and fails where one is over its limit or keeps what it does not use.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { root } from './lib/house.mjs';

/**
 * `limit` in bytes after gzip. A limit is a promise to users: raise it only with a reason in the commit.
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
  { says: 'poise/rotation', code: `export * from 'poise/rotation';`, limit: 8_000 },
  {
    says: 'figures, made and posed',
    code: `export { createFigure, createPose, createState, forwardKinematics } from 'poise/figure';`,
    limit: 11_000,
  },
  { says: 'poise/figure', code: `export * from 'poise/figure';`, limit: 19_000 },
  {
    says: 'position and points-at',
    code: `export { createIkWith, pointsAtGoal, positionGoal, solveIk } from 'poise/ik';`,
    limit: 18_000,
  },
  {
    says: 'one bone aimed',
    code: `export { createState } from 'poise/figure'; export { aimBoneAt } from 'poise/ik';`,
    limit: 15_200,
  },
  { says: 'every goal', code: `export { createIk, solveIk } from 'poise/ik';`, limit: 38_300 },
  {
    says: 'a cubic spline',
    code: `export { cubicSpline, evaluateCurve } from 'poise/motion';`,
    limit: 3_900,
  },
  {
    says: 'a C2 rotation spline',
    code: `export { evaluateRotation, rotationSpline } from 'poise/motion';`,
    limit: 8_300,
  },
  {
    says: 'forward dynamics',
    code: `export { createDynamics, forwardDynamics } from 'poise/dynamics';`,
    limit: 18_200,
  },
  {
    says: 'ragdolls that fall',
    code: `export { createRagdoll, createSimulation, stepSimulation } from 'poise/dynamics';`,
    limit: 71_000,
  },
  {
    says: 'spacetime',
    code: `export { createSpacetimeProblem, solveSpacetime } from 'poise/spacetime';`,
    limit: 81_500,
  },
  {
    says: 'the solver elsewhere',
    code: `export { connectIk, solveMany } from 'poise/worker';`,
    limit: 4_100,
  },
  // No trajectories in it.
  { says: 'a worker for IK', code: `export { serveIk } from 'poise/worker';`, limit: 39_500 },
  {
    says: 'trajectories elsewhere',
    code: `export { connectSpacetime } from 'poise/worker';`,
    limit: 2_800,
  },
  {
    says: 'a worker for them',
    code: `export { serveSpacetime } from 'poise/worker';`,
    limit: 87_000,
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
      export * as s12 from 'poise/errors';`,
    limit: 277_500,
  },
  { says: 'poise, all of it', code: `export * from 'poise';`, limit: 218_500 },
];

mkdirSync(join(root, '.cache'), { recursive: true });
const place = mkdtempSync(join(root, '.cache/bundle-size-'));
let failed = false;
try {
  for (const [i, { says, code, limit }] of cases.entries()) {
    const bundle = await bundled(`case-${i}`, code);
    const size = gzipSync(bundle, { level: 9 }).length;
    const over = size > limit;
    failed ||= over;
    const kilobytes = (/** @type {number} */ bytes) => `${(bytes / 1000).toFixed(2).padStart(6)} kB`;
    console.log(
      `size: ${says.padEnd(22)} ${kilobytes(bundle.length)} minified ${kilobytes(size)} gzipped` +
        ` (limit ${kilobytes(limit).trim()})${over ? '  OVER' : ''}`,
    );
  }
} finally {
  rmSync(place, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);

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
    },
  });
  const outputs = (Array.isArray(result) ? result : [result]).flatMap((one) =>
    'output' in one ? one.output : [],
  );
  return outputs.map((output) => ('code' in output ? output.code : '')).join('');
}
