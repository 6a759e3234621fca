/** Loads the figure of a command: built in, from a glTF, a URDF or a figure file. */
import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import {
  drawnBones,
  type GltfDocument,
  type GltfRig,
  type ReadUrdfOptions,
  rigFromDocument,
  type UrdfRobot,
  webxrHandParent,
} from '@poise/formats';
import { readGltfFile, readUrdfFile } from '@poise/formats/node';
import { FigureError, FormatError } from 'poise';
import { createFigure, type Figure, type FigureData } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';

/** A figure and where it comes from. */
export interface Source {
  readonly kind: 'built-in' | 'gltf' | 'urdf' | 'figure';
  /** Path as given; absent for the built-in figure. */
  readonly path?: string;
  readonly figure: Figure;
  /** Of the built-in figure, m. */
  readonly height?: number;
  /** For `gltf`. */
  readonly rig?: GltfRig;
  /** For `urdf`. */
  readonly robot?: UrdfRobot;
  /** By bone: whether it moves visible geometry itself. */
  readonly drawn: readonly boolean[];
  /** One sentence each. */
  readonly warnings: readonly string[];
}

/** Default height of the built-in figure, m. */
const DEFAULT_HEIGHT = 1.75;

/** Options of the figure. */
export interface SourceOptions {
  /** Height of the built-in figure, m. */
  readonly height?: number;
  /** Which limits of a URDF apply. */
  readonly limits?: UrdfLimits;
}

export type UrdfLimits = NonNullable<ReadUrdfOptions['limits']>;

/**
 * Loads a figure: a .glb, .vrm or .gltf rig; a .urdf robot, in the axes of the file (+Z up); a .json figure file (what `poise inspect --json` prints); without a path
 * the built-in human.
 *
 * @throws FormatError, FigureError with the location in the file.
 */
export async function loadSource(path: string | undefined, options: SourceOptions = {}): Promise<Source> {
  const ending = extname(path ?? '').toLowerCase();
  const isRobot = ending === '.urdf' || ending === '.xacro';
  if (options.limits !== undefined && !isRobot) {
    throw new FormatError('unsupported', 'applies only to URDF files.', {
      path: '--limits',
      remedy: 'Remove the option, or use a .urdf file.',
    });
  }
  if (path === undefined) {
    const height = options.height ?? DEFAULT_HEIGHT;
    const figure = createHumanFigure({ height });
    return { kind: 'built-in', height, figure, drawn: figure.bones.map(() => true), warnings: [] };
  }
  if (options.height !== undefined) {
    throw new FormatError('unsupported', 'applies only to the built-in figure.', {
      path: '--height',
      remedy: `Remove the option: ${path} has its own size.`,
    });
  }
  if (ending === '.json') return loadFigureFile(path);
  if (isRobot) return loadRobot(path, options);
  const document = await readGltfFile(path);
  const { rig, notes } = readRig(document);
  return {
    kind: 'gltf',
    path,
    figure: rig.figure,
    rig,
    drawn: drawnBones(rig),
    warnings: [...rig.warnings, ...notes],
  };
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

async function loadRobot(path: string, { limits }: SourceOptions): Promise<Source> {
  const robot = await readUrdfFile(path, limits === undefined ? {} : { limits });
  const { figure, warnings } = robot;
  return { kind: 'urdf', path, figure, robot, drawn: figure.bones.map(() => true), warnings };
}

/** The text of a file. @throws FormatError `missing-resource`. */
export async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new FormatError('missing-resource', 'cannot be read.', {
      path,
      remedy: 'Check the path and the permissions.',
      cause,
    });
  }
}

async function loadFigureFile(path: string): Promise<Source> {
  const text = await readText(path);
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new FormatError('invalid-file', `its JSON does not parse: ${reason}.`, {
      path,
      remedy: `Give what 'poise inspect --json' prints, or a .glb, .vrm, .gltf or .urdf file.`,
      cause,
    });
  }
  if (typeof data === 'object' && data !== null && 'asset' in data) {
    throw new FormatError('unsupported', 'is a glTF, not a figure.', {
      path,
      remedy: `Rename it to ${basename(path, extname(path))}.gltf.`,
    });
  }
  const figure = figureOfFile(path, data);
  return { kind: 'figure', path, figure, drawn: figure.bones.map(() => true), warnings: [] };
}

/** What `poise inspect --json` prints beside the data of a figure, and of a bone. */
const INSPECTED = ['format', 'version', 'source', 'totals', 'bounds', 'joints', 'file', 'warnings'];
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

/** The figure of a parsed file; errors have the location in the file. */
function figureOfFile(path: string, data: unknown): Figure {
  if (typeof data === 'object' && data !== null && 'format' in data && data.format === 'poise-pose') {
    throw new FormatError('unsupported', 'is a pose, not a figure.', {
      path,
      remedy: 'Use it as --from, together with the rig that it was made for.',
    });
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
