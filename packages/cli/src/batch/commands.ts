/** How a batch runs each command: the kinds of its inputs, its arguments for one of them, and the numbers that say how good the output is. */
import type { FitReport } from '../fit/report.js';
import type { PoseReport } from '../goals/pose-report.js';
import type { Inspection } from '../inspect/inspection.js';
import { CLIP_KINDS, type InputKind } from '../io/input.js';
import { CLIP_OUTPUTS, MOTION_OUTPUTS, RIG_OUTPUTS } from '../io/output.js';
import type { OptimizeSummary } from '../optimize/summary.js';
import type { RetargetClipReport } from '../retarget/summary.js';
import type { SimulationSummary } from '../simulate/report.js';
import type { BatchCommand, QualityRow } from './job.js';

/** A number of the quality of an output. */
export interface Quality {
  readonly name: string;
  readonly unit: string;
  /** Which end is the worse one; left out of what is neither good nor bad. */
  readonly worst?: 'high' | 'low';
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
  /** Options that name a file that every job reads, by their key. */
  readonly fileOptions: Readonly<Record<string, string>>;
  /** Whether the command writes the output itself; else it is what the command prints. */
  readonly writes: boolean;
  readonly quality: readonly Quality[];
  /** The numbers of {@link CommandOfBatch.quality} in what `--json` prints; one that it has not is left out. */
  row(report: unknown): Readonly<Record<string, number | null | undefined>>;
}

const RIG_KINDS = ['gltf', 'urdf', 'mjcf', 'osim', 'bvh', 'asf'] as const satisfies readonly InputKind[];
const RIG = { rig: '--rig' };

export const COMMANDS: Readonly<Record<BatchCommand, CommandOfBatch>> = {
  retarget: {
    noun: 'clip',
    kinds: CLIP_KINDS,
    target: 'needed',
    outputs: CLIP_OUTPUTS,
    fileOptions: RIG,
    writes: true,
    quality: [
      { name: 'sliding', unit: 'mm', worst: 'high' },
      { name: 'penetration', unit: 'mm', worst: 'high' },
      { name: 'orientation error', unit: 'deg', worst: 'high' },
      { name: 'jerk ratio', unit: '', worst: 'high' },
      { name: 'contacts kept', unit: 'share', worst: 'low' },
      { name: 'frames at a limit', unit: 'share', worst: 'high' },
      { name: 'frames', unit: '' },
    ],
    row(report) {
      const { clip, summary } = report as RetargetClipReport;
      return {
        sliding: summary.maxSliding,
        penetration: summary.maxPenetration,
        'orientation error': summary.maxOrientationError,
        'jerk ratio': summary.jerkRatio,
        'contacts kept': summary.contactsKept,
        'frames at a limit': summary.limitedFrames,
        frames: clip.frames,
      };
    },
  },
  fit: {
    noun: 'recording',
    kinds: ['trc', 'c3d'],
    target: 'possible',
    outputs: ['.mot', ...CLIP_OUTPUTS],
    fileOptions: { markers: '--markers', tasks: '--tasks' },
    writes: true,
    quality: [
      { name: 'rms error', unit: 'mm', worst: 'high' },
      { name: 'largest error', unit: 'mm', worst: 'high' },
      { name: 'frames without markers', unit: '', worst: 'high' },
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
    fileOptions: { from: '--from' },
    writes: true,
    quality: [
      { name: 'goals missed', unit: '', worst: 'high' },
      { name: 'active limits', unit: '', worst: 'high' },
      { name: 'iterations', unit: '', worst: 'high' },
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
    fileOptions: { from: '--from', world: '--world' },
    writes: true,
    quality: [
      { name: 'penetration', unit: 'm', worst: 'high' },
      { name: 'limit violation', unit: 'rad or m', worst: 'high' },
      { name: 'energy increase', unit: 'J', worst: 'high' },
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
    fileOptions: {},
    writes: true,
    quality: [
      { name: 'violation', unit: 'scaled', worst: 'high' },
      { name: 'cost', unit: '', worst: 'high' },
      { name: 'iterations', unit: '', worst: 'high' },
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
    fileOptions: RIG,
    writes: true,
    quality: [{ name: 'warnings', unit: '', worst: 'high' }],
    row: warningsOf,
  },
  inspect: {
    noun: 'file',
    kinds: [...RIG_KINDS, 'amc', 'mot', 'trc', 'c3d'],
    target: 'none',
    outputs: ['.json'],
    fileOptions: RIG,
    writes: false,
    quality: [
      { name: 'bones', unit: '' },
      { name: 'warnings', unit: '', worst: 'high' },
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

/** The command line of one job, after `poise`. @param output - Where the command writes; of a command that prints left out. */
export function argvOf(
  { command, target, options }: { command: BatchCommand; target?: string; options: readonly string[] },
  input: string,
  output: string,
): string[] {
  const { writes } = COMMANDS[command];
  const files = target === undefined ? [input] : [input, target];
  return [command, ...options, '--json', ...(writes ? ['-o', output] : []), '--', ...files];
}
