/** The readers of files, each with valid files, a way to damage them, and what is done with a file that is read. */
import {
  animatedJoints,
  applyVrmConstraints,
  boneVertices,
  drawnBones,
  externalUris,
  listGltfAnimations,
  osimTracking,
  parseGltf,
  parseJson,
  poseFromData,
  posesFromStorage,
  qposFromPose,
  readAmc,
  readAsf,
  readBvh,
  readC3d,
  readGltfAnimation,
  readGmrConfig,
  readIkSetup,
  readIkTasks,
  readMjcf,
  readOsim,
  readPose,
  readRobotMotion,
  readScene,
  readStorage,
  readTrc,
  readUrdf,
  rigFromDocument,
  sceneFiles,
  serializeGltf,
  spacetimeFromScene,
  storageFromPoses,
  summarizeGltf,
  vrmConstraints,
  vrmHumanoid,
  worldMatrices,
  writeAmc,
  writeAsf,
  writePosedGltf,
  writeStorage,
} from '@poise/formats';
import { createSimulation, type WorldShape } from 'poise/dynamics';
import { createPose, createState, type Figure, forwardKinematics } from 'poise/figure';
import { createMarkerTracker, solveMarkers } from 'poise/ik';
import { createMotionSampler, type Motion, samplePose } from 'poise/motion';
import { createSpacetimeProblem } from 'poise/spacetime';
import { documentReport } from '../../src/commands/inspect-document.js';
import { markersOfData } from '../../src/fit/marker-file.js';
import { parseAim, parseGoal, parseOrient, parsePin } from '../../src/goals/parse-goals.js';
import { sourceOf } from '../../src/io/source.js';
import { readMotion } from '../../src/optimize/motion-file.js';
import { readState } from '../../src/optimize/state-file.js';
import { contactsOfData } from '../../src/retarget/contacts-file.js';
import { parsePush } from '../../src/simulate/parse-push.js';
import { damageBytes, damageJson, damageText } from './damage.js';
import { below, pick, type Random, randomOf } from './random.js';
import { figures, made, realFiles, realSkeletons, realTakes, type Sample, sampleOf } from './samples.js';

export interface Reader {
  readonly name: string;
  /** Extension of files that are kept. */
  readonly ending: string;
  readonly samples: readonly Sample[];
  readonly damage: (random: Random, sample: Sample) => Uint8Array;
  /** Memory that it may need for any file, bytes, where that is more than others may. */
  readonly freeHeap?: number;
  /** Reads a file and does with the result what an application does. @throws PoiseError where it is refused. */
  readonly read: (bytes: Uint8Array) => void;
}

const encoder = new TextEncoder();
const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');

/** @throws Error for a result that is not finite: it should have been refused. */
function requireFinite(numbers: ArrayLike<number>, what: string): void {
  for (let i = 0; i < numbers.length; i++) {
    if (Number.isNaN(numbers[i])) throw new Error(`${what}[${i}] is NaN`);
  }
}

/** @throws Error for a file that was written and is read otherwise. */
function requireSame(value: number, expected: number, what: string): void {
  if (value !== expected) throw new Error(`${value} ${what} are written of ${expected}`);
}

function useFigure(figure: Figure): void {
  const state = createState(figure);
  forwardKinematics(state, createPose(figure));
  requireFinite(state.worldFromBone, 'worldFromBone');
}

function useRobotMotion(bytes: Uint8Array): void {
  const { rootPositions, rootRotations, values } = readRobotMotion(bytes);
  for (const numbers of [rootPositions, rootRotations, values]) requireFinite(numbers, 'motion');
}

function useMotion(figure: Figure, motion: Motion): void {
  const pose = createPose(figure);
  const sampler = createMotionSampler(figure, motion);
  for (const time of [motion.start, 0.5 * (motion.start + motion.end), motion.end]) {
    samplePose(sampler, time, pose);
    requireFinite(pose, 'pose');
  }
}

/** Content of every file that a glTF names. */
const NEIGHBOUR = new Uint8Array(65_536);

function useGltf(bytes: Uint8Array): void {
  externalUris(bytes);
  const document = parseGltf(bytes, { source: 'file.glb', resource: () => NEIGHBOUR });
  const rig = rigFromDocument(document);
  summarizeGltf(rig);
  useFigure(rig.figure);
  const pose = createPose(rig.figure).fill(0.1);
  requireFinite(worldMatrices(rig, pose), 'worldMatrices');
  // One failure must not hide what the others do with the same file.
  const failures: unknown[] = [];
  for (const use of [
    () => drawnBones(rig),
    () => boneVertices(rig),
    () => vrmHumanoid(rig),
    () => applyVrmConstraints(rig.figure, vrmConstraints(rig), pose.slice()),
    () => listGltfAnimations(document),
    () => useMotion(rig.figure, readGltfAnimation(rig).motion),
    () => {
      const whole = rigFromDocument(document, { joints: animatedJoints(document), bones: 'all' });
      useMotion(whole.figure, readGltfAnimation(whole).motion);
    },
    () => parseGltf(writePosedGltf(rig, pose)),
    () => writePosedGltf(rig, pose, { kind: 'glb', externals: 'embed' }),
  ]) {
    try {
      use();
    } catch (error) {
      failures.push(error);
    }
  }
  const foreign = failures.find((error) => !isRefusal(error));
  if (foreign !== undefined) throw foreign;
}

/** Whether an error is one of the library, with a location and a remedy. */
export function isRefusal(error: unknown): boolean {
  // By its fields: a worker and its caller may have a class each.
  const { code, path, what, remedy } = error as { readonly [key: string]: unknown };
  return [code, path, what, remedy].every((text) => typeof text === 'string') && code !== '' && remedy !== '';
}

const GLB_MAGIC = 0x46546c67;

/** Damages the JSON or the bytes of a GLB or .gltf. */
function damageGltf(random: Random, { bytes }: Sample): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isGlb = bytes.length > 20 && view.getUint32(0, true) === GLB_MAGIC;
  const kind = below(random, 10);
  if (kind === 0) return damageBytes(random, bytes);
  if (!isGlb)
    return kind === 1 ? encoder.encode(damageText(random, textOf(bytes))) : damageTree(random, bytes);
  const length = view.getUint32(12, true);
  const json = bytes.subarray(20, 20 + length);
  const rest = bytes.subarray(20 + length);
  const damaged = kind < 7 ? damageTree(random, json) : json;
  const padded = Buffer.concat([damaged, Buffer.alloc((4 - (damaged.length % 4)) % 4, ' ')]);
  const binary =
    kind >= 6 && rest.length > 8
      ? Buffer.concat([rest.subarray(0, 8), damageBytes(random, rest.subarray(8)).subarray(0, rest.length)])
      : rest;
  const header = Buffer.alloc(20);
  header.writeUInt32LE(GLB_MAGIC, 0);
  header.writeUInt32LE(2, 4);
  header.writeUInt32LE(20 + padded.length + binary.length, 8);
  header.writeUInt32LE(padded.length, 12);
  header.writeUInt32LE(0x4e4f534a, 16);
  return new Uint8Array(Buffer.concat([header, padded, binary]));
}

function damageTree(random: Random, bytes: Uint8Array): Uint8Array {
  return encoder.encode(damageJson(random, JSON.parse(textOf(bytes))));
}

function damageJsonFile(random: Random, { bytes }: Sample): Uint8Array {
  const kind = below(random, 10);
  if (kind === 0) return damageBytes(random, bytes);
  return kind < 3 ? encoder.encode(damageText(random, textOf(bytes))) : damageTree(random, bytes);
}

function damageTextFile(random: Random, { bytes }: Sample): Uint8Array {
  return below(random, 8) === 0
    ? damageBytes(random, bytes)
    : encoder.encode(damageText(random, textOf(bytes)));
}

const humanSource = sourceOf({ path: 'h.json', name: 'h.json', kind: 'json', bytes: made.figure[1].bytes });

const json = { ending: 'json', damage: damageJsonFile } as const;

/** @param data - Folder of the shared data; need not exist. */
export function createReaders(data: string): Reader[] {
  const skeletons = realSkeletons(data);
  const scene = (bytes: Uint8Array): void => {
    const text = textOf(bytes);
    const read = readScene(text, { source: 'scene.json' });
    sceneFiles(read);
    documentReport(parseJson(text, 'scene.json', 'Give a scene.'), text, 'scene.json');
    createSpacetimeProblem(figures.human, spacetimeFromScene(read, figures.human, { source: 'scene.json' }));
  };
  return [
    {
      name: 'glb',
      ending: 'glb',
      samples: [...made.glb, ...realFiles(data, 'gltf', '.glb')],
      damage: damageGltf,
      read: useGltf,
    },
    {
      name: 'gltf',
      ending: 'gltf',
      samples: [...realFiles(data, 'gltf', '.gltf'), ...made.glb],
      damage: damageGltf,
      read: useGltf,
    },
    {
      name: 'vrm',
      ending: 'vrm',
      samples: [...realFiles(data, 'vrm', '.vrm'), vrmSample()],
      damage: damageGltf,
      read: useGltf,
    },
    {
      name: 'vrma',
      ending: 'vrma',
      samples: [...made.vrma, ...realFiles(data, 'vrm', '.vrma')],
      damage: damageGltf,
      read: useGltf,
    },
    {
      name: 'urdf',
      ending: 'urdf',
      samples: [...made.urdf, ...realFiles(data, 'urdf', '.urdf')],
      damage: damageTextFile,
      read: (bytes) => useFigure(readUrdf(bytes).figure),
    },
    {
      name: 'mjcf',
      ending: 'xml',
      samples: [...made.mjcf, ...realFiles(data, 'mjcf', '.xml')],
      damage: damageTextFile,
      read(bytes) {
        const model = readMjcf(bytes, { resource: () => '<mujocoinclude/>' });
        useFigure(model.figure);
        requireFinite(qposFromPose(model, createPose(model.figure)), 'qpos');
      },
    },
    {
      name: 'osim',
      ending: 'osim',
      samples: [
        ...made.osim,
        ...realFiles(data, 'opensim/id_arm26', '.osim'),
        ...realFiles(data, 'opensim/models', '.osim'),
      ],
      damage: damageTextFile,
      read(bytes) {
        const model = readOsim(bytes);
        useFigure(model.figure);
        requireFinite(model.defaultPose, 'defaultPose');
        const table = storageFromPoses(model, [0], [model.defaultPose]);
        requireFinite(table.values, 'values');
        if (model.markers.length > 0 && model.figure.dof <= 40) {
          const { markers, options } = osimTracking(
            model,
            model.markers.map(({ name }) => name),
          );
          const tracker = createMarkerTracker(model.figure, markers, { ...options, maxIterations: 20 });
          const pose = createPose(model.figure);
          solveMarkers(tracker, new Float64Array(3 * markers.length), pose);
          requireFinite(pose, 'pose');
        }
      },
    },
    {
      name: 'ik-tasks',
      ending: 'xml',
      samples: [...made.ikTasks, ...realFiles(data, 'opensim/ik_gait2354', '.xml')],
      damage: damageTextFile,
      read(bytes) {
        const setup = textOf(bytes).includes('Tool') ? readIkSetup(bytes) : undefined;
        requireFinite(setup?.timeRange ?? [], 'timeRange');
        if (setup?.taskFile !== undefined) return;
        requireFinite(
          readIkTasks(bytes).markers.map(({ weight }) => weight),
          'weight',
        );
      },
    },
    {
      name: 'storage',
      ending: 'mot',
      samples: [
        ...made.storage,
        ...realFiles(data, 'opensim/motions', '.mot'),
        ...realFiles(data, 'opensim/id_arm26', '.mot', '.sto'),
        ...realFiles(data, 'opensim/dyn_single_pin', '.sto'),
      ],
      damage: damageTextFile,
      read(bytes) {
        const table = readStorage(bytes);
        readStorage(writeStorage(table));
        if (!table.columns.includes('tx')) return;
        const { poses } = posesFromStorage(readOsim(made.osim[0].bytes), table);
        for (const pose of poses) requireFinite(pose, 'pose');
      },
    },
    {
      name: 'trc',
      ending: 'trc',
      samples: [
        ...made.trc,
        ...realFiles(data, 'opensim/ik_gait2354', '.trc'),
        ...realFiles(data, 'opensim/ik_gait2354_real', '.trc'),
      ],
      damage: damageTextFile,
      read: (bytes) => requireFinite(readTrc(bytes).times, 'times'),
    },
    {
      name: 'c3d',
      ending: 'c3d',
      samples: made.c3d,
      damage: (random, sample) => damageBytes(random, sample.bytes),
      read: (bytes) => requireFinite(readC3d(bytes).times, 'times'),
    },
    {
      ...json,
      name: 'gmr',
      samples: made.gmr,
      read(bytes) {
        for (const { position, rotation } of readGmrConfig(bytes).first) {
          requireFinite([...position, ...rotation], 'match');
        }
      },
    },
    {
      name: 'npz',
      ending: 'npz',
      samples: made.npz,
      damage: (random, { bytes }) => damageBytes(random, bytes),
      read: useRobotMotion,
    },
    {
      name: 'robot-csv',
      ending: 'csv',
      samples: made.robotCsv,
      damage: damageTextFile,
      read: useRobotMotion,
    },
    {
      name: 'asf',
      ending: 'asf',
      samples: [...made.asf, ...skeletons],
      damage: damageTextFile,
      read(bytes) {
        for (const joints of ['ball', 'euler'] as const) {
          const skeleton = readAsf(bytes, { joints });
          useFigure(skeleton.figure);
          const written = writeAsf(skeleton.figure, { skeleton });
          requireSame(readAsf(written, { joints }).bones.length, skeleton.bones.length, 'bones');
        }
      },
    },
    {
      name: 'amc',
      ending: 'amc',
      samples: [...made.amc, ...realTakes(data)],
      damage: damageTextFile,
      read(bytes) {
        const real = textOf(bytes.subarray(0, 4000)).includes('lowerback') ? skeletons[0] : undefined;
        const skeleton = readAsf((real ?? made.asf[0]).bytes);
        const clip = readAmc(bytes, skeleton);
        useMotion(skeleton.figure, clip.motion);
        const written = writeAmc(skeleton.figure, clip.motion, { skeleton, clip });
        requireSame(readAmc(written, skeleton).frames, clip.frames, 'frames');
      },
    },
    {
      name: 'bvh',
      ending: 'bvh',
      samples: [...made.bvh, ...realFiles(data, 'bvh', '.bvh')],
      damage: damageTextFile,
      read(bytes) {
        const { figure, motion } = readBvh(bytes);
        useFigure(figure);
        useMotion(figure, motion);
      },
    },
    {
      ...json,
      name: 'pose',
      samples: made.pose,
      read: (bytes) => requireFinite(poseFromData(figures.human, readPose(textOf(bytes))), 'pose'),
    },
    {
      ...json,
      name: 'motion',
      samples: made.motion,
      read(bytes) {
        const text = textOf(bytes);
        useMotion(figures.machine, readMotion(text, figures.machine, 'motion.json'));
        documentReport(parseJson(text, 'motion.json', 'Give a motion.'), text, 'motion.json');
      },
    },
    {
      ...json,
      name: 'figure',
      samples: made.figure,
      read: (bytes) => useFigure(sourceOf({ path: 'f.json', name: 'f.json', kind: 'json', bytes }).figure),
    },
    // A scene of a few bytes asks for a problem, whose size the budget of unknowns bounds.
    { ...json, name: 'scene', samples: made.scene, freeHeap: 192e6, read: scene },
    {
      ...json,
      name: 'state',
      samples: made.state,
      read: (bytes) => void readState(textOf(bytes), 'state.json'),
    },
    {
      ...json,
      name: 'world',
      samples: made.world,
      read(bytes) {
        const world = parseJson(textOf(bytes), 'world.json', 'Give a list of shapes.');
        if (!Array.isArray(world)) return;
        createSimulation([{ figure: figures.human, shapes: [] }], { world: world as WorldShape[] });
      },
    },
    {
      ...json,
      name: 'contacts',
      samples: made.contacts,
      read(bytes) {
        const data = parseJson(textOf(bytes), 'contacts.json', 'Give contacts.');
        for (const { over } of contactsOfData(data, 'contacts.json').contacts) requireFinite(over, 'over');
      },
    },
    {
      ...json,
      name: 'markers',
      samples: made.markers,
      read(bytes) {
        const data = parseJson(textOf(bytes), 'markers.json', 'Give markers.');
        for (const { point } of markersOfData(data, 'markers.json', humanSource)) {
          requireFinite(point ?? [], 'point');
        }
      },
    },
    {
      name: 'goals',
      ending: 'txt',
      samples: made.goals,
      damage: damageTextFile,
      read(bytes) {
        const text = textOf(bytes);
        const failures: unknown[] = [];
        for (const parse of [parseGoal, parseOrient, parseAim, parsePin, parsePush]) {
          try {
            parse(text);
          } catch (error) {
            failures.push(error);
          }
        }
        const foreign = failures.find((error) => !isRefusal(error));
        if (foreign !== undefined) throw foreign;
        if (failures.length === 5) throw failures[0];
      },
    },
  ];
}

/** A VRM without the shared data: the made GLB with a humanoid. */
function vrmSample(): Sample {
  const text = textOf(serializeGltf(parseGltf(made.glb[0].bytes), { kind: 'gltf' }));
  const tree = JSON.parse(text) as Record<string, unknown>;
  tree.extensions = {
    VRMC_vrm: { specVersion: '1.0', humanoid: { humanBones: { hips: { node: 0 }, spine: { node: 1 } } } },
    VRM: { humanoid: { humanBones: [{ bone: 'hips', node: 0 }] } },
  };
  const nodes = tree.nodes as Record<string, unknown>[];
  nodes[1].extensions = {
    VRMC_node_constraint: {
      specVersion: '1.0',
      constraint: { aim: { source: 2, aimAxis: 'PositiveX', weight: 0.5 } },
    },
  };
  return sampleOf('made.vrm', tree);
}

/** The damaged file of a reader with a number: the same seed and number give the same file. */
export function damagedFile({ name, samples, damage }: Reader, seed: string, number: number): Uint8Array {
  const random = randomOf(`${seed} ${name} ${number}`);
  return damage(random, pick(random, samples));
}
