/** Weights and settings of OpenSim's inverse kinematics. */
import { FormatError } from 'poise';
import type { CoordinateTask, Marker } from 'poise/ik';
import { type FieldsOf, requireFields } from 'poise/internal/checks';
import { describe, fail } from '../text/json-checks.js';
import { textOf } from '../text/utf8.js';
import { childOf, childrenOf, parseXml, type XmlElement } from '../text/xml.js';
import type { OsimModel } from './model.js';
import type { ReadOpensimOptions } from './options.js';
import { flagOfChild, nameOf, numberOfChild, numbersOf, textOfChild } from './values.js';

/** A task that is applied. */
export interface IkMarkerTask {
  readonly marker: string;
  readonly weight: number;
}

export interface IkCoordinateTask {
  readonly coordinate: string;
  readonly weight: number;
  /** The target, rad or m; undefined for the default value of the coordinate. */
  readonly value?: number;
}

/** Tasks of an `IKTaskSet`, those that are not applied left out. */
export interface IkTasks {
  readonly markers: readonly IkMarkerTask[];
  readonly coordinates: readonly IkCoordinateTask[];
  readonly warnings: readonly string[];
}

/** Settings of an `InverseKinematicsTool`. */
export interface IkSetup {
  readonly modelFile?: string;
  readonly markerFile?: string;
  /** s. */
  readonly timeRange?: readonly [number, number];
  /** File of the tasks, where they are not in the setup. */
  readonly taskFile?: string;
  readonly tasks?: IkTasks;
}

const FIELDS: FieldsOf<ReadOpensimOptions> = { source: true };

/**
 * Reads the tasks of an `IKTaskSet`, alone or in a setup file.
 *
 * @throws FormatError with code, location and remedy.
 */
export function readIkTasks(
  input: string | Uint8Array | ArrayBuffer,
  options: ReadOpensimOptions = {},
): IkTasks {
  requireFields(options, FIELDS, 'options', FormatError);
  const { source = 'tasks.xml' } = options;
  const root = parseXml(textOf(input, source), source);
  const set = root.tag === 'IKTaskSet' ? root : childOf(root, 'IKTaskSet');
  if (set !== undefined) return tasksOf(set);
  const { tasks, taskFile } = setupOf(root);
  if (tasks !== undefined) return tasks;
  const what =
    taskFile === undefined ? 'has no <IKTaskSet>.' : `has its tasks in '${taskFile.slice(0, 80)}'.`;
  return fail('invalid-file', root.location, what, 'Give the file of the IKTaskSet.');
}

/**
 * Reads a setup of OpenSim's inverse kinematics. Nothing that it names is opened.
 *
 * @throws FormatError with code, location and remedy.
 */
export function readIkSetup(
  input: string | Uint8Array | ArrayBuffer,
  options: ReadOpensimOptions = {},
): IkSetup {
  requireFields(options, FIELDS, 'options', FormatError);
  const { source = 'setup.xml' } = options;
  return setupOf(parseXml(textOf(input, source), source));
}

function setupOf(root: XmlElement): IkSetup {
  // OpenSim 2 and 3 write InverseKinemtaticsTool.
  const isTool = ({ tag }: XmlElement) => /^InverseKinem\w*Tool$/.test(tag);
  const tool = isTool(root) ? root : root.children.find(isTool);
  if (tool === undefined) {
    const what = 'has no <InverseKinematicsTool>.';
    return fail('invalid-file', root.location, what, "Give a setup file of OpenSim's inverse kinematics.");
  }
  const set = childOf(tool, 'IKTaskSet');
  const taskFile = set?.attributes.get('file');
  const range = childOf(tool, 'time_range');
  const [from, to] = range === undefined || range.text === '' ? [] : numbersOf(range, 2);
  return {
    ...named('modelFile', textOfChild(tool, 'model_file')),
    ...named('markerFile', textOfChild(tool, 'marker_file')),
    ...(from === undefined ? {} : { timeRange: [from, to] as const }),
    ...(taskFile ? { taskFile } : set === undefined ? {} : { tasks: tasksOf(set) }),
  };
}

function named<K extends string>(key: K, value: string | undefined): { [P in K]?: string } {
  return (value === undefined ? {} : { [key]: value }) as { [P in K]?: string };
}

function tasksOf(set: XmlElement): IkTasks {
  const warnings: string[] = [];
  const markers: IkMarkerTask[] = [];
  const coordinates: IkCoordinateTask[] = [];
  for (const element of childrenOf(set, 'objects').flatMap(({ children }) => children)) {
    const { tag, location } = element;
    if (!flagOfChild(element, 'apply', true)) continue;
    const weight = numberOfChild(element, 'weight', 1);
    if (weight < 0) fail('out-of-range', location, `has the weight ${weight}.`, 'Give 0 or more.');
    if (tag === 'IKMarkerTask') markers.push({ marker: nameOf(element), weight });
    else if (tag === 'IKCoordinateTask')
      coordinates.push({ coordinate: nameOf(element), weight, ...targetOf(element, warnings) });
    else warnings.push(`${location}: a ${tag} is not read.`);
  }
  return { markers, coordinates, warnings };
}

/** `value_type`: `default_value`, `manual_value`, or `from_file`, for which the default value is taken. */
function targetOf(element: XmlElement, warnings: string[]): { value?: number } {
  const type = textOfChild(element, 'value_type') ?? 'default_value';
  if (type === 'manual_value') return { value: numberOfChild(element, 'value', 0) };
  if (type === 'from_file')
    warnings.push(`${element.location}: takes its value from a file; the default value is taken.`);
  else if (type !== 'default_value') {
    fail(
      'invalid-file',
      element.location,
      `has the value_type ${describe(type)}.`,
      'Give default_value or manual_value.',
    );
  }
  return {};
}

/** What `createMarkerTracker` takes of a model and its tasks. */
export interface OsimTracking {
  readonly markers: readonly Marker[];
  readonly options: { readonly tasks: readonly CoordinateTask[]; readonly locked: readonly string[] };
}

/**
 * Markers with the weights of the tasks, and tasks of coordinates: the problem that OpenSim's inverse kinematics solves. Without tasks every marker of the
 * model has weight 1; with tasks only those have a weight that a task names. Tasks of locked and coupled coordinates are left out.
 *
 * @param measured - Names of the measured markers: others are left out.
 * @throws FormatError `unknown-name` for a task of a coordinate that the model lacks, `wrong-size` where no marker is left.
 */
export function osimTracking(model: OsimModel, measured: readonly string[], tasks?: IkTasks): OsimTracking {
  const weights = tasks && new Map(tasks.markers.map(({ marker, weight }) => [marker, weight]));
  const names = new Set(measured);
  const markers = model.markers.flatMap((marker) => {
    const weight = weights === undefined ? 1 : (weights.get(marker.name) ?? 0);
    return names.has(marker.name) && weight > 0 ? [{ ...marker, weight }] : [];
  });
  if (markers.length === 0) {
    const what = `has no marker in common with the ${measured.length} measured ones${tasks ? ' that a task names' : ''}.`;
    fail('wrong-size', 'model.markers', what, 'Give the markers of this model.');
  }
  const coordinateTasks = (tasks?.coordinates ?? []).flatMap(
    ({ coordinate: name, weight, value }): CoordinateTask[] => {
      const coordinate = model.coordinates.get(name);
      if (coordinate === undefined) {
        return fail(
          'unknown-name',
          'tasks.coordinates',
          `names no coordinate '${name.slice(0, 60)}'.`,
          'Give the tasks of this model.',
        );
      }
      const { bone, coordinate: index, defaultValue, follows } = coordinate;
      if (index < 0 || follows !== undefined || model.locked.includes(bone) || weight === 0) return [];
      return [{ bone, target: value ?? defaultValue, weight }];
    },
  );
  return { markers, options: { tasks: coordinateTasks, locked: model.locked } };
}
