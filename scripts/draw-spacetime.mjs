// node scripts/draw-spacetime.mjs [NAME...]: solves the examples of examples/spacetime, all or those named, and draws their strips into
// docs/spacetime, from the sources.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createServer, defaultServerConditions } from 'vite';
import { root } from './lib/house.mjs';

const place = 'docs/spacetime';
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
const module = await server.ssrLoadModule(join(root, 'examples/spacetime/draw.ts'));
mkdirSync(join(root, place), { recursive: true });
for (const name of module.names) {
  if (process.argv.length > 2 && !process.argv.includes(name, 2)) continue;
  const began = performance.now();
  const { svg, solution } = module.drawExample(name);
  writeFileSync(join(root, place, `${name}.svg`), svg);
  const { status, iterations, violation, cost } = solution;
  console.log(
    `${place}/${name}.svg ${(svg.length / 1000).toFixed(1)} kB: ${status} after ${iterations} iterations, ${((performance.now() - began) / 1000).toFixed(1)} s; cost ${cost.toPrecision(4)}, violation ${violation.toExponential(1)}`,
  );
}
await server.close();
