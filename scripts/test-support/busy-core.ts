import { existsSync } from 'node:fs';

// Loaded into every unit test file: while the file is there that POISE_BUSY_CORE names, another step uses one core, and the
// second worker leaves it that core. Its first test file waits; the other workers take those that follow.
const busy = process.env.POISE_BUSY_CORE;
if (busy && process.env.VITEST_POOL_ID === '2') {
  while (existsSync(busy)) await new Promise((resolve) => setTimeout(resolve, 200));
}
