// node scripts/studio-frames.mjs [--out FILE]: drags the left hand of the built-in human by pointer in headless Chromium, with five pins, ground
// and balance, in the studio as it is served, and prints the script of a frame: processor time of what runs script on the main thread, by
// the browser's trace, without layout, painting and the rasterizer; and the solve that the page shows, a mean of 60.
import { writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { preview } from 'vite';
import { withSources } from './lib/source-modules.mjs';
import { buildStudio, studio } from './lib/studio.mjs';

/** @typedef {Awaited<ReturnType<typeof import('./test-support/chromium.js').launchChromium>>} Browser */
/** @typedef {Awaited<ReturnType<Browser['newPage']>>} Page */
/** @typedef {{ name: string, ts: number, dur?: number, tdur?: number, tid: number, pid: number }} TraceEvent */

const { values: options } = parseArgs({ options: { out: { type: 'string' } } });
const load = loadavg()[0].toFixed(2);
/** The first warms up. */
const DRAGS = 3;
const MOVES = 50;
const RADIUS = 60;
const PINS = ['leftFoot', 'rightFoot', 'rightHand', 'head', 'hips'];
/** Tasks that run script. */
const SCRIPT = [
  'FireAnimationFrame',
  'EventDispatch',
  'TimerFire',
  'RunMicrotasks',
  'FunctionCall',
  'MajorGC',
  'MinorGC',
];
/** What ends a frame of the main thread. */
const END_OF_FRAME = 'Layerize';

/** @param {Page} page */
async function prepare(page) {
  await page.goto(server.resolvedUrls?.local[0] ?? '');
  await page.locator('[data-handle=leftHand]').waitFor();
  for (const id of PINS) {
    const pin = page.locator(`[data-goal=${id}] button`);
    if ((await pin.getAttribute('aria-pressed')) === 'false') await pin.click();
  }
  await page.locator('.timing summary').click();
  const pinned = await page.locator('.goals [aria-pressed=true]').count();
  const on = await page.locator('.standing input:checked').count();
  if (pinned !== PINS.length || on !== 2) throw new Error(`${pinned} pins and ${on} switches are on`);
}

/** Moves the hand on a circle, once a frame. @param {Page} page @returns {Promise<number[]>} solves that were shown, ms */
async function drag(page) {
  const box = await page.locator('[data-handle=leftHand]').boundingBox();
  if (box === null) throw new Error('there is no hand');
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const solves = [];
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let k = 1; k <= MOVES; k++) {
    const angle = (2 * Math.PI * k) / MOVES;
    await page.mouse.move(x + RADIUS * (Math.cos(angle) - 1), y + RADIUS * Math.sin(angle));
    const shown = await page.evaluate(
      () =>
        new Promise((resolve) => {
          requestAnimationFrame(() =>
            resolve(document.querySelector('.numbers')?.getAttribute('data-solve-milliseconds')),
          );
        }),
    );
    if (typeof shown === 'string') solves.push(Number(shown));
  }
  await page.mouse.up();
  return solves;
}

/** Script of each frame of a trace, ms. @param {readonly TraceEvent[]} events */
function scriptOfFrames(events) {
  const main = events.find(({ name }) => name === 'FireAnimationFrame');
  const own = events
    .filter(({ pid, tid }) => pid === main?.pid && tid === main.tid)
    .sort((a, b) => a.ts - b.ts || (b.dur ?? 0) - (a.dur ?? 0));
  const frames = own.filter(({ name }) => name === END_OF_FRAME);
  const tasks = own.filter(({ name }) => SCRIPT.includes(name));
  if (frames.length === 0)
    throw new Error(`no frames: ${[...new Set(own.map(({ name }) => name))].join(' ')}`);
  const sums = frames.map(() => 0);
  let [frame, end] = [0, 0];
  for (const { ts, dur = 0, tdur = dur } of tasks) {
    // One within another is counted with it.
    if (ts < end || ts < frames[0].ts) continue;
    end = ts + dur;
    while (frame + 1 < frames.length && frames[frame + 1].ts <= ts) frame++;
    sums[frame] += tdur / 1000;
  }
  return sums.slice(0, -1).filter((time) => time > 0);
}

/** @param {readonly number[]} sorted @param {number} share */
const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];

/** @param {Browser} browser */
async function measure(browser) {
  const page = await browser.newPage({ viewport: { width: 1366, height: 650 }, deviceScaleFactor: 0.25 });
  await prepare(page);
  await drag(page);
  const [frames, solves] = [/** @type {number[]} */ ([]), /** @type {number[]} */ ([])];
  for (let n = 1; n < DRAGS; n++) {
    await browser.startTracing(page, { categories: ['devtools.timeline'] });
    solves.push(...(await drag(page)));
    const trace = JSON.parse((await browser.stopTracing()).toString());
    frames.push(...scriptOfFrames(trace.traceEvents));
  }
  const [sorted, solved] = [frames, solves].map((values) => values.sort((a, b) => a - b));
  const rows = [
    ['script of a frame', sorted],
    ['solve', solved],
  ].map(([name, values]) => {
    const numbers = [0.5, 0.9, 0.99, 1].map(
      (share) => `${at(/** @type {number[]} */ (values), share).toFixed(2)} ms`,
    );
    return `| ${[name, values.length, ...numbers].join(' | ')} |`;
  });
  const long = sorted.filter((time) => time > 8).length;
  return `# Script of the studio's frames

- machine: ${cpus()[0].model.trim()}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform} ${process.arch}
- load average when it began: ${load}${Number(load) > 0.5 ? ' (NOT quiet: other work ran beside it)' : ''}
- engine: Chromium ${browser.version()}, headless, drawn in software
- date: ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC
- command: \`node scripts/studio-frames.mjs\`
- the built-in human with ground and balance, five pins (${PINS.join(', ')}): ${DRAGS - 1} drags of the left hand around a circle of ${2 * RADIUS} px in ${MOVES} moves, after one that warms up
- script: processor time of the main thread within frames, events, timers, microtasks and garbage collection; without layout, painting and the rasterizer. ${long} of ${sorted.length} frames took more than 8 ms
- solve: as the page shows it, the mean of the last 60, read each frame

| | count | median | p90 | p99 | largest |
| --- | ---: | ---: | ---: | ---: | ---: |
${rows.join('\n')}
`;
}

await buildStudio();
const server = await preview({
  root: studio,
  logLevel: 'error',
  preview: { host: '127.0.0.1', port: 0, strictPort: true },
});
try {
  await withSources(async (loadModule) => {
    const { launchChromium } = await loadModule('scripts/test-support/chromium.ts');
    /** @type {Browser} */
    const browser = await launchChromium();
    const report = await measure(browser);
    await browser.close();
    console.log(report);
    if (options.out !== undefined) writeFileSync(options.out, report);
  });
} finally {
  await server.close();
}
