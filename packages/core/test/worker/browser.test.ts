import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describeWithChromium, launchChromium, openPage } from '@poise/test-support/chromium';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Bundle, bundle } from './support.js';

type Browser = Awaited<ReturnType<typeof launchChromium>>;

/** The whole script of a worker in a browser. */
const BROWSER_WORKER = `
  import { serveIk } from 'poise/worker';
  serveIk(self);
`;

/** One that has something to wait for first: by then, a browser has dropped what the page has said. */
const LATE_WORKER = `
  import { serveIk } from 'poise/worker';
  await new Promise((resolve) => setTimeout(resolve, 300));
  serveIk(self);
`;

/** The page: solves here and there, and says what it saw. */
const PAGE = `
  import { createFigure, figureToData } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
  import { createIk, solveIk } from 'poise/ik';
  import { connectIk, solveMany } from 'poise/worker';
  import { randomPose, testRandom } from '${new URL('../support/random-figure.ts', import.meta.url).pathname}';
  import { randomProblem } from '${new URL('./problems.ts', import.meta.url).pathname}';

  const same = (a, b) => a.length === b.length && new BigInt64Array(a.slice().buffer).every((x, k) => x === new BigInt64Array(b.slice().buffer)[k]);
  const start = () => new Worker('/worker.mjs', { type: 'module' });

  globalThis.bits = async (count) => {
    const worker = start();
    const remote = await connectIk(worker);
    const random = testRandom(7);
    let equal = 0;
    for (let n = 0; n < count; n++) {
      const { figure, goals, start: pose } = randomProblem(random);
      const options = { restarts: 3, maxIterations: 60 };
      const here = pose.slice();
      const expected = solveIk(createIk(figure, goals, options), here);
      const ik = await remote.createIk(figure, goals, options);
      const answer = await ik.solve(pose);
      const detached = pose.length === 0;
      if (detached && same(answer.pose, here) && JSON.stringify(answer.result) === JSON.stringify(expected)) equal++;
      await ik.dispose();
    }
    remote.terminate();
    return equal;
  };

  globalThis.many = async () => {
    const hosts = await Promise.all([0, 1].map(() => connectIk(start())));
    const figure = createHumanFigure();
    const target = new Float64Array(3);
    const goals = [{ type: 'position', bone: 'leftHand', target }];
    const random = testRandom(9);
    const starts = Array.from({ length: 40 }, () => randomPose(figure, random, 0.5));
    const settings = { figure, goals, starts, setGoals: (clip) => { target.set([0.3, 1 + 0.01 * clip, 0.4]); } };
    const [one, two] = [await solveMany(hosts.slice(0, 1), settings), await solveMany(hosts, settings)];
    for (const host of hosts) host.terminate();
    return one.length === 40 && one.every(({ poses }, n) => same(poses, two[n].poses));
  };

  globalThis.dies = async () => {
    const broken = new Worker(URL.createObjectURL(new Blob(['throw new Error("no luck")'], { type: 'text/javascript' })), { type: 'module' });
    const failed = await connectIk(broken).catch((error) => [error.name, error.code, error.message]);
    const remote = await connectIk(start());
    const figure = createFigure(figureToData(createHumanFigure()));
    const ik = await remote.createIk(figure, [{ type: 'position', bone: 'leftHand', target: [3, 3, 3] }]);
    const pending = ik.solve(new Float64Array(figure.dof)).catch((error) => error.code);
    remote.terminate();
    return [...failed, await pending];
  };
  globalThis.late = async () => {
    const remote = await connectIk(new Worker('/late.mjs', { type: 'module' }), { timeout: 120 });
    const figure = createHumanFigure();
    const ik = await remote.createIk(figure, [{ type: 'position', bone: 'leftHand', target: [0.3, 1.2, 0.4] }]);
    const { result } = await ik.solve(new Float64Array(figure.dof));
    remote.terminate();
    return result.status;
  };
  globalThis.ready = true;
`;

describeWithChromium('a module worker in a browser', () => {
  let server: Server;
  let browser: Browser;
  let scripts: Bundle[] = [];
  let address = '';

  beforeAll(async () => {
    const code = { worker: BROWSER_WORKER, late: LATE_WORKER, page: PAGE };
    scripts = await Promise.all(Object.entries(code).map(([name, text]) => bundle(name, text)));
    const files = new Map(Object.keys(code).map((name, n) => [`/${name}.mjs`, scripts[n].file]));
    server = createServer(({ url = '' }, response) => {
      const file = files.get(url);
      const type = file === undefined ? 'text/html' : 'text/javascript';
      response.writeHead(200, { 'content-type': type });
      response.end(
        file === undefined ? '<script type="module" src="/page.mjs"></script>' : readFileSync(file),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    browser = await launchChromium();
  });

  afterAll(async () => {
    await browser?.close();
    server?.close();
    for (const script of scripts) script.remove();
  });

  it('agrees with the page bit for bit, on one worker and on several; and reports a lost worker', async () => {
    const page = await openPage(browser);
    await page.goto(address);
    await page.waitForFunction('globalThis.ready');
    expect(await page.evaluate('bits(100)')).toBe(100);
    expect(await page.evaluate('many()')).toBe(true);
    const [name, code, message, pending] = (await page.evaluate('dies()')) as string[];
    expect([name, code]).toEqual(['WorkerError', 'worker-lost']);
    expect(message).toContain('no luck');
    expect(pending).toBe('worker-lost');
  });

  it('serves also from a module with a top-level await', async () => {
    const page = await openPage(browser);
    await page.goto(address);
    await page.waitForFunction('globalThis.ready');
    expect(await page.evaluate('late()')).toBe('converged');
  });
});
