import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

type Page = Parameters<ReturnType<typeof import('../test-support/screenshots.js').screenshots>>[0];

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'poise-support-'));
  vi.resetModules();
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

describe('sharedData', () => {
  test('finds what is there, at the folder POISE_DATA names', async () => {
    vi.stubEnv('POISE_DATA', folder);
    vi.stubEnv('POISE_NO_SKIP', '1');
    mkdirSync(join(folder, 'gltf'));
    const { sharedData } = await import('../test-support/shared-data.js');
    expect(sharedData('gltf')).toBe(join(folder, 'gltf'));
  });

  test('the folder is ../shared/data unless POISE_DATA says otherwise', async () => {
    vi.stubEnv('POISE_DATA', undefined);
    const { sharedDataFolder } = await import('../test-support/shared-data.js');
    expect(sharedDataFolder).toBe(join(import.meta.dirname, '../../../shared/data'));
  });

  test('gives undefined for what is missing, and an error with the remedy where nothing may be skipped', async () => {
    vi.stubEnv('POISE_DATA', folder);
    vi.stubEnv('POISE_NO_SKIP', '');
    expect((await import('../test-support/shared-data.js')).sharedData('rig.glb')).toBeUndefined();
    vi.resetModules();
    vi.stubEnv('POISE_NO_SKIP', '1');
    const { sharedData } = await import('../test-support/shared-data.js');
    expect(() => sharedData('rig.glb')).toThrow(/rig\.glb is missing.*POISE_DATA/);
  });
});

describe('findChromium', () => {
  const find = async (environment: NodeJS.ProcessEnv, paths?: readonly string[]) =>
    (await import('../test-support/chromium.js')).findChromium(environment, paths);

  test('without a browser gives the reason, and an error in CI and where nothing may be skipped', async () => {
    vi.stubEnv('POISE_NO_SKIP', '0');
    expect(await find({ PATH: folder }, [])).toEqual({
      available: false,
      reason: expect.stringContaining('apt-get install chromium'),
    });
    await expect(find({ PATH: folder, CI: 'true' }, [])).rejects.toThrow('apt-get install chromium');
    vi.resetModules();
    vi.stubEnv('POISE_NO_SKIP', '1');
    await expect(find({ PATH: folder }, [])).rejects.toThrow('apt-get install chromium');
  });

  test('CHROMIUM_PATH comes first, and must be executable', async () => {
    const path = join(folder, 'my-browser');
    writeFileSync(path, '');
    await expect(find({ CHROMIUM_PATH: path })).rejects.toThrow(`CHROMIUM_PATH=${path}`);
    chmodSync(path, 0o755);
    expect(await find({ CHROMIUM_PATH: path })).toEqual({ available: true, path });
  });

  test('takes a browser from PATH', async () => {
    const path = join(folder, 'google-chrome');
    writeFileSync(path, '');
    chmodSync(path, 0o755);
    expect(await find({ PATH: folder })).toEqual({ available: true, path });
  });
});

describe('findRedis', () => {
  test('without a server gives nothing, and an error in CI', async () => {
    vi.stubEnv('POISE_NO_SKIP', '0');
    const { findRedis } = await import('../test-support/redis.js');
    const path = join(folder, 'redis-server');
    expect(findRedis({ PATH: folder })).toBeUndefined();
    expect(() => findRedis({ PATH: folder, CI: 'true' })).toThrow('apt-get install redis-server');
    writeFileSync(path, '', { mode: 0o755 });
    expect(findRedis({ PATH: folder })).toBe(path);
  });
});

describe('screenshots', () => {
  const taken: unknown[] = [];
  const page = { screenshot: async (options: unknown) => taken.push(options) } as unknown as Page;

  test('are taken where POISE_SHOTS names a folder, and nowhere else', async () => {
    const { screenshots } = await import('../test-support/screenshots.js');
    vi.stubEnv('POISE_SHOTS', undefined);
    await screenshots('studio')(page, 'desktop.png');
    expect(taken).toEqual([]);
    vi.stubEnv('POISE_SHOTS', folder);
    await screenshots('studio')(page, 'desktop.png', { fullPage: true });
    expect(taken).toEqual([{ path: join(folder, 'studio/desktop.png'), fullPage: true }]);
  });
});

describe('lists of numbers', () => {
  const numbers = [0.1, Number.NaN, 3];

  test.each([
    [[...numbers], [...numbers], true],
    [Float64Array.from(numbers), Float64Array.from(numbers), true],
    [Float64Array.from(numbers), Float32Array.from(numbers), false],
    [Float64Array.from(numbers), numbers, false],
    [[0.1, 0, 3], [0.1, -0, 3], false],
    [numbers, [0.1, Number.NaN], false],
    [{ values: numbers }, { values: [0.1, Number.NaN, 3 + 1e-15] }, false],
    [[0.1, undefined], [0.1, undefined], true],
    [[1, new Date(0)], [1, new Date(1)], false],
  ])('%j equals %j: %s', (a, b, isEqual) => {
    (isEqual ? expect(a) : expect(a).not).toEqual(b);
  });
});
