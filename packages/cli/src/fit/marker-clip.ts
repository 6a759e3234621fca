/** Reads measured markers. */
import { type MarkerClip, readC3d, readTrc } from '@poise/formats';
import { FormatError } from 'poise';
import type { Input } from '../io/input.js';

/** @throws FormatError `unsupported` for another kind of file. */
export function markerClipOf({ kind, bytes, name, path }: Input): MarkerClip {
  if (kind === 'trc') return readTrc(bytes, { source: name });
  if (kind === 'c3d') return readC3d(bytes, { source: name });
  throw new FormatError('unsupported', 'has no markers.', { path, remedy: 'Give a .trc or .c3d file.' });
}
