import { describeWithChromium } from '@poise/test-support/chromium';
import { screenshots } from '@poise/test-support/screenshots';
import { expect, it } from 'vitest';
import { openExample, type Page } from './example-page.js';

const shoot = screenshots('spacetime');

describeWithChromium('the page of spacetime optimization', () => {
  let page: Page;
  const complaints = openExample('spacetime/index.html#robot-arm', { width: 1200, height: 800 }, (opened) => {
    page = opened;
  });

  const status = (wanted: string) =>
    page.locator(`#status[data-status=${wanted}]`).waitFor({ state: 'visible' });
  const value = async (selector: string) => Number(await page.locator(selector).getAttribute('data-value'));

  const moreIterations = (than: number) =>
    page.waitForFunction(
      (min) => Number(document.querySelector<HTMLElement>('#iterations')?.dataset.value) > min,
      than,
    );

  it('solves in a worker, and shows numbers, plots and a strip', async () => {
    await status('converged');
    expect(await value('#violation')).toBeLessThan(1e-6);
    expect(await value('#duration')).toBeLessThan(1);
    expect(await page.locator('#strip svg path').count()).toBeGreaterThan(20);
    expect(await page.locator('#torque-key span').count()).toBe(4);
    // By a refinement: on the first mesh torques exceed their limits by 1.5 % for an instant.
    expect(await page.locator('#between').innerText()).toBe('all holds');
    await shoot(page, 'robot-arm.png');
  });

  it('pauses, continues and begins anew', async () => {
    // The one that takes longest.
    await page.locator('#example').selectOption('backflip');
    await status('running');
    await moreIterations(0);
    await page.locator('#pause').click();
    await status('interrupted');
    expect(await page.locator('#pause').innerText()).toBe('Go on');
    const before = await value('#iterations');
    await page.locator('#pause').click();
    await moreIterations(before);
    await shoot(page, 'backflip.png');
    await page.locator('#restart').click();
    await page.waitForFunction(
      (max) => Number(document.querySelector<HTMLElement>('#iterations')?.dataset.value) < max,
      before,
    );
  });

  it('shows the example that is chosen, and its address', async () => {
    for (const name of ['luxo-jump', 'throw']) {
      await page.locator('#example').selectOption(name);
      await status('running');
      await moreIterations(2);
      await shoot(page, `${name}.png`);
      expect(page.url()).toContain(`#${name}`);
    }
  });

  it('shows the motion from head to foot above the strip, and the buttons, in low windows', async () => {
    await page.locator('#example').selectOption('throw');
    await moreIterations(1);
    for (const [width, height] of [
      [1366, 650],
      [1024, 768],
      [390, 844],
    ]) {
      await page.setViewportSize({ width, height });
      await page.waitForFunction((size) => {
        const [top, floor] = (document.querySelector<HTMLElement>('#stage')?.dataset.extent ?? '').split(' ');
        const strip = document.querySelector('#strip')?.getBoundingClientRect();
        const stage = document.querySelector('#stage')?.getBoundingClientRect();
        const bottom = strip?.height ? strip.top : (stage?.bottom ?? 0);
        const restart = document.querySelector('#restart')?.getBoundingClientRect();
        return Number(top) > 0 && Number(floor) < bottom && (restart?.bottom ?? size) < size;
      }, height);
      await shoot(page, `throw-${width}.png`);
    }
    expect(complaints).toEqual([]);
  });
});
