import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBvh } from '@poise/formats/bvh';
import { listGltfAnimations, readGltfAnimation, readGltfRig } from '@poise/formats/gltf';
import { describeWithChromium } from '@poise/test-support/chromium';
import { screenshots } from '@poise/test-support/screenshots';
import { describeWithData } from '@poise/test-support/shared-data';
import { AnimationMixer, Vector3 } from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Studio } from './support/studio-page.js';

const shoot = screenshots('studio');

describeWithChromium('animating in the studio', () => {
  let studio: Studio;
  beforeAll(async () => {
    studio = await Studio.start(1440, 900);
    await studio.page.getByRole('button', { name: 'Animate' }).click();
    await studio.page.locator('.timeline').waitFor();
  });
  afterAll(() => studio?.stop());

  const time = async () => Number(await studio.page.locator('.readout').getAttribute('data-time'));
  const keys = () => studio.page.locator('.key');
  const press = (key: string) => studio.page.keyboard.press(key);
  const rest = () => studio.page.waitForTimeout(120);

  /** A point of the ruler at a time, px. */
  async function onRuler(seconds: number): Promise<{ x: number; y: number }> {
    const box = await studio.page.getByRole('slider', { name: 'Time' }).boundingBox();
    const length = Number(
      await studio.page.getByRole('slider', { name: 'Time' }).getAttribute('aria-valuemax'),
    );
    if (box === null) throw new Error('no ruler');
    return { x: box.x + 14 + ((box.width - 58) * seconds) / length, y: box.y + 10 };
  }

  async function scrub(seconds: number): Promise<void> {
    const { x, y } = await onRuler(seconds);
    await studio.page.mouse.move(seconds > 0.5 ? x - 30 : x + 30, y);
    await studio.page.mouse.down();
    await studio.page.mouse.move(x, y, { steps: 3 });
    await studio.page.mouse.up();
    await rest();
  }

  /** The middle of the left hand, when it does not move any more, px. */
  async function settled(): Promise<{ x: number; y: number }> {
    for (let before = await studio.middle('leftHand'); ; ) {
      await studio.page.waitForTimeout(300);
      const now = await studio.middle('leftHand');
      if (Math.hypot(...offset(now, before)) < 0.1) return now;
      before = now;
    }
  }

  it('keys poses, scrubs through them, and the handles follow', async () => {
    const start = await settled();
    await press('k');
    expect(await keys().count()).toBe(7);
    await scrub(1);
    expect(await time()).toBe(1);
    await dragHand(60, -160);
    const raised = await settled();
    expect(raised.y).toBeLessThan(start.y - 80);
    expect(await studio.page.locator('[data-row=leftArm] .key').count()).toBe(2);
    await scrub(0);
    expect(Math.hypot(...offset(await settled(), start))).toBeLessThan(1);
    await scrub(1);
    expect(Math.hypot(...offset(await settled(), raised))).toBeLessThan(1);
    for (const name of ['Poses before and after', 'Path of the handle'])
      await studio.page.getByRole('checkbox', { name }).check();
    await rest();
    await shoot(studio.page, 'animate-1440.png');
  });

  it('leaves the points of a path to the pointer where rings cross them', async () => {
    await studio.page.locator('[data-handle=leftHand]').click();
    await studio.page.locator('[data-rings]').waitFor();
    await rest();
    const onTop = await studio.page.evaluate(() => {
      const bands = [...document.querySelectorAll<SVGPathElement>('.rings .band')];
      const isCrossed = (at: DOMPoint) =>
        bands.some((band) => band.isPointInStroke(at.matrixTransform(band.getScreenCTM()?.inverse())));
      return [...document.querySelectorAll<HTMLElement>('.trail-point')]
        .filter((point) => point.style.visibility === 'visible')
        .map((point) => {
          const { x, y, width } = point.getBoundingClientRect();
          return new DOMPoint(x + width / 2, y + width / 2);
        })
        .filter(isCrossed)
        .map(({ x, y }) => document.elementFromPoint(x, y)?.getAttribute('class'));
    });
    expect(onTop.length).toBeGreaterThan(0);
    expect(onTop).not.toContain('band');
  });

  it('plays in a loop by Space, without the rings of what is selected, and stops on a frame', async () => {
    const ring = studio.page.locator('.rings .band').first();
    expect(await ring.getAttribute('d')).not.toBe('');
    await press('Space');
    await studio.page.getByRole('button', { name: 'Pause' }).waitFor();
    await expect.poll(() => ring.getAttribute('d')).toBe('');
    const seen = new Set<number>();
    for (let n = 0; n < 8; n++) {
      seen.add(await time());
      await rest();
    }
    expect(seen.size).toBeGreaterThan(4);
    await press('Space');
    await studio.page.getByRole('button', { name: 'Play', exact: true }).waitFor();
    await expect.poll(() => ring.getAttribute('d')).not.toBe('');
    await press('Escape');
    const stopped = await time();
    expect(Math.abs(30 * stopped - Math.round(30 * stopped))).toBeLessThan(1e-9);
    await press(',');
    expect([0, 1]).toContain(await time());
  });

  it('selects by click and box, moves, copies and deletes keys, and undo takes it back', async () => {
    const { page } = studio;
    const key = page.locator('[data-key="leftArm 1"]');
    await key.click();
    expect(await key.getAttribute('aria-pressed')).toBe('true');
    const from = await key.boundingBox();
    if (from === null) throw new Error('no key');
    const [a, b] = [await onRuler(1), await onRuler(1.5)];
    await page.mouse.move(from.x + 10, from.y + 10);
    await page.mouse.down();
    await page.mouse.move(from.x + 60, from.y + 10, { steps: 2 });
    await expect.poll(() => key.count()).toBe(0);
    await press('Escape');
    await page.mouse.up();
    expect(await key.getAttribute('aria-pressed')).toBe('true');
    await page.mouse.move(from.x + 10, from.y + 10);
    await page.mouse.down();
    await page.mouse.move(from.x + 10 + b.x - a.x, from.y + 10, { steps: 5 });
    await page.mouse.up();
    expect(await page.locator('[data-key="leftArm 1.5"]').count()).toBe(1);
    await press('Control+z');
    expect(await page.locator('[data-key="leftArm 1"]').count()).toBe(1);
    // A box around all keys at 0, from the names.
    const rows = await page.locator('.rows').boundingBox();
    if (rows === null) throw new Error('no rows');
    const zero = await onRuler(0);
    await page.mouse.move(rows.x + 20, rows.y + 2);
    await page.mouse.down();
    await page.mouse.move(zero.x + 20, rows.y + rows.height - 2, { steps: 4 });
    await page.mouse.up();
    expect(await page.locator('.key[aria-pressed=true]').count()).toBe(7);
    await page.getByRole('button', { name: 'Linear' }).click();
    expect(await page.locator('.key[data-interpolation=linear]').count()).toBe(7);
    await press('Control+c');
    await scrub(2);
    await press('Control+v');
    expect(await page.locator('.key[aria-pressed=true]').count()).toBe(7);
    const count = await keys().count();
    await press('Delete');
    expect(await keys().count()).toBe(count - 7);
    await press('Control+z');
    expect(await keys().count()).toBe(count);
  });

  it('shows a number that it took where what was typed is beyond its bounds', async () => {
    const length = studio.page.getByLabel('Length');
    for (const typed of ['600', '700', '650', '-5', '-7', '2']) {
      await length.fill(typed);
      await press(typed === '650' ? 'Enter' : 'Tab');
      const [least, most] = [0.033, 600];
      await expect.poll(() => length.inputValue()).toBe(`${Math.min(Math.max(Number(typed), least), most)}`);
    }
  });

  it('goes through keys by arrows, and retimes them by Alt', async () => {
    const { page } = studio;
    await page.locator('[data-key="root 0"]').focus();
    await press('ArrowDown');
    await press('ArrowDown');
    await press('ArrowDown');
    await press('ArrowRight');
    const focused = () => page.evaluate(() => (document.activeElement as HTMLElement).dataset.key);
    await expect.poll(focused).toBe('leftArm 1');
    await press('Enter');
    expect(await time()).toBe(1);
    await press('Alt+ArrowRight');
    await expect.poll(focused).toBe(`leftArm ${31 / 30}`);
    await press('Alt+ArrowLeft');
    await expect.poll(focused).toBe('leftArm 1');
  });

  it('drags keys and tangents of curves, which Escape puts back and undo takes back', async () => {
    const { page } = studio;
    await page.getByRole('button', { name: 'Curves' }).click();
    await page.getByRole('combobox', { name: 'Joint' }).selectOption({ label: 'Left elbow' });
    const point = page.locator('.point[data-time="1"]');
    const label = () => point.getAttribute('aria-label');
    const before = await label();
    const pull = async (from: { boundingBox: typeof point.boundingBox }, dx: number, dy: number) => {
      const box = await from.boundingBox();
      if (box === null) throw new Error('no point');
      const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x + dx, y + dy, { steps: 2 });
    };
    await pull(point, 0, 30);
    await expect.poll(label).not.toBe(before);
    await press('Escape');
    await page.mouse.up();
    expect(await label()).toBe(before);
    await pull(point, 0, 30);
    await page.mouse.up();
    const dragged = await label();
    expect(dragged).not.toBe(before);
    await press('Control+z');
    expect(await label()).toBe(before);
    await point.focus();
    await press('ArrowDown');
    expect(await label()).not.toBe(before);
    await press('Control+z');
    await pull(page.locator('.tangent').first(), 10, 40);
    await page.mouse.up();
    expect(await page.getByRole('button', { name: 'Free' }).getAttribute('aria-pressed')).toBe('true');
    await shoot(page, 'animate-curves-1440.png');
    await press('Control+z');
    expect(await page.getByRole('button', { name: 'Auto' }).getAttribute('aria-pressed')).toBe('true');
  });

  it('bends the path of a handle that is dragged, and undo takes it back', async () => {
    const { page } = studio;
    await page.locator('[data-handle=leftHand]').focus();
    const point = page.locator('.trail-point[data-trail="0.4"]');
    const middle = async () => {
      const box = await point.boundingBox();
      if (box === null) throw new Error('no point of the path');
      return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    };
    const count = await page.locator('.point').count();
    const start = await middle();
    await page.mouse.move(start.x, start.y);
    await page.mouse.down();
    await page.mouse.move(start.x + 30, start.y - 30, { steps: 4 });
    const rises = () => expect.poll(async () => start.y - (await middle()).y);
    await rises().toBeGreaterThan(15);
    await press('Escape');
    await page.mouse.up();
    await rises().toBeLessThan(1);
    await page.mouse.move(start.x, start.y);
    await page.mouse.down();
    await page.mouse.move(start.x + 30, start.y - 30, { steps: 2 });
    await page.mouse.up();
    await page
      .getByRole('button', { name: 'Undo' })
      .and(page.getByTitle(/Bend the path of the left hand/))
      .waitFor();
    const bent = await middle();
    expect(Math.hypot(...offset(bent, { x: start.x + 30, y: start.y - 30 }))).toBeLessThan(6);
    await shoot(page, 'animate-path-1440.png');
    await press('Control+z');
    await expect.poll(async () => Math.hypot(...offset(await middle(), start))).toBeLessThan(1);
    expect(await page.locator('.point').count()).toBe(count);
    await page.locator('.either').getByText('Keys').click();
  });

  describeWithData('clips of files', 'gltf', (folder) => {
    it('retargets a BVH, says how far feet slide, marks contacts, and undo takes it back', async () => {
      const before = await keys().count();
      // Here a BVH is a clip for the character, by the File menu and dropped too.
      await studio.page.getByLabel('File to open').setInputFiles(join(folder, '../bvh/walk01.bvh'));
      await studio.page.locator('.imported').waitFor();
      expect(await studio.page.locator('.files [role=alert]').count()).toBe(0);
      expect(await studio.page.locator('.imported').innerText()).toMatch(
        /feet on the ground (slide by [\d.]+ mm at most|stay where they stand)/,
      );
      expect(await studio.page.locator('.contact').count()).toBeGreaterThan(4);
      expect(await keys().count()).toBeGreaterThan(30);
      expect(await studio.page.locator('.sliding output').innerText()).toMatch(
        /(left|right) (heel|ball) [\d.]+|nothing/,
      );
      await press('Space');
      await studio.page.waitForTimeout(500);
      await press('Space');
      await shoot(studio.page, 'animate-walk.png');
      // It has walked a few steps, and the view with it.
      await scrub(4);
      const [hips, picture] = [await studio.middle('hips'), studio.page.locator('.stage canvas')];
      const { x = 0, width = 0 } = (await picture.boundingBox()) ?? {};
      expect(Math.abs(hips.x - x - 0.5 * width)).toBeLessThan(0.2 * width);
      await press('Control+z');
      expect(await keys().count()).toBe(before);
      await press('Control+y');
    });

    it.each([
      [390, 844],
      [820, 1180],
    ])('shows the source with its arms out, and all buttons, at %i x %i', async (width, height) => {
      const { page } = studio;
      await page.setViewportSize({ width, height });
      await scrub(0);
      await press('Control+z');
      await press('Control+y');
      await studio.idle();
      // It begins elsewhere, and the view with it.
      const begins = await studio.middle('hips');
      await page.getByRole('button', { name: 'Reset view' }).click();
      await studio.idle();
      expect(Math.hypot(...offset(await studio.middle('hips'), begins))).toBeLessThan(1);
      const [head, foot, hips] = await Promise.all(
        ['head', 'leftFoot', 'hips'].map((id) => studio.middle(id)),
      );
      // Its hand is beside it by its height, a seventh of which is above and below these.
      expect(hips.x).toBeGreaterThan(1.15 * (foot.y - head.y));
      expect((await studio.middle('leftHand')).x).toBeLessThan(width - 10);
      const rights = await page
        .locator('.transport button:visible')
        .evaluateAll((all) => all.map((button) => button.getBoundingClientRect().right));
      expect(rights.length).toBeGreaterThan(10);
      expect(Math.max(...rights)).toBeLessThanOrEqual(width);
      await page.setViewportSize({ width: 1440, height: 900 });
      await studio.idle();
    });

    it('writes the clip, and the library reads it', async () => {
      const files = new Map<string, Buffer>();
      for (const type of ['GLB', 'BVH', 'VRMA']) {
        const { name, bytes } = await studio.exported(`Export ${type}`);
        files.set(name, bytes);
      }
      const menu = await studio.exported('Export GLB with the clip');
      expect(menu.bytes).toEqual(files.get(menu.name));
      expect([...files.keys()]).toEqual(['human-animated.glb', 'walk01.bvh', 'walk01.vrma']);
      for (const [name, bytes] of files) {
        const motion = name.endsWith('bvh')
          ? readBvh(bytes.toString()).motion
          : readGltfAnimation(readGltfRig(new Uint8Array(bytes), { bones: 'all' })).motion;
        expect(motion.end, name).toBeCloseTo(4.1667, 1);
      }
      // So does three.js.
      const { buffer } = Uint8Array.from(files.get('human-animated.glb') ?? []);
      const { animations, scene } = await new GLTFLoader().parseAsync(buffer, '');
      expect(animations.map(({ duration }) => duration.toFixed(1))).toEqual(['4.2']);
      const hips = scene.getObjectByName('hips');
      const start = hips?.getWorldPosition(new Vector3()) ?? new Vector3();
      const mixer = new AnimationMixer(scene);
      mixer.clipAction(animations[0]).play();
      mixer.setTime(3);
      expect(hips?.getWorldPosition(new Vector3()).distanceTo(start)).toBeGreaterThan(1);
    });

    it('is cut to the part that repeats, which undo takes back', async () => {
      const count = await keys().count();
      const length = studio.page.getByLabel('Length');
      await studio.page.getByRole('button', { name: 'Make it loop' }).click();
      await studio.page.getByText(/^It repeats every [\d.]+ s/).waitFor();
      // Two steps.
      expect(Number(await length.inputValue())).toBeGreaterThan(0.8);
      expect(Number(await length.inputValue())).toBeLessThan(1.6);
      await press('Control+z');
      expect(await keys().count()).toBe(count);
    });

    it('of the file of a character are offered, and it is written with the clip', async () => {
      await studio.page.getByRole('button', { name: 'Pose', exact: true }).click();
      await studio.openFiles(join(folder, 'RobotExpressive.glb'));
      await studio.page.getByRole('button', { name: 'Animate' }).click();
      // The clip of the one before is put on it.
      await studio.page.locator('.imported').getByText('walk01.bvh').waitFor();
      expect(await keys().count()).toBeGreaterThan(30);
      const find = studio.page.getByLabel('Find one of the clips of this character');
      await find.pressSequentially('walkj');
      expect(await studio.page.locator('.clips button:visible').allInnerTexts()).toEqual(['Robot_WalkJump']);
      await find.fill('');
      await studio.page.getByRole('button', { name: 'Dance' }).click();
      const imported = studio.page.locator('.imported');
      await imported.getByText('Dance').waitFor();
      const [said, list] = [await imported.boundingBox(), await studio.page.locator('.clips').boundingBox()];
      expect(said?.y).toBeLessThan(list?.y ?? 0);
      expect(await studio.page.locator('.files [role=alert]').count()).toBe(0);
      await scrub(1);
      await shoot(studio.page, 'animate-robot.png');
      const { name, bytes } = await studio.exported('Export GLB');
      expect(name).toBe('RobotExpressive-animated.glb');
      const given = listGltfAnimations(
        readGltfRig(new Uint8Array(readFileSync(join(folder, 'RobotExpressive.glb')))).document,
      );
      const written = listGltfAnimations(readGltfRig(new Uint8Array(bytes)).document);
      expect(written.length).toBe(given.length + 1);
      // What a clip was read of can be the character too, while it is shown.
      expect(await studio.page.getByRole('button', { name: /as the character/ }).count()).toBe(0);
      await press('Control+z');
      await studio.page.getByRole('button', { name: 'Take walk01.bvh as the character' }).click();
      await studio.page.getByRole('button', { name: /as the character/ }).waitFor({ state: 'detached' });
      await studio.page.getByRole('button', { name: 'Pose', exact: true }).click();
      expect(await studio.page.getByLabel('Character', { exact: true }).inputValue()).toBe('walk01.bvh');
      await studio.page.getByRole('button', { name: 'Animate' }).click();
      await studio.page.locator('.timeline').waitFor();
    });
  });

  it('complains of nothing, at any size', async () => {
    for (const [width, height] of [
      [1366, 650],
      [820, 1180],
      [390, 844],
    ]) {
      await studio.page.setViewportSize({ width, height });
      await rest();
      await shoot(studio.page, `animate-${width}.png`);
      await studio.page.getByRole('button', { name: 'Curves' }).click();
      await rest();
      await shoot(studio.page, `animate-curves-${width}.png`);
      await studio.page.locator('.either').getByText('Keys').click();
    }
    expect(studio.complaints).toEqual([]);
  });

  async function dragHand(dx: number, dy: number): Promise<void> {
    const { x, y } = await studio.middle('leftHand');
    const { mouse } = studio.page;
    await mouse.move(x, y);
    await mouse.down();
    await mouse.move(x + dx, y + dy, { steps: 8 });
    await settled();
    await mouse.up();
  }
});

function offset(a: { x: number; y: number }, b: { x: number; y: number }): [number, number] {
  return [a.x - b.x, a.y - b.y];
}
