import type { Keys } from './analytic.js';

/** A GLB with a node a bone and one animation: CUBICSPLINE, in-tangent, key, out-tangent for each key. */
export function glbOfTracks({ times, quaternions, rates }: Keys): ArrayBuffer {
  const count = times.length;
  const arrays = [
    Float32Array.from(times),
    ...quaternions.map((values, b) => {
      const out = new Float32Array(12 * count);
      for (let i = 0; i < count; i++) {
        for (let k = 0; k < 4; k++) {
          out[12 * i + k] = rates[b][4 * i + k];
          out[12 * i + 4 + k] = values[4 * i + k];
          out[12 * i + 8 + k] = rates[b][4 * i + k];
        }
      }
      return out;
    }),
  ];
  let byteOffset = 0;
  const bufferViews = arrays.map(({ byteLength }) => {
    const view = { buffer: 0, byteOffset, byteLength };
    byteOffset += byteLength;
    return view;
  });
  const json = {
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: quaternions.map((_, b) => b) }],
    nodes: quaternions.map((_, b) => ({ name: `bone${b}` })),
    animations: [
      {
        samplers: quaternions.map((_, b) => ({ input: 0, output: b + 1, interpolation: 'CUBICSPLINE' })),
        channels: quaternions.map((_, b) => ({ sampler: b, target: { node: b, path: 'rotation' } })),
      },
    ],
    accessors: arrays.map((array, i) =>
      i === 0
        ? {
            bufferView: 0,
            componentType: 5126,
            type: 'SCALAR',
            count,
            min: [array[0]],
            max: [array[count - 1]],
          }
        : { bufferView: i, componentType: 5126, type: 'VEC4', count: 3 * count },
    ),
    bufferViews,
    buffers: [{ byteLength: byteOffset }],
  };
  const text = new TextEncoder().encode(JSON.stringify(json));
  const textLength = Math.ceil(text.length / 4) * 4;
  const bytes = new Uint8Array(12 + 8 + textLength + 8 + byteOffset);
  const view = new DataView(bytes.buffer);
  for (const [at, value] of [
    [0, 0x46546c67],
    [4, 2],
    [8, bytes.length],
    [12, textLength],
    [16, 0x4e4f534a],
    [20 + textLength, byteOffset],
    [24 + textLength, 0x004e4942],
  ]) {
    view.setUint32(at, value, true);
  }
  bytes.fill(0x20, 20, 20 + textLength);
  bytes.set(text, 20);
  let at = 28 + textLength;
  for (const array of arrays) {
    bytes.set(new Uint8Array(array.buffer), at);
    at += array.byteLength;
  }
  return bytes.buffer;
}
