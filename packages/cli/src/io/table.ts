/** Plain-text layout. */
import type { Figure } from 'poise/figure';

/** Rows with their columns lined up, two spaces between, no spaces at the end of a line. */
export function table(rows: readonly (readonly string[])[]): string[] {
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

/** Columns that a text takes; combining marks and wide characters are not told apart. */
function widthOf(text: string): number {
  return Array.from(text).length;
}

/**
 * The bones in the order of a tree drawing, depth first, each with the lines in front of its name:
 * `├─ `, `└─ ` after `│  ` or spaces for each level above.
 */
export function treeOrder(figure: Figure): { readonly bone: number; readonly lines: string }[] {
  const children: number[][] = figure.bones.map(() => []);
  const rows: { bone: number; lines: string }[] = [];
  for (const { index, parent } of figure.bones) if (parent >= 0) children[parent].push(index);
  // A stack of its own: a chain may be deeper than the call stack.
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
      below: below + (i === last ? '   ' : '│  '),
    }));
    stack.push(...entries.reverse());
  }
  return rows;
}
