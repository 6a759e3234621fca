import { jointMatrices, readGltfRig, writePosedGltf } from '@poise/formats';
import { describe, expect, test } from 'vitest';
import { build, buildGlb, glb, type TestFile } from './support/build.js';
import { randomPose } from './support/compare.js';
import { expectRefusal, refusal } from './support/refusal.js';
import * as rigs from './support/rigs.js';

const good = buildGlb(rigs.centimetreArmature);

describe('buffers and accessors', () => {
  const { json, binary } = build(rigs.centimetreArmature);
  const change = (edit: (file: File) => void): Uint8Array => {
    const file = structuredClone(json) as unknown as File;
    edit(file);
    return glb(file, binary);
  };
  const last = (file: File) => file.accessors[file.accessors.length - 1];
  const matrices = (json.accessors as unknown[]).length - 1;

  test('joints and matrices that are not there', () => {
    const skin = 'rig.glb#/skins/0';
    expectRefusal(
      change((file) => (file.skins[0].joints[2] = 99)),
      'out-of-range',
      `${skin}/joints/2`,
    );
    expectRefusal(
      change((file) => (file.skins[0].joints = [])),
      'invalid-file',
      `${skin}/joints`,
    );
    expectRefusal(
      change((file) => (file.skins[0].skeleton = 99)),
      'out-of-range',
      `${skin}/skeleton`,
    );
    const path = `${skin}/inverseBindMatrices`;
    expectRefusal(
      change((file) => (file.skins[0].inverseBindMatrices = 99)),
      'out-of-range',
      path,
    );
    expectRefusal(
      change((file) => (last(file).count = 3)),
      'out-of-range',
      `rig.glb#/accessors/${matrices}/count`,
    );
    expectRefusal(
      change((file) => (file.skins[0].inverseBindMatrices = 0)),
      'invalid-file',
      'rig.glb#/accessors/0',
    );
  });

  test('ranges beyond the buffer, counts beyond memory', () => {
    const accessor = `rig.glb#/accessors/${matrices}`;
    expectRefusal(
      change((file) => (last(file).count = 7)),
      'out-of-range',
      accessor,
    );
    expectRefusal(
      change((file) => (last(file).count = Number.MAX_SAFE_INTEGER)),
      'out-of-range',
      accessor,
    );
    expectRefusal(
      change((file) => (last(file).count = 1e300)),
      'invalid-file',
      `${accessor}/count`,
    );
    expectRefusal(
      change((file) => (last(file).byteOffset = 4)),
      'out-of-range',
      accessor,
    );
    expectRefusal(
      change((file) => (last(file).byteOffset = -4)),
      'invalid-file',
      `${accessor}/byteOffset`,
    );
    expectRefusal(
      change((file) => (last(file).bufferView = 99)),
      'out-of-range',
      `${accessor}/bufferView`,
    );
    expectRefusal(
      change((file) => (last(file).componentType = 1)),
      'invalid-file',
      `${accessor}/componentType`,
    );
    expectRefusal(
      change((file) => (last(file).type = 'constructor')),
      'invalid-file',
      `${accessor}/type`,
    );
    const view = 'rig.glb#/bufferViews/0';
    expectRefusal(
      change((file) => (file.bufferViews[0].byteOffset = 1e6)),
      'out-of-range',
      view,
    );
    expectRefusal(
      change((file) => (file.bufferViews[0].byteLength = 1e15)),
      'out-of-range',
      view,
    );
    expectRefusal(
      change((file) => (file.bufferViews[0].buffer = 1)),
      'out-of-range',
      `${view}/buffer`,
    );
    expectRefusal(
      change((file) => (file.bufferViews[0].byteStride = 3)),
      'out-of-range',
      `${view}/byteStride`,
    );
    expectRefusal(
      change((file) => (file.buffers[0].byteLength = binary.length + 100)),
      'invalid-file',
      'rig.glb#/buffers/0/byteLength',
    );
  });

  test('a huge count without bytes behind it costs nothing: only the matrices of joints are made', () => {
    const rig = readGltfRig(
      change((file) => {
        last(file).count = 1e15;
        delete (last(file) as { bufferView?: number }).bufferView;
      }),
    );
    expect(rig.binding.skins[0].inverseBinds).toHaveLength(6 * 16);
  });

  test('a matrix that is not finite', () => {
    const copy = Buffer.from(good);
    copy.writeFloatLE(Number.NaN, good.length - 64 * 6 + 20);
    expectRefusal(copy, 'not-finite', `rig.glb#/accessors/${matrices}`);
  });

  test('sparse indices beyond the accessor', () => {
    const file: TestFile = {
      nodes: [{ name: 'a' }],
      skins: [{ joints: [0], inverseBinds: [rigs.moved(1, 2, 3)], sparse: [0] }],
    };
    const built = build(file);
    const views = built.json.bufferViews as { byteOffset: number }[];
    built.binary[views[views.length - 2].byteOffset] = 5;
    expectRefusal(glb(built.json, built.binary), 'out-of-range', 'rig.glb#/accessors/3/sparse/indices');
  });

  test('a buffer without an address in a file without a BIN chunk', () => {
    expectRefusal(glb(json), 'invalid-file', 'rig.glb#/buffers/0');
    const { length } = glb(json);
    const cut = Buffer.from(good.subarray(0, length));
    cut.writeUInt32LE(length, 8);
    expectRefusal(cut, 'invalid-file', 'rig.glb#/buffers/0');
  });

  test('matrices in a buffer that only an extension could fill: a rig with a warning, no joint matrices', () => {
    const rig = readGltfRig(
      change((file) => {
        file.buffers.push({ byteLength: 384, extensions: { EXT_meshopt_compression: { fallback: true } } });
        file.bufferViews[last(file).bufferView].buffer = 1;
        file.bufferViews[last(file).bufferView].byteOffset = 0;
      }),
    );
    expect(rig.warnings).toHaveLength(1);
    expect(rig.warnings[0]).toContain('gltf#/skins/0/inverseBindMatrices');
    expect(() => jointMatrices(rig, new Float64Array(rig.figure.dof))).toThrow(
      expect.objectContaining({ code: 'unsupported', path: 'gltf#/skins/0' }),
    );
    expect(readGltfRig(writePosedGltf(rig, randomPose(rig, 1))).figure.dof).toBe(rig.figure.dof);
  });

  test('a buffer that is not given, a data address that is none', () => {
    const external = Buffer.from(
      '{"asset":{"version":"2.0"},"buffers":[{"byteLength":4,"uri":"a.bin"}],"nodes":[{}]}',
    );
    expectRefusal(external, 'missing-resource', 'rig.glb#/buffers/0/uri');
    expect(refusal(external).message).toContain("'a.bin'");
    const broken = Buffer.from(external.toString().replace('a.bin', 'data:;base64,A'));
    expectRefusal(broken, 'invalid-file', 'rig.glb#/buffers/0/uri');
    const short = Buffer.from(external.toString().replace('a.bin', 'data:;base64,AAAA'));
    expectRefusal(short, 'invalid-file', 'rig.glb#/buffers/0/byteLength');
  });

  interface File {
    accessors: {
      count: number;
      byteOffset: number;
      bufferView: number;
      componentType: number;
      type: string;
    }[];
    bufferViews: { buffer: number; byteOffset: number; byteLength: number; byteStride: number }[];
    buffers: { byteLength: number; extensions?: unknown }[];
    skins: { joints: number[]; skeleton: number; inverseBindMatrices: number }[];
  }
});
