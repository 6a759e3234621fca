import { markdownTable } from '../statistics.js';
import { FAULTS } from './judge/judge.js';
import type { Outcome } from './play.js';

/** One scene in one engine as a line. */
export function outcomeLine({ id, engine, faults, worst, seconds, warnings }: Outcome): string {
  const found = [...faults].map(([name, text]) => `${name}: ${text}`).join('; ') || 'clean';
  const said = [...warnings].map(([name, steps]) => `${name} in ${steps} steps`).join(', ');
  const measures = `gap ${millimetres(worst.gap)} mm, limit ${degrees(worst.limit)} degrees, depth ${millimetres(worst.depth)} mm, energy up ${worst.rise.toExponential(1)}, ${worst.speed.toFixed(1)} m/s, ${seconds.toFixed(2)} s`;
  return `${engine} ${id}: ${found} (${measures}${said && `; ${said}`})`;
}

const millimetres = (metres: number): string => (1000 * metres).toFixed(1);
/** More than half a turn is one turn or another. */
const degrees = (radians: number): string => Math.min(180, (180 * radians) / Math.PI).toFixed(2);

export function outcomesJson(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map(({ faults, warnings, worst, seconds, ...rest }) =>
    JSON.stringify({
      ...rest,
      seconds: Number(seconds.toFixed(3)),
      worst: Object.fromEntries(Object.entries(worst).map(([name, x]) => [name, Number(x.toPrecision(3))])),
      faults: Object.fromEntries(faults),
      warnings: Object.fromEntries(warnings),
    }),
  );
  return `[\n${rows.join(',\n')}\n]\n`;
}

/** What `outcomesJson` wrote. */
export function readOutcomes(text: string): Outcome[] {
  return JSON.parse(text).map((row: Outcome) => ({
    ...row,
    faults: new Map(Object.entries(row.faults)),
    warnings: new Map(Object.entries(row.warnings)),
  }));
}

/** Counts by kind and by fault for each engine, and the ids to play again. */
export function report(outcomes: readonly Outcome[], head: readonly string[]): string {
  const engines = [...new Set(outcomes.map(({ engine }) => engine))];
  const kinds = [...new Set(outcomes.map(({ kind }) => kind))];
  const of = (engine: string): Outcome[] => outcomes.filter((outcome) => outcome.engine === engine);
  const failed = (some: readonly Outcome[]): number => some.filter(({ faults }) => faults.size > 0).length;
  const count = (n: number): string => (n === 0 ? '.' : `${n}`);
  const byKind = kinds.map((kind) => {
    const rows = engines.map((engine) => of(engine).filter((outcome) => outcome.kind === kind));
    return [kind, `${rows[0].length}`, ...rows.map((row) => count(failed(row)))];
  });
  byKind.push(['all', `${of(engines[0]).length}`, ...engines.map((engine) => count(failed(of(engine))))]);
  const byFault = FAULTS.map((fault) => [
    fault,
    ...engines.map((engine) => count(of(engine).filter(({ faults }) => faults.has(fault)).length)),
  ]);
  const largest = (engine: string, measure: (outcome: Outcome) => number): number =>
    of(engine).reduce((max, outcome) => Math.max(max, measure(outcome)), 0);
  const worst = [
    [
      'gap of a joint or connection, mm',
      ...engines.map((e) => millimetres(largest(e, ({ worst }) => worst.gap))),
    ],
    ['beyond a limit, degrees', ...engines.map((e) => degrees(largest(e, ({ worst }) => worst.limit)))],
    ['depth at the end, mm', ...engines.map((e) => millimetres(largest(e, ({ worst }) => worst.depth)))],
    [
      'processor time of all steps, s',
      ...engines.map((e) =>
        of(e)
          .reduce((sum, { seconds }) => sum + seconds, 0)
          .toFixed(0),
      ),
    ],
  ];
  const warnings = new Map<string, number>();
  for (const outcome of of(engines[0])) {
    for (const name of outcome.warnings.keys()) warnings.set(name, (warnings.get(name) ?? 0) + 1);
  }
  const ids = engines.map((engine) => {
    const list = of(engine).filter(({ faults }) => faults.size > 0);
    const shown = list.slice(0, 40).map(({ id, faults }) => `${id} (${[...faults.keys()].join(', ')})`);
    const rest = list.length - shown.length;
    return `- ${engine}: ${shown.join('; ') || 'none'}${rest > 0 ? `; and ${rest} more` : ''}`;
  });
  return `# Torture

${head.join('\n')}

Scenes with a fault, by kind. A judge that imports nothing of any engine looks at every step (\`benchmarks/src/torture/judge\`; thresholds with their reasons in \`thresholds.ts\`).

${markdownTable(['kind', 'scenes', ...engines], byKind)}

Humans and crates that hang or are pinned (\`hang\`, \`pull\`) have a drag of the air of 2.5/s, in every engine: without it they swing for longer than a scene lasts.

The same by fault; a scene may have several.

${markdownTable(['fault', ...engines], byFault)}

The worst of all scenes, and time.

${markdownTable(['', ...engines], worst)}

Warnings of ${engines[0]}, scenes: ${[...warnings].map(([name, n]) => `\`${name}\` ${n}`).join(', ') || 'none'}.

Faults to play again (\`npm run torture -- --scene ID --engines NAME\`):

${ids.join('\n')}
`;
}
