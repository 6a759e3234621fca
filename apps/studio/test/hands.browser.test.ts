import { describeWithChromium } from '@poise/test-support/chromium';
import { screenshots } from '@poise/test-support/screenshots';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Studio } from './support/studio-page.js';

const shoot = screenshots('hands');

describeWithChromium('limits, hands and gaze in the studio', () => {
  let studio: Studio;
  beforeAll(async () => {
    studio = await Studio.start(1440, 900);
  });
  afterAll(() => studio?.stop());

  const undoTitle = () => studio.page.getByRole('button', { name: 'Undo' }).getAttribute('title');
  const parameters = async (label: string): Promise<number> =>
    Number(await studio.page.getByLabel(label, { exact: true }).inputValue());

  it('draws the limits of the selected joint, drags their rims, and puts them back', async () => {
    const { page } = studio;
    await studio.idle();
    await page.locator('[data-handle=leftElbow]').click();
    await page.locator('[data-rims=leftLowerArm] [data-grip="1"]').waitFor();
    await shoot(page, 'rim-elbow.png');
    await page.getByRole('combobox', { name: 'Joint', exact: true }).selectOption({ label: 'Left shoulder' });
    await page.locator('[data-rims=leftUpperArm] [data-grip="1"]').first().waitFor();
    await shoot(page, 'rim-shoulder.png');
    await page.getByText('Limits', { exact: true }).click();
    const name = 'Limit of the left shoulder: raised';
    expect(await parameters(name)).toBe(60);
    const grip = await page.locator('[data-rims=leftUpperArm] [data-rim="0"] [data-grip="1"]').boundingBox();
    if (grip === null) throw new Error('the grip is not on the page');
    const { mouse } = page;
    await mouse.move(grip.x + grip.width / 2, grip.y + grip.height / 2);
    await mouse.down();
    await mouse.move(grip.x + grip.width / 2 - 14, grip.y - 20, { steps: 4 });
    await shoot(page, 'rim-dragged.png');
    await mouse.up();
    const dragged = await parameters(name);
    expect(dragged).not.toBe(60);
    expect(await undoTitle()).toBe('Undo: Set the limit of the left shoulder (Ctrl Z)');
    await page.keyboard.press('Control+z');
    expect(await parameters(name)).toBe(60);
    await page.keyboard.press('Control+y');
    expect(await parameters(name)).toBe(dragged);
    await page.getByRole('button', { name: 'Reset this joint' }).click();
    expect(await parameters(name)).toBe(60);
    await page.getByLabel(name, { exact: true }).fill('20');
    await page.getByLabel(name, { exact: true }).press('Enter');
    expect(await parameters(name)).toBe(20);
    await shoot(page, 'rim-number.png');
    await page.getByRole('button', { name: 'Undo' }).click();
    expect(await parameters(name)).toBe(60);
    await page.keyboard.press('Escape');
  });

  it('takes a hand: presets, sliders, finger tips', async () => {
    const { page } = studio;
    await page.getByLabel('Character', { exact: true }).selectOption('hand');
    await page.locator('[data-handle=indexTip]').waitFor({ state: 'visible' });
    await studio.idle('indexTip');
    await shoot(page, 'hand.png');
    const before = await studio.middle('indexTip');
    for (const name of ['Open hand', 'Fist', 'Point', 'Thumbs up', 'OK']) {
      await page.getByRole('button', { name, exact: true }).click();
      expect(await undoTitle()).toBe(`Undo: ${name}: hand (Ctrl Z)`);
      await studio.idle('indexTip');
      await shoot(page, `hand-${name.toLowerCase().replace(' ', '-')}.png`);
    }
    for (let n = 0; n < 5; n++) await page.keyboard.press('Control+z');
    await studio.idle('indexTip');
    expect(await studio.middle('indexTip')).toEqual(before);
    await page.getByLabel('Index: curl', { exact: true }).fill('0.8');
    expect(await undoTitle()).toBe('Undo: Curl the index finger of the hand (Ctrl Z)');
    await studio.idle('indexTip');
    expect((await studio.middle('indexTip')).y - before.y).toBeGreaterThan(30);
    await page.keyboard.press('Control+z');
    await studio.drag('indexTip', 20, 60);
    expect(await undoTitle()).toBe('Undo: Move the index finger (Ctrl Z)');
    // Who goes through the list by the keyboard is asked for nothing; the button beside it asks for a file.
    let asks = 0;
    page.on('filechooser', () => asks++);
    const characters = page.getByLabel('Character', { exact: true });
    await characters.focus();
    await page.keyboard.press('End');
    await expect.poll(() => characters.inputValue()).toBe('robot arm');
    expect(asks).toBe(0);
    await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Your file …' }).press('Enter'),
    ]);
    expect(asks).toBe(1);
    await page.locator('[data-handle=tool]').waitFor({ state: 'visible' });
    await studio.drag('tool', 60, 40);
    expect(await undoTitle()).toBe('Undo: Move the tool (Ctrl Z)');
    await shoot(page, 'robot-arm.png');
    await page.getByLabel('Character', { exact: true }).selectOption('human');
    await page.locator('[data-handle=leftHand]').waitFor({ state: 'visible' });
    expect(await undoTitle()).toBe('Undo: Take the built-in human (Ctrl Z)');
  });

  it('looks at a point that is dragged, and continues while the body is dragged', async () => {
    const { page } = studio;
    await page.getByLabel('Look at a point').check();
    // It is loaded first.
    await page.locator('[data-handle=gaze]').waitFor({ state: 'visible' });
    expect(await undoTitle()).toBe('Undo: Look at a point (Ctrl Z)');
    await studio.idle('head');
    const head = await studio.middle('head');
    await studio.drag('gaze', 160, -60);
    expect(await undoTitle()).toBe('Undo: Move the gaze (Ctrl Z)');
    const gaze = await studio.middle('gaze');
    expect(Math.abs((await studio.middle('head')).x - head.x)).toBeGreaterThan(0.5);
    await shoot(page, 'gaze.png');
    await studio.drag('hips', 0, 60, async () => {
      await shoot(page, 'gaze-squat.png');
      expect(
        Math.hypot((await studio.middle('gaze')).x - gaze.x, (await studio.middle('gaze')).y - gaze.y),
      ).toBeLessThan(0.1);
    });
    await page.locator('[data-handle=gaze]').focus();
    await page.keyboard.press('ArrowLeft');
    await studio.idle('gaze');
    expect((await studio.middle('gaze')).x).toBeLessThan(gaze.x - 5);
    for (let n = 0; n < 4; n++) await page.getByRole('button', { name: 'Undo' }).click();
    expect(await page.locator('[data-handle=gaze]').count()).toBe(0);
    expect(await page.getByLabel('Look at a point').isChecked()).toBe(false);
    await studio.idle('head');
    expect(Math.abs((await studio.middle('head')).x - head.x)).toBeLessThan(0.1);
  });

  it('swivels an elbow while the hand stays, and keeps hands off the body', async () => {
    const { page } = studio;
    const elbow = page.locator('[data-handle=leftElbow]');
    await studio.drag('leftHand', -60, -120);
    expect(await page.locator('[data-swivel]').count()).toBe(0);
    await elbow.click();
    const swivel = page.locator('[data-swivel=leftElbow]');
    await swivel.waitFor({ state: 'visible' });
    const [hand, before] = [await studio.middle('leftHand'), await studio.middle('leftElbow')];
    const box = await swivel.boundingBox();
    if (box === null) throw new Error('the swivel is not on the page');
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + 40, box.y - 50, { steps: 6 });
    await studio.idle('leftElbow');
    await shoot(page, 'swivel.png');
    await page.mouse.up();
    expect(await undoTitle()).toBe('Undo: Swivel the left elbow (Ctrl Z)');
    const [kept, moved] = [await studio.middle('leftHand'), await studio.middle('leftElbow')];
    expect(Math.hypot(kept.x - hand.x, kept.y - hand.y)).toBeLessThan(1);
    expect(Math.hypot(moved.x - before.x, moved.y - before.y)).toBeGreaterThan(5);
    await swivel.focus();
    await page.keyboard.press('ArrowDown');
    expect(await undoTitle()).toBe('Undo: Swivel the left elbow (Ctrl Z)');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Reset pose' }).click();
    const apart = page.getByLabel('Keep hands off the body');
    expect(await apart.isChecked()).toBe(false);
    await apart.check();
    await page.locator('.standing [aria-busy=true]').waitFor({ state: 'detached' });
    // Before the body, then from the side into it.
    await page.getByRole('button', { name: 'Front' }).click();
    await studio.idle();
    const [middle, from] = [await studio.middle('hips'), await studio.middle('leftHand')];
    await studio.drag('leftHand', middle.x - from.x, middle.y - from.y - 60);
    await page.getByRole('button', { name: 'Side' }).click();
    await studio.idle();
    const [trunk, front] = [await studio.middle('hips'), await studio.middle('leftHand')];
    await page.mouse.move(front.x, front.y);
    await page.mouse.down();
    await page.mouse.move(trunk.x, front.y, { steps: 8 });
    await page.waitForTimeout(500);
    await shoot(page, 'apart.png');
    // The body gives way, the hand stays before it.
    const [waist, palm] = [await studio.middle('hips'), await studio.middle('leftHand')];
    expect(waist.x - palm.x).toBeGreaterThan(15);
    await page.mouse.up();
    await apart.uncheck();
    await page.getByRole('button', { name: 'Reset view' }).click();
    await page.getByRole('button', { name: 'Reset pose' }).click();
  });

  // Pictures to look at.
  if (process.env.POISE_SHOTS)
    it('is looked at in four sizes, light and dark', async () => {
      for (const [width, height] of [
        [1440, 900],
        [1366, 650],
        [820, 1180],
        [390, 844],
      ]) {
        for (const colorScheme of ['light', 'dark'] as const) {
          const page = await studio.open(width, height, { colorScheme });
          await page
            .getByRole('combobox', { name: 'Joint', exact: true })
            .selectOption({ label: 'Left shoulder' });
          await page.getByLabel('Look at a point').check();
          await page.waitForTimeout(400);
          await shoot(page, `size-${width}-${colorScheme}.png`);
          await page.getByLabel('Character', { exact: true }).selectOption('hand');
          await page.locator('[data-handle=indexTip]').waitFor({ state: 'visible' });
          await page
            .getByRole('combobox', { name: 'Joint', exact: true })
            .selectOption({ label: 'Right index knuckle' });
          await page.waitForTimeout(400);
          await shoot(page, `size-hand-${width}-${colorScheme}.png`);
          await page.close();
        }
      }
    });

  it('never complains: no error on the console, no request that fails', () => {
    expect(studio.complaints).toEqual([]);
  });
});
