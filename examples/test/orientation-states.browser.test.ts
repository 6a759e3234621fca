import { describeWithChromium, frames } from '@poise/test-support/chromium';
import { screenshots } from '@poise/test-support/screenshots';
import { expect, it } from 'vitest';
import { openExample, type Page } from './example-page.js';

const shoot = screenshots('orientation-states');

/** Columns of the table. */
const ENERGY = 2;
const MOMENTUM = 3;
const ORIENTATION = 4;
const SINGULAR = 5;
const RATE = 6;
const COST = 7;

describeWithChromium('the page of orientation states', () => {
  let page: Page;
  const complaints = openExample(
    'orientation-states/index.html',
    { width: 1180, height: 900 },
    async (opened) => {
      page = opened;
      await page.locator('#speed').fill('1');
    },
  );

  const text = (state: string, column: number): Promise<string> =>
    page.locator(`tr[data-state=${state}] td`).nth(column).innerText();
  const cell = async (state: string, column: number): Promise<number> =>
    Number.parseFloat(await text(state, column));

  /** Plays to a time of the bodies, s, and pauses; the table is up to date some frames later. */
  async function playTo(seconds: number): Promise<void> {
    await page.waitForFunction((to) => Number(document.documentElement.dataset.time) >= to, seconds);
    await page.locator('#play').click();
    await frames(page, 10);
  }

  it('shows what each state keeps of the flipping body, and that Euler angles lose its momentum at the lock', async () => {
    await playTo(3);
    for (const state of ['vector', 'quaternion', 'autonormalized', 'euler']) {
      expect(await cell(state, ENERGY)).toBeLessThan(1e-8);
    }
    expect(await cell('vector', MOMENTUM)).toBeLessThan(1e-8);
    expect(await cell('quaternion', MOMENTUM)).toBeLessThan(1e-8);
    expect(await cell('vector', ORIENTATION)).toBeLessThan(1e-6);
    expect(await cell('euler', MOMENTUM)).toBeGreaterThan(1e-3);
    expect(await cell('euler', RATE)).toBeGreaterThan(50);
    expect(await cell('vector', SINGULAR)).toBeGreaterThan(0.6);
    expect(await cell('autonormalized', SINGULAR)).toBeLessThan(1e-15);
    await shoot(page, 'flipping.png', { fullPage: true });
  });

  it('stands still while it is paused, and measures what a step costs', async () => {
    const still = await page.locator('html').getAttribute('data-time');
    for (const state of ['vector', 'quaternion', 'autonormalized', 'euler']) {
      await page.waitForFunction(
        ([name, column]) => {
          const cells = document.querySelectorAll(`tr[data-state=${name}] td`);
          return Number.parseFloat(cells[Number(column)].textContent ?? '') > 0;
        },
        [state, COST],
      );
    }
    expect(await text('vector', COST)).toContain('in poise/dynamics');
    expect(await page.locator('html').getAttribute('data-time')).toBe(still);
  });

  it('shows Euler angles as good as the rest where the axes are turned away from the lock', async () => {
    await page.locator('#start').selectOption('away');
    await page.locator('#play').click();
    await playTo(3);
    expect(await cell('euler', MOMENTUM)).toBeLessThan(1e-8);
    expect(await cell('euler', SINGULAR)).toBeGreaterThan(0.5);
  });

  it('gives no numbers for a singular matrix solved as it is, and continues with the others', async () => {
    await page.locator('#start').selectOption('slow');
    await page.locator('#singular').selectOption('as-is');
    await page.locator('#play').click();
    await playTo(1);
    expect(await page.locator('#stage').innerText()).toContain('no numbers from 0.001 s on');
    expect(await text('autonormalized', MOMENTUM)).toBe('–');
    expect(await cell('euler', RATE)).toBeGreaterThan(100);
    expect(await cell('euler', MOMENTUM)).toBeGreaterThan(1e-5);
    expect(await cell('vector', MOMENTUM)).toBeLessThan(1e-12);
    await shoot(page, 'as-it-is.png', { fullPage: true });
    await page.locator('#singular').selectOption('regular');
    await page.locator('#reset').click();
    await page.locator('#play').click();
    await playTo(0.5);
    expect(await page.locator('#stage').innerText()).not.toContain('no numbers');
  });

  it('takes another step, and is no wider than a phone', async () => {
    await page.locator('#start').selectOption('past');
    await page.locator('#step').selectOption('0.004');
    await page.locator('#play').click();
    await playTo(3);
    expect(await cell('vector', ENERGY)).toBeGreaterThan(1e-10);
    await page.setViewportSize({ width: 390, height: 844 });
    await frames(page, 3);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
    await shoot(page, 'phone.png', { fullPage: true });
  });

  it('raises no error', () => {
    expect(complaints).toEqual([]);
  });
});
