import { describeWithChromium, frames } from '@poise/test-support/chromium';
import { screenshots } from '@poise/test-support/screenshots';
import { expect, it } from 'vitest';
import { openExample, type Page } from './example-page.js';

const shoot = screenshots('curves');

describeWithChromium('the page of rotation curves', () => {
  let page: Page;
  const complaints = openExample('curves/index.html', { width: 1180, height: 900 }, (opened) => {
    page = opened;
  });

  /** A number of the table. */
  const cell = async (kind: string, column: number): Promise<number> =>
    Number.parseFloat(await page.locator(`tr[data-kind="${kind}"] td`).nth(column).innerText());

  it('shows that slerp jumps in velocity, squad in acceleration, and the C2 spline in neither', async () => {
    expect(await cell('slerp', 1)).toBeGreaterThan(0.5);
    expect(await cell('squad', 1)).toBe(0);
    expect(await cell('squad', 2)).toBeGreaterThan(0.5);
    expect(await cell('C2 rotation spline', 1)).toBe(0);
    expect(await cell('C2 rotation spline', 2)).toBe(0);
  });

  it('shows who cares for the frame when the axes are turned', async () => {
    for (const kind of ['squad', 'rotation vectors, natural spline']) expect(await cell(kind, 4)).toBe(0);
    await page.locator('#frame').fill('60');
    expect(await cell('squad', 4)).toBe(0);
    expect(await cell('four numbers, normalized (glTF)', 4)).toBe(0);
    expect(await cell('rotation vectors, natural spline', 4)).toBeGreaterThan(0.5);
    await shoot(page, 'curves.png', { fullPage: true });
  });

  it('spreads kinds as keys move apart, plots what is chosen, and plays', async () => {
    await page.locator('#scale').fill('0.25');
    const near = await cell('rotation vectors, natural spline', 3);
    await page.locator('#scale').fill('2');
    expect(await cell('rotation vectors, natural spline', 3)).toBeGreaterThan(3 * near);
    const picture = () => page.locator('#chart canvas').screenshot();
    const before = await picture();
    await page.locator('#plot').selectOption('distance');
    expect((await picture()).equals(before)).toBe(false);
    const lines = await picture();
    await page.locator('tr[data-kind=slerp] input').uncheck();
    expect((await picture()).equals(lines)).toBe(false);
    await page.locator('#play').click();
    const still = await page.locator('#time').inputValue();
    await frames(page, 10);
    expect(await page.locator('#time').inputValue()).toBe(still);
    await page.locator('#play').click();
    await page.waitForFunction(
      (from) => document.querySelector<HTMLInputElement>('#time')?.value !== from,
      still,
    );
  });

  it('raises no error', () => {
    expect(complaints).toEqual([]);
  });
});
