import { drawMix, type Mix, type MixType, mixTypeOf } from './random-mix.js';

/** What a solve of a mix says. */
export interface MixAnswer {
  readonly status: string;
  readonly lengthScale: number;
  readonly iterations: number;
  readonly residuals: readonly {
    readonly index: number;
    readonly component?: string;
    readonly value: number;
    readonly tolerance: number;
    readonly satisfied: boolean;
  }[];
  readonly lowerPriorities?: readonly { readonly priority: number; readonly stationarity: number }[];
}

/**
 * Solves the goals of a mix with those of priority above `last` switched off by weight 0, so that the columns and the descents of the
 * higher priorities are those of the whole mix. Undefined where a goal is refused, because no joint moves it.
 */
export type SolveMix = (mix: Mix, last: number) => MixAnswer | undefined;

/** How far a met goal may be unmade by lower priorities, of the length scale or rad. */
export const KEPT = 1e-12;

export interface MixTally {
  solved: number;
  /** Mixes by status. */
  readonly statuses: Record<string, number>;
  /** Mixes with a goal of the type, and those of them that end `stalled` or at the iteration limit. */
  readonly byType: Record<string, { mixes: number; loose: number }>;
  /** Met goals that have lower priorities after them. */
  kept: number;
  /** Of those the ones that ended farther off than {@link KEPT} allows, by how much. */
  readonly unmade: {
    readonly number: number;
    readonly type: MixType;
    readonly value: number;
    readonly before: number;
  }[];
  /** Mixes called converged with a goal beyond its tolerance. */
  readonly falseConverged: number[];
  readonly loose: { readonly number: number; readonly status: string }[];
}

/** Draws mixes `from` to `from + count` of a seed, solves them, and counts statuses and met goals that did not stay met. */
export function runMixes(seed: number, from: number, count: number, solve: SolveMix): MixTally {
  const tally: MixTally = {
    solved: 0,
    statuses: {},
    byType: {},
    kept: 0,
    unmade: [],
    falseConverged: [],
    loose: [],
  };
  for (let number = from; number < from + count; number++) judge(tally, drawMix(seed, number), number, solve);
  return tally;
}

function judge(tally: MixTally, mix: Mix, number: number, solve: SolveMix): void {
  const priorities = Array.from(new Set(mix.goals.map(({ priority }) => priority)));
  const all = solve(mix, Number.POSITIVE_INFINITY);
  if (all === undefined) return;
  tally.solved++;
  const loose = all.status === 'stalled' || all.status === 'iteration-limit';
  if (loose) tally.loose.push({ number, status: all.status });
  tally.statuses[all.status] = (tally.statuses[all.status] ?? 0) + 1;
  for (const type of new Set(mix.goals.map(mixTypeOf))) {
    tally.byType[type] ??= { mixes: 0, loose: 0 };
    tally.byType[type].mixes++;
    if (loose) tally.byType[type].loose++;
  }
  if (all.status === 'converged' && all.residuals.some(({ value, tolerance }) => !(value <= tolerance)))
    tally.falseConverged.push(number);
  // A posture or the shares of a look-at may be one priority lower than the others.
  for (const last of priorities.slice(0, -1)) {
    const alone = solve(mix, last);
    for (const before of alone?.residuals ?? []) {
      const goal = mix.goals[before.index];
      if (goal.priority !== last || !before.satisfied || before.tolerance === Number.POSITIVE_INFINITY)
        continue;
      const after = all.residuals.find(
        ({ index, component }) => index === before.index && component === before.component,
      );
      tally.kept++;
      const bound = before.value + KEPT * Math.max(1, all.lengthScale);
      if (after === undefined || !(after.value <= bound)) {
        tally.unmade.push({
          number,
          type: mixTypeOf(goal),
          value: after?.value ?? Number.NaN,
          before: before.value,
        });
      }
    }
  }
}
