// Threads that read damaged files or solve random problems: bundled from TypeScript, watched by their clock, replaced where they die.
import { join, relative } from 'node:path';
import { Worker } from 'node:worker_threads';
import { bundleForNode } from './bundle-for-node.mjs';
import { root } from './house.mjs';

const HEAP_MB = 2048;
/** A thread that waits for ever uses no processor time: without a sign of life for so long it is ended too, ms. */
const WAITING = 3_600_000;

/**
 * A TypeScript file as one module for Node, with the sources of the packages.
 *
 * @param {string} workspace folder whose dependencies it sees, from the root
 * @param {string} entry from the root
 * @param {string} outDir
 * @param {string} [name] of the file that is written
 * @returns {Promise<string>} path of the module
 */
export async function bundleThread(workspace, entry, outDir, name = 'worker') {
  const entries = { [name]: relative(workspace, entry) };
  const inlined = ['fast-xml-parser', 'commander'];
  await bundleForNode({ folder: join(root, workspace), entries, outDir, inlined });
  return join(outDir, `${name}.mjs`);
}

/**
 * Runs a thread to its end. It writes the number of what it does into `clock[0]` and the time into `clock[1]`, ms since 1970. Without a sign
 * of life while the process has used `hang` ms of processor time it is ended: the clock on the wall depends on what else the machine does.
 *
 * @param {string} module
 * @param {{ from: number } & Record<string, unknown>} task
 * @param {(message: any) => void} listen
 * @param {{ hang: number, started?: (worker: Worker) => void }} options
 * @returns {Promise<{ at: number, end?: string }>} what it did last, and how it ended where it did not come to its end
 */
export function runThread(module, task, listen, { hang, started }) {
  const clock = new Float64Array(new SharedArrayBuffer(16));
  clock[0] = task.from;
  clock[1] = Date.now() + 60_000;
  return new Promise((done) => {
    const worker = new Worker(module, {
      workerData: { ...task, clock },
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    started?.(worker);
    /** @type {string | undefined} */
    let end;
    let seen = clock[1];
    let before = process.cpuUsage();
    const watch = setInterval(() => {
      if (clock[1] !== seen) [seen, before] = [clock[1], process.cpuUsage()];
      const { user, system } = process.cpuUsage(before);
      if ((user + system) / 1000 < hang && Date.now() - clock[1] < WAITING) return;
      end = `hangs: nothing for ${hang / 1000} s of processor time`;
      void worker.terminate();
    }, 250);
    worker.on('message', listen);
    worker.on('error', (error) => {
      end ??= `ends the thread: ${error.message}`;
    });
    worker.on('exit', () => {
      clearInterval(watch);
      done({ at: clock[0], ...(end !== undefined && { end }) });
    });
  });
}
