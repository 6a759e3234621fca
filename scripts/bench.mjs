// npm run bench -- NAME [ARGUMENT...]: bundles benchmarks/src/NAME.ts with the sources of the packages and runs it
// with plain Node. Peers stay as their authors ship them. Without a name: lists the benchmarks, which are the files
// whose comments say how they are run (`npm run bench -- NAME`).
//   NODE_FLAGS="--trace-gc --expose-gc" npm run bench -- forward-kinematics
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { root } from './lib/house.mjs';

const [name, ...args] = process.argv.slice(2);
const source = join(root, 'benchmarks/src');
const names = readdirSync(source)
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
  .map((file) => file.slice(0, -'.ts'.length));
if (name === undefined || !names.includes(name)) {
  const runnable = names.filter((each) =>
    readFileSync(join(source, `${each}.ts`), 'utf8').includes(`npm run bench -- ${each}`),
  );
  console.log(`usage: npm run bench -- NAME [ARGUMENT...]\n\nbenchmarks: ${runnable.join(', ')}`);
  process.exit(name === undefined ? 0 : 2);
}

const outDir = join(root, 'benchmarks/.cache');
await build({
  configFile: false,
  root: join(root, 'benchmarks'),
  logLevel: 'warn',
  resolve: { conditions: ['poise-source', 'module', 'node', 'import', 'default'] },
  ssr: {
    resolve: { conditions: ['poise-source', 'module', 'node', 'import', 'default'] },
    noExternal: [/^@?poise(\/|$)/],
  },
  build: {
    ssr: join(source, `${name}.ts`),
    outDir,
    emptyOutDir: false,
    target: 'node20',
    minify: false,
    sourcemap: true,
    rolldownOptions: { output: { entryFileNames: `${name}.mjs`, chunkFileNames: `${name}-[name].mjs` } },
  },
});
const flags = (process.env.NODE_FLAGS ?? '').split(' ').filter(Boolean);
const { status } = spawnSync(
  process.execPath,
  ['--enable-source-maps', ...flags, join(outDir, `${name}.mjs`), ...args],
  {
    cwd: root,
    stdio: 'inherit',
  },
);
process.exit(status ?? 1);
