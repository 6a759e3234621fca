/** Under which key a tab keeps its document: one that no other open tab has. */
import { tabHas, tabKeeps } from '../../preferences/memory.js';

/** Prefix of the names of the locks, one a document that is open. */
const LOCK = 'poise-document-';
/** Time in which a page that is loaded again lets go of its own document, ms. */
const LEAVING = 600;
const OWN = 'poise-document';
/** Set as long as a page of this tab is open. A tab that is doubled begins with what its first keeps for itself: it finds that set. */
const OPEN = 'poise-open';
/** The key of a tab that is open, where this one is its double. */
const doubledSlot = beginsOpen() ? tabHas(OWN) : undefined;
/** What lets go of each key that this page has. */
const releases = new Map<string, () => void>();

/** The key that this tab had before it was loaded again. */
export function ownSlot(): string | undefined {
  return tabHas(OWN);
}

function beginsOpen(): boolean {
  const wasOpen = tabHas(OPEN) !== undefined;
  tabKeeps(OPEN, 'yes');
  window.addEventListener('pagehide', () => tabKeeps(OPEN, undefined));
  window.addEventListener('pageshow', () => tabKeeps(OPEN, 'yes'));
  return wasOpen;
}

/**
 * Takes a key until the page ends, unless another tab has it.
 * @param isOwn - Whether this tab had it: the page before may still be leaving.
 */
export async function lockSlot(id: string, isOwn: boolean): Promise<boolean> {
  const isFree = await lock(id, isOwn);
  if (isFree) tabKeeps(OWN, id);
  return isFree;
}

/** Lets go of a key. */
export function unlockSlot(id: string): void {
  releases.get(id)?.();
  releases.delete(id);
}

function lock(id: string, isOwn: boolean): Promise<boolean> {
  // Pages that are not served safely have no locks: what another tab may have is left alone.
  const locks: LockManager | undefined = navigator.locks;
  if (locks === undefined) return Promise.resolve(isOwn && id !== doubledSlot);
  return new Promise((resolve) => {
    const keep = (given: Lock | null) => {
      resolve(given !== null);
      return given === null ? undefined : new Promise<void>((release) => releases.set(id, release));
    };
    const refused = () => resolve(false);
    if (isOwn) locks.request(LOCK + id, { signal: AbortSignal.timeout(LEAVING) }, keep).catch(refused);
    else locks.request(LOCK + id, { ifAvailable: true }, keep).catch(refused);
  });
}

/** Keys of open tabs, this one's among them. */
export async function lockedSlots(): Promise<ReadonlySet<string>> {
  const locks = (await navigator.locks?.query())?.held ?? [];
  return new Set(locks.flatMap(({ name = '' }) => (name.startsWith(LOCK) ? [name.slice(LOCK.length)] : [])));
}

export function newSlot(): string {
  return `${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 10)}`;
}
