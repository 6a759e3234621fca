// Does `npm start` do what a newcomer needs? Runs it as they would: the main job and the build without serving, then
// twice with the same PORT. Both must serve the studio on the loopback address, the second on another port, without
// a display, and Ctrl-C must stop each with status 0.
import { spawn } from 'node:child_process';
import { existsSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from './lib/house.mjs';

const LIMIT_MS = 120_000;
const posed = join(root, 'out/pose.glb');

rmSync(posed, { force: true });
const job = start(['--no-serve']);
check('npm start -- --no-serve ends with status 0', (await job.ended) === 0, job);
check('it wrote out/pose.glb', existsSync(posed) && statSync(posed).size > 0, job);
check('it printed the status of the solve', /converged/.test(job.output()), job);
check('it built the studio', existsSync(join(root, 'apps/studio/dist/index.html')), job);

const port = await freePort();
const first = start([], { PORT: String(port) });
const firstAddress = await first.address;
check(`it serves on PORT=${port}`, firstAddress === `http://127.0.0.1:${port}/`, first);
const page = await (await fetch(firstAddress)).text();
check(
  'the page is the studio',
  /<script[^>]+type="module"/.test(page) && /<title>[^<]*Poise/i.test(page),
  first,
);
const script = /<script[^>]+src="([^"]+)"/.exec(page)?.[1] ?? '';
check('its script is served', (await fetch(new URL(script, firstAddress))).ok, first);
const lessons = await (await fetch(new URL('learn/', firstAddress))).text();
check('its lessons are served', /<title>Learn Poise/.test(lessons), first);

const second = start([], { PORT: String(port) });
const secondAddress = await second.address;
check(
  'a second one takes another port',
  secondAddress !== firstAddress && (await fetch(secondAddress)).ok,
  second,
);

for (const one of [second, first]) {
  one.interrupt();
  check('Ctrl-C stops it with status 0', (await one.ended) === 0, one);
}
check('nothing listens afterwards', await refused(firstAddress), first);

/**
 * @param {string[]} flags
 * @param {Record<string, string>} [env]
 */
function start(flags, env = {}) {
  const environment = { ...process.env, NO_COLOR: '1', ...env };
  for (const display of ['DISPLAY', 'WAYLAND_DISPLAY']) Reflect.deleteProperty(environment, display);
  // Without npm between, whose own handling of signals is not ours to test; a group of its own, to end it all.
  const child = spawn(process.execPath, ['scripts/start.mjs', ...flags], {
    cwd: root,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  const ended = new Promise((resolve) => child.on('close', resolve));
  const address = new Promise((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
        const found = /Poise studio: (http:\S+)/.exec(output);
        if (found) resolve(found[1]);
      });
    }
    ended.then(() => resolve('none: it ended'));
  });
  const group = (/** @type {NodeJS.Signals} */ signal) => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, signal);
  };
  const timer = setTimeout(() => group('SIGKILL'), LIMIT_MS);
  ended.then(() => clearTimeout(timer));
  process.on('exit', () => group('SIGKILL'));
  return {
    output: () => output,
    ended,
    address: /** @type {Promise<string>} */ (address),
    interrupt: () => group('SIGINT'),
  };
}

/**
 * @param {string} claim
 * @param {boolean} holds
 * @param {{ output: () => string }} whose
 */
function check(claim, holds, whose) {
  console.log(`start: ${holds ? 'ok' : 'NOT SO'}: ${claim}`);
  if (holds) return;
  console.log(whose.output());
  process.exit(1);
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

/** @param {string} address */
async function refused(address) {
  for (let attempt = 0; attempt < 20; attempt++) {
    try {
      await fetch(address);
    } catch {
      return true;
    }
    await sleep(100);
  }
  return false;
}
