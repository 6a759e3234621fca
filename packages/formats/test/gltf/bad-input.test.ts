import { readGltfRig, writePosedGltf } from '@poise/formats';
import { PoiseError } from 'poise';
import { describe, expect, test } from 'vitest';
import { buildGlb, chunk, glb, openGlb, type TestNode } from './support/build.js';
import { randomPose } from './support/compare.js';
import { expectRefusal, refusal } from './support/refusal.js';
import * as rigs from './support/rigs.js';

const good = buildGlb(rigs.centimetreArmature);
const at = (position: number, value: number, bytes = good): Uint8Array => {
  const copy = Buffer.from(bytes);
  copy.writeUInt32LE(value, position);
  return copy;
};

describe('the container', () => {
  test('not a glTF', () => {
    expectRefusal(new Uint8Array(0), 'invalid-file', 'rig.glb');
    expectRefusal(Buffer.from('PK\x03\x04 a zip'), 'invalid-file', 'rig.glb');
    expectRefusal(at(0, 0x46546c68), 'invalid-file', 'rig.glb');
  });

  test('version 1, in the header or in the JSON', () => {
    expectRefusal(at(4, 1), 'unsupported', 'rig.glb');
    expectRefusal(
      Buffer.from('{"asset":{"version":"1.0"},"nodes":{"a":{}}}'),
      'unsupported',
      'rig.glb#/asset/version',
    );
    expectRefusal(Buffer.from('{"asset":{}}'), 'unsupported', 'rig.glb#/asset/version');
    expectRefusal(Buffer.from('{}'), 'invalid-file', 'rig.glb#/asset');
  });

  test('cut off at any byte', () => {
    for (let length = 0; length < good.length; length += length < 40 ? 1 : 97) {
      expect(refusal(good.subarray(0, length)).code).toBe('invalid-file');
    }
  });

  test('chunk lengths that lie', () => {
    expectRefusal(at(8, good.length + 4), 'invalid-file', 'rig.glb');
    expectRefusal(at(12, 0xffffffff), 'invalid-file', 'rig.glb#chunk0');
    expectRefusal(at(12, good.length), 'invalid-file', 'rig.glb#chunk0');
    const binaryAt = 20 + Buffer.from(good).readUInt32LE(12);
    expectRefusal(at(binaryAt, 0x7fffffff), 'invalid-file', 'rig.glb#chunk1');
    // What follows is read as further chunks, and one of those runs over the end.
    expect(refusal(at(binaryAt, 4)).path).toMatch(/^rig\.glb#chunk[2-9]$/);
    expectRefusal(at(8, 19), 'invalid-file', 'rig.glb#chunk0');
    expectRefusal(at(8, 12), 'invalid-file', 'rig.glb#chunk0');
  });

  test('no JSON chunk in front', () => {
    const wrong = Buffer.concat([good.subarray(0, 12), chunk('BIN\0', new Uint8Array(4))]);
    wrong.writeUInt32LE(wrong.length, 8);
    expectRefusal(wrong, 'invalid-file', 'rig.glb#chunk0');
  });

  test('a million empty chunks', () => {
    const start = glb('{"asset":{"version":"2.0"}}');
    const many = Buffer.concat([start, Buffer.alloc(8e6)]);
    many.writeUInt32LE(many.length, 8);
    expectRefusal(many, 'invalid-file', 'rig.glb#chunk1024');
    // The first is not the JSON.
    const none = Buffer.concat([start.subarray(0, 12), Buffer.alloc(8e6)]);
    none.writeUInt32LE(none.length, 8);
    expectRefusal(none, 'invalid-file', 'rig.glb#chunk0');
  });

  test('JSON that does not parse, or is no object, or no UTF-8', () => {
    expectRefusal(glb('{"asset":'), 'invalid-file', 'rig.glb');
    expectRefusal(glb('[1]'), 'invalid-file', 'rig.glb#');
    expectRefusal(glb('null'), 'invalid-file', 'rig.glb#');
    expectRefusal(Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), 'invalid-file', 'rig.glb');
    expectRefusal(
      glb('{"asset":{"version":"2.0"},"nodes":[{"translation":[NaN,0,0]}]}'),
      'invalid-file',
      'rig.glb',
    );
  });

  test('JSON nested a hundred thousand deep is refused, without a stack overflow; five hundred deep it is kept', () => {
    const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    const text = (deep: string): string => `{"asset":{"version":"2.0"},"nodes":[{}],"extras":${deep}}`;
    expectRefusal(glb(text(nested(100_000))), 'unsupported', 'rig.glb');
    const rig = readGltfRig(glb(text(nested(500))));
    const pose = randomPose(rig, 1);
    expect(openGlb(writePosedGltf(rig, pose)).text).toContain(nested(500));
  });
});

describe('nodes', () => {
  const nodes = (list: unknown[]): Uint8Array =>
    buildGlb({ nodes: list as TestNode[], json: { scenes: [{ nodes: [0] }] } });

  test('a circle, however it is reached', () => {
    expectRefusal(nodes([{ children: [0] }]), 'cycle', 'rig.glb#/nodes/0/children/0');
    expectRefusal(nodes([{ children: [1] }, { children: [0] }]), 'cycle', 'rig.glb#/nodes/1/children');
    expectRefusal(
      nodes([{ children: [1] }, { children: [2] }, { children: [1] }]),
      'cycle',
      'rig.glb#/nodes/2/children/0',
    );
  });

  test('two parents, or twice the same', () => {
    expectRefusal(
      nodes([{ children: [2] }, { children: [2] }, {}]),
      'invalid-file',
      'rig.glb#/nodes/1/children/0',
    );
    expectRefusal(nodes([{ children: [1, 1] }, {}]), 'invalid-file', 'rig.glb#/nodes/0/children/1');
  });

  test('a hundred thousand in one chain, or below one node, take no more than linear time', () => {
    const count = 100_000;
    const chain = Array.from({ length: count }, (_, i) =>
      i < count - 1 ? { children: [i + 1] } : { children: [0] },
    );
    expect(refusal(nodes(chain)).code).toBe('cycle');
    const wide = [{ children: Array.from({ length: count }, (_, i) => i + 1) }, ...Array(count).fill({})];
    expect(readGltfRig(nodes(wide), { budget: { bones: Infinity } }).figure.bones).toHaveLength(count + 1);
  });

  test('indices out of range or no indices', () => {
    expectRefusal(nodes([{ children: [7] }]), 'out-of-range', 'rig.glb#/nodes/0/children/0');
    expectRefusal(nodes([{ children: [-1] }]), 'out-of-range', 'rig.glb#/nodes/0/children/0');
    expectRefusal(nodes([{ children: ['1'] }, {}]), 'invalid-file', 'rig.glb#/nodes/0/children/0');
    expectRefusal(nodes([{ children: [0.5] }]), 'invalid-file', 'rig.glb#/nodes/0/children/0');
    expectRefusal(nodes([{ children: 3 }]), 'invalid-file', 'rig.glb#/nodes/0/children');
    expectRefusal(nodes([{ skin: 0 }]), 'out-of-range', 'rig.glb#/nodes/0/skin');
    expectRefusal(nodes([{ mesh: 0 }]), 'out-of-range', 'rig.glb#/nodes/0/mesh');
    expectRefusal(glb('{"asset":{"version":"2.0"},"nodes":[null]}'), 'invalid-file', 'rig.glb#/nodes/0');
    expectRefusal(nodes([{ name: 5 }]), 'invalid-file', 'rig.glb#/nodes/0/name');
    expectRefusal(buildGlb({ nodes: [{}], json: { scene: 4 } }), 'out-of-range', 'rig.glb#/scene');
    expectRefusal(
      buildGlb({ nodes: [{}], json: { scenes: [{ nodes: [1] }] } }),
      'out-of-range',
      'rig.glb#/scenes/0/nodes/0',
    );
    expectRefusal(buildGlb({ nodes: [], json: { scenes: [] } }), 'invalid-file', 'rig.glb#/nodes');
  });

  test('transforms with strings, infinities, wrong lengths', () => {
    const text = (members: string) => glb(`{"asset":{"version":"2.0"},"nodes":[{},{${members}}]}`);
    expectRefusal(text('"translation":[1,2]'), 'wrong-size', 'rig.glb#/nodes/1/translation');
    expectRefusal(text('"translation":[1,2,"3"]'), 'invalid-file', 'rig.glb#/nodes/1/translation/2');
    expectRefusal(text('"translation":[1,null,3]'), 'invalid-file', 'rig.glb#/nodes/1/translation/1');
    expectRefusal(text('"translation":"up"'), 'invalid-file', 'rig.glb#/nodes/1/translation');
    expectRefusal(text('"translation":[1e999,0,0]'), 'not-finite', 'rig.glb#/nodes/1/translation/0');
    expectRefusal(text('"scale":[1,-1e999,0]'), 'not-finite', 'rig.glb#/nodes/1/scale/1');
    expectRefusal(text('"rotation":[0,0,0,1,0]'), 'wrong-size', 'rig.glb#/nodes/1/rotation');
    for (const rotation of ['[0,0,0,0]', '[0.7,1e200,0,0.7]']) {
      expectRefusal(text(`"rotation":${rotation}`), 'not-unit', 'rig.glb#/nodes/1/rotation');
    }
    expectRefusal(text('"matrix":[1,0,0,0]'), 'wrong-size', 'rig.glb#/nodes/1/matrix');
    expectRefusal(
      text('"matrix":[1,0,0,1,0,1,0,0,0,0,1,0,0,0,0,1]'),
      'invalid-file',
      'rig.glb#/nodes/1/matrix',
    );
  });

  test('a bone flattened by its scale is singular; a node that is no bone may be flat', () => {
    expectRefusal(nodes([{ scale: [1, 0, 1] }]), 'singular', 'rig.glb#/nodes/0/scale');
    expectRefusal(nodes([{ scale: [1e-200, 1e-200, 1e-200] }]), 'singular', 'rig.glb#/nodes/0/scale');
    expectRefusal(
      nodes([{ children: [1] }, { matrix: [1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1] }]),
      'singular',
      'rig.glb#/nodes/1/matrix',
    );
    const hidden = { nodes: [{ children: [1] }, { scale: [0, 0, 0] }], skins: [{ joints: [0] }] };
    expect(readGltfRig(buildGlb(hidden)).figure.bones).toHaveLength(1);
  });

  test('scales that multiply beyond all bounds', () => {
    const big = Array.from({ length: 8 }, () => ({ scale: [1e60, 1e60, 1e60], translation: [1, 1, 1] }));
    expect(() => readGltfRig(nodes(rigs.chain(big)))).toThrow(PoiseError);
  });
});
