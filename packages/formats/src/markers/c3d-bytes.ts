/** Numbers of C3D files in the formats of the three processors that they are written for. */

/** `intel`: little-endian, IEEE 754. `dec`: little-endian integers, VAX F floats. `mips`: big-endian, IEEE 754. */
export type Processor = 'intel' | 'dec' | 'mips';

export interface C3dBytes {
  readonly length: number;
  byte(at: number): number;
  int8(at: number): number;
  int16(at: number): number;
  uint16(at: number): number;
  float(at: number): number;
  text(at: number, length: number): string;
}

/** Zero beyond the end. */
export function c3dBytes(bytes: Uint8Array, processor: Processor): C3dBytes {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const little = processor !== 'mips';
  const float = (at: number): number => {
    if (processor !== 'dec') return view.getFloat32(at, little);
    // The halves are exchanged, and the exponent counts from 128 with a hidden bit below the point: a factor of 4.
    scratch.setUint16(0, view.getUint16(at, true));
    scratch.setUint16(2, view.getUint16(at + 2, true));
    const exponent = (scratch.getUint16(0) >> 7) & 0xff;
    return exponent === 0 ? 0 : scratch.getFloat32(0) / 4;
  };
  return {
    length: bytes.length,
    byte: (at) => bytes[at] ?? 0,
    int8: (at) => (at < bytes.length ? view.getInt8(at) : 0),
    int16: (at) => (at + 2 <= bytes.length ? view.getInt16(at, little) : 0),
    uint16: (at) => (at + 2 <= bytes.length ? view.getUint16(at, little) : 0),
    float: (at) => (at + 4 <= bytes.length ? float(at) : 0),
    text: (at, length) => {
      let out = '';
      for (let i = at; i < Math.min(at + length, bytes.length); i++) out += String.fromCharCode(bytes[i]);
      return out;
    },
  };
}

const scratch = /* @__PURE__ */ new DataView(new ArrayBuffer(4));
