/** A hundred jobs over Redis while a worker and Redis are ended; `npm run chaos` does it with ten thousand, and with threads and shards. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildPackages, stalePackages } from '../lib/build.mjs';
import { isFaultless, runChaos } from '../lib/chaos.mjs';
import { describeWithRedis, startRedis } from '../test-support/redis.js';

const folder = mkdtempSync(join(tmpdir(), 'poise-chaos-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeAll(async () => {
  // A stale build would test yesterday's command.
  if (!(await buildPackages(stalePackages(['core', 'formats', 'cli'])))) throw new Error('the build failed');
});

describeWithRedis('a batch over a queue', () => {
  test('comes to its end, to the bit, though a worker is killed and Redis with it', async () => {
    const outcomes = await runChaos({
      ...{ jobs: 100, seed: 1, folder, modes: ['queue'], killEvery: [0.1, 0.3], mostKills: 1, lease: 2 },
      redisFaults: [{ at: 0.3, signal: 'SIGKILL' }],
      startRedis,
      log: () => {},
    });
    expect(outcomes[1]).toMatchObject({
      outputs: 98,
      missing: 0,
      extra: 0,
      different: 0,
      failed: 2,
      status: 42,
    });
    expect(outcomes[1]).toMatchObject({ kills: 1, redisKills: 1 });
    expect(isFaultless(outcomes)).toBe(true);
  });
});
