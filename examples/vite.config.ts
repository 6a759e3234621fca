import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { policy } from '@poise/studio/policy';
import { defaultClientConditions, defineConfig, type Plugin, runnerImport } from 'vite';
import { frames, pages } from './vite.frames.js';

const root = fileURLToPath(new URL('.', import.meta.url));

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
  configureServer({ middlewares, config }) {
    // Hooks come before the base is taken off.
    middlewares.use(`${config.base.replace(/^\.\//, '/')}${CHARACTER}`, async (_, response) => {
      response.setHeader('Content-Type', 'model/gltf-binary').end(await makeCharacter());
    });
  },
  async generateBundle() {
    this.emitFile({ type: 'asset', fileName: CHARACTER, source: await makeCharacter() });
  },
};

export default defineConfig({
  root,
  // Relative addresses, so that the built pages work under any path.
  base: './',
  plugins: [frames, serveCharacter, policy],
  resolve,
  server: { host: '127.0.0.1' },
  preview: { host: '127.0.0.1' },
  build: {
    target: 'es2022',
    chunkSizeWarningLimit: 1200,
    rolldownOptions: {
      input: ['', ...pages.map(({ name }) => name)].map((name) => join(root, name, 'index.html')),
      output: { codeSplitting: { groups: [{ name: 'three', test: /node_modules[\\/]three[\\/]/ }] } },
    },
  },
});
