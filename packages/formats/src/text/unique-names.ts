/** Unique bone names for nodes, whose names in glTF may be absent or repeated. */

/**
 * A unique name for each node: its own, with `_2`, `_3`, ... appended where an earlier entry has it already; `node_7` for
 * node 7 without a name.
 */
export function uniqueNames(nodes: readonly { readonly index: number; readonly name?: string }[]): string[] {
  const taken = new Set<string>();
  const next = new Map<string, number>();
  return nodes.map(({ index, name }) => {
    const base = name?.trim() ? name : `node_${index}`;
    let candidate = base;
    for (let k = next.get(base) ?? 2; taken.has(candidate); k++) {
      candidate = `${base}_${k}`;
      next.set(base, k + 1);
    }
    taken.add(candidate);
    return candidate;
  });
}
