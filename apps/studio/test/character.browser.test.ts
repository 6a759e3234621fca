import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readGltfRig } from '@poise/formats';
import { describeWithChromium, drawEachFrame } from '@poise/test-support/chromium';
import { screenshots } from '@poise/test-support/screenshots';
import { describeWithData } from '@poise/test-support/shared-data';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Studio } from './support/studio-page.js';

const shoot = screenshots('studio');

describeWithChromium('characters in the studio', () => {
  let studio: Studio;
  beforeAll(async () => {
    studio = await Studio.start(1366, 650);
  });
  afterAll(() => studio?.stop());

  const handles = () => studio.page.locator('[data-handle]');
  const label = (id: string) => studio.page.locator(`[data-goal="${id}"] .label`).innerText();

  async function isReached(id: string, dx: number, dy: number): Promise<void> {
    const start = await studio.middle(id);
    await studio.drag(id, dx, dy, async () => {
      const now = await studio.middle(id);
      expect(Math.hypot(now.x - start.x - dx, now.y - start.y - dy), id).toBeLessThan(3);
    });
  }

  it('compiles nothing anew for a character or limits that were shown before', async () => {
    const { page } = studio;
    await page.evaluate(() => {
      const { linkProgram } = WebGL2RenderingContext.prototype;
      Object.assign(window, { linked: 0 });
      WebGL2RenderingContext.prototype.linkProgram = function (program) {
        (window as unknown as { linked: number }).linked++;
        linkProgram.call(this, program);
      };
    });
    const linked = () => page.evaluate(() => (window as unknown as { linked: number }).linked);
    const drawn = () =>
      page.evaluate(async () => {
        for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
      });
    const showAll = async () => {
      for (const name of ['hand', 'human']) {
        await page.getByLabel('Character').selectOption(name);
        await page.locator(`[data-handle=${name === 'hand' ? 'indexTip' : 'leftHand'}]`).waitFor();
        await drawn();
      }
      for (const [joint, state] of [
        [{ index: 3 }, 'attached'],
        ['', 'detached'],
      ] as const) {
        await page.getByRole('combobox', { name: 'Joint', exact: true }).selectOption(joint);
        await page.locator('.rims').waitFor({ state });
        await studio.idle();
      }
    };
    await showAll();
    // What is loaded when it is first used was drawn at the latest now.
    await showAll();
    const first = await linked();
    expect(first).toBeGreaterThan(0);
    await showAll();
    expect(await linked()).toBe(first);
  });

  describeWithData('of files', 'gltf', (folder) => {
    const files = {
      human: [
        'KayKit_Knight.glb',
        'CesiumMan.gltf',
        'RobotExpressive.glb',
        '../vrm/cryptovoxels.vrm',
        '../bvh/walk01.bvh',
      ],
      other: ['Fox.glb', '../urdf/panda.urdf', 'webxr_hand_left.glb', '../mjcf/unitree_g1.xml'],
    };

    it.each(files.human)('%s: hands and feet of a human, and a hand that is dragged', async (name) => {
      await studio.openFiles(join(folder, name));
      expect(await studio.page.getByRole('alert').count()).toBe(0);
      expect(await handles().count()).toBeGreaterThanOrEqual(10);
      expect(await studio.status()).toBe('converged');
      if (name.endsWith('.vrm')) {
        // Knees and elbows are straight at rest, and no limit is drawn for that.
        const draws = studio.page.getByLabel('Draw the limits of joints');
        await drawEachFrame(studio.page);
        const picture = async () => {
          await studio.idle();
          return studio.page.locator('.stage canvas').screenshot();
        };
        await draws.uncheck();
        const without = await picture();
        await draws.check();
        expect((await picture()).equals(without)).toBe(true);
        await drawEachFrame(studio.page, false);
      }
      await isReached('leftHand', -20, 25);
      await shoot(studio.page, `character-${name.replace(/\W+/g, '-')}.png`);
    });

    it('writes the file that was opened, with its pose alone changed, and the library and the studio read it', async () => {
      const path = join(folder, 'KayKit_Knight.glb');
      await studio.openFiles(path);
      const { bytes: same } = await studio.exported('Export GLB');
      await studio.drag('leftHand', -40, -30);
      const { name, bytes } = await studio.exported('Export GLB');
      expect(name).toBe('KayKit_Knight-posed.glb');
      const given = readFileSync(path);
      expect(same.equals(given)).toBe(true);
      const [before, after] = [given, bytes].map((content) => readGltfRig(new Uint8Array(content)));
      expect(after.figure.bones.map((bone) => bone.name)).toEqual(
        before.figure.bones.map((bone) => bone.name),
      );
      expect(binOf(bytes).equals(binOf(given))).toBe(true);
      const moved = after.figure.bones.filter(({ rest }, k) =>
        rest.rotation.some((x, n) => Math.abs(x - before.figure.bones[k].rest.rotation[n]) > 1e-3),
      );
      expect(moved.map((bone) => bone.name)).toContain('upperarm.l');
      await studio.page.keyboard.press('Control+z');
      await studio.openFiles([{ name, mimeType: 'model/gltf-binary', buffer: bytes }]);
      // Opened again and not touched, it is the file that it was.
      expect((await studio.exported('Export GLB')).bytes.equals(bytes)).toBe(true);
    });

    it.each(files.other)('%s: handles at the ends of its chains', async (name) => {
      await studio.openFiles(join(folder, name));
      expect(await studio.page.getByRole('alert').count()).toBe(0);
      const count = await handles().count();
      expect(count).toBeGreaterThan(2);
      expect(await label((await handles().first().getAttribute('data-handle')) as string)).not.toBe('');
      await shoot(studio.page, `character-${name.replace(/\W+/g, '-')}.png`);
    });

    it('selects nothing of the one before, shows all of what lies, and leaves the names of its file', async () => {
      const { page } = studio;
      await page.getByLabel('Character', { exact: true }).selectOption('human');
      await page.locator('[data-handle=leftFoot]').click();
      await page.locator('.rings').waitFor();
      await studio.openFiles(join(folder, '../urdf/ur5.urdf'));
      expect(await page.locator('.rings').count()).toBe(0);
      expect(await page.getByRole('button', { name: 'Deselect' }).count()).toBe(0);
      const {
        width = 0,
        height = 0,
        x = 0,
        y = 0,
      } = (await page.locator('.stage canvas').boundingBox()) ?? {};
      const tool = await studio.middle('tool0');
      expect([(tool.x - x) / width, (tool.y - y) / height].every((at) => at > 0.1 && at < 0.9)).toBe(true);
      await studio.openFiles(join(folder, '../urdf/panda.urdf'));
      expect(await page.locator('.joints .label').allInnerTexts()).toContain('panda_link4');
    });

    it('selects nothing of another file of the same name', async () => {
      const { page } = studio;
      const [ur5, panda] = ['ur5', 'panda'].map((name) => ({
        name: 'robot.urdf',
        mimeType: 'application/xml',
        buffer: readFileSync(join(folder, `../urdf/${name}.urdf`)),
      }));
      await studio.openFiles([ur5]);
      await page.locator('[data-handle=tool0]').click();
      await page.getByRole('button', { name: 'Deselect' }).waitFor();
      await studio.openFiles([panda]);
      expect(await page.getByRole('button', { name: 'Deselect' }).count()).toBe(0);
    });

    it('opens a folder: a glTF with the buffer beside it', async () => {
      const given = mkdtempSync(join(tmpdir(), 'poise-'));
      try {
        const document = JSON.parse(readFileSync(join(folder, 'CesiumMan.gltf'), 'utf8'));
        const [buffer] = document.buffers;
        mkdirSync(join(given, 'man/data'), { recursive: true });
        writeFileSync(join(given, 'man/data/body.bin'), Buffer.from(buffer.uri.split(',')[1], 'base64'));
        buffer.uri = 'data/body.bin';
        writeFileSync(join(given, 'man/man.gltf'), JSON.stringify(document));
        writeFileSync(join(given, 'man/.man.gltf'), 'what a system puts beside it');
        const { page } = studio;
        await page.getByRole('button', { name: 'File', exact: true }).click();
        const [chooser] = await Promise.all([
          page.waitForEvent('filechooser'),
          page.getByRole('button', { name: 'Open folder' }).click(),
        ]);
        await studio.opened(() => chooser.setFiles(join(given, 'man')));
        expect(await page.getByRole('alert').count()).toBe(0);
        await isReached('leftHand', -20, 25);
      } finally {
        rmSync(given, { recursive: true });
      }
    });

    it('says what a file lacks, and keeps the character that was there; undo brings back the one before', async () => {
      await studio.openFiles(join(folder, 'Fox.glb'));
      const count = await handles().count();
      await studio.openFiles([
        { name: 'broken.glb', mimeType: 'model/gltf-binary', buffer: Buffer.from('glTF') },
      ]);
      expect(await studio.page.getByRole('alert').innerText()).toMatch(/^broken\.glb/);
      expect(await handles().count()).toBe(count);
      await studio.openFiles([
        { name: 'broken.zip', mimeType: 'application/zip', buffer: Buffer.from('PK') },
      ]);
      await studio.page.getByRole('alert').getByText('broken.zip is no ZIP archive').waitFor();
      for (let k = 0; k < 60 && (await studio.page.getByRole('button', { name: 'Undo' }).isEnabled()); k++)
        await studio.page.keyboard.press('Control+z');
      await studio.idle();
      expect(await studio.page.getByRole('slider', { name: 'Height' }).count()).toBe(1);
      expect(await handles().count()).toBe(15);
    });
  });

  it('opens nothing that was not given, and complains of nothing', () => {
    expect(studio.complaints).toEqual([]);
  });
});

/** The second chunk of a GLB. */
function binOf(glb: Buffer): Buffer {
  const start = 20 + glb.readUInt32LE(12);
  return glb.subarray(start + 8, start + 8 + glb.readUInt32LE(start));
}
