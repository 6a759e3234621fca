import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export type Vec3 = readonly [number, number, number];
/** Unit quaternion as the problem files write it: `[w, x, y, z]`. */
export type QuatWxyz = readonly [number, number, number, number];

interface JointPlace {
  readonly name: string;
  /** Index of the parent joint, -1 for the root. */
  readonly parent: number;
  /** Frame in the parent joint's frame. */
  readonly pos: Vec3;
  readonly quat: QuatWxyz;
}

export interface BallSpec extends JointPlace {
  readonly type: 'ball';
  /** Largest rotation angle when the set is limited, rad. */
  readonly theta: number;
}

export interface HingeSpec extends JointPlace {
  readonly type: 'hinge';
  /** Unit axis in the joint frame. */
  readonly axis: Vec3;
  /** Interval of the angle, rad. */
  readonly lo: number;
  readonly hi: number;
}

export type JointSpec = BallSpec | HingeSpec;

export interface EffectorSpec {
  readonly name: string;
  readonly joint: number;
  readonly pos: Vec3;
  readonly quat: QuatWxyz;
}

export interface Model {
  readonly name: string;
  readonly joints: readonly JointSpec[];
  readonly effectors: readonly EffectorSpec[];
}

/** Target of one effector, in world coordinates. A position set uses only `p`. */
export interface TargetPose {
  readonly p: Vec3;
  readonly q: QuatWxyz;
}

export interface ProblemSet {
  readonly id: string;
  readonly kind: 'position' | 'pose';
  readonly limited: boolean;
  readonly tolerance: { readonly position: number; readonly angle: number };
  readonly model: Model;
  /** One list of targets a problem, one target an effector. */
  readonly targets: readonly (readonly TargetPose[])[];
}

/** The joints of a set that has only balls and wants only positions; null for any other. */
export function ballsOf(set: ProblemSet): readonly BallSpec[] | null {
  const { joints } = set.model;
  return set.kind === 'position' && joints.every((joint): joint is BallSpec => joint.type === 'ball')
    ? joints
    : null;
}

/** The sets that issue 2 names, in the order of the report. */
export const SETS = [
  'chain2',
  'chain10',
  'chain10-lim',
  'chain30',
  'chain100',
  'armspine',
  'armspine-lim',
  'body20',
  'body20-lim',
] as const;

/** The repository root: the folder that holds `benchmarks/package.json`, wherever the bundle was put. */
export function repositoryRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    try {
      readFileSync(join(folder, 'benchmarks', 'package.json'));
      return folder;
    } catch {
      const up = dirname(folder);
      if (up === folder) throw new Error('benchmarks: run from inside the repository');
      folder = up;
    }
  }
}

/** The shared data folder: `POISE_DATA`, else `../shared/data` beside the repository. */
export function dataFolder(): string {
  return process.env.POISE_DATA ?? resolve(repositoryRoot(), '../shared/data');
}

export function loadProblemSet(id: string): ProblemSet {
  const file = join(dataFolder(), 'problems', `${id}.json`);
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as ProblemSet;
  } catch (cause) {
    throw new Error(`benchmarks: cannot read ${file}; set POISE_DATA to the shared data folder`, { cause });
  }
}
