/**
 * Keeps all files of a build for visits without a network. A page comes from the network where there is one, so that it is
 * never an old one; its parts, whose names change with their contents, come from what is kept.
 */

/** Of the scope of service workers, what this one uses. */
interface Worker {
  readonly registration: { readonly scope: string };
  readonly clients: { claim(): Promise<void> };
  addEventListener(type: 'install' | 'activate', listen: (event: Extendable) => void): void;
  addEventListener(type: 'fetch', listen: (event: Fetch) => void): void;
}

interface Extendable {
  waitUntil(work: Promise<unknown>): void;
}

interface Fetch extends Extendable {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}

/** Put in by the build. */
declare const __FILES__: { readonly version: string; readonly names: readonly string[] };

const worker = self as unknown as Worker;
const { version, names } = __FILES__;
const { scope } = worker.registration;
/** Of this page alone: others of the same server have theirs. */
const prefix = `poise-studio ${scope} `;
const store = prefix + version;
/** Of lessons and examples, whatever the version of the studio: what was visited stays. */
const visits = `${prefix}learn`;
/** Most files of these; the oldest go first. */
const MOST_VISITED = 400;
/** The page is kept by the address of its folder: servers send that of its file elsewhere. */
const PAGE = 'index.html';
const kept = new Set(names.map((name) => new URL(name === PAGE ? '.' : name, scope).href));
/** Lessons and examples, kept when they are visited: there are more of them than of the studio. */
const learn = `${scope}learn/`;
/** Time in which a page comes from the network, ms; then what is kept is shown. */
const TIMEOUT = 3000;
/** Status of an answer that is a range of a file, which no cache takes. */
const PARTIAL = 206;

worker.addEventListener('install', (event) => {
  const fresh = [...kept].map((url) => new Request(url, { cache: 'reload' }));
  event.waitUntil(caches.open(store).then((cache) => cache.addAll(fresh)));
});

worker.addEventListener('activate', (event) => {
  event.waitUntil(
    (async () => {
      for (const name of await caches.keys())
        if (name.startsWith(prefix) && name !== store && name !== visits) await caches.delete(name);
      await worker.clients.claim();
    })(),
  );
});

worker.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method !== 'GET') return;
  if (request.url.startsWith(learn)) event.respondWith(visited(event));
  else if (request.mode === 'navigate') event.respondWith(newest(request));
  else if (kept.has(request.url)) event.respondWith(own(request.url));
});

async function own(url: string): Promise<Response> {
  const cache = await caches.open(store);
  return (await cache.match(url)) ?? fetch(url);
}

async function newest(request: Request): Promise<Response> {
  const path = request.url.replace(/[?#].*$/, '');
  const answer = fetch(request);
  if (path !== scope && path !== scope + PAGE) return answer;
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, TIMEOUT));
  const response = await Promise.race([answer.catch(() => undefined), late]);
  // A page that has moved or is gone is what the server says; one that fails, or does not answer, is the one that is kept.
  return response !== undefined && response.status < 500 ? response : own(scope);
}

/** Of lessons and examples: from the network, and what came last from there where it fails or does not answer. */
async function visited(event: Fetch): Promise<Response> {
  const { request } = event;
  const before = await caches.open(visits).then(
    (cache) => cache.match(request, { ignoreSearch: true }),
    () => undefined,
  );
  const answer = fetch(request);
  if (before === undefined) return keep(event, await answer);
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, TIMEOUT));
  const response = await Promise.race([answer.catch(() => undefined), late]);
  return response !== undefined && response.status < 500 ? keep(event, response) : before;
}

/** Keeps an answer beside giving it, where there is room. */
function keep(event: Fetch, response: Response): Response {
  if (!response.ok || response.status === PARTIAL) return response;
  const copy = response.clone();
  event.waitUntil(
    caches
      .open(visits)
      .then(async (cache) => {
        await cache.put(event.request, copy);
        const all = await cache.keys();
        for (const old of all.slice(0, Math.max(0, all.length - MOST_VISITED))) await cache.delete(old);
      })
      // A full disk: the answer is given all the same.
      .catch(() => undefined),
  );
  return response;
}
