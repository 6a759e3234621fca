/** The value at fraction `p` of the sorted samples, nearest rank: p99 of 200 is the 198th. */
export function percentile(samples: readonly number[], p: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(p * sorted.length) - 1)];
}

export function median(samples: readonly number[]): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/** Three significant digits with a unit that suits: 0.42 us, 31.5 us, 1.2 ms. */
export function formatMicroseconds(us: number): string {
  if (us >= 1e6) return `${(us / 1e6).toPrecision(3)} s`;
  if (us >= 1e3) return `${(us / 1e3).toPrecision(3)} ms`;
  return `${us >= 100 ? us.toFixed(0) : us.toPrecision(3)} us`;
}

/** A Markdown table, columns padded so that it also reads as plain text; numbers to the right. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, c) => Math.max(title.length, ...rows.map((row) => (row[c] ?? '').length)));
  const left = (c: number): boolean => rows.every((row) => !/^[\d.-]/.test(row[c] ?? ''));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, c) => (left(c) ? cell.padEnd(widths[c]) : cell.padStart(widths[c]))).join(' | ')} |`;
  const rule = widths.map((width, c) => (left(c) ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [line(head), `| ${rule.join(' | ')} |`, ...rows.map(line)].join('\n');
}
