import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeWithChromium, launchChromium } from '@poise/test-support/chromium';
import { build, defaultClientConditions, type PreviewServer, preview } from 'vite';
import { afterAll, beforeAll, expect, it } from 'vitest';

type Browser = Awaited<ReturnType<typeof launchChromium>>;

const repository = fileURLToPath(new URL('../../', import.meta.url));
const root = join(repository, '.cache/recipes/workers');

/** The code of a program of docs/recipes.md. */
function program(name: string): string {
  const page = readFileSync(join(repository, 'docs/recipes.md'), 'utf8');
  const [, code] = page.split(`\`\`\`ts recipe ${name}\n`);
  return code.slice(0, code.indexOf('```'));
}

describeWithChromium('the recipe of a worker in Vite', () => {
  let server: PreviewServer;
  let browser: Browser;

  beforeAll(async () => {
    rmSync(root, { recursive: true, force: true });
    mkdirSync(root, { recursive: true });
    for (const name of ['main.js', 'ik-worker.js'])
      writeFileSync(join(root, name), program(`workers/${name}`));
    writeFileSync(join(root, 'index.html'), '<body><script type="module" src="main.js"></script></body>');
    const resolve = { conditions: ['poise-source', ...defaultClientConditions] };
    await build({ root, configFile: false, logLevel: 'error', resolve });
    server = await preview({
      root,
      configFile: false,
      logLevel: 'error',
      preview: { host: '127.0.0.1', port: 0 },
    });
    browser = await launchChromium();
  });

  afterAll(async () => {
    await browser?.close();
    await server?.close();
    rmSync(root, { recursive: true, force: true });
  });

  it('builds, and solves in its worker as the pointer moves', async () => {
    const page = await browser.newPage({ viewport: { width: 400, height: 400 } });
    const address = server.httpServer.address();
    if (typeof address !== 'object' || address === null) throw new Error('the server has no port');
    await page.goto(`http://127.0.0.1:${address.port}/`);
    await page.getByText('Move the pointer.').waitFor();
    await page.mouse.move(100, 120);
    await page.mouse.move(120, 160);
    await page.getByText('converged, hand at 0.30, 1.20').waitFor();
    expect(page.workers()).toHaveLength(1);
  });
});
