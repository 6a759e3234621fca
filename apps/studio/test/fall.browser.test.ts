import { join } from 'node:path';
import { readBvh, readGltfRig } from '@poise/formats';
import { describeWithChromium, drawEachFrame, frames } from '@poise/test-support/chromium';
import { screenshots } from '@poise/test-support/screenshots';
import { describeWithData } from '@poise/test-support/shared-data';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { brightnessOf, Studio } from './support/studio-page.js';

const shoot = screenshots('studio');

describeWithChromium('a fall in the studio', () => {
  let studio: Studio;
  beforeAll(async () => {
    // Small: a browser that draws in software shows more of a fall in a second.
    studio = await Studio.start(820, 560);
  });
  afterAll(() => studio?.stop());
  beforeEach(() => enter());

  const button = (name: string | RegExp) => studio.page.getByRole('button', { name });
  const mode = (name: string) =>
    studio.page.getByRole('navigation').getByRole('button', { name, exact: true });
  const heading = (name: string) => studio.page.getByRole('heading', { name });
  const energy = async (name: string) =>
    Number.parseFloat(await studio.page.locator(`[data-energy="${name}"] output`).innerText());

  async function enter(): Promise<void> {
    await mode('Pose').click();
    await studio.page.locator('.handle').first().waitFor({ state: 'attached' });
    await mode('Let it fall').click();
    await heading('Ready').waitFor();
  }

  async function rests(): Promise<void> {
    await heading('At rest').waitFor();
  }

  async function openFile(path: string): Promise<void> {
    await mode('Pose').click();
    await studio.openFiles(path);
    await mode('Let it fall').click();
    await studio.page.locator('.fall').waitFor();
  }

  it('drops the character by Space, comes to rest, and draws nothing more; Space brings it back', async () => {
    const { page } = studio;
    const canvas = page.locator('canvas').first();
    await drawEachFrame(page);
    await enter();
    await frames(page, 6);
    const stands = await canvas.screenshot();
    await page.keyboard.press('Space');
    await heading('Moves').waitFor();
    await rests();
    expect(await energy('kinetic')).toBeLessThan(2);
    expect(await energy('total')).toBeGreaterThan(20);
    await shoot(page, 'fall-rests.png');
    const before = await canvas.screenshot();
    await frames(page, 30);
    expect((await canvas.screenshot()).equals(before)).toBe(true);
    await page.keyboard.press('Space');
    await heading('Ready').waitFor();
    await frames(page, 6);
    expect((await canvas.screenshot()).equals(stands)).toBe(true);
    await drawEachFrame(page, false);
  });

  it('pulls a limb that is dragged, and is pushed by a click and by a button', async () => {
    const { page } = studio;
    const box = await page.locator('canvas').first().boundingBox();
    if (box === null) throw new Error('no canvas');
    const [x, y] = [box.x + box.width / 2, box.y + box.height * 0.42];
    await page.mouse.click(x, y);
    await heading('Moves').waitFor();
    await page.keyboard.press('Space');
    await heading('Ready').waitFor();
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 30, y - 60, { steps: 5 });
    await heading('Held').waitFor();
    await frames(page, 30);
    await shoot(page, 'fall-held.png');
    await page.mouse.up();
    await heading('Moves').waitFor();
    await page.keyboard.press('Space');
    await button('Push from the left').press('Enter');
    await heading('Moves').waitFor();
    await page.keyboard.press('Escape');
    // Undo brings it back, and takes no step back besides.
    const step = await button('Undo').getAttribute('title');
    await page.keyboard.press('Control+z');
    await heading('Ready').waitFor();
    expect(await button('Undo').getAttribute('title')).toBe(step);
  });

  it('drops an arm alone, and keeps what hangs as the pose, which undo takes back', async () => {
    const { page } = studio;
    await page.getByRole('combobox', { name: 'What falls' }).selectOption({ label: 'Upper body' });
    await button(/^Drop/).click();
    await rests();
    await shoot(page, 'fall-part.png');
    await button('Keep this pose').click();
    await heading('Ready').waitFor();
    await mode('Pose').click();
    await studio.idle();
    await shoot(page, 'fall-kept.png');
    const kept = await studio.middle('head');
    await button('Undo').click();
    await studio.idle('head');
    expect((await studio.middle('head')).y).toBeLessThan(kept.y - 20);
  });

  it('says that the ground is flat below a pose that is kept', async () => {
    const { page } = studio;
    await page.getByRole('radio', { name: 'Steps' }).check();
    await page.keyboard.press('Space');
    await heading('Moves').waitFor();
    const keep = button('Keep this pose');
    const top = async () => (await keep.boundingBox())?.y ?? 0;
    await keep.evaluate((shown) => shown.scrollIntoView({ block: 'end' }));
    const before = await top();
    await keep.click();
    await page.getByRole('status').getByText('so is the ground now').waitFor();
    // By no more than lines of what is said above.
    expect(await top()).toBeGreaterThan(before - 100);
    expect(await page.getByRole('radio', { name: 'Flat' }).isChecked()).toBe(true);
    await button('Undo').click();
    await heading('Ready').waitFor();
  });

  it('records the fall as keys, which Animate shows on what it fell on, and undo takes back', async () => {
    const { page } = studio;
    await page.getByRole('radio', { name: 'Steps' }).check();
    await button(/^Drop/).click();
    await heading('Moves').waitFor();
    await frames(page, 60);
    await drawEachFrame(page);
    await button('Record as keys').click();
    await page.locator('.timeline').waitFor();
    await page.locator('.key').first().waitFor();
    await studio.idle('head');
    await shoot(page, 'fall-keys.png');
    const foot = await studio.middle('leftFoot');
    // The shaded side of the highest step, below the feet.
    const side = { x: foot.x - 70, y: foot.y + 15, width: 20, height: 20 };
    const step = await brightnessOf(page, side);
    expect(await page.locator('.key').count()).toBeGreaterThan(20);
    const stands = await studio.middle('head');
    await page.keyboard.press('End');
    await studio.idle('head');
    expect((await studio.middle('head')).y).toBeGreaterThan(stands.y + 10);
    expect(await button('Undo').getAttribute('title')).toMatch(/Record the fall/);
    await button('Undo').click();
    await page.locator('.key').first().waitFor({ state: 'detached' });
    await studio.idle('head');
    expect(await brightnessOf(page, side)).toBeGreaterThan(step + 10);
    await drawEachFrame(page, false);
  });

  it('holds the pose by its muscles, slides down a slope, and saves the motion', async () => {
    const { page } = studio;
    await page.getByRole('slider', { name: 'Strength' }).fill('1');
    await page.getByRole('radio', { name: 'Slope' }).check();
    await button(/^Drop/).click();
    await frames(page, 150);
    await shoot(page, 'fall-slope.png');
    const bvh = await studio.exported('Save as BVH');
    expect(bvh.name).toBe('fall.bvh');
    const clip = readBvh(bvh.bytes.toString(), { source: bvh.name });
    expect(clip.frames).toBeGreaterThan(10);
    const glb = await studio.exported('Save as GLB');
    const rig = readGltfRig(new Uint8Array(glb.bytes));
    expect(rig.document.json.animations).toHaveLength(1);
    await page.getByRole('slider', { name: 'Strength' }).fill('0');
    await page.getByRole('radio', { name: 'Flat' }).check();
  });

  it('follows the clip by its muscles', async () => {
    const { page } = studio;
    expect(await page.getByRole('checkbox', { name: 'Follow the clip' }).isDisabled()).toBe(true);
    await mode('Animate').click();
    await page.locator('.timeline').waitFor();
    await page.keyboard.press('k');
    await page.locator('.key').first().waitFor();
    await mode('Let it fall').click();
    await page.getByRole('checkbox', { name: 'Follow the clip' }).check();
    await page.getByRole('checkbox', { name: 'Keep upright' }).check();
    expect(await page.getByRole('slider', { name: 'Strength' }).inputValue()).toBe('1');
    await button(/^Drop/).click();
    await heading('Moves').waitFor();
    await frames(page, 48);
    // It stands as the clip does.
    expect(await energy('potential')).toBeGreaterThan(400);
    await page.getByRole('checkbox', { name: 'Follow the clip' }).uncheck();
    await page.getByRole('checkbox', { name: 'Keep upright' }).uncheck();
    await page.getByRole('slider', { name: 'Strength' }).fill('0');
  });

  it.each([
    [1366, 650],
    [390, 844],
  ])('has its panel within %i x %i', async (width, height) => {
    const { page } = studio;
    await page.setViewportSize({ width, height });
    await button(/^Drop/).click();
    await heading('Moves').waitFor();
    await frames(page, 12);
    await shoot(page, `fall-${width}.png`);
    const wide = await page.locator('.panel').evaluate((panel) => panel.scrollWidth - panel.clientWidth);
    expect(wide).toBeLessThanOrEqual(0);
    const keep = button('Save as BVH');
    await keep.scrollIntoViewIfNeeded();
    expect(await keep.isVisible()).toBe(true);
    await shoot(page, `fall-${width}-end.png`);
    await mode('Pose').click();
    await page.locator('.pose-panel').waitFor();
    expect(await page.locator('.panel').evaluate((panel) => panel.scrollTop)).toBe(0);
    await mode('Let it fall').click();
    await heading('Ready').waitFor();
    await page.setViewportSize({ width: 820, height: 560 });
  });

  describeWithData('of files', 'gltf', (folder) => {
    const files = [
      'KayKit_Knight.glb',
      '../vrm/cryptovoxels.vrm',
      'RobotExpressive.glb',
      'Fox.glb',
      '../urdf/panda.urdf',
    ];
    it.each(files)('%s falls', async (name) => {
      await drawEachFrame(studio.page);
      await openFile(join(folder, name));
      await shoot(studio.page, `fall-${name.replace(/\W+/g, '-')}-0.png`);
      expect(await studio.page.locator('.fall').getByRole('alert').count()).toBe(0);
      const canvas = studio.page.locator('canvas').first();
      const stands = await canvas.screenshot();
      await drawEachFrame(studio.page, false);
      await button(/^Drop/).click();
      await frames(studio.page, 60);
      await shoot(studio.page, `fall-${name.replace(/\W+/g, '-')}.png`);
      // It is drawn, and moves.
      expect((await canvas.screenshot()).equals(stands)).toBe(false);
      const total = await energy('total');
      expect(Math.abs(total)).toBeLessThan(10_000);
    });
  });

  describeWithData('of chains', 'gltf', (folder) => {
    it('says why bones that hang on nothing do not fall', async () => {
      await openFile(join(folder, 'webxr_hand_left.glb'));
      expect(await studio.page.locator('.fall').getByRole('alert').innerText()).toMatch(/hang on nothing/);
      expect(await button(/^Drop/).isDisabled()).toBe(true);
      await mode('Pose').click();
      await button('Undo').click();
    });
  });

  it('complains of nothing', () => {
    expect(studio.complaints).toEqual([]);
  });
});
