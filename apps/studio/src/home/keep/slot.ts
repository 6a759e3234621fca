/** Under which key a tab keeps its document: one that no other open tab has. */

/** Prefix of the names of the locks, one a document that is open. */
const LOCK = 'poise-document-';
/** Time in which a page that is loaded again lets go of its own document, ms. */
const LEAVING = 600;
const OWN = 'poise-document';
/** What lets go of each key that this page has. */
const releases = new Map<string, () => void>();

/** The key that this tab had before it was loaded again. */
export function ownSlot(): string | undefined {
  try {
    return sessionStorage.getItem(OWN) ?? undefined;
  } catch {
    return undefined;
  }
}

function setOwnSlot(id: string): void {
  try {
    sessionStorage.setItem(OWN, id);
  } catch {
    // Nothing is kept in this window: the tab is as new when it is loaded again.
  }
}

/**
 * Takes a key until the page ends, unless another tab has it.
 * @param isOwn - Whether this tab had it: the page before may still be leaving.
 */
export async function lockSlot(id: string, isOwn: boolean): Promise<boolean> {
  const isFree = await lock(id, isOwn);
  if (isFree) setOwnSlot(id);
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
  if (locks === undefined) return Promise.resolve(isOwn);
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
