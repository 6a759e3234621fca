import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describeWithChromium } from '@poise/test-support/chromium';
import { screenshots } from '@poise/test-support/screenshots';
import { describeWithData } from '@poise/test-support/shared-data';
import type { AxeResults } from 'axe-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Page, Studio } from './support/studio-page.js';

const shoot = screenshots('studio');
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const AXE = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** A window that is drawn in little time, px. */
const SMALL = [900, 560] as const;
/** Time within which a change is kept, ms. */
const KEPT = 1000;

describeWithChromium('what the studio keeps, saves and shares', () => {
  let studio: Studio;
  let first: Page;
  beforeAll(async () => {
    studio = await Studio.start(1366, 650);
    first = studio.page;
  });
  afterAll(() => studio?.stop());

  /** A page of a browser that was never here. */
  async function fresh(
    act: (page: Page) => Promise<void>,
    prepare?: Parameters<Studio['open']>[3],
    settings?: Parameters<Studio['open']>[2],
  ): Promise<void> {
    const page = await studio.open(...SMALL, settings, prepare);
    studio.page = page;
    try {
      await act(page);
    } finally {
      await page.context().close();
      studio.page = first;
    }
  }

  const button = (name: string) => studio.page.getByRole('button', { name, exact: true });
  const json = async () => (await studio.exported('Export JSON')).bytes.toString();
  const project = async () => (await studio.exported('Save project')).bytes.toString();
  /** Presses an entry of the File menu, and gives what it says. */
  const fromMenu = async (name: string): Promise<string> => {
    await button('File').click();
    await button(name).click();
    const said = studio.page.locator('.words, .file-menu [role=alert]');
    const words = await said.innerText();
    await studio.page.keyboard.press('Escape');
    return words;
  };
  const back = async (page: Page, handle = 'leftHand') => {
    // A tab behind another has a frame in a second.
    await page.bringToFront();
    await page.locator(`[data-handle="${handle}"]`).waitFor({ state: 'visible' });
    await studio.idle(handle);
  };

  it('brings back pose, kept poses and switches after a reload, each change within a second', async () => {
    await fresh(async (page) => {
      await studio.drag('leftHand', 40, -160);
      await page.getByLabel('Keep the balance').uncheck();
      await button('Keep').click();
      const before = await project();
      await button('Animate').click();
      await page.waitForTimeout(KEPT);
      // On a slow line nothing can be done that would be overwritten.
      await page.route(/autosave/, async (route) => {
        await new Promise((resolve) => setTimeout(resolve, 1000));
        await route.continue();
      });
      await page.reload();
      expect(
        await page.locator('.panel').evaluate((panel) => panel instanceof HTMLElement && panel.inert),
      ).toBe(true);
      await page.keyboard.press('Control+z');
      await back(page);
      expect(await page.locator('[inert]').count()).toBe(0);
      expect(await button('Animate').getAttribute('aria-pressed')).toBe('true');
      await button('Pose').click();
      expect(await project()).toBe(before);
      expect(await page.getByLabel('Keep the balance').isChecked()).toBe(false);
      expect(await page.locator('[data-pose="Pose 1"]').count()).toBe(1);
      expect(await page.getByRole('alert').count()).toBe(0);
      await button('File').click();
      expect(await page.locator('.file-menu').innerText()).toMatch(/This, at \d|Nothing has changed yet/);
      await shoot(page, 'file-menu.png');
    });
  });

  it('loses nothing by a reload in the middle of a drag: the drag is a step of undo', async () => {
    await fresh(async (page) => {
      await studio.drag('rightHand', -30, -60);
      const committed = await json();
      const { x, y } = await studio.middle('leftHand');
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x + 40, y - 180, { steps: 8 });
      await studio.idle();
      const there = await studio.middle('leftHand');
      await page.reload();
      await back(page);
      const now = await studio.middle('leftHand');
      expect(Math.hypot(now.x - there.x, now.y - there.y)).toBeLessThan(2);
      await page.mouse.up();
      expect(await button('Undo').getAttribute('title')).toBe('Undo: Move the left hand (Ctrl Z)');
      await button('Undo').click();
      await studio.idle();
      expect(await json()).toBe(committed);
    });
  });

  it('keeps the documents of two tabs apart, and says so', async () => {
    await fresh(async (page) => {
      await studio.drag('leftHand', 40, -160);
      const one = await json();
      await page.waitForTimeout(KEPT);
      const other = await page.context().newPage();
      await other.goto(page.url());
      studio.page = other;
      await back(other);
      expect(await other.getByRole('alert').innerText()).toContain('open in another tab');
      await studio.drag('head', 30, 40);
      await other.waitForTimeout(KEPT);
      await button('File').click();
      await other.locator('.file-menu li').first().waitFor();
      expect(await other.locator('.file-menu li').count()).toBe(1);
      await other.close();
      studio.page = page;
      await page.reload();
      await back(page);
      expect(await json()).toBe(one);
      // That of the tab that was closed is opened as a step of undo.
      await button('File').click();
      await page.locator('.file-menu li button').first().click();
      await page
        .getByRole('status')
        .getByText(/^Opened/)
        .waitFor();
      expect(await json()).not.toBe(one);
      await button('Undo').click();
      await studio.idle();
      expect(await json()).toBe(one);
    });
  });

  it.each([true, false])(
    'keeps a tab that is doubled apart from its first, with locks: %s',
    async (hasLocks) => {
      await fresh(
        async (page) => {
          await studio.drag('leftHand', 40, -160);
          const one = await json();
          await page.waitForTimeout(KEPT);
          // What a tab keeps for itself is copied with it.
          const [other] = await Promise.all([
            page.waitForEvent('popup'),
            page.evaluate(() => void window.open(location.href)),
          ]);
          studio.page = other;
          await other.setViewportSize({ width: SMALL[0], height: SMALL[1] });
          await back(other);
          expect(await json()).toBe(one);
          await studio.drag('head', 30, 40);
          const two = await json();
          await other.waitForTimeout(KEPT);
          expect(two).not.toBe(one);
          for (const [tab, work] of [
            [page, one],
            [other, two],
          ] as const) {
            studio.page = tab;
            await tab.reload();
            await back(tab);
            expect(await json()).toBe(work);
          }
        },
        async (page) => {
          if (hasLocks) return;
          await page.context().addInitScript(() => {
            Object.defineProperty(Navigator.prototype, 'locks', { get: () => undefined });
          });
        },
      );
    },
  );

  it('says that nothing is kept where the browser has no store, or no room, and works on', async () => {
    const stores = {
      'keeps nothing of this page': () => {
        indexedDB.open = () => {
          throw new DOMException('denied', 'SecurityError');
        };
      },
      'no room left': () => {
        IDBObjectStore.prototype.put = () => {
          throw new DOMException('full', 'QuotaExceededError');
        };
      },
      'A newer studio': () => {
        const { open } = IDBFactory.prototype;
        // What a newer studio leaves.
        open.call(indexedDB, 'poise-studio', 99);
      },
    };
    for (const [words, prepare] of Object.entries(stores)) {
      await fresh(
        async (page) => {
          await studio.drag('leftHand', 40, -160);
          const alert = page.getByRole('alert');
          await alert.waitFor();
          expect(await alert.innerText()).toContain(words);
          if (words === 'no room left') await shoot(page, 'not-kept.png');
          expect(JSON.parse(await project()).format).toBe('poise-project');
        },
        async (page) => {
          await page.addInitScript(prepare);
        },
      );
    }
  });

  it('begins anew beside a record that is damaged, and keeps it', async () => {
    await fresh(async (page) => {
      await studio.drag('leftHand', 40, -160);
      await page.waitForTimeout(KEPT);
      await page.evaluate(
        () =>
          new Promise<void>((resolve) => {
            const request = indexedDB.open('poise-studio');
            request.onsuccess = () => {
              const transaction = request.result.transaction('documents', 'readwrite');
              const documents = transaction.objectStore('documents');
              documents.getAll().onsuccess = ({ target }) => {
                const [record] = (target as IDBRequest).result;
                record.project.pose = ['no number'];
                documents.put(record);
              };
              transaction.oncomplete = () => {
                request.result.close();
                resolve();
              };
            };
          }),
      );
      await page.reload();
      await back(page);
      expect(await page.getByRole('alert').innerText()).toMatch(
        /could not be brought back.*damaged.*still kept/,
      );
      await button('Put the message away').click();
      expect(await page.getByRole('alert').count()).toBe(0);
      await button('File').click();
      await page.locator('.file-menu li').first().waitFor();
      expect(await page.locator('.file-menu li').count()).toBe(1);
    });
  });

  it('saves a project and opens it again, by the button and dropped, and says what is wrong with a bad one', async () => {
    await fresh(async (page) => {
      await studio.drag('leftHand', 40, -160);
      await page.keyboard.press('Control+z');
      await page.keyboard.press('Control+y');
      const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Control+s')]);
      expect(download.suggestedFilename()).toBe('human.poise');
      const text = readFileSync(await download.path(), 'utf8');
      await button('Reset pose').click();
      const input = page.getByLabel('File to open');
      const file = (content: string) => ({ name: 'my.poise', mimeType: '', buffer: Buffer.from(content) });
      await studio.openFiles(file(text));
      expect(await project()).toBe(text);
      await page.keyboard.press('Control+z');
      await page.evaluate((content) => {
        const data = new DataTransfer();
        data.items.add(new File([content], 'dropped.poise'));
        window.dispatchEvent(new DragEvent('drop', { dataTransfer: data, cancelable: true }));
      }, text);
      await expect.poll(() => button('Undo').getAttribute('title')).toContain('Open dropped.poise');
      expect(await project()).toBe(text);
      await input.setInputFiles(file(text.slice(0, -100)));
      await expect
        .poll(() => page.getByRole('alert').innerText())
        .toBe('my.poise is no project, or was cut off. Give a file that "Save project" wrote, whole.');
      expect(await project()).toBe(text);
    });
  });

  it('shares a scene by a link, which another browser opens, and nothing of it reaches a server', async () => {
    let link = '';
    let shared = '';
    await fresh(async (page) => {
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await studio.drag('leftHand', 40, -160);
      shared = await project();
      expect(await fromMenu('Copy link')).toBe('Copied the link');
      link = await page.evaluate(() => navigator.clipboard.readText());
    });
    expect(new URL(link).hash).toMatch(/^#scene=[\w-]+$/);
    await fresh(async (page) => {
      await studio.drag('head', 20, 40);
      const mine = await project();
      // The same page, then a new one.
      await page.goto(link);
      await page.waitForFunction(() => location.hash === '');
      await studio.idle();
      expect(await project()).toBe(shared);
      await button('Undo').click();
      expect(await project()).toBe(mine);
      const other = await page.context().newPage();
      await other.goto(link);
      studio.page = other;
      await back(other);
      expect(await project()).toBe(shared);
      await other.waitForTimeout(KEPT);
      await other.reload();
      await back(other);
      expect(await project()).toBe(shared);
      await other.goto(`${link.slice(0, -30)}`);
      await other.getByRole('alert').waitFor();
      expect(await other.getByRole('alert').innerText()).toContain(
        'The scene of the link is damaged or was cut off.',
      );
      await other.close();
    });
  });

  it('takes pictures of the view, with and without background', async () => {
    await fresh(async (page) => {
      const take = async (scale: string, isTransparent: boolean) => {
        await button('File').click();
        await button('Picture').click();
        await page.getByLabel(scale).check();
        if (isTransparent) await page.getByLabel('Without background and grid').check();
        await shoot(page, 'picture-dialog.png');
        return (await studio.exported('Save PNG')).bytes;
      };
      const [width, height] = await page.evaluate(() => {
        const { clientWidth, clientHeight } = document.querySelector('canvas') as HTMLCanvasElement;
        return [clientWidth, clientHeight];
      });
      const plain = await take('1×', false);
      expect([plain.readUInt32BE(16), plain.readUInt32BE(20)]).toEqual([width, height]);
      const transparent = await take('2×', true);
      expect([transparent.readUInt32BE(16), transparent.readUInt32BE(20)]).toEqual([2 * width, 2 * height]);
      const alphas = async (png: Buffer) =>
        page.evaluate(async (bytes) => {
          const blob = new Blob([Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0))]);
          const picture = await createImageBitmap(blob);
          const canvas = new OffscreenCanvas(picture.width, picture.height);
          const context = canvas.getContext('2d') as OffscreenCanvasRenderingContext2D;
          context.drawImage(picture, 0, 0);
          const { data } = context.getImageData(0, 0, picture.width, picture.height);
          let clear = 0;
          for (let k = 3; k < data.length; k += 4) if (data[k] === 0) clear++;
          return clear / (data.length / 4);
        }, png.toString('base64'));
      expect(await alphas(plain)).toBe(0);
      const clear = await alphas(transparent);
      expect(clear).toBeGreaterThan(0.5);
      expect(clear).toBeLessThan(0.98);
    });
  });

  it('records the clip: each frame at its time; cancelled, the page works as before', async () => {
    await fresh(async (page) => {
      await button('Animate').click();
      const length = page.getByLabel('Length');
      await page.locator('.strip canvas, .strip [role]').first().waitFor();
      await length.waitFor();
      await studio.idle();
      await studio.drag('leftHand', 40, -160);
      await length.fill('0.5');
      await length.press('Enter');
      await button('File').click();
      await button('Video').click();
      await page.getByText('0.50 s at 30 frames a second').waitFor();
      await shoot(page, 'video-dialog.png');
      const [width, height] = await page.evaluate(() => {
        const { width, height } = document.querySelector('canvas') as HTMLCanvasElement;
        return [width, height];
      });
      const { name, bytes } = await studio.exported('Record WebM');
      expect(name).toBe('clip.webm');
      // Another page, whose policy lets it play.
      const player = await page.context().newPage();
      const video = await player.evaluate(async (content) => {
        const blob = new Blob([Uint8Array.from(atob(content), (c) => c.charCodeAt(0))], {
          type: 'video/webm',
        });
        const element = document.createElement('video');
        element.muted = true;
        element.src = URL.createObjectURL(blob);
        const event = (type: string) =>
          new Promise((resolve, reject) => {
            element.addEventListener(type, resolve, { once: true });
            element.onerror = () => reject(new Error(element.error?.message));
          });
        await event('canplaythrough');
        const { duration, videoWidth, videoHeight } = element;
        const seeked = event('seeked');
        element.currentTime = 0.3;
        await seeked;
        element.currentTime = 0;
        const ended = event('ended');
        await element.play();
        await ended;
        return { duration, videoWidth, videoHeight, at: element.currentTime };
      }, bytes.toString('base64'));
      await player.close();
      expect(video).toEqual({ duration: 0.5, videoWidth: width & ~1, videoHeight: height & ~1, at: 0.5 });
      await button('Let it fall').click();
      await button('Drop Space').click();
      await page.locator('[data-phase=falls]').waitFor();
      await page.waitForTimeout(800);
      await button('File').click();
      await button('Video').click();
      const what = page.getByLabel('What to record');
      await what.waitFor();
      expect(await what.locator('option').allInnerTexts()).toEqual(['The fall', 'The clip']);
      await button('Record WebM').click();
      await page.waitForFunction(() => (document.querySelector('progress')?.value ?? 0) > 0);
      await button('Cancel').click();
      await page.locator('dialog.export').waitFor({ state: 'detached' });
      await button('Pose').click();
      await studio.drag('leftHand', 10, 20);
    });
  });

  it('can be read and reached by everybody, on a phone too, in light and dark', async () => {
    await fresh(
      async (page) => {
        await page.evaluate(axe);
        const check = async (name: string) => {
          for (const colorScheme of ['light', 'dark'] as const) {
            await page.emulateMedia({ colorScheme });
            const { violations } = (await page.evaluate(
              (runOnly) =>
                (globalThis as unknown as { axe: typeof import('axe-core') }).axe.run(document, { runOnly }),
              // Colours alone differ.
              colorScheme === 'dark' ? ['color-contrast'] : AXE,
            )) as AxeResults;
            expect(
              violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`),
              name,
            ).toEqual([]);
            await shoot(page, `home-${name}-${colorScheme}.png`);
          }
          expect(await page.evaluate(() => document.documentElement.scrollWidth), name).toBe(390);
        };
        await studio.drag('leftHand', 20, -60);
        await page.getByRole('alert').waitFor();
        await check('word');
        await button('File').click();
        await page.locator('.file-menu').waitFor();
        await check('menu');
        for (const dialog of ['Picture', 'Video']) {
          if (dialog === 'Video') await button('File').click();
          await button(dialog).click();
          await page.getByRole('dialog', { name: dialog }).waitFor();
          await check(dialog.toLowerCase());
          await page.keyboard.press('Escape');
        }
      },
      async (page) => {
        await page.addInitScript(() => {
          IDBObjectStore.prototype.put = () => {
            throw new DOMException('full', 'QuotaExceededError');
          };
        });
      },
      { viewport: { width: 390, height: 844 } },
    );
  });

  it('works without a network after the first visit, wherever it is served, and so do lessons that were visited', async () => {
    mkdirSync(join(studio.outDir, 'learn'), { recursive: true });
    const page = '<!doctype html><link rel="icon" href="data:,"><h1>A lesson</h1>';
    writeFileSync(join(studio.outDir, 'learn/lesson.html'), page);
    const folder = await serveFolder(studio.outDir, '/any/where/');
    try {
      await fresh(
        async (page) => {
          await page.goto(folder.address);
          await back(page);
          await page.evaluate(async () => {
            await navigator.serviceWorker.ready;
          });
          const lesson = page.getByRole('heading', { name: 'A lesson' });
          await page.goto(`${folder.address}learn/lesson.html`);
          await lesson.waitFor();
          folder.stop();
          await page.reload();
          await lesson.waitFor();
          await page.goto(folder.address);
          await back(page);
          await studio.drag('leftHand', 40, -160);
          // What was never loaded before.
          await button('Let it fall').click();
          await page.getByRole('button', { name: 'Drop' }).waitFor();
          await button('Animate').click();
          await page.getByLabel('Length').waitFor();
          await page.goto(`${folder.address}index.html`);
          await back(page);
        },
        undefined,
        { serviceWorkers: 'allow' },
      );
    } finally {
      folder.stop();
    }
  });

  describeWithData('with a character of a file', 'gltf', (folder) => {
    it('brings it back by its bytes, with its pose; its project opens in another browser', async () => {
      let text = '';
      await fresh(async (page) => {
        await studio.openFiles(join(folder, 'KayKit_Knight.glb'));
        await studio.drag('leftHand', -20, 25);
        text = await project();
        await button('Let it fall').click();
        await page.waitForTimeout(KEPT);
        await page.reload();
        // The character is there before it can fall.
        await page.getByRole('heading', { name: 'Ready' }).waitFor();
        await button('Pose').click();
        await back(page);
        expect(await project()).toBe(text);
        expect(await fromMenu('Copy link')).toContain('cannot hold a character of a file');
      });
      await fresh(async () => {
        const file = { name: 'knight.poise', mimeType: '', buffer: Buffer.from(text) };
        await studio.openFiles(file);
        expect(await project()).toBe(text);
        const { name } = await studio.exported('Export GLB');
        expect(name).toBe('KayKit_Knight-posed.glb');
      });
    });

    it('shows the bones of a human, takes corrections from the list and from the picture, and maps another by hand', async () => {
      await fresh(async (page) => {
        await studio.openFiles(join(folder, 'KayKit_Knight.glb'));
        expect(await page.locator('.map').evaluate((map: HTMLDetailsElement) => map.open)).toBe(false);
        await page.getByText('Bones of the body').click();
        const foot = page.getByLabel('Bone of the left foot');
        const recognised = await foot.inputValue();
        // It opens at the end of the panel, and goes with it.
        expect((await page.locator('.map > summary').boundingBox())?.y).toBeLessThan(300);
        await button('Animate').click();
        await page.locator('.timeline').waitFor();
        await button('Pose').click();
        await page.getByText('Bones of the body').click();
        // Rows pass under a mouse that stays.
        await page.mouse.move(300, 300);
        expect(recognised).not.toBe('');
        await foot.focus();
        expect(await page.locator('.map-panel .why').innerText()).toMatch(/^Left foot: (sure|likely), ./);
        expect(await page.locator('.map-mark').count()).toBe(1);
        await shoot(page, 'map.png');
        // Without a head there is nothing to drag it by.
        const bone = page.getByLabel('Bone of the head');
        const head = await bone.inputValue();
        const { x, y } = await studio.middle('head');
        await bone.selectOption('none');
        const handle = page.locator('[data-handle=head]');
        await handle.waitFor({ state: 'detached' });
        expect(await button('Undo').getAttribute('title')).toBe('Undo: Choose the head (Ctrl Z)');
        await button('Click the head in the picture').click();
        await page.mouse.click(x, y - 60);
        await handle.waitFor({ state: 'visible' });
        expect(await bone.inputValue()).toBe(head);
        await page.keyboard.press('Control+z');
        await handle.waitFor({ state: 'detached' });
        await page.keyboard.press('Control+z');
        await handle.waitFor({ state: 'visible' });
        await studio.openFiles(join(folder, 'Fox.glb'));
        await page.getByText('No human is recognised here').waitFor();
        await page.getByLabel('Bone of the hips').selectOption({ index: 2 });
        await button('Map as a human').click();
        await page.locator('.map-panel [role=alert]').waitFor();
        await shoot(page, 'map-by-hand.png');
        expect(await page.locator('.map-panel [role=alert]').innerText()).toMatch(
          /^Choose these too: spine, /,
        );
      });
    });
  });

  it('complains of nothing', () => {
    expect(studio.complaints).toEqual([]);
  });
});

const TYPES: Readonly<Record<string, string>> = { html: 'text/html', js: 'text/javascript', css: 'text/css' };

/** Serves a folder under a path of this machine, until it is stopped. */
async function serveFolder(folder: string, path: string): Promise<{ address: string; stop: () => void }> {
  const server = createServer(({ url = '' }, response) => {
    const name = url.slice(path.length) || 'index.html';
    const file = join(folder, name);
    if (!url.startsWith(path) || name.includes('..') || !existsSync(file)) {
      response.writeHead(404).end();
      return;
    }
    const type = TYPES[name.replace(/^.*\./, '')] ?? 'application/octet-stream';
    response.writeHead(200, { 'content-type': type }).end(readFileSync(file));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return { address: `http://127.0.0.1:${port}${path}`, stop };
}
