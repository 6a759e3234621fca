// npm run typecheck: every tsconfig of the house, each with the world its code may see (core: no DOM, no Node).
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './lib/house.mjs';
import { run } from './lib/run.mjs';

const workspaces = ['packages', 'apps'].flatMap((group) =>
  readdirSync(join(root, group)).map((name) => `${group}/${name}`),
);
const projects = [
  'tsconfig.scripts.json',
  ...[...workspaces, 'benchmarks', 'examples'].flatMap((folder) => [
    `${folder}/tsconfig.json`,
    `${folder}/tsconfig.node.json`,
    `${folder}/test/tsconfig.json`,
  ]),
].filter((project) => existsSync(join(root, project)));

// One compiler for all: it shares what it has read, checks each source once, and lets those that import it see its
// declarations (below .cache/types, with what it needs to look only at what has changed since).
const { code, output, seconds } = await run('tsc', ['-b', ...projects, '--pretty', 'false']);
process.stdout.write(output);
console.log(
  `typecheck: ${projects.length} projects ${code === 0 ? 'are sound' : 'FAILED'}, ${seconds.toFixed(1)} s`,
);
process.exit(code);
