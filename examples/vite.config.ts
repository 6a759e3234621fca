import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defaultClientConditions, defineConfig, type Plugin } from 'vite';

const root = fileURLToPath(new URL('.', import.meta.url));

/** Every folder here with an index.html is an example: a page of its own, found by itself. */
const examples = readdirSync(root)
  .filter((name) => existsSync(join(root, name, 'index.html')) && name !== 'dist')
  .sort();

/** The first page lists the examples by their own titles and descriptions. */
const listExamples: Plugin = {
  name: 'list-examples',
  transformIndexHtml: {
    order: 'pre',
    handler: (html) => html.replace('<!-- examples -->', () => examples.map(entry).join('\n      ')),
  },
};

function entry(name: string): string {
  const html = readFileSync(join(root, name, 'index.html'), 'utf8');
  const title = /<title>([^<]*)<\/title>/.exec(html)?.[1] ?? name;
  const description = /<meta\s+name="description"\s+content="([^"]*)"/.exec(html)?.[1] ?? '';
  return `<li><a href="./${name}/index.html">${title}</a><p>${description}</p></li>`;
}

export default defineConfig({
  root,
  // Relative addresses, so that the built pages work under any path.
  base: './',
  plugins: [listExamples],
  // Workspace packages from their TypeScript sources (docs/decisions/0001).
  resolve: { conditions: ['poise-source', ...defaultClientConditions] },
  server: { host: '127.0.0.1' },
  preview: { host: '127.0.0.1' },
  build: {
    target: 'es2022',
    chunkSizeWarningLimit: 1200,
    rolldownOptions: {
      input: ['index.html', ...examples.map((name) => `${name}/index.html`)].map((page) => join(root, page)),
      output: { codeSplitting: { groups: [{ name: 'three', test: /node_modules[\\/]three[\\/]/ }] } },
    },
  },
});
