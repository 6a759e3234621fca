/** Which markers are fitted, with their weights: those of an OpenSim model, or of a file that says where they sit on a rig. */
import { type IkTasks, type MarkerClip, osimTracking } from '@poise/formats';
import { FormatError } from 'poise';
import { nearestName } from 'poise/errors';
import type { CoordinateTask, Marker } from 'poise/ik';
import { boneNamesOf, findBone } from '../io/bone-names.js';
import { readInput } from '../io/input.js';
import { count } from '../io/parse-number.js';
import { jsonOf, type Source } from '../io/source.js';

/** What is fitted. */
export interface FitProblem {
  readonly markers: readonly Marker[];
  readonly tasks: readonly CoordinateTask[];
  readonly locked: readonly string[];
  readonly notes: readonly string[];
}

/** The markers of a file: `{ "LASI": { "bone": "hips", "point": [0.1, 0, 0.1], "weight": 2 } }`. @throws FormatError, GoalError with the place. */
export async function markersOf(
  { markers: path }: { readonly markers?: string },
  source: Source,
): Promise<readonly Marker[] | undefined> {
  return path === undefined ? undefined : markersOfData(jsonOf(await readInput(path)), path, source);
}

/** The markers of JSON that was read. @throws FormatError, GoalError with the place. */
export function markersOfData(data: unknown, path: string, source: Source): readonly Marker[] {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) throw invalid(path, 'is no object.');
  const names = boneNamesOf(source);
  return Object.entries(data).map(([name, entry]): Marker => {
    const at = `${path}#/${name}`;
    if (typeof entry !== 'object' || entry === null) throw invalid(at, 'is no object.');
    const { bone, point = [0, 0, 0], weight = 1, ...others } = entry as Record<string, unknown>;
    const [unknown] = Object.keys(others);
    if (unknown !== undefined) throw invalid(`${at}/${unknown}`, 'is no field of a marker.');
    if (typeof bone !== 'string') throw invalid(`${at}/bone`, 'is no name of a bone.');
    if (!isTriple(point)) throw invalid(`${at}/point`, 'is no list of three numbers.');
    if (typeof weight !== 'number' || !(weight >= 0 && weight < Infinity))
      throw invalid(`${at}/weight`, 'is no number of 0 or more.');
    return { name, bone: findBone(names, bone, `${at}/bone`), point, weight };
  });
}

function isTriple(value: unknown): value is readonly [number, number, number] {
  return (
    Array.isArray(value) &&
    value.length === 3 &&
    value.every((x) => typeof x === 'number' && Number.isFinite(x))
  );
}

function invalid(path: string, what: string): FormatError {
  const remedy = 'Give { "NAME": { "bone": "hips", "point": [x, y, z], "weight": 1 }, ... }, in metres.';
  return new FormatError('invalid-file', what, { path, remedy });
}

/** @throws FormatError `missing-resource`, `unsupported`, `wrong-size`. */
export function problemOf(
  source: Source,
  clip: MarkerClip,
  tasks: IkTasks | undefined,
  given: readonly Marker[] | undefined,
): FitProblem {
  const { osim } = source;
  const path = source.path ?? 'the built-in human';
  if (osim !== undefined && given === undefined) {
    const { markers, options } = osimTracking(osim, clip.names, tasks);
    return { markers, ...options, notes: notesOf(markers, clip, tasks?.warnings) };
  }
  if (given === undefined) {
    throw new FormatError('missing-resource', 'says nothing about markers.', {
      path,
      remedy: 'Say where they sit: --markers FILE.json, { "NAME": { "bone": "hips", "point": [x, y, z] } }.',
    });
  }
  const markers = given.filter(({ name }) => clip.names.includes(name));
  if (markers.length === 0) {
    const near = nearestName(given[0]?.name ?? '', clip.names);
    throw new FormatError(
      'wrong-size',
      `has no marker in common with the ${count(clip.names.length, 'measured one')}.`,
      {
        path: '--markers',
        remedy:
          near === undefined
            ? `They are ${clip.names.slice(0, 5).join(', ')} ...`
            : `Did you mean '${near}'?`,
      },
    );
  }
  const coordinateTasks =
    osim && tasks
      ? osimTracking(
          osim,
          osim.markers.map(({ name }) => name),
          tasks,
        ).options.tasks
      : [];
  return {
    markers,
    tasks: coordinateTasks,
    locked: osim?.locked ?? [],
    notes: notesOf(markers, clip, tasks?.warnings),
  };
}

/** Markers that a note names. */
const NAMED = 5;

function notesOf(
  markers: readonly Marker[],
  clip: MarkerClip,
  warnings: readonly string[] = [],
): readonly string[] {
  const used = new Set(markers.map(({ name }) => name));
  const left = clip.names.filter((name) => !used.has(name));
  if (left.length === 0) return warnings;
  const more = left.length > NAMED ? ` and ${left.length - NAMED} more` : '';
  const some = left.slice(0, NAMED).join(', ');
  return [...warnings, `${count(left.length, 'measured marker')} not used: ${some}${more}.`];
}
