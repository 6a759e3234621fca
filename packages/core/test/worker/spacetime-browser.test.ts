import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describeWithChromium, launchChromium, openPage } from '@poise/test-support/chromium';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Bundle, bundle } from './support.js';

type Browser = Awaited<ReturnType<typeof launchChromium>>;

/** The whole script of a worker in a browser. */
const BROWSER_WORKER = `
  import { serveSpacetime } from 'poise/worker';
  serveSpacetime(self);
`;

/** The page: a wave of the arm, solved here and there. */
const PAGE = `
  import { createHumanFigure } from 'poise/humanoid';
  import { findFootPoints } from 'poise/dynamics';
import { createSpacetimeProblem, motionFromSolution, solveSpacetime } from 'poise/spacetime';
  import { connectSpacetime } from 'poise/worker';

  const figure = createHumanFigure();
  const data = {
    duration: 1,
    intervals: 8,
    locked: ['hips', 'leftUpperLeg', 'rightUpperLeg'],
    terms: [
      { type: 'pose', at: 0 },
      { type: 'goal', at: 1, goal: { type: 'position', bone: 'leftHand', target: [0.3, 1.4, 0.4] } },
      { type: 'smoothness' },
    ],
  };
  /** Many seconds of work: it stands by its own forces. */
  const longest = {
    duration: 2,
    terms: [
      ...data.terms,
      ...['leftFoot', 'rightFoot'].map(
        (bone) => ({ type: 'contact', bone, points: findFootPoints(figure, bone), over: [0, 2] }),
      ),
      { type: 'physics' },
      { type: 'effort', weight: 1e-3 },
    ],
  };
  const plain = ({ trajectory, ...rest }) => rest;

  globalThis.bits = async () => {
    const remote = await connectSpacetime(new Worker('/worker.mjs', { type: 'module' }));
    const here = solveSpacetime(createSpacetimeProblem(figure, data), { maxIterations: 20 });
    let reported = 0;
    const onProgress = ({ motion }) => { reported += motion.dof === figure.dof ? 1 : 0; };
    const there = await remote.solve(figure, data, { maxIterations: 20, onProgress, progressInterval: 0 }).result;
    const endless = { maxIterations: 1e6, gain: 1e-300, tolerance: 1e-300 };
    const run = remote.solve(figure, longest, { ...endless, onProgress: () => false });
    const { status } = await run.result;
    remote.terminate();
    const lost = await remote.solve(figure, data).result.catch((error) => [error.name, error.code]);
    const text = (solution) => JSON.stringify(solution, (_, value) => ArrayBuffer.isView(value) ? Array.from(value) : value);
    return { same: text({ ...plain(here), motion: motionFromSolution(here) }) === text(there), reported, status, lost };
  };
  globalThis.ready = true;
`;

describeWithChromium('trajectories in a module worker of a browser', () => {
  let server: Server;
  let browser: Browser;
  let scripts: Bundle[] = [];
  let address = '';

  beforeAll(async () => {
    const code = { worker: BROWSER_WORKER, page: PAGE };
    scripts = await Promise.all(Object.entries(code).map(([name, text]) => bundle(name, text)));
    const files = new Map(Object.keys(code).map((name, n) => [`/${name}.mjs`, scripts[n].file]));
    server = createServer(({ url = '' }, response) => {
      const file = files.get(url);
      response.writeHead(200, { 'content-type': file === undefined ? 'text/html' : 'text/javascript' });
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

  it('agree with the page bit for bit; progress, interrupts and lost workers are reported', async () => {
    const page = await openPage(browser);
    await page.goto(address);
    await page.waitForFunction('globalThis.ready');
    const { same, reported, status, lost } = (await page.evaluate('bits()')) as {
      same: boolean;
      reported: number;
      status: string;
      lost: string[];
    };
    expect(same).toBe(true);
    expect(reported).toBeGreaterThan(0);
    expect(status).toBe('interrupted');
    expect(lost).toEqual(['WorkerError', 'worker-lost']);
  });
});
