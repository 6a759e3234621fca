/** The report of `poise simulate`, as data and as text. */
import { type PoseData, poseToData } from '@poise/formats';
import type { Numbers } from 'poise/math';
import { heightOf } from '../io/height.js';
import { type Io, line, styled } from '../io/io.js';
import { count, decimals, lengthText, significant, triple } from '../io/parse-number.js';
import type { Source } from '../io/source.js';
import { table } from '../io/table.js';
import type { Outcome, PushReport, RunWarning, Sample, Scenario } from './run-simulation.js';

/** What `poise simulate --json` prints. */
export interface SimulationSummary {
  readonly format: 'poise-simulate-report';
  readonly version: 1;
  readonly source: { readonly kind: Source['kind']; readonly path?: string };
  readonly figure: string;
  /** The ragdoll: mass (kg), height of the figure at rest (m), coordinates, collision shapes, and whether it is recognized as a human. */
  readonly ragdoll: {
    readonly mass: number;
    readonly height: number;
    readonly dof: number;
    readonly shapes: number;
    readonly humanoid: boolean;
  };
  readonly gravity: readonly number[];
  readonly seconds: number;
  readonly rate: number;
  readonly steps: number;
  readonly samples: readonly Sample[];
  readonly pushes: readonly PushReport[];
  /** J at the start and at the end; the largest increase in a step without a push, and its time, s. */
  readonly energy: {
    readonly start: number;
    readonly end: number;
    readonly rise: number;
    readonly riseTime: number;
  };
  /** Largest penetration in any step, of the world and of itself, m. */
  readonly depth: { readonly world: number; readonly self: number };
  /** rad or m */
  readonly limitViolation: number;
  readonly stillSince?: number;
  readonly asleepSince?: number;
  readonly stepWarnings: readonly {
    readonly warning: RunWarning;
    readonly steps: number;
    readonly first: number;
  }[];
  /** Time of all steps, ms, and per step, us. */
  readonly milliseconds: number;
  readonly microsecondsPerStep: number;
  /** The last pose. */
  readonly pose: PoseData;
  /** File written, and the animation in it. */
  readonly output?: string;
  readonly animation?: { readonly name: string; readonly seconds: number; readonly poses: number };
  readonly warnings: readonly string[];
}

/** Input and result of a run. */
export interface Simulated {
  readonly source: Source;
  readonly scenario: Scenario;
  readonly outcome: Outcome;
  /** The last pose, of the source's figure. */
  readonly pose: Numbers;
  readonly output?: string;
  /** Name of the animation written. */
  readonly animation?: string;
  readonly warnings: readonly string[];
}

/** The report of a run. */
export function summaryOf({ source, scenario, outcome, ...more }: Simulated): SimulationSummary {
  const { ragdoll, gravity, rate, steps } = scenario;
  const { samples, milliseconds, recorder } = outcome;
  const { figure, height } = source;
  return {
    format: 'poise-simulate-report',
    version: 1,
    source: { kind: source.kind, ...(source.path !== undefined && { path: source.path }) },
    figure: figure.name,
    ragdoll: {
      mass: ragdoll.mass,
      height: heightOf(source).metres,
      dof: ragdoll.figure.dof,
      shapes: ragdoll.shapes.length,
      humanoid: ragdoll.humanoid !== undefined,
    },
    gravity,
    seconds: steps / rate,
    rate,
    steps,
    samples,
    pushes: outcome.pushes,
    energy: {
      start: samples[0].total,
      end: samples[samples.length - 1].total,
      rise: outcome.rise.energy,
      riseTime: outcome.rise.time,
    },
    depth: outcome.depth,
    limitViolation: outcome.limitViolation,
    ...(outcome.stillSince !== undefined && { stillSince: outcome.stillSince }),
    ...(outcome.asleepSince !== undefined && { asleepSince: outcome.asleepSince }),
    stepWarnings: [...outcome.warnings].map(([warning, found]) => ({ warning, ...found })),
    milliseconds,
    microsecondsPerStep: (1000 * milliseconds) / steps,
    pose: poseToData(figure, more.pose, height === undefined ? {} : { height }),
    ...(more.output !== undefined && { output: more.output }),
    ...(more.animation !== undefined && {
      animation: { name: more.animation, seconds: steps / rate, poses: recorder.times.length },
    }),
    warnings: more.warnings,
  };
}

const meanings: Readonly<Record<RunWarning, string>> = {
  'too-fast': 'a speed was clamped to 2000 m/s',
  overlap: 'shapes penetrated by more than 10 mm, and separate slowly',
  'contact-overflow': 'contacts were dropped for lack of capacity',
  'not-converged': 'the solver did not reach its tolerance',
  stopped: 'no velocities were found, so the figure was stopped (a smaller push, or a higher --rate)',
};

/** Energy increase within rounding, relative to the energy at the start. */
const ROUNDING = 1e-12;

/** Prints a readable report. */
export function printSummary(summary: SimulationSummary, io: Io): void {
  const { ragdoll, samples, energy, depth, steps, rate, output, animation } = summary;
  line(
    io,
    `${styled(io, 'bold', summary.figure)}: ${ragdoll.humanoid ? 'a human' : 'not recognized as a human'}, ${decimals(ragdoll.mass, 1)} kg, ` +
      `${decimals(ragdoll.height, 2)} m, ${count(ragdoll.shapes, 'shape')}, ${ragdoll.dof} degrees of freedom`,
  );
  line(io);
  const joules = jouleText(samples);
  const [head, ...rows] = table([
    [
      'time (s)',
      'kinetic (J)',
      'potential (J)',
      'total (J)',
      'contacts',
      'penetration',
      'fastest bone (m/s)',
      '',
    ],
    ...samples.map((sample) => [
      decimals(sample.time, 2),
      ...[sample.kinetic, sample.potential, sample.total].map(joules),
      String(sample.touching),
      sample.depth > 0 ? lengthText(sample.depth) : '-',
      decimals(sample.fastest, 2),
      sample.asleep ? 'asleep' : '',
    ]),
  ]);
  line(io, styled(io, 'dim', head));
  for (const row of rows) line(io, row);
  line(io);
  for (const push of summary.pushes) line(io, pushText(push, ragdoll.mass, joules));
  line(
    io,
    `energy: ${joules(energy.start)} J at the start, ${joules(energy.end)} J at the end; ` +
      (energy.rise > ROUNDING * Math.abs(energy.start)
        ? `largest increase in a step without a push ${energy.rise.toExponential(1)} J, at ${decimals(energy.riseTime, 2)} s`
        : 'no increase in any step without a push'),
  );
  line(
    io,
    `largest penetration: ${depthText(depth.world)} with the world, ${depthText(depth.self)} with itself`,
  );
  line(
    io,
    `limits: ${summary.limitViolation > 0 ? `violated by up to ${summary.limitViolation.toExponential(1)} (rad or m)` : 'satisfied in every step'}`,
  );
  line(io, restText(summary));
  for (const { warning, steps: n, first } of summary.stepWarnings) {
    line(
      io,
      `${styled(io, 'yellow', warning)} in ${count(n, 'step')}, first at ${decimals(first, 2)} s: ${meanings[warning]}`,
    );
  }
  line(
    io,
    `${count(steps, 'step')} of ${significant(1000 / rate)} ms, ${significant(summary.microsecondsPerStep)} us each, ` +
      `${significant(summary.milliseconds)} ms in all`,
  );
  if (output === undefined) return;
  line(
    io,
    animation
      ? `wrote ${output}: animation '${animation.name}', ${decimals(animation.seconds)} s, from ${count(animation.poses, 'pose')}`
      : `wrote ${output}: the last pose`,
  );
}

function pushText(
  { option, time, before, after, gained }: PushReport,
  mass: number,
  joules: (energy: number) => string,
): string {
  const change = after.map((v, k) => v - before[k]);
  const energy = `${gained < 0 ? '' : '+'}${joules(gained)} J`;
  return `${option}: at ${decimals(time)} s, velocity of the centre of mass changed by ${triple(change)} m/s in the step (${decimals(mass, 1)} kg), ${energy}`;
}

function depthText(depth: number): string {
  return depth > 0 ? lengthText(depth) : '0 mm';
}

function restText({ stillSince, asleepSince, seconds }: SimulationSummary): string {
  if (asleepSince !== undefined) {
    return `at rest since ${decimals(stillSince ?? asleepSince, 2)} s, asleep since ${decimals(asleepSince, 2)} s`;
  }
  return stillSince === undefined
    ? `still moving after ${decimals(seconds, 2)} s`
    : `at rest since ${decimals(stillSince, 2)} s, awake`;
}

/** Formats energies of a run with four significant digits of the largest. */
function jouleText(samples: readonly Sample[]): (energy: number) => string {
  const largest = Math.max(...samples.map(({ total, kinetic }) => Math.max(Math.abs(total), kinetic)));
  const digits = largest > 0 ? Math.min(Math.max(3 - Math.floor(Math.log10(largest)), 0), 9) : 0;
  return (energy) => decimals(energy, digits);
}
