/** `poise inspect`: shows the figures and clips of files. */
import { basename } from 'node:path';
import { type GltfSummary, summarizeGltf } from '@poise/formats';
import { FormatError } from 'poise';
import {
  createPose,
  createState,
  type Figure,
  figureToData,
  forwardKinematics,
  type Triple,
} from 'poise/figure';
import { type HumanBone, humanRestPose } from 'poise/humanoid';
import { rigid } from 'poise/math';
import { markerClipOf } from '../fit/marker-clip.js';
import { wholeBodyBones } from '../goals/locked-bones.js';
import { inspectHtml, MAX_CLIPS, markersHtml } from '../html-report/inspect-report.js';
import type { InspectedHumanoid, InspectedMarkers, Inspection } from '../inspect/inspection.js';
import { type ClipInfo, clipOfMotion, clipsOf } from '../io/clips.js';
import { checkFiles, type Done, doEach, doOne, isOneFile, type ListOf, reportsOf } from '../io/each.js';
import { writeOutputs } from '../io/files-written.js';
import { jointText, limitTexts } from '../io/format-limit.js';
import { expandFiles, requireMatch } from '../io/glob.js';
import { heightOf } from '../io/height.js';
import { humanoidOf } from '../io/humanoid.js';
import { type InputKind, readInput } from '../io/input.js';
import { type Io, line, styled } from '../io/io.js';
import { count, decimals, triple } from '../io/parse-number.js';
import {
  HUMAN,
  jsonOf,
  loadSource,
  type Source,
  type SourceOptions,
  sourceOf,
  textOf,
} from '../io/source.js';
import { table, treeOrder } from '../io/table.js';
import { type AllClips, allClips } from '../trajectory/all-clips.js';
import { loadClip } from '../trajectory/load-clip.js';
import { type DocumentReport, documentReport, type InspectedDocument } from './inspect-document.js';
import { inspectedMarkers, printMarkers } from './inspect-markers.js';

export interface InspectOptions extends SourceOptions {
  /** Skeleton of an .amc, model of a .mot. */
  readonly rig?: string;
  /** A .html; a folder gets one of each file. */
  readonly report?: string;
  readonly json?: boolean;
}

/** What `poise inspect --json` prints for several inputs. */
export type InspectionList = ListOf<Inspection | InspectedDocument | InspectedMarkers>;

type Inspected = Done<Inspection | InspectedDocument | InspectedMarkers>;

/** With the bytes of the report, where there is something to draw. */
interface Drawable extends Inspected {
  readonly html?: () => Uint8Array;
}

/** What is shown of the files of a folder: those that say alone what they hold. */
const SHOWN = [
  'gltf',
  'bvh',
  'asf',
  'urdf',
  'osim',
  'trc',
  'c3d',
  'json',
] as const satisfies readonly InputKind[];
/** With the file of their figure. */
const OF_RIG = ['amc', 'mot'] as const satisfies readonly InputKind[];

/**
 * Runs the command. Of several inputs, of a folder or of a pattern, each is inspected whatever happens to the others.
 *
 * @returns the exit status.
 */
export async function inspect(inputs: readonly string[], options: InspectOptions, io: Io): Promise<number> {
  const kinds = options.rig === undefined ? SHOWN : [...SHOWN, ...OF_RIG];
  const paths = await expandFiles(inputs, kinds, 'file that is shown');
  const list = { paths, format: 'poise-inspect-list', noun: 'file', verb: 'inspected' } as const;
  const reports = await reportsOf(options.report, { ...list, paths: paths.length > 0 ? paths : [HUMAN] });
  await checkFiles([['--report', reports]], [...paths, options.rig]);
  const one = async (path: string | undefined, report: string | undefined): Promise<Inspected> => {
    const { html, ...done } = await inspectOne(path, options, io);
    if (report === undefined || (html === undefined && paths.length > 1)) return done;
    if (html === undefined) {
      throw new FormatError('unsupported', `is of a figure or markers, and ${path} has neither.`, {
        path: `--report ${report}`,
        remedy: "Remove the option: 'poise convert CLIP --rig RIG -o OUT --report FILE.html' shows a motion.",
      });
    }
    await writeOutputs([[report, html()]], io);
    const print = (to: Io, isOneOfSeveral: boolean): void => {
      done.print(to, false);
      line(to, `wrote ${report}: the report`);
      if (isOneOfSeveral) line(to);
    };
    return { ...done, print };
  };
  if (isOneFile(inputs, paths)) return doOne(await one(paths[0], reports[0]), options, io);
  return doEach(list, options, io, (path, k) => one(path, reports[k]));
}

async function inspectOne(given: string | undefined, options: InspectOptions, io: Io): Promise<Drawable> {
  const path = given === HUMAN ? undefined : given;
  if (path !== undefined && options.height === undefined) {
    await requireMatch(path);
    const input = await readInput(path, io);
    const document = input.kind === 'json' ? documentReport(jsonOf(input), textOf(input), path) : undefined;
    if (document !== undefined) return inspected(document.inspection, (to) => printDocument(document, to));
    if (input.kind === 'trc' || input.kind === 'c3d') {
      const markers = inspectedMarkers(input);
      const html = (): Uint8Array => markersHtml(markers, markerClipOf(input));
      return { ...inspected(markers, (to) => printMarkers(markers, to)), html };
    }
    if (OF_RIG.some((kind) => kind === input.kind)) {
      const { source, figure, motion, warnings } = await loadClip(input, options, true);
      return inspectSource({ ...source, warnings }, [clipOfMotion(motion)], {
        figure,
        motions: [motion],
        notes: [],
      });
    }
    requireNoRig(options, path);
    return inspectSource(sourceOf(input, options));
  }
  requireNoRig(options, path ?? 'the built-in human');
  return inspectSource(await loadSource(path, options, io));
}

/** @throws FormatError `unsupported` for a file that has its own figure. */
function requireNoRig({ rig }: InspectOptions, path: string): void {
  if (rig === undefined) return;
  throw new FormatError('unsupported', `does not apply to ${path}.`, {
    path: '--rig',
    remedy: 'Remove the option: it is for an .amc or a .mot.',
  });
}

/** @param clips - Of a file that has no figure of its own. */
function inspectSource(source: Source, own: readonly ClipInfo[] = [], clips?: AllClips): Drawable {
  const inspection = inspectionOf(source, own);
  const { figure } = source;
  const rows = inspection.joints ? robotRows(figure, inspection) : figureRows(figure, inspection);
  return {
    ...inspected(inspection, (io) => printInspection(source, inspection, io)),
    html: () => inspectHtml({ source, inspection, clips: clips ?? allClips(source, MAX_CLIPS), rows }),
  };
}

/** What is known of an input; of several there is a line between them. */
function inspected(report: Inspected['report'], print: (io: Io) => void): Inspected {
  return {
    report,
    print(io, isOneOfSeveral) {
      print(io);
      if (isOneOfSeveral) line(io);
    },
  };
}

function printDocument({ inspection, text }: DocumentReport, io: Io): void {
  line(io, `${styled(io, 'bold', inspection.name)} (${basename(inspection.source.path)}): ${text}`);
  printClips(inspection.clips ?? [], io);
}

function inspectionOf(source: Source, own: readonly ClipInfo[]): Inspection {
  const { kind, path, figure, rig, robot, model, drawn, warnings } = source;
  const joints = (robot ?? model)?.joints;
  const { clips: ofFile, notes } = clipsOf(source);
  const clips = [...ofFile, ...own];
  const state = createState(figure);
  forwardKinematics(state, createPose(figure));
  const frame = (b: number) => state.worldFromBone.subarray(12 * b, 12 * b + 12);
  const whole = wholeBodyBones(figure, drawn);
  const file = rig && summarizeGltf(rig);
  const humanoid = path === undefined ? undefined : inspectedHumanoid(source);
  const data = figureToData(figure);
  const mass = massOf(figure);
  return {
    format: 'poise-inspect',
    version: 1,
    source: { kind, ...(path !== undefined && { path }) },
    name: figure.name,
    up: figure.up,
    totals: {
      bones: figure.bones.length,
      dof: figure.dof,
      height: heightOf(source).metres,
      ...(mass !== undefined && { mass }),
      skins: file?.skins.length ?? 0,
      animations: file?.animations.length ?? clips.length,
      meshes: file?.meshes ?? 0,
    },
    bounds: boundsOf(
      figure.bones.flatMap(({ index, tip }) => [
        rigid.toPosition(frame(index)),
        ...(tip ? [rigid.transformPoint(frame(index), tip)] : []),
      ]),
    ),
    bones: figure.bones.map(({ index, dof, coordinate }) => ({
      ...data.bones[index],
      index,
      dof,
      coordinate,
      position: rigid.toPosition(frame(index)) as [number, number, number],
      drawn: drawn[index],
      wholeBody: whole.has(index),
    })),
    ...(joints && { joints: [...joints.values()] }),
    ...(clips.length > 0 && { clips }),
    ...(file && { file }),
    ...(humanoid && { humanoid }),
    warnings: [...warnings, ...notes],
  };
}

function inspectedHumanoid(source: Source): InspectedHumanoid | undefined {
  const { figure } = source;
  const found = humanoidOf(source);
  if (found === undefined) return undefined;
  const bones = Object.entries(found.bones).map(([name, bone]) => {
    const human = name as HumanBone;
    const { confidence, reasons } = found;
    return [
      name,
      { bone: figure.bones[bone].name, confidence: confidence[human] ?? 0, reasons: reasons[human] ?? [] },
    ];
  });
  const { kind, armAngle } = humanRestPose(figure, found);
  const restPose = { kind, armAngle: Number(((180 / Math.PI) * armAngle).toFixed(1)) };
  return { up: found.up, forward: found.forward, restPose, bones: Object.fromEntries(bones) };
}

const REST_POSES = { T: 'T', A: 'A', other: 'neither T nor A' } as const;

function printHumanoid({ bones, restPose }: InspectedHumanoid, io: Io): void {
  line(io);
  line(io, `rest pose: ${REST_POSES[restPose.kind]}, upper arms ${decimals(restPose.armAngle)}° below level`);
  const rows = Object.entries(bones).map(([human, { bone, confidence, reasons }]) => {
    return [human, bone, decimals(confidence), reasons.join('; ')];
  });
  const [head, ...body] = table([['human bone', 'bone', 'sure', 'because'], ...rows]);
  line(io, styled(io, 'dim', head));
  for (const row of body) line(io, row);
}

function boundsOf(points: readonly number[][]): { min: Triple; max: Triple } {
  const bound = (pick: (a: number, b: number) => number): Triple => {
    const [x, y, z] = [0, 1, 2].map((k) => points.map((p) => p[k]).reduce(pick, points[0]?.[k] ?? 0));
    return [x, y, z];
  };
  return { min: bound((a, b) => Math.min(a, b)), max: bound((a, b) => Math.max(a, b)) };
}

/** kg; undefined where no bone has a mass. */
function massOf({ bones }: Figure): number | undefined {
  const masses = bones.flatMap(({ mass }) => mass ?? []);
  return masses.length === 0 ? undefined : masses.reduce((sum, mass) => sum + mass, 0);
}

const HEIGHTS = { mesh: 'mesh', bones: 'bone origins and tips' } as const;

function printInspection(given: Source, inspection: Inspection, io: Io): void {
  const { figure } = given;
  const { source, totals, bones, joints, file, warnings } = inspection;
  const origin = file
    ? `${basename(source.path as string)}: ${file.kind === 'glb' ? 'GLB' : 'glTF'}${file.generator ? ` by ${file.generator}` : ''}`
    : source.kind === 'built-in'
      ? 'built-in figure'
      : basename(source.path as string);
  const up = figure.up.reduce(
    (largest, x, k, all) => (Math.abs(x) > Math.abs(all[largest]) ? k : largest),
    0,
  );
  const upText = up === 1 && figure.up[1] > 0 ? '' : `; ${figure.up[up] > 0 ? '+' : '-'}${'XYZ'[up]} up`;
  line(io, `${styled(io, 'bold', inspection.name)} (${origin})`);
  line(
    io,
    `${count(totals.bones, 'bone')}, ${totals.dof} degrees of freedom, ` +
      (joints && totals.mass !== undefined ? `${decimals(totals.mass)} kg, ` : '') +
      `${decimals(totals.height)} m high (${HEIGHTS[heightOf(given).of]}${upText})`,
  );
  if (file) line(io, fileText(file));
  line(io);

  const [head, ...body] = table(joints ? robotRows(figure, inspection) : figureRows(figure, inspection));
  line(io, styled(io, 'dim', head));
  for (const row of body) line(io, row);
  if (inspection.humanoid) printHumanoid(inspection.humanoid, io);
  printClips(inspection.clips ?? [], io);

  if (bones.some((bone) => bone.wholeBody)) {
    line(io);
    line(io, "whole body: moves the whole figure; 'poise pose' locks it unless --free-root is given.");
  }
  if (warnings.length > 0) line(io);
  for (const warning of warnings) line(io, `${styled(io, 'yellow', 'warning:')} ${warning}`);
}

function printClips(clips: readonly ClipInfo[], io: Io): void {
  if (clips.length === 0) return;
  line(io);
  const [head, ...rows] = table([
    ['clip', 'length (s)', 'frames', 'per second', 'channels'],
    ...clips.map(({ name, start, end, frames, rate, channels }, index) => [
      name || `#${index}`,
      `${decimals(end - start)}${start === 0 ? '' : `, from ${decimals(start)}`}`,
      String(frames),
      rate === undefined ? '-' : decimals(rate),
      String(channels),
    ]),
  ]);
  line(io, styled(io, 'dim', head));
  for (const row of rows) line(io, row);
}

function figureRows(figure: Figure, { bones }: Inspection): string[][] {
  const limits = limitTexts(figure);
  const rows = treeOrder(figure).map(({ bone, lines }) => {
    const { drawn, wholeBody, tip } = bones[bone];
    const b = figure.bones[bone];
    const notes = [wholeBody ? 'whole body' : '', drawn ? '' : 'moves no mesh'].filter(Boolean).join(', ');
    const limit = limits[bone] || (b.dof > 0 ? '-' : '');
    return [`${lines}${b.name}`, jointText(b), String(b.dof), limit, tip ? triple(tip) : '-', notes];
  });
  return [['bone', 'joint', 'dof', 'limit', 'tip (m, bone frame)', ''], ...rows];
}

function robotRows(figure: Figure, { joints = [] }: Inspection): string[][] {
  const jointOf = new Map(joints.map(({ bone, name }) => [bone, name]));
  const limits = limitTexts(figure);
  const rows = treeOrder(figure).map(({ bone, lines }) => {
    const b = figure.bones[bone];
    const limit = limits[bone] || (b.dof > 0 ? '-' : '');
    const mass = b.mass === undefined ? '-' : decimals(b.mass);
    return [`${lines}${b.name}`, jointOf.get(bone) ?? '-', jointText(b), String(b.dof), limit, mass];
  });
  return [['bone (link)', 'joint', 'type', 'dof', 'limit', 'mass (kg)'], ...rows];
}

function fileText({ skins, meshes, animations }: GltfSummary): string {
  const joints = skins.map((skin) => count(skin.joints, 'joint')).join(', ');
  return [
    `${count(skins.length, 'skin')}${joints ? ` (${joints})` : ''}`,
    count(meshes, 'mesh'),
    count(animations.length, 'animation'),
  ].join(', ');
}
