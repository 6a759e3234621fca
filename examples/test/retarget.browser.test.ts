import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describeWithChromium, launchChromium } from '@poise/test-support/chromium';
import { screenshots } from '@poise/test-support/screenshots';
import { describeWithData } from '@poise/test-support/shared-data';
import { createServer, type ViteDevServer } from 'vite';
import { afterAll, beforeAll, expect, it } from 'vitest';

type Browser = Awaited<ReturnType<typeof launchChromium>>;
type Page = Awaited<ReturnType<Browser['newPage']>>;

const root = fileURLToPath(new URL('..', import.meta.url));
const shoot = screenshots('retarget');

describeWithChromium('the page that puts a clip on another character', () => {
  let server: ViteDevServer;
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];

  beforeAll(async () => {
    // Without a watch: a file that is saved meanwhile would load the page anew.
    const quiet = { hmr: false, watch: null };
    server = await createServer({
      root,
      logLevel: 'error',
      server: { host: '127.0.0.1', port: 0, ...quiet },
    });
    await server.listen();
    const address = server.httpServer?.address();
    if (typeof address !== 'object' || address === null) throw new Error('the server has no port');
    browser = await launchChromium();
    page = await browser.newPage({ viewport: { width: 800, height: 600 } });
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(`http://127.0.0.1:${address.port}/retarget/index.html`);
    await page.waitForSelector('html[data-ready=true]', { state: 'attached' });
  });

  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  const status = (wanted: string) =>
    page.locator(`#status[data-status=${wanted}]`).waitFor({ state: 'visible' });
  const number = async (id: string) => Number(await page.locator(id).getAttribute('data-value'));

  it('shows a walk on a child, whose feet stay, and says which bone moves which', async () => {
    await status('stays');
    expect(await number('#most')).toBeLessThan(1);
    await page.locator('#bones').click();
    expect(await page.locator('#rows tr').count()).toBe(22);
    expect(await page.locator('#rows tr').first().innerText()).toMatch(/hips\s+hips\s+hips\s+\d+ %/);
    await page.locator('#bones').click();
  });

  it('stops at a time, and plays from there', async () => {
    await page.locator('#time').fill('1.5');
    await page.locator('#time-value', { hasText: '1.50 of 4.60 s' }).waitFor();
    expect(await page.locator('#play').innerText()).toBe('Play');
    await shoot(page, 'child.png');
    await page.locator('#play').click();
    await page.waitForFunction(() => document.querySelector<HTMLInputElement>('#time')?.value !== '1.5');
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
    await status('stays');
  });

  describeWithData('with a recorded walk and a knight', 'gltf/KayKit_Knight.glb', (knight) => {
    it('drops both: feet stay that would slide', async () => {
      await page.locator('#limits').uncheck();
      const files = [knight, knight.replace(/gltf.*$/, 'bvh/cmu_12_01_walk.bvh')].map((path) => ({
        name: path.replace(/^.*[\\/]/, ''),
        bytes: readFileSync(path).toString('base64'),
      }));
      await page.evaluate((given) => {
        const dataTransfer = new DataTransfer();
        for (const { name, bytes } of given)
          dataTransfer.items.add(new File([Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0))], name));
        window.dispatchEvent(new DragEvent('drop', { dataTransfer, clientX: 750, cancelable: true }));
      }, files);
      await page.locator('#time-value', { hasText: 'of 4.36 s' }).waitFor();
      expect(await page.locator('#character option:checked').innerText()).toBe('KayKit_Knight.glb');
      await status('stays');
      expect(await number('#most')).toBeLessThan(1);
      expect(await number('#depth')).toBeLessThan(1);
      await page.locator('#time').fill('1');
      await shoot(page, 'knight.png');
      await page.locator('#feet').uncheck();
      await status('slides');
      expect(await number('#most')).toBeGreaterThan(20);
    });
  });

  it('is no wider than a phone, with its buttons in view', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.waitForTimeout(200);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
    const box = await page.locator('#play').boundingBox();
    expect((box?.y ?? 900) + (box?.height ?? 0)).toBeLessThanOrEqual(844);
    await shoot(page, 'phone.png');
  });

  it('raises no error', () => {
    expect(complaints).toEqual([]);
  });
});
