// node scripts/draw-studio.mjs [NAME ...]: takes the pictures of docs/studio-walk.md and docs/studio.md from the sources of the studio: docs/figures/studio-NAME.webp. That of a
// loop needs the recording of ../shared/data, and stays as it is without it.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createServer } from 'vite';
import { root } from './lib/house.mjs';
import { withSources } from './lib/source-modules.mjs';
import { studio } from './lib/studio.mjs';

/** Size of the page, px, and width of a picture. */
const PAGE = { width: 1280, height: 800 };
const WIDTH = 800;
const QUALITY = 0.6;
/** Longest time that a motion takes to be found on a busy machine, ms. */
const LONGEST = 600_000;
const WALK = join(root, '../shared/data/bvh/cmu_12_01_walk.bvh');

/** @typedef {Awaited<ReturnType<typeof import('./test-support/chromium.js').launchChromium>>} Browser */
/** @typedef {Awaited<ReturnType<Browser['newPage']>>} Page */

/** Pages of another size or in the dark, and the widths of their pictures. @type {Readonly<Record<string, NonNullable<Parameters<Browser['newPage']>[0]> & { readonly width: number }>>} */
const OTHERS = {
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, width: 390 },
  tablet: { viewport: { width: 820, height: 1180 }, hasTouch: true, colorScheme: 'dark', width: 560 },
};

/** What is done before a picture is taken. @type {Readonly<Record<string, (page: Page) => Promise<void>>>} */
const PICTURES = {
  joint: async (page) => {
    await page.getByLabel('Character', { exact: true }).selectOption('child');
    await drag(page, 'leftHand', 60, -230);
    await drag(page, 'hips', 0, 130);
    await button(page, 'Show why').click();
  },
  wave: async (page) => {
    await mode(page, 'Animate');
    await drag(page, 'rightHand', -40, -230);
    await at(page, 0.5);
    await drag(page, 'rightHand', -70, 40);
    await at(page, 1);
    await drag(page, 'rightHand', 95, -30);
    await page.getByLabel('Path of the handle').check();
  },
  loop: async (page) => {
    await openWalk(page);
    await button(page, 'Make it loop').click();
    await page.getByText(/^It repeats every/).waitFor({ timeout: LONGEST });
    await at(page, 0.4);
  },
  fall: async (page) => {
    await mode(page, 'Let it fall');
    await page.getByRole('radio', { name: 'Steps' }).check();
    await button(page, 'Push from the left').click();
    await page.waitForTimeout(2500);
  },
  box: async (page) => {
    await mode(page, 'Make it physical');
    await button(page, 'Jump over a box').click();
    await page.locator('[data-phase=done]').waitFor({ timeout: LONGEST });
    await button(page, 'Accept').click();
    await at(page, 0.9);
    await button(page, 'Side').click();
  },
  phone: async (page) => {
    await drag(page, 'rightHand', -20, -110);
  },
  tablet: async (page) => {
    await mode(page, 'Animate');
    await drag(page, 'leftHand', 30, -160);
    await at(page, 1);
    await drag(page, 'leftHand', 50, 120);
    await page.getByLabel('Path of the handle').check();
    await button(page, 'Curves').click();
  },
};

const wanted = process.argv.slice(2);
const server = await createServer({ root: studio, logLevel: 'error', server: { hmr: false, watch: null } });
await server.listen();
try {
  await withSources(async (load) => {
    const { launchChromium } = await load(join(root, 'scripts/test-support/chromium.ts'));
    const browser = await launchChromium();
    try {
      for (const [name, act] of Object.entries(PICTURES)) {
        if ((wanted.length > 0 && !wanted.includes(name)) || (name === 'loop' && !existsSync(WALK))) continue;
        const { width = WIDTH, ...settings } = OTHERS[name] ?? {};
        const page = await browser.newPage({ viewport: PAGE, colorScheme: 'light', ...settings });
        page.setDefaultTimeout(120_000);
        await page.goto(server.resolvedUrls?.local[0] ?? '');
        await page.locator('[data-handle=leftHand]').waitFor();
        await act(page);
        await page.waitForTimeout(1500);
        writeFileSync(join(root, `docs/figures/studio-${name}.webp`), await picture(page, width));
        await page.close();
      }
    } finally {
      await browser.close();
    }
  });
} finally {
  await server.close();
}

/** @param {Page} page @param {string} name */
function button(page, name) {
  return page.getByRole('button', { name, exact: true });
}

/** @param {Page} page @param {string} name */
async function mode(page, name) {
  await button(page, name).click();
  await page.locator('.panel section').first().waitFor();
}

/** @param {Page} page */
async function openWalk(page) {
  await mode(page, 'Animate');
  await page.getByLabel('Clip to open').setInputFiles(WALK);
  await page.locator('.imported').waitFor({ timeout: LONGEST });
}

/** Goes to a time of the clip, s. @param {Page} page @param {number} seconds */
async function at(page, seconds) {
  const ruler = page.getByRole('slider', { name: 'Time' });
  const box = await ruler.boundingBox();
  const length = Number(await ruler.getAttribute('aria-valuemax'));
  if (box === null) throw new Error('no ruler');
  await page.mouse.click(box.x + 14 + ((box.width - 58) * seconds) / length, box.y + 10);
  await page.waitForTimeout(500);
}

/** @param {Page} page @param {string} id @param {number} dx px @param {number} dy */
async function drag(page, id, dx, dy) {
  const box = await page.locator(`[data-handle=${id}]`).boundingBox();
  if (box === null) throw new Error(`nothing to drag: ${id}`);
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + dx, y + dy, { steps: 12 });
  await page.waitForTimeout(1500);
  await page.mouse.up();
  await page.waitForTimeout(500);
}

/** The page as WebP. @param {Page} page @param {number} width - px. */
async function picture(page, width) {
  const png = (await page.screenshot()).toString('base64');
  const url = await page.evaluate(
    async ([data, width, quality]) => {
      const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
      const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
      const height = Math.round((image.height * width) / image.width);
      const canvas = Object.assign(document.createElement('canvas'), { width, height });
      const context = canvas.getContext('2d', { alpha: false });
      if (context === null) throw new Error('no canvas');
      context.imageSmoothingQuality = 'high';
      context.drawImage(image, 0, 0, width, height);
      return canvas.toDataURL('image/webp', quality);
    },
    /** @type {const} */ ([png, width, QUALITY]),
  );
  return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
}
