/** The reports of inspect, limits, convert and fit: what they say, that they steal nothing, and that they are read without a program. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { writeBvh } from '@poise/formats';
import { describeWithChromium, launchChromium, openPage } from '@poise/test-support/chromium';
import { screenshots } from '@poise/test-support/screenshots';
import { createFigure, createState, figureToData, forwardKinematics } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import { motionFromPoses, motionToData } from 'poise/motion';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { player } from '../../src/html-report/player.js';
import { differencesOf } from '../../src/trajectory/differences.js';
import { poise, temporaryFolder } from '../support/command.js';

const folder = temporaryFolder();
const at = (...names: string[]): string => join(folder, ...names);
const write = (name: string, content: string | object): string => {
  writeFileSync(at(name), typeof content === 'string' ? content : JSON.stringify(content));
  return at(name);
};
const EVIL = `</script><script>window.stolen = 1</script>"'&<img src=x onerror="window.stolen = 2">`;
const human = createHumanFigure({ height: 1.75 });
const coordinateOf = (bone: string): number =>
  human.bones.find(({ name }) => name === bone)?.coordinate as number;

/** One second in which the left knee bends to an angle and back, rad. */
function bend(angle: number, name: string) {
  const poses = Array.from({ length: 31 }, (_, f) => {
    const pose = new Float64Array(human.dof);
    pose[coordinateOf('leftLowerLeg')] = (angle / 2) * (1 - Math.cos((2 * Math.PI * f) / 30));
    return pose;
  });
  const times = poses.map((_, f) => f / 30);
  return motionFromPoses(human, times, poses, { name });
}

const clip = write('clip.json', {
  format: 'poise-motion',
  version: 1,
  figure: 'human',
  motion: motionToData(bend(0.8, EVIL)),
});
/** Its knee goes 40 degrees the wrong way. */
const broken = write(
  'broken.bvh',
  writeBvh(human, bend((-40 * Math.PI) / 180, 'broken'), { frameTime: 1 / 30 }),
);
/** A figure whose names are markup. */
const rig = write('rig.json', {
  name: EVIL,
  bones: [
    {
      name: EVIL,
      joint: { type: 'hinge', axis: [1, 0, 0] },
      limit: { type: 'interval', min: -1, max: 1 },
      tip: [0, 0.5, 0],
    },
    {
      name: `b ${EVIL}`,
      parent: EVIL,
      rest: { position: [0, 0.5, 0] },
      joint: { type: 'ball' },
      tip: [0, 0.4, 0],
    },
  ],
});
const markers = write('markers.json', {
  [EVIL]: { bone: 'leftHand' },
  KNE: { bone: 'leftLowerLeg', point: [0, -0.1, 0] },
  HIP: { bone: 'hips', point: [0.1, 0, 0] },
  HEA: { bone: 'head', point: [0, 0.1, 0] },
});
/** The same motion as markers, of which one is missing in frames 11 to 15. */
const recording = write('walk.trc', trcOf(['KNE', 'HIP', 'HEA', EVIL]));

function trcOf(names: readonly string[]): string {
  const places: Readonly<Record<string, readonly [string, readonly number[]]>> = {
    KNE: ['leftLowerLeg', [0, -0.1, 0]],
    HIP: ['hips', [0.1, 0, 0]],
    HEA: ['head', [0, 0.1, 0]],
    [EVIL]: ['leftHand', [0, 0, 0]],
  };
  const state = createState(human);
  const rows = Array.from({ length: 31 }, (_, f) => {
    const pose = new Float64Array(human.dof);
    pose[coordinateOf('leftLowerLeg')] = 0.4 * (1 - Math.cos((2 * Math.PI * f) / 30));
    forwardKinematics(state, pose);
    const cells = names.flatMap((name): (string | number)[] => {
      if (name === 'KNE' && f >= 10 && f < 15) return ['', '', ''];
      const [bone, point] = places[name];
      const w = state.worldFromBone.subarray(12 * human.bones.findIndex((each) => each.name === bone));
      return [0, 1, 2].map(
        (r) => 1000 * (w[9 + r] + w[3 * r] * point[0] + w[3 * r + 1] * point[1] + w[3 * r + 2] * point[2]),
      );
    });
    return [f + 1, (f / 30).toFixed(4), ...cells].join('\t');
  });
  return [
    'PathFileType\t4\t(X/Y/Z)\tmade.trc',
    'DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits',
    `30\t30\t31\t${names.length}\tmm`,
    `Frame#\tTime\t${names.map((name) => `${name}\t\t`).join('\t')}`,
    '\t\tX1\tY1\tZ1',
    ...rows,
  ].join('\n');
}

/** Runs a command that writes a report. @returns the page. */
async function reported(name: string, ...argv: string[]): Promise<string> {
  const path = at(`${name}.html`);
  const { status, out, err } = await poise(...argv, '--report', path);
  if (status !== 0) throw new Error(err);
  expect(out).toContain(`wrote ${path}: the report`);
  return path;
}

const PAGES: readonly (readonly [name: string, ...argv: string[]])[] = [
  ['convert', 'convert', clip, '-o', at('clip.glb')],
  ['inspect-clip', 'inspect', broken],
  ['inspect-rig', 'inspect', rig],
  ['inspect-markers', 'inspect', recording],
  ['limits', 'limits', broken],
  ['limits-human', 'limits'],
  ['fit', 'fit', recording, '--markers', markers, 'human', '-o', at('fit.json')],
];

describe('a report', () => {
  test.each(PAGES)(
    'of %s is one file that loads nothing, and is the same each time',
    async (name, ...argv) => {
      const text = readFileSync(await reported(name, ...argv), 'utf8');
      expect(text).toMatch(/^<!doctype html>\n<html lang="en">/);
      // A namespace is no address that is loaded.
      const addresses = text.replaceAll('http://www.w3.org/2000/svg', '').replaceAll('&#60;img src=x', '');
      expect(addresses.replace(/<script type="application\/json".*?<\/script>/s, '')).not.toMatch(
        /https?:|\ssrc=|\shref=|url\(|@import/,
      );
      expect(text).toContain("default-src 'none'");
      expect(text.replace(/<script>.*?<\/script>/gs, '')).not.toMatch(/NaN|Infinity|undefined/);
      expect(readFileSync(await reported(`${name}-again`, ...argv), 'utf8') === text).toBe(true);
    },
  );

  test('of convert measures what the file has lost', async () => {
    const fine = readFileSync(
      await reported('fine', 'convert', clip, '-o', at('fine.bvh'), '--rate', '60'),
      'utf8',
    );
    expect(fine).toContain('<b>The same motion</b>');
    const coarse = readFileSync(
      await reported('coarse', 'convert', clip, '-o', at('coarse.bvh'), '--rate', '2'),
      'utf8',
    );
    expect(coarse).toMatch(/<b>The motion changed<\/b>.*turned by [\d.]+° \(leftLowerLeg at 0\.\d+ s\)/);
    expect(fine).toContain(
      '<dd>61 moments: the samples of the clip and, between those farther apart, 60 a second</dd>',
    );
    // Frames of 1.43 s: the last is after the end.
    const slow = readFileSync(
      await reported('slow', 'convert', clip, '-o', at('slow.bvh'), '--rate', '0.7'),
      'utf8',
    );
    expect(slow).toContain('It is 0.429 s longer than the clip.');
    // Samples have no figure to be read again.
    const table = readFileSync(await reported('table', 'convert', clip, '-o', at('table.csv')), 'utf8');
    expect(table).not.toContain('class="verdict');
    expect(table).toContain('The joints that move most');
  });

  test('of limits says by how much a clip leaves them, and where', async () => {
    const text = readFileSync(await reported('outside', 'limits', broken), 'utf8');
    // The knee of the human extends to 0 degrees.
    expect(text).toContain("<b>The clips leave the limits</b>: leftLowerLeg by 40° in 'broken' at 0.5 s");
    // By more than half a degree in 27 of 31 frames.
    expect(text).toContain('<td>leftLowerLeg</td><td class="number">87 %</td><td class="number">40°</td>');
  });

  test('of fit has the gaps, and how far the markers are off', async () => {
    const text = readFileSync(
      await reported('gaps', 'fit', recording, '--markers', markers, 'human'),
      'utf8',
    );
    expect(text).toContain('<b>A close fit</b>');
    expect(text).toMatch(/title="KNE: 0\.333 to 0\.5 s"/);
    expect(text).toMatch(/4, 1 of them with gaps/);
  });

  test('of inspect has the human bones and the contacts of the clip', async () => {
    const text = readFileSync(await reported('human', 'inspect', broken), 'utf8');
    expect(text).toContain('<b>A human</b>: 22 bones recognised, all of them sure.');
    expect(text).toMatch(/<td>leftLowerLeg<\/td><td>leftLowerLeg<\/td>/);
    expect(text).toMatch(/title="right heel: 0 to 1 s"/);
    expect(text).toContain('a T-pose');
  });

  test('of several files goes into a folder, one of each', async () => {
    mkdirSync(at('many'));
    mkdirSync(at('pages'));
    for (const name of ['a', 'b']) writeFileSync(at('many', `${name}.bvh`), readFileSync(broken));
    for (const argv of [
      ['inspect', at('many')],
      ['limits', at('many')],
      ['convert', at('many'), '-o', at('pages')],
    ]) {
      const { status } = await poise(...argv, '--report', at('pages'));
      expect(status).toBe(0);
      expect(readdirSync(at('pages')).filter((name) => name.endsWith('.html'))).toEqual(['a.html', 'b.html']);
    }
    const { status } = await poise('fit', recording, 'human', '--markers', markers, '--report', at('pages'));
    expect([status, readdirSync(at('pages')).includes('walk.html')]).toEqual([0, true]);
  });

  test.each([
    [['inspect', broken, '--report', at('x.txt')], 'unsupported', /\.html/],
    [['inspect', broken, '--report', '-'], 'unsupported', /--report FILE\.html/],
    [['inspect', broken, rig, '--report', at('x.html')], 'unsupported', /2 files do not go into one file/],
    [['inspect', clip, '--report', at('x.html')], 'unsupported', /poise convert CLIP/],
    [['limits', broken, '--report', at('no', 'x.html')], 'cannot-write', /folder/],
    [['convert', clip, '-o', at('x.html.glb'), '--report', clip], 'unsupported', /\.html/],
    [['fit', recording, '--markers', markers, 'human', '--report', at('x.json')], 'unsupported', /\.html/],
  ])('%j is refused: %s', async (argv, code, message) => {
    const { status, err } = await poise(...argv);
    expect([status, err]).toEqual([2, expect.stringMatching(new RegExp(`^error\\[${code}\\]`, 'm'))]);
    expect(err).toMatch(message);
  });
});

describe('differences of two clips', () => {
  test('are zero of a clip with itself, and the angle that one was turned by', () => {
    const first = { figure: human, motion: bend(0.8, 'a') };
    const none = differencesOf(first, first, 30);
    expect(none.lost).toEqual([]);
    for (const { degrees, millimetres } of none.bones) {
      expect(Math.max(...degrees, ...millimetres)).toBe(0);
    }
    const second = { figure: human, motion: bend(0.9, 'b') };
    const { bones } = differencesOf(first, second, 30);
    const knee = bones.find(({ bone }) => bone === 'leftLowerLeg');
    const foot = bones.find(({ bone }) => bone === 'leftFoot');
    const rotated = Math.max(...(knee?.degrees ?? []));
    expect(rotated).toBeCloseTo((0.1 * 180) / Math.PI, 6);
    expect(Math.max(...(knee?.millimetres ?? []))).toBeLessThan(1e-9);
    // The ankle is on a circle about the knee: the chord of the angle.
    const shank =
      1000 * Math.hypot(...(human.bones.find(({ name }) => name === 'leftFoot')?.rest.position ?? []));
    expect(Math.max(...(foot?.millimetres ?? []))).toBeCloseTo(2 * shank * Math.sin(0.05), 6);
  });

  test('are measured at the samples of the clip, at a grid between them, and at no more than 10,000', () => {
    const arm = createFigure({ bones: [{ name: 'arm', joint: { type: 'hinge', axis: [1, 0, 0] } }] });
    const clipOf = (times: readonly number[]) => ({
      figure: arm,
      motion: motionFromPoses(
        arm,
        times,
        times.map((time) => Float64Array.of(time % 1)),
      ),
    });
    const sparse = differencesOf(clipOf([2, 2.05, 3]), clipOf([0, 0.5]), 10);
    expect(sparse.lengths).toEqual([1, 0.5]);
    expect(sparse.times).toEqual(
      [0, 0.05, 0.14, 0.23, 0.32, 0.41, 0.5].map((time) => expect.closeTo(time, 9)),
    );
    const long = clipOf(Array.from({ length: 12_001 }, (_, k) => k / 100));
    const { times, available } = differencesOf(long, long, 60);
    expect([available, times.length, times[0], times[9999]]).toEqual([12_001, 10_000, 0, 120]);
  });

  test('of a clip that a VRM animation turns to +Z are none', async () => {
    const { bones, ...data } = figureToData(human);
    const facingX = createFigure({
      ...data,
      bones: bones.map((bone) =>
        bone.parent === null
          ? { ...bone, rest: { ...bone.rest, rotation: [0, Math.SQRT1_2, 0, Math.SQRT1_2] } }
          : bone,
      ),
    });
    const rotated = write('rotated.bvh', writeBvh(facingX, bend(0.8, 'rotated'), { frameTime: 1 / 30 }));
    const text = readFileSync(
      await reported('rotated', 'convert', rotated, '-o', at('rotated.vrma')),
      'utf8',
    );
    expect(text).toContain('<b>The same motion</b>');
  });
});

test('the player shows figures that lie flat in their size', () => {
  const flat = createFigure({
    bones: [
      { name: 'arm', joint: { type: 'hinge', axis: [0, 1, 0] } },
      { name: 'hand', parent: 'arm', rest: { position: [2, 0, 0] }, tip: [1, 0, 0] },
    ],
  });
  const markup = player(
    [{ title: 'flat', figure: flat }],
    [{ name: 'rest', times: [0], motions: [undefined] }],
  );
  const [, data] = /id="player-data">(.*?)<\/script>/s.exec(markup) ?? [];
  const numbers: number[] = JSON.parse(data).takes[0].frames[0][0];
  expect(Math.max(...numbers) - Math.min(...numbers)).toBe(4000);
});

type Browser = Awaited<ReturnType<typeof launchChromium>>;

const shoot = screenshots('clip-reports');

describeWithChromium('a report in a browser', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  test.each(PAGES)(
    'of %s steals nothing, fits a phone, and is read without a program',
    async (name, ...argv) => {
      const address = pathToFileURL(await reported(`${name}-shown`, ...argv)).href;
      const page = await openPage(browser, { viewport: { width: 1366, height: 650 } });
      const trouble: string[] = [];
      page.on('console', (message) => trouble.push(message.text()));
      page.on('pageerror', (error) => trouble.push(String(error)));
      page.on('request', (request) => {
        if (request.url() !== address) trouble.push(request.url());
      });
      await page.goto(address);
      await shoot(page, `${name}.png`, { fullPage: true });
      await page.setViewportSize({ width: 390, height: 844 });
      await shoot(page, `${name}-phone.png`, { fullPage: true });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
      expect(await page.evaluate(() => 'stolen' in window)).toBe(false);
      expect(trouble).toEqual([]);
      await page.close();
      const read = await openPage(browser, { javaScriptEnabled: false });
      await read.goto(address);
      expect(await read.locator('tbody tr').count()).toBeGreaterThan(1);
      await read.close();
    },
  );

  test('is used by keys, stands still where motion is to be reduced, and has a dark theme', async () => {
    const address = pathToFileURL(await reported('keys', 'inspect', broken)).href;
    const page = await openPage(browser, { reducedMotion: 'reduce', colorScheme: 'dark' });
    await page.goto(address);
    expect(await page.locator('button').textContent()).toBe('play');
    const picture = (): Promise<string> =>
      page.evaluate(
        () =>
          new Promise((done) => {
            requestAnimationFrame(() =>
              requestAnimationFrame(() =>
                done((document.querySelector('canvas') as HTMLCanvasElement).toDataURL()),
              ),
            );
          }),
      );
    const still = await picture();
    expect(await picture()).toBe(still);
    await page.locator('canvas').focus();
    await page.keyboard.press('ArrowRight');
    expect(await picture()).not.toBe(still);
    await page.keyboard.press(' ');
    expect(await page.locator('button').textContent()).toBe('pause');
    const before = await page.locator('output').textContent();
    await page.waitForFunction((text) => document.querySelector('output')?.textContent !== text, before);
    // The rest pose is a clip of one frame.
    await page.locator('select').selectOption({ label: 'rest pose' });
    await page.waitForFunction(() => document.querySelector('output')?.textContent === '0.00 s');
    const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect(Math.max(...(paper.match(/\d+/g) ?? []).map(Number))).toBeLessThan(60);
    await page.close();
  });
});
