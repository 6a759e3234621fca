import { join } from 'node:path';
import { describeWithChromium } from '@poise/test-support/chromium';
import { screenshots } from '@poise/test-support/screenshots';
import { describeWithData } from '@poise/test-support/shared-data';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Studio } from './support/studio-page.js';

const shoot = screenshots('studio');

describeWithChromium('making a motion physical in the studio', () => {
  let studio: Studio;
  beforeAll(async () => {
    studio = await Studio.start(1440, 900);
  });
  afterAll(() => studio?.stop());

  const mode = (name: string) => studio.page.getByRole('button', { name, exact: true }).first().click();
  const phase = (name: string) => studio.page.locator(`.physical .status[data-phase="${name}"]`).waitFor();
  const button = (name: string) =>
    studio.page.locator('.physical').getByRole('button', { name, exact: true });
  const undoTitle = () => studio.page.getByRole('button', { name: 'Undo' }).getAttribute('title');

  async function scrub(x: number): Promise<void> {
    const box = await studio.page.getByRole('slider', { name: 'Time', exact: true }).boundingBox();
    if (box === null) throw new Error('no ruler');
    await studio.page.mouse.move(box.x + 4, box.y + 10);
    await studio.page.mouse.down();
    await studio.page.mouse.move(box.x + x * box.width, box.y + 10, { steps: 4 });
    await studio.page.mouse.up();
    await studio.page.waitForTimeout(150);
  }

  it('says what is missing, and then what holds', async () => {
    const { page } = studio;
    await mode('Make it physical');
    await phase('obstacle');
    expect(await button('Make it physical').isDisabled()).toBe(true);
    await mode('Animate');
    await page.locator('.timeline').waitFor();
    await page.keyboard.press('k');
    await scrub(0.3);
    await studio.drag('leftHand', 50, -150);
    await page.keyboard.press('k');
    await mode('Make it physical');
    await phase('ready');
    expect(await page.locator('.moments .moment').count()).toBe(2);
    const bars = page.locator('.moments .bar');
    expect(await bars.count()).toBe(4);
    const heel = page.getByRole('button', { name: /^Left heel on the floor/ });
    await heel.click();
    expect(await heel.getAttribute('aria-pressed')).toBe('false');
    await heel.click();
    expect(await heel.getAttribute('aria-pressed')).toBe('true');
  });

  it('makes keys physical, and takes what came of it as one step', async () => {
    const { page } = studio;
    const before = await undoTitle();
    await button('Make it physical').click();
    await phase('done');
    expect(await page.locator('.physical .status h2').textContent()).toContain('It holds');
    const facts = await page.locator('.facts').innerText();
    expect(Number(/Feet slide now\s+([\d.]+) mm/.exec(facts)?.[1])).toBeLessThan(0.5);
    expect(Number(/Force from nowhere\s+([\d.]+) %/.exec(facts)?.[1])).toBeLessThanOrEqual(5);
    await scrub(0.15);
    await shoot(page, 'physical-1440.png');
    await button('Accept').click();
    await phase('ready');
    expect(await undoTitle()).toContain('Make it physical');
    await mode('Animate');
    expect(await page.locator('.timeline .key').count()).toBeGreaterThan(14);
    await page.keyboard.press('Control+z');
    expect(await undoTitle()).toBe(before);
    expect(await page.locator('.timeline .key').count()).toBe(14);
  });

  it('finds a jump while one looks on, keeps what came of it so far, and leaves it on Cancel', async () => {
    const { page } = studio;
    await mode('Make it physical');
    await phase('ready');
    const before = await undoTitle();
    // It takes long enough to be looked at, and stopped.
    await button('Jump over a box').click();
    await page.getByText('off the physics by').waitFor();
    // It moves meanwhile.
    const shown = () => page.getByLabel('Time shown').textContent();
    const first = await shown();
    await expect.poll(shown).not.toBe(first);
    await page.locator('.moments .flight').waitFor();
    await shoot(page, 'physical-jump.png');
    await button('Keep what there is').click();
    await phase('done');
    expect(await page.locator('.physical .status').innerText()).toMatch(/As far as it came\s+You stopped it/);
    await shoot(page, 'physical-stopped.png');
    const air = page.getByRole('region', { name: 'In the air' }).locator('p').first();
    const flight = await air.innerText();
    await button('Accept').click();
    await phase('ready');
    expect(await undoTitle()).toBe('Undo: Jump over a box (Ctrl Z)');
    expect(await air.innerText()).toBe(flight);
    // Its keys are too many to be pressed in the strip.
    const letGo = page.locator('.physical').getByRole('button', { name: /^Let go of the key at/ });
    await letGo.click();
    expect(await page.locator('.many-keys').innerText()).toMatch(/^\d+ times, 1 let go$/);
    await button('Hold all').click();
    expect(await page.locator('.many-keys').innerText()).toMatch(/^\d+ times$/);
    await page.keyboard.press('Control+z');
    expect(await undoTitle()).toBe(before);
    await button('Jump').click();
    await button('Cancel').click();
    await phase('ready');
    expect(await undoTitle()).toBe(before);
    expect(studio.complaints).toEqual([]);
  });

  describeWithData('of characters of files', 'gltf', (folder) => {
    const fact = async (name: string) => {
      const facts = await studio.page.locator('.facts').innerText();
      return Number(new RegExp(`${name}\\s+([\\d.]+) (?:mm|%)`).exec(facts)?.[1]);
    };

    it('makes keys of a VRM physical, and takes what came of it', async () => {
      const { page } = studio;
      await mode('Pose');
      await studio.openFiles(join(folder, '../vrm/cryptovoxels.vrm'));
      await mode('Animate');
      await page.locator('.timeline').waitFor();
      await page.keyboard.press('k');
      await scrub(0.15);
      await studio.drag('leftHand', 30, -30);
      await page.keyboard.press('k');
      const [count, before] = [await page.locator('.timeline .key').count(), await undoTitle()];
      await mode('Make it physical');
      await phase('ready');
      await button('Make it physical').click();
      await phase('done');
      const title = await page.locator('.physical .status h2').textContent();
      expect(title).toMatch(/^It (nearly )?holds/);
      // Where the drag ended decides whether it holds between the moments that are computed, too.
      if (title?.startsWith('It holds')) {
        expect(await fact('Force from nowhere')).toBeLessThanOrEqual(5);
        expect(await fact('Feet slide now')).toBeLessThan(0.5);
      }
      await button('Accept').click();
      await phase('ready');
      await mode('Animate');
      expect(await page.locator('.timeline .key').count()).toBeGreaterThan(count);
      await page.keyboard.press('Control+z');
      expect(await undoTitle()).toBe(before);
      expect(await page.locator('.timeline .key').count()).toBe(count);
    });

    it('cleans the feet of a walk on the Knight, in the part that is chosen', async () => {
      const { page } = studio;
      await mode('Pose');
      await studio.openFiles(join(folder, 'KayKit_Knight.glb'));
      await mode('Animate');
      await page.locator('.timeline').waitFor();
      await page.getByLabel('Clip to open').setInputFiles(join(folder, '../bvh/walk01.bvh'));
      await page.locator('.imported').getByText('walk01.bvh').waitFor();
      const [count, before] = [await page.locator('.timeline .key').count(), await undoTitle()];
      await mode('Make it physical');
      await phase('ready');
      const end = await page.getByRole('slider', { name: 'To: the part to change' }).boundingBox();
      const ruler = await page.getByRole('slider', { name: 'Time', exact: true }).boundingBox();
      if (end === null || ruler === null) throw new Error('no part to choose');
      await page.mouse.move(end.x + end.width / 2, end.y + end.height / 2);
      await page.mouse.down();
      await page.mouse.move(ruler.x + 0.2 * ruler.width, end.y + end.height / 2, { steps: 4 });
      await page.mouse.up();
      expect(await page.getByRole('checkbox', { name: 'The whole clip' }).isChecked()).toBe(false);
      await button('Clean the feet').click();
      await phase('done');
      expect(await page.locator('.physical .status h2').textContent()).toContain('The feet hold');
      const slid = await fact('Feet slid before');
      expect(slid).toBeGreaterThan(5);
      expect(await fact('Feet slide now')).toBeLessThan(Math.min(0.5, slid / 4));
      await shoot(page, 'physical-clean.png');
      await button('Accept').click();
      await phase('ready');
      expect(await undoTitle()).toBe('Undo: Clean the feet (Ctrl Z)');
      await mode('Animate');
      expect(await page.locator('.timeline .key').count()).not.toBe(count);
      await page.keyboard.press('Control+z');
      expect(await undoTitle()).toBe(before);
      expect(await page.locator('.timeline .key').count()).toBe(count);
      expect(studio.complaints).toEqual([]);
    });
  });
});
