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

let failures = 0;
const queue = [...projects];
// Two at a time: each compiler is single-threaded and takes a few hundred megabytes.
await Promise.all([worker(), worker()]);
console.log(`typecheck: ${projects.length - failures} of ${projects.length} projects are sound`);
process.exit(failures === 0 ? 0 : 1);

async function worker() {
  for (let project = queue.shift(); project; project = queue.shift()) {
    const { code, output, seconds } = await run('tsc', ['-p', project, '--pretty', 'false']);
    console.log(`typecheck: ${project} ${code === 0 ? 'ok' : 'FAILED'} ${seconds.toFixed(1)} s`);
    if (code === 0) continue;
    failures++;
    process.stdout.write(output);
  }
}
