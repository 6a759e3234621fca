// node scripts/draw-thumbnails.mjs [NAME...]: takes the picture of each example page for the gallery, all or those named, from the sources:
// examples/NAME/thumbnail.webp.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createServer } from 'vite';
import { root } from './lib/house.mjs';
import { withSources } from './lib/source-modules.mjs';

/** Size of a picture, px; and of the window, in which there is no room for a card beside the figure, and what it is drawn larger by. */
const SIZE = { width: 480, height: 300 };
const WINDOW = { width: 640, height: 400 };
const SCALE = 1.5;
/** Pages that are laid out otherwise in a narrow window. */
const WIDE = ['parameterizations'];
/** Most bytes of a picture, and the qualities that are tried for it. */
const MOST = 15_000;
const QUALITIES = [0.85, 0.75, 0.65, 0.5, 0.35];
/** Time of a page after which the picture is taken, ms; of those at which there is more to see at another time. */
const AFTER = 2500;
/** @type {Record<string, number>} */
const MOMENTS = {
  ragdoll: 1500,
  parameterizations: 3600,
  retarget: 15_000,
  spacetime: 12_000,
  'orientation-states': 6000,
};
/** What the page is about, where it is not its stage. */
const PARTS = { curves: '#chart', 'orientation-states': '#stage' };

const examples = join(root, 'examples');
const server = await createServer({ root: examples, logLevel: 'error', server: { hmr: false, watch: null } });
await server.listen();
try {
  await withSources(async (load) => {
    const { pages } = await load(join(examples, 'vite.frames.ts'));
    const { launchChromium } = await load(join(root, 'scripts/test-support/chromium.ts'));
    const browser = await launchChromium();
    const unknown = process.argv
      .slice(2)
      .filter((name) => !pages.some((/** @type {{ name: string }} */ page) => page.name === name));
    if (unknown.length > 0) throw new Error(`no page ${unknown.join(', ')}`);
    for (const { name } of pages) {
      if (process.argv.length > 2 && !process.argv.includes(name, 2)) continue;
      await take(browser, name);
    }
    await browser.close();
  });
} finally {
  await server.close();
}

/**
 * @param {Awaited<ReturnType<typeof import('./test-support/chromium.js').launchChromium>>} browser
 * @param {string} name
 */
async function take(browser, name) {
  const wide = WIDE.includes(name) ? SCALE : 1;
  const viewport = { width: wide * WINDOW.width, height: wide * WINDOW.height };
  const page = await browser.newPage({ viewport, deviceScaleFactor: SCALE / wide, colorScheme: 'light' });
  await page.goto(`${server.resolvedUrls?.local[0]}${name}/`);
  await page
    .locator('html[data-ready=true], body:not([data-status=starting])[data-status]')
    .waitFor({ state: 'attached' });
  const part = PARTS[/** @type {keyof typeof PARTS} */ (name)];
  await page.addStyleTag({
    content: `
      .lesson:has(.picture), .lesson > .picture { display: block !important; height: 100vh !important; border: 0 !important; }
      .lesson:has(.picture) > :not(.picture) { display: none !important; }
      .frame, .card, .hint, #strip, body:not(:has(.lesson)) .handle, .panel, body > header, body[data-status] > main { display: none !important; }
      body::after { content: none !important; }
      :root { --frame: 0px !important; }
      body { padding: 0 !important; }
      ${part ? `main > :not(${part}) { display: none !important; } main { max-width: none !important; } ${part} { border: 0 !important; min-height: 100vh !important; display: grid; align-items: center; }` : ''}
    `,
  });
  await page.evaluate(() => window.dispatchEvent(new Event('resize')));
  await page.waitForTimeout(MOMENTS[name] ?? AFTER);
  const png = (await page.screenshot()).toString('base64');
  await page.close();
  const painter = await browser.newPage();
  for (const quality of QUALITIES) {
    const webp = await painter.evaluate(
      async ([data, width, height, quality]) => {
        const image = new Image();
        image.src = `data:image/png;base64,${data}`;
        await image.decode();
        const canvas = document.createElement('canvas');
        Object.assign(canvas, { width, height });
        const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
        context.imageSmoothingQuality = 'high';
        context.drawImage(image, 0, 0, Number(width), Number(height));
        return canvas.toDataURL('image/webp', Number(quality)).split(',')[1];
      },
      /** @type {const} */ ([png, SIZE.width, SIZE.height, quality]),
    );
    const bytes = Buffer.from(webp, 'base64');
    if (bytes.length > MOST) continue;
    writeFileSync(join(examples, name, 'thumbnail.webp'), bytes);
    console.log(`examples/${name}/thumbnail.webp ${(bytes.length / 1000).toFixed(1)} kB`);
    await painter.close();
    return;
  }
  throw new Error(`examples/${name}/thumbnail.webp would have more than ${MOST / 1000} kB`);
}
