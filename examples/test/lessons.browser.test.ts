import { describeWithChromium, frames } from '@poise/test-support/chromium';
import { screenshots } from '@poise/test-support/screenshots';
import { expect, it } from 'vitest';
import { openExample, type Page } from './example-page.js';

const shoot = screenshots('lessons');
const SIZES = [
  { width: 1366, height: 650 },
  { width: 1024, height: 768 },
  { width: 390, height: 844 },
];

describeWithChromium('the lessons', () => {
  let page: Page;
  const complaints = openExample('lesson-fabrik/index.html', SIZES[0], async (opened) => {
    page = opened;
    await expectDrawn();
  });
  async function open(name: string): Promise<void> {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.setViewportSize(SIZES[0]);
    await page.goto(new URL(`../lesson-${name}/index.html`, page.url()).href);
    await page.waitForSelector('html[data-ready=true]', { state: 'attached' });
    await expectDrawn();
  }

  /** The picture has its size by a callback of the browser. */
  const expectDrawn = () =>
    page.waitForFunction(() => document.querySelector('.picture svg *, .picture article') !== null);
  /** The picture follows the size of its window a frame later. */
  const nextFrames = () =>
    page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const text = (selector: string): Promise<string> => page.locator(selector).innerText();
  const value = async (selector: string): Promise<number> =>
    Number(await page.locator(selector).getAttribute('data-value'));

  async function drag(handle: string, dx: number, dy: number): Promise<void> {
    await nextFrames();
    const box = await page.locator(`[data-handle="${handle}"]`).boundingBox();
    if (box === null) throw new Error(`${handle} is not on the page`);
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + dx, y + dy, { steps: 3 });
    await page.mouse.up();
  }

  /** In every window nothing is wider than it, and title and picture are in view. */
  async function expectToFit(name: string): Promise<void> {
    for (const size of SIZES) {
      await page.setViewportSize(size);
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
      const [title, picture] = await Promise.all([
        page.locator('h1').boundingBox(),
        page.locator('.picture').boundingBox(),
      ]);
      if (title === null || picture === null) throw new Error('no title or no picture');
      expect(title.y + title.height).toBeLessThan(200);
      expect(picture.x + picture.width).toBeLessThanOrEqual(size.width);
      if (name !== 'errata') expect(picture.y + picture.height).toBeLessThanOrEqual(size.height);
      await page.emulateMedia({ colorScheme: 'light' });
      await shoot(page, `${name}-${size.width}.png`);
      if (process.env.POISE_SHOTS && size.width !== 1024) {
        await page.emulateMedia({ colorScheme: 'dark' });
        await shoot(page, `${name}-${size.width}-dark.png`);
      }
    }
    await shoot(page, `${name}-390-whole.png`, { fullPage: true });
  }

  it('FABRIK: one joint a step, then rotations, and limits that miss the target or meet it', async () => {
    expect(await text('#said')).toMatch(/^The start/);
    await page.locator('#next').click();
    expect(await text('#said')).toBe('Backward pass 1: the tip is put on the target.');
    await page.locator('#step').press('ArrowRight');
    expect(await text('#said')).toMatch(/^Backward pass 1: joint 4 moves/);
    await shoot(page, 'fabrik-step.png');
    await page.locator('#pass').click();
    expect(await text('#said')).toMatch(/^Forward pass 1: the tip/);
    await page.locator('#rotations').click();
    expect(await text('#said')).toMatch(/^Rotations, bone 4/);
    expect(await value('#outcome')).toBeLessThanOrEqual(1e-3);
    // The view rotates, and ends.
    await frames(page, 45);
    const twists = await page.locator('#rows td:nth-child(3)').allInnerTexts();
    expect(twists).toEqual(['0.0°', '0.0°', '0.0°', '0.0°']);
    await page.locator('#limits').selectOption('afterwards');
    expect(await value('#outcome')).toBeGreaterThan(0.1);
    await shoot(page, 'fabrik-limits-afterwards.png');
    await page.locator('#limits').selectOption('passes');
    expect(await value('#outcome')).toBeLessThanOrEqual(1e-3);
    await expectToFit('fabrik');
    await page.setViewportSize(SIZES[0]);
    await drag('Target', 300, -280);
    await page.locator('#step').fill('1');
    expect(await text('#said')).toMatch(/^The target is farther away/);
  });

  it('ball and socket: the hand stops at the rim, and a way around it spins the arm', async () => {
    await open('ball-and-socket');
    await drag('Hand', -30, 20);
    expect(await value('#ellipse')).toBeLessThan(1);
    expect(await page.locator('#said').getAttribute('data-tone')).toBe('good');
    await drag('Hand', 300, -300);
    expect(await page.locator('#said').getAttribute('data-tone')).toBe('warn');
    expect(await value('#ellipse')).toBeGreaterThan(1 - 1e-9);
    expect(await value('#ellipse')).toBeLessThanOrEqual(1);
    await page.locator('[data-handle=Swing]').press('ArrowLeft');
    await expectToFit('ball-and-socket');
    await page.locator('#twist').fill('150');
    expect(await text('#twist-value')).toBe('70°');
    for (const limit of ['#a', '#b']) await page.locator(limit).fill('90');
    await page.locator('#around').click();
    expect(await value('#spin')).toBeCloseTo(-2 * Math.PI, 6);
    expect(await value('#determinant')).toBeCloseTo(2 / Math.PI, 9);
  });

  it('gimbal lock: the determinant falls to 0, two rings move and the box does not', async () => {
    await open('gimbal-lock');
    expect(await value('#determinant')).toBeCloseTo(Math.cos((35 * Math.PI) / 180), 9);
    await expectToFit('gimbal-lock');
    await page.locator('#lock').click();
    expect(await value('#determinant')).toBeLessThan(1e-12);
    expect(await text('#rate')).toBe('none');
    expect(await value('#vector-singular')).toBeGreaterThan(0.63);
    expect(await text('#said')).toMatch(/^Gimbal lock/);
    await page.setViewportSize(SIZES[0]);
    await shoot(page, 'gimbal-lock-locked.png');
    await page.locator('#oppose').click();
    expect(await value('#said')).toBeLessThan(1e-9);
    await page.locator('#middle').press('ArrowRight');
    expect(await value('#rate')).toBeGreaterThan(50);
    await page.locator('#order').selectOption('YXY');
    expect(await value('#determinant')).toBeGreaterThan(0.99);
  });

  it('points-at: both ways agree, a limit stops the light, and a loop leaves a roll', async () => {
    await open('points-at');
    const column = (n: number) => page.locator(`#rows td:nth-child(${n})`).allInnerTexts();
    const before = await column(3);
    await drag('Target', -120, -60);
    expect(await column(3)).not.toEqual(before);
    expect(await value('#said')).toBeLessThan(1e-14);
    await page.locator('#carried').check();
    const carried = await Promise.all([column(2), column(3)]);
    await page.locator('#table').fill('80');
    expect(await column(3)).toEqual(carried[1]);
    expect(await column(2)).not.toEqual(carried[0]);
    await expectToFit('points-at');
    await page.locator('#start').selectOption('previous');
    await page.locator('#loop').click();
    expect(await text('#roll-said')).toMatch(/the roll has changed by −?6\d\.\d°/);
    await page.setViewportSize(SIZES[0]);
    await shoot(page, 'points-at-rolled.png');
    await page.locator('#start').selectOption('upright');
    expect(Math.abs(await value('#roll-said'))).toBeLessThan(1e-9);
  });

  it('change of basis: what is dragged decides which numbers change', async () => {
    await open('change-of-basis');
    const row = (frame: string) => page.locator(`tr[data-frame=${frame}] td`).allInnerTexts();
    expect(await row('door')).toEqual(['−1.00', '0.00', '30.00']);
    expect(await row('office')).toEqual(['−2.00', '−4.00', '−10.00']);
    await expectToFit('change-of-basis');
    await page.setViewportSize(SIZES[0]);
    await drag('Desk', 40, 30);
    const changed = () =>
      page
        .locator('tr[data-changed]')
        .evaluateAll((rows) => rows.map((r) => (r as HTMLElement).dataset.frame));
    expect(await changed()).toEqual(['desk', 'lamp']);
    await page.locator('[data-handle=Point]').press('ArrowUp');
    expect(await changed()).toHaveLength(5);
    await page.locator('#from').selectOption('lamp');
    await page.locator('#to').selectOption('chair');
    expect(await text('#product')).toBe(
      'chairFromLamp = (officeFromChair)⁻¹ · officeFromDesk · deskFromLamp',
    );
    await page.locator('#carrier').selectOption('lamp');
    await page.locator('#frame').selectOption('office');
    await page.locator('#angle').press('ArrowRight');
    expect(await changed()).toEqual(['door']);
    await shoot(page, 'change-of-basis-carried.png');
    await page.locator('#reset').click();
    expect(await row('office')).toEqual(['−2.00', '−4.00', '−10.00']);
  });

  it('errata: ten values as printed, corrected and by the oracle', async () => {
    await open('errata');
    const errors = (kind: string) =>
      page
        .locator(`[data-value=${kind}]`)
        .evaluateAll((all) => all.map((row) => Number((row as HTMLElement).dataset.error)));
    for (const x of ['0.7', '-1.5']) {
      await page.locator('#x').fill(x);
      expect(Math.max(...(await errors('holds')))).toBeLessThan(1e-4);
      expect(Math.min(...(await errors('printed')))).toBeGreaterThan(1e-3);
    }
    await page.locator('#x').press('ArrowRight');
    expect(await text('#x-value')).toBe('−1.49');
    await expectToFit('errata');
  });

  it('raise no error', () => {
    expect(complaints).toEqual([]);
  });
});
