/** A GLB or .gltf as a GLB without pictures and materials: Node has no image decoder. */
export function plainGlb(bytes: Buffer): ArrayBuffer {
  const isBinary = bytes.readUInt32LE(0) === 0x46546c67;
  const jsonEnd = isBinary ? 20 + bytes.readUInt32LE(12) : bytes.length;
  const json = JSON.parse(bytes.subarray(isBinary ? 20 : 0, jsonEnd).toString());
  const [buffer] = json.buffers;
  const binary = isBinary ? bytes.subarray(jsonEnd + 8) : Buffer.from(buffer.uri.split(',')[1], 'base64');
  delete buffer.uri;
  for (const key of ['materials', 'textures', 'images', 'samplers', 'extensionsUsed', 'extensionsRequired']) {
    delete json[key];
  }
  for (const mesh of json.meshes ?? []) for (const primitive of mesh.primitives) delete primitive.material;
  return glb(json, binary);
}

function glb(json: unknown, binary: Buffer): ArrayBuffer {
  const text = Buffer.from(JSON.stringify(json));
  const chunks = [
    { type: 0x4e4f534a, body: Buffer.concat([text, Buffer.alloc(-text.length & 3, ' ')]) },
    { type: 0x004e4942, body: Buffer.concat([binary, Buffer.alloc(-binary.length & 3)]) },
  ].map(({ type, body }) =>
    Buffer.concat(
      [Uint32Array.of(body.length, type), body].map((chunk) =>
        Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength),
      ),
    ),
  );
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 12);
  const header = Buffer.from(Uint32Array.of(0x46546c67, 2, length).buffer);
  return Uint8Array.from(Buffer.concat([header, ...chunks])).buffer;
}
