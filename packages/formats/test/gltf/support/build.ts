/** Makes glTF files for tests: no supplied file has a scaled armature. */

/** A node as a test writes it: glTF's members, children by index. */
export interface TestNode {
  name?: string;
  children?: number[];
  translation?: number[];
  rotation?: number[];
  scale?: number[];
  matrix?: number[];
  mesh?: number;
  skin?: number;
  extras?: unknown;
}

export interface TestSkin {
  name?: string;
  joints: number[];
  /** Sixteen numbers a joint; absent for none in the file. */
  inverseBinds?: number[][];
  /** Bytes from one matrix to the next. */
  stride?: number;
  /** Joints whose matrix stands in a sparse part; the dense part holds zeros for them. */
  sparse?: number[];
}

export interface TestFile {
  nodes: TestNode[];
  skins?: TestSkin[];
  /** Members put into the JSON as they are. */
  json?: Record<string, unknown>;
}

export interface Built {
  json: Record<string, unknown>;
  binary: Uint8Array;
}

/**
 * JSON and binary of a file: the nodes given, below them one node per skin with a triangle whose three corners hang on
 * the skin's first joints, and the inverse bind matrices.
 */
export function build(file: TestFile): Built {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const bufferViews: Record<string, unknown>[] = [];
  const accessors: Record<string, unknown>[] = [];
  const addView = (bytes: Uint8Array, extra: Record<string, unknown> = {}): number => {
    bufferViews.push({ buffer: 0, byteOffset: length, byteLength: bytes.length, ...extra });
    const size = Math.ceil(bytes.length / 4) * 4;
    const padded = new Uint8Array(size);
    padded.set(bytes);
    chunks.push(padded);
    length += size;
    return bufferViews.length - 1;
  };
  const addAccessor = (bytes: Uint8Array, accessor: Record<string, unknown>): number => {
    accessors.push({ bufferView: addView(bytes), ...accessor });
    return accessors.length - 1;
  };
  const floats = (values: number[]) => new Uint8Array(new Float32Array(values).buffer);

  const nodes: TestNode[] = file.nodes.map((node) => ({ ...node }));
  const isChild = new Set(nodes.flatMap((node) => node.children ?? []));
  const roots = nodes.map((_, i) => i).filter((i) => !isChild.has(i));
  const meshes: unknown[] = [];
  const skins = (file.skins ?? []).map((skin, s) => {
    const position = addAccessor(floats([0, 0, 0, 1, 0, 0, 0, 1, 0]), {
      componentType: 5126,
      type: 'VEC3',
      count: 3,
      min: [0, 0, 0],
      max: [1, 1, 0],
    });
    const last = skin.joints.length - 1;
    const corners = [0, Math.min(1, last), Math.min(2, last)];
    const joints = addAccessor(new Uint8Array(new Uint16Array(corners.flatMap((j) => [j, 0, 0, 0])).buffer), {
      componentType: 5123,
      type: 'VEC4',
      count: 3,
    });
    const weights = addAccessor(floats([1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]), {
      componentType: 5126,
      type: 'VEC4',
      count: 3,
    });
    meshes.push({
      primitives: [{ attributes: { POSITION: position, JOINTS_0: joints, WEIGHTS_0: weights } }],
    });
    nodes.push({ name: `mesh${s}`, mesh: s, skin: s });
    roots.push(nodes.length - 1);
    const entry: Record<string, unknown> = { joints: skin.joints };
    if (skin.name !== undefined) entry.name = skin.name;
    if (skin.inverseBinds) entry.inverseBindMatrices = addInverseBinds(skin);
    return entry;
  });

  function addInverseBinds(skin: TestSkin): number {
    const matrices = skin.inverseBinds ?? [];
    const stride = skin.stride ?? 64;
    const bytes = new Uint8Array(stride * matrices.length);
    matrices.forEach((matrix, i) => {
      if (!skin.sparse?.includes(i)) bytes.set(floats(matrix), i * stride);
    });
    const view = addView(bytes, skin.stride ? { byteStride: stride } : {});
    const accessor: Record<string, unknown> = {
      bufferView: view,
      componentType: 5126,
      type: 'MAT4',
      count: matrices.length,
    };
    if (skin.sparse) {
      accessor.sparse = {
        count: skin.sparse.length,
        indices: {
          bufferView: addView(new Uint8Array(new Uint16Array(skin.sparse).buffer)),
          componentType: 5123,
        },
        values: { bufferView: addView(floats(skin.sparse.flatMap((i) => matrices[i]))) },
      };
    }
    accessors.push(accessor);
    return accessors.length - 1;
  }

  const binary = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    binary.set(chunk, at);
    at += chunk.length;
  }
  const json: Record<string, unknown> = {
    asset: { version: '2.0', generator: 'poise tests' },
    scene: 0,
    scenes: [{ nodes: roots }],
    nodes,
    ...(skins.length > 0 && { skins, meshes, accessors, bufferViews }),
    ...(length > 0 && { buffers: [{ byteLength: length }] }),
    ...file.json,
  };
  return { json, binary };
}

/** A GLB from its JSON (text or value) and its binary, by the specification's table, apart from the code under test. */
export function glb(json: unknown, binary?: Uint8Array): Uint8Array {
  const text = Buffer.from(typeof json === 'string' ? json : JSON.stringify(json));
  const jsonChunk = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4, 0x20)]);
  const chunks = [chunk('JSON', jsonChunk)];
  if (binary)
    chunks.push(chunk('BIN\0', Buffer.concat([binary, Buffer.alloc((4 - (binary.length % 4)) % 4)])));
  const body = Buffer.concat(chunks);
  const header = Buffer.alloc(12);
  header.write('glTF', 0, 'latin1');
  header.writeUInt32LE(2, 4);
  header.writeUInt32LE(12 + body.length, 8);
  return new Uint8Array(Buffer.concat([header, body]));
}

export function chunk(type: string, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32LE(payload.length, 0);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, payload]);
}

/** {@link build}, then {@link glb}. */
export function buildGlb(file: TestFile): Uint8Array {
  const { json, binary } = build(file);
  return glb(json, binary.length > 0 ? binary : undefined);
}

/** A .gltf with its buffer as a data address. */
export function buildGltf(file: TestFile): Uint8Array {
  const { json, binary } = build(file);
  const buffers = json.buffers as { byteLength: number; uri?: string }[] | undefined;
  if (buffers)
    buffers[0].uri = `data:application/octet-stream;base64,${Buffer.from(binary).toString('base64')}`;
  return new Uint8Array(Buffer.from(JSON.stringify(json, null, 2)));
}

/** JSON text and BIN payload of a GLB, apart from the code under test. */
export function openGlb(bytes: Uint8Array): { text: string; json: Record<string, unknown>; binary?: Buffer } {
  const buffer = Buffer.from(bytes);
  const length = buffer.readUInt32LE(12);
  const text = buffer.toString('utf8', 20, 20 + length);
  const at = 20 + length;
  const binary = at < buffer.length ? buffer.subarray(at + 8, at + 8 + buffer.readUInt32LE(at)) : undefined;
  return { text, json: JSON.parse(text), ...(binary && { binary }) };
}
