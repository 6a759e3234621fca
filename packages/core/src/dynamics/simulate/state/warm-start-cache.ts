/**
 * Warm start of contact impulses: those of the last step by contact id, in a hash table with open addressing, made once.
 *
 * The normal warm start is the lesser of the last two load impulses: an impact lasts one step and must not be repeated.
 */
export interface WarmStartCache {
  readonly mask: number;
  /** Index of an entry plus one; 0 for an empty slot. */
  readonly slots: Int32Array;
  count: number;
  readonly ids: Float64Array;
  /** Actor index of the contact's first bone. */
  readonly owner: Int32Array;
  /** Length of the substep of the impulses, s. */
  readonly duration: Float64Array;
  /** Last normal impulse, the same without corrections of depth where these are known apart, and the one to start with. */
  readonly lastImpulse: Float64Array;
  readonly loadImpulse: Float64Array;
  readonly startImpulse: Float64Array;
  /** Whether the correction of depth was known apart: overlaps start from such a load alone. */
  readonly excludesCorrection: Uint8Array;
  /** Last tangential impulse, world axes, 3 numbers. */
  readonly tangentImpulse: Float64Array;
}

export function createWarmStartCache(capacity: number): WarmStartCache {
  let size = 4;
  while (size < 2 * capacity) size *= 2;
  return {
    mask: size - 1,
    slots: new Int32Array(size),
    count: 0,
    ids: new Float64Array(capacity),
    owner: new Int32Array(capacity),
    duration: new Float64Array(capacity),
    lastImpulse: new Float64Array(capacity),
    loadImpulse: new Float64Array(capacity),
    startImpulse: new Float64Array(capacity),
    excludesCorrection: new Uint8Array(capacity),
    tangentImpulse: new Float64Array(3 * capacity),
  };
}

/** Impulses of a shorter substep, s, are impacts and rounding rather than forces that last: they grow no further than from one of this length. */
const MIN_DURATION = 2e-3;

/** Factor for impulses of a substep of `duration` that start one of h, at the same forces. */
export function warmStartScale(h: number, duration: number): number {
  return duration > 0 ? h / Math.max(duration, Math.min(h, MIN_DURATION)) : 0;
}

/**
 * Share of the impulses found before, over `duration`, that stay beside those of a substep of h: a running mean over the shortest duration. What a very short substep finds
 * would else replace them.
 */
export function keptShare(h: number, duration: number): number {
  return duration > 0 ? Math.max(0, 1 - h / MIN_DURATION) * Math.min(1, MIN_DURATION / duration) : 0;
}

export function clearCache(cache: WarmStartCache): void {
  cache.slots.fill(0);
  cache.count = 0;
}

/** Entry of a contact; -1 for none. */
export function findCachedContact({ slots, mask, ids }: WarmStartCache, id: number): number {
  for (let s = slotOf(id, mask); ; s = (s + 1) & mask) {
    const entry = slots[s] - 1;
    if (entry < 0 || ids[entry] === id) return entry;
  }
}

/** Adds an entry for a new contact. @returns its entry; -1 where the cache is full. */
export function cacheContact(cache: WarmStartCache, id: number, owner: number): number {
  const { slots, mask, ids } = cache;
  if (cache.count === ids.length) return -1;
  const entry = cache.count++;
  ids[entry] = id;
  cache.owner[entry] = owner;
  let s = slotOf(id, mask);
  while (slots[s] !== 0) s = (s + 1) & mask;
  slots[s] = entry + 1;
  return entry;
}

/** Multiplicative hash; ids exceed 2^31 and differ in their low digits. */
function slotOf(id: number, mask: number): number {
  return (Math.imul(id % 0x7fffffff, 0x9e3779b1) >>> 7) & mask;
}
