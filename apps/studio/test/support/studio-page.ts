/** The studio, built and served for a test, opened in Chromium. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launchChromium, openPage } from '@poise/test-support/chromium';
import { type PreviewServer, preview } from 'vite';

export type Browser = Awaited<ReturnType<typeof launchChromium>>;
export type Page = Awaited<ReturnType<Browser['newPage']>>;

/** Frames, and ms, without a change after which nothing is expected to move, and px within which nothing has. */
const STILL = { frames: 6, milliseconds: 250, pixels: 0.1 };
const root = fileURLToPath(new URL('../..', import.meta.url));

export class Studio {
  /** Errors on the console and requests that failed, of all pages. */
  readonly complaints: string[] = [];
  page: Page;
  readonly #server: PreviewServer;
  readonly #browser: Browser;
  /** The folder of what was built. */
  readonly outDir: string;

  private constructor(server: PreviewServer, browser: Browser, outDir: string, page: Page) {
    this.#server = server;
    this.#browser = browser;
    this.outDir = outDir;
    this.page = page;
  }

  static async start(width: number, height: number): Promise<Studio> {
    const outDir = join(process.env.POISE_PAGES ?? '', 'apps/studio');
    const server = await preview({
      root,
      logLevel: 'error',
      build: { outDir },
      preview: { host: '127.0.0.1', port: 0, strictPort: true },
    });
    const studio = new Studio(server, await launchChromium(), outDir, undefined as unknown as Page);
    studio.page = await studio.open(width, height);
    return studio;
  }

  async stop(): Promise<void> {
    await this.#browser.close();
    await this.#server.close();
  }

  /** Another page of a size, in a browser that was never here, with settings of its own. @param prepare - Before the page loads. */
  async open(
    width: number,
    height: number,
    settings: Parameters<Browser['newContext']>[0] = {},
    prepare: (page: Page) => Promise<void> = async () => {},
  ): Promise<Page> {
    const page = await openPage(this.#browser, {
      viewport: { width, height },
      acceptDownloads: true,
      // It loads all of the page once more.
      serviceWorkers: 'block',
      ...settings,
    });
    await prepare(page);
    page.on('console', (message) => {
      if (message.type() === 'error')
        this.complaints.push(`${message.text()} ${message.location().url}`.trim());
    });
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    page.on('requestfailed', (request) => {
      const reason = request.failure()?.errorText;
      // What a page still loads as it is closed or left is no fault of it.
      if (reason !== 'net::ERR_ABORTED') this.complaints.push(`request failed: ${request.url()}, ${reason}`);
    });
    const address = this.#server.httpServer.address();
    if (typeof address !== 'object' || address === null) throw new Error('the preview has no port');
    await page.goto(`http://127.0.0.1:${address.port}/`);
    await page.locator('[data-handle=leftHand], .notice').first().waitFor({ state: 'visible' });
    return page;
  }

  /** Chooses files in the pose mode, and waits until they are {@link opened}. */
  openFiles(files: Parameters<Page['setInputFiles']>[1]): Promise<void> {
    return this.opened(() => this.page.getByLabel('File to open').setInputFiles(files));
  }

  /** Waits until what is chosen in the pose mode is open and drawn, or a problem is said. */
  async opened(choose: () => Promise<void>): Promise<void> {
    // It may be over before the next look from here: the page itself watches.
    await this.page.locator('.controls').evaluate((controls) => {
      const opened = new Promise<void>((resolve) => {
        let wasOpening = false;
        const observer = new MutationObserver(() => {
          const isOpening = controls.querySelector('[role=status]') !== null;
          if (wasOpening && !isOpening) {
            observer.disconnect();
            resolve();
          }
          wasOpening = isOpening;
        });
        observer.observe(controls, { childList: true });
      });
      Object.assign(window, { opened });
    });
    await choose();
    await this.page.evaluate(() => (window as unknown as { opened: Promise<void> }).opened);
    await this.idle();
  }

  status(): Promise<string | null> {
    return this.page.locator('[data-status]').getAttribute('data-status');
  }

  /** Middle of a handle, px. */
  async middle(id: string): Promise<{ x: number; y: number }> {
    const box = await this.page.locator(`[data-handle=${JSON.stringify(id)}]`).boundingBox();
    if (box === null) throw new Error(`${id} is not on the page`);
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  }

  /** Waits until the status and the place of a handle have been the same for some frames. */
  async idle(id = 'leftHand', still = STILL): Promise<void> {
    await this.page.evaluate(
      async ([handle, { frames, milliseconds, pixels }]) => {
        let same = 0;
        let before = { x: Number.NaN, y: Number.NaN, status: '' };
        let changed = performance.now();
        const isStill = () => same >= frames && performance.now() - changed >= milliseconds;
        for (let frame = 0; frame < 600 && !isStill(); frame++) {
          await new Promise(requestAnimationFrame);
          const box = document
            .querySelector(`[data-handle=${JSON.stringify(handle)}]`)
            ?.getBoundingClientRect();
          const { x, y } = box ?? { x: 0, y: 0 };
          const status = document.querySelector('[data-status]')?.getAttribute('data-status') ?? '';
          same++;
          if (status === before.status && Math.hypot(x - before.x, y - before.y) < pixels) continue;
          before = { x, y, status };
          same = 0;
          changed = performance.now();
        }
      },
      [id, still] as const,
    );
  }

  /** Presses a handle, pulls it by (dx, dy) px and runs `check` with the button still down. */
  async drag(id: string, dx: number, dy: number, check: () => Promise<void> = async () => {}): Promise<void> {
    // What was done just before is drawn.
    await this.idle(id, { ...STILL, frames: 2, milliseconds: 0 });
    const { x, y } = await this.middle(id);
    const { mouse } = this.page;
    await mouse.move(x, y);
    await mouse.down();
    await mouse.move(x + dx, y + dy, { steps: 8 });
    try {
      await this.idle(id);
      await check();
    } finally {
      await mouse.up();
    }
    await this.idle(id);
  }

  /** Presses a button that exports, where there is none on the page that of the File menu, and gives the file. */
  async exported(button: string): Promise<{ name: string; bytes: Buffer }> {
    const exports = this.page.getByRole('button', { name: button, exact: true });
    const isInMenu = !(await exports.isVisible());
    if (isInMenu) await this.page.getByRole('button', { name: 'File', exact: true }).click();
    const [download] = await Promise.all([this.page.waitForEvent('download'), exports.click()]);
    if (isInMenu) await this.page.keyboard.press('Escape');
    return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
  }
}

/** Mean brightness of a part of the page, 0 to 255. @param clip - px. */
export async function brightnessOf(
  page: Page,
  clip: { readonly x: number; readonly y: number; readonly width: number; readonly height: number },
): Promise<number> {
  const picture = await page.screenshot({ clip });
  return page.evaluate(async (data) => {
    const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    context?.drawImage(bitmap, 0, 0);
    const bytes = context?.getImageData(0, 0, bitmap.width, bitmap.height).data ?? [];
    return [...bytes].filter((_, k) => k % 4 < 3).reduce((sum, x) => sum + x, 0) / (0.75 * bytes.length);
  }, picture.toString('base64'));
}
