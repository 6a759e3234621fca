/**
 * Import directions of the house, exactly as CONTRIBUTING.md draws them:
 *
 *   inside core:  math <- rotation <- figure <- humanoid <- { ik, motion, dynamics } <- spacetime <- editing <- retarget
 *                 (errors.ts, checks.ts: anyone; worker: ik, motion, spacetime; robot: math, rotation, figure; retarget: robot too)
 *   packages:     core <- formats, three;  core, formats <- cli;  core, formats, three <- studio
 *
 * Each layer lists what it may see; everything else under packages/, apps/ and benchmarks/ is forbidden to it.
 */

/** Layers of core and the layers below each. Siblings are missing from each other's lists on purpose. */
const coreLayers = {
  math: [],
  rotation: ['math'],
  figure: ['math', 'rotation'],
  humanoid: ['math', 'rotation', 'figure'],
  ik: ['math', 'rotation', 'figure', 'humanoid'],
  worker: ['figure', 'ik', 'motion', 'spacetime'],
  motion: ['math', 'rotation', 'figure', 'humanoid'],
  dynamics: ['math', 'rotation', 'figure', 'humanoid'],
  robot: ['math', 'rotation', 'figure'],
  spacetime: ['math', 'rotation', 'figure', 'humanoid', 'ik', 'motion', 'dynamics'],
  editing: ['math', 'rotation', 'figure', 'humanoid', 'ik', 'motion', 'dynamics', 'spacetime'],
  retarget: [
    'math',
    'rotation',
    'figure',
    'humanoid',
    'ik',
    'motion',
    'dynamics',
    'spacetime',
    'editing',
    'robot',
  ],
};

/** Folders with shipped code and the folders whose shipped code each may import. */
const workspaces = {
  'packages/core': [],
  'packages/formats': ['packages/core'],
  'packages/three': ['packages/core'],
  'packages/cli': ['packages/core', 'packages/formats'],
  'apps/studio': ['packages/core', 'packages/formats', 'packages/three'],
};

const layerRules = Object.entries(coreLayers).map(([layer, below]) => ({
  name: `core-${layer}-looks-down-only`,
  comment: `core/src/${layer} may import ${[...below, 'errors.ts', 'checks.ts'].join(', ')} and itself, nothing else.`,
  severity: /** @type {const} */ ('error'),
  from: { path: `^packages/core/src/${layer}/` },
  to: {
    path: '^packages/core/src/',
    pathNot: `^packages/core/src/(${[layer, ...below].join('|')})/|^packages/core/src/(errors|checks)\\.ts$`,
  },
}));

const workspaceRules = Object.entries(workspaces).map(([folder, below]) => ({
  name: `${folder.replace('/', '-')}-looks-down-only`,
  comment: `${folder}/src may import ${below.length ? below.join(', ') : 'no other workspace'}.`,
  severity: /** @type {const} */ ('error'),
  from: { path: `^${folder}/src/` },
  to: {
    path: '^(packages|apps|benchmarks|examples|scripts)/',
    pathNot: `^(${[folder, ...below].join('|')})/src/`,
  },
}));

/** Folders of a layer, and folders of these: their parts import none of their files. */
const partRules = ['[^/]+', '[^/]+/[^/]+'].map((folder) => ({
  name: 'no-part-imports-its-folder',
  comment: 'A part never imports the folder it is a part of: what both need stands in a part of its own.',
  severity: /** @type {const} */ ('error'),
  from: { path: `^(packages/[^/]+/src/${folder})/[^/]+/.+$` },
  to: { path: '^$1/[^/]+\\.ts$' },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...layerRules,
    ...workspaceRules,
    {
      name: 'no-circles',
      comment: 'A circle has no bottom to understand it from. Types count too.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-folder-circles',
      comment: 'Folders of core/src import one way too. (An index.ts may name all below it.)',
      severity: 'error',
      scope: 'folder',
      from: {},
      to: { circular: true },
    },
    ...partRules,
    {
      name: 'core-errors-stand-alone',
      comment: 'Everything may import errors.ts, so it imports nothing.',
      severity: 'error',
      from: { path: '^packages/core/src/errors\\.ts$' },
      to: {},
    },
    {
      name: 'core-has-no-dependencies',
      comment: 'core runs anywhere: no npm package, no Node module.',
      severity: 'error',
      from: { path: '^packages/core/src/' },
      to: { pathNot: '^packages/core/src/', couldNotResolve: false },
    },
    {
      name: 'packages-by-name',
      comment: "Another package is imported by its name ('poise/figure'), never by a path into its folder.",
      severity: 'error',
      from: { path: '^((?:packages|apps)/[^/]+)/|^(benchmarks|examples)/' },
      to: {
        path: '^(packages|apps)/[^/]+/',
        pathNot: '^$1/',
        dependencyTypes: ['local'],
        dependencyTypesNot: ['aliased', 'aliased-workspace'],
      },
    },
    {
      name: 'nothing-imports-benchmarks',
      comment: 'Benchmarks look at the packages, never the other way round.',
      severity: 'error',
      from: { pathNot: '^benchmarks/' },
      to: { path: '^benchmarks/' },
    },
    {
      name: 'no-test-code-in-sources',
      comment:
        'Shipped code cannot lean on tests. Benchmarks may read what the oracles give, the list of recorded clips and the time of a thread, and draw plots.',
      severity: 'error',
      from: { path: '^(packages|apps|benchmarks)/', pathNot: '/test/' },
      to: {
        path: '/test/|^scripts/',
        pathNot: '^scripts/(oracles/|lib/plot\\.mjs$|test-support/(recorded-clips|thread-time)\\.ts$)',
      },
    },
    {
      name: 'no-oracles-in-packages',
      comment: 'Oracles are for tests and benchmarks.',
      severity: 'error',
      from: { path: '^(packages|apps)/', pathNot: '/test/' },
      to: { path: '^scripts/' },
    },
    {
      name: 'oracles-stand-alone',
      comment: 'Expected values come from code that imports nothing it is there to check.',
      severity: 'error',
      from: { path: '^scripts/oracles/' },
      to: { path: '^(packages|apps|benchmarks)/' },
    },
    {
      name: 'torture-judge-stands-alone',
      comment: 'Scenes and the judge of the torture suite import nothing of any engine.',
      severity: 'error',
      from: { path: '^benchmarks/src/torture/(judge|scenes)/' },
      to: {
        pathNot: '^benchmarks/src/(torture/(judge|scenes)/|torture/(scene|states)\\.ts$|rigid/|prng\\.ts$)',
      },
    },
    {
      name: 'resolvable',
      comment: 'An import that resolves to nothing.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'declared-dependency',
      comment: 'An npm package must stand in the package.json of the workspace that imports it.',
      severity: 'error',
      from: { path: '^(packages|apps)/[^/]+/src/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'no-dev-dependency-in-sources',
      comment: 'A package that ships cannot need a development dependency at run time.',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only', 'npm-peer'], pathNot: '@types/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|out|coverage|\\.cache)/|^docs/api/' },
    // Type imports are imports: a type from an upper layer is a dependency on it.
    tsPreCompilationDeps: true,
    combinedDependencies: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['poise-source', 'import', 'types', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.d.ts', '.mjs', '.js', '.json'],
    },
  },
};
