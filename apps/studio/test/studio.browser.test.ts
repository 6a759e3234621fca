import { type PoseData, poseFromData, readPose } from '@poise/formats';
import { describeWithChromium, drawEachFrame, frames } from '@poise/test-support/chromium';
import { screenshots } from '@poise/test-support/screenshots';
import { limitViolation } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Page, Studio } from './support/studio-page.js';

const shoot = screenshots('studio');

describeWithChromium('the studio in a browser', () => {
  let studio: Studio;
  let page: Page;

  beforeAll(async () => {
    studio = await Studio.start(1400, 900);
    page = studio.page;
  });
  afterAll(() => studio?.stop());

  const status = () => studio.status();
  const middle = (id: string) => studio.middle(id);
  const idle = () => studio.idle();
  const drag = (id: string, dx: number, dy: number, check: () => Promise<void>) =>
    studio.drag(id, dx, dy, check);
  const exported = async (kind: string): Promise<Buffer> => (await studio.exported(`Export ${kind}`)).bytes;

  const exportPose = async (): Promise<PoseData> => readPose((await exported('JSON')).toString());

  /** The pose as exported, checked as an outsider would: numbers, size, limits. */
  async function checkedPose(): Promise<{ height: number; coordinates: Float64Array }> {
    const file = await exportPose();
    const { height = Number.NaN } = file;
    const figure = createHumanFigure({ height });
    const coordinates = poseFromData(figure, file);
    expect(limitViolation(figure, coordinates)).toBeLessThan(1e-12);
    return { height, coordinates };
  }

  const openFile = async (name: string, text: string) => {
    const file = { name, mimeType: 'application/json', buffer: Buffer.from(text) };
    await page.locator('input[type=file]').setInputFiles(file);
  };

  const reset = async () => {
    await page.getByRole('button', { name: 'Reset pose' }).click();
    await idle();
  };

  it('shows a standing figure with pinned feet and says that every pin holds', async () => {
    expect(await page.title()).toContain('Poise');
    await idle();
    expect(await status()).toBe('converged');
    for (const id of ['leftFoot', 'rightFoot']) {
      expect(await page.locator(`[data-handle=${id}]`).getAttribute('aria-pressed')).toBe('true');
    }
    expect(await page.locator('[data-handle]').count()).toBe(15);
    await shoot(page, 'desktop.png');
    await checkedPose();
  });

  it('draws the figure: the picture is not one colour', async () => {
    await drawEachFrame(page);
    await page.getByRole('button', { name: 'Reset view' }).click();
    await idle();
    const picture = await page.locator('canvas').screenshot();
    await drawEachFrame(page, false);
    // A picture of one colour packs to next to nothing, even of all pixels.
    expect(picture.length).toBeGreaterThan(10_000);
  });

  it('follows a hand that is dragged, keeps the feet, and comes back on reset', async () => {
    const before = await checkedPose();
    const feet = await Promise.all(['leftFoot', 'rightFoot'].map(middle));
    const start = await middle('leftHand');
    await drag('leftHand', 60, -260, async () => {
      expect(await status()).toBe('converged');
      const now = await middle('leftHand');
      expect(Math.hypot(now.x - start.x - 60, now.y - start.y + 260)).toBeLessThan(2);
      await shoot(page, 'reach.png');
    });
    const after = await checkedPose();
    const change = after.coordinates.map((q, i) => Math.abs(q - before.coordinates[i]));
    expect(Math.max(...change)).toBeGreaterThan(0.2);
    const feetAfter = await Promise.all(['leftFoot', 'rightFoot'].map(middle));
    feetAfter.forEach(({ x, y }, k) => {
      expect(Math.hypot(x - feet[k].x, y - feet[k].y)).toBeLessThan(1);
    });
    await reset();
    expect((await checkedPose()).coordinates).toEqual(before.coordinates);
  });

  it('takes a drag back and does it again, and puts one back on Escape', async () => {
    const before = await exported('JSON');
    const start = await middle('leftHand');
    await drag('leftHand', 60, -200, async () => {});
    const after = await exported('JSON');
    const undo = page.getByRole('button', { name: 'Undo' });
    expect(await undo.getAttribute('title')).toBe('Undo: Move the left hand (Ctrl Z)');
    await page.keyboard.press('Control+z');
    await idle();
    expect(await exported('JSON')).toEqual(before);
    await page.keyboard.press('Control+Shift+z');
    await idle();
    expect(await exported('JSON')).toEqual(after);
    await undo.click();
    await drag('rightHand', -60, -200, async () => {
      await page.keyboard.press('Escape');
      await idle();
    });
    expect(await exported('JSON')).toEqual(before);
    const end = await middle('leftHand');
    expect(Math.hypot(end.x - start.x, end.y - start.y)).toBeLessThan(0.5);
    await reset();
  });

  it('says that a joint stops it or that it is too far when a hand is pulled too far', async () => {
    await drag('leftHand', 620, -320, async () => {
      expect(['limit-blocked', 'out-of-reach']).toContain(await status());
      const left = await page.locator('[data-goal=leftHand] output').innerText();
      expect(Number.parseFloat(left)).toBeGreaterThan(10);
      if ((await status()) === 'limit-blocked') {
        expect(await page.locator('.limits [data-blocks=true]').count()).toBeGreaterThan(0);
      }
      await shoot(page, 'too-far.png');
    });
    await checkedPose();
    expect(await status()).toBe('converged');
    await reset();
  });

  it('pins by double click, by the list and by the keyboard', async () => {
    const hand = page.locator('[data-handle=rightHand]');
    await hand.dblclick();
    expect(await hand.getAttribute('aria-pressed')).toBe('true');
    const pinned = await middle('rightHand');
    await drag('head', 40, 40, async () => {});
    const now = await middle('rightHand');
    expect(Math.hypot(now.x - pinned.x, now.y - pinned.y)).toBeLessThan(1);
    await page.getByRole('button', { name: 'Pin right hand' }).click();
    expect(await hand.getAttribute('aria-pressed')).toBe('false');

    await hand.focus();
    await page.keyboard.press('Enter');
    expect(await hand.getAttribute('aria-pressed')).toBe('true');
    await page.keyboard.press('Enter');
    const before = await middle('rightHand');
    for (let k = 0; k < 5; k++) await page.keyboard.press('ArrowUp');
    await idle();
    const raised = await middle('rightHand');
    expect(before.y - raised.y).toBeGreaterThan(10);
    await reset();
  });

  it('releases all pins, then is free', async () => {
    await page.getByRole('button', { name: 'Release pins' }).click();
    await idle();
    expect(await status()).toBe('idle');
    await page.getByRole('button', { name: 'Pin feet' }).click();
    await idle();
    expect(await status()).toBe('converged');
  });

  it('exports the posed body as a GLB', async () => {
    const bytes = await exported('GLB');
    expect(bytes.readUInt32LE(0)).toBe(0x46546c67);
    expect(bytes.readUInt32LE(8)).toBe(bytes.length);
    const json = JSON.parse(bytes.subarray(20, 20 + bytes.readUInt32LE(12)).toString());
    const names = json.nodes.map((node: { name: string }) => node.name);
    for (const { name } of createHumanFigure().bones) expect(names).toContain(name);
  });

  it('opens a pose that it exported, by the button and dropped on the page, and says what is wrong with another', async () => {
    await drag('leftHand', 60, -260, async () => {});
    const text = (await exported('JSON')).toString();
    await reset();
    await openFile('pose.json', text);
    await idle();
    expect((await exported('JSON')).toString()).toBe(text);
    await openFile('other.json', '{"asset":{}}');
    expect(await page.getByRole('alert').innerText()).toMatch(/^other\.json is not a pose/);
    await shoot(page, 'problem.png');
    await reset();
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.evaluate((content) => {
      const data = new DataTransfer();
      data.items.add(new File([content], 'dropped.json'));
      window.dispatchEvent(new DragEvent('drop', { dataTransfer: data, cancelable: true }));
    }, text);
    await idle();
    expect((await exported('JSON')).toString()).toBe(text);
    await reset();
  });

  it('says which joints stop the hips that are pulled straight down', async () => {
    await drag('hips', 0, 160, async () => {
      expect(await status()).toBe('limit-blocked');
      expect(await page.locator('.status').innerText()).toContain('Both ankles are at their end.');
      await shoot(page, 'squat.png');
    });
    // It is said after the drag too, with the joint.
    const said = await page.locator('.status').innerText();
    expect(said).toContain('Both ankles stopped the drag.');
    expect(said).not.toContain('Reached');
    await page.getByRole('button', { name: 'Show why' }).click();
    expect(await page.locator('.joint .chosen small').innerText()).toMatch(/at its end/);
    expect(await page.locator('.joint .why').innerText()).toMatch(/It goes no further: toes up 30°/);
    await page.keyboard.press('Escape');
    await page.locator('.joint select').selectOption('');
    await reset();
  });

  it('looks at the body as at first when the view is reset', async () => {
    const before = await Promise.all(['head', 'leftHand', 'rightFoot'].map(middle));
    await page.mouse.move(900, 300);
    await page.mouse.down();
    await page.mouse.move(700, 380, { steps: 4 });
    await page.mouse.up();
    await page.mouse.wheel(0, 400);
    await idle();
    const rotated = await middle('leftHand');
    expect(Math.hypot(rotated.x - before[1].x, rotated.y - before[1].y)).toBeGreaterThan(20);
    await page.getByRole('button', { name: 'Reset view' }).click();
    await idle();
    const after = await Promise.all(['head', 'leftHand', 'rightFoot'].map(middle));
    after.forEach(({ x, y }, k) => {
      expect(Math.hypot(x - before[k].x, y - before[k].y)).toBeLessThan(1.5);
    });
  });

  it('changes height', async () => {
    const head = await middle('head');
    await page.getByRole('slider', { name: 'Height' }).fill('1.5');
    await idle();
    expect(await page.locator('.slider output').innerText()).toBe('1.50 m');
    expect((await checkedPose()).height).toBe(1.5);
    expect(await status()).toBe('converged');
    // Smaller in the picture too, which a taller one fills.
    expect((await middle('head')).y - head.y).toBeGreaterThan(20);
    await page.getByRole('slider', { name: 'Height' }).fill('2.1');
    await idle();
    expect(head.y - (await middle('head')).y).toBeGreaterThan(10);
    expect((await middle('head')).y).toBeGreaterThan((await page.locator('main').boundingBox())?.y ?? 0);
    await page.getByRole('slider', { name: 'Height' }).fill('1.75');
    await idle();
    expect(Math.abs((await middle('head')).y - head.y)).toBeLessThan(2);
  });

  it('says what a solve costs while a hand is dragged about', async () => {
    const { x, y } = await middle('leftHand');
    await page.mouse.move(x, y);
    await page.mouse.down();
    const solves: number[] = [];
    const frames: number[] = [];
    for (let k = 0; k < 30; k++) {
      await page.mouse.move(x + 90 * Math.sin(k / 5), y - 120 + 120 * Math.cos(k / 5));
      await page.waitForTimeout(60);
      const numbers = page.locator('.numbers');
      solves.push(Number(await numbers.getAttribute('data-solve-milliseconds')));
      frames.push(Number(await numbers.getAttribute('data-frames-per-second')));
    }
    await page.mouse.up();
    await reset();
    const solve = median(solves);
    console.log(
      `studio: ${solve.toFixed(3)} ms a solve, ${median(frames).toFixed(1)} frames/s (one in a second is drawn)`,
    );
    // A clock on the wall: `session.test.ts` bounds the processor time.
    expect(solve).toBeGreaterThan(0);
  });

  it('fits a phone: nothing wider than the window, the status and all buttons in reach', async () => {
    const desktop = page;
    page = studio.page = await studio.open(390, 844, { hasTouch: true });
    try {
      await idle();
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
      for (const name of ['Reset pose', 'Reset view', 'Release pins', 'File']) {
        const box = await page.getByRole('button', { name, exact: true }).boundingBox();
        expect(box && box.y + box.height).toBeLessThan(844);
      }
      for (const id of ['head', 'leftFoot', 'leftHand', 'rightHand']) {
        const { x, y } = await middle(id);
        expect(x > 0 && x < 390 && y > 0 && y < 490, id).toBe(true);
      }
      await shoot(page, 'phone.png');
      await drag('leftHand', 20, -90, async () => {
        expect(await status()).toBe('converged');
      });
      // Two fingers zoom, wherever they press: on the trunk, and on a handle that was pressed first.
      await page.waitForFunction(() =>
        performance.getEntriesByType('resource').some(({ name }) => /pinch/.test(name)),
      );
      await frames(page, 2);
      const touch = await page.context().newCDPSession(page);
      const fingers = (
        type: 'touchStart' | 'touchMove' | 'touchEnd',
        ...touchPoints: { x: number; y: number }[]
      ) => touch.send('Input.dispatchTouchEvent', { type, touchPoints });
      const height = async () => (await middle('leftFoot')).y - (await middle('head')).y;
      const undoes = () => page.getByRole('button', { name: 'Undo' }).getAttribute('title');
      for (const id of ['chest', 'head']) {
        const [before, steps, at] = [await height(), await undoes(), await middle(id)];
        const [first, second] = [
          { x: at.x, y: at.y + 8 },
          { x: at.x + 30, y: at.y + 40 },
        ];
        await fingers('touchStart', at);
        await fingers('touchMove', first);
        await fingers('touchStart', first, second);
        for (const away of [10, 20, 30])
          await fingers('touchMove', { x: first.x - away, y: first.y }, { x: second.x + away, y: second.y });
        await fingers('touchEnd');
        await idle();
        expect(await height(), id).toBeGreaterThan(1.2 * before);
        expect(await undoes(), id).toBe(steps);
        await page.getByRole('button', { name: 'Reset view' }).click();
        await idle();
        expect(Math.abs((await height()) - before), id).toBeLessThan(2);
      }
    } finally {
      await page.context().close();
      page = studio.page = desktop;
    }
  });

  it('never complains: no error on the console, no request that fails', () => {
    expect(studio.complaints).toEqual([]);
  });
});

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1];
}
