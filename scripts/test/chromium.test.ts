import { describe, expect, test } from 'vitest';
import { CHROMIUM_HINT, findChromium, launchChromium } from '../test-support/chromium.js';

const { available } = findChromium();

describe.skipIf(!available)(`launchChromium${available ? '' : ` (skipped: ${CHROMIUM_HINT})`}`, () => {
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
});
