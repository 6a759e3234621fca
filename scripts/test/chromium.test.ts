import { expect, test } from 'vitest';
import {
  BETWEEN_DRAWN,
  describeWithChromium,
  drawEachFrame,
  drawFromStart,
  launchChromium,
  openPage,
} from '../test-support/chromium.js';

describeWithChromium('launchChromium', () => {
  test('opens a page that can draw with WebGL 2, without a display or a GPU', async () => {
    const browser = await launchChromium();
    try {
      const page = await openPage(browser);
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

describeWithChromium('openPage', () => {
  test('draws one frame in a second, or each; and always what is drawn outside of frames', async () => {
    const browser = await launchChromium();
    try {
      const page = await openPage(browser);
      await page.goto('data:text/html,');
      /** Of some frames their times, and whether each was drawn; and whether what came after them was. */
      const draw = () =>
        page.evaluate(async () => {
          const gl = document.createElement('canvas').getContext('webgl2') as WebGL2RenderingContext;
          let level = 0;
          const isDrawn = () => {
            level++;
            gl.clearColor(level / 255, 0, 0, 1);
            gl.clear(gl.COLOR_BUFFER_BIT);
            const pixel = new Uint8Array(4);
            gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
            return pixel[0] === level;
          };
          const frames: [time: number, isDrawn: boolean][] = [];
          while (frames.length < 12)
            frames.push(
              await new Promise((resolve) => requestAnimationFrame((time) => resolve([time, isDrawn()]))),
            );
          return { frames, after: isDrawn() };
        });
      const seldom = await draw();
      let last = Number.NEGATIVE_INFINITY;
      for (const [time, isDrawn] of seldom.frames) {
        expect(isDrawn).toBe(time - last >= BETWEEN_DRAWN);
        if (isDrawn) last = time;
      }
      expect(seldom.after).toBe(true);
      await drawEachFrame(page);
      const each = await draw();
      expect(each.frames.every(([, isDrawn]) => isDrawn)).toBe(true);
      await drawFromStart(page);
      await page.reload();
      expect((await draw()).frames.every(([, isDrawn]) => isDrawn)).toBe(true);
    } finally {
      await browser.close();
    }
  });
});
