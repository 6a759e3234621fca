import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const repository = fileURLToPath(new URL('../../', import.meta.url));

/** A small house with the same folders as this one, in which single imports can be tried. */
let house: string;

/** Every module of the small house, and what it may import. All of it at once must pass. */
const allowed: Record<string, string[]> = {
  'packages/core/src/errors.ts': [],
  'packages/core/src/math/index.ts': ['../errors.js'],
  'packages/core/src/rotation/index.ts': ['../math/index.js', '../errors.js'],
  'packages/core/src/figure/index.ts': ['../math/index.js', '../rotation/index.js', '../errors.js'],
  'packages/core/src/humanoid/index.ts': ['../figure/index.js', '../errors.js'],
  'packages/core/src/ik/index.ts': [
    '../figure/index.js',
    '../rotation/index.js',
    '../math/index.js',
    './solver/newton.js',
  ],
  'packages/core/src/ik/solver/newton.ts': ['../problem/problem.js'],
  'packages/core/src/ik/problem/problem.ts': [],
  'packages/core/src/ik/result.ts': [],
  'packages/core/src/worker/index.ts': ['../ik/index.js', '../figure/index.js', '../errors.js'],
  'packages/core/src/motion/index.ts': ['../figure/index.js', '../rotation/index.js'],
  'packages/core/src/dynamics/index.ts': ['../figure/index.js', '../humanoid/index.js', '../errors.js'],
  'packages/core/src/spacetime/index.ts': ['../ik/index.js', '../motion/index.js', '../dynamics/index.js'],
  'packages/core/src/editing/index.ts': ['../spacetime/index.js', '../motion/index.js'],
  'packages/core/src/index.ts': [
    './editing/index.js',
    './spacetime/index.js',
    './ik/index.js',
    './math/index.js',
  ],
  'packages/formats/src/index.ts': ['poise', 'poise/figure'],
  'packages/three/src/index.ts': ['poise', 'poise/math'],
  'packages/cli/src/main.ts': ['poise', '@poise/formats', 'node:fs'],
  'apps/studio/src/main.ts': ['poise', '@poise/formats', '@poise/three'],
  'benchmarks/src/all.ts': ['poise', '@poise/formats', '@poise/three', '../../scripts/oracles/values.js'],
  'packages/core/test/index.test.ts': ['../src/ik/index.js'],
  'scripts/oracles/values.ts': ['node:fs'],
};

/** One import too many, and the rule that has to say so. */
const forbidden: [from: string, imports: string, rule: string][] = [
  ['packages/core/src/math/index.ts', '../rotation/index.js', 'core-math-looks-down-only'],
  ['packages/core/src/rotation/index.ts', '../figure/index.js', 'core-rotation-looks-down-only'],
  ['packages/core/src/figure/index.ts', '../ik/index.js', 'core-figure-looks-down-only'],
  ['packages/core/src/figure/index.ts', '../humanoid/index.js', 'core-figure-looks-down-only'],
  ['packages/core/src/spacetime/index.ts', '../editing/index.js', 'core-spacetime-looks-down-only'],
  ['packages/core/src/ik/index.ts', '../motion/index.js', 'core-ik-looks-down-only'],
  ['packages/core/src/ik/index.ts', '../worker/index.js', 'core-ik-looks-down-only'],
  ['packages/core/src/worker/index.ts', '../math/index.js', 'core-worker-looks-down-only'],
  ['packages/core/src/motion/index.ts', '../dynamics/index.js', 'core-motion-looks-down-only'],
  ['packages/core/src/dynamics/index.ts', '../ik/index.js', 'core-dynamics-looks-down-only'],
  ['packages/core/src/ik/index.ts', '../spacetime/index.js', 'core-ik-looks-down-only'],
  ['packages/core/src/spacetime/index.ts', '../index.js', 'core-spacetime-looks-down-only'],
  ['packages/core/src/ik/index.ts', '../index.js', 'core-ik-looks-down-only'],
  ['packages/core/src/math/index.ts', 'node:fs', 'core-has-no-dependencies'],
  ['packages/core/src/math/index.ts', '@poise/formats', 'core-has-no-dependencies'],
  ['packages/core/src/math/index.ts', '../../test/index.test.js', 'no-test-code-in-sources'],
  ['packages/core/src/math/index.ts', '../../../../scripts/oracles/values.js', 'no-oracles-in-packages'],
  ['benchmarks/src/all.ts', '../../packages/core/test/index.test.js', 'no-test-code-in-sources'],
  ['scripts/oracles/values.ts', '../../packages/core/src/math/index.js', 'oracles-stand-alone'],
  ['packages/formats/src/index.ts', '@poise/three', 'packages-formats-looks-down-only'],
  ['packages/three/src/index.ts', '@poise/formats', 'packages-three-looks-down-only'],
  ['packages/cli/src/main.ts', '@poise/three', 'packages-cli-looks-down-only'],
  ['apps/studio/src/main.ts', '../../../packages/cli/src/main.js', 'apps-studio-looks-down-only'],
  ['apps/studio/src/main.ts', '../../../benchmarks/src/all.js', 'nothing-imports-benchmarks'],
  ['packages/formats/src/index.ts', '../../core/src/ik/index.js', 'packages-by-name'],
  ['packages/core/src/ik/solver/newton.ts', '../result.js', 'no-part-imports-its-folder'],
  ['packages/core/src/ik/index.ts', './nowhere.js', 'resolvable'],
];

beforeAll(() => {
  house = mkdtempSync(join(tmpdir(), 'poise-import-rules-'));
  cpSync(join(repository, 'tsconfig.base.json'), join(house, 'tsconfig.base.json'));
  write(
    'package.json',
    JSON.stringify({ private: true, workspaces: ['packages/*', 'apps/*', 'benchmarks'] }),
  );
  for (const [folder, name] of [
    ['packages/core', 'poise'],
    ['packages/formats', '@poise/formats'],
    ['packages/three', '@poise/three'],
    ['packages/cli', '@poise/cli'],
  ] as const) {
    mkdirSync(join(house, folder), { recursive: true });
    const exports = {
      '.': { 'poise-source': './src/index.ts' },
      './*': { 'poise-source': './src/*/index.ts' },
    };
    write(`${folder}/package.json`, JSON.stringify({ name, version: '0.0.0', exports }));
    const link = join(house, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(house, folder), link);
  }
  for (const [path, imports] of Object.entries(allowed)) write(path, source(imports));
});

afterAll(() => rmSync(house, { recursive: true, force: true }));

test('every allowed import passes', () => {
  expect(brokenRules()).toEqual([]);
});

describe('with the forbidden imports added', () => {
  let broken: string[];

  beforeAll(() => {
    // Each in a module of its own beside the one it is named after, all looked at in one run.
    forbidden.forEach(([from, imports], i) => {
      write(moduleOf(from, i), source([imports]));
    });
    write('packages/core/src/ik/left.ts', source(['./right.js']));
    write('packages/core/src/ik/right.ts', source(['./left.js']));
    write('packages/core/src/errors.ts', source(['./math/vec3.js']));
    write('packages/core/src/math/vec3.ts', source([]));
    write('packages/core/src/math/types.ts', "export type { X } from '../figure/index.js';\n");
    write('packages/core/src/ik/goals/position.ts', source(['../solve-ik.js']));
    write('packages/core/src/ik/solve-ik.ts', source(['./goals/orientation.js']));
    write('packages/core/src/ik/goals/orientation.ts', source([]));
    broken = brokenRules();
  });

  test.each(forbidden.map((row, i) => [...row, i] as const))('%s may not import %s', (from, _, rule, i) => {
    expect(broken).toContain(`${rule}: ${moduleOf(from, i)}`);
  });

  test('a circle is refused', () => {
    expect(broken).toContain('no-circles: packages/core/src/ik/left.ts');
  });

  test('a part that imports the folder it is a part of is refused, without a circle of files', () => {
    expect(broken.filter((line) => line.startsWith('no-folder-circles: packages/core/src/ik'))).not.toEqual(
      [],
    );
  });

  test('errors.ts imports nothing', () => {
    expect(broken).toContain('core-errors-stand-alone: packages/core/src/errors.ts');
  });

  test('a type-only import counts as an import', () => {
    expect(broken).toContain('core-math-looks-down-only: packages/core/src/math/types.ts');
  });
});

function moduleOf(path: string, i: number): string {
  return join(dirname(path), `case-${i}.ts`);
}

function source(imports: readonly string[]): string {
  return [...imports.map((target) => `import '${target}';\n`), 'export type X = 1;\n'].join('');
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(house, path)), { recursive: true });
  writeFileSync(join(house, path), text);
}

/** Runs the house's rules over the small house; `rule: from` of each violation. */
function brokenRules(): string[] {
  const cli = join(repository, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const config = join(repository, '.dependency-cruiser.mjs');
  const args = [
    cli,
    '--config',
    config,
    '--output-type',
    'json',
    'packages',
    'apps',
    'benchmarks',
    'scripts',
  ];
  const output = execFileSync(process.execPath, args, { cwd: house, encoding: 'utf8', maxBuffer: 1 << 26 });
  const { summary } = JSON.parse(output) as {
    summary: { violations: { from: string; rule: { name: string } }[] };
  };
  return summary.violations.map(({ from, rule }) => `${rule.name}: ${from}`);
}
