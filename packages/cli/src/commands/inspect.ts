/** `poise inspect`: shows the content of a figure. */
import { basename } from 'node:path';
import { type GltfSummary, summarizeGltf, type UrdfJoint } from '@poise/formats';
import {
  type BoneData,
  createPose,
  createState,
  type Figure,
  figureToData,
  forwardKinematics,
  type Triple,
} from 'poise/figure';
import { rigid } from 'poise/math';
import { wholeBodyBones } from '../goals/locked-bones.js';
import { EXIT } from '../io/exit-codes.js';
import { jointText, limitText } from '../io/format-limit.js';
import { type Io, line, styled } from '../io/io.js';
import { count, decimals, triple } from '../io/parse-number.js';
import { loadSource, type Source, type UrdfLimits } from '../io/source.js';
import { table, treeOrder } from '../io/table.js';

export interface InspectOptions {
  /** Height of the built-in figure, m. */
  readonly height?: number;
  /** Which limits of a URDF apply. */
  readonly limits?: UrdfLimits;
  readonly json?: boolean;
}

/** Output of `poise inspect --json`. Includes the members of a figure file, so it can be edited and posed. */
export interface Inspection {
  readonly format: 'poise-inspect';
  readonly version: 1;
  readonly source: { readonly kind: Source['kind']; readonly path?: string };
  readonly name: string;
  /** Up in the world, unit. */
  readonly up: Triple;
  readonly totals: {
    readonly bones: number;
    readonly dof: number;
    /** Total mass, kg; absent where no bone has a mass. */
    readonly mass?: number;
    readonly skins: number;
    readonly animations: number;
    readonly meshes: number;
  };
  /** Bounding box of all origins and tips in the starting pose, m. */
  readonly bounds: { readonly min: Triple; readonly max: Triple };
  readonly bones: readonly InspectedBone[];
  /** Of a URDF, in the order of the file. */
  readonly joints?: readonly UrdfJoint[];
  /** Of a glTF. */
  readonly file?: GltfSummary;
  readonly warnings: readonly string[];
}

export interface InspectedBone extends BoneData {
  readonly index: number;
  readonly dof: number;
  /** Index in the pose of its first coordinate. */
  readonly coordinate: number;
  /** Origin in the starting pose, m. */
  readonly position: Triple;
  /** Whether it moves visible geometry itself. */
  readonly drawn: boolean;
  /** Whether it moves the whole body, so that `poise pose` locks it by default. */
  readonly wholeBody: boolean;
}

/** Runs the command. @returns the exit status. */
export async function inspect(path: string | undefined, options: InspectOptions, io: Io): Promise<number> {
  const source = await loadSource(path, options);
  const inspection = inspectionOf(source);
  if (options.json) line(io, JSON.stringify(inspection, null, 2));
  else printInspection(source, inspection, io);
  return EXIT.done;
}

function inspectionOf({ kind, path, figure, rig, robot, drawn, warnings }: Source): Inspection {
  const state = createState(figure);
  forwardKinematics(state, createPose(figure));
  const frame = (b: number) => state.worldFromBone.subarray(12 * b, 12 * b + 12);
  const whole = wholeBodyBones(figure, drawn);
  const file = rig && summarizeGltf(rig);
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
      ...(mass !== undefined && { mass }),
      skins: file?.skins.length ?? 0,
      animations: file?.animations.length ?? 0,
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
    ...(robot && { joints: [...robot.joints.values()] }),
    ...(file && { file }),
    warnings,
  };
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

function printInspection({ figure, robot }: Source, inspection: Inspection, io: Io): void {
  const { source, totals, bounds, bones, file, warnings } = inspection;
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
      (robot && totals.mass !== undefined ? `${decimals(totals.mass)} kg, ` : '') +
      `${decimals(bounds.max[up] - bounds.min[up])} m high (bone origins and tips${upText})`,
  );
  if (file) line(io, fileText(file));
  line(io);

  const [head, ...body] = table(robot ? robotRows(figure, inspection) : figureRows(figure, inspection));
  line(io, styled(io, 'dim', head));
  for (const row of body) line(io, row);

  if (bones.some((bone) => bone.wholeBody)) {
    line(io);
    line(io, "whole body: moves the whole figure; 'poise pose' locks it unless --free-root is given.");
  }
  if (warnings.length > 0) line(io);
  for (const warning of warnings) line(io, `${styled(io, 'yellow', 'warning:')} ${warning}`);
}

function figureRows(figure: Figure, { bones }: Inspection): string[][] {
  const rows = treeOrder(figure).map(({ bone, lines }) => {
    const { drawn, wholeBody, tip } = bones[bone];
    const b = figure.bones[bone];
    const notes = [wholeBody ? 'whole body' : '', drawn ? '' : 'moves no mesh'].filter(Boolean).join(', ');
    const limit = limitText(figure, b) || (b.dof > 0 ? '-' : '');
    return [`${lines}${b.name}`, jointText(b), String(b.dof), limit, tip ? triple(tip) : '-', notes];
  });
  return [['bone', 'joint', 'dof', 'limit', 'tip (m, bone frame)', ''], ...rows];
}

function robotRows(figure: Figure, { joints = [] }: Inspection): string[][] {
  const jointOf = new Map(joints.map(({ bone, name }) => [bone, name]));
  const rows = treeOrder(figure).map(({ bone, lines }) => {
    const b = figure.bones[bone];
    const limit = limitText(figure, b) || (b.dof > 0 ? '-' : '');
    const mass = b.mass === undefined ? '-' : decimals(b.mass);
    return [`${lines}${b.name}`, jointOf.get(bone) ?? '-', jointText(b), String(b.dof), limit, mass];
  });
  return [['bone (link)', 'joint', 'type', 'dof', 'limit', 'mass (kg)'], ...rows];
}

/** Animations listed in the text at most; `--json` has all. */
const MAX_NAMED = 6;

function fileText({ skins, meshes, animations }: GltfSummary): string {
  const names = animations.slice(0, MAX_NAMED).map(({ name }, i) => name || `#${i}`);
  const more = animations.length > MAX_NAMED ? `, and ${animations.length - MAX_NAMED} more` : '';
  const joints = skins.map((skin) => count(skin.joints, 'joint')).join(', ');
  return [
    `${count(skins.length, 'skin')}${joints ? ` (${joints})` : ''}`,
    count(meshes, 'mesh'),
    `${count(animations.length, 'animation')}${names.length > 0 ? `: ${names.join(', ')}${more}` : ''}`,
  ].join(', ');
}
