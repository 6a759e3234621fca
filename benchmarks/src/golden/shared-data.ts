import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataFolder } from '../problems.js';
import { Skip } from './section.js';

/** A file of the shared data. */
export function sharedFile(path: string): Uint8Array {
  const filePath = join(dataFolder(), path);
  if (!existsSync(filePath)) throw new Skip('no ../shared/data');
  return new Uint8Array(readFileSync(filePath));
}
