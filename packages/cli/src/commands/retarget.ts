/** `poise retarget`: clips of other characters on a rig. */
import { basename, extname, join } from 'node:path';
import { FormatError, PoiseError } from 'poise';
import { retargetHtml } from '../html-report/retarget-report.js';
import { retargetStrip } from '../html-report/retarget-strip.js';
import { EXIT } from '../io/exit-codes.js';
import {
  checkOutputs,
  type Output,
  reportIo,
  requireExtension,
  requireSingleStdout,
  writeOutputs,
} from '../io/files-written.js';
import { expandFiles, isDirectory, requireMatch } from '../io/glob.js';
import { type InputKind, kindOfName, STANDARD } from '../io/input.js';
import { type Io, json, line, warn } from '../io/io.js';
import { CLIP_OUTPUTS, outputKind, requireOutput } from '../io/output.js';
import { count } from '../io/parse-number.js';
import { type ErrorReport, errorReport, reportError } from '../io/report-error.js';
import { HUMAN, loadSource, type Source, type SourceOptions } from '../io/source.js';
import { framesBytes } from '../retarget/frames-file.js';
import { type RetargetClipOptions, type RetargetedClip, retargetClip } from '../retarget/retarget-clip.js';
import { clipText, printReport, type RetargetClipReport, rateOf, reportOf } from '../retarget/summary.js';
import { motionOutputBytes } from '../trajectory/motion-output.js';

export interface RetargetOptions extends RetargetClipOptions {
  /** Samples per second of a .csv, .bvh, or of a .json in place of the motion. */
  readonly rate?: number;
  /** A file; of several clips a folder. */
  readonly output?: string;
  /** A .html or a .json of all frames. */
  readonly report?: string;
  readonly json?: boolean;
}

/** What `poise retarget --json` prints of several clips. */
export interface RetargetList {
  readonly format: 'poise-retarget-list';
  readonly version: 1;
  readonly done: number;
  readonly failed: number;
  /** In the order of the clips. */
  readonly results: readonly (RetargetClipReport | ErrorReport)[];
}

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
  const { output, report } = options;
  const isFolder = output !== undefined && output !== STANDARD && (await isDirectory(output));
  const clips = await expandFiles(given, CLIP_KINDS, 'clips');
  if (!isFolder && clips.length > 1) {
    throw new FormatError('unsupported', `${count(clips.length, 'clip')} do not go into one file.`, {
      path: output === undefined ? 'poise retarget' : `--output ${output}`,
      remedy: 'Give a folder that exists: -o FOLDER.',
    });
  }
  if (isFolder && report !== undefined) {
    throw new FormatError('unsupported', 'is of one clip that goes into a file.', {
      path: `--report ${report}`,
      remedy: 'Remove the option, or give one clip and a file: -o OUTPUT.',
    });
  }
  return isFolder
    ? retargetAll(clips, rigPath, output, options, io)
    : retargetOne(clips[0], rigPath, options, io);
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
    [path, rigPath === HUMAN ? undefined : rigPath, options.rig],
  );
  requireRate(options);
  await requireMatch(path);
  const rig = await loadRig(rigPath, path, options, io);
  if (output !== undefined) requireOutput(rig, output, 'motion');
  const retargeted = await retargetClip(path, rig, options, io);
  const notes: string[] = [];
  const written: (readonly [path: string, bytes: Uint8Array])[] = [];
  if (output !== undefined) written.push([output, bytesOf(retargeted, output, options.rate, notes)]);
  const said = reportOf(
    retargeted,
    { ...(output !== undefined && { output }), ...(report !== undefined && { report }) },
    notes,
  );
  if (report !== undefined) {
    written.push([report, reportBytes(report, retargeted, said)]);
  }
  await writeOutputs(written, io);
  warn(io, said.warnings);
  if (options.json) json(io, said);
  else printReport(said, reportIo(io, output));
  return EXIT.done;
}

function reportBytes(path: string, retargeted: RetargetedClip, said: RetargetClipReport): Uint8Array {
  const ending = extname(path).toLowerCase();
  if (ending === '.json') return framesBytes(retargeted, said);
  return ending === '.svg' ? retargetStrip(retargeted) : retargetHtml(retargeted, said);
}

/** Each clip whatever becomes of the others. */
async function retargetAll(
  clips: readonly string[],
  rigPath: string,
  folder: string,
  options: RetargetOptions,
  io: Io,
): Promise<number> {
  const rig = await loadRig(rigPath, undefined, options, io);
  const extension = outputExtension(rig);
  const outputs = clips.map((path) => join(folder, `${basename(path, extname(path))}${extension}`));
  await checkOutputs(
    outputs.map((path) => ({ option: '--output', path })),
    [...clips, rig.path, options.rig],
  );
  const progress = createProgress(io, clips.length);
  const results: RetargetList['results'][number][] = [];
  let failed = 0;
  for (const [k, path] of clips.entries()) {
    progress.show(k, path);
    try {
      await requireMatch(path);
      const retargeted = await retargetClip(path, rig, options, io);
      const notes: string[] = [];
      await writeOutputs([[outputs[k], bytesOf(retargeted, outputs[k], options.rate, notes)]], io);
      const said = reportOf(retargeted, { output: outputs[k] }, notes);
      progress.clear();
      results.push(said);
      warn(io, said.warnings);
      if (!options.json) line(io, `${outputs[k]}: ${clipText(said)}`);
    } catch (error) {
      if (!(error instanceof PoiseError)) throw error;
      failed++;
      progress.clear();
      reportError(error, false, io);
      results.push(errorReport(error) as ErrorReport);
    }
  }
  const done = clips.length - failed;
  if (options.json) {
    const list: RetargetList = { format: 'poise-retarget-list', version: 1, done, failed, results };
    json(io, list);
  } else line(io, `${count(clips.length, 'clip')}: ${done} retargeted, ${failed} failed`);
  return failed === 0 ? EXIT.done : done === 0 ? EXIT.badInput : EXIT.someFailed;
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

/** The rig. @param clip - A path of the clip alone, which has the options of a BVH too. */
async function loadRig(
  path: string,
  clip: string | undefined,
  options: RetargetOptions,
  io: Io,
): Promise<Source> {
  const { height, limits, units, up, human, budget, joints } = options;
  const isClipBvh = clip === undefined || kindOfName(clip) === 'bvh';
  const ofBvh = kindOfName(path) === 'bvh' || !isClipBvh;
  const own: SourceOptions = {
    ...(height !== undefined && { height }),
    ...(limits !== undefined && { limits }),
    ...(ofBvh && units !== undefined && { units }),
    ...(ofBvh && up !== undefined && { up }),
    ...(human && { human }),
    ...(budget && { budget }),
  };
  if (path === HUMAN) return loadSource(undefined, own);
  return loadSource(path, { ...own, ...(joints && { joints }) }, io);
}

/** Extension of the files of several clips: that of the rig's own file where it is written as such. */
function outputExtension({ kind, path }: Source): string {
  if (kind === 'gltf') {
    const own = path === undefined ? '' : extname(path).toLowerCase();
    return CLIP_OUTPUTS.includes(own) ? own : '.glb';
  }
  if (kind === 'bvh' || kind === 'asf') return '.bvh';
  return kind === 'urdf' || kind === 'mjcf' ? '.csv' : '.glb';
}

const CLIP_KINDS = ['bvh', 'amc', 'gltf', 'mot'] as const satisfies readonly InputKind[];

/** @throws FormatError `unsupported` for a rate of an animation, which keeps its keys. */
function requireRate({ rate, output }: RetargetOptions): void {
  if (rate === undefined || (output !== undefined && ['csv', 'json', 'bvh'].includes(outputKind(output))))
    return;
  throw new FormatError('unsupported', 'applies only to samples, a .csv, .json or .bvh.', {
    path: '--rate',
    remedy: 'Remove the option.',
  });
}

/** On a terminal the clip at work, on a line that is overwritten. */
function createProgress(io: Io, clips: number): { show(k: number, path: string): void; clear(): void } {
  let length = 0;
  const write = (text: string): void => {
    if (!io.live) return;
    io.err(`\r${text.padEnd(length)}`);
    length = text.length;
  };
  return {
    show: (k, path) => write(`[${k + 1}/${clips}] ${path}`),
    clear() {
      if (length === 0) return;
      write('');
      io.err('\r');
    },
  };
}
