/** The report: one file, escaped names, and its rendering in a browser. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describeWithChromium, launchChromium, openPage } from '@poise/test-support/chromium';
import { screenshots } from '@poise/test-support/screenshots';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { poise, temporaryFolder } from '../support/command.js';
import { blockScene } from '../support/scenes.js';

const folder = temporaryFolder();
const EVIL = `<script>window.stolen = 1</script>"'&<img src=x onerror="window.stolen = 2">`;

const bar = (name: string, parent: string | null, y: number): object => ({
  name,
  parent,
  rest: { position: [0, y, 0] },
  joint: { type: 'hinge', axis: [1, 0, 0] },
  tip: [0, -0.4, 0],
  mass: 1,
  centerOfMass: [0, -0.2, 0],
  inertia: [0.014, 0.001, 0.014, 0, 0, 0],
});

/** An arm whose names are markup, which swings and stands nowhere. */
const arm = {
  format: 'poise-scene',
  version: 1,
  name: `swing ${EVIL}`,
  figure: { type: 'bones', name: `arm ${EVIL}`, bones: [bar(EVIL, null, 1), bar('fore', EVIL, -0.4)] },
  duration: 1,
  terms: [
    { type: 'pose', name: `begins ${EVIL}`, at: 0 },
    { type: 'velocity', at: 0 },
    { type: 'pose', at: 1, pose: { bones: { fore: [0.8] } } },
    { type: 'torque-limit', limit: { fore: 9 } },
    { type: 'effort' },
  ],
};

/** A block that rests on the floor: contact forces hold its weight, 9.81 N. */
const resting = {
  format: 'poise-scene',
  version: 1,
  figure: {
    type: 'bones',
    bones: [
      { name: 'box', joint: { type: 'free' }, tip: [0, 0.2, 0], mass: 1, inertia: [0.1, 0.1, 0.1, 0, 0, 0] },
    ],
  },
  duration: 0.5,
  intervals: 4,
  terms: [
    { type: 'physics' },
    { type: 'smoothness' },
    {
      type: 'contact',
      bone: 'box',
      points: [
        [0.1, 0, 0.1],
        [0.1, 0, -0.1],
        [-0.1, 0, 0],
      ],
      over: [0, 0.5],
    },
  ],
};

/** A human who nods and lifts an arm, held by its hips. */
const turn = [
  { type: 'pose', at: 0, pose: 'rest' },
  { type: 'pose', at: 0.5, pose: { bones: { head: [0.2, 0, 0], leftLowerArm: [0.4] } } },
  { type: 'effort' },
];

async function reported(name: string, scene: object): Promise<string> {
  const path = join(folder, `${name}.json`);
  writeFileSync(path, JSON.stringify(scene));
  const report = join(folder, `${name}.html`);
  const { status, err } = await poise('optimize', path, '--report', report);
  if (status > 1) throw new Error(err);
  return report;
}

describe('the file', () => {
  test('is self-contained and deterministic', async () => {
    const path = await reported('move', blockScene());
    const text = readFileSync(path, 'utf8');
    expect(text).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(text).not.toMatch(/https?:|\ssrc=|\shref=|url\(|@import/);
    expect(text).not.toMatch(/NaN|Infinity|undefined/);
    await reported('move', blockScene());
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  test('lists what is off between keys only beyond its tolerance', async () => {
    const limited = blockScene({ duration: { min: 0.3, max: 6, start: 1 } }, [
      { type: 'torque-limit', limit: 7 },
      { type: 'duration', weight: 100 },
    ]);
    expect(readFileSync(await reported('limited', limited), 'utf8')).not.toContain('Between keys');
  });

  test('lists violated constraints', async () => {
    const torn = blockScene({}, [{ type: 'pose', name: 'elsewhere', at: 1, pose: [2] }]);
    const text = readFileSync(await reported('torn', torn), 'utf8');
    expect(text).toContain('Violated constraints');
    expect(text).toMatch(/<li><b>elsewhere<\/b> is off by 5\.0e-1 rad or m at 1 s<\/li>/);
  });
});

type Browser = Awaited<ReturnType<typeof launchChromium>>;
type Page = Awaited<ReturnType<Browser['newPage']>>;

const shoot = screenshots('report');

describeWithChromium('in a browser', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  async function opened(path: string, shot: string): Promise<{ page: Page; trouble: string[] }> {
    const page = await openPage(browser, { viewport: { width: 1160, height: 900 } });
    const trouble: string[] = [];
    page.on('console', (message) => trouble.push(message.text()));
    page.on('pageerror', (error) => trouble.push(String(error)));
    const address = pathToFileURL(path).href;
    page.on('request', (request) => {
      if (request.url() !== address) trouble.push(request.url());
    });
    await page.goto(address);
    await shoot(page, shot, { fullPage: true });
    return { page, trouble };
  }

  test('escapes names, has plots, a strip and a table, and loads nothing', async () => {
    const { page, trouble } = await opened(await reported('arm', arm), 'arm.png');
    expect(trouble).toEqual([]);
    expect(await page.evaluate('window.stolen')).toBeUndefined();
    expect(await page.locator('h1').innerText()).toBe(`swing ${EVIL} (arm ${EVIL})`.replace(/\s+/g, ' '));
    expect(await page.locator('.verdict').innerText()).toContain('converged');
    expect(await page.locator('tbody tr').count()).toBe(arm.terms.length);
    expect(await page.locator('tbody tr').first().innerText()).toContain(EVIL);
    // Eleven moments of two bars, and the times below.
    const strip = page.locator('svg.strip').first();
    expect(await strip.locator('path.stick').count()).toBe(11);
    expect(await strip.locator('text').allInnerTexts()).toHaveLength(11);
    expect((await strip.boundingBox())?.width).toBeGreaterThan(300);
    // Cost, violation, and two joints; the bound of one of them as two lines.
    const charts = page.locator('.chart');
    expect(await charts.count()).toBe(4);
    const fore = charts.filter({ hasText: 'fore' });
    expect(await fore.locator('figcaption').innerText()).toMatch(/fore: up to [\d.]+ N m, \d+ % of 9/);
    for (const curve of await page.locator('path.curve').all()) {
      expect(await curve.getAttribute('d')).toMatch(/^M[\d.-]+ [\d.-]+(L[\d.-]+ [\d.-]+)+$/);
    }
  });

  test('plays, turns by keys, has a head, and folds away the joints with the least load', async () => {
    const { page, trouble } = await opened(
      await reported('turn', { ...resting, figure: { type: 'human' }, terms: turn }),
      'turn.png',
    );
    expect(trouble).toEqual([]);
    const clock = page.locator('output');
    const before = await clock.textContent();
    await page.waitForFunction((text) => document.querySelector('output')?.textContent !== text, before);
    expect(await page.locator('button').textContent()).toBe('pause');
    expect(await page.locator('svg.strip').first().locator('circle.head').count()).toBe(11);
    const [seen, all] = [page.locator('section > .charts > .chart'), page.locator('.chart')];
    expect(await seen.filter({ hasText: 'N m' }).count()).toBe(6);
    expect(await all.filter({ hasText: 'N m' }).count()).toBeGreaterThan(10);
  });

  test('shows the contact force: the weight, at all times', async () => {
    const { page, trouble } = await opened(await reported('resting', resting), 'resting.png');
    expect(trouble).toEqual([]);
    const contact = page.locator('.chart').filter({ hasText: 'box' });
    expect(await contact.count()).toBe(1);
    expect(await page.locator('path.floor').count()).toBe(2);
    expect(await page.locator('path.force').count()).toBeGreaterThan(11);
    // The curve of the normal force is horizontal, at 9.81 N on the axis.
    const heights = await contact.evaluate((figure) => {
      const ticks = [...figure.querySelectorAll('text.tick')].filter(
        (text) => text.getAttribute('text-anchor') === 'end' && text.getAttribute('dy') !== null,
      );
      const of = (text: Element): [number, number] => [
        Number(text.textContent),
        Number(text.getAttribute('y')),
      ];
      const [[v0, y0], [v1, y1]] = [of(ticks[0]), of(ticks[ticks.length - 1])];
      const path = figure.querySelector('path.curve')?.getAttribute('d') ?? '';
      return [...path.matchAll(/[ML][\d.-]+ ([\d.-]+)/g)].map(
        ([, y]) => v0 + ((v1 - v0) * (Number(y) - y0)) / (y1 - y0),
      );
    });
    expect(heights.length).toBe(241);
    for (const force of heights) expect(Math.abs(force - 9.81)).toBeLessThan(0.05);
  });
});
