/** How the reader refuses a file. */
import { readGltfRig } from '@poise/formats';
import { FormatError } from 'poise';
import { expect } from 'vitest';

/** The error that reading gives; fails where reading succeeds. */
export function refusal(bytes: Uint8Array): FormatError {
  try {
    readGltfRig(bytes, { source: 'rig.glb' });
  } catch (error) {
    expect(error).toBeInstanceOf(FormatError);
    return error as FormatError;
  }
  throw new Error('the file was read');
}

/** Reading fails with this code at this place, and says what to do. */
export function expectRefusal(bytes: Uint8Array, code: string, path: string): void {
  const { code: got, path: where, remedy, message } = refusal(bytes);
  expect({ code: got, path: where }).toEqual({ code, path });
  expect(remedy).toMatch(/^[A-Z].*\.$/);
  expect(message.startsWith(`${path}: `)).toBe(true);
}
