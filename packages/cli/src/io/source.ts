/** Loads the figure of a command: built in, from a glTF, a URDF or a figure file. */
import { basename, extname } from 'node:path';
import {
  type AsfSkeleton,
  type BvhClip,
  drawnBones,
  type GltfDocument,
  type GltfRig,
  type MjcfModel,
  type OsimModel,
  parseGltf,
  parseJson,
  type ReadBudget,
  type ReadBvhOptions,
  type ReadUrdfOptions,
  readAsf,
  readBvh,
  readMjcf,
  readOsim,
  readUrdf,
  requireBudget,
  rigFromDocument,
  type UrdfRobot,
  vrmHumanoid,
  webxrHandParent,
} from '@poise/formats';
import { readBytes } from '@poise/formats/node';
import { FigureError, FormatError } from 'poise';
import { createFigure, type Figure, type FigureData } from 'poise/figure';
import { createHumanFigure, type HumanBoneMap, withAnatomicalLimits } from 'poise/humanoid';
import { commandWarning } from './cures.js';
import { checkHumanBones, type HumanOption, noHumanoid } from './humanoid.js';
import { type Input, type InputKind, readInput, STANDARD } from './input.js';
import type { Io } from './io.js';

/** A figure and where it comes from. */
export interface Source {
  readonly kind: 'built-in' | 'gltf' | 'urdf' | 'mjcf' | 'osim' | 'bvh' | 'asf' | 'figure';
  /** Path as given, `-` for stdin; absent for the built-in figure. */
  readonly path?: string;
  readonly figure: Figure;
  /** Of the built-in figure, m. */
  readonly height?: number;
  /** For `gltf`. */
  readonly rig?: GltfRig;
  /** For `urdf`. */
  readonly robot?: UrdfRobot;
  /** For `mjcf`. */
  readonly model?: MjcfModel;
  /** For `osim`. */
  readonly osim?: OsimModel;
  /** For `bvh`: skeleton and motion. */
  readonly bvh?: BvhClip;
  /** For `asf`. */
  readonly asf?: AsfSkeleton;
  /** By bone: whether it moves visible geometry itself. */
  readonly drawn: readonly boolean[];
  /** Human bones as the command line or the file names them. */
  readonly human?: Readonly<HumanBoneMap<string | null>>;
  /** One sentence each. */
  readonly warnings: readonly string[];
}

/** Default height of the built-in figure, m. */
const DEFAULT_HEIGHT = 1.75;
/** The word for the built-in human as a rig; a file of that name is `./human`. */
export const HUMAN = 'human';

/** Options of the figure. */
export interface SourceOptions {
  /** Height of the built-in figure, m. */
  readonly height?: number;
  /** Which limits of a URDF apply. */
  readonly limits?: UrdfLimits;
  /** Metres in a unit of a BVH, and its up axis. Default: found where it is the skeleton of a person. */
  readonly units?: number;
  readonly up?: 'y' | 'z';
  /** Frame of a BVH that is its rest pose, from 1. Default: the OFFSETs, or a frame where these are no pose of a human. */
  readonly restFrame?: number;
  /** `anatomical` gives a character the joints and limits of a human. Default: those of the file. */
  readonly joints?: Joints;
  /** Corrects the human bones found: names of bones by human bone, null for none. */
  readonly human?: Readonly<HumanBoneMap<string | null>>;
  /** The option that `human` is of. Default `--human`. */
  readonly humanOption?: HumanOption;
  /** How much a file may ask for. */
  readonly budget?: ReadBudget;
}

export type Joints = 'given' | 'anatomical';

export type UrdfLimits = NonNullable<ReadUrdfOptions['limits']>;

/**
 * Loads a figure: a .glb, .vrm or .gltf rig; a .urdf robot or the .xml of an MJCF model, in the axes of the file (+Z up); an .osim model; the skeleton of a .bvh or .asf; a .json figure file (what
 * `poise inspect --json` prints); `-`, any of these from stdin; without a path the built-in human.
 *
 * @throws FormatError, FigureError with the location in the file.
 */
export async function loadSource(
  path: string | undefined,
  options: SourceOptions = {},
  io?: Pick<Io, 'input' | 'kept'>,
): Promise<Source> {
  if (path !== undefined && io?.kept?.paths.has(path)) {
    const { kept: _, ...rest } = io;
    const { height, limits, units, up, restFrame, joints, human, budget } = options;
    const key = JSON.stringify([path, { height, limits, units, up, restFrame, joints, human, budget }]);
    const source =
      (io.kept.sources.get(key) as Promise<Source> | undefined) ?? loadSource(path, options, rest);
    io.kept.sources.set(key, source);
    const { sources } = io.kept;
    // What failed is tried again by the next command: a file may be out of reach for a moment.
    source.catch(() => sources.delete(key));
    return source;
  }
  if (path !== undefined) {
    if (options.height === undefined) return sourceOf(await readInput(path, io), options);
    throw new FormatError('unsupported', 'applies only to the built-in figure.', {
      path: '--height',
      remedy: `Remove the option: ${path} has its own size.`,
    });
  }
  requireKind(options, 'built-in');
  if (options.human) {
    throw new FormatError('unsupported', 'applies only to the rig of a file.', {
      path: '--human',
      remedy: 'Remove the option: the built-in human has the bones of a human.',
    });
  }
  const height = options.height ?? DEFAULT_HEIGHT;
  if (builtIn?.height === height) return builtIn;
  const figure = createHumanFigure({ height });
  builtIn = { kind: 'built-in', height, figure, drawn: figure.bones.map(() => true), warnings: [] };
  return builtIn;
}

/** The built-in human that was asked for last: jobs of a batch have one, and what is found of a figure is found once. */
let builtIn: Source | undefined;

/** The figure of a file that was read. @throws FormatError, FigureError with the location in the file. */
export function sourceOf(input: Input, options: Omit<SourceOptions, 'height'> = {}): Source {
  const read = readSource(input, options);
  const declared = read.rig && vrmHumanoid(read.rig);
  const human = declared || options.human ? { ...declared, ...options.human } : undefined;
  // Names that are wrong are refused here.
  if (options.human)
    checkHumanBones({ figure: read.figure, ...(human && { human }) }, options.humanOption ?? '--human');
  const warnings = read.warnings.map((warning) => commandWarning(warning));
  const source: Source = { ...read, ...(human && { human }), warnings };
  return options.joints === 'anatomical' ? withHumanJoints(source) : source;
}

function readSource(input: Input, options: Omit<SourceOptions, 'height'>): Source {
  const { path, name, kind, bytes, resource } = input;
  requireKind(options, kind);
  const given = options.budget === undefined ? {} : { budget: options.budget };
  if (kind === 'gltf') {
    const document = parseGltf(bytes, { source: name, ...given, ...(resource && { resource }) });
    const { rig, notes } = readRig(document);
    return {
      kind,
      path,
      figure: rig.figure,
      rig,
      drawn: drawnBones(rig),
      warnings: [...rig.warnings, ...notes],
    };
  }
  if (kind === 'urdf') {
    const { limits } = options;
    const robot = readUrdf(bytes, { source: name, ...given, ...(limits !== undefined && { limits }) });
    const { figure, warnings } = robot;
    return { kind, path, figure, robot, drawn: figure.bones.map(() => true), warnings };
  }
  if (kind === 'bvh') {
    const { units: scale = 'auto', up: fileUpAxis = 'auto' } = options;
    const bvh = readWithRest(bytes, { source: name, ...given, scale, fileUpAxis }, options.restFrame);
    const { figure, warnings } = bvh;
    return { kind, path, figure, bvh, drawn: figure.bones.map(() => true), warnings };
  }
  if (kind === 'mjcf') {
    const model = readMjcf(bytes, { source: name, ...given, ...(resource && { resource }) });
    const { figure, warnings } = model;
    return { kind, path, figure, model, drawn: figure.bones.map(() => true), warnings };
  }
  if (kind === 'osim') {
    const osim = readOsim(bytes, { source: name, ...given });
    const { figure, warnings } = osim;
    return { kind, path, figure, osim, drawn: figure.bones.map(() => true), warnings };
  }
  if (kind === 'asf') {
    const asf = readAsf(bytes, { source: name, ...given });
    const { figure, warnings } = asf;
    return { kind, path, figure, asf, drawn: figure.bones.map(() => true), warnings };
  }
  if (kind === 'amc') {
    throw new FormatError('unsupported', 'is a motion without its skeleton.', {
      path,
      remedy: `Give both: poise convert ${path} --rig SKELETON.asf -o OUTPUT.`,
    });
  }
  if (kind === 'mot') {
    throw new FormatError('unsupported', 'is a motion without its model.', {
      path,
      remedy: `Give both: poise convert ${path} --rig MODEL.osim -o OUTPUT.`,
    });
  }
  if (kind === 'trc' || kind === 'c3d') {
    throw new FormatError('unsupported', 'has markers, but no skeleton.', {
      path,
      remedy: `Fit a model to them: poise fit ${path} MODEL.osim -o OUTPUT.`,
    });
  }
  return figureSource(input, options.budget);
}

/** Reads a BVH with a rest pose that stands. @param frame - Of the rest pose, from 1. @throws FormatError with the option for one that the file has not. */
function readWithRest(bytes: Uint8Array, options: ReadBvhOptions, frame: number | undefined): BvhClip {
  if (frame === undefined) return readBvh(bytes, { ...options, rest: 'auto' });
  const { frames } = readBvh(bytes, options);
  if (Number.isInteger(frame) && frame >= 1 && frame <= frames)
    return readBvh(bytes, { ...options, rest: frame - 1 });
  throw new FormatError('out-of-range', 'is no frame of the clip.', {
    path: `--rest-frame ${frame}`,
    remedy: frames > 0 ? `Give a frame from 1 to ${frames}.` : 'Remove the option.',
  });
}

/** Options for one kind of file. @throws FormatError `unsupported` for those of another. */
function requireKind(
  { limits, units, up, restFrame }: SourceOptions,
  kind: Source['kind'] | InputKind,
): void {
  for (const [option, value, wanted, name] of [
    ['--limits', limits, 'urdf', 'URDF'],
    ['--units', units, 'bvh', 'BVH'],
    ['--up', up, 'bvh', 'BVH'],
    ['--rest-frame', restFrame, 'bvh', 'BVH'],
  ]) {
    if (value === undefined || kind === wanted) continue;
    throw new FormatError('unsupported', `applies only to ${name} files.`, {
      path: String(option),
      remedy: `Remove the option, or use a .${wanted} file.`,
    });
  }
}

/** The figure with the joints and limits of a human. @throws FigureError `unsupported` for one that is not a humanoid. */
export function withHumanJoints(source: Source): Source {
  const { rig, path, human: bones } = source;
  let figure: Figure;
  try {
    figure = withAnatomicalLimits(source.figure, bones && { bones });
  } catch (error) {
    if (!(error instanceof FigureError) || error.code !== 'unsupported') throw error;
    throw noHumanoid(source, path ?? `figure ${source.figure.name}`, '--human', error);
  }
  return { ...source, figure, ...(rig && { rig: { ...rig, figure } }) };
}

/**
 * The rig of a document. In a WebXR hand model all joints are children of one node, since the device tracks each in the
 * world; the figure gets the hierarchy of a hand, in which a goal on a fingertip moves the joints of the finger.
 */
function readRig(document: GltfDocument): { rig: GltfRig; notes: string[] } {
  const rig = rigFromDocument(document);
  const names = new Map(rig.figure.bones.map((bone) => [bone.name, bone]));
  const joints = rig.figure.bones.filter((bone) => names.has(webxrHandParent(bone.name) ?? ''));
  const flat = joints.length > 0 && joints.every((bone) => bone.joint.type === 'free');
  if (!flat) return { rig, notes: [] };
  const parents = (name: string): string | undefined => {
    const parent = webxrHandParent(name);
    return parent !== undefined && names.has(parent) ? parent : undefined;
  };
  return {
    rig: rigFromDocument(document, { parents }),
    notes: [
      `${document.source}: the joints of this WebXR hand have no hierarchy; they were read as a wrist with fingers.`,
    ],
  };
}

/** The text of a file; `-` is stdin. @throws FormatError `missing-resource`, `invalid-file`. */
export async function readText(path: string, io?: Pick<Io, 'input'>): Promise<string> {
  return textOf(path === STANDARD ? await readInput(path, io) : { path, bytes: await readBytes(path) });
}

/** A file as UTF-8 text. @throws FormatError `invalid-file`. */
export function textOf({ path, bytes }: Pick<Input, 'path' | 'bytes'>): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new FormatError('invalid-file', 'is not UTF-8 text.', { path, remedy: 'Save the file as UTF-8.' });
  }
}

const EXPECTED =
  "Give what 'poise inspect --json' prints, or a .glb, .vrm, .gltf, .bvh, .asf, .urdf, .osim or MJCF .xml file.";

/** The parsed content of a .json file. @throws FormatError `invalid-file`. */
export function jsonOf(input: Input): unknown {
  return parseJson(textOf(input), input.path, EXPECTED);
}

function figureSource(input: Input, budget: ReadBudget | undefined): Source {
  const { path } = input;
  const data = jsonOf(input);
  if (typeof data === 'object' && data !== null && 'asset' in data) {
    throw new FormatError('unsupported', 'is a glTF, not a figure.', {
      path,
      remedy: `Rename it to ${basename(path, extname(path))}.gltf.`,
    });
  }
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    throw new FormatError('unsupported', 'is no figure.', { path, remedy: EXPECTED });
  }
  requireBones(data, budget, path);
  const figure = figureOfFile(path, data);
  return { kind: 'figure', path, figure, drawn: figure.bones.map(() => true), warnings: [] };
}

/** What `poise inspect --json` prints beside the data of a figure, and of a bone. */
const INSPECTED = [
  'format',
  'version',
  'source',
  'totals',
  'bounds',
  'joints',
  'clips',
  'file',
  'humanoid',
  'warnings',
];
const INSPECTED_OF_BONE = ['index', 'dof', 'coordinate', 'position', 'drawn', 'wholeBody'];

/** The figure data in a parsed file: what `poise inspect --json` printed without what it adds, any other as it is. */
export function figureDataOf(file: unknown): FigureData {
  const { format, bones } = (file ?? {}) as FigureData & { readonly format?: unknown };
  if (format !== 'poise-inspect' || !Array.isArray(bones)) return file as FigureData;
  return {
    ...without(file as object, INSPECTED),
    bones: bones.map((bone: object) => without(bone, INSPECTED_OF_BONE) as FigureData['bones'][number]),
  };
}

function without(data: object, fields: readonly string[]): object {
  return Object.fromEntries(Object.entries(data).filter(([field]) => !fields.includes(field)));
}

/** Files of Poise that are no figures: what they are, and their use. */
const NO_FIGURES: Readonly<Record<string, readonly [what: string, remedy: string]>> = {
  'poise-pose': ['a pose', 'Use it as --from, together with the rig that it was made for.'],
  'poise-motion': ['a motion', "Show it with 'poise inspect', or write it as samples with 'poise convert'."],
  'poise-scene': ['a scene', "Solve it with 'poise optimize'."],
  'poise-optimize-state': ['the state of a solve', "Continue it with 'poise optimize --resume'."],
};

/** The figure of a parsed file; errors have the location in the file. */
function figureOfFile(path: string, data: unknown): Figure {
  const format = typeof data === 'object' && data !== null && 'format' in data ? data.format : undefined;
  if (typeof format === 'string' && format !== 'poise-inspect' && format.startsWith('poise-')) {
    const known = Object.hasOwn(NO_FIGURES, format) ? NO_FIGURES[format] : undefined;
    const [what, remedy] = known ?? [`a file of the format '${format}'`, EXPECTED];
    throw new FormatError('unsupported', `is ${what}, not a figure.`, { path, remedy });
  }
  try {
    return createFigure(figureDataOf(data));
  } catch (error) {
    if (!(error instanceof FigureError)) throw error;
    const what = error.message.slice(error.path.length + 2, error.message.length - error.remedy.length - 1);
    throw new FigureError(error.code, what, {
      path: `${path}#${error.path}`,
      remedy: error.remedy,
      cause: error,
    });
  }
}

/** @throws FormatError `over-budget` for a figure of too many bones. */
export function requireBones(data: unknown, budget: ReadBudget | undefined, path: string): void {
  const bones = (data as { readonly bones?: unknown } | null)?.bones;
  if (Array.isArray(bones)) requireBudget(budget, 'bones', bones.length, path);
}
