// Before `npm start` and `npm test`: installs the dependencies when they are missing or do not match
// package-lock.json, else does nothing. Uses Node's own modules only. Prints one line.
import { spawnSync } from 'node:child_process';
import { root } from './lib/house.mjs';
import { whyInstall } from './lib/install-state.mjs';

const reason = whyInstall(root);
if (reason === undefined) {
  console.log('setup: dependencies match package-lock.json');
} else {
  console.log(`setup: ${reason}: npm ci (a minute or two)`);
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const { status, error } = spawnSync(npm, ['ci', '--no-fund', '--no-audit', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (status !== 0) {
    console.error(`setup: npm ci failed${error ? ` (${error.message})` : ''}. Run it by hand to see why.`);
    process.exit(status ?? 1);
  }
}
