import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { root } from './house.mjs';

const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM']);

/** How to end each program that runs. @type {Set<() => void>} */
const running = new Set();

function endAll() {
  for (const end of running) end();
  process.exit(130);
}

/**
 * Runs a program of node_modules/.bin or the system, without a shell and without standard input.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {object} [options]
 * @param {string} [options.cwd]
 * @param {Record<string, string>} [options.env] added to this process's environment
 * @param {boolean} [options.show] pass its output through as it comes; it is collected in any case
 * @param {number} [options.timeout] seconds after which it is killed, its children with it
 * @returns {Promise<{ code: number, output: string, seconds: number, timedOut: boolean }>}
 */
export function run(command, args, { cwd = root, env = {}, show = false, timeout } = {}) {
  const started = performance.now();
  return new Promise((resolve) => {
    const windows = process.platform === 'win32';
    const child = spawn(command, args, {
      cwd,
      env: {
        ...process.env,
        // Output goes through a pipe: say whether a person or a log reads it in the end.
        ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : { NO_COLOR: '1', FORCE_COLOR: '0' }),
        ...env,
        PATH: `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH ?? ''}`,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own, so that a timeout or Ctrl-C can end what it started as well.
      detached: !windows,
      shell: windows,
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8');
      stream.on('data', (text) => {
        output += text;
        if (show) process.stdout.write(text);
      });
    }
    let timedOut = false;
    const endGroup = (/** @type {NodeJS.Signals} */ signal) => {
      if (child.pid === undefined) return;
      try {
        process.kill(windows ? child.pid : -child.pid, signal);
      } catch {
        // Already gone.
      }
    };
    const timer = timeout
      ? setTimeout(() => {
          timedOut = true;
          endGroup('SIGKILL');
        }, timeout * 1000)
      : undefined;
    const end = () => endGroup('SIGTERM');
    if (running.size === 0) for (const signal of SIGNALS) process.on(signal, endAll);
    running.add(end);
    const finish = (/** @type {number} */ code) => {
      clearTimeout(timer);
      running.delete(end);
      if (running.size === 0) for (const signal of SIGNALS) process.off(signal, endAll);
      resolve({ code, output, seconds: (performance.now() - started) / 1000, timedOut });
    };
    child.on('error', (error) => {
      output += `${command}: ${error.message}\n`;
      finish(127);
    });
    child.on('close', (code, signal) => finish(code ?? (signal ? 128 : 1)));
  });
}
