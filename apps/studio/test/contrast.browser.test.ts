import { describeWithChromium } from '@poise/test-support/chromium';
import { screenshots } from '@poise/test-support/screenshots';
import { describeWithData } from '@poise/test-support/shared-data';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { lowContrasts } from './support/contrast.js';
import { Studio } from './support/studio-page.js';

const shoot = screenshots('studio');
const LEAST = 3;

describeWithChromium('icons and borders of controls in the studio', () => {
  let studio: Studio;
  beforeAll(async () => {
    studio = await Studio.start(1440, 900);
    // Controls that the browser draws are looked at.
    studio.page = await studio.open(1440, 900, { deviceScaleFactor: 1 });
  });
  afterAll(() => studio?.stop());

  /** In light and dark. */
  async function areSeen(name: string, atLeast: number): Promise<void> {
    const { page } = studio;
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await studio.idle();
      await shoot(page, `contrast-${name.replaceAll(' ', '-')}-${colorScheme}.png`);
      const { faults, seen } = await page.evaluate(lowContrasts, LEAST);
      expect(faults, `${name}, ${colorScheme}`).toEqual([]);
      expect(seen, name).toBeGreaterThan(atLeast);
    }
  }

  /** Of the columns of a control's picture, at shares of its width, what differs most from what is beside it. */
  async function drawnContrasts(selector: string, shares: readonly number[]): Promise<number[]> {
    const { page } = studio;
    const control = page.locator(selector).first();
    await control.scrollIntoViewIfNeeded();
    const box = await control.boundingBox();
    if (box === null) throw new Error(`${selector} is not on the page`);
    const [width, height] = [Math.ceil(box.width) + 4, Math.ceil(box.height) + 4];
    const shot = await page.screenshot({ clip: { x: box.x - 2, y: box.y - 2, width, height } });
    return page.evaluate(
      async ([data, at]) => {
        const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
        const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
        context?.drawImage(bitmap, 0, 0);
        const luminance = (x: number, y: number) => {
          const bytes = context?.getImageData(x, y, 1, 1).data ?? [];
          const [r, g, b] = [...bytes].map((byte) => ((byte / 255 + 0.055) / 1.055) ** 2.4);
          return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const ground = luminance(0, 0);
        return at.map((share) => {
          const contrasts = Array.from({ length: bitmap.height }, (_, y) => {
            const own = luminance(Math.round(share * bitmap.width), y);
            return (Math.max(own, ground) + 0.05) / (Math.min(own, ground) + 0.05);
          });
          return Math.max(...contrasts);
        });
      },
      [shot.toString('base64'), shares] as const,
    );
  }

  const enter = (name: string) =>
    studio.page.getByRole('navigation').getByRole('button', { name, exact: true }).click();

  it('have 3:1 to what is behind them: Pose, with a joint and what lies over it', async () => {
    const { page } = studio;
    await areSeen('pose', 30);
    await page.getByRole('combobox', { name: 'Joint', exact: true }).selectOption('Left shoulder');
    await page.locator('.rims').waitFor();
    await page.getByRole('checkbox', { name: 'Look at a point' }).check();
    await page.locator('details').evaluateAll((all) => {
      for (const details of all) Object.assign(details, { open: true });
    });
    await page.getByRole('button', { name: 'Keep', exact: true }).click();
    await areSeen('joint', 40);
    await page.getByRole('button', { name: 'File', exact: true }).click();
    await areSeen('file menu', 40);
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
    await areSeen('keys', 40);
    await page.keyboard.press('Escape');
  });

  it('have it where the browser draws them: boxes, and both parts of a slider', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await studio.page.emulateMedia({ colorScheme });
      for (const [selector, shares] of [
        ['input[type=checkbox]:enabled:not(:checked)', [0.5]],
        ['input[type=checkbox]:enabled:checked', [0.5]],
        ['.slider input[type=range]', [0.1, 0.9]],
      ] as const)
        for (const contrast of await drawnContrasts(selector, shares))
          expect(contrast, `${selector}, ${colorScheme}`).toBeGreaterThan(LEAST);
    }
  });

  it('have it in Animate, with keys and curves, and in Make it physical', async () => {
    const { page } = studio;
    await enter('Animate');
    await page.locator('.timeline').waitFor();
    await page.keyboard.press('k');
    await areSeen('animate', 30);
    await page.getByRole('button', { name: 'Curves', exact: true }).click();
    await areSeen('curves', 30);
    await page.locator('.strip').getByRole('button', { name: 'Keys', exact: true }).click();
    await enter('Make it physical');
    await page.locator('.physical').waitFor();
    await areSeen('physical', 10);
  });

  it('have it in Let it fall', async () => {
    await enter('Let it fall');
    await studio.page.locator('.fall').waitFor();
    await areSeen('fall', 15);
  });

  describeWithData('of a file', 'gltf/KayKit_Knight.glb', (path) => {
    it('have it in the map of bones', async () => {
      await enter('Pose');
      await studio.openFiles(path);
      await studio.page.locator('.map > summary').click();
      await studio.page.locator('.map-panel').waitFor();
      await areSeen('map', 40);
    });
  });
});
