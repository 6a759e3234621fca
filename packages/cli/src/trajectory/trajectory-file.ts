/** Sampled motions as CSV and JSON. */
import type { Source } from '../io/source.js';
import { type CoordinateInfo, coordinatesOf } from './coordinates.js';
import type { SampledMotion } from './sampled-motion.js';

/** What a trajectory .json holds: lists by time, each with a number for each coordinate. */
export interface TrajectoryFile {
  readonly format: 'poise-trajectory';
  readonly version: 1;
  /** Name of the figure. */
  readonly figure: string;
  /** Samples per second. */
  readonly rate: number;
  readonly coordinates: readonly CoordinateInfo[];
  /** s */
  readonly times: readonly number[];
  /** q; v; v'; joint forces, for a figure with masses. SI units, radians. */
  readonly positions: readonly (readonly number[])[];
  readonly velocities: readonly (readonly number[])[];
  readonly accelerations: readonly (readonly number[])[];
  readonly torques?: readonly (readonly number[])[];
}

export function trajectoryJson(motion: SampledMotion, jointNames?: ReadonlyMap<number, string>): Uint8Array {
  const { figure, rate, samples } = motion;
  const lists = (pick: (sample: SampledMotion['samples'][number]) => Float64Array): number[][] =>
    samples.map((sample) => Array.from(pick(sample), withoutMinusZero));
  const file: TrajectoryFile = {
    format: 'poise-trajectory',
    version: 1,
    figure: figure.name,
    rate,
    coordinates: coordinatesOf(figure, jointNames),
    times: samples.map(({ time }) => time),
    positions: lists(({ pose }) => pose),
    velocities: lists(({ velocity }) => velocity),
    accelerations: lists(({ acceleration }) => acceleration),
    ...(samples[0]?.torques && { torques: lists(({ torques }) => torques as Float64Array) }),
  };
  return new TextEncoder().encode(`${JSON.stringify(file)}\n`);
}

/**
 * CSV (RFC 4180), a row for each time: `time [s]`, then `q:`, `v:`, `a:` and `tau:` of every coordinate, with units. Numbers have the digits that
 * read back as the same double.
 */
export function trajectoryCsv(motion: SampledMotion, jointNames?: ReadonlyMap<number, string>): Uint8Array {
  const { figure, samples } = motion;
  const coordinates = coordinatesOf(figure, jointNames);
  const columns = (
    kind: string,
    name: 'name' | 'velocityName',
    unitOf: (unit: 'rad' | 'm') => string,
  ): string[] =>
    coordinates.map((coordinate) => field(`${kind}:${coordinate[name]} [${unitOf(coordinate.unit)}]`));
  const hasTorques = samples[0]?.torques !== undefined;
  const header = [
    'time [s]',
    ...columns('q', 'name', (unit) => unit),
    ...columns('v', 'velocityName', (unit) => `${unit}/s`),
    ...columns('a', 'velocityName', (unit) => `${unit}/s^2`),
    ...(hasTorques ? columns('tau', 'velocityName', (unit) => (unit === 'm' ? 'N' : 'N m')) : []),
  ];
  const rows = samples.map(({ time, pose, velocity, acceleration, torques = [] }) =>
    [time, ...pose, ...velocity, ...acceleration, ...torques]
      .map((value) => String(withoutMinusZero(value)))
      .join(','),
  );
  return new TextEncoder().encode(`${[header.join(','), ...rows].join('\r\n')}\r\n`);
}

/** Names of the joints of a robot, by bone; other figures have none of their own. */
export function jointNamesOf({ robot, model }: Source): ReadonlyMap<number, string> {
  const joints = (robot ?? model)?.joints;
  return new Map(joints ? [...joints.values()].map(({ bone, name }) => [bone, name]) : []);
}

/** -0 is written as 0. */
function withoutMinusZero(value: number): number {
  return value + 0;
}

/** A text as a field: quoted where it needs to be. */
function field(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
