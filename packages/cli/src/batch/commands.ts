/** How a batch runs each command: the kinds of its inputs, its arguments for one of them, and the numbers that say how good the output is. */
import type { FitReport } from '../fit/report.js';
import type { PoseReport } from '../goals/pose-report.js';
import type { Inspection } from '../inspect/inspection.js';
import { CLIP_KINDS, type InputKind } from '../io/input.js';
import { CLIP_OUTPUTS, MOTION_OUTPUTS, RIG_OUTPUTS } from '../io/output.js';
import type { OptimizeSummary } from '../optimize/summary.js';
import type { RetargetClipReport } from '../retarget/summary.js';
import type { SimulationSummary } from '../simulate/report.js';
import type { BatchCommand, BatchPlan, QualityRow } from './job.js';

/** A number of the quality of an output. */
export interface Quality {
  readonly name: string;
  readonly unit: string;
  /** Which end is the worse one; left out of what is neither good nor bad. */
  readonly worse?: 'high' | 'low';
}

export interface CommandOfBatch {
  /** What one input is called. */
  readonly noun: string;
  /** Kinds of files that a folder of inputs is looked through for. */
  readonly kinds: readonly InputKind[];
  /** Whether it has a rig or a model beside the input, and whether it needs one. */
  readonly target: 'needed' | 'possible' | 'none';
  /** Extensions of its outputs, with the dot. */
  readonly outputs: readonly string[];
  /** The one without `--format`; left out: that of the target's own file. */
  readonly extension?: string;
  /** Options that name a file that every job reads. */
  readonly fileOptions: readonly string[];
  /** Whether the command writes the output itself; else it is what the command prints. */
  readonly writes: boolean;
  readonly quality: readonly Quality[];
  /** The numbers of {@link CommandOfBatch.quality} in what `--json` prints; one that it has not is left out. */
  row(report: unknown): Readonly<Record<string, number | null | undefined>>;
}

const RIG_KINDS = ['gltf', 'urdf', 'mjcf', 'osim', 'bvh', 'asf'] as const satisfies readonly InputKind[];

export const COMMANDS: Readonly<Record<BatchCommand, CommandOfBatch>> = {
  retarget: {
    noun: 'clip',
    kinds: CLIP_KINDS,
    target: 'needed',
    outputs: CLIP_OUTPUTS,
    fileOptions: ['--rig'],
    writes: true,
    quality: [
      { name: 'sliding', unit: 'mm', worse: 'high' },
      { name: 'penetration', unit: 'mm', worse: 'high' },
      { name: 'orientation error', unit: 'deg', worse: 'high' },
      { name: 'jerk ratio', unit: '', worse: 'high' },
      { name: 'contacts kept', unit: '', worse: 'low' },
      { name: 'frames at a limit', unit: '', worse: 'high' },
      { name: 'moved by physics', unit: 'mm', worse: 'high' },
      { name: 'residual', unit: 'of weight', worse: 'high' },
      { name: 'frames', unit: '' },
    ],
    row(report) {
      const { clip, summary, physical } = report as RetargetClipReport;
      return {
        sliding: summary.maxSliding,
        penetration: summary.maxPenetration,
        'orientation error': summary.maxOrientationError,
        'jerk ratio': summary.jerkRatio,
        'contacts kept': summary.contactsKept,
        'frames at a limit': summary.limitedFrames,
        // With `--physical` alone.
        'moved by physics': physical?.moved.max,
        residual: physical?.residual.after.mean,
        frames: clip.frames,
      };
    },
  },
  fit: {
    noun: 'recording',
    kinds: ['trc', 'c3d'],
    target: 'possible',
    outputs: ['.mot', ...CLIP_OUTPUTS],
    fileOptions: ['--markers', '--tasks'],
    writes: true,
    quality: [
      { name: 'rms error', unit: 'mm', worse: 'high' },
      { name: 'largest error', unit: 'mm', worse: 'high' },
      { name: 'frames without markers', unit: '', worse: 'high' },
      { name: 'frames', unit: '' },
    ],
    row(report) {
      const { rms, worst, unobserved, frames } = report as FitReport;
      return {
        'rms error': rms,
        'largest error': worst.distance,
        'frames without markers': unobserved,
        frames,
      };
    },
  },
  pose: {
    noun: 'rig',
    kinds: RIG_KINDS,
    target: 'none',
    outputs: [...RIG_OUTPUTS, '.csv'],
    extension: '.json',
    fileOptions: ['--from'],
    writes: true,
    quality: [
      { name: 'goals missed', unit: '', worse: 'high' },
      { name: 'active limits', unit: '', worse: 'high' },
      { name: 'iterations', unit: '', worse: 'high' },
    ],
    row(report) {
      const { goals, activeLimits, iterations } = report as PoseReport;
      const missed = goals.filter(({ satisfied }) => !satisfied).length;
      return { 'goals missed': missed, 'active limits': activeLimits.length, iterations };
    },
  },
  simulate: {
    noun: 'rig',
    kinds: RIG_KINDS,
    target: 'none',
    outputs: RIG_OUTPUTS,
    extension: '.glb',
    fileOptions: ['--from', '--world'],
    writes: true,
    quality: [
      { name: 'penetration', unit: 'm', worse: 'high' },
      { name: 'limit violation', unit: 'rad or m', worse: 'high' },
      { name: 'energy increase', unit: 'J', worse: 'high' },
      { name: 'steps', unit: '' },
    ],
    row(report) {
      const { depth, limitViolation, energy, steps } = report as SimulationSummary;
      return {
        penetration: Math.max(depth.world, depth.self),
        'limit violation': limitViolation,
        'energy increase': energy.rise,
        steps,
      };
    },
  },
  optimize: {
    noun: 'scene',
    kinds: ['json'],
    target: 'none',
    outputs: MOTION_OUTPUTS,
    extension: '.json',
    fileOptions: [],
    writes: true,
    quality: [
      { name: 'violation', unit: 'scaled', worse: 'high' },
      { name: 'cost', unit: '', worse: 'high' },
      { name: 'iterations', unit: '', worse: 'high' },
    ],
    row(report) {
      const { violation, cost, iterations } = report as OptimizeSummary;
      return { violation, cost, iterations };
    },
  },
  convert: {
    noun: 'clip',
    kinds: CLIP_KINDS,
    target: 'none',
    outputs: [...CLIP_OUTPUTS, '.amc'],
    extension: '.glb',
    fileOptions: ['--rig'],
    writes: true,
    quality: [{ name: 'warnings', unit: '', worse: 'high' }],
    row: warningsOf,
  },
  inspect: {
    noun: 'file',
    kinds: [...RIG_KINDS, 'amc', 'mot', 'trc', 'c3d'],
    target: 'none',
    outputs: ['.json'],
    extension: '.json',
    fileOptions: ['--rig'],
    writes: false,
    quality: [
      { name: 'bones', unit: '' },
      { name: 'warnings', unit: '', worse: 'high' },
    ],
    row: (report) => ({ ...warningsOf(report), bones: (report as Partial<Inspection>).totals?.bones }),
  },
};

function warningsOf(report: unknown): { readonly warnings: number } {
  return { warnings: (report as { readonly warnings: readonly string[] }).warnings.length };
}

/** The quality of an output by what the command printed; numbers that are not finite are left out. */
export function qualityRow(command: BatchCommand, report: unknown): QualityRow {
  const entries = Object.entries(COMMANDS[command].row(report));
  return Object.fromEntries(entries.filter((entry): entry is [string, number] => Number.isFinite(entry[1])));
}

/**
 * The command line of one job, after `poise`.
 *
 * @param output - Where the command writes; an `.svg` is the report in place of the output. Of a command that prints it plays no part.
 */
export function argvOf(
  { command, target, options, files }: Pick<BatchPlan, 'command' | 'target' | 'options' | 'files'>,
  input: string,
  output: string,
): string[] {
  const { writes, fileOptions } = COMMANDS[command];
  const named = fileOptions.flatMap((option) => (files[option] ? [option, files[option].path] : []));
  const written = writes ? [output.endsWith('.svg') ? '--report' : '-o', output] : [];
  const inputs = target === undefined ? [input] : [input, target];
  return [command, ...options, ...named, '--json', ...written, '--', ...inputs];
}
