/** Poses as JSON, as the command line and the studio write and read them. */

import { FormatError } from 'poise';
import { nearestName } from 'poise/errors';
import type { Figure } from 'poise/figure';
import { type FieldsOf, requireFields } from 'poise/internal/checks';
import type { Numbers } from 'poise/math';
import { describe } from '../text/json-checks.js';
import { parseJson } from '../text/parse-json.js';

/** A pose as JSON: coordinates by bone. */
export interface PoseData {
  readonly format: 'poise-pose';
  readonly version: 1;
  /** Name of the figure. */
  readonly figure: string;
  /** Of the built-in human, m: `createHumanFigure({ height })`. */
  readonly height?: number;
  /** By bone name, `dof` numbers each: metres and radians, relative to rest. A bone left out is at rest. */
  readonly bones: Readonly<Record<string, readonly number[]>>;
  /** Names of pinned handles, for tools that have pins such as the studio. */
  readonly pins?: readonly string[];
}

/** {@link PoseData} of a pose. */
export function poseToData(
  figure: Figure,
  pose: Numbers,
  more: Pick<PoseData, 'height' | 'pins'> = {},
): PoseData {
  const bones = figure.bones
    .filter((bone) => bone.dof > 0)
    .map(({ name, coordinate, dof }) => [
      name,
      Array.from({ length: dof }, (_, k) => pose[coordinate + k] + 0),
    ]);
  const { height, pins } = more;
  return {
    format: 'poise-pose',
    version: 1,
    figure: figure.name,
    ...(height !== undefined && { height }),
    bones: Object.fromEntries(bones),
    ...(pins !== undefined && { pins }),
  };
}

/** Options of {@link readPose} and {@link poseFromData}. */
export interface ReadPoseFileOptions {
  /** Name of the file, for errors. Default `pose`. */
  readonly source?: string;
}

const FIELDS: FieldsOf<ReadPoseFileOptions> = { source: true };

/**
 * Reads the text of a pose file, or of a report of `poise pose --json`, which contains a pose.
 *
 * @returns its data, every number finite. Bone names are checked by {@link poseFromData}.
 * @throws FormatError `invalid-file`, `unsupported`, `not-finite` or `wrong-size`, with the location in the file.
 */
export function readPose(text: string, options: ReadPoseFileOptions = {}): PoseData {
  requireFields(options, FIELDS, 'options', FormatError);
  const { source = 'pose' } = options;
  const parsed = parseJson(text, source, EXPECTED);
  const data = isObject(parsed) && parsed.format === 'poise-pose-report' ? parsed.pose : parsed;
  return checkedPose(data, source);
}

/**
 * The pose of a figure: bones by name, or as three.js's loaders write it (`upperarml` is `upperarm.l`, as in what the studio exports), missing ones at
 * rest. Limits are not applied (see `clampToLimits`).
 *
 * @throws FormatError `unknown-name` or `wrong-size`, naming the file and the bone.
 */
export function poseFromData(
  figure: Figure,
  { bones }: PoseData,
  options: ReadPoseFileOptions = {},
): Float64Array {
  requireFields(options, FIELDS, 'options', FormatError);
  const { source = 'pose' } = options;
  const pose = new Float64Array(figure.dof);
  const byName = new Map(figure.bones.map((bone) => [bone.name, bone]));
  const spellings = figure.bones.map((bone) => sanitized(bone.name));
  // One that two bones share says neither.
  const bySpelling = new Map(
    figure.bones.flatMap((bone, k) =>
      spellings.indexOf(spellings[k]) === spellings.lastIndexOf(spellings[k]) ? [[spellings[k], bone]] : [],
    ),
  );
  for (const [name, values] of Object.entries(bones)) {
    const path = `${source}#bones.${name}`;
    const spelled = bySpelling.get(sanitized(name));
    const bone = byName.get(name) ?? (spelled && Object.hasOwn(bones, spelled.name) ? undefined : spelled);
    if (bone === undefined) {
      const near = nearestName(name, byName.keys());
      throw new FormatError('unknown-name', `${figure.name} has no bone of this name.`, {
        path,
        remedy: `Use the figure that it was written for${near ? `, or rename the bone to '${near}'` : ''}.`,
      });
    }
    if (values.length !== bone.dof) {
      const joint = bone.mimic === undefined ? bone.joint.type : 'mimic';
      throw new FormatError(
        'wrong-size',
        `has ${values.length} numbers; the ${joint} joint has ${bone.dof}.`,
        {
          path,
          remedy:
            'Make the figure with the joints that the pose was written for (`--joints` of the command line), or write the pose anew.',
        },
      );
    }
    pose.set(values, bone.coordinate);
  }
  return pose;
}

/** Names as three.js's loaders write them. */
function sanitized(name: string): string {
  return name.replace(/\s/g, '_').replace(/[[\].:/]/g, '');
}

const EXPECTED = "Give what 'poise pose -o pose.json' or the studio writes.";

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function checkedPose(data: unknown, source: string): PoseData {
  if (!isObject(data) || data.format !== 'poise-pose') {
    throw new FormatError('invalid-file', "is not a pose: format is not 'poise-pose'.", {
      path: source,
      remedy: EXPECTED,
    });
  }
  if (data.version !== 1) {
    throw new FormatError('unsupported', `is version ${describe(data.version)}; only 1 is supported.`, {
      path: `${source}#version`,
      remedy: 'Update Poise, or export the pose again.',
    });
  }
  const { figure, height, bones, pins } = data;
  if (typeof figure !== 'string') throw wrong(`${source}#figure`, 'is not a name.');
  if (height !== undefined && !(isFiniteNumber(height) && height > 0)) {
    throw wrong(`${source}#height`, 'is not a positive number.');
  }
  if (!isObject(bones)) throw wrong(`${source}#bones`, 'is not an object of bones.');
  for (const [name, values] of Object.entries(bones)) checkNumbers(values, `${source}#bones.${name}`);
  if (pins !== undefined && !(Array.isArray(pins) && pins.every((pin) => typeof pin === 'string'))) {
    throw wrong(`${source}#pins`, 'is not a list of names.');
  }
  return data as unknown as PoseData;
}

function isFiniteNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function checkNumbers(values: unknown, path: string): void {
  if (!Array.isArray(values)) throw wrong(path, 'is not a list of numbers.');
  values.forEach((value, k) => {
    if (isFiniteNumber(value)) return;
    throw new FormatError('not-finite', `is ${describe(value)}.`, {
      path: `${path}[${k}]`,
      remedy: 'Give finite numbers: metres and radians.',
    });
  });
}

function wrong(path: string, what: string): FormatError {
  return new FormatError('invalid-file', what, { path, remedy: EXPECTED });
}
