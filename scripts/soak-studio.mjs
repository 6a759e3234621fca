// node scripts/soak-studio.mjs [MINUTES]: uses the studio as it is served for 30 minutes or as many as are given, by pointer and keys, and
// prints after each how many actions that were, and what the page holds when the same is shown: its heap and the buffers outside of it,
// MB, nodes, listeners, documents and frames of the DOM. Every fifth minute it tells what of the heap is compiled code, which grows until
// all that is used often is compiled, and what undo holds: steps, and kB of the heap and outside. Exits 1 where the heap without code has
// grown by more than a tenth since all the studio's parts were used.
import { preview } from 'vite';
import { withSources } from './lib/source-modules.mjs';
import { buildStudio, studio } from './lib/studio.mjs';

/** @typedef {Awaited<ReturnType<typeof import('./test-support/chromium.js').launchChromium>>} Browser */
/** @typedef {Awaited<ReturnType<Browser['newPage']>>} Page */
/** @typedef {Awaited<ReturnType<ReturnType<Page['context']>['newCDPSession']>>} Devtools */

const minutes = Number(process.argv[2] ?? 30);
const MOST_GROWTH = 0.1;
/** Minutes between two heaps that are looked through. */
const PARTS_EVERY = 5;
const HEADS = [
  'minute',
  'actions',
  'heap',
  'code',
  'growth %',
  'steps',
  'undo',
  'outside',
  'buffers',
  'nodes',
  'listeners',
  'documents',
  'frames',
];
/** Time after which nothing that was done goes on, ms. */
const SETTLED = 1000;
const PAGE = { width: 1100, height: 700 };

if (!(minutes >= 3)) {
  console.error('soak: give a number of minutes, 3 at least');
  process.exit(2);
}
/** @param {Page} page @param {string} name */
const press = (page, name) => page.getByRole('button', { name, exact: true }).click();

/** What somebody does, and how often. @type {readonly { share: number, act: (page: Page, random: () => number) => Promise<unknown> }[]} */
const ACTIONS = [
  { share: 0.5, act: drag },
  { share: 0.22, act: (page) => page.keyboard.press('Control+z') },
  { share: 0.08, act: (page) => page.keyboard.press('Control+y') },
  {
    share: 0.05,
    act: async (page) => {
      await press(page, 'Pose');
      await press(page, 'Reset pose');
    },
  },
  {
    share: 0.05,
    act: async (page, random) => {
      await press(page, 'Pose');
      const character = ['human', 'child', 'hand'][Math.floor(3 * random())];
      await page.getByLabel('Character').selectOption(character);
    },
  },
  { share: 0.05, act: fall },
  {
    share: 0.05,
    act: async (page) => {
      await press(page, 'Animate');
      await page.keyboard.press(' ');
      await page.waitForTimeout(500);
    },
  },
];

/** The action at a share of all, 0 to 1. @param {number} share */
function drawn(share) {
  let sum = 0;
  for (const action of ACTIONS) {
    sum += action.share;
    if (share < sum) return action;
  }
  return ACTIONS[0];
}

/** @param {Page} page @param {() => number} random */
async function drag(page, random) {
  await press(page, 'Pose');
  const handles = page.locator('[data-handle]');
  await handles.first().waitFor();
  const box = await handles.nth(Math.floor(random() * (await handles.count()))).boundingBox();
  if (box === null) return;
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 240 * (random() - 0.5), y + 240 * (random() - 0.5), { steps: 12 });
  if (random() < 0.2) await page.keyboard.press('Escape');
  await page.mouse.up();
}

/** @param {Page} page */
async function fall(page) {
  await press(page, 'Let it fall');
  const button = page.locator('button.drop');
  await button.waitFor();
  if (await button.isDisabled()) return;
  await button.click();
  await page.waitForTimeout(1500);
  await button.click();
}

/** @param {Page} page */
async function soak(page) {
  /** @type {string[]} */
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(server.resolvedUrls?.local[0] ?? '');
  await page.locator('[data-handle=leftHand]').waitFor();
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable');
  const random = generator(1997);
  /** @type {number | undefined} */
  let first;
  const measure = async (/** @type {number} */ minute, /** @type {number} */ actions) => {
    await showTheSame(page);
    await devtools.send('HeapProfiler.collectGarbage');
    const { metrics } = await devtools.send('Performance.getMetrics');
    const of = (/** @type {string} */ name) => metrics.find((each) => each.name === name)?.value ?? 0;
    const { backingStorageSize = 0 } = await devtools.send('Runtime.getHeapUsage');
    const heap = of('JSHeapUsedSize');
    const parts = minute % PARTS_EVERY === 0 || minute === minutes ? await partsOf(devtools) : undefined;
    if (parts !== undefined) first ??= heap - parts.code;
    const growth = parts === undefined || first === undefined ? undefined : (heap - parts.code) / first - 1;
    const megabytes = (/** @type {number | undefined} */ size) =>
      size === undefined ? '' : (size / 1e6).toFixed(2);
    const row = [
      minute,
      actions,
      megabytes(heap),
      megabytes(parts?.code),
      growth === undefined ? '' : (100 * growth).toFixed(1),
      parts?.steps ?? '',
      ...[parts?.undo, parts?.outside].map((size) => (size === undefined ? '' : (size / 1e3).toFixed(0))),
      megabytes(backingStorageSize),
      ...['Nodes', 'JSEventListeners', 'Documents', 'Frames'].map(of),
    ];
    console.log(row.map((each) => String(each).padStart(9)).join(' '));
    return growth;
  };
  console.log(HEADS.map((each) => each.padStart(9)).join(' '));
  for (const { act } of ACTIONS) for (let n = 0; n < 3; n++) await act(page, random);
  let growth = await measure(0, 3 * ACTIONS.length);
  for (let minute = 1; minute <= minutes; minute++) {
    let actions = 0;
    for (const end = Date.now() + 60_000; Date.now() < end; actions++) {
      await drawn(random()).act(page, random);
    }
    growth = await measure(minute, actions);
  }
  for (const complaint of complaints) console.log(complaint);
  if (growth === undefined) throw new Error('nothing was measured');
  console.log(`soak: ${minutes} minutes, heap without code ${(100 * growth).toFixed(1)} % up`);
  return growth > MOST_GROWTH || complaints.length > 0;
}

/** What is shown is held too: what is selected, the limits that were drawn, the last character. @param {Page} page */
async function showTheSame(page) {
  await press(page, 'Pose');
  for (const name of ['child', 'human']) {
    await page.getByLabel('Character').selectOption(name);
    await page.waitForTimeout(SETTLED);
  }
  await page.getByRole('combobox', { name: 'Joint', exact: true }).selectOption('');
  await press(page, 'Reset pose');
  await page.waitForTimeout(SETTLED);
}

/**
 * What of the heap is compiled code with what the engine keeps for it, B: the shapes of objects that code is compiled for, and lists
 * of the code that depends on them; and what only undo holds.
 * @param {Devtools} devtools
 */
async function partsOf(devtools) {
  /** @type {string[]} */
  const chunks = [];
  const add = (/** @type {{ chunk: string }} */ { chunk }) => chunks.push(chunk);
  devtools.on('HeapProfiler.addHeapSnapshotChunk', add);
  await devtools.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  devtools.off('HeapProfiler.addHeapSnapshotChunk', add);
  const { snapshot, nodes, edges, strings } = JSON.parse(chunks.join(''));
  const { node_fields, node_types, edge_fields, edge_types } = snapshot.meta;
  const [type, name, size, edgeCount] = ['type', 'name', 'self_size', 'edge_count'].map((field) =>
    node_fields.indexOf(field),
  );
  const [edgeType, edgeName, to] = ['type', 'name_or_index', 'to_node'].map((field) =>
    edge_fields.indexOf(field),
  );
  const [width, edgeWidth] = [node_fields.length, edge_fields.length];
  const count = nodes.length / width;
  const typeOf = (/** @type {number} */ n) => node_types[0][nodes[n * width + type]];
  const nameOf = (/** @type {number} */ n) => strings[nodes[n * width + name]];
  const firstEdge = new Uint32Array(count + 1);
  for (let n = 0; n < count; n++) firstEdge[n + 1] = firstEdge[n] + nodes[n * width + edgeCount];
  /** Edges of a node that keep what they lead to. @param {number} n */
  const held = function* (n) {
    for (let e = firstEdge[n] * edgeWidth; e < firstEdge[n + 1] * edgeWidth; e += edgeWidth) {
      const kind = edge_types[0][edges[e + edgeType]];
      if (kind === 'weak' || kind === 'shortcut') continue;
      const key = edges[e + edgeName];
      yield { kind, key: kind === 'property' ? strings[key] : key, node: edges[e + to] / width };
    }
  };
  let code = 0;
  /** Lists of the steps, of each history. @type {Set<number>} */
  const lists = new Set();
  for (let n = 0; n < count; n++) {
    const kind = typeOf(n);
    if (['code', 'object shape'].includes(kind) || nameOf(n) === 'system / WeakArrayList')
      code += nodes[n * width + size];
    if (kind !== 'object') continue;
    const fields = new Map([...held(n)].map(({ key, node }) => [key, node]));
    const [past, future] = [fields.get('past'), fields.get('future')];
    if (fields.has('present') && past !== undefined && future !== undefined) lists.add(past).add(future);
  }
  /** Which nodes the page holds. @param {Set<number>} without - What these hold is not followed. */
  const reached = (without) => {
    const seen = new Uint8Array(count);
    const open = [0];
    seen[0] = 1;
    for (let n = open.pop(); n !== undefined; n = open.pop()) {
      if (without.has(n)) continue;
      for (const { node } of held(n)) {
        if (seen[node] === 1) continue;
        seen[node] = 1;
        open.push(node);
      }
    }
    return seen;
  };
  const [all, others] = [reached(new Set()), reached(lists)];
  let [undo, outside] = [0, 0];
  for (let n = 0; n < count; n++) {
    if (all[n] === others[n]) continue;
    if (typeOf(n) === 'native') outside += nodes[n * width + size];
    else undo += nodes[n * width + size];
  }
  const steps = [...lists].flatMap((n) => [...held(n)].filter(({ kind }) => kind === 'element')).length;
  return { code, steps, undo, outside };
}

/** Numbers from 0 to 1, the same each time. @param {number} seed */
function generator(seed) {
  let state = seed;
  return () => {
    state = (1664525 * state + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

await buildStudio();
const server = await preview({
  root: studio,
  logLevel: 'error',
  preview: { host: '127.0.0.1', port: 0, strictPort: true },
});
let hasGrown = false;
try {
  await withSources(async (load) => {
    const { launchChromium } = await load('scripts/test-support/chromium.ts');
    /** @type {Browser} */
    const browser = await launchChromium();
    hasGrown = await soak(await browser.newPage({ viewport: PAGE, deviceScaleFactor: 0.25 }));
    await browser.close();
  });
} finally {
  await server.close();
}
process.exit(hasGrown ? 1 : 0);
