import { expect, test } from 'vitest';
import { describeWithChromium, launchChromium } from '../test-support/chromium.js';

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
});
