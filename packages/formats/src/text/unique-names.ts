/** Unique bone names for nodes, whose names in glTF may be absent or repeated. */

/**
 * A name for each node of `nodes`: its own where it has one that is free, else with `_2`, `_3`, ... behind it; `node_7`
 * for node 7 without a name. Earlier entries have the first choice.
 */
export function uniqueNames(nodes: readonly { readonly index: number; readonly name?: string }[]): string[] {
  const taken = new Set<string>();
  const next = new Map<string, number>();
  return nodes.map(({ index, name }) => {
    const wanted = name?.trim() ? name : `node_${index}`;
    let free = wanted;
    for (let k = next.get(wanted) ?? 2; taken.has(free); k++) {
      free = `${wanted}_${k}`;
      next.set(wanted, k + 1);
    }
    taken.add(free);
    return free;
  });
}
