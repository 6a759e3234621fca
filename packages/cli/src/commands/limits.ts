/** `poise limits`: the human bones of a rig, and the limits that a human's joints give it. */
import { basename } from 'node:path';
import { figureToData } from 'poise/figure';
import type { HumanBone } from 'poise/humanoid';
import { limitsPicture } from '../html-report/limits-picture.js';
import { limitsHtml } from '../html-report/limits-report.js';
import { movementsOf, movementsText } from '../io/body-limits.js';
import { checkFiles, type Done, doEach, doOne, filesIn, isFolder, isOneFile, reportsOf } from '../io/each.js';
import {
  checkOutputs,
  reportIo,
  requireExtension,
  requireSingleStdout,
  writeOutputs,
} from '../io/files-written.js';
import { jointText, limitTexts } from '../io/format-limit.js';
import { expandFiles, requireMatch } from '../io/glob.js';
import { humanoidOf } from '../io/humanoid.js';
import { type InputKind, isStandardOutput } from '../io/input.js';
import { type Io, line, styled } from '../io/io.js';
import { count, decimals } from '../io/parse-number.js';
import { HUMAN, loadSource, type Source, type SourceOptions, withHumanJoints } from '../io/source.js';
import { table } from '../io/table.js';
import type { LimitedBone, LimitsReport } from '../limits/report.js';
import { allClips } from '../trajectory/all-clips.js';
import { clipsOutside } from '../trajectory/clips-outside.js';

export interface LimitsOptions extends SourceOptions {
  /** The figure with the limits: a .json, or a folder that gets one of each rig. */
  readonly output?: string;
  /** The figure with its limits drawn: an .svg, or a folder. */
  readonly picture?: string;
  /** A .html, or a folder. */
  readonly report?: string;
  readonly json?: boolean;
}

/** What is a rig in a folder: the files that say alone what they hold. */
const RIG_KINDS = ['gltf', 'bvh', 'asf', 'urdf', 'osim'] as const satisfies readonly InputKind[];

/** Runs the command. @param files - Rigs, folders and patterns of rigs; none for the built-in human. @returns the exit status. */
export async function limits(files: readonly string[], options: LimitsOptions, io: Io): Promise<number> {
  const { output, picture } = options;
  const paths = await expandFiles(files, RIG_KINDS, 'rigs');
  const rigs = { paths, format: 'poise-limits-list', noun: 'rig', verb: 'shown' } as const;
  const [toFolder, picturesToFolder] = [
    await isFolder({ option: '--output', path: output }, rigs),
    await isFolder({ option: '--picture', path: picture }, rigs),
  ];
  // Without a file it is the built-in human.
  const reports = await reportsOf(options.report, { ...rigs, paths: paths.length > 0 ? paths : [HUMAN] });
  if (isOneFile(files, paths) && !toFolder && !picturesToFolder) {
    const done = await limitsOne(
      paths[0],
      { ...options, ...(reports.length > 0 && { report: reports[0] }) },
      io,
    );
    return doOne(
      done,
      options,
      io,
      reportIo(io, output !== undefined && isStandardOutput(output) ? output : picture),
    );
  }
  const filesOf = (folder: string | undefined, isOne: boolean, extension: string): string[] =>
    folder === undefined ? [] : isOne ? filesIn(folder, paths, extension) : [folder];
  const outputs = filesOf(output, toFolder, '.json');
  const pictures = filesOf(picture, picturesToFolder, '.svg');
  const written = [
    ['--output', outputs] as const,
    ['--picture', pictures] as const,
    ['--report', reports] as const,
  ];
  await checkFiles(written, paths);
  return doEach(rigs, options, io, (path, k) => {
    const { output: _, picture: __, report: ___, ...others } = options;
    const own = {
      ...(outputs[k] !== undefined && { output: outputs[k] }),
      ...(pictures[k] !== undefined && { picture: pictures[k] }),
      ...(reports[k] !== undefined && { report: reports[k] }),
    };
    return limitsOne(path, { ...others, ...own }, io);
  });
}

async function limitsOne(
  given: string | undefined,
  options: LimitsOptions,
  io: Io,
): Promise<Done<LimitsReport>> {
  const { output, picture, report: html } = options;
  const path = given === HUMAN ? undefined : given;
  const outputs = [
    ...(output === undefined ? [] : [[{ option: '--output', path: output }, ['.json']] as const]),
    ...(picture === undefined ? [] : [[{ option: '--picture', path: picture }, ['.svg']] as const]),
  ];
  for (const [file, extensions] of outputs) requireExtension(file, extensions);
  for (const [{ path: written }] of outputs) requireSingleStdout(written, options.json);
  await checkOutputs(
    [...outputs.map(([file]) => file), ...(html === undefined ? [] : [{ option: '--report', path: html }])],
    [path],
  );
  if (path !== undefined) await requireMatch(path);
  const rig = await loadSource(path, options, io);
  const source = rig.kind === 'built-in' ? rig : withHumanJoints(rig);
  const report = reportOf(rig, source, options);
  const files: (readonly [path: string, bytes: Uint8Array])[] = [];
  if (output !== undefined) {
    files.push([
      output,
      new TextEncoder().encode(`${JSON.stringify(figureToData(source.figure), null, 2)}\n`),
    ]);
  }
  if (picture !== undefined) files.push([picture, new TextEncoder().encode(pictureOf(source, report))]);
  if (html !== undefined) {
    const outside = clipsOutside(source.figure, allClips(rig));
    const drawing = pictureOf(source, report);
    files.push([html, limitsHtml({ figure: source.figure, said: report, picture: drawing, outside })]);
  }
  await writeOutputs(files, io);
  return {
    report,
    warnings: report.warnings,
    print(to, isOneOfSeveral) {
      print(report, to);
      if (isOneOfSeveral) line(to);
    },
  };
}

function reportOf(
  { figure: given }: Source,
  { kind, path, figure, human, warnings }: Source,
  { output, picture, report }: LimitsOptions,
): LimitsReport {
  const found = humanoidOf({ figure: given, ...(human && { human }) });
  const texts = limitTexts(figure);
  const bones = Object.entries(found?.bones ?? {}).map(([name, bone]): LimitedBone => {
    const before = given.bones[bone];
    const now = figure.bones[bone];
    const isGiven = before.joint.type === 'ball' && before.limit === undefined && now.joint.type !== 'ball';
    const isHuman = texts[bone] !== '' && (kind === 'built-in' || isGiven);
    const movements = isHuman ? movementsOf(figure, bone, name) : undefined;
    // A robot has several hinges in a joint of the body.
    const chain = (found?.joints[name as HumanBone] ?? [bone]).filter((b) => texts[b] !== '');
    const own = chain.map((b) => (b === bone ? texts[b] : `${figure.bones[b].name} ${texts[b]}`)).join(', ');
    return {
      human: name,
      bone: now.name,
      confidence: found?.confidence[name as HumanBone] ?? 0,
      joint: jointText(now),
      ...(movements && { movements }),
      text: movements ? movementsText(movements) : own || '-',
    };
  });
  const named = new Set<number>(Object.values(found?.bones ?? {}));
  const changed = figure.bones.filter(({ index, joint, limit }) => {
    if (named.has(index)) return false;
    const before = given.bones[index];
    return before.joint.type !== joint.type || (before.limit === undefined && limit !== undefined);
  });
  const namesOf = (isFixed: boolean): string[] =>
    changed.filter(({ joint }) => (joint.type === 'fixed') === isFixed).map(({ name }) => name);
  return {
    format: 'poise-limits-report',
    version: 1,
    source: { kind, ...(path !== undefined && { path }) },
    figure: figure.name,
    bones,
    fixed: namesOf(true),
    loose: namesOf(false),
    ...(output !== undefined && { output }),
    ...(picture !== undefined && { picture }),
    ...(report !== undefined && { report }),
    warnings,
  };
}

function pictureOf(source: Source, { figure, bones }: LimitsReport): string {
  const humanoid = humanoidOf(source);
  // Without a humanoid its limits are refused before.
  if (humanoid === undefined) throw new Error('limits of no humanoid');
  return limitsPicture({
    title: `Limits of ${figure}`,
    figure: source.figure,
    humanoid,
    drawn: source.drawn,
    words: new Map(bones.map(({ bone, text }) => [bone, text])),
  });
}

function print({ figure, source, bones, fixed, loose, output, picture, report }: LimitsReport, io: Io): void {
  const origin = source.path === undefined ? 'built-in figure' : basename(source.path);
  line(
    io,
    `${styled(io, 'bold', figure)} (${origin}): ${count(bones.length, 'human bone')}, limits from the rest pose`,
  );
  line(io);
  const rows = bones.map(({ human, bone, confidence, text }) => [human, bone, decimals(confidence, 2), text]);
  const [head, ...body] = table([['human bone', 'bone', 'sure', 'limits'], ...rows]);
  line(io, styled(io, 'dim', head));
  for (const row of body) line(io, row);
  if (fixed.length > 0) line(io, `fixed, between these: ${fixed.join(', ')}`);
  if (loose.length > 0) line(io, `up to 60°, below these: ${loose.join(', ')}`);
  for (const written of [output, picture]) if (written !== undefined) line(io, `wrote ${written}`);
  if (report !== undefined) line(io, `wrote ${report}: the report`);
}
