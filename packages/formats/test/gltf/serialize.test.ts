import { externalUris, parseGltf, readGltfRig, serializeGltf, writePosedGltf } from '@poise/formats';
import { describe, expect, test } from 'vitest';
import { build, buildGlb, buildGltf, chunk, glb, openGlb } from './support/build.js';
import { compareWithOracles, randomPose } from './support/compare.js';
import * as rigs from './support/rigs.js';

const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 7]);
const utf8 = (value: unknown) => new Uint8Array(Buffer.from(JSON.stringify(value)));

/** A .gltf with two external buffers, a data image and an external image; its bytes by name. */
function scattered() {
  const { json, binary } = build(rigs.centimetreArmature);
  const views = json.bufferViews as { buffer: number }[];
  const extra = new Uint8Array([9, 8, 7, 6, 5]);
  const file = {
    ...json,
    bufferViews: [
      ...views,
      { buffer: 1, byteOffset: 1, byteLength: 3, name: 'kept', extras: { a: 1 } },
      {
        buffer: 2,
        byteLength: 4,
        extensions: {
          EXT_meshopt_compression: { buffer: 1, byteOffset: 2, byteLength: 2, count: 1, byteStride: 4 },
        },
      },
    ],
    buffers: [
      { byteLength: binary.length, uri: 'mesh%20data.bin' },
      { byteLength: 5, uri: 'extra.bin' },
      { byteLength: 4, extensions: { EXT_meshopt_compression: { fallback: true } } },
    ],
    images: [
      { uri: `data:image/png;base64,${Buffer.from(png).toString('base64')}`, name: 'inside' },
      { uri: 'textures/skin.png' },
    ],
    extensionsUsed: ['EXT_meshopt_compression', 'X_unknown'],
    extensions: { X_unknown: { anything: [1, { b: null }] } },
  };
  const resources: Record<string, Uint8Array> = {
    'mesh%20data.bin': binary,
    'extra.bin': extra,
    'textures/skin.png': png,
  };
  return {
    file,
    resources,
    binary,
    extra,
    viewCount: views.length,
    resource: (uri: string) => resources[uri],
  };
}

describe('a GLB', () => {
  test('without changes is written byte for byte', () => {
    const bytes = buildGlb(rigs.mirrored);
    expect(Buffer.compare(serializeGltf(parseGltf(bytes)), bytes)).toBe(0);
  });

  test('keeps unknown chunks, and bytes of the BIN chunk after the buffer', () => {
    const { json, binary } = build(rigs.mirrored);
    const more = Buffer.concat([
      glb(json, Buffer.concat([binary, Buffer.from([1, 2, 3, 4])])),
      chunk('XTRA', new Uint8Array(8).fill(3)),
    ]);
    more.writeUInt32LE(more.length, 8);
    const written = writePosedGltf(readGltfRig(more), randomPose(readGltfRig(more), 1));
    const at = 20 + Buffer.from(written).readUInt32LE(12);
    expect(Buffer.compare(written.subarray(at), more.subarray(20 + more.readUInt32LE(12)))).toBe(0);
  });

  test('unusual number formats in the JSON stay as they are', () => {
    const { json, binary } = build(rigs.noSkin);
    const odd = '"extras":{"id":12345678901234567890,"z":-0.0,"one":1.000}';
    const text = JSON.stringify(json).replace(/}$/, `,${odd}}`);
    const rig = readGltfRig(glb(text, binary.length > 0 ? binary : undefined));
    expect(openGlb(writePosedGltf(rig, randomPose(rig, 2))).text).toContain(odd);
  });

  test('becomes a .gltf with its binary as a data address', async () => {
    const rig = readGltfRig(buildGlb(rigs.centimetreArmature));
    const pose = randomPose(rig, 2);
    const again = readGltfRig(writePosedGltf(rig, pose, { kind: 'gltf' }));
    expect(again.document.kind).toBe('gltf');
    expect(again.document.buffers[0].uri).toMatch(/^data:application\/octet-stream;base64,/);
    const seen = await compareWithOracles(again, new Float64Array(again.figure.dof));
    expect(seen.gltfTransform).toBeLessThan(1e-13);
  });

  test('bytes after its stated length are ignored with a warning', () => {
    const bytes = buildGlb(rigs.noSkin);
    const rig = readGltfRig(Buffer.concat([bytes, Buffer.from('junk')]));
    expect(rig.warnings).toEqual(['gltf: 4 bytes after the end of the GLB are ignored.']);
  });
});

describe('a .gltf with external files', () => {
  test('lists them: buffers, then images, without data addresses', () => {
    expect(externalUris(utf8(scattered().file))).toEqual([
      'mesh%20data.bin',
      'extra.bin',
      'textures/skin.png',
    ]);
  });

  test('written as .gltf keeps its addresses, and requests no image', () => {
    const { file, resources } = scattered();
    const rig = readGltfRig(utf8(file), {
      resource: (uri) => {
        expect(uri).toMatch(/\.bin$/);
        return resources[uri];
      },
    });
    const written = JSON.parse(
      Buffer.from(writePosedGltf(rig, randomPose(rig, 1))).toString(),
    ) as typeof file;
    expect({ ...written, nodes: 0 }).toEqual({ ...file, nodes: 0 });
  });

  test('written as .glb has all data in one BIN chunk, every view on the same bytes as before', async () => {
    const { file, resource, binary, extra, viewCount } = scattered();
    const rig = readGltfRig(utf8(file), { resource });
    const pose = randomPose(rig, 1);
    const { json, binary: merged } = openGlb(writePosedGltf(rig, pose, { kind: 'glb' })) as unknown as {
      json: { [key: string]: unknown; bufferViews: View[]; images: { bufferView: number }[] };
      binary: Buffer;
    };
    const bytesOf = (view: View) =>
      merged.subarray(view.byteOffset ?? 0, (view.byteOffset ?? 0) + view.byteLength);
    const old = file.bufferViews as unknown as View[];
    for (let i = 0; i < viewCount; i++) {
      const from = old[i].byteOffset ?? 0;
      expect(
        Buffer.compare(bytesOf(json.bufferViews[i]), binary.subarray(from, from + old[i].byteLength)),
      ).toBe(0);
    }
    expect([...bytesOf(json.bufferViews[viewCount])]).toEqual([8, 7, 6]);
    expect(json.bufferViews[viewCount]).toMatchObject({ name: 'kept', extras: { a: 1 }, buffer: 0 });
    // The view that meshopt fills keeps its fallback buffer, its compressed source moves with the buffer.
    const compressed = json.bufferViews[viewCount + 1];
    expect(compressed.buffer).toBe(1);
    const source = compressed.extensions?.EXT_meshopt_compression as View;
    expect(source).toMatchObject({ buffer: 0, count: 1, byteStride: 4 });
    expect([...bytesOf(source)]).toEqual([...extra.subarray(2, 4)]);
    expect(json.buffers).toEqual([
      { byteLength: expect.any(Number) },
      { byteLength: 4, extensions: { EXT_meshopt_compression: { fallback: true } } },
    ]);
    for (const image of json.images)
      expect([...bytesOf(json.bufferViews[image.bufferView])]).toEqual([...png]);
    expect(json.images).toMatchObject([{ name: 'inside', mimeType: 'image/png' }, { mimeType: 'image/png' }]);
    for (const key of [
      'accessors',
      'meshes',
      'skins',
      'scenes',
      'extensions',
      'extensionsUsed',
      'asset',
    ] as const) {
      expect(json[key]).toEqual(file[key as keyof typeof file]);
    }
    for (const view of json.bufferViews.slice(0, viewCount)) expect((view.byteOffset ?? 0) % 4).toBe(0);
  });

  test('embedded in a .gltf reads back without any file', () => {
    const { file, resource } = scattered();
    const rig = readGltfRig(utf8(file), { resource });
    const alone = writePosedGltf(rig, randomPose(rig, 1), { externals: 'embed' });
    expect(externalUris(alone)).toEqual([]);
    const again = readGltfRig(alone);
    expect(again.figure.dof).toBe(rig.figure.dof);
    again.document.buffers.forEach(({ bytes }, i) => {
      expect(bytes && [...bytes]).toEqual(
        rig.document.buffers[i].bytes && [...(rig.document.buffers[i].bytes ?? [])],
      );
    });
  });

  test('a missing image is an error for a .glb, and only for a .glb', () => {
    const { file, resources } = scattered();
    const rig = readGltfRig(utf8(file), {
      resource: (uri) => (uri.endsWith('.png') ? undefined : resources[uri]),
    });
    const pose = randomPose(rig, 1);
    expect(writePosedGltf(rig, pose).length).toBeGreaterThan(0);
    expect(() => writePosedGltf(rig, pose, { kind: 'glb' })).toThrow(
      expect.objectContaining({ code: 'missing-resource', path: 'gltf#/images/1/uri' }),
    );
  });
});

test('a .gltf without buffers becomes a GLB without a BIN chunk', () => {
  const { json } = build(rigs.noSkin);
  const rig = readGltfRig(utf8(json));
  const written = writePosedGltf(rig, randomPose(rig, 1), { kind: 'glb' });
  expect(openGlb(written).binary).toBeUndefined();
  expect(readGltfRig(written).figure.bones).toHaveLength(4);
});

test('a byte-order mark and space before the JSON are read', () => {
  const bytes = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from('\n '), buildGltf(rigs.noSkin)]);
  expect(readGltfRig(bytes).figure.bones).toHaveLength(4);
});

test('a change of a node that does not exist is refused', () => {
  const document = parseGltf(buildGlb(rigs.noSkin));
  expect(() => serializeGltf(document, { nodes: new Map([[9, { rotation: [0, 0, 0, 1] }]]) })).toThrow(
    expect.objectContaining({ code: 'out-of-range', path: 'gltf#/nodes' }),
  );
  expect(() =>
    serializeGltf(document, { nodes: new Map([[0, { rotation: [0, Number.NaN, 0, 1] }]]) }),
  ).toThrow(expect.objectContaining({ code: 'not-finite', path: 'gltf#/nodes/0/rotation' }));
});

test('chosen animations stay as they were written, and the rest of the file too', () => {
  const texts = ['{ "name": "a", "channels": [] }', '{"name":"b" , "extras": 1.50}', '{"name":"c"}'];
  const list = `[ ${texts.join(' ,')} ]`;
  const text = `{ "asset": {"version": "2.0"}, "animations" : ${list}, "extras": 1.0 }`;
  const document = parseGltf(Buffer.from(text));
  const written = (animations: number[]) =>
    Buffer.from(serializeGltf(document, { animations })).toString('utf8');
  for (const animations of [null, 3, 'Run', {}])
    expect(() => written(animations as never)).toThrow(
      expect.objectContaining({ path: 'options.animations' }),
    );
  expect(written([2, 1])).toBe(text.replace(list, `[${texts[2]},${texts[1]}]`));
  expect(() => written([3])).toThrow(
    expect.objectContaining({ code: 'out-of-range', path: 'gltf#/animations' }),
  );
  expect(() => written([])).toThrow(expect.objectContaining({ code: 'wrong-size' }));
});

test('the sign of a zero is written', () => {
  const document = parseGltf(buildGlb(rigs.noSkin));
  const written = serializeGltf(document, { nodes: new Map([[0, { translation: [-0, 1e-7, 1e21] }]]) });
  expect(openGlb(written).text).toContain('"translation":[-0.0,1e-7,1e+21]');
});

interface View {
  buffer: number;
  byteOffset?: number;
  byteLength: number;
  extensions?: Record<string, unknown>;
}
