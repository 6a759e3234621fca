import { describeWithChromium, frames } from '@poise/test-support/chromium';
import { screenshots } from '@poise/test-support/screenshots';
import { expect, it } from 'vitest';
import { makeCharacter } from '../make-character.js';
import { openExample, type Page } from './example-page.js';

const shoot = screenshots('ragdoll');

describeWithChromium('the page of ragdolls', () => {
  let page: Page;
  const complaints = openExample('ragdoll/index.html', { width: 800, height: 600 }, (opened) => {
    page = opened;
  });

  const status = (wanted: string) =>
    page.locator(`#status[data-status=${wanted}]`).waitFor({ state: 'visible' });
  const time = () => page.evaluate(() => Number(document.documentElement.dataset.time));

  it('falls down the stairs and comes to rest', async () => {
    await page.waitForFunction(() => Number(document.documentElement.dataset.time) > 0.4);
    await shoot(page, 'falling.png');
    await status('asleep');
    const depth = Number(await page.locator('#depth').getAttribute('data-value'));
    expect(depth).toBeLessThan(0.01);
    await shoot(page, 'lying.png');
  });

  it('is pulled where it is dragged, pushed where it is clicked and by the button', async () => {
    await page.locator('#shapes').check();
    const place = async (): Promise<number[]> => {
      const body = await page.locator('#stage').getAttribute('data-body');
      return (body ?? '').split(' ').map(Number);
    };
    const [x, y] = await place();
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x, y - 150, { steps: 8 });
    await status('held');
    await page.waitForFunction(
      (before) => Number(document.querySelector<HTMLElement>('#stage')?.dataset.body?.split(' ')[1]) < before,
      y - 60,
    );
    await shoot(page, 'pulled.png');
    await page.mouse.up();
    await status('moving');
    const pushed = async (push: () => Promise<void>): Promise<void> => {
      await page.waitForFunction(
        () => Number(document.querySelector<HTMLElement>('#plot')?.dataset.kinetic) < 3,
      );
      // 1.6 m/s of some 70 kg are 90 J, if it is not held by the floor. Watched from before: they last for some frames only.
      const moved = page.waitForFunction(
        () => Number(document.querySelector<HTMLElement>('#plot')?.dataset.kinetic) > 10,
      );
      await push();
      await moved;
    };
    await pushed(async () => {
      const [left, top] = await place();
      await page.mouse.click(left, top);
    });
    await pushed(() => page.locator('#push').click());
    await page.locator('#shapes').uncheck();
  });

  it('falls again when it is dropped again', async () => {
    const before = await time();
    await page.locator('#drop').click();
    await expect.poll(time).toBeLessThan(before);
    await status('moving');
  });

  it('floats without gravity, goes slowly, and takes more of them', async () => {
    await page.locator('#count').fill('3');
    await status('moving');
    expect(await page.locator('#count-value').innerText()).toBe('3');
    await page.locator('#slow').check();
    await page.locator('#gravity').fill('0');
    const now = () => page.evaluate(() => performance.now() / 1000);
    const [start, before] = [await now(), await time()];
    await frames(page, 30);
    const passed = (await time()) - before;
    expect(passed).toBeLessThan(0.6 * ((await now()) - start));
    await shoot(page, 'three.png');
    await page.locator('#slow').uncheck();
    await page.locator('#gravity').fill('9.8');
    await page.locator('#count').fill('1');
  });

  it('takes a character of yours, and says what is wrong with what is none', async () => {
    const give = (name: string, buffer: Buffer) =>
      page.locator('#file').setInputFiles({ name, mimeType: 'model/gltf-binary', buffer });
    await give('own.glb', Buffer.from(await makeCharacter()));
    await page.locator('#source', { hasText: 'own.glb' }).waitFor();
    await status('moving');
    await give('none.glb', Buffer.from('none'));
    await page.locator('#problem', { hasText: 'none.glb: cannot be read' }).waitFor();
    expect(await page.locator('#source').innerText()).toBe('own.glb');
    await shoot(page, 'own.png');
  });

  it('is no wider than a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await frames(page, 3);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
    await shoot(page, 'phone.png');
  });

  it('raises no error', () => {
    expect(complaints).toEqual([]);
  });
});
