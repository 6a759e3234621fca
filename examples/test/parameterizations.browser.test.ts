import { describeWithChromium, frames } from '@poise/test-support/chromium';
import { screenshots } from '@poise/test-support/screenshots';
import { expect, it } from 'vitest';
import { openExample, type Page } from './example-page.js';

const shoot = screenshots('parameterizations');

describeWithChromium('the page of parameterizations in a browser', () => {
  let page: Page;
  const complaints = openExample('parameterizations/index.html', { width: 1280, height: 860 }, (opened) => {
    page = opened;
  });

  const number = async (panel: string, value: string): Promise<number> =>
    Number.parseFloat(
      (await page.locator(`[data-panel=${panel}] [data-value="${value}"]`).textContent()) ?? '',
    );

  it('shows the lock in the Euler angles alone: the others turn as they should', async () => {
    await page.locator('#figure').selectOption({ label: 'one ball' });
    await page.locator('#region').fill('-2.8');
    await page.locator('#time').fill('2.2');
    await page.waitForFunction(() => Number((document.querySelector('#time') as HTMLInputElement).value) > 3);
    await page.locator('#play').click();
    await shoot(page, 'after-the-lock.png');
    // Twenty degrees in a frame is a jump.
    expect(await number('euler', 'largest coordinate change')).toBeGreaterThan(20);
    for (const panel of ['quaternion', 'vector', 'regularized']) {
      expect(await number(panel, 'largest coordinate change')).toBeLessThan(10);
      expect(await number(panel, 'largest so far')).toBeLessThan(10);
      expect(await number(panel, 'hand to target')).toBeLessThan(5);
    }
    expect(await page.locator('[data-panel=vector] [data-value="drift of |q|"]').textContent()).toBe('none');
    expect(await number('quaternion', 'drift of |q|')).toBeGreaterThan(0);
  });

  it('shows the shell at two pi in the rotation vector left alone, and not in the regularized one', async () => {
    await page.locator('#time').fill('5');
    await page.locator('#play').click();
    await page.waitForFunction(
      () => Number((document.querySelector('#time') as HTMLInputElement).value) > 9.5,
    );
    await page.locator('#play').click();
    await shoot(page, 'after-the-shell.png');
    expect(await number('vector', 'largest coordinate change')).toBeGreaterThan(20);
    expect(await number('regularized', 'largest coordinate change')).toBeLessThan(10);
    expect(await number('regularized', 'hand to target')).toBeLessThan(5);
    await page.locator('#figure').selectOption({ label: 'three balls' });
  });

  it('lets the target be dragged and turned in any panel, and all arms follow', async () => {
    const stage = await page.locator('#stage').boundingBox();
    if (stage === null) throw new Error('no stage');
    const [x, y] = [stage.x + 0.75 * stage.width, stage.y + 0.75 * stage.height];
    const settled = async (): Promise<void> => {
      await page.waitForFunction(() =>
        ['hand to target', 'hand to target, angle'].every((value) => {
          const cells = [...document.querySelectorAll(`[data-value="${value}"]`)];
          return cells.length > 0 && cells.every((cell) => Number.parseFloat(cell.textContent ?? '') < 0.5);
        }),
      );
    };
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x - 60, y - 40, { steps: 6 });
    await page.keyboard.down('Shift');
    await page.mouse.move(x - 20, y - 10, { steps: 6 });
    await page.keyboard.up('Shift');
    await page.mouse.up();
    await settled();
    await shoot(page, 'dragged.png');
    for (const panel of ['quaternion', 'regularized']) {
      expect(await number(panel, 'hand to target')).toBeLessThan(1);
      expect(await number(panel, 'hand to target, angle')).toBeLessThan(1);
    }
  });

  it('shows every number at 900 x 600 without scrolling, and on a phone', async () => {
    for (const [width, height, scrolls] of [
      [900, 600, false],
      [390, 800, true],
    ] as const) {
      await page.setViewportSize({ width, height });
      await page.waitForFunction((w) => document.querySelector('#stage')?.clientWidth === w, width);
      await frames(page, 3);
      await shoot(page, `${width}.png`);
      const clipped = await page.locator('.panel').evaluateAll((panels) =>
        panels.filter((panel) => {
          const numbers = panel.querySelector('dl')?.getBoundingClientRect();
          const whole = panel.getBoundingClientRect();
          return numbers === undefined || numbers.bottom > whole.bottom || numbers.right > whole.right;
        }),
      );
      expect(clipped).toHaveLength(0);
      const tall = await page.evaluate(() => document.documentElement.scrollHeight > window.innerHeight);
      expect(tall).toBe(scrolls);
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
    }
    await page.setViewportSize({ width: 1280, height: 860 });
  });

  it('takes another quaternion form, another path, and starts again', async () => {
    await page.locator('#quaternion').selectOption('rate');
    await page.locator('#draw').click();
    expect(await page.locator('#seed').inputValue()).not.toBe('1997');
    const time = (test: 'over' | 'under', limit: number): Promise<unknown> =>
      page.waitForFunction(
        ([word, bound]) => {
          const value = Number((document.querySelector('#time') as HTMLInputElement).value);
          return word === 'over' ? value > Number(bound) : value < Number(bound);
        },
        [test, limit],
      );
    await time('over', 4);
    expect(await page.locator('[data-panel=quaternion] h2').textContent()).toBe(
      'Quaternion, angular velocity',
    );
    expect(await number('quaternion', 'drift of |q|')).not.toBeGreaterThan(1e-15);
    await page.locator('#restart').click();
    await time('under', 4);
    expect(complaints).toEqual([]);
  });
});
