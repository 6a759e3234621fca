import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writePosedGltf } from '@poise/formats';
import { folderResources, readGltfFile, readGltfRigFile, writeFileSafely } from '@poise/formats/node';
import { describeWithData } from '@poise/test-support/shared-data';
import { FormatError } from 'poise';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openGlb } from '../gltf/support/build.js';
import { randomPose } from '../gltf/support/compare.js';

let root: string;
let folder: string;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'poise-formats-'));
});
afterAll(() => {
  rmSync(root, { recursive: true });
});
beforeEach(() => {
  folder = mkdtempSync(join(root, 'case-'));
});

const gltfWith = (uri: string) =>
  JSON.stringify({ asset: { version: '2.0' }, nodes: [{}], buffers: [{ byteLength: 4, uri }] });

async function readWith(uri: string) {
  const path = join(folder, 'rig.gltf');
  writeFileSync(path, gltfWith(uri));
  return readGltfFile(path);
}

describe('files that a glTF references', () => {
  test('are read from its folder and below, with percent-encoding decoded', async () => {
    mkdirSync(join(folder, 'sub'));
    writeFileSync(join(folder, 'a b.bin'), 'abcd');
    writeFileSync(join(folder, 'sub/ü.bin'), 'efgh');
    for (const [uri, text] of [
      ['a%20b.bin', 'abcd'],
      ['a b.bin', 'abcd'],
      ['./sub/%C3%BC.bin', 'efgh'],
      ['sub/../a%20b.bin', 'abcd'],
    ]) {
      const { buffers } = await readWith(uri);
      expect(Buffer.from(buffers[0].bytes as Uint8Array).toString()).toBe(text);
    }
  });

  test('that are missing are named in the error', async () => {
    await expect(readWith('gone.bin')).rejects.toMatchObject({
      code: 'missing-resource',
      path: 'rig.gltf#/buffers/0/uri',
      message: expect.stringContaining("'gone.bin'"),
    });
    mkdirSync(join(folder, 'folder.bin'));
    await expect(readWith('folder.bin')).rejects.toMatchObject({ code: 'missing-resource' });
  });

  test('outside the folder are refused, however they are addressed', async () => {
    writeFileSync(join(root, 'secret.bin'), 'abcd');
    writeFileSync(join(folder, 'inside.bin'), 'abcd');
    symlinkSync(join(root, 'secret.bin'), join(folder, 'link.bin'));
    symlinkSync(root, join(folder, 'linked'));
    symlinkSync(join(folder, 'inside.bin'), join(folder, 'fine.bin'));
    for (const uri of [
      '../secret.bin',
      '%2e%2e/secret.bin',
      '..%2fsecret.bin',
      'sub/../../secret.bin',
      join(root, 'secret.bin'),
      '//host/secret.bin',
      'file:///etc/passwd',
      'http://example.com/a.bin',
      'C:/secret.bin',
      '..\\secret.bin',
      'a%00.bin',
      '.',
      'link.bin',
      'linked/secret.bin',
    ]) {
      const error: unknown = await readWith(uri).catch((reason: unknown) => reason);
      expect(error, uri).toBeInstanceOf(FormatError);
      expect(error, uri).toMatchObject({ code: 'unsafe-path', path: 'rig.gltf#/buffers/0/uri' });
      // An MJCF's includes come this way too.
      expect((error as FormatError).remedy, uri).toMatch(
        /^Put the file into the folder of the file that names it /,
      );
    }
    await expect(readWith('fine.bin')).resolves.toBeDefined();
    await expect(readWith('%zz')).rejects.toMatchObject({ code: 'invalid-file' });
  });

  test('a folder that is a symbolic link itself is accepted', () => {
    writeFileSync(join(folder, 'a.bin'), 'abcd');
    symlinkSync(folder, join(root, 'alias'));
    expect(folderResources(join(root, 'alias'))('a.bin', 'here')?.length).toBe(4);
  });
});

test('a missing file is missing-resource with the path', async () => {
  const path = join(folder, 'none.glb');
  await expect(readGltfFile(path)).rejects.toMatchObject({ code: 'missing-resource', path });
  await expect(readGltfFile(folder)).rejects.toMatchObject({ code: 'missing-resource', path: folder });
});

describe('writeFileSafely', () => {
  test('writes a new file, replaces an old one, and leaves no temporary file', async () => {
    const path = join(folder, 'out.glb');
    await writeFileSafely(path, new Uint8Array([1, 2, 3]));
    await writeFileSafely(path, new Uint8Array([4, 5]));
    expect([...readFileSync(path)]).toEqual([4, 5]);
    expect(readdirSync(folder)).toEqual(['out.glb']);
  });

  test('keeps the permissions of the old file and follows a symbolic link', async () => {
    const path = join(folder, 'out.glb');
    writeFileSync(path, 'old');
    chmodSync(path, 0o640);
    symlinkSync(path, join(folder, 'link.glb'));
    await writeFileSafely(join(folder, 'link.glb'), new Uint8Array([7]));
    expect([...readFileSync(path)]).toEqual([7]);
    expect(statSync(path).mode & 0o777).toBe(0o640);
  });

  test('does not replace a read-only file, whoever asks', async () => {
    const path = join(folder, 'kept.glb');
    writeFileSync(path, 'old');
    chmodSync(path, 0o444);
    await expect(writeFileSafely(path, new Uint8Array([1]))).rejects.toMatchObject({
      code: 'cannot-write',
      message: expect.stringContaining('the file is read-only'),
    });
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(readdirSync(folder)).toEqual(['kept.glb']);
  });

  test('does not write over an input, by whatever name', async () => {
    const path = join(folder, 'in.glb');
    writeFileSync(path, 'old');
    symlinkSync(path, join(folder, 'link.glb'));
    linkSync(path, join(folder, 'hard.glb'));
    const inputs = [join(folder, 'other.glb'), path];
    for (const name of ['in.glb', './in.glb', 'link.glb', 'hard.glb']) {
      await expect(
        writeFileSafely(`${folder}/${name}`, new Uint8Array([1]), { inputs }),
      ).rejects.toMatchObject({
        code: 'cannot-write',
        message: expect.stringContaining('is an input, which it would overwrite.'),
      });
    }
    expect(readFileSync(path, 'utf8')).toBe('old');
    await writeFileSafely(join(folder, 'out.glb'), new Uint8Array([1]), { inputs });
    await writeFileSafely(join(folder, 'out.glb'), new Uint8Array([2]), { inputs });
    expect([...readFileSync(join(folder, 'out.glb'))]).toEqual([2]);
  });

  test('refuses inputs that are no list of paths, before anything is written', async () => {
    const path = join(folder, 'input.glb');
    writeFileSync(path, 'old');
    for (const inputs of [path, null, 3, [3]]) {
      await expect(
        writeFileSafely(path, new Uint8Array([1]), { inputs: inputs as never }),
      ).rejects.toMatchObject({ name: 'FormatError', path: expect.stringContaining('options.inputs') });
    }
    expect(readFileSync(path, 'utf8')).toBe('old');
  });

  test('writes the longest names that the system has', async () => {
    const path = join(folder, `${'n'.repeat(251)}.glb`);
    await writeFileSafely(path, new Uint8Array([1]));
    expect([...readFileSync(path)]).toEqual([1]);
    const longer = join(folder, `${'n'.repeat(252)}.glb`);
    await expect(writeFileSafely(longer, new Uint8Array([1]))).rejects.toMatchObject({
      message: expect.stringContaining('the name is too long'),
    });
  });

  test('on failure reports it, keeps the old file and leaves no temporary file', async () => {
    const target = join(folder, 'out');
    mkdirSync(target);
    writeFileSync(join(target, 'kept'), 'x');
    await expect(writeFileSafely(target, new Uint8Array([1]))).rejects.toMatchObject({
      code: 'cannot-write',
      path: target,
    });
    const nowhere = join(folder, 'no/such/folder.glb');
    await expect(writeFileSafely(nowhere, new Uint8Array([1]))).rejects.toMatchObject({
      code: 'cannot-write',
      path: nowhere,
    });
    expect(readdirSync(folder)).toEqual(['out']);
    expect(readdirSync(target)).toEqual(['kept']);
  });
});

describeWithData('a rig with a buffer of its own', 'gltf/InterpolationTest.gltf', (path) => {
  test('is read by path, posed as a self-contained GLB, and reopened', async () => {
    const rig = await readGltfRigFile(path, { name: 'cubes' });
    expect(rig.figure.name).toBe('cubes');
    expect(rig.document.source).toBe('InterpolationTest.gltf');
    const out = join(folder, 'out.glb');
    await writeFileSafely(out, writePosedGltf(rig, randomPose(rig, 1), { kind: 'glb' }));
    const again = await readGltfRigFile(out);
    expect(again.figure.bones).toHaveLength(12);
    expect(openGlb(readFileSync(out)).binary?.length).toBe(8672);
  });
});
