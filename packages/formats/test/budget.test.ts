import {
  animatedJoints,
  boneVertices,
  drawnBones,
  listGltfAnimations,
  parseGltf,
  type ReadBudget,
  readBvh,
  readGltfAnimation,
  readGltfRig,
  readScene,
  readUrdf,
  requireBudget,
  sceneFiles,
  spacetimeFromScene,
  writePosedGltf,
} from '@poise/formats';
import { threadTime } from '@poise/test-support/thread-time';
import { FormatError, PoiseError } from 'poise';
import { createHumanFigure } from 'poise/humanoid';
import { describe, expect, test } from 'vitest';

/** The error of a call that takes less than a second in a quiet machine. */
function refusalOf(run: () => unknown): PoiseError {
  const started = threadTime();
  try {
    run();
  } catch (error) {
    if (!(error instanceof PoiseError)) throw error;
    expect(threadTime() - started).toBeLessThan(10_000);
    return error;
  }
  throw new Error('nothing was thrown');
}

function expectOverBudget(run: () => unknown, name: keyof ReadBudget, path: string): void {
  const error = refusalOf(run);
  expect({ code: error.code, path: error.path }).toEqual({ code: 'over-budget', path });
  expect(error).toBeInstanceOf(FormatError);
  expect(error.remedy).toContain(`budget.${name}`);
}

/** A glTF as JSON, floats as data addresses. */
function gltf(json: object, ...floats: Float32Array[]): Uint8Array {
  return Buffer.from(
    JSON.stringify({
      asset: { version: '2.0' },
      buffers: floats.map((array) => ({
        byteLength: array.byteLength,
        uri: `data:;base64,${Buffer.from(array.buffer).toString('base64')}`,
      })),
      bufferViews: floats.map((array, buffer) => ({ buffer, byteLength: array.byteLength })),
      ...json,
    }),
  );
}

/** Keys of one rotation channel that a curve follows only with many pieces. */
function wildKeys(count: number, tangent: number): Uint8Array {
  const times = Float32Array.from({ length: count }, (_, k) => k);
  const values = Float32Array.from({ length: 12 * count }, (_, k) => {
    const noise = Math.sin(12.9898 * k + 1) * 43758.5453;
    return (noise - Math.floor(noise) - 0.5) * (k % 12 >= 4 && k % 12 < 8 ? 1 : tangent);
  });
  return gltf(
    {
      scenes: [{ nodes: [0] }],
      nodes: [{ name: 'a', children: [1] }, { name: 'b' }],
      accessors: [
        { bufferView: 0, componentType: 5126, count, type: 'SCALAR' },
        { bufferView: 1, componentType: 5126, count: 3 * count, type: 'VEC4' },
      ],
      animations: [
        {
          samplers: [{ input: 0, output: 1, interpolation: 'CUBICSPLINE' }],
          channels: [{ sampler: 0, target: { node: 1, path: 'rotation' } }],
        },
      ],
    },
    times,
    values,
  );
}

const vertices = new Float32Array(9000).map((_, k) => k % 7);

/** Meshes over one accessor of 3000 vertices. */
const meshFile = (primitives: number, nodes: number): Uint8Array =>
  gltf(
    {
      scenes: [{ nodes: Array.from({ length: nodes }, (_, k) => k) }],
      nodes: Array.from({ length: nodes }, () => ({ mesh: 0 })),
      meshes: [{ primitives: Array.from({ length: primitives }, () => ({ attributes: { POSITION: 0 } })) }],
      accessors: [{ bufferView: 0, componentType: 5126, count: 3000, type: 'VEC3' }],
    },
    vertices,
  );

const chain = (count: number) => ({
  scenes: [{ nodes: [0] }],
  nodes: Array.from({ length: count }, (_, k) => ({ ...(k + 1 < count && { children: [k + 1] }) })),
});

describe('a file asks for more than it may', () => {
  test('bones', () => {
    expectOverBudget(() => readGltfRig(gltf(chain(10_000))), 'bones', 'gltf#/nodes');
    const links = Array.from({ length: 10_000 }, (_, k) => `<link name="l${k}"/>`).join('');
    expectOverBudget(() => readUrdf(`<robot name="r">${links}</robot>`), 'bones', 'robot.urdf#/robot');
    const joints = Array.from(
      { length: 10_000 },
      (_, k) => `${k === 0 ? 'ROOT' : 'JOINT'} b${k}\n{\nOFFSET 0 1 0\nCHANNELS 1 Xrotation\n`,
    );
    const motion = `MOTION\nFrames: 1\nFrame Time: 0.1\n${'0 '.repeat(10_000)}\n`;
    const bvh = `HIERARCHY\n${joints.join('')}${'}\n'.repeat(10_000)}${motion}`;
    expectOverBudget(() => readBvh(bvh), 'bones', 'motion.bvh');
    expect(readBvh(bvh, { budget: { bones: 10_000 } }).figure.bones).toHaveLength(10_000);
    expect(readGltfRig(gltf(chain(10_000)), { budget: { bones: Infinity } }).figure.bones).toHaveLength(
      10_000,
    );
  });

  test.each([
    [50, 1e4],
    [100, 1e6],
    [100, 1e30],
  ])('curves through %d wild keys: a result or an error of the library, in time', (count, tangent) => {
    const rig = readGltfRig(wildKeys(count, tangent));
    const started = threadTime();
    try {
      const { motion } = readGltfAnimation(rig);
      expect(motion.tracks.every(({ curve }) => Array.from(curve.knots).every(Number.isFinite))).toBe(true);
    } catch (error) {
      expect(error).toBeInstanceOf(PoiseError);
    }
    expect(threadTime() - started).toBeLessThan(10_000);
  });

  test('samples of one animation', () => {
    const file = wildKeys(50, 1e6);
    expectOverBudget(
      () => readGltfAnimation(readGltfRig(file, { budget: { samples: 1000 } })),
      'samples',
      'gltf#/animations/0',
    );
  });

  test('samples of keys that jump as wildly as their bytes allow', () => {
    const count = 6000;
    const noise = (k: number): number => Math.sin(12.9898 * k + 78.233) * 43758.5453;
    const values = Float32Array.from({ length: 4 * count }, (_, k) => noise(k) - Math.floor(noise(k)) - 0.5);
    for (let k = 0; k < values.length; k += 4) {
      const norm = Math.hypot(...values.subarray(k, k + 4));
      for (let j = k; j < k + 4; j++) values[j] /= norm;
    }
    const file = gltf(
      {
        ...chain(1),
        accessors: [
          { bufferView: 0, componentType: 5126, count, type: 'SCALAR' },
          { bufferView: 1, componentType: 5126, count, type: 'VEC4' },
        ],
        animations: [
          {
            samplers: [{ input: 0, output: 1 }],
            channels: [{ sampler: 0, target: { node: 0, path: 'rotation' } }],
          },
        ],
      },
      Float32Array.from({ length: count }, (_, k) => 0.01 * k),
      values,
    );
    // 160 kB: it took 2 seconds, 13 us a byte.
    expectOverBudget(() => readGltfAnimation(readGltfRig(file)), 'samples', 'gltf#/animations/0');
    expect(readGltfAnimation(readGltfRig(file, { budget: { samples: Infinity } })).motion.end).toBeCloseTo(
      59.99,
      3,
    );
  });

  test('samples of a deep chain below an animated scale', () => {
    const { scenes, nodes } = chain(1500);
    const file = gltf(
      {
        scenes,
        nodes,
        accessors: [
          { bufferView: 0, componentType: 5126, count: 3, type: 'SCALAR' },
          { bufferView: 1, componentType: 5126, count: 3, type: 'VEC3' },
        ],
        animations: [
          {
            samplers: [{ input: 0, output: 1 }],
            channels: [{ sampler: 0, target: { node: 0, path: 'scale' } }],
          },
        ],
      },
      Float32Array.of(0, 1, 2),
      Float32Array.of(1, 1, 1, 2, 2, 2, 1, 1, 1),
    );
    expectOverBudget(() => readGltfAnimation(readGltfRig(file)), 'samples', 'gltf#/animations/0');
  });

  test('keys that thousands of channels or animations share', () => {
    const keys = 2000;
    const channels = Array.from({ length: 2000 }, (_, node) => ({
      sampler: 0,
      target: { node, path: 'translation' },
    }));
    const animation = { samplers: [{ input: 0, output: 1 }], channels };
    const one = { ...animation, channels: channels.slice(0, 1) };
    const make = (animations: readonly object[]) =>
      gltf(
        {
          scenes: [{ nodes: channels.map((_, k) => k) }],
          nodes: channels.map(() => ({})),
          accessors: [
            { bufferView: 0, componentType: 5126, count: keys, type: 'SCALAR' },
            { bufferView: 1, componentType: 5126, count: keys, type: 'VEC3' },
          ],
          animations,
        },
        Float32Array.from({ length: keys }, (_, k) => k),
        new Float32Array(3 * keys),
      );
    const rig = readGltfRig(make([animation]));
    expectOverBudget(() => readGltfAnimation(rig), 'keys', 'gltf#/animations/0');
    const many = parseGltf(make(Array.from({ length: 2000 }, () => one)));
    expectOverBudget(() => listGltfAnimations(many), 'keys', 'gltf#/animations');
    expectOverBudget(() => animatedJoints(many), 'keys', 'gltf#/animations');
  });

  test('vertices that primitives share are read once; those that nodes share are counted', () => {
    const shared = readGltfRig(meshFile(20_000, 1));
    expect(drawnBones(shared)).toEqual([true]);
    expect(boneVertices(shared)[shared.figure.bones[0].name]).toHaveLength(9000);
    const many = meshFile(1, 1000);
    expectOverBudget(() => boneVertices(readGltfRig(many)), 'vertices', 'gltf#/meshes');
    expect(Object.keys(boneVertices(readGltfRig(many, { budget: { vertices: 3e6 } })))).toHaveLength(1000);
  });

  test('unknowns of a scene', () => {
    const figure = createHumanFigure();
    const problem = (more: object, budget?: ReadBudget) => () =>
      spacetimeFromScene(
        readScene(JSON.stringify({ format: 'poise-scene', version: 1, terms: [], duration: 1, ...more })),
        figure,
        { source: 's.json', ...(budget && { budget }) },
      );
    expectOverBudget(problem({ intervals: 5000 }), 'unknowns', 's.json#intervals');
    expectOverBudget(problem({ duration: 1000 }), 'unknowns', 's.json#duration');
    expectOverBudget(problem({ duration: 1e308 }), 'unknowns', 's.json#duration');
    const terms = Array.from({ length: 5000 }, () => ({ type: 'effort' }));
    expectOverBudget(problem({ terms }), 'unknowns', 's.json#duration');
    expect(problem({ intervals: 5000 }, { unknowns: 1e6 })().intervals).toBe(5000);
  });
});

test('thousands of buffers and images that name one file load it once', () => {
  const file = new Uint8Array(100_000);
  let loads = 0;
  const resource = (): Uint8Array => {
    loads++;
    return file;
  };
  const entries = Array.from({ length: 5000 }, () => ({ uri: 'a.bin', byteLength: 16 }));
  const images = entries.map(() => ({ uri: 'b.png' }));
  const bytes = Buffer.from(
    JSON.stringify({ asset: { version: '2.0' }, nodes: [{}], buffers: entries, images }),
  );
  const rig = readGltfRig(bytes, { resource });
  expect(loads).toBe(1);
  const written = writePosedGltf(rig, new Float64Array(rig.figure.dof), { kind: 'glb' });
  expect(loads).toBe(2);
  expect(written.length).toBeLessThan(1e6);
});

test('lists of hundreds of thousands do not overflow the stack', () => {
  const many = 200_000;
  expect(
    readUrdf(`<robot name="r"><link name="a"/>${'<m/>'.repeat(many)}</robot>`).figure.bones,
  ).toHaveLength(1);
  const nodes = Array.from({ length: many }, () => ({ rotation: [0, 0, 0, 2] }));
  const rig = readGltfRig(gltf({ nodes, scenes: [{ nodes: [0] }] }));
  expect(rig.warnings.length).toBeGreaterThanOrEqual(many);
  const poses = Array.from({ length: many }, () => 'rest');
  const keys = { type: 'keys', times: poses.map((_, k) => k), poses };
  const text = JSON.stringify({ format: 'poise-scene', version: 1, terms: [], reference: keys });
  expect(sceneFiles(readScene(text)).poses).toEqual([]);
});

describe('the option', () => {
  test.each([
    [{ bone: 1 }, 'unknown-name', 'options.budget.bone'],
    [{ bones: -1 }, 'out-of-range', 'options.budget.bones'],
    [{ bones: Number.NaN }, 'out-of-range', 'options.budget.bones'],
    [{ bones: '9' }, 'out-of-range', 'options.budget.bones'],
    [7, 'unsupported', 'options.budget'],
  ])('%j is refused', (budget, code, path) => {
    const good =
      'HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n}\nMOTION\nFrames: 1\nFrame Time: 1\n0\n';
    expect(readBvh(good, { budget: { bones: 1 } }).frames).toBe(1);
    const error = refusalOf(() => readBvh(good, { budget: budget as ReadBudget }));
    expect({ code: error.code, path: error.path }).toEqual({ code, path });
  });
});

test('a budget that is undefined is the default one', () => {
  const text = '<robot name="a"><link name="b"/></robot>';
  const budget = { bones: undefined } as unknown as { bones?: number };
  expect(readUrdf(text, { budget }).figure.bones).toHaveLength(1);
});

test('requireBudget knows the names of budgets alone', () => {
  for (const name of ['constructor', 'bone'])
    expect(() => requireBudget(undefined, name as never, 1, 'x')).toThrow(FormatError);
});
