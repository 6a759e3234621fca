import { describe, expect, it } from 'vitest';
import { filesWithin, unpacked } from '../src/home/unpack.js';

/** By the `zipfile` of Python: a folder with a BVH, packed, a text, stored, and what macOS puts beside them. */
const ARCHIVE =
  'UEsDBBQAAAAIAAAAIVwAAAAAAgAAAAAAAAAEAAAAYXJtLwMAUEsDBBQAAAAIAAAAIVz+UlIHJgAAAGsCAAALAAAAYXJtL2FybS5idmjz8HQNcgxy9ojkCvL3D1FI5KrmUlDwd3MLdg1RMADBUe4olzpcAFBLAwQUAAAIAAAAACFcC/lDVgYAAAAGAAAACgAAAGFybS/DqS50eHRzdG9yZWRQSwMEFAAAAAgAAAAhXIMW3IwDAAAAAQAAABIAAABfX01BQ09TWC8uX2FybS5idmirAABQSwMEFAAAAAgAAAAhXIMW3IwDAAAAAQAAAA0AAABhcm0vLkRTX1N0b3JlqwAAUEsBAhQDFAAAAAgAAAAhXAAAAAACAAAAAAAAAAQAAAAAAAAAAAAAAIABAAAAAGFybS9QSwECFAMUAAAACAAAACFc/lJSByYAAABrAgAACwAAAAAAAAAAAAAAgAEkAAAAYXJtL2FybS5idmhQSwECFAMUAAAIAAAAACFcC/lDVgYAAAAGAAAACgAAAAAAAAAAAAAAgAFzAAAAYXJtL8OpLnR4dFBLAQIUAxQAAAAIAAAAIVyDFtyMAwAAAAEAAAASAAAAAAAAAAAAAACAAaEAAABfX01BQ09TWC8uX2FybS5idmhQSwECFAMUAAAACAAAACFcgxbcjAMAAAABAAAADQAAAAAAAAAAAAAAgAHUAAAAYXJtLy5EU19TdG9yZVBLBQYAAAAABQAFAB4BAAACAQAAAAA=';
const archive = () => Uint8Array.from(Buffer.from(ARCHIVE, 'base64'));
const zip = (bytes: Uint8Array<ArrayBuffer>) => new File([bytes], 'arm.zip');

describe('an archive', () => {
  it('is the files that it holds, beside those that came with it', async () => {
    const other = new File(['a'], 'other.bin');
    const files = await unpacked([other, zip(archive())]);
    expect(files.map(({ name }) => name)).toEqual(['other.bin', 'arm/arm.bvh', 'arm/é.txt']);
    expect(files[0]).toBe(other);
    const [, bvh, text] = await Promise.all(files.map((file) => file.text()));
    expect(bvh).toBe(`HIERARCHY\nROOT a\n{\n${'  OFFSET 0 0 0\n'.repeat(40)}`);
    expect(text).toBe('stored');
  });

  it('says which cannot be read, wherever it is cut or damaged, and hangs on none', async () => {
    const whole = archive();
    for (let size = 0; size < whole.length; size += 7)
      await expect(unpacked([zip(whole.slice(0, size))])).rejects.toThrow(/^arm\.zip/);
    for (let at = 0; at < whole.length; at++) {
      const bytes = archive();
      bytes[at] ^= 0xff;
      // What it then holds is what it says, or it is refused.
      const files = await unpacked([zip(bytes)]).catch((error: Error) => error.message);
      if (typeof files === 'string') expect(files, `byte ${at}`).toMatch(/^arm\.zip/);
      else expect(files.length, `byte ${at}`).toBeLessThanOrEqual(5);
    }
  });

  it('is refused where it says that it is too large, or packs more than it says', async () => {
    const size = 258 + 46 + 4 + 24;
    const view = (bytes: Uint8Array<ArrayBuffer>) => new DataView(bytes.buffer);
    const large = archive();
    expect(view(large).getUint32(size, true)).toBe(619);
    view(large).setUint32(size, 2 ** 31, true);
    await expect(unpacked([zip(large)])).rejects.toThrow(/^arm\.zip unpacks to more than 512 MB/);
    const more = archive();
    view(more).setUint32(size, 618, true);
    await expect(unpacked([zip(more)])).rejects.toThrow(/^arm\.zip is no ZIP archive that can be read/);
  });
});

describe('a folder', () => {
  it('is all the files within it, but what is hidden', async () => {
    const file = (name: string) => ({
      name,
      isDirectory: false,
      file: (done: (file: File) => void) => done(new File([name], name)),
    });
    const folder = (name: string, ...entries: unknown[]) => ({
      name,
      isDirectory: true,
      createReader: () => {
        // Two at a time, as browsers give a hundred.
        const left = [...entries];
        return { readEntries: (done: (some: unknown[]) => void) => done(left.splice(0, 2)) };
      },
    });
    const all = folder('model', file('a.gltf'), folder('textures', file('b.png')), file('.c'), file('d.bin'));
    const found = await filesWithin(all as unknown as FileSystemEntry);
    expect(found.map(({ name }) => name)).toEqual(['model/a.gltf', 'model/textures/b.png', 'model/d.bin']);
  });
});
