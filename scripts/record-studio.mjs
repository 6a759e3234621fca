// node scripts/record-studio.mjs: records the studio for the README, from its sources: docs/figures/studio.webp.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createServer } from 'vite';
import { animatedWebp } from './lib/animated-webp.mjs';
import { root } from './lib/house.mjs';
import { withSources } from './lib/source-modules.mjs';
import { studio } from './lib/studio.mjs';

/** Size of the page, px, and of the recording. */
const PAGE = { width: 1200, height: 750 };
const SIZE = { width: 736, height: 460 };
const QUALITY = 0.35;
const FRAME = 1000 / 12;

/** @typedef {Awaited<ReturnType<typeof import('./test-support/chromium.js').launchChromium>>} Browser */
/** @typedef {Awaited<ReturnType<Browser['newPage']>>} Page */

/** @type {import('./lib/animated-webp.mjs').Frame[]} */
const frames = [];
const file = join(root, 'docs/figures/studio.webp');
const server = await createServer({ root: studio, logLevel: 'error', server: { hmr: false, watch: null } });
await server.listen();
try {
  await withSources(async (load) => {
    const { launchChromium } = await load(join(root, 'scripts/test-support/chromium.ts'));
    const browser = await launchChromium();
    try {
      await record(browser);
    } finally {
      await browser.close();
    }
  });
} finally {
  await server.close();
}
writeFileSync(file, animatedWebp(SIZE.width, SIZE.height, frames));

/** @param {Browser} browser */
async function record(browser) {
  const page = await browser.newPage({ viewport: PAGE, colorScheme: 'light' });
  const painter = await browser.newPage();
  await page.goto(server.resolvedUrls?.local[0] ?? '');
  await page.locator('[data-handle=leftHand]').waitFor();
  // What plays and falls goes by this clock from now on, a frame at a time.
  await page.clock.install();
  let [x, y] = [PAGE.width / 3, PAGE.height - 40];

  /** One picture more, of the page with a pointer. */
  const shoot = async (milliseconds = FRAME) => {
    await page.clock.runFor(FRAME);
    const png = (await page.screenshot()).toString('base64');
    frames.push({ ...(await paint(painter, png, x, y)), milliseconds });
  };
  /** Moves the pointer in so many frames. @param {number} toX @param {number} toY @param {number} count */
  const go = async (toX, toY, count) => {
    const [fromX, fromY] = [x, y];
    for (let n = 1; n <= count; n++) {
      const share = (1 - Math.cos((Math.PI * n) / count)) / 2;
      [x, y] = [fromX + share * (toX - fromX), fromY + share * (toY - fromY)];
      await page.mouse.move(x, y);
      await shoot();
    }
  };
  /** @param {ReturnType<Page['locator']>} target @param {number} count */
  const goTo = async (target, count) => {
    const box = await target.boundingBox();
    if (box === null) throw new Error(`nothing to point at: ${target}`);
    await go(box.x + box.width / 2, box.y + box.height / 2, count);
  };
  /** @param {string} id @param {readonly (readonly [x: number, y: number, frames: number])[]} path from where it is */
  const drag = async (id, path) => {
    await goTo(page.locator(`[data-handle=${id}]`), 6);
    await page.mouse.down();
    for (const [dx, dy, count] of path) await go(x + dx, y + dy, count);
    await page.mouse.up();
    await shoot(3 * FRAME);
  };
  /** @param {ReturnType<Page['locator']>} target */
  const click = async (target) => {
    await goTo(target, 6);
    await page.mouse.down();
    await page.mouse.up();
    await shoot(3 * FRAME);
  };

  await shoot(600);
  await drag('leftHand', [
    [110, -210, 10],
    [70, -90, 7],
  ]);
  await drag('hips', [[-20, 90, 8]]);
  await drag('rightFoot', [
    [-90, -60, 7],
    [-60, -70, 7],
  ]);
  await click(page.getByRole('button', { name: 'Let it fall', exact: true }));
  await page.locator('button.drop').waitFor();
  await click(page.locator('button.drop'));
  for (let n = 0; n < 23; n++) await shoot();
  await shoot(1200);
}

/**
 * A screenshot scaled down, with a pointer: the rectangle that differs from the one before, as WebP.
 *
 * @param {Page} painter
 * @param {string} png
 * @param {number} x of the pointer, px of the page
 * @param {number} y
 */
async function paint(painter, png, x, y) {
  const scale = SIZE.width / PAGE.width;
  const { url, ...box } = await painter.evaluate(
    async ([data, width, height, quality, px, py]) => {
      const image = new Image();
      image.src = `data:image/png;base64,${data}`;
      await image.decode();
      const canvasOf = (/** @type {number} */ w, /** @type {number} */ h) => {
        const canvas = Object.assign(document.createElement('canvas'), { width: w, height: h });
        const context = canvas.getContext('2d', { alpha: false });
        return { canvas, context: /** @type {CanvasRenderingContext2D} */ (context) };
      };
      const { canvas, context } = canvasOf(width, height);
      context.imageSmoothingQuality = 'high';
      context.drawImage(image, 0, 0, width, height);
      context.translate(px, py);
      const arrow = new Path2D('M0 0v17l4-4 3 7 3-1-3-7h6z');
      context.fillStyle = '#111';
      context.strokeStyle = '#fff';
      context.lineWidth = 1.5;
      context.fill(arrow);
      context.stroke(arrow);
      const { data: now } = context.getImageData(0, 0, width, height);
      const kept = /** @type {{ before?: Uint8ClampedArray }} */ (window);
      const { before } = kept;
      kept.before = now;
      let [left, top, right, bottom] = before === undefined ? [0, 0, width, height] : [width, height, 0, 0];
      for (let n = 0; before !== undefined && n < now.length; n += 4) {
        const differs = [0, 1, 2].some((k) => Math.abs(now[n + k] - before[n + k]) > 2);
        if (!differs) continue;
        const [column, row] = [(n / 4) % width, Math.floor(n / 4 / width)];
        left = Math.min(left, column);
        right = Math.max(right, column + 1);
        top = Math.min(top, row);
        bottom = Math.max(bottom, row + 1);
      }
      [left, top] = [left, top].map((edge) => 2 * Math.floor(edge / 2));
      if (right <= left) [left, top, right, bottom] = [0, 0, 2, 2];
      const part = canvasOf(right - left, bottom - top);
      part.context.drawImage(canvas, -left, -top);
      return {
        url: part.canvas.toDataURL('image/webp', quality),
        x: left,
        y: top,
        width: right - left,
        height: bottom - top,
      };
    },
    /** @type {const} */ ([png, SIZE.width, SIZE.height, QUALITY, scale * x, scale * y]),
  );
  return { webp: Buffer.from(url.split(',')[1], 'base64'), ...box };
}
