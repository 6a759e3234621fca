import { join } from 'node:path';
import { poseFromData, readPose } from '@poise/formats';
import { describeWithChromium } from '@poise/test-support/chromium';
import { screenshots } from '@poise/test-support/screenshots';
import { describeWithData } from '@poise/test-support/shared-data';
import { limitViolation } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Studio } from './support/studio-page.js';

const shoot = screenshots('studio');

describeWithChromium('posing in the studio', () => {
  let studio: Studio;
  beforeAll(async () => {
    studio = await Studio.start(1000, 640);
  });
  afterAll(() => studio?.stop());

  const exported = async (): Promise<string> => (await studio.exported('Export JSON')).bytes.toString();
  const coordinates = (text: string): Float64Array => {
    const data = readPose(text);
    const figure = createHumanFigure({ height: data.height ?? Number.NaN });
    const pose = poseFromData(figure, data);
    expect(limitViolation(figure, pose)).toBeLessThan(1e-12);
    return pose;
  };
  const undoTitle = () => studio.page.getByRole('button', { name: 'Undo' }).getAttribute('title');
  const isNear = (a: { x: number; y: number }, b: { x: number; y: number }, px: number) =>
    expect(Math.hypot(a.x - b.x, a.y - b.y)).toBeLessThan(px);
  const change = (a: string, b: string): number => {
    const [p, q] = [coordinates(a), coordinates(b)];
    return p.reduce((most, x, n) => Math.max(most, Math.abs(x - q[n])), 0);
  };

  /** A point of a ring that nothing covers, px, and where the ring goes there: along its longer side, or round. */
  async function gripOf(axis: string): Promise<{ x: number; y: number; along: readonly [number, number] }> {
    const grip = await studio.page.evaluate((name) => {
      const svg = document.querySelector('.rings') as SVGSVGElement;
      const band = svg.querySelector(`[data-axis=${name}] .band`) as SVGPathElement;
      const { left, top } = svg.getBoundingClientRect();
      const { x: bx, y: by, width, height } = band.getBBox();
      const length = band.getTotalLength();
      const points = Array.from({ length: 48 }, (_, n) => band.getPointAtLength((length * n) / 48));
      const free = points.find(({ x, y }) => document.elementFromPoint(left + x, top + y) === band);
      if (free === undefined) return undefined;
      const [dx, dy] = [free.x - bx - width / 2, free.y - by - height / 2];
      const arm = Math.hypot(dx, dy);
      const round = [-dy / arm, dx / arm] as const;
      const along =
        width > 1.5 * height ? ([1, 0] as const) : height > 1.5 * width ? ([0, 1] as const) : round;
      return { x: left + free.x, y: top + free.y, along };
    }, axis);
    if (grip === undefined) throw new Error(`no point of the ring ${axis} is free`);
    return grip;
  }

  /** Drags a ring along its longer direction, and runs `check` with the button down. */
  async function turn(
    axis: string,
    pull: number,
    check: () => Promise<void> = async () => {},
  ): Promise<void> {
    const { x, y, along } = await gripOf(axis);
    const { mouse } = studio.page;
    await mouse.move(x, y);
    await mouse.down();
    await mouse.move(x + pull * along[0], y + pull * along[1], { steps: 4 });
    await studio.idle();
    try {
      await check();
    } finally {
      await mouse.up();
    }
  }

  it('shows rings about the joint of a handle that is clicked, and turns its bone by each, as one step', async () => {
    await studio.idle();
    const before = await exported();
    const feet = await Promise.all(['leftFoot', 'rightFoot'].map((id) => studio.middle(id)));
    for (const [id, label, axes] of [
      ['leftHand', 'left hand', ['z']],
      ['leftShoulder', 'left upper arm', ['z']],
      ['head', 'head', ['x', 'y', 'z']],
    ] as const) {
      await studio.page.locator(`[data-handle=${id}]`).click();
      await studio.page.locator(`[data-rings=${id}]`).waitFor();
      await shoot(studio.page, `rings-${id}.png`);
      for (const axis of axes) {
        await turn(axis, 40);
        expect(await undoTitle()).toBe(`Undo: Turn the ${label} (Ctrl Z)`);
        expect(change(await exported(), before), `${id} ${axis}`).toBeGreaterThan(0.03);
        await studio.page.keyboard.press('Control+z');
        expect(await exported()).toBe(before);
      }
    }
    const after = await Promise.all(['leftFoot', 'rightFoot'].map((id) => studio.middle(id)));
    after.forEach((foot, k) => {
      isNear(foot, feet[k], 1);
    });
    await turn('y', 40, async () => {
      await studio.page.keyboard.press('Escape');
      await studio.idle();
    });
    expect(await exported()).toBe(before);
    // The first Escape was for the drag, this one for the rings.
    expect(await studio.page.locator('[data-rings]').count()).toBe(1);
    await studio.page.keyboard.press('Escape');
    expect(await studio.page.locator('[data-rings]').count()).toBe(0);
  });

  it('deselects by a click beside the figure and by a button, also in Animate', async () => {
    const { page } = studio;
    const mode = (name: string) => page.getByRole('navigation').getByRole('button', { name, exact: true });
    const deselect = page.getByRole('button', { name: 'Deselect' });
    const rings = page.locator('[data-rings]');
    for (const name of ['Pose', 'Animate']) {
      await mode(name).click();
      await studio.idle();
      expect(await deselect.count()).toBe(0);
      // Two clicks on one handle would pin it.
      for (const [id, act] of [
        ['leftHand', () => deselect.click()],
        ['rightHand', () => page.mouse.click(90, 250)],
      ] as const) {
        await page.locator(`[data-handle=${id}]`).click();
        await rings.waitFor();
        await act();
        await rings.waitFor({ state: 'detached' });
      }
      // To turn the view is no click.
      await page.locator('[data-handle=head]').click();
      await page.mouse.move(90, 250);
      await page.mouse.down();
      await page.mouse.move(110, 250, { steps: 3 });
      await page.mouse.up();
      expect(await rings.count()).toBe(1);
      await deselect.press('Enter');
      expect(await page.evaluate(() => document.activeElement?.getAttribute('data-handle'))).toBe('head');
    }
    await mode('Let it fall').click();
    await page.locator('.fall').waitFor();
    expect(await deselect.count()).toBe(0);
    await mode('Pose').click();
    await page.getByRole('button', { name: 'Reset view' }).click();
    await studio.idle();
  });

  it('pins nothing by two clicks with another between', async () => {
    const { page } = studio;
    const [a, b] = [await studio.middle('head'), { x: 90, y: 250 }];
    for (const { x, y } of [a, b, a]) await page.mouse.click(x, y);
    expect(await page.locator('[data-handle=head]').getAttribute('aria-pressed')).toBe('false');
    await page.keyboard.press('Escape');
  });

  it('turns by the keyboard: R, then the arrow keys', async () => {
    const before = await exported();
    const head = studio.page.locator('[data-handle=head]');
    expect(await head.getAttribute('aria-label')).toContain('R and the arrow keys to turn');
    await head.focus();
    await studio.page.keyboard.press('r');
    // Held, it is one step.
    for (let n = 0; n < 3; n++) await studio.page.keyboard.down('ArrowRight');
    await studio.page.keyboard.up('ArrowRight');
    await studio.idle();
    expect(await undoTitle()).toBe('Undo: Turn the head (Ctrl Z)');
    expect(change(await exported(), before)).toBeGreaterThan(0.03);
    await studio.page.keyboard.press('Control+z');
    await studio.idle();
    expect(await exported()).toBe(before);
    await head.focus();
    await studio.page.keyboard.press('r');
    await studio.page.keyboard.press('ArrowDown');
    expect(await undoTitle()).toBe('Undo: Move the head (Ctrl Z)');
    await studio.page.keyboard.press('Control+z');
    await studio.page.keyboard.press('Escape');
  });

  it('pins place, rotation or both', async () => {
    const holds = studio.page.getByLabel('What the pin of the left foot holds');
    expect(await holds.inputValue()).toBe('both');
    await studio.page.getByRole('button', { name: 'Pin head' }).click();
    const head = studio.page.getByLabel('What the pin of the head holds');
    expect(await head.inputValue()).toBe('place');
    await head.selectOption('rotation');
    expect(await undoTitle()).toBe('Undo: Pin the head: rotation (Ctrl Z)');
    expect(await studio.page.locator('[data-goal=head] output').innerText()).toBe('0°');
    await shoot(studio.page, 'pin-rotation.png');
    await studio.page.keyboard.press('Control+z');
    expect(await head.inputValue()).toBe('place');
    await studio.page.keyboard.press('Control+z');
    expect(await head.count()).toBe(0);
  });

  /** A point of the page on a bone, away from all handles, as seen: between two handles. */
  async function between(a: string, b: string, share = 0.5): Promise<{ x: number; y: number }> {
    const [p, q] = [await studio.middle(a), await studio.middle(b)];
    return { x: p.x + share * (q.x - p.x), y: p.y + share * (q.y - p.y) };
  }

  it('drags any point of the skin, and turns the view beside it', async () => {
    const before = await exported();
    const { mouse } = studio.page;
    const from = await between('leftElbow', 'leftHand');
    await mouse.move(from.x, from.y);
    await mouse.down();
    await mouse.move(from.x + 50, from.y - 90, { steps: 8 });
    await studio.idle();
    const to = await between('leftElbow', 'leftHand');
    isNear(to, { x: from.x + 50, y: from.y - 90 }, 12);
    await mouse.up();
    expect(await undoTitle()).toBe('Undo: Move the left lower arm (Ctrl Z)');
    await shoot(studio.page, 'skin.png');
    await studio.page.keyboard.press('Control+z');
    await studio.idle();
    expect(await exported()).toBe(before);
    // A click selects the handle of the bone.
    await mouse.click(from.x, from.y);
    await studio.page.locator('[data-rings=leftElbow]').waitFor();
    await studio.page.keyboard.press('Escape');
    const hand = await studio.middle('leftHand');
    await mouse.move(90, 300);
    await mouse.down();
    await mouse.move(200, 300, { steps: 4 });
    await mouse.up();
    await studio.idle();
    const rotated = await studio.middle('leftHand');
    expect(Math.hypot(rotated.x - hand.x, rotated.y - hand.y)).toBeGreaterThan(10);
    expect(await exported()).toBe(before);
    await studio.page.getByRole('button', { name: 'Reset view' }).click();
    await studio.idle();
  });

  it('keeps above the floor and in balance, as the switches say', async () => {
    const balance = studio.page.getByRole('checkbox', { name: 'Keep the balance' });
    expect(await studio.page.getByRole('checkbox', { name: 'Keep above the floor' }).isChecked()).toBe(true);
    expect(await balance.isChecked()).toBe(true);
    const hipsAt = async (): Promise<number> => {
      let x = 0;
      await studio.drag('leftFoot', 0, -90, async () => {
        x = (await studio.middle('hips')).x;
        expect(await studio.page.getByText(/\d mm off/).count()).toBe(0);
      });
      await studio.page.keyboard.press('Control+z');
      return x;
    };
    const within = await hipsAt();
    await balance.uncheck();
    const without = await hipsAt();
    // In balance the hips go over the foot that stands.
    expect(without - within).toBeGreaterThan(4);
    await balance.check();
    await studio.page.getByRole('button', { name: 'Reset pose' }).click();
    await studio.idle();
  });

  it('shows the numbers of the selected joint, and sets them within its limits', async () => {
    const { page } = studio;
    const before = await exported();
    await page.locator('[data-handle=leftElbow]').click();
    const bend = page.getByLabel('Left elbow: bend');
    await bend.fill('90');
    await bend.press('Enter');
    expect(await bend.inputValue()).toBe('90.0');
    await bend.fill('500');
    await bend.press('Enter');
    expect(await bend.inputValue()).toBe('150.0');
    await shoot(page, 'joint.png');
    expect(change(await exported(), before)).toBeGreaterThan(1);
    expect(await undoTitle()).toBe('Undo: Set the left elbow (Ctrl Z)');
    await page.getByRole('button', { name: 'Undo' }).click();
    expect(await exported()).toBe(before);
    await page.keyboard.press('Escape');
    expect(await bend.count()).toBe(0);
  });

  it('mirrors, copies a side, and keeps poses by name: applied, blended, between two, deleted', async () => {
    const { page } = studio;
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const standing = await exported();
    await studio.drag('leftHand', 40, -120);
    const raised = await exported();
    await button('Keep').click();
    await button('Mirror').click();
    const mirrored = await exported();
    expect(change(mirrored, raised)).toBeGreaterThan(0.2);
    await button('Mirror').click();
    expect(change(await exported(), raised)).toBeLessThan(1e-9);
    await button('Left → right').click();
    const both = await exported();
    expect(await undoTitle()).toBe('Undo: Copy the left side to the right (Ctrl Z)');
    expect(change(both, raised)).toBeGreaterThan(0.2);
    await page.getByLabel('Name of the pose').fill('Both arms');
    await page.getByLabel('Name of the pose').press('Enter');
    expect(await page.locator('[data-pose]').count()).toBe(2);
    await button('Pose 1').click();
    expect(change(await exported(), raised)).toBe(0);
    await button('Reset pose').click();
    const blend = page.getByLabel('Blend towards Both arms');
    for (const share of ['0.2', '0.7', '0.5']) await blend.fill(share);
    expect(await blend.inputValue()).toBe('0.5');
    const half = await exported();
    expect(change(half, standing)).toBeGreaterThan(0.05);
    expect(change(half, both)).toBeGreaterThan(0.05);
    await blend.fill('1');
    expect(change(await exported(), both)).toBeLessThan(1e-12);
    await page.keyboard.press('Control+z');
    // One gesture, one step.
    expect(await undoTitle()).toBe('Undo: Reset the pose (Ctrl Z)');
    expect(await blend.inputValue()).toBe('0');
    await page.getByLabel('Between the two poses').fill('1');
    expect(change(await exported(), both)).toBe(0);
    await shoot(page, 'poses.png');
    await button('Delete the pose Pose 1').click();
    expect(await page.locator('[data-pose]').count()).toBe(1);
    await page.keyboard.press('Control+z');
    expect(await page.locator('[data-pose]').count()).toBe(2);
    await button('Reset pose').click();
    await studio.idle();
  });

  describeWithData('of files', 'gltf', (folder) => {
    it('drags the skin of a mesh, and turns its head', async () => {
      await studio.openFiles(join(folder, 'KayKit_Knight.glb'));
      const { mouse } = studio.page;
      const hips = await studio.middle('hips');
      const hand = await studio.middle('leftHand');
      const from = await between('leftElbow', 'leftHand', 0.4);
      await mouse.move(from.x, from.y);
      await mouse.down();
      await mouse.move(from.x - 10, from.y - 40, { steps: 8 });
      await studio.idle();
      await mouse.up();
      expect(await undoTitle()).toMatch(/^Undo: Move the left (lower arm|upper arm|hand)/);
      const moved = await studio.middle('leftHand');
      expect(hand.y - moved.y).toBeGreaterThan(5);
      isNear(await studio.middle('hips'), hips, 30);
      await studio.page.locator('[data-handle=head]').click();
      await turn('y', 40);
      expect(await undoTitle()).toBe('Undo: Turn the head (Ctrl Z)');
      await shoot(studio.page, 'rings-knight.png');
      for (let n = 0; n < 3; n++) await studio.page.keyboard.press('Control+z');
      await studio.page.keyboard.press('Escape');
      await studio.idle();
      expect(await studio.page.getByRole('slider', { name: 'Height' }).count()).toBe(1);
    });
  });

  it('says which part cannot be loaded, keeps the picture, and asks for it again', async () => {
    const parts = /\/(limit-rims|joint-limits|joint-details|rotation-rings|swivel-handles)-[^/]*\.js/;
    const before = studio.complaints.splice(0);
    const page = await studio.open(1000, 640, {}, async (each) => {
      await each.route(parts, (route) => route.abort());
    });
    try {
      const joint = page.getByRole('combobox', { name: 'Joint', exact: true });
      const hand = page.locator('[data-handle=leftHand]');
      await joint.selectOption({ label: 'Left elbow' });
      await page.locator('.controls [role=alert]', { hasText: /could not be loaded/ }).waitFor();
      await hand.click();
      await expect.poll(() => studio.complaints.some((each) => each.includes('rotation-rings'))).toBe(true);
      expect(await page.locator('.failed').count()).toBe(0);
      expect(await hand.isVisible()).toBe(true);
      expect(studio.complaints.filter((each) => !parts.test(each))).toEqual([]);
      await page.unroute(parts);
      await joint.selectOption({ label: 'Left knee' });
      await page.locator('.joint .row').first().waitFor();
      await page.locator('.rims').waitFor();
    } finally {
      await page.context().close();
      studio.complaints.splice(0, Number.POSITIVE_INFINITY, ...before);
    }
  });

  it('never complains: no error on the console, no request that fails', () => {
    expect(studio.complaints).toEqual([]);
  });
});
