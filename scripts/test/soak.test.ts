import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../lib/house.mjs';

test.each([[['--part', 'feet']], [['--seed', '../1']], [['--only', 'ik/7']]])(
  'npm run soak -- %j says how it is used',
  (args) => {
    const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts/soak.mjs'), ...args], {
      encoding: 'utf8',
    });
    expect(stderr).toContain('usage: npm run soak -- [--part readers|ik|dynamics|spacetime]');
    expect(status).toBe(2);
  },
);
