import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launchChromium, openPage } from '@poise/test-support/chromium';
import { preview } from 'vite';
import { afterAll, beforeAll } from 'vitest';

type Browser = Awaited<ReturnType<typeof launchChromium>>;
export type Page = Awaited<ReturnType<Browser['newPage']>>;

const root = fileURLToPath(new URL('..', import.meta.url));

/** Serves the examples as they are built. @returns their address, without a slash at its end. */
export async function serveExamples(): Promise<{ address: string; stop: () => Promise<void> }> {
  const server = await preview({
    root,
    logLevel: 'error',
    build: { outDir: join(process.env.POISE_PAGES ?? '', 'examples') },
    preview: { host: '127.0.0.1', port: 0, strictPort: true },
  });
  const { port } = server.httpServer.address() as { port: number };
  return { address: `http://127.0.0.1:${port}`, stop: () => server.close() };
}

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
  let stop: (() => Promise<void>) | undefined;
  let browser: Browser | undefined;
  const complaints: string[] = [];
  beforeAll(async () => {
    const served = await serveExamples();
    stop = served.stop;
    browser = await launchChromium();
    const page = await openPage(browser, { viewport });
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(`${served.address}/${path}`);
    await page.waitForSelector('html[data-ready=true]', { state: 'attached' });
    await use(page);
  });
  afterAll(async () => {
    await browser?.close();
    await stop?.();
  });
  return complaints;
}
