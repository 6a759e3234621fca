import { fileURLToPath } from 'node:url';
import { deviceScaleFactor, launchChromium } from '@poise/test-support/chromium';
import { createServer, type ViteDevServer } from 'vite';
import { afterAll, beforeAll } from 'vitest';

type Browser = Awaited<ReturnType<typeof launchChromium>>;
export type Page = Awaited<ReturnType<Browser['newPage']>>;

/** Example pages from their sources, without a watch: a file that is saved meanwhile would load the page anew. */
const OPTIONS = {
  root: fileURLToPath(new URL('..', import.meta.url)),
  logLevel: 'error',
  server: { host: '127.0.0.1', port: 0, hmr: false, watch: null },
} as const;

/**
 * Opens an example in a browser before the tests of the block, and closes both after them.
 *
 * @param path - Of the page, below examples.
 * @param use - Called with the page when it has drawn.
 * @returns its errors so far.
 */
export function openExample(
  path: string,
  viewport: { readonly width: number; readonly height: number },
  use: (page: Page) => unknown,
): string[] {
  let server: ViteDevServer | undefined;
  let browser: Browser | undefined;
  const complaints: string[] = [];
  beforeAll(async () => {
    server = await createServer(OPTIONS);
    await server.listen();
    const address = server.httpServer?.address();
    if (typeof address !== 'object' || address === null) throw new Error('the server has no port');
    browser = await launchChromium();
    const page = await browser.newPage({ viewport, deviceScaleFactor });
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(`http://127.0.0.1:${address.port}/${path}`);
    await page.waitForSelector('html[data-ready=true]', { state: 'attached' });
    await use(page);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });
  return complaints;
}
