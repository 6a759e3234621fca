/** The figure that a command works on: built in, from a glTF, from a URDF, or from a figure file. */
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
  /** By bone: whether it moves something that is drawn by itself. */
  readonly drawn: readonly boolean[];
  /** What was read with a reservation, one sentence each. */
  readonly warnings: readonly string[];
}

/** How tall the built-in figure is unless told otherwise, m. */
const USUAL_HEIGHT = 1.75;

/** What the options say of the figure. */
export interface SourceOptions {
  /** How tall the built-in figure is, m. */
  readonly height?: number;
  /** Which limits of a URDF count. */
  readonly limits?: UrdfLimits;
}

export type UrdfLimits = NonNullable<ReadUrdfOptions['limits']>;

/**
 * Loads a figure: a .glb, .vrm or .gltf rig; a .urdf robot, in the axes of the file (+Z up); a .json figure file (what `poise inspect --json` prints); without a path
 * the built-in human.
 *
 * @throws FormatError, FigureError naming the file and the place in it.
 */
export async function loadSource(path: string | undefined, options: SourceOptions = {}): Promise<Source> {
  const ending = extname(path ?? '').toLowerCase();
  const isRobot = ending === '.urdf' || ending === '.xacro';
  if (options.limits !== undefined && !isRobot) {
    throw new FormatError('unsupported', 'is for URDF files.', {
      path: '--limits',
      remedy: 'Leave it out, or give a .urdf file.',
    });
  }
  if (path === undefined) {
    const height = options.height ?? USUAL_HEIGHT;
    const figure = createHumanFigure({ height });
    return { kind: 'built-in', height, figure, drawn: figure.bones.map(() => true), warnings: [] };
  }
  if (options.height !== undefined) {
    throw new FormatError('unsupported', 'sizes the built-in figure only.', {
      path: '--height',
      remedy: `Leave it out: ${path} has its own size.`,
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
 * The rig of a document. The joints of a WebXR hand model hang side by side from one node, since the device places each
 * in the world; they get the hierarchy of a hand, or no goal could bend a finger.
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
      `${document.source}: the joints of this WebXR hand hang side by side; they were read as a wrist with fingers.`,
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
      remedy: 'Check the path and the rights.',
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
      remedy: `Call it ${basename(path, extname(path))}.gltf.`,
    });
  }
  const figure = figureOfFile(path, data);
  return { kind: 'figure', path, figure, drawn: figure.bones.map(() => true), warnings: [] };
}

/** The figure of a parsed file; errors name the file and the place in it. */
function figureOfFile(path: string, data: unknown): Figure {
  if (typeof data === 'object' && data !== null && 'format' in data && data.format === 'poise-pose') {
    throw new FormatError('unsupported', 'is a pose, not a figure.', {
      path,
      remedy: `Give it as --from, beside the rig that it was made for.`,
    });
  }
  try {
    return createFigure(data as FigureData);
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
