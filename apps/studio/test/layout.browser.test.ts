import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describeWithChromium, drawEachFrame, drawFromStart } from '@poise/test-support/chromium';
import { screenshots } from '@poise/test-support/screenshots';
import { describeWithData } from '@poise/test-support/shared-data';
import type { AxeResults, RunOptions } from 'axe-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { brightnessOf, type Page, Studio } from './support/studio-page.js';

const shoot = screenshots('studio');
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const AXE: RunOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
};

const SIZES = {
  desktop: [1440, 900],
  laptop: [1366, 650],
  'tablet upright': [820, 1180],
  tablet: [1180, 820],
  phone: [390, 844],
} as const;
/** Most JavaScript that the page names at first, and until the figure is there, packed, kB. */
const EAGER = 300;
const UNTIL_PICTURE = 393;

describeWithChromium('the page of the studio', () => {
  let studio: Studio;
  let first: Page;
  beforeAll(async () => {
    studio = await Studio.start(1366, 650);
    first = studio.page;
  });
  afterAll(() => studio?.stop());

  /** Another page that the studio's helpers act on, while something is done with it. */
  async function on(
    [width, height]: readonly [number, number],
    settings: Parameters<Studio['open']>[2],
    act: (page: Page) => Promise<void>,
    prepare?: Parameters<Studio['open']>[3],
  ): Promise<void> {
    const page = await studio.open(width, height, settings, prepare);
    studio.page = page;
    try {
      await act(page);
    } finally {
      await page.context().close();
      studio.page = first;
    }
  }

  async function violations(page: Page, asked = AXE): Promise<string[]> {
    // The page allows no script of others; a debugger is none of the page.
    await page.evaluate(axe);
    const { violations } = (await page.evaluate(
      (options) => (globalThis as unknown as { axe: typeof import('axe-core') }).axe.run(document, options),
      asked,
    )) as AxeResults;
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
    );
  }

  const view = async () => Promise.all(['head', 'leftHand', 'rightFoot'].map((id) => studio.middle(id)));
  const apart = (a: { x: number; y: number }[], b: { x: number; y: number }[]) =>
    Math.max(...a.map(({ x, y }, k) => Math.hypot(x - b[k].x, y - b[k].y)));

  /** What cannot be read or reached in light, then what more in dark: colours alone differ. */
  async function inBothSchemes(page: Page, name: string): Promise<void> {
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await studio.idle();
      await shoot(page, `layout-${name.replaceAll(' ', '-')}-${colorScheme}.png`);
      const asked = colorScheme === 'light' ? AXE : { runOnly: ['color-contrast'] };
      expect(await violations(page, asked), `${name}, ${colorScheme}`).toEqual([]);
    }
  }

  it('fits windows of every size, can be read and reached by everybody, in light and dark', async () => {
    await on(SIZES.desktop, { colorScheme: 'light' }, async (page) => {
      for (const [name, [width, height]] of Object.entries(SIZES)) {
        await page.setViewportSize({ width, height });
        await studio.idle();
        const document = await page.evaluate(() => {
          const { scrollWidth, scrollHeight } = globalThis.document.documentElement;
          return [scrollWidth, scrollHeight];
        });
        expect(document, name).toEqual([width, height]);
        // Handles are where the body is.
        const buttons = page.locator('button:not([data-handle]):visible');
        expect(await buttons.count(), name).toBeGreaterThan(10);
        const outside = await buttons.evaluateAll(
          (all, right) =>
            all
              .map((button) => ({ box: button.getBoundingClientRect(), text: button.textContent }))
              .filter(({ box }) => box.left < 0 || box.right > right)
              .map(({ text }) => text),
          width,
        );
        expect(outside, name).toEqual([]);
        const cut = await page.locator('.modes').evaluate((modes) => {
          const { left, right } = modes.getBoundingClientRect();
          return [...modes.children]
            .map((button) => ({ box: button.getBoundingClientRect(), button }))
            .filter(
              ({ box, button }) =>
                box.left < left || box.right > right || button.scrollWidth > button.clientWidth,
            )
            .map(({ button }) => button.textContent);
        });
        expect(cut, name).toEqual([]);
        const letters = page.locator('.modes button').first();
        expect(
          await letters.evaluate((button) => Number.parseFloat(getComputedStyle(button).fontSize)),
          name,
        ).toBeGreaterThanOrEqual(13);
        for (const button of ['Reset pose', 'Reset view', 'Release pins', 'File']) {
          const box = await page.getByRole('button', { name: button, exact: true }).boundingBox();
          expect(box && box.y + box.height, `${name}: ${button}`).toBeLessThanOrEqual(height);
        }
        // On a phone the panel scrolls.
        const room = await page.locator('.pose-panel > .middle').boundingBox();
        for (const part of [
          page.getByRole('checkbox', { name: 'Keep the balance' }),
          page.locator('.limits'),
          page.locator('[data-goal=rightFoot]'),
        ]) {
          const box = await part.boundingBox();
          if (name !== 'phone')
            expect(room && box && box.y + box.height, name).toBeLessThanOrEqual(
              (room?.y ?? 0) + (room?.height ?? 0),
            );
        }
        const picture = await page.locator('main').boundingBox();
        for (const { x, y } of await view()) {
          expect(picture && x > picture.x && x < picture.x + picture.width, name).toBe(true);
          expect(picture && y > picture.y && y < picture.y + picture.height, name).toBe(true);
        }
        if (name === 'desktop' || name === 'phone') await inBothSchemes(page, name);
        else await shoot(page, `layout-${name.replace(' ', '-')}-light.png`);
      }
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
      expect((await page.getByRole('heading', { name: 'Keyboard' }).boundingBox())?.y).toBeGreaterThan(0);
      await inBothSchemes(page, 'keys');
      await page.keyboard.press('Escape');
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.getByRole('combobox', { name: 'Joint', exact: true }).selectOption('Left shoulder');
      await page.locator('.rims').waitFor();
      await page.locator('.joint summary').click();
      await page.getByRole('checkbox', { name: 'Look at a point' }).check();
      await page.locator('[data-handle=gaze]').waitFor();
      await inBothSchemes(page, 'joint');
      for (const [mode, part] of [
        ['Animate', '.timeline'],
        ['Let it fall', '.fall'],
        ['Make it physical', '.physical'],
      ]) {
        await page.getByRole('navigation').getByRole('button', { name: mode, exact: true }).click();
        await page.locator(part).waitFor();
        await inBothSchemes(page, mode);
        if (mode !== 'Animate') continue;
        await page.setViewportSize({ width: 1366, height: 650 });
        const open = await page.getByRole('button', { name: 'Open clip' }).boundingBox();
        expect(open && open.y + open.height).toBeLessThanOrEqual(650);
        const [play, zoom] = ['Play', 'Zoom in'].map((label) =>
          page.getByRole('button', { name: label, exact: true }),
        );
        expect((await zoom.boundingBox())?.y).toBe((await play.boundingBox())?.y);
        await page.setViewportSize({ width: 1440, height: 900 });
      }
    });
  });

  it.each(['laptop', 'tablet upright', 'phone', 'phone on its side'] as const)(
    'covers no handle and no control with hints and buttons over the picture: %s',
    async (name) => {
      const isTouched = name !== 'laptop';
      const size = name === 'phone on its side' ? ([844, 390] as const) : SIZES[name];
      await on(size, { hasTouch: isTouched, isMobile: isTouched }, async (page) => {
        const heightOfPicture = async () => (await page.locator('.stage').boundingBox())?.height;
        for (const mode of ['Pose', 'Animate']) {
          await page.getByRole('navigation').getByRole('button', { name: mode, exact: true }).click();
          await page.locator('.panel section').first().waitFor();
          await studio.idle();
          expect(await page.locator('.hint').isVisible(), mode).toBe(true);
          await page.locator('[data-handle=leftHand]').click();
          await page.getByRole('button', { name: 'Deselect' }).waitFor();
          const covered = await page.evaluate(() => {
            const isCovered = (a: Element, b: Element) => {
              const [p, q] = [a.getBoundingClientRect(), b.getBoundingClientRect()];
              const width = Math.min(p.right, q.right) - Math.max(p.left, q.left);
              return width > 1 && Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 1;
            };
            // A panel that scrolls goes on below its end.
            const controls = [
              ...document.querySelectorAll('.handle .ring, .strip *, .panel, main > button, .views *'),
            ];
            const over = [...document.querySelectorAll('.hint, main > button, .views button')];
            return over.flatMap((each) =>
              controls
                .filter((other) => other !== each && isCovered(each, other))
                .map((other) => `${each.textContent} over ${other.parentElement?.textContent}`),
            );
          });
          expect(covered, mode).toEqual([]);
          await page.getByRole('button', { name: 'Deselect' }).click();
        }
        expect(await heightOfPicture()).toBeGreaterThanOrEqual(220);
        if (size[1] < 480) {
          // A laptop at 200 %, and a low one: it scrolls.
          for (const [width, height] of [
            [720, 450],
            [683, 325],
          ]) {
            await page.setViewportSize({ width, height });
            expect(await heightOfPicture(), `${width}`).toBeGreaterThanOrEqual(220);
            await page.getByRole('button', { name: 'Key all' }).tap({ trial: true });
          }
        }
        // What is grey says why to who presses it, until something else is pressed.
        const why = page.locator('.words');
        const undo = page.getByRole('button', { name: 'Undo', exact: true });
        await undo.click({ force: true });
        expect(await why.count()).toBe(0);
        if (!isTouched) return;
        await undo.tap({ force: true });
        expect(await why.innerText()).toBe('Nothing to undo');
        await page.getByRole('navigation').getByRole('button', { name: 'Animate' }).tap();
        expect(await why.count()).toBe(0);
      });
    },
  );

  it('shows pins of the feet beside the numbers of a joint in a low window', async () => {
    await on(SIZES.laptop, {}, async (page) => {
      const isSeen = async (part: ReturnType<Page['locator']>) => {
        const [box, room] = [await part.boundingBox(), await page.locator('.middle').boundingBox()];
        return box && room && box.y >= room.y && box.y + box.height <= room.y + room.height;
      };
      await page.locator('[data-handle=leftHand]').click();
      await page.locator('.joint details').waitFor();
      for (const part of ['.joint .row', '.joint summary', '[data-goal=leftFoot]', '[data-goal=rightFoot]'])
        expect(await isSeen(page.locator(part).first()), part).toBe(true);
      const wide = await page
        .locator('.middle')
        .evaluate(
          (middle) =>
            [...middle.querySelectorAll('.switch')].filter((each) => each.scrollWidth > each.clientWidth)
              .length,
        );
      expect(wide).toBe(0);
    });
  });

  it.each(['laptop', 'phone'] as const)(
    'moves nothing of the panel while a hand is dragged: %s',
    async (name) => {
      await on(SIZES[name], {}, async (page) => {
        await studio.idle();
        await page.evaluate(() => {
          const panel = [...document.querySelectorAll('.top, .top *, .panel, .panel *')].filter(
            (element) => !element.closest('.limits li, .status p, details dl'),
          );
          const boxOf = (element: Element) => {
            const { x, y, width, height } = element.getBoundingClientRect();
            return [x, y, width, height].map((value) => Math.round(10 * value)).join();
          };
          // Dots, labels and numbers may change within the row that they are in.
          const boxes = panel
            .filter((element) => !element.matches('output, .label, h2 *'))
            .map((element) => [element, boxOf(element)] as const);
          const moved = new Set<string>();
          Object.assign(globalThis, { moved, seen: boxes.length });
          const look = () => {
            for (const [element, before] of boxes) {
              if (!element.isConnected || boxOf(element) !== before)
                moved.add(element.outerHTML.slice(0, 120));
            }
            requestAnimationFrame(look);
          };
          look();
        });
        const titles = new Set<string>();
        const [dx, dy] = name === 'phone' ? [150, -200] : [620, -320];
        for (const [x, y] of [
          [30, -60],
          [dx, dy],
          [-0.3 * dx, 60],
        ]) {
          await studio.drag('leftHand', x, y, async () => {
            titles.add(await page.locator('.status h2').innerText());
            if (x === dx) await shoot(page, `dragged-${name}.png`);
          });
        }
        expect(titles.size).toBeGreaterThan(1);
        const [moved, seen] = await page.evaluate(() => {
          const { moved, seen } = globalThis as unknown as { moved: Set<string>; seen: number };
          return [[...moved], seen];
        });
        expect(moved).toEqual([]);
        expect(seen).toBeGreaterThan(40);
      });
    },
  );

  it('takes the colours of the system, and keeps those that are chosen', async () => {
    const background = (page: Page) =>
      page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    /** Of a corner of the picture. */
    const brightness = async (page: Page) => {
      const box = await page.locator('canvas').boundingBox();
      if (box === null) throw new Error('there is no picture');
      await page.waitForTimeout(300);
      return brightnessOf(page, { x: box.x + box.width - 40, y: box.y + 20, width: 20, height: 20 });
    };
    await on(SIZES.laptop, { colorScheme: 'dark' }, async (page) => {
      await drawEachFrame(page);
      await page.getByRole('button', { name: 'Reset view' }).click();
      const dark = await background(page);
      expect(await brightness(page)).toBeLessThan(60);
      await page.getByRole('button', { name: 'Dark colours' }).click();
      const light = await background(page);
      expect(light).not.toBe(dark);
      expect(await brightness(page)).toBeGreaterThan(200);
      await page.reload();
      await page.locator('[data-handle=leftHand]').waitFor({ state: 'visible' });
      expect(await background(page)).toBe(light);
      await page.getByRole('button', { name: 'Dark colours' }).click();
      await page.emulateMedia({ colorScheme: 'light' });
      await expect.poll(() => background(page)).toBe(light);
    });
  });

  it('stands still as soon as the mouse does, for whom motion is too much', async () => {
    await on(SIZES.laptop, { reducedMotion: 'reduce' }, async (page) => {
      await studio.idle();
      await page.mouse.move(800, 300);
      await page.mouse.down();
      await page.mouse.move(600, 320, { steps: 5 });
      await page.mouse.up();
      await page.waitForTimeout(150);
      const before = await view();
      await page.waitForTimeout(400);
      expect(apart(await view(), before)).toBeLessThan(0.01);
    });
  });

  it('looks from the front, the side, the top and as at first, by buttons and keys, unless keys are off', async () => {
    await on(SIZES.laptop, {}, async (page) => {
      await studio.idle();
      const start = await view();
      const seen = [start];
      for (const [key, name] of [
        ['1', 'Front'],
        ['2', 'Side'],
        ['3', 'Top'],
        ['0', 'Reset view'],
      ] as const) {
        await page.keyboard.press(key);
        await studio.idle();
        const byKey = await view();
        await page.getByRole('button', { name: 'Front' }).click();
        await page.getByRole('button', { name, exact: true }).click();
        await studio.idle();
        expect(apart(await view(), byKey), name).toBeLessThan(0.5);
        if (key !== '0') for (const other of seen) expect(apart(byKey, other), name).toBeGreaterThan(5);
        seen.push(byKey);
      }
      expect(apart(await view(), start)).toBeLessThan(0.5);
      await page.getByRole('button', { name: 'Keyboard' }).click();
      await page.getByRole('checkbox', { name: /Keys without Ctrl/ }).uncheck();
      await page.keyboard.press('Escape');
      await page.keyboard.press('3');
      await page.keyboard.press('?');
      await studio.idle();
      expect(apart(await view(), start)).toBeLessThan(0.5);
      expect(await page.getByRole('dialog').count()).toBe(0);
      await page.getByRole('navigation').getByRole('button', { name: 'Animate', exact: true }).click();
      await page.locator('.timeline').waitFor();
      await page.keyboard.press('k');
      await studio.idle();
      expect(await page.locator('.timeline .key').count()).toBe(0);
    });
  });

  it('goes through the top, the figure and the panel by Tab, and back to where a sheet was opened', async () => {
    await on(SIZES.laptop, {}, async (page) => {
      const order: string[] = [];
      for (let k = 0; k < 45; k++) {
        await page.keyboard.press('Tab');
        order.push(
          await page.evaluate(
            () => document.activeElement?.closest('header, main, aside')?.tagName.toLowerCase() ?? '',
          ),
        );
      }
      expect(order.filter((part, k) => part !== order[k - 1]).slice(0, 3)).toEqual([
        'header',
        'main',
        'aside',
      ]);
      const keys = page.getByRole('button', { name: 'Keyboard' });
      await keys.focus();
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
      await page.keyboard.press('Escape');
      expect(await keys.evaluate((element) => element === document.activeElement)).toBe(true);
    });
  });

  it('says what is news once: a hint goes when it is done or put away, for good', async () => {
    await on(SIZES.laptop, {}, async (page) => {
      await studio.idle();
      const hint = page.locator('.hint');
      expect(await hint.innerText()).toContain('Drag a hand');
      await studio.drag('leftHand', 30, -60);
      expect(await hint.innerText()).toContain('pin');
      await page.getByRole('button', { name: 'Put the hint away' }).click();
      expect(await hint.innerText()).toContain('beside the figure');
      await page.mouse.move(800, 300);
      await page.mouse.down();
      await page.mouse.move(700, 320, { steps: 5 });
      await page.mouse.up();
      await hint.waitFor({ state: 'detached' });
      await page.reload();
      await page.locator('[data-handle=leftHand]').waitFor({ state: 'visible' });
      expect(await hint.count()).toBe(0);
    });
  });

  it('finds a section closed that was closed', async () => {
    await on(SIZES.laptop, {}, async (page) => {
      await page.locator('.pins summary').click();
      await page.reload();
      await page.locator('.pins summary').waitFor();
      expect(await page.locator('.goals').isVisible()).toBe(false);
      expect(await page.locator('.limits').isVisible()).toBe(true);
    });
  });

  it('says what to do in a browser without WebGL', async () => {
    await on(
      SIZES.phone,
      { colorScheme: 'dark' },
      async (page) => {
        expect(await page.locator('main').innerText()).toMatch(/hardware acceleration/);
        expect(await violations(page)).toEqual([]);
        await shoot(page, 'no-webgl.png');
      },
      async (page) => {
        await page.addInitScript(() => {
          HTMLCanvasElement.prototype.getContext = () => null;
        });
      },
    );
  });

  it('loads little JavaScript, and is there soon', async () => {
    const packed = (file: string) => gzipSync(readFileSync(join(studio.outDir, file))).length / 1000;
    const html = readFileSync(join(studio.outDir, 'index.html'), 'utf8');
    const eager = [...html.matchAll(/(?:src|href)="\.\/([^"]+\.js)"/g)].map(([, file]) => packed(file));
    const requests = new Set<string>();
    // Its times are printed: all pixels and frames are drawn.
    await on(
      SIZES.laptop,
      { deviceScaleFactor: 1 },
      async (page) => {
        // Since the page was asked for.
        const now = () => page.evaluate(() => performance.now());
        const picture = await now();
        const { x, y } = await studio.middle('leftHand');
        await page.mouse.move(x, y);
        await page.mouse.down();
        await page.mouse.move(x + 30, y - 60);
        await page.locator('[data-handle=leftHand][data-dragged=true]').waitFor();
        const dragged = await now();
        const sum = (sizes: number[]) => sizes.reduce((total, size) => total + size, 0);
        // A change has what keeps it loaded.
        const all = sum([...requests].map(packed));
        await page.mouse.up();
        console.log(
          `studio: first picture ${picture.toFixed(0)} ms, first drag ${dragged.toFixed(0)} ms (drawn in software, no smooth edges); ` +
            `JavaScript ${sum(eager).toFixed(0)} kB at first, ${all.toFixed(0)} kB with the figure, gzip`,
        );
        expect(sum(eager)).toBeGreaterThan(50);
        expect(sum(eager)).toBeLessThan(EAGER);
        expect(all).toBeGreaterThan(sum(eager));
        expect(all).toBeLessThan(UNTIL_PICTURE);
      },
      async (page) => {
        await drawFromStart(page);
        // So do three seconds, which on a slow machine are over before the picture is there.
        await page.addInitScript(() => {
          const { setTimeout } = window;
          window.setTimeout = ((act: () => void, delay?: number) =>
            delay === 3000 ? 0 : setTimeout(act, delay)) as typeof window.setTimeout;
        });
        page.on('request', (request) => {
          const { pathname } = new URL(request.url());
          if (pathname.endsWith('.js')) requests.add(pathname);
        });
      },
    );
  });

  describeWithData('with a character', 'gltf/KayKit_Knight.glb', (path) => {
    it('asks nothing of anybody else, and does nothing that its policy forbids', async () => {
      const hosts = new Set<string>();
      await on(
        SIZES.laptop,
        {},
        async (page) => {
          const policy = await page
            .locator('meta[http-equiv=Content-Security-Policy]')
            .getAttribute('content');
          expect(policy).toContain("script-src 'self'");
          expect(policy).not.toMatch(/unsafe|https?:/);
          await studio.openFiles(path);
          expect(await page.getByRole('alert').count()).toBe(0);
          await studio.drag('leftHand', -20, 25);
          await studio.exported('Export GLB');
          expect(await page.evaluate(() => (globalThis as unknown as { broken: string[] }).broken)).toEqual(
            [],
          );
          const address = new URL(page.url()).host;
          expect([...hosts].filter((host) => host !== address && host !== '')).toEqual([]);
        },
        async (page) => {
          page.on('request', (request) => {
            if (!/^(data|blob):/.test(request.url())) hosts.add(new URL(request.url()).host);
          });
          await page.addInitScript(() => {
            const broken: string[] = [];
            Object.assign(globalThis, { broken });
            addEventListener('securitypolicyviolation', (event) =>
              broken.push(`${event.violatedDirective}: ${event.blockedURI}`),
            );
          });
        },
      );
    });
  });

  it('complains of nothing', () => {
    expect(studio.complaints).toEqual([]);
  });
});
