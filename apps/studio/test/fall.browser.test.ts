import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBvh, readGltfRig } from '@poise/formats';
import { describeWithChromium } from '@poise/test-support/chromium';
import { screenshots } from '@poise/test-support/screenshots';
import { describeWithData } from '@poise/test-support/shared-data';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { Studio } from './support/studio-page.js';

const shoot = screenshots('studio');

describeWithChromium('a fall in the studio', () => {
  let studio: Studio;
  beforeAll(async () => {
    studio = await Studio.start(1440, 900);
  });
  afterAll(() => studio?.stop());
  beforeEach(() => enter());

  const button = (name: string | RegExp) => studio.page.getByRole('button', { name });
  const phase = () => studio.page.locator('.fall [data-phase]').getAttribute('data-phase');
  const heading = (name: string) => studio.page.getByRole('heading', { name });
  const energy = async (name: string) =>
    Number.parseFloat(await studio.page.locator(`[data-energy="${name}"] output`).innerText());

  async function enter(): Promise<void> {
    const modes = studio.page.getByRole('navigation');
    await modes.getByRole('button', { name: 'Pose', exact: true }).click();
    await studio.page.locator('.handle').first().waitFor();
    await modes.getByRole('button', { name: 'Let it fall' }).click();
    await heading('Ready').waitFor();
  }

  async function rests(): Promise<void> {
    await heading('At rest').waitFor({ timeout: 40_000 });
  }

  it('drops the character by Space, comes to rest, and draws nothing more', async () => {
    const { page } = studio;
    await page.keyboard.press('Space');
    await heading('Moves').waitFor();
    await rests();
    expect(await energy('kinetic')).toBeLessThan(2);
    expect(await energy('total')).toBeGreaterThan(50);
    await shoot(page, 'fall-rests.png');
    const before = await page.locator('canvas').first().screenshot();
    await page.waitForTimeout(600);
    expect((await page.locator('canvas').first().screenshot()).equals(before)).toBe(true);
    await page.keyboard.press('Space');
    await heading('Ready').waitFor();
  });

  it.each(['Steps', 'Boxes', 'Slope'])('falls on %s', async (ground) => {
    const { page } = studio;
    await page.getByRole('radio', { name: ground }).check();
    await shoot(page, `fall-${ground}-ready.png`);
    await button(/^Drop/).click();
    await page.waitForTimeout(1500);
    await shoot(page, `fall-${ground}-moves.png`);
    await rests();
    await shoot(page, `fall-${ground}-rests.png`);
    await page.getByRole('radio', { name: 'Flat' }).check();
  });
});
