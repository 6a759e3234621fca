/** Reads the `ik_config` of GMR: which bone of a robot follows which of a human, how much, and with which rotation between them. */
import { FormatError } from 'poise';
import type { Quadruple, Triple } from 'poise/figure';
import { type FieldsOf, requireFields } from 'poise/internal/checks';
import { quat } from 'poise/math';
import { arrayAt, describe, fail, type JsonObject, numbersAt, objectAt } from '../text/json-checks.js';
import { parseJson } from '../text/parse-json.js';
import { textOf } from '../text/utf8.js';

/** A bone of a robot that follows a bone of a human. */
export interface GmrMatch {
  /** Body of the robot. */
  readonly robot: string;
  /** Bone of the human. */
  readonly human: string;
  /** Weights of position and rotation; 0 where it does not follow. */
  readonly positionWeight: number;
  readonly rotationWeight: number;
  /** Added to the position of the human's bone, in its axes after `rotation`, m. */
  readonly position: Triple;
  /** By which the rotation of the human's bone is multiplied from the right. */
  readonly rotation: Quadruple;
}

/** A configuration of GMR. */
export interface GmrConfig {
  /** Root bodies. */
  readonly robotRoot: string;
  readonly humanRoot: string;
  /** Height of the ground in the human's motion, m. */
  readonly groundHeight: number;
  /** Height of the human for whom the scales are made, m. */
  readonly humanHeight: number;
  /** Scale of the human's bones about its root, by their names. */
  readonly scales: ReadonlyMap<string, number>;
  /** Solved one after the other in each frame; a table that the file switches off is empty. */
  readonly first: readonly GmrMatch[];
  readonly second: readonly GmrMatch[];
}

/** Options of `readGmrConfig`. */
export interface ReadGmrConfigOptions {
  /** Name of the file, for messages. Default: `ik_config.json`. */
  readonly source?: string;
}

const FIELDS: FieldsOf<ReadGmrConfigOptions> = { source: true };

/**
 * Reads a file of GMR's `ik_configs`. Its quaternions are `w x y z`; here they are unit quaternions `x y z w`.
 *
 * @param input - Text, or UTF-8 bytes.
 * @throws FormatError with code, location (`g1.json#/ik_match_table1/pelvis/3`) and remedy.
 */
export function readGmrConfig(
  input: string | Uint8Array | ArrayBuffer,
  options: ReadGmrConfigOptions = {},
): GmrConfig {
  requireFields(options, FIELDS, 'options', FormatError);
  const source = options.source ?? 'ik_config.json';
  const file = objectAt(parseJson(textOf(input, source), source, 'Give an ik_config of GMR.'), source);
  const scales = objectAt(file.human_scale_table ?? {}, `${source}#/human_scale_table`);
  const table = (k: 1 | 2): readonly GmrMatch[] => {
    const use = file[`use_ik_match_table${k}`];
    return use === false ? [] : matchesOf(file, `ik_match_table${k}`, source);
  };
  return {
    robotRoot: nameAt(file, 'robot_root_name', source),
    humanRoot: nameAt(file, 'human_root_name', source),
    groundHeight: numberAt(file.ground_height, `${source}#/ground_height`, 0),
    humanHeight: numberAt(file.human_height_assumption, `${source}#/human_height_assumption`, 1.8),
    scales: new Map(
      Object.entries(scales).map(([name, scale]) => [
        name,
        numberAt(scale, `${source}#/human_scale_table/${name}`, 1),
      ]),
    ),
    first: table(1),
    second: table(2),
  };
}

function nameAt(file: JsonObject, key: string, source: string): string {
  const name = file[key];
  if (typeof name === 'string' && name !== '') return name;
  return fail('invalid-file', `${source}#/${key}`, `is ${describe(name)}.`, 'Give the name of a bone.');
}

function numberAt(value: unknown, path: string, fallback: number): number {
  if (value === undefined) return fallback;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  return fail('invalid-file', path, `is ${describe(value)}.`, 'Give a number.');
}

function matchesOf(file: JsonObject, key: string, source: string): readonly GmrMatch[] {
  const table = objectAt(file[key] ?? {}, `${source}#/${key}`);
  return Object.entries(table).map(([robot, value]): GmrMatch => {
    const path = `${source}#/${key}/${robot}`;
    const entry = arrayAt(value, path);
    const [human, positionWeight, rotationWeight, position, rotation] = entry;
    if (typeof human !== 'string') {
      fail('invalid-file', `${path}/0`, `is ${describe(human)}.`, 'Give the name of a bone of the human.');
    }
    const weights = numbersAt([positionWeight, rotationWeight], path, 2);
    if (weights.some((weight) => weight < 0)) {
      fail('out-of-range', path, 'has a negative weight.', 'Give weights of 0 or more.');
    }
    const [x, y, z] = numbersAt(position, `${path}/3`, 3);
    const [qw, qx, qy, qz] = numbersAt(rotation, `${path}/4`, 4);
    const length = Math.hypot(qw, qx, qy, qz);
    if (!(length > 1e-6 && length < Infinity)) {
      fail('not-unit', `${path}/4`, 'is no rotation.', 'Give a unit quaternion w x y z.');
    }
    const [ux, uy, uz, uw] = quat.normalize([qx, qy, qz, qw]);
    return {
      robot,
      human,
      positionWeight: weights[0],
      rotationWeight: weights[1],
      position: [x, y, z],
      rotation: [ux, uy, uz, uw],
    };
  });
}
