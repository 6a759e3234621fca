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
    await page.getByLabel('Joint', { exact: true }).selectOption({ label: 'Left shoulder' });
    await page.locator('[data-rims=leftUpperArm] [data-grip="1"]').first().waitFor();
    await shoot(page, 'rim-shoulder.png');
    await page.getByText('Where it ends').click();
    const name = 'End of the left shoulder: raised';
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
    expect(await undoTitle()).toBe('Undo: Set the end of the left shoulder (Ctrl Z)');
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
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Escape');
  });

  it('never complains: no error on the console, no request that fails', () => {
    expect(studio.complaints).toEqual([]);
  });
});
