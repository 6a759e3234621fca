// npm run build [PACKAGE...]: dist/ of the published packages (all, or those named: core formats three cli).
import { buildPackages } from './lib/build.mjs';
import { publicPackages } from './lib/house.mjs';

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !publicPackages.includes(name));
if (unknown.length > 0) {
  console.error(`build: no package ${unknown.join(', ')}; there are ${publicPackages.join(', ')}`);
  process.exit(2);
}
const ok = await buildPackages(wanted.length > 0 ? wanted : publicPackages);
process.exit(ok ? 0 : 1);
