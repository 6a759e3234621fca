import { join } from 'node:path';
import { build } from 'vite';

const conditions = ['poise-source', 'module', 'node', 'import', 'default'];

/**
 * TypeScript of a workspace as modules for Node, with the sources of the packages; other dependencies stay outside.
 *
 * @param {object} options
 * @param {string} options.folder of the workspace
 * @param {Record<string, string>} options.entries by the name of the file that is written: from the workspace's folder
 * @param {string} options.outDir what lies there stays
 * @param {string} [options.extension] of the files that are written
 * @param {string} [options.chunk] the name of what entries share, with `[name]` in it
 * @param {string[]} [options.inlined] dependencies that are bundled too
 * @param {boolean} [options.sourcemap]
 */
export function bundleForNode({
  folder,
  entries,
  outDir,
  extension = 'mjs',
  chunk = '[name]',
  inlined = [],
  sourcemap = false,
}) {
  return build({
    configFile: false,
    root: folder,
    logLevel: 'warn',
    resolve: { conditions },
    ssr: { resolve: { conditions }, noExternal: [/^@?poise(\/|$)/, ...inlined] },
    build: {
      ssr: true,
      outDir,
      emptyOutDir: false,
      target: 'node20',
      minify: false,
      sourcemap,
      rolldownOptions: {
        input: Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, join(folder, path)])),
        output: { entryFileNames: `[name].${extension}`, chunkFileNames: `${chunk}.${extension}` },
      },
    },
  });
}
