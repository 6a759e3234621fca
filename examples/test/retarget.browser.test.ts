import { readFileSync } from 'node:fs';
import { describeWithChromium, frames } from '@poise/test-support/chromium';
import { screenshots } from '@poise/test-support/screenshots';
import { describeWithData } from '@poise/test-support/shared-data';
import { expect, it } from 'vitest';
import { openExample, type Page } from './example-page.js';

const shoot = screenshots('retarget');

describeWithChromium('the page that puts a clip on another character', () => {
  let page: Page;
  const complaints = openExample('retarget/index.html', { width: 1366, height: 650 }, (opened) => {
    page = opened;
  });

  const status = (wanted: string) =>
    page.locator(`#status[data-status=${wanted}]`).waitFor({ state: 'visible' });
  const number = async (id: string) => Number(await page.locator(id).getAttribute('data-value'));
  const lasts = (seconds: string) =>
    page.locator('#time-value', { hasText: `of ${seconds} s` }).waitFor({ state: 'visible' });
  const bone = (human: string, side: 'clip' | 'character') =>
    page.locator(`#rows tr[data-bone=${human}] select`).nth(side === 'clip' ? 0 : 1);

  const read = (paths: readonly string[]) =>
    paths.map((path) => ({
      name: path.replace(/^.*[\\/]/, ''),
      bytes: readFileSync(path).toString('base64'),
    }));

  /** Drops files at the right of the window; others as soon as a timer of the page finds its worker at work. */
  const drop = (paths: readonly string[], next: readonly string[] = []): Promise<void> =>
    page.evaluate(
      async (drops) => {
        const dropFiles = (files: (typeof drops)[number]): void => {
          const dataTransfer = new DataTransfer();
          for (const { name, bytes } of files)
            dataTransfer.items.add(new File([Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0))], name));
          window.dispatchEvent(
            new DragEvent('drop', { dataTransfer, clientX: window.innerWidth - 50, cancelable: true }),
          );
        };
        dropFiles(drops[0]);
        if (drops[1].length === 0) return;
        while (document.querySelector<HTMLElement>('#progress')?.hidden !== false)
          await new Promise((resolve) => setTimeout(resolve, 5));
        dropFiles(drops[1]);
      },
      [read(paths), read(next)],
    );

  it('shows a walk on a child, whose feet stay, and says which bone moves which', async () => {
    await status('stays');
    expect(await number('#most')).toBeLessThan(1);
    expect(await page.locator('#timeline .contact').count()).toBeGreaterThan(8);
    await shoot(page, 'child.png');
    await page.locator('#bones').click();
    expect(await page.locator('#rows tr').count()).toBe(22);
    expect(await bone('hips', 'clip').locator('option:checked').innerText()).toBe('hips');
    expect(await page.locator('#rows tr').first().innerText()).toMatch(/\d+ %$/);
  });

  it('retargets again with a bone that is corrected, and says what is wrong with a correction', async () => {
    await bone('leftHand', 'character').selectOption('none');
    await page.locator('#rows tr[data-bone=leftHand] select[data-given=true]').waitFor();
    await status('stays');
    expect(await page.locator('#bones').innerText()).toBe('Bones: 21 matched');
    expect(await page.locator('#rows tr[data-bone=leftHand]').innerText()).not.toContain('%');
    await shoot(page, 'bones.png');
    await bone('head', 'clip').selectOption('=hips');
    await status('refused');
    expect(await page.locator('#problem').innerText()).toMatch(/hips/);
    await bone('head', 'clip').selectOption('');
    await status('stays');
    await bone('leftHand', 'character').selectOption('');
    await page.locator('#bones', { hasText: 'Bones: 22 matched' }).waitFor();
    await status('stays');
    expect(await page.locator('#problem').innerText()).toBe('');
    await page.locator('#bones').click();
  });

  it('stops at a time, by the slider and by the timeline, and plays from there', async () => {
    await page.locator('#time').fill('1.5');
    await page.locator('#time-value', { hasText: '1.50 of 4.60 s' }).waitFor();
    expect(await page.locator('#play').innerText()).toBe('Play');
    const box = await page.locator('#timeline').boundingBox();
    if (box === null) throw new Error('no timeline');
    await page.mouse.move(box.x + 0.2 * box.width, box.y + 50);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.5 * box.width, box.y + 20, { steps: 3 });
    await page.mouse.up();
    await page.locator('#time-value', { hasText: '2.30 of 4.60 s' }).waitFor();
    await page.locator('#play').click();
    await page.waitForFunction(() => Number(document.querySelector<HTMLInputElement>('#time')?.value) > 2.4);
  });

  it('writes a GLB with the clip', async () => {
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator('#download').click()]);
    const glb = readFileSync(await download.path());
    const { animations, skins } = JSON.parse(glb.toString('utf8', 20, 20 + glb.readUInt32LE(12)));
    expect(animations).toHaveLength(1);
    expect(animations[0].channels.length).toBeGreaterThanOrEqual(skins[0].joints.length);
  });

  it('says what is wrong with a file, and keeps what it shows', async () => {
    const give = (name: string, text: string) =>
      page.locator('#clip-file').setInputFiles({ name, mimeType: '', buffer: Buffer.from(text) });
    await give('none.bvh', 'HIERARCHY nothing');
    await page.locator('#problem', { hasText: 'none.bvh' }).waitFor();
    await give('none.txt', 'none');
    await page.locator('#problem', { hasText: 'none.txt: Give a file that ends in' }).waitFor();
    await give('none.amc', 'none');
    await page.locator('#problem', { hasText: 'none.amc: needs its skeleton' }).waitFor();
    await status('stays');
  });

  describeWithData('with recorded clips and characters', 'gltf/KayKit_Knight.glb', (knight) => {
    const data = (path: string) => knight.replace(/gltf.*$/, path);

    it('drops a walk and a knight: feet stay that would slide', async () => {
      await page.locator('#limits').uncheck();
      await drop([knight, data('bvh/cmu_12_01_walk.bvh')]);
      await lasts('4.36');
      expect(await page.locator('#character option:checked').innerText()).toBe('KayKit_Knight.glb');
      await status('stays');
      expect(await number('#most')).toBeLessThan(1);
      expect(await number('#depth')).toBeLessThan(1);
      await page.locator('#time').fill('1');
      await shoot(page, 'knight.png');
      await page.locator('#feet').uncheck();
      await status('slides');
      expect(await number('#most')).toBeGreaterThan(20);
      await page.locator('#ghost').check();
      await frames(page, 3);
      await shoot(page, 'slides.png');
      await page.locator('#ghost').uncheck();
      await page.locator('#feet').check();
      await status('stays');
    });

    it('is not blocked by a long clip, and leaves it for a new one', async () => {
      const amc = [data('amc/cmu_07_05_walk.amc'), data('amc/cmu_07_walk.asf')];
      await drop([data('bvh/cmu_01_01_hop_turn.bvh')], amc);
      await lasts('4.30');
      await page.locator('#progress').waitFor({ state: 'hidden' });
      await shoot(page, 'amc.png');
    });

    it('takes a VRM', async () => {
      await drop([data('vrm/cryptovoxels.vrm')]);
      await page
        .locator('#character option:checked', { hasText: 'cryptovoxels.vrm' })
        .waitFor({ state: 'attached' });
      await page.locator('#progress').waitFor({ state: 'hidden' });
      // By the map of the file.
      expect(await bone('leftUpperLeg', 'character').getAttribute('data-given')).toBe('true');
      expect(await number('#most')).toBeLessThan(5);
      await shoot(page, 'vrm.png');
    });
  });

  it('is dark where the system is', async () => {
    await page.emulateMedia({ colorScheme: 'dark' });
    await frames(page, 3);
    await shoot(page, 'dark.png');
    await page.emulateMedia({ colorScheme: 'light' });
  });

  it('fits a laptop, a tablet and a phone, with its buttons in view', async () => {
    for (const [width, height] of [
      [1366, 650],
      [820, 1180],
      [390, 844],
    ]) {
      await page.setViewportSize({ width, height });
      await frames(page, 3);
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
      for (const id of ['#play', '#download']) {
        const box = await page.locator(id).boundingBox();
        expect((box?.y ?? height) + (box?.height ?? 0)).toBeLessThanOrEqual(height);
      }
      await shoot(page, `${width}.png`);
    }
  });

  it('raises no error', () => {
    expect(complaints).toEqual([]);
  });
});
