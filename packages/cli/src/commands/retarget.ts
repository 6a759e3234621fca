/** `poise retarget`: clips of other characters on a rig. */
import { extname } from 'node:path';
import { FormatError } from 'poise';
import { retargetHtml } from '../html-report/retarget-report.js';
import { retargetStrip } from '../html-report/retarget-strip.js';
import { checkFiles, doEach, doOne, filesIn, isFolder, type ListOf, requireFolder } from '../io/each.js';
import { EXIT } from '../io/exit-codes.js';
import {
  checkOutputs,
  type Output,
  reportIo,
  requireExtension,
  requireSingleStdout,
  writeOutputs,
} from '../io/files-written.js';
import { expandFiles, requireMatch } from '../io/glob.js';
import { CLIP_KINDS } from '../io/input.js';
import { type Io, line } from '../io/io.js';
import { CLIP_OUTPUTS, requireOutput, requireRate, rigExtension } from '../io/output.js';
import { HUMAN, type Source } from '../io/source.js';
import { contactsPath } from '../retarget/contacts-file.js';
import { framesBytes } from '../retarget/frames-file.js';
import { loadRig } from '../retarget/load-rig.js';
import { physicalClip, physicalWarnings, requireCharacter } from '../retarget/physical.js';
import { type RetargetClipOptions, type RetargetedClip, retargetClip } from '../retarget/retarget-clip.js';
import { clipText, printReport, type RetargetClipReport, rateOf, reportOf } from '../retarget/summary.js';
import { motionOutputBytes } from '../trajectory/motion-output.js';

export interface RetargetOptions extends RetargetClipOptions {
  /** Samples per second of a .csv, .bvh, or of a .json in place of the motion. */
  readonly rate?: number;
  /** A file, or a folder that gets a file of each clip. */
  readonly output?: string;
  /** Extension of the files in a folder, without the dot. Default: that of the rig's own file. */
  readonly format?: string;
  /** A .html, an .svg, or a .json of all frames; a folder gets a .html of each clip. */
  readonly report?: string;
  readonly json?: boolean;
  /** The result obeys physics: its root is moved by gravity and contacts alone. */
  readonly physical?: boolean;
}

/** What `poise retarget --json` prints of several clips. */
export type RetargetList = ListOf<RetargetClipReport>;

const REPORTS = ['.html', '.htm', '.json', '.svg'];

/** Runs the command. @param files - Clips, folders and patterns of clips, then the rig. @returns the exit status. */
export async function retarget(files: readonly string[], options: RetargetOptions, io: Io): Promise<number> {
  const given = files.slice(0, -1);
  const rigPath = files[files.length - 1];
  if (given.length === 0) {
    throw new FormatError('missing-resource', 'needs a clip and the rig that it is put on.', {
      path: 'poise retarget',
      remedy: `Give both: poise retarget ${rigPath ?? 'CLIP'} RIG -o OUTPUT; RIG is a file, or ${HUMAN} for the built-in one.`,
    });
  }
  const { output, report, format } = options;
  if (options.physical && options.contacts === 'none') {
    throw new FormatError(
      'unsupported',
      'leaves nothing that carries the figure: physics would let it fall.',
      {
        path: '--contacts none --physical',
        remedy: 'Leave one of them out.',
      },
    );
  }
  const paths = await expandFiles(given, CLIP_KINDS, 'clips');
  const clips = { paths, format: 'poise-retarget-list', noun: 'clip', verb: 'retargeted' } as const;
  const intoFolder = await isFolder({ option: '--output', path: output }, clips);
  requireFolder(format, intoFolder);
  const reportsToFolder = await isFolder({ option: '--report', path: report }, clips);
  if (report !== undefined && intoFolder && !reportsToFolder) {
    throw new FormatError('unsupported', 'is of one clip that goes into a file.', {
      path: `--report ${report}`,
      remedy: 'Give a folder that exists, --report FOLDER, or one clip and a file: -o OUTPUT.',
    });
  }
  if (!intoFolder && !reportsToFolder && paths.length === 1)
    return retargetOne(paths[0], rigPath, options, io);
  if (contactsPath(options) !== undefined && paths.length > 1) {
    throw new FormatError('unsupported', 'is of one clip.', {
      path: `--contacts ${options.contacts}`,
      remedy: 'Give one clip and a file: -o OUTPUT.',
    });
  }
  const rig = await loadRig(rigPath, undefined, options, io);
  if (options.physical) requireCharacter(rig);
  const extension = format === undefined ? rigExtension(rig) : `.${format}`;
  // One clip with a folder for its report may go into a file.
  const outputs = output === undefined ? [] : intoFolder ? filesIn(output, paths, extension) : [output];
  const reports = report === undefined ? [] : filesIn(report, paths, '.html');
  if (!intoFolder && output !== undefined)
    requireExtension({ option: '--output', path: output }, CLIP_OUTPUTS);
  await checkFiles(
    [
      ['--output', outputs],
      ['--report', reports],
    ],
    [...paths, rig.path, options.rig, contactsPath(options)],
  );
  requireRate(options.rate, outputs[0]);
  let isWhole = true;
  const status = await doEach(clips, options, io, async (path, k) => {
    if ((io.interrupts?.() ?? 0) > 0) {
      isWhole = false;
      return undefined;
    }
    const files = { output: outputs[k], report: reports[k] };
    const { said, written } = await retargeted(path, rig, { ...options, ...files }, io);
    await writeOutputs(written, io);
    isWhole &&= hasConverged(said);
    return {
      report: said,
      warnings: said.warnings,
      print: (to) => line(to, `${said.output ?? path}: ${clipText(said)}`),
    };
  });
  return status === EXIT.done && !isWhole ? EXIT.notConverged : status;
}

function hasConverged({ physical }: RetargetClipReport): boolean {
  return physical === undefined || physical.status === 'converged';
}

async function retargetOne(path: string, rigPath: string, options: RetargetOptions, io: Io): Promise<number> {
  const { output, report } = options;
  const outputs: readonly (readonly [Output, readonly string[]])[] = [
    ...(output === undefined ? [] : [[{ option: '--output', path: output }, CLIP_OUTPUTS] as const]),
    ...(report === undefined ? [] : [[{ option: '--report', path: report }, REPORTS] as const]),
  ];
  for (const [file, extensions] of outputs) requireExtension(file, extensions);
  requireSingleStdout(output, options.json);
  await checkOutputs(
    outputs.map(([file]) => file),
    [path, rigPath === HUMAN ? undefined : rigPath, options.rig, contactsPath(options)],
  );
  requireRate(options.rate, output);
  await requireMatch(path);
  const rig = await loadRig(rigPath, path, options, io);
  if (options.physical) requireCharacter(rig);
  const { said, written } = await retargeted(path, rig, options, io);
  await writeOutputs(written, io);
  const done = { report: said, warnings: said.warnings, print: (to: Io) => printReport(said, to) };
  const status = await doOne(done, options, io, reportIo(io, output));
  return status === EXIT.done && !hasConverged(said) ? EXIT.notConverged : status;
}

/** A clip on the rig: the report and the bytes of the files. */
async function retargeted(
  path: string,
  rig: Source,
  options: Omit<RetargetOptions, 'output' | 'report'> & {
    readonly output?: string | undefined;
    readonly report?: string | undefined;
  },
  io: Io,
): Promise<{ said: RetargetClipReport; written: readonly (readonly [path: string, bytes: Uint8Array])[] }> {
  const { output, report, rate } = options;
  if (output !== undefined) requireOutput(rig, output, 'motion');
  const carried = await retargetClip(path, rig, options, io);
  const { motion, physical } = options.physical
    ? physicalClip(carried, io)
    : { motion: carried.motion, physical: undefined };
  const clip = { ...carried, motion };
  const notes = physical === undefined ? [] : physicalWarnings(physical);
  const written: (readonly [path: string, bytes: Uint8Array])[] = [];
  if (output !== undefined) written.push([output, bytesOf(clip, output, rate, notes)]);
  const files = { ...(output !== undefined && { output }), ...(report !== undefined && { report }) };
  const said = { ...reportOf(clip, files, notes), ...(physical && { physical }) };
  if (report !== undefined) written.push([report, reportBytes(report, clip, said)]);
  return { said, written };
}

function reportBytes(path: string, retargeted: RetargetedClip, said: RetargetClipReport): Uint8Array {
  const ending = extname(path).toLowerCase();
  if (ending === '.json') return framesBytes(retargeted, said);
  return ending === '.svg' ? retargetStrip(retargeted) : retargetHtml(retargeted, said);
}

function bytesOf(
  retargeted: RetargetedClip,
  output: string,
  rate: number | undefined,
  notes: string[],
): Uint8Array {
  const { rig, retargeter, motion } = retargeted;
  const computed = { source: rig, figure: retargeter.target, motion, rate: rateOf(retargeted) };
  return motionOutputBytes(computed, output, rate, notes);
}
