// npm start: does the main job once on the built-in figure, then serves the studio on this machine.
//   npm start -- --no-serve   the job and the studio's build only, then exits 0
//   npm start -- --dev        the studio from its sources, reloading as they change
//   PORT=4300 npm start       another port; when it is taken, the next free one
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createServer, preview } from 'vite';
import { buildPackages, stalePackages } from './lib/build.mjs';
import { root } from './lib/house.mjs';
import { run } from './lib/run.mjs';
import { buildStudio, studio } from './lib/studio.mjs';

const DEFAULT_PORT = 4173;
const HOST = '127.0.0.1';

const flags = process.argv.slice(2);
const unknown = flags.filter((flag) => !['--no-serve', '--dev'].includes(flag));
const port = Number(process.env.PORT || DEFAULT_PORT);
if (unknown.length > 0) fail(`unknown option ${unknown.join(' ')}; there are --no-serve and --dev`, 2);
if (!Number.isInteger(port) || port < 1 || port > 65535)
  fail(`PORT=${process.env.PORT} is no port number`, 2);

if (!(await buildPackages(stalePackages(['core', 'formats', 'cli'])))) fail('a package does not build', 1);

const out = join(root, 'out');
mkdirSync(out, { recursive: true });
const job = ['pose', '--goal', 'leftHand=0.35,1.45,0.45', '-o', 'out/pose.glb'];
console.log(`\n$ poise ${job.join(' ')}`);
const { code } = await run(process.execPath, ['packages/cli/dist/main.js', ...job], { show: true });
if (code !== 0) fail(`poise pose ended with status ${code}`, 1);
console.log('');

const dev = flags.includes('--dev');
const serve = !flags.includes('--no-serve');
if (!(dev && serve)) await buildStudio();
if (serve) await serveStudio();

async function serveStudio() {
  const address = { host: HOST, port, strictPort: false, open: false };
  const common = /** @type {const} */ ({ root: studio, logLevel: 'warn', clearScreen: false });
  const server = dev
    ? await (await createServer({ ...common, server: address })).listen()
    : await preview({ ...common, preview: address });
  const actual = server.httpServer?.address();
  const actualPort = typeof actual === 'object' && actual ? actual.port : port;
  if (actualPort !== port) console.log(`start: port ${port} is taken, using ${actualPort}`);
  console.log(`\nPoise studio: http://${HOST}:${actualPort}/   (Ctrl-C stops)\n`);

  let stopping = false;
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) {
    process.on(signal, async () => {
      if (stopping) return;
      stopping = true;
      console.log('\nstart: stopped');
      await server.close();
      process.exit(0);
    });
  }
}

/** @param {string} message @param {number} status @returns {never} */
function fail(message, status) {
  console.error(`start: ${message}`);
  process.exit(status);
}
