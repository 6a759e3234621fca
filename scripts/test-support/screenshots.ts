import { join } from 'node:path';
import type { Page, PageScreenshotOptions } from 'playwright-core';

/**
 * Pictures of pages for people to look at, in the folder `name` of the one that `POISE_SHOTS` names. None are taken where it is
 * not set: no test reads them, and each takes up to a second of a browser that draws in software.
 *
 * @param name - What is tested.
 * @returns Takes the picture `file` of a page.
 */
export function screenshots(
  name: string,
): (page: Page, file: string, options?: PageScreenshotOptions) => Promise<void> {
  const folder = process.env.POISE_SHOTS;
  return async (page, file, options) => {
    if (folder) await page.screenshot({ ...options, path: join(folder, name, file) });
  };
}
