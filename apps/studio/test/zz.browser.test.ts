import { join } from 'node:path';
import { describeWithChromium } from '@poise/test-support/chromium';
import { describeWithData } from '@poise/test-support/shared-data';
import { expect, it } from 'vitest';
import { Studio } from './support/studio-page.js';
describeWithChromium('x', () => { describeWithData('y', 'gltf', (folder) => {
  it('z', async () => {
    const studio = await Studio.start(820, 560);
    const { page } = studio;
    await page.locator('input[type=file]').setInputFiles(join(folder, 'KayKit_Knight.glb'));
    await page.locator('.controls [role=status]').waitFor({ state: 'detached' });
    await page.waitForTimeout(500);
    await page.screenshot({ path: '/tmp/shots-fall/z0.png' });
    await page.getByRole('button', { name: 'Let it fall' }).click();
    await page.waitForTimeout(1500);
    await page.screenshot({ path: '/tmp/shots-fall/z1.png' });
    await page.getByRole('navigation').getByRole('button', { name: 'Pose' }).click();
    await page.waitForTimeout(500);
    await page.screenshot({ path: '/tmp/shots-fall/z2.png' });
    console.log(studio.complaints);
    await studio.stop();
  });
}); });
