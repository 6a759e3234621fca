import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { expect, test } from 'vitest';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const folder = join(repository, '.cache/allocations');

/** Numbers that engines box when a function they do not inline takes them: no arrays, no objects. */
const BOXED = 400;

/** Prints the bytes of each call, the least of many batches, as JSON. */
const PROGRAM = `
import { createFigure, createPose, regularizePose } from '../../packages/core/src/figure/index.ts';
import { createHumanFigure } from '../../packages/core/src/humanoid/index.ts';
import * as rotation from '../../packages/core/test/rotation/all-forms.ts';

const v = Float64Array.of(0.3, -0.4, 0.5);
const w = Float64Array.of(1, 2, 3);
const three = new Float64Array(3);
const nine = new Float64Array(9);
const q = rotation.quatFromRotationVector(v, new Float64Array(4));
const human = createHumanFigure();
const chain = createFigure({ bones: [{ name: 'a', joint: { type: 'free' } }] });
const [standing, turned] = [human, chain].map((figure) => createPose(figure));
const calls = {
  matrixFromEuler: () => rotation.matrixFromEuler(v, 'XYZ', 'extrinsic', nine),
  eulerFromQuat: () => rotation.eulerFromQuat(q, 'XYZ', 'extrinsic', three),
  eulerJacobian: () => rotation.eulerJacobian(v, 'ZXY', 'intrinsic', 'body', nine),
  eulerRateFromAngularVelocity: () => rotation.eulerRateFromAngularVelocity(v, 'ZXY', 'extrinsic', w, 'world', three),
  rateFromAngularVelocity: () => rotation.rateFromAngularVelocity(v, w, 'body', three),
  composeRotationVectors: () => rotation.composeRotationVectors(v, w, v, three),
  'regularizePose, nothing to do': () => regularizePose(human, standing),
  'regularizePose, with a tangent': () => {
    turned.fill(2.5);
    regularizePose(chain, turned, turned);
  },
};
const least = {};
for (const [name, call] of Object.entries(calls)) {
  least[name] = Infinity;
  for (let batch = 0; batch < 100; batch++) {
    const before = process.memoryUsage().heapUsed;
    for (let n = 0; n < 2000; n++) call();
    const growth = (process.memoryUsage().heapUsed - before) / 2000;
    // Memory was collected meanwhile.
    if (growth >= 0) least[name] = Math.min(least[name], growth);
  }
}
console.log(JSON.stringify(least));
`;

// In a process of its own: beside other tests the engine compiles the same functions for more kinds of arrays, and boxes more.
test('with `out` given no arrays and no objects are made', async () => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'program.js'), PROGRAM);
  await build({
    root: folder,
    configFile: false,
    logLevel: 'error',
    build: { ssr: 'program.js', outDir: 'out', minify: false },
  });
  const printed = execFileSync(process.execPath, [join(folder, 'out/program.js')], { encoding: 'utf8' });
  const bytes = Object.entries(JSON.parse(printed) as Record<string, number>);
  expect(bytes).toHaveLength(8);
  expect(bytes.filter(([, least]) => !(least < BOXED))).toEqual([]);
});
