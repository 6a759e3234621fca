import { createServer, defaultServerConditions } from 'vite';
import { root } from './house.mjs';

/**
 * Calls `use` with a loader of TypeScript modules from their sources, and closes it.
 *
 * @template T
 * @param {(load: (path: string) => Promise<Record<string, any>>) => Promise<T>} use
 * @returns {Promise<T>}
 */
export async function withSources(use) {
  const server = await createServer({
    configFile: false,
    root,
    appType: 'custom',
    logLevel: 'error',
    server: { middlewareMode: true, hmr: false, ws: false, watch: null },
    optimizeDeps: { noDiscovery: true, include: [] },
    ssr: {
      noExternal: [/^poise/, /^@poise\//],
      resolve: { conditions: ['poise-source', ...defaultServerConditions] },
    },
  });
  try {
    return await use((path) => server.ssrLoadModule(path));
  } finally {
    await server.close();
  }
}
