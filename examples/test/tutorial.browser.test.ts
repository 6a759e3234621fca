import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeWithChromium, frames, launchChromium, openPage } from '@poise/test-support/chromium';
import { screenshots } from '@poise/test-support/screenshots';
import { build, defaultClientConditions, type PreviewServer, preview } from 'vite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addRootBone, makeCharacter } from '../make-character.js';

type Browser = Awaited<ReturnType<typeof launchChromium>>;
type Page = Awaited<ReturnType<Browser['newPage']>>;

const repository = fileURLToPath(new URL('../../', import.meta.url));
const root = join(repository, '.cache/tutorial');
const shoot = screenshots('tutorial');
const tutorial = readFileSync(join(repository, 'docs/tutorial.md'), 'utf8');

/** The blocks of a language, in order. */
const blocks = (language: string): string[] =>
  [...tutorial.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    ([, code]) => code,
  );

const [html] = blocks('html');
const steps = blocks('js');
const [app] = blocks('jsx');
/** Where the component has all that the test measures. */
const SET_UP = 'parts.current = [planter, solver];';
/** The test's own start of the component. */
const MAIN = `import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import App from './App.jsx';
createRoot(document.body.appendChild(document.createElement('div'))).render(<StrictMode><App /></StrictMode>);`;
/** The test's own: gives it the objects of a step to measure. */
const SHOWN = [
  '',
  'window.page = { THREE, character };',
  'Object.assign(window.page, { height });',
  'Object.assign(window.page, { mouse, solver });',
  'Object.assign(window.page, { ball });',
];

describeWithChromium('the tutorial', () => {
  let server: PreviewServer;
  let browser: Browser;
  let address: string;
  const complaints: string[] = [];

  beforeAll(async () => {
    rmSync(root, { recursive: true, force: true });
    // A bone above the hips: locked hips alone would let the solver slide the whole body.
    const character = await makeCharacter(addRootBone);
    const write = (path: string, content: string | Uint8Array): void => {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
    };
    steps.forEach((_, k) => {
      write(`step-${k + 1}/main.js`, [...steps.slice(0, k + 1), ...SHOWN.slice(0, k + 2)].join('\n'));
      write(`step-${k + 1}/index.html`, html);
    });
    write(
      'react/App.jsx',
      app.replace(SET_UP, `${SET_UP}\nwindow.page = { character: scene, solver, ball, Vector3 };`),
    );
    write('react/main.jsx', MAIN);
    write('react/index.html', html.replace('main.js', 'main.jsx'));
    const pages = [...steps.map((_, k) => `step-${k + 1}`), 'react'];
    for (const page of pages) write(`public/${page}/character.glb`, character);
    await build({
      root,
      configFile: false,
      logLevel: 'error',
      resolve: { conditions: ['poise-source', ...defaultClientConditions] },
      build: { minify: false, rollupOptions: { input: pages.map((page) => join(root, page, 'index.html')) } },
    });
    server = await preview({
      root,
      configFile: false,
      logLevel: 'error',
      preview: { host: '127.0.0.1', port: 0 },
    });
    const found = server.httpServer.address();
    if (typeof found !== 'object' || found === null) throw new Error('the server has no port');
    address = `http://127.0.0.1:${found.port}`;
    browser = await launchChromium();
  });

  afterAll(async () => {
    await browser?.close();
    await server?.close();
    rmSync(root, { recursive: true, force: true });
  });

  async function open(folder: string): Promise<Page> {
    const page = await openPage(browser, { viewport: { width: 640, height: 480 } });
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.route('**/favicon.ico', (route) => route.fulfill({ status: 204 }));
    await page.goto(`${address}/${folder}/index.html`);
    await page.waitForFunction('window.page');
    await frames(page, 20);
    return page;
  }

  /** Heights of the ankles over the ground. */
  const clearancesOf = (page: Page): Promise<number[]> =>
    page.evaluate(`['left', 'right'].map((side) => {
      const { THREE, character, height } = window.page;
      const { x, y, z } = character.getObjectByName(side + 'Foot').getWorldPosition(new THREE.Vector3());
      return y - height(x, z);
    })`);

  it('has four steps, in some forty lines of your own', () => {
    expect(steps).toHaveLength(4);
    const lines = steps
      .join('')
      .split('\n')
      .filter((line) => line.trim() !== '' && !line.startsWith('import'));
    expect(lines.length).toBeLessThan(55);
  });

  it('1: shows the character', async () => {
    const page = await open('step-1');
    await shoot(page, 'step-1.png');
    expect(await page.evaluate('window.page.character.getObjectByName("head").position.length() > 0')).toBe(
      true,
    );
    await page.close();
  });

  it('2: the feet stand on the bumps', async () => {
    const page = await open('step-2');
    await shoot(page, 'step-2.png');
    // Ankles of this character are 7 cm above its soles.
    for (const clearance of await clearancesOf(page)) expect(Math.abs(clearance - 0.07)).toBeLessThan(0.03);
    await page.close();
  });

  it('3: the head looks at the mouse', async () => {
    const page = await open('step-3');
    for (const [x, y] of [
      [420, 160],
      [230, 200],
    ]) {
      await page.mouse.move(x, y);
      await frames(page, 5);
      const angle = await page.evaluate(`(() => {
        const { THREE, character, mouse } = window.page;
        const head = character.getObjectByName('head');
        const origin = head.getWorldPosition(new THREE.Vector3());
        // The bones of this character are parallel to the world at rest: ahead is +Z.
        const ahead = new THREE.Vector3(0, 0, 1).applyQuaternion(head.getWorldQuaternion(new THREE.Quaternion()));
        return ahead.angleTo(mouse.clone().sub(origin));
      })()`);
      expect(angle).toBeLessThan(0.001);
    }
    await shoot(page, 'step-3.png');
    await page.close();
  });

  it('4: the hand is at the ball, frame after frame', async () => {
    const page = await open('step-4');
    for (let n = 0; n < 5; n++) {
      const [distance, status] = (await page.evaluate(`(() => {
        const { THREE, character, ball, solver } = window.page;
        const hand = character.getObjectByName('rightHand').getWorldPosition(new THREE.Vector3());
        return [hand.distanceTo(ball.position), solver.result.status];
      })()`)) as [number, string];
      expect([status, distance < 0.001]).toEqual(['converged', true]);
      await frames(page, 5);
    }
    for (const clearance of await clearancesOf(page)) expect(Math.abs(clearance - 0.07)).toBeLessThan(0.03);
    await shoot(page, 'step-4.png');
    await page.close();
  });

  it('in react-three-fiber: the hand is at the ball, in strict mode too', async () => {
    expect(app).toContain(SET_UP);
    const page = await open('react');
    await page.waitForFunction('window.page.solver.result !== undefined');
    const [distance, status] = (await page.evaluate(`(() => {
      const { character, ball, solver, Vector3 } = window.page;
      const hand = character.getObjectByName('rightHand').getWorldPosition(new Vector3());
      return [hand.distanceTo(ball.current.position), solver.result.status];
    })()`)) as [number, string];
    expect([status, distance < 0.001]).toEqual(['converged', true]);
    await shoot(page, 'react.png');
    await page.close();
    expect(complaints).toEqual([]);
  });
});
