/** Plain-text layout. */
import type { Figure } from 'poise/figure';
import { printable } from './printable.js';

/** Rows with aligned columns, separated by two spaces, without trailing spaces. */
export function table(cells: readonly (readonly string[])[]): string[] {
  const rows = cells.map((row) => row.map(printable));
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, k) => {
      widths[k] = Math.max(widths[k] ?? 0, widthOf(cell));
    });
  }
  return rows.map((row) =>
    row
      .map((cell, k) => cell + ' '.repeat(widths[k] - widthOf(cell)))
      .join('  ')
      .trimEnd(),
  );
}

/** Width of a text in columns; combining marks and wide characters count as one. */
function widthOf(text: string): number {
  let width = 0;
  for (const _ of text) width++;
  return width;
}

/** Levels of the tree that are drawn: a chain of ten thousand bones would have a gigabyte of lines. */
const MAX_LEVELS = 64;

/**
 * The bones depth first, each with the tree lines in front of its name:
 * `├─ `, `└─ ` after `│  ` or spaces for each level above, the nearest {@link MAX_LEVELS}.
 */
export function treeOrder(figure: Figure): { readonly bone: number; readonly lines: string }[] {
  const children: number[][] = figure.bones.map(() => []);
  const rows: { bone: number; lines: string }[] = [];
  for (const { index, parent } of figure.bones) if (parent >= 0) children[parent].push(index);
  // An explicit stack: a chain may be deeper than the call stack.
  const stack = figure.bones
    .filter((bone) => bone.parent < 0)
    .map((bone) => ({ bone: bone.index, lines: '', below: '' }))
    .reverse();
  for (let top = stack.pop(); top; top = stack.pop()) {
    rows.push({ bone: top.bone, lines: top.lines });
    const { below } = top;
    const last = children[top.bone].length - 1;
    const entries = children[top.bone].map((bone, i) => ({
      bone,
      lines: below + (i === last ? '└─ ' : '├─ '),
      below: (below + (i === last ? '   ' : '│  ')).slice(-3 * MAX_LEVELS),
    }));
    for (const entry of entries.reverse()) stack.push(entry);
  }
  return rows;
}
