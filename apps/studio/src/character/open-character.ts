import type { GltfDocument, GltfRig, NodeChange } from '@poise/formats/gltf';
import {
  bindFigure,
  clipFromMotion,
  type FigureBinding,
  motionFromClip,
  object3DFromFigure,
} from '@poise/three';
import { createPose, createState, type Figure, forwardKinematics } from 'poise/figure';
import type { HumanBoneMap } from 'poise/humanoid';
import { type Numbers, vec3 } from 'poise/math';
import type { Motion } from 'poise/motion';
import { Box3, Matrix4, type Object3D, PropertyBinding, Vector3 } from 'three';
import type { GLTF } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { BUDGET, requireDepth, requireShort } from './budget.js';
import { type Character, type CharacterFile, createCharacter, type FileClip } from './character.js';
import { CHARACTER_FILES, endingOf, nameOfClip, stemOf, unknownWords } from './files.js';
import { humanLimits } from './human-limits.js';
import { contentOf, loadScene, objectsOfNodes, readRig } from './load-scene.js';
import { withMasses } from './masses.js';
import type { CharacterModel } from './model.js';
import { groundOf } from './motion-ground.js';
import { pointsOf } from './points.js';
import { figureOfScene, freeFigureOfScene } from './scene-figure.js';

/**
 * Reads a character from a file by its ending. Readers are loaded when they are needed.
 *
 * @param others - Files that it may name: buffers and pictures of a .gltf, named as seen from its folder.
 * @param chosen - Bones of the human that are known, by names of the figure; null for one it has none of. The others are recognised.
 * @throws PoiseError for what cannot be read, with what to do.
 */
export async function openCharacter(
  file: File,
  others: readonly File[] = [],
  chosen: HumanBoneMap<string | null> = {},
): Promise<Character> {
  const { name } = file;
  if (!['bvh', 'urdf', 'xml'].includes(endingOf(name))) {
    if (!CHARACTER_FILES.includes(endingOf(name)) && !(await isGltf(file)))
      throw new Error(unknownWords(name, OPENED));
    return characterOfScene(file, others, chosen);
  }
  const kept = await contentOf(file);
  const text = await file.text();
  const from: FileParts = { files: [kept], chosen };
  switch (endingOf(name)) {
    case 'bvh': {
      const { readBvh } = await import('@poise/formats/bvh');
      const { figure, motion, frameTime } = readBvh(text, {
        source: name,
        scale: 'auto',
        fileUpAxis: 'auto',
        budget: BUDGET,
      });
      const clip = { name: stemOf(name), rate: Math.round(1 / frameTime), read: () => ({ figure, motion }) };
      return characterOfFigure(name, figure, from, [clip], riseOf(figure, motion));
    }
    case 'urdf': {
      const { readUrdf } = await import('@poise/formats/urdf');
      return characterOfFigure(name, readUrdf(text, { source: name, budget: BUDGET }).figure, from);
    }
    default: {
      const { readMjcf } = await import('@poise/formats/mjcf');
      return characterOfFigure(name, readMjcf(text, { source: name, budget: BUDGET }).figure, from);
    }
  }
}

const OPENED =
  'Open a character (GLB, glTF, VRM, BVH, URDF, MJCF as .xml), a clip (VRMA, BVH), a pose (.json) or a project (.poise).';

/** Whether it begins as a glTF does, whatever its name. */
async function isGltf(file: File): Promise<boolean> {
  return /^(glTF|\s*\{)/.test(await file.slice(0, 64).text());
}

/** What a character keeps of how it was opened. */
interface FileParts {
  readonly files: readonly CharacterFile[];
  readonly chosen: HumanBoneMap<string | null>;
}

/** Change of an element of a transform that is rounding, relative to the largest: quaternions of files are unit to single precision. */
const ROUNDING = 1e-6;

/** Distance of the rest pose from the ground of a motion that is no matter of soles, over its height. */
const OFF_GROUND = 0.06;

/** How far the rest pose is below the ground of a motion: recordings whose root has an OFFSET of 0 rest with the hips at the origin. */
function riseOf(figure: Figure, motion: Motion): number {
  const state = createState(figure);
  forwardKinematics(state, createPose(figure));
  const heights = pointsOf(figure, state).map((point) => vec3.dot(point, figure.up));
  const [low, high] = [Math.min, Math.max].map((end) => heights.reduce((a, b) => end(a, b)));
  const off = groundOf(figure, motion) - low;
  return Math.abs(off) > OFF_GROUND * (high - low) ? off : 0;
}

/** A figure without a body is drawn as solids. */
function characterOfFigure(
  name: string,
  given: Figure,
  from: FileParts,
  clips: readonly FileClip[] = [],
  rise = 0,
): Character {
  const parents = given.bones.map(({ parent }) => parent);
  requireDepth(parents, parents.keys(), name);
  const { figure, humanoid } = humanLimits(given, from.chosen);
  return createCharacter({
    ...from,
    source: { type: 'file', name },
    figure,
    humanoid,
    massive: humanoid && withMasses(figure, humanoid),
    clips,
    rise,
    write: async ({ root }) => {
      const { writeObject } = await import('./write-object.js');
      return { name: `${stemOf(name)}.glb`, bytes: await writeObject(root) };
    },
    createModel: () => {
      const { root, dispose } = object3DFromFigure(figure, { color: '#a9b7c6', jointColor: '#66788c' });
      return model(root, bindFigure(figure, root), dispose);
    },
  });
}

async function characterOfScene(
  file: File,
  others: readonly File[],
  chosen: HumanBoneMap<string | null>,
): Promise<Character> {
  const { gltf, rig, files } = await loadScene(file, others);
  const { scene, parser } = gltf;
  const named = endingOf(file.name) === 'vrm' ? await vrmBones(rig) : {};
  // What was chosen to be something else is not what the file says.
  const taken = new Set(Object.values(chosen));
  const bones = {
    ...Object.fromEntries(Object.entries(named).filter(([, bone]) => !taken.has(bone))),
    ...chosen,
  };
  scene.updateMatrixWorld(true);
  const inFile = transformsOf(scene);
  const clips = sceneClips(gltf, rig, named);
  const { humanoid, binding, pose } = figureOfScene(scene, bones);
  const { figure } = binding;
  binding.writePose(createPose(figure));
  scene.updateMatrixWorld(true);
  const box = new Box3().setFromObject(scene, true);
  // Of a skeleton alone nothing is drawn.
  if (box.isEmpty())
    for (const object of binding.objects)
      if (object) box.expandByPoint(object.getWorldPosition(new Vector3()));
  binding.writePose(pose);
  const shown = transformsOf(scene);
  const up = new Vector3(...figure.up);
  const toFigure = binding.worldFromFigure(new Matrix4()).invert();
  const ends = [box.min, box.max].map((corner) => corner.clone().applyMatrix4(toFigure).dot(up));
  return createCharacter({
    source: { type: 'file', name: file.name },
    files,
    chosen,
    figure,
    humanoid,
    massive: humanoid && withMasses(figure, humanoid),
    clips,
    pose,
    writeMotion: async (motion, rate) => {
      const { writeGltfAnimation } = await import('@poise/formats/gltf');
      const rig = await readRig(files);
      const nodes = objectsOfNodes(gltf);
      // The rig has a bone a node, of other joints: the motion goes by the objects of both.
      const own = new Map(
        rig.figure.bones.map(({ name, index }) => [name, nodes.get(rig.binding.bones[index].node) ?? null]),
      );
      const ofRig = bindFigure(rig.figure, scene, { objects: own });
      const { motion: written } = motionFromClip(ofRig, clipFromMotion(binding, motion, { rate }), {
        rate,
        root: scene,
      });
      return {
        name: `${stemOf(file.name)}-animated.${endingOf(file.name)}`,
        bytes: Uint8Array.from(writeGltfAnimation(rig, written)),
      };
    },
    write: async () => {
      const { serializeGltf } = await import('@poise/formats/gltf');
      const { document } = await readRig(files);
      const nodes = new Map<number, NodeChange>();
      // A pose beyond the limits is not shown as it is in the file, which stays where nobody touched it.
      const isPosed = [...shown].some(([object, before]) => changeOf(object, before, false) !== undefined);
      for (const [object, before] of isPosed ? inFile : []) {
        const node = parser.associations.get(object)?.nodes;
        const change = node === undefined ? undefined : changeOf(object, before, hasMatrix(document, node));
        if (node !== undefined && change !== undefined) nodes.set(node, change);
      }
      return { name: posedName(file.name), bytes: Uint8Array.from(serializeGltf(document, { nodes })) };
    },
    floor: Math.min(...ends),
    top: Math.max(...ends),
    createModel: () => {
      scene.traverse((object) => {
        object.castShadow = true;
        object.frustumCulled = false;
      });
      return model(scene, binding, () => scene.removeFromParent());
    },
  });
}

/** Frames a second that are read of animations, which have none. */
const CLIP_RATE = 30;

/**
 * The animations of a scene as they are in its file: each bone of their figure moves freely.
 * @param bones - Those of a human that the file names.
 */
export function sceneClips(
  { animations, scene: root }: GLTF,
  { document: { json, source } }: GltfRig,
  bones: HumanBoneMap<string> = {},
): FileClip[] {
  if (animations.length === 0) return [];
  const binding = freeFigureOfScene(root, bones);
  const { figure } = binding;
  // three.js gives names to those that have none.
  const entries = json.animations as readonly { readonly name?: string }[];
  return animations
    .map((clip, n) => ({ clip, name: nameOfClip(entries[n].name, source, n, entries.length) }))
    .filter(({ clip }) => clip.duration > 0)
    .map(({ clip, name }) => ({
      name,
      rate: CLIP_RATE,
      read: () => {
        requireShort(name, clip.duration);
        return {
          figure,
          motion: motionFromClip(binding, clip, { rate: CLIP_RATE, root }).motion,
        };
      },
    }));
}

/** Local transforms of a scene. */
function transformsOf(scene: Object3D): Map<Object3D, Matrix4> {
  const transforms = new Map<Object3D, Matrix4>();
  scene.traverse((object) => {
    object.updateMatrix();
    transforms.set(object, object.matrix.clone());
  });
  return transforms;
}

/** What a pose changed of an object's transform; undefined for nothing. */
function changeOf(object: Object3D, before: Matrix4, hasMatrix: boolean): NodeChange | undefined {
  object.updateMatrix();
  const largest = before.elements.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  const isSame = object.matrix.elements.every(
    (x, n) => Math.abs(x - before.elements[n]) <= ROUNDING * largest,
  );
  if (isSame) return undefined;
  if (hasMatrix) return { matrix: object.matrix.toArray() };
  return { translation: object.position.toArray(), rotation: object.quaternion.toArray() };
}

function hasMatrix({ json }: GltfDocument, node: number): boolean {
  const nodes = json.nodes as readonly { readonly matrix?: unknown }[] | undefined;
  return nodes?.[node]?.matrix !== undefined;
}

/** `knight.glb` becomes `knight-posed.glb`. */
function posedName(name: string): string {
  return `${stemOf(name)}-posed.${endingOf(name)}`;
}

/** The human bones that a VRM names, by the names that three.js gives them. */
export async function vrmBones(rig: GltfRig): Promise<HumanBoneMap<string>> {
  const { vrmHumanoid } = await import('@poise/formats/gltf');
  const bones = vrmHumanoid(rig) ?? {};
  return Object.fromEntries(
    Object.entries(bones).map(([human, bone]) => [human, PropertyBinding.sanitizeNodeName(bone)]),
  );
}

function model(root: Object3D, binding: FigureBinding, dispose: () => void): CharacterModel {
  return {
    root,
    binding,
    update: (pose: Numbers) => binding.writePose(pose),
    setBlocked: () => {},
    fade: () => false,
    dispose,
  };
}
