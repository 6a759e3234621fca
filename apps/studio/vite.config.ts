import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { createServer, defaultClientConditions, defineConfig, type Plugin } from 'vite';
import { policy } from './policy.mjs';

/** The shaders of three.js without comments and indentation, as in its own bundle. */
const shaders: Plugin = {
  name: 'shaders',
  apply: 'build',
  transform: {
    filter: { id: /three\/src\/.*\.glsl\.js$/ },
    handler: (code) =>
      code.replace(/`[^`]*`/g, (text) =>
        text
          .replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
          .replace(/[ \t]+/g, ' ')
          .replace(/\s*\n\s*/g, '\n'),
      ),
  },
};

/** What is put into the service worker when everything else is there. */
const PLACEHOLDER = '__FILES__';

/**
 * The service worker, with the names of all files of this build and a version of their contents: it keeps them for visits without a
 * network. Not in development, where files have no versions.
 */
const offline: Plugin = {
  name: 'offline',
  apply: 'build',
  buildStart() {
    this.emitFile({ type: 'chunk', id: 'offline/service-worker.ts', fileName: 'service-worker.js' });
  },
  generateBundle: {
    order: 'post',
    handler(_, bundle) {
      const { 'service-worker.js': worker, ...others } = bundle;
      if (worker?.type !== 'chunk') return;
      const names = Object.keys(others).sort();
      const hash = createHash('sha256').update(worker.code);
      for (const name of names) {
        const file = others[name];
        hash.update(name).update(file.type === 'chunk' ? file.code : file.source);
      }
      const files = { version: hash.digest('hex').slice(0, 16), names };
      worker.code = worker.code.replace(PLACEHOLDER, () => JSON.stringify(files));
    },
  },
};

/** The lessons and examples, below learn/: from their sources in development; beside the studio's build otherwise (scripts/lib/studio.mjs). */
const learn: Plugin = {
  name: 'learn',
  apply: 'serve',
  async configureServer(server) {
    const pages = await createServer({
      root: fileURLToPath(new URL('../../examples', import.meta.url)),
      base: '/learn/',
      server: { middlewareMode: true },
    });
    server.middlewares.use((request, response, next) => {
      if (request.url?.startsWith('/learn/')) pages.middlewares(request, response, next);
      else next();
    });
    server.httpServer?.once('close', () => void pages.close());
  },
};

export default defineConfig({
  // Under any path of any server.
  base: './',
  plugins: [react(), shaders, policy, offline, learn],
  resolve: {
    // Workspace packages from their TypeScript sources (docs/decisions/0001).
    conditions: ['poise-source', ...defaultClientConditions],
    // The modules of three.js in place of its bundle: what only a reader of files needs is loaded with that.
    alias: [{ find: /^three$/, replacement: 'three/src/Three.js' }],
  },
  server: { host: '127.0.0.1' },
  preview: { host: '127.0.0.1' },
  build: {
    target: 'es2022',
    // Those with light-dark(): all of them preload modules.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    modulePreload: { polyfill: false },
    // WebGL's renderer with its shaders is one.
    chunkSizeWarningLimit: 700,
  },
});
