import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defaultClientConditions, defineConfig, type Plugin, runnerImport } from 'vite';

const root = fileURLToPath(new URL('.', import.meta.url));

/** Every folder with an index.html is an example page, found automatically. */
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

/** Workspace packages from their TypeScript sources (docs/decisions/0001). */
const resolve = { conditions: ['poise-source', ...defaultClientConditions] };

/** URL of the generated character: created on request, so that no file is kept. */
const CHARACTER = 'skinned-mesh/character.glb';

async function makeCharacter(): Promise<Uint8Array> {
  const { module } = await runnerImport<typeof import('./make-character.js')>(
    join(root, 'make-character.ts'),
    {
      configFile: false,
      logLevel: 'error',
      environments: { inline: { resolve: { ...resolve, noExternal: [/^poise(\/|$)/, /^@poise\//] } } },
    },
  );
  return module.makeCharacter();
}

const serveCharacter: Plugin = {
  name: 'serve-character',
  configureServer({ middlewares }) {
    middlewares.use(`/${CHARACTER}`, async (_, response) => {
      response.setHeader('Content-Type', 'model/gltf-binary').end(await makeCharacter());
    });
  },
  async generateBundle() {
    this.emitFile({ type: 'asset', fileName: CHARACTER, source: await makeCharacter() });
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
  plugins: [listExamples, serveCharacter],
  resolve,
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
