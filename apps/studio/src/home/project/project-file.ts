/** A project as a file: JSON, contents of files in base64. Every number is kept to the bit. */
import { FormatError } from 'poise';
import { checkProject } from './check-project.js';
import { PROJECT_FORMAT, PROJECT_VERSION, type ProjectData } from './project.js';

/** Largest file that is read, bytes: a text of half as much again is more than a browser holds. */
export const LARGEST_PROJECT = 256 * 2 ** 20;
/** Bytes that are turned into base64 at once, a multiple of three: arguments of a call are few. */
const CHUNK = 3 * 4096;

/**
 * The text of a project's file.
 * @throws FormatError `over-budget` for one that would be too large to open.
 */
export function writeProject(project: ProjectData): string {
  const { character } = project;
  const bytes =
    character.type === 'file' ? character.files.reduce((sum, file) => sum + file.bytes.length, 0) : 0;
  // In base64 four characters are three bytes.
  if ((4 / 3) * bytes > LARGEST_PROJECT) throw tooLarge('The project', (4 / 3) * bytes);
  return `${exactJson({ format: PROJECT_FORMAT, version: PROJECT_VERSION, ...project })}\n`;
}

/**
 * @param source - Name of the file, for errors.
 * @throws FormatError for a text that is no project.
 */
export function readProject(text: string, source: string): ProjectData {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text, (key, value) =>
      key === 'bytes' && typeof value === 'string' ? fromBase64(value) : value,
    );
  } catch {
    throw new FormatError('invalid-file', 'is no project, or was cut off.', {
      path: source,
      remedy: 'Give a file that "Save project" wrote, whole.',
    });
  }
  return checkProject(parsed, source);
}

/** @throws FormatError for a file that is too large, before it is read. */
export async function readProjectFile(file: File): Promise<ProjectData> {
  if (file.size > LARGEST_PROJECT) throw tooLarge(file.name, file.size);
  return readProject(await file.text(), file.name);
}

function tooLarge(path: string, bytes: number): FormatError {
  return new FormatError('over-budget', `has ${Math.ceil(bytes / 2 ** 20)} MB.`, {
    path,
    remedy: `The studio opens projects of up to ${LARGEST_PROJECT / 2 ** 20} MB: make the textures of the character smaller.`,
  });
}

/** JSON that tells -0 from 0, with bytes in base64. What is undefined is left out of objects. */
export function exactJson(value: unknown): string {
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : JSON.stringify(value);
  if (value instanceof Uint8Array) return `"${toBase64(value)}"`;
  if (Array.isArray(value)) return `[${value.map(exactJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).filter(([, each]) => each !== undefined);
  return `{${fields.map(([key, each]) => `${JSON.stringify(key)}:${exactJson(each)}`).join(',')}}`;
}

export function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += CHUNK)
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + CHUNK)));
  return text;
}

/** @throws DOMException for a text that is no base64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let k = 0; k < bytes.length; k++) bytes[k] = characters.charCodeAt(k);
  return bytes;
}
