import { afterEach, expect, test, vi } from 'vitest';
import { describeWithChromium, launchChromium } from '../test-support/chromium.js';

afterEach(() => vi.unstubAllEnvs());

describeWithChromium('launchChromium', () => {
  test('opens a page that can draw with WebGL 2, without a display or a GPU', async () => {
    const browser = await launchChromium();
    try {
      const page = await browser.newPage();
      const version = await page.evaluate(() => {
        const gl = document.createElement('canvas').getContext('webgl2');
        return gl?.getParameter(gl.VERSION);
      });
      expect(version).toContain('WebGL 2');
    } finally {
      await browser.close();
    }
  });

  test.each([
    ['half the pixels each way', '', 0.5],
    ['all of them in pictures for people', 'shots', 1],
  ])('draws %s', async (_, shots, ratio) => {
    vi.stubEnv('POISE_SHOTS', shots);
    const browser = await launchChromium();
    try {
      const context = await browser.newContext({ viewport: { width: 400, height: 300 } });
      for (const page of [await context.newPage(), await browser.newPage()])
        expect(await page.evaluate(() => window.devicePixelRatio)).toBe(ratio);
      const sharp = await browser.newPage({ deviceScaleFactor: 2 });
      expect(await sharp.evaluate(() => window.devicePixelRatio)).toBe(2);
    } finally {
      await browser.close();
    }
  });
});
