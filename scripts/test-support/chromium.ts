import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { describe } from 'vitest';
import { noSkip } from './shared-data.js';

/** Names under which distributions install Chromium or Chrome, tried in this order on PATH. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];

/** Places outside PATH. */
const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/**
 * A test drives a page and reads its numbers, and drawing it in software is most of the time that takes: it is drawn with few
 * pixels for each of the page and axis, and seldom. Pictures to look at have all pixels and frames.
 */
const isLookedAt = Boolean(process.env.POISE_SHOTS);
const deviceScaleFactor = isLookedAt ? 1 : 0.25;

/** After which what a test waits for will not come, ms: less than the 300 s that a test may take, so that it says what did not. */
const HANGS = 240_000;

/** Of the frames of a page, WebGL draws the first and then at most one in this time, ms. */
export const BETWEEN_DRAWN = isLookedAt ? 0 : 1000;

/**
 * Features of the browser that no test needs. Two pages of suggestions below its address bar, for each window, took a third of
 * the time to open a page. The list replaces that of playwright, whose entries about pages and servers of others it contains.
 */
const DISABLED_FEATURES = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
];

/** What is missing and how to get it, for messages. */
export const CHROMIUM_HINT =
  'no Chromium (apt-get install chromium, brew install --cask chromium, or set CHROMIUM_PATH to one)';

/** Where the browser is, or why there is none. */
export type ChromiumAvailability =
  | { readonly available: true; readonly path: string }
  | { readonly available: false; readonly reason: string };

/**
 * The system's Chromium: `CHROMIUM_PATH` when set, else the first one on PATH or in a usual place.
 *
 * @throws Error when there is none in CI or with `POISE_NO_SKIP=1`, or when `CHROMIUM_PATH` names no executable.
 */
export function findChromium(
  environment: NodeJS.ProcessEnv = process.env,
  paths: readonly string[] = PLACES,
): ChromiumAvailability {
  const wanted = environment.CHROMIUM_PATH;
  if (wanted) {
    if (isExecutable(wanted)) return { available: true, path: wanted };
    throw new Error(`CHROMIUM_PATH=${wanted} is not an executable file.`);
  }
  const folders = (environment.PATH ?? '').split(delimiter).filter(Boolean);
  const candidates = [...folders.flatMap((folder) => NAMES.map((name) => join(folder, name))), ...paths];
  const path = candidates.find(isExecutable);
  if (path) return { available: true, path };
  if (noSkip || environment.CI === 'true')
    throw new Error(`Nothing may be skipped here, but: ${CHROMIUM_HINT}`);
  return { available: false, reason: CHROMIUM_HINT };
}

/** A `describe` block that starts browsers: skipped as a whole, with the reason in its title, where there is none. */
export function describeWithChromium(title: string, body: () => void): void {
  const found = findChromium();
  if (found.available) describe(title, body);
  else describe.skip(`${title} (skipped: ${found.reason})`, body);
}

/**
 * Starts the system's Chromium without a display, with WebGL drawn in software.
 *
 * @throws Error when there is no browser.
 */
export async function launchChromium(extraFlags: readonly string[] = []): Promise<Browser> {
  const found = findChromium();
  if (!found.available) throw new Error(found.reason);
  return chromium.launch({
    executablePath: found.path,
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-dev-shm-usage',
      // Without a GPU, WebGL needs SwiftShader, which newer Chromium refuses to fall back to by itself.
      '--use-angle=swiftshader',
      '--enable-unsafe-swiftshader',
      // Smooth edges are a third of the work of drawing in software, and nothing looks at them.
      '--webgl-antialiasing-mode=none',
      `--disable-features=${DISABLED_FEATURES}`,
      ...extraFlags,
    ],
  });
}

/**
 * Opens a page in a context of its own that is drawn in software in little time: with few pixels, and seldom. All else it does
 * in each frame. What is drawn outside of frames, a picture to save, is drawn always.
 */
export async function openPage(browser: Browser, settings: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ deviceScaleFactor, ...settings });
  context.setDefaultTimeout(HANGS);
  if (!isLookedAt) await context.addInitScript(drawSeldom, BETWEEN_DRAWN);
  return context.newPage();
}

/**
 * From now on each frame of the page is drawn, or seldom again: for a test that takes pictures of it. What came last may not
 * have been drawn: a page that draws on demand has to be asked for a frame. A page that is loaded draws seldom.
 */
export async function drawEachFrame(page: Page, isWanted = true): Promise<void> {
  await page.evaluate((value) => {
    (globalThis as { drawsEachFrame?: boolean }).drawsEachFrame = value;
  }, isWanted);
}

/** Waits until the page has had some frames, however slow the machine is. */
export async function frames(page: Page, count: number): Promise<void> {
  await page.evaluate(async (left) => {
    for (let frame = 0; frame < left; frame++) await new Promise(requestAnimationFrame);
  }, count);
}

/** Each page that is loaded from now on draws each frame, from the first: for a test that measures one. */
export async function drawFromStart(page: Page): Promise<void> {
  await page.addInitScript(() => {
    (globalThis as { drawsEachFrame?: boolean }).drawsEachFrame = true;
  });
}

/** Runs in the page, before its own scripts. */
function drawSeldom(between: number): void {
  let lastDrawn = Number.NEGATIVE_INFINITY;
  let isLeftOut = false;
  const request = requestAnimationFrame;
  globalThis.requestAnimationFrame = (callback) =>
    request((time) => {
      // Callbacks of one frame have one time.
      if (time - lastDrawn >= between || (globalThis as { drawsEachFrame?: boolean }).drawsEachFrame)
        lastDrawn = time;
      isLeftOut = time !== lastDrawn;
      try {
        callback(time);
      } finally {
        isLeftOut = false;
      }
    });
  const context = WebGL2RenderingContext.prototype;
  for (const name of [
    'clear',
    'drawArrays',
    'drawArraysInstanced',
    'drawElements',
    'drawElementsInstanced',
  ] as const) {
    const draw = context[name] as (...values: unknown[]) => void;
    context[name] = function (this: WebGL2RenderingContext, ...values: unknown[]) {
      if (!isLeftOut) draw.apply(this, values);
    };
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
