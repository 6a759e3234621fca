/** Loads a scene and the files that it references as a trajectory problem. */
import { realpath } from 'node:fs/promises';
import { basename, dirname, extname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import {
  type PoseData,
  type ReadBudget,
  readGltfAnimation,
  readPose,
  readScene,
  type SceneData,
  type SceneFigure,
  type SceneReference,
  sceneFiles,
  spacetimeFromScene,
  withScenePath,
} from '@poise/formats';
import { FigureError, FormatError } from 'poise';
import { createFigure, type Figure } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import type { Motion } from 'poise/motion';
import { createSpacetimeProblem, type SpacetimeProblem } from 'poise/spacetime';
import { boneNamesOf } from '../io/bone-names.js';
import { CURES, commandWarning } from '../io/cures.js';
import { kindOfName, STANDARD } from '../io/input.js';
import type { Io } from '../io/io.js';
import { loadSource, readText, requireBones, type Source, type SourceOptions } from '../io/source.js';
import { makeRagdoll } from '../simulate/make-ragdoll.js';
import { readMotion } from './motion-file.js';

/** A scene, ready to be solved. */
export interface LoadedScene {
  readonly path: string;
  readonly name: string;
  readonly scene: SceneData;
  /** Source of the output file. */
  readonly source: Source;
  /** The figure of the motion: that of the source, or its ragdoll. */
  readonly figure: Figure;
  readonly problem: SpacetimeProblem;
  /** Paths of the files that the scene names. */
  readonly files: readonly string[];
  readonly warnings: readonly string[];
}

/** @throws FormatError `unsafe-path` for a file that is not beside or below the scene, links followed. */
async function requireBelow(folder: string, address: string, scene: string): Promise<void> {
  const root = await realpath(folder);
  const path = resolve(folder, address);
  const target = await realpath(path).catch(() => join(root, relative(resolve(folder), path)));
  const below = relative(root, target);
  if (below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below)) return;
  throw new FormatError('unsafe-path', `names the file '${address}', which is not beside or below it.`, {
    path: scene,
    remedy: 'Put the file into the folder of the scene, or allow any file with --allow-outside.',
  });
}

const HUMAN: SceneFigure = { type: 'human' };

export interface LoadSceneOptions {
  /** Whether the scene may name files outside its folder. Default false. */
  readonly allowOutside?: boolean;
  /** How much the scene and its files may ask for. */
  readonly budget?: ReadBudget;
}

/**
 * Loads a scene, `-` from stdin, whose folder is then the working one.
 *
 * @throws FormatError, SpacetimeError, GoalError, FigureError, MotionError, with the location in the file; `unsafe-path` for a file outside its folder.
 */
export async function loadScene(
  path: string,
  { allowOutside = false, budget = {} }: LoadSceneOptions = {},
  io?: Pick<Io, 'input'>,
): Promise<LoadedScene> {
  const name = path === STANDARD ? 'stdin' : basename(path);
  const folder = path === STANDARD ? '.' : dirname(path);
  const kind = kindOfName(path);
  if (kind !== undefined && kind !== 'json') {
    throw new FormatError('unsupported', 'is not a scene.', {
      path: name,
      remedy: `Give a .json whose figure is { "type": "file", "path": "${name}" }; 'poise optimize --help' has one.`,
    });
  }
  const scene = readScene(await readText(path, io), { source: name });
  const resolvePath = (address: string): string => resolve(folder, address);
  const { figure: figureFile, clip: clipFile, poses: poseFiles } = sceneFiles(scene);
  const named = [figureFile, clipFile, ...poseFiles].filter((address) => address !== undefined);
  if (!allowOutside) for (const address of named) await requireBelow(folder, address, name);
  const given = scene.figure ?? HUMAN;
  const source = await loadFigure(given, resolvePath, name, budget);
  const ragdoll =
    given.type === 'file' && given.ragdoll !== undefined ? makeRagdoll(source, given.ragdoll) : undefined;
  const figure = ragdoll?.ragdoll.figure ?? source.figure;
  const poses = new Map<string, PoseData>();
  for (const address of poseFiles) {
    poses.set(address, readPose(await readText(resolvePath(address)), { source: address }));
  }
  const reference = scene.reference;
  const clip =
    reference?.type === 'file'
      ? await loadClip(reference, figure, source, resolvePath, name, budget)
      : undefined;
  const names = boneNamesOf(source);
  const findBoneName = (text: string): string | undefined =>
    source.figure.bones[names.find(text) ?? -1]?.name;
  const problem = withScenePath(name, () => {
    const { human } = source;
    const files = {
      source: name,
      poses,
      budget,
      findBoneName,
      ...(human && { human }),
      ...(clip && { clip: clip.motion }),
    };
    return createSpacetimeProblem(figure, spacetimeFromScene(scene, figure, files));
  });
  return {
    path,
    name: scene.name ?? 'optimized',
    scene,
    source,
    figure,
    problem,
    files: named.map(resolvePath),
    warnings: [
      ...source.warnings,
      ...(ragdoll?.notes ?? []),
      ...(clip?.warnings ?? []).map((warning) => commandWarning(warning, { ...CURES, joints: undefined })),
    ],
  };
}

interface Clip {
  readonly motion: Motion;
  readonly warnings: readonly string[];
}

type ResolvePath = (address: string) => string;

async function loadFigure(
  given: SceneFigure,
  resolvePath: ResolvePath,
  scene: string,
  budget: ReadBudget,
): Promise<Source> {
  switch (given.type) {
    case 'human': {
      const { height = 1.75, mass } = given;
      const figure = withScenePath(`${scene}#figure`, () =>
        createHumanFigure({ height, ...(mass !== undefined && { mass }) }),
      );
      return { kind: 'built-in', height, figure, drawn: figure.bones.map(() => true), warnings: [] };
    }
    case 'bones': {
      const { type: _, ...data } = given;
      requireBones(data, budget, `${scene}#figure`);
      const figure = withScenePath(`${scene}#figure`, () => createFigure({ name: 'figure', ...data }));
      return { kind: 'figure', figure, drawn: figure.bones.map(() => true), warnings: [] };
    }
    default: {
      const path = resolvePath(given.path);
      const { limits, joints, scale, fileUpAxis, restFrame, human } = given;
      const isBvh = extname(path).toLowerCase() === '.bvh';
      for (const key of ['scale', 'fileUpAxis', 'restFrame'] as const) {
        if (isBvh || given[key] === undefined) continue;
        throw new FormatError('unsupported', 'applies only to BVH files.', {
          path: `${scene}#figure.${key}`,
          remedy: 'Remove it, or use a .bvh file.',
        });
      }
      if (isBvh && joints === 'anatomical') {
        throw new FormatError(
          'unsupported',
          'applies only to rigs: the clip has the joints of its own file.',
          {
            path: `${scene}#figure.joints`,
            remedy: 'Remove it, or use a .glb, .gltf or .vrm file.',
          },
        );
      }
      return loadNamed(path, scene, {
        budget,
        ...(human && { human }),
        ...(limits !== undefined && { limits }),
        ...(joints !== undefined && { joints }),
        ...(scale !== undefined && { units: scale }),
        ...(fileUpAxis !== undefined && { up: fileUpAxis }),
        ...(restFrame !== undefined && { restFrame }),
      });
    }
  }
}

/** Loads a figure; errors of its human bones and of its rest frame have the place in the scene. */
async function loadNamed(path: string, scene: string, options: SourceOptions): Promise<Source> {
  try {
    return await loadSource(path, options);
  } catch (error) {
    if (error instanceof FormatError && error.path.startsWith('--rest-frame')) {
      const { code, what, remedy } = error;
      throw new FormatError(code, what, { path: `${scene}#figure.restFrame`, remedy, cause: error });
    }
    const [, name] = (error instanceof FigureError && /^--human(?: (\w+)=.*)?$/s.exec(error.path)) || [];
    if (!(error instanceof FigureError) || !error.path.startsWith('--human')) throw error;
    const { code, what, remedy } = error;
    const at = `${scene}#figure.human${name === undefined ? '' : `.${name}`}`;
    throw new FigureError(code, what, { path: at, remedy, cause: error });
  }
}

/** The clip of a reference, cut at its start offset. */
async function loadClip(
  { path: address, animation, from = 0 }: Extract<SceneReference, { type: 'file' }>,
  figure: Figure,
  source: Source,
  resolvePath: ResolvePath,
  scene: string,
  budget: ReadBudget,
): Promise<Clip> {
  const path = resolvePath(address);
  const ending = extname(path).toLowerCase();
  const fail = (code: 'unsupported' | 'out-of-range', key: string, what: string, remedy: string): never => {
    throw new FormatError(code, what, { path: `${scene}#reference.${key}`, remedy });
  };
  let clip: Clip;
  if (ending === '.json') {
    clip = { motion: readMotion(await readText(path), figure, address), warnings: [] };
  } else {
    const isSame = (source.rig ?? source.bvh) !== undefined && source.path === path;
    const read = isSame ? source : await loadSource(path, { budget });
    const { rig, bvh } = read;
    if (bvh !== undefined) {
      const rest = source.bvh?.restFrame ?? bvh.restFrame;
      if (!isSame && rest !== undefined) {
        const what = 'is another BVH than the figure, and a frame is the rest pose of one of them.';
        return fail('unsupported', 'path', what, 'Take the file of the figure.');
      }
      clip = { motion: bvh.motion, warnings: isSame ? [] : read.warnings };
    } else if (rig !== undefined) clip = readGltfAnimation(rig, animation);
    else {
      return fail(
        'unsupported',
        'path',
        `a '${ending}' file contains no motions.`,
        'Use a .bvh, .glb, .gltf, .vrm or motion .json.',
      );
    }
  }
  const { motion } = clip;
  if (motion.dof !== figure.dof) {
    const what = `has ${motion.dof} coordinates; ${figure.name} has ${figure.dof}.`;
    fail('unsupported', 'path', what, 'Use a clip of the same figure.');
  }
  const length = motion.end - motion.start;
  if (!(from >= 0 && from < length)) {
    fail('out-of-range', 'from', `is ${from} s; the clip lasts ${length} s.`, 'Give a time within the clip.');
  }
  return from === 0 ? clip : { ...clip, motion: { ...motion, start: motion.start + from } };
}
