import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  describeWithChromium,
  drawEachFrame,
  frames,
  launchChromium,
  openPage,
} from '@poise/test-support/chromium';
import { screenshots } from '@poise/test-support/screenshots';
import type { AxeResults, RunOptions } from 'axe-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Page, serveExamples } from './example-page.js';

type Browser = Awaited<ReturnType<typeof launchChromium>>;

const root = fileURLToPath(new URL('..', import.meta.url));
const shoot = screenshots('examples');
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const AXE: RunOptions = { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] };
const folders = readdirSync(root)
  .filter((name) => name !== 'dist' && existsSync(join(root, name, 'index.html')))
  .sort();

describeWithChromium('the examples in a browser', () => {
  let stop: () => Promise<void>;
  let browser: Browser;
  let address: string;
  const complaints: string[] = [];

  beforeAll(async () => {
    ({ address, stop } = await serveExamples());
    browser = await launchChromium();
  });

  afterAll(async () => {
    await browser?.close();
    await stop?.();
  });

  async function open(
    name: string,
    width = 720,
    height = 500,
    settings: Parameters<Browser['newContext']>[0] = {},
  ): Promise<Page> {
    const page = await openPage(browser, { viewport: { width, height }, ...settings });
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(`${page.url()}: ${message.text()}`);
    });
    page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error}`));
    page.on('request', (request) => {
      if (!request.url().startsWith(address) && !/^(data|blob):/.test(request.url())) {
        complaints.push(`${page.url()}: asked for ${request.url()}`);
      }
    });
    await visit(page, name);
    return page;
  }

  async function visit(page: Page, name: string): Promise<void> {
    await page.goto(`${address}/${name}/`);
    await page
      .locator('html[data-ready=true], body:not([data-status=starting])[data-status]')
      .waitFor({ state: 'attached' });
  }

  const status = (page: Page) => page.locator('#status').getAttribute('data-status');
  const value = async (page: Page, selector: string) =>
    Number(await page.locator(selector).getAttribute('data-value'));
  const untilStatus = (page: Page, wanted: string) =>
    page.locator(`#status[data-status=${wanted}]`).waitFor({ state: 'visible' });

  /** Waits until other feet have come to stand so many times. */
  const untilSteps = (page: Page, times: number) =>
    page.locator('#status').evaluate(async (status, wanted) => {
      for (let seen = 0, last = status.dataset.standing; seen < wanted; ) {
        await new Promise(requestAnimationFrame);
        if (status.dataset.standing === last) continue;
        last = status.dataset.standing;
        seen++;
      }
    }, times);

  /** Middle of a handle, px. */
  async function middle(page: Page, name: string): Promise<{ x: number; y: number }> {
    const box = await page.locator(`[data-handle="${name}"]`).boundingBox();
    if (box === null) throw new Error(`${name} is not on the page`);
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  }

  async function drag(page: Page, name: string, dx: number, dy: number): Promise<void> {
    const { x, y } = await middle(page, name);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + dx, y + dy, { steps: 4 });
    await page.mouse.up();
  }

  /** Shift and a key held down until it has come `times` times: each event waits for a frame, and a press is four. */
  async function pressWithShift(page: Page, key: string, times: number): Promise<void> {
    await page.keyboard.down('Shift');
    for (let n = 0; n < times; n++) await page.keyboard.down(key);
    await page.keyboard.up(key);
    await page.keyboard.up('Shift');
  }

  async function setSlider(page: Page, selector: string, to: number): Promise<void> {
    await page.locator(selector).fill(String(to));
  }

  /** On a phone nothing is wider than the window, the status is in view, and the picture is above the card. */
  async function expectToFitPhone(page: Page, name: string): Promise<void> {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.waitForFunction(() => document.querySelector('#stage canvas')?.clientWidth === 390);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
    expect(await page.locator('#status').isVisible()).toBe(true);
    const [picture, card] = await Promise.all([
      page.locator('#stage canvas').boundingBox(),
      page.locator('.card').boundingBox(),
    ]);
    if (picture === null || card === null) throw new Error('no picture or no card');
    expect(picture.width).toBe(390);
    expect(picture.height).toBeGreaterThan(400);
    expect(Math.abs(card.y - (picture.y + picture.height))).toBeLessThanOrEqual(1);
    expect(card.y + card.height).toBeCloseTo(844, 0);
    await shoot(page, `${name}-phone.png`);
    // Else beside it.
    await page.setViewportSize({ width: 700, height: 500 });
    await page.waitForFunction(() => document.querySelector('#stage canvas')?.clientHeight === 456);
    const wide = await page.locator('.card').boundingBox();
    expect(wide && wide.y + wide.height).toBeLessThanOrEqual(500);
    expect(wide && wide.x + wide.width).toBe((await page.locator('#stage canvas').boundingBox())?.x);
  }

  /** What axe finds against the guidelines, of what is asked. */
  async function violations(page: Page, options: RunOptions): Promise<string[]> {
    // The page allows no script of others; a debugger is none of the page.
    await page.evaluate(axe);
    const { violations } = (await page.evaluate(
      (asked) => (globalThis as unknown as { axe: typeof import('axe-core') }).axe.run(document, asked),
      options,
    )) as AxeResults;
    return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
  }

  it('are listed on one page, lessons in their order, each with its address and picture', async () => {
    const page = await openPage(browser);
    await page.goto(`${address}/`);
    const links = await page.locator('.cards a').evaluateAll((all) => all.map((a) => a.getAttribute('href')));
    expect([...links].sort()).toEqual(folders.map((name) => `./${name}/`));
    const lessons = page.locator('[data-group=lesson] a');
    const hrefs = await lessons.evaluateAll((all) => all.map((a) => a.getAttribute('href')));
    expect(hrefs.filter((href) => !href?.includes('lesson-'))).toEqual([
      './curves/',
      './parameterizations/',
      './orientation-states/',
      './ragdoll/',
      './spacetime/',
    ]);
    for (const image of await page.locator('.cards img').all()) await image.scrollIntoViewIfNeeded();
    await page.waitForFunction(() => [...document.images].every(({ naturalWidth }) => naturalWidth === 480));
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      expect(await violations(page, AXE), scheme).toEqual([]);
      await shoot(page, `gallery-${scheme}.png`, { fullPage: true });
    }
    await page.close();
  });

  it('lead back to the list, from it, on to the next, and to their code; light or dark is that of the studio', async () => {
    const page = await open('parameterizations');
    await page.getByRole('link', { name: /^Next: / }).click();
    await page.waitForURL(/orientation-states/);
    await page.getByRole('button', { name: 'Dark colours' }).click();
    expect(await page.evaluate(() => localStorage.getItem('poise-theme'))).toBe('dark');
    await page.getByRole('link', { name: /^Previous: / }).click();
    await page.waitForURL(/parameterizations/);
    await page.locator('html[data-theme=dark]').waitFor();
    await page.getByRole('button', { name: 'View code' }).click();
    const code = page.getByRole('region', { name: 'examples/parameterizations/main.ts' });
    await page.waitForFunction(() => (document.querySelector('.code pre')?.textContent?.length ?? 0) > 1000);
    expect(await code.textContent()).toBe(readFileSync(join(root, 'parameterizations/main.ts'), 'utf8'));
    expect(await violations(page, AXE)).toEqual([]);
    await shoot(page, 'code.png');
    await page.keyboard.press('Escape');
    expect(await code.isVisible()).toBe(false);
    await page.getByRole('link', { name: 'Learn' }).click();
    await page.getByRole('heading', { name: 'Learn' }).waitFor();
    await page.locator('.cards a[href="./parameterizations/"]').click();
    await page.waitForURL(/parameterizations/);
    await page.locator('html[data-ready=true]').waitFor({ state: 'attached' });
    await page.close();
  });

  it('can be read by everybody, light and dark, and stand still where less motion is wished for', async () => {
    const found: string[] = [];
    const page = await open(folders[0], 1024, 768, { reducedMotion: 'reduce' });
    for (const name of folders) {
      await page.emulateMedia({ colorScheme: 'light' });
      await visit(page, name);
      found.push(...(await violations(page, AXE)).map((fault) => `${name}: ${fault}`));
      const moving = page.locator('[data-motion]:checked, button:text-is("Pause"):not(#pause)');
      if ((await moving.count()) > 0) found.push(`${name} moves`);
      await page.emulateMedia({ colorScheme: 'dark' });
      const dark = await violations(page, { runOnly: ['color-contrast'] });
      found.push(...dark.map((fault) => `${name}, dark: ${fault}`));
    }
    await page.close();
    expect(found).toEqual([]);
  });

  it('say what to do in a browser without WebGL, and throw nothing', async () => {
    const page = await openPage(browser);
    const thrown: string[] = [];
    page.on('pageerror', (error) => thrown.push(`${page.url()}: ${error.message}`));
    await page.addInitScript(() => {
      const { getContext } = HTMLCanvasElement.prototype;
      HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, type: string) {
        return type.startsWith('webgl') ? null : getContext.call(this, type);
      } as typeof getContext;
    });
    for (const name of ['wheel', 'curves', 'skinned-mesh', 'orientation-states', 'parameterizations']) {
      await page.goto(`${address}/${name}/`);
      await page.getByRole('heading', { name: 'This browser draws nothing in three dimensions' }).waitFor();
      await page.waitForLoadState('networkidle');
    }
    expect(thrown).toEqual([]);
    await page.close();
  });

  it('skinned mesh: a hand follows the ball where it is dragged, and says when it cannot', async () => {
    const page = await open('skinned-mesh', 900, 600);
    const untilBody = (wanted: RegExp) =>
      page.waitForFunction(
        (source) => new RegExp(source).test(document.body.dataset.status ?? ''),
        wanted.source,
      );
    await untilBody(/converged/);
    await drawEachFrame(page);
    await frames(page, 3);
    const picture = () => page.locator('canvas').screenshot();
    const before = await picture();
    // Where the ball is seen from [0, 1, 3.6] through 35 degrees.
    const perPixel = (x: number, y: number, z: number) => {
      const scale = 300 / Math.tan((35 / 2) * (Math.PI / 180)) / (3.6 - z);
      return { x: 450 + scale * x, y: 300 - scale * (y - 1) };
    };
    const ball = perPixel(0.5, 1.2, 0.35);
    await page.mouse.move(ball.x, ball.y);
    await page.mouse.down();
    await page.mouse.move(ball.x - 20, ball.y - 90, { steps: 5 });
    await untilBody(/converged/);
    await frames(page, 3);
    expect((await picture()).equals(before)).toBe(false);
    await shoot(page, 'skinned-mesh.png');
    await page.mouse.move(ball.x + 300, ball.y - 90, { steps: 5 });
    await untilBody(/out-of-reach|limit-blocked/);
    await page.mouse.up();
    await shoot(page, 'skinned-mesh-far.png');
    await page.close();
  });

  it('look at: the eyes find the target, and a limit holds them where it goes behind', async () => {
    const page = await open('look-at');
    await page.locator('#around').uncheck();
    await untilStatus(page, 'converged');
    expect(await value(page, '#gap')).toBeLessThanOrEqual(0.01);
    await shoot(page, 'look-at.png');
    await page.locator('[data-handle=Target]').focus();
    // To the side, and away from the viewer until it is behind the head.
    await pressWithShift(page, 'ArrowRight', 6);
    await pressWithShift(page, 'PageUp', 20);
    await untilStatus(page, 'limit-blocked');
    expect(await value(page, '#gap')).toBeGreaterThan(0.05);
    await shoot(page, 'look-at-behind.png');
    await expectToFitPhone(page, 'look-at');
    await page.close();
  });

  it('foot planting: feet that stand do not slide, and do without the planter', async () => {
    const page = await open('foot-planting');
    await untilSteps(page, 12);
    expect(await value(page, '#slide')).toBeLessThan(1e-3);
    expect(await value(page, '#body')).not.toBe(0);
    await untilStatus(page, 'planted');
    await shoot(page, 'foot-planting.png');
    await setSlider(page, '#weight', 0);
    // No praise beside a number that says otherwise.
    await untilStatus(page, 'animation');
    expect(await page.locator('#status').getAttribute('data-tone')).not.toBe('good');
    await page.waitForFunction(
      () => Number(document.querySelector<HTMLElement>('#slide')?.dataset.value) > 0.02,
    );
    await setSlider(page, '#weight', 1);
    await setSlider(page, '#bumps', 0);
    await untilStatus(page, 'planted');
    await setSlider(page, '#speed', 0);
    await frames(page, 210);
    expect(await value(page, '#slide')).toBeLessThan(1e-3);
    await expectToFitPhone(page, 'foot-planting');
    await page.close();
  });

  it('wheel: both hands stay on it wherever it is turned', async () => {
    const page = await open('wheel');
    for (let n = 0; n < 4; n++) {
      await frames(page, 20);
      expect(await status(page)).toBe('converged');
      expect(await value(page, '#gap')).toBeLessThan(1e-3);
    }
    await page.locator('#alone').uncheck();
    for (const degrees of [-70, 0, 70]) {
      await setSlider(page, '#angle', degrees);
      await page.locator('#turned', { hasText: `${degrees}°` }).waitFor();
      await frames(page, 3);
      expect(await value(page, '#gap')).toBeLessThan(1e-3);
    }
    await shoot(page, 'wheel.png');
    await expectToFitPhone(page, 'wheel');
    await page.close();
  });

  it('landmarks: the character copies the recording, through noise and gaps, and sliders count while it is paused', async () => {
    const page = await open('landmarks', 900, 600);
    await page.locator('#status', { hasText: 'Fitted to' }).waitFor();
    await frames(page, 150);
    await shoot(page, 'landmarks.png');
    // 10 mm along two axes and 20 along the third.
    expect(await value(page, '#rms')).toBeGreaterThan(0.008);
    expect(await value(page, '#rms')).toBeLessThan(0.04);
    expect(await value(page, '#found-noise')).toBeGreaterThan(0.007);
    expect(await value(page, '#found-noise')).toBeLessThan(0.03);
    await page.locator('#play').uncheck();
    await setSlider(page, '#noise', 0);
    await setSlider(page, '#missing', 0);
    await page.locator('#status', { hasText: 'Fitted to 33 of 33 points' }).waitFor();
    // A frame without gaps said so before as well.
    await page.waitForFunction(
      () => Number(document.querySelector<HTMLElement>('#rms')?.dataset.value) < 0.012,
    );
    await setSlider(page, '#noise', 40);
    await page.waitForFunction(
      () => Number(document.querySelector<HTMLElement>('#rms')?.dataset.value) > 0.02,
    );
    await setSlider(page, '#missing', 90);
    await page.locator('#status', { hasText: /itted to (all of )?\d of 33 points|Nobody in view/ }).waitFor();
    await page.locator('#points').uncheck();
    await frames(page, 3);
    await shoot(page, 'landmarks-still.png');
    await expectToFitPhone(page, 'landmarks');
    await page.close();
  });

  it('landmarks: saves its recording, opens one by button or dropped, and says what is wrong with another', async () => {
    const page = await open('landmarks');
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator('#save').click()]);
    const text = readFileSync(await download.path(), 'utf8');
    expect(JSON.parse(text).frames[0].worldLandmarks[0]).toHaveLength(33);
    const give = (name: string, content: string) =>
      page
        .locator('#file')
        .setInputFiles({ name, mimeType: 'application/json', buffer: Buffer.from(content) });
    await give('own.json', text);
    await page.locator('#source', { hasText: 'own.json: 240 frames, 8.0 s' }).waitFor();
    await page.locator('#status', { hasText: 'Fitted to 33 of 33 points' }).waitFor();
    expect(await page.locator('#noise-value').innerText()).toBe('0 mm');
    await give('other.json', '[{"landmarks":[[]]}]');
    await page
      .locator('#problem', { hasText: /^other\.json\[0\]: has positions in the image only/ })
      .waitFor();
    await shoot(page, 'landmarks-problem.png');
    // What plays goes on.
    expect(await page.locator('#source').innerText()).toContain('own.json');
    await page.evaluate((content) => {
      const data = new DataTransfer();
      data.items.add(new File([content], 'dropped.json'));
      window.dispatchEvent(new DragEvent('drop', { dataTransfer: data, cancelable: true }));
    }, text);
    await page.locator('#source', { hasText: 'dropped.json' }).waitFor();
    expect(await page.locator('#problem').isVisible()).toBe(false);
    await page.close();
  });

  it('robot arm: the tool follows the handle within the limits, and lets its direction go when told', async () => {
    const page = await open('robot-arm');
    await untilStatus(page, 'converged');
    await drag(page, 'Tool', -60, -60);
    await untilStatus(page, 'converged');
    expect(await value(page, '#gap')).toBeLessThan(1e-3);
    await setSlider(page, '#lean', -30);
    await untilStatus(page, 'converged');
    await shoot(page, 'robot-arm.png');
    // As far as the handle goes: out of reach.
    await drag(page, 'Tool', 430, -200);
    await page.waitForFunction(
      () => document.querySelector<HTMLElement>('#status')?.dataset.status !== 'converged',
    );
    expect(await value(page, '#gap')).toBeGreaterThan(0.02);
    await page.locator('#limits').check();
    await page.locator('#aim').uncheck();
    await frames(page, 3);
    await shoot(page, 'robot-arm-far.png');
    await expectToFitPhone(page, 'robot-arm');
    await page.close();
  });

  it('drag: a body follows frame by frame, no faster than told, held by limits, and goes back to its posture', async () => {
    const page = await open('drag', 900, 600);
    await setSlider(page, '#rate', 2);
    for (let n = 0; n < 4; n++) {
      await frames(page, 20);
      expect(await value(page, '#speed')).toBeLessThanOrEqual(2 * (1 + 1e-9));
    }
    await shoot(page, 'drag.png');
    // Once the user drags the hand, it no longer moves by itself.
    await page.locator('[data-handle="Left hand"]').press('ArrowUp');
    expect(await page.locator('#alone').isChecked()).toBe(false);
    const push = async (key: string, times: number): Promise<void> => {
      await page.locator('[data-handle="Left hand"]').focus();
      await pressWithShift(page, key, times);
    };
    const until = (selector: string, more: boolean, than: number) =>
      page.waitForFunction(
        ([where, isMore, limit]) => {
          const found = Number(document.querySelector<HTMLElement>(String(where))?.dataset.value);
          return isMore ? found > Number(limit) : found < Number(limit);
        },
        [selector, more, than],
      );
    // Far out of reach: held, and at rest in the end. (Low at the side it is not: docs/open-points.md.)
    await push('ArrowUp', 4);
    await push('ArrowRight', 9);
    await untilStatus(page, 'limit-blocked');
    await until('#speed', false, 0.2);
    const far = await value(page, '#gap');
    expect(far).toBeGreaterThan(0.1);
    await shoot(page, 'drag-far.png');
    // Slower: no step of the way back is faster.
    await setSlider(page, '#rate', 0.5);
    for (let n = 0; n < 9; n++) {
      await push('ArrowLeft', 1);
      expect(await value(page, '#speed')).toBeLessThanOrEqual(0.5 * (1 + 1e-9));
    }
    await setSlider(page, '#rate', 8);
    await until('#gap', false, 0.5 * far);
    await drag(page, 'Left hand', 40, 30);
    await shoot(page, 'drag-back.png');
    await page.close();
  });

  it('are used with a finger and with the keyboard: a handle is moved and the tool follows', async () => {
    const page = await openPage(browser, {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    });
    await page.goto(`${address}/robot-arm/index.html`);
    await untilStatus(page, 'converged');
    const { x, y } = await middle(page, 'Tool');
    const device = await page.context().newCDPSession(page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', points: { x: number; y: number }[]) =>
      device.send('Input.dispatchTouchEvent', { type, touchPoints: points });
    await touch('touchStart', [{ x, y }]);
    for (let n = 1; n <= 4; n++) await touch('touchMove', [{ x: x - 8 * n, y: y - 10 * n }]);
    await touch('touchEnd', []);
    const untilHigher = (than: number) =>
      page.waitForFunction((before) => {
        const box = document.querySelector('[data-handle="Tool"]')?.getBoundingClientRect();
        return box !== undefined && box.y + box.height / 2 < before;
      }, than);
    await untilHigher(y - 25);
    await untilStatus(page, 'converged');
    const moved = await middle(page, 'Tool');
    await page.locator('[data-handle=Tool]').focus();
    for (let n = 0; n < 4; n++) await page.keyboard.press('ArrowUp');
    await untilHigher(moved.y - 5);
    await untilStatus(page, 'converged');
    await page.context().close();
  });

  it('complained of nothing, and asked nothing of the network', () => {
    expect(complaints).toEqual([]);
  });
});
