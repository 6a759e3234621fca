/**
 * Impulses of contacts from step to step, found again by the contacts' ids: an open hash table, made once.
 *
 * What a contact starts the next step with is the lesser of its last two pushes: a blow lasts one step and must not be given again.
 */
export interface WarmStartCache {
  readonly mask: number;
  /** Slot of an id: index of an entry plus one, 0 where empty. */
  readonly slots: Int32Array;
  count: number;
  readonly ids: Float64Array;
  /** Actor of the contact's first bone. */
  readonly owner: Int32Array;
  /** Last push along the normal, and the one to start with. */
  readonly lastImpulse: Float64Array;
  readonly startImpulse: Float64Array;
  /** Last impulse across, world axes, 3 numbers. */
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
    lastImpulse: new Float64Array(capacity),
    startImpulse: new Float64Array(capacity),
    tangentImpulse: new Float64Array(3 * capacity),
  };
}

export function clearCache(memory: WarmStartCache): void {
  memory.slots.fill(0);
  memory.count = 0;
}

/** Entry of a contact, -1 for one that was not there. */
export function findCachedContact({ slots, mask, ids }: WarmStartCache, id: number): number {
  for (let s = slotOf(id, mask); ; s = (s + 1) & mask) {
    const entry = slots[s] - 1;
    if (entry < 0 || ids[entry] === id) return entry;
  }
}

/** Adds a contact that is not there yet. @returns its entry, -1 where there is no room. */
export function cacheContact(memory: WarmStartCache, id: number, owner: number): number {
  const { slots, mask, ids } = memory;
  if (memory.count === ids.length) return -1;
  const entry = memory.count++;
  ids[entry] = id;
  memory.owner[entry] = owner;
  let s = slotOf(id, mask);
  while (slots[s] !== 0) s = (s + 1) & mask;
  slots[s] = entry + 1;
  return entry;
}

/** Ids differ in their low digits, and beyond 2^31. */
function slotOf(id: number, mask: number): number {
  return (Math.imul(id % 0x7fffffff, 0x9e3779b1) >>> 7) & mask;
}
