// node scripts/draw-spacetime.mjs [NAME...]: solves the examples of examples/spacetime, all or those named, and draws their strips into
// docs/spacetime, from the sources.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './lib/house.mjs';
import { withSources } from './lib/source-modules.mjs';

const place = 'docs/spacetime';
await withSources(async (load) => {
  const module = await load(join(root, 'examples/spacetime/draw.ts'));
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
});
