/** `poise limits`: the human bones of a rig, and the limits that a human's joints give it. */
import { basename } from 'node:path';
import { figureToData } from 'poise/figure';
import type { HumanBone } from 'poise/humanoid';
import { type Movement, movementsOf, movementsText } from '../io/body-limits.js';
import { EXIT } from '../io/exit-codes.js';
import {
  checkOutputs,
  reportIo,
  requireExtension,
  requireSingleStdout,
  writeOutputs,
} from '../io/files-written.js';
import { jointText, limitTexts } from '../io/format-limit.js';
import { humanoidOf } from '../io/humanoid.js';
import { STANDARD } from '../io/input.js';
import { type Io, json, line, styled, warn } from '../io/io.js';
import { count, decimals } from '../io/parse-number.js';
import { loadSource, type Source, type SourceOptions, withHumanJoints } from '../io/source.js';
import { table } from '../io/table.js';
import { limitsPicture } from '../limits/limits-picture.js';

export interface LimitsOptions extends SourceOptions {
  /** The figure with the limits: a .json. */
  readonly output?: string;
  /** The figure with its limits drawn: an .svg. */
  readonly picture?: string;
  readonly json?: boolean;
}

/** What `poise limits --json` prints. */
export interface LimitsReport {
  readonly format: 'poise-limits-report';
  readonly version: 1;
  readonly source: { readonly kind: Source['kind']; readonly path?: string };
  readonly figure: string;
  readonly bones: readonly LimitedBone[];
  /** Bones between human bones, whose joints are fixed; and those below, which turn by at most 60 degrees. */
  readonly fixed: readonly string[];
  readonly loose: readonly string[];
  readonly output?: string;
  readonly picture?: string;
  readonly warnings: readonly string[];
}

export interface LimitedBone {
  readonly human: string;
  readonly bone: string;
  /** 0 to 1. */
  readonly confidence: number;
  readonly joint: string;
  /** From the rest pose, degrees, both directions of each coordinate; left out for a joint with a limit of its own. */
  readonly movements?: readonly Movement[];
  /** The same in words. */
  readonly text: string;
}

/** Runs the command. @returns the exit status. */
export async function limits(path: string | undefined, options: LimitsOptions, io: Io): Promise<number> {
  const { output, picture } = options;
  const outputs = [
    ...(output === undefined ? [] : [[{ option: '--output', path: output }, ['.json']] as const]),
    ...(picture === undefined ? [] : [[{ option: '--picture', path: picture }, ['.svg']] as const]),
  ];
  for (const [file, extensions] of outputs) requireExtension(file, extensions);
  for (const [{ path: written }] of outputs) requireSingleStdout(written, options.json);
  await checkOutputs(
    outputs.map(([file]) => file),
    [path],
  );
  const given = await loadSource(path, options, io);
  const source = given.kind === 'built-in' ? given : withHumanJoints(given);
  const report = reportOf(given, source, options);
  const files: (readonly [path: string, bytes: Uint8Array])[] = [];
  if (output !== undefined) {
    files.push([
      output,
      new TextEncoder().encode(`${JSON.stringify(figureToData(source.figure), null, 2)}\n`),
    ]);
  }
  if (picture !== undefined) files.push([picture, pictureOf(source, report)]);
  await writeOutputs(files, io);
  warn(io, report.warnings);
  if (options.json) json(io, report);
  else print(report, reportIo(io, output === STANDARD ? output : picture));
  return EXIT.done;
}

function reportOf(
  { figure: given }: Source,
  { kind, path, figure, human, warnings }: Source,
  { output, picture }: LimitsOptions,
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
    warnings,
  };
}

function pictureOf(source: Source, { figure, bones }: LimitsReport): Uint8Array {
  const humanoid = humanoidOf(source);
  // Without a humanoid its limits are refused before.
  if (humanoid === undefined) throw new Error('limits of no humanoid');
  const svg = limitsPicture({
    title: `Limits of ${figure}`,
    figure: source.figure,
    humanoid,
    drawn: source.drawn,
    words: new Map(bones.map(({ bone, text }) => [bone, text])),
  });
  return new TextEncoder().encode(svg);
}

function print({ figure, source, bones, fixed, loose, output, picture }: LimitsReport, io: Io): void {
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
}
