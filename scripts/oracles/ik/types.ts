// Inverse-kinematics problems as plain JSON, in the words of docs/ik.md and packages/core/src/figure/data/types.ts, written down again:
// oracles import nothing that they are there to check.

export type Triple = readonly [number, number, number];
export type Quadruple = readonly [number, number, number, number];

export type Joint =
  | { readonly type: 'fixed' }
  | { readonly type: 'hinge' | 'slider'; readonly axis: Triple }
  | { readonly type: 'swing' | 'ball-and-socket'; readonly axis: Triple; readonly side?: Triple }
  | { readonly type: 'ball' }
  | { readonly type: 'free' }
  | { readonly type: 'euler'; readonly order: EulerOrder };

export const EULER_ORDERS = [
  'XYZ',
  'XZY',
  'YXZ',
  'YZX',
  'ZXY',
  'ZYX',
  'XYX',
  'XZX',
  'YXY',
  'YZY',
  'ZXZ',
  'ZYZ',
] as const;
export type EulerOrder = (typeof EULER_ORDERS)[number];

export type SwingLimit =
  | { readonly type: 'cone'; readonly halfAngle: number }
  | { readonly type: 'ellipse'; readonly halfAngles: readonly [number, number] }
  | {
      readonly type: 'quad-ellipse';
      readonly s: readonly [number, number];
      readonly t: readonly [number, number];
    };

export type Limit =
  | { readonly type: 'interval'; readonly min: number | null; readonly max: number | null }
  | {
      readonly type: 'box';
      readonly min: readonly (number | null)[];
      readonly max: readonly (number | null)[];
    }
  | { readonly type: 'angle'; readonly max: number }
  | SwingLimit
  | {
      readonly type: 'swing-twist';
      readonly swing?: SwingLimit;
      readonly twist?: { readonly min: number; readonly max: number };
    };

export interface Bone {
  readonly name: string;
  /** Name of a bone before it in the list, null for a root. */
  readonly parent: string | null;
  readonly rest: { readonly position: Triple; readonly rotation: Quadruple };
  readonly joint: Joint;
  readonly limit?: Limit;
  readonly tip?: Triple;
}

interface Common {
  readonly bone: string;
  readonly weight?: number;
  readonly tolerance?: number;
}

export interface CarriedPoint {
  readonly bone: string;
  readonly point?: Triple;
}

/** How much each of three axes counts, 0 to 1. */
export type Mask = readonly [number, number, number];

export interface Plane {
  readonly point: Triple;
  readonly normal: Triple;
  readonly bone?: string;
}

export type Goal =
  | (Common & {
      readonly type: 'position';
      readonly point?: Triple;
      readonly target: Triple | CarriedPoint;
      readonly mask?: Mask;
    })
  | (Common & {
      readonly type: 'orientation';
      readonly offset?: Quadruple;
      readonly target: Quadruple | { readonly bone: string; readonly offset?: Quadruple };
      readonly mask?: Mask;
    })
  | (Common & {
      readonly type: 'points-at';
      readonly axis: Triple;
      readonly origin?: Triple;
      readonly target: Triple | CarriedPoint;
    })
  | (Common & {
      readonly type: 'distance';
      readonly point?: Triple;
      readonly target: Triple | CarriedPoint;
      readonly distance: number;
    })
  | (Common & { readonly type: 'plane'; readonly point?: Triple; readonly target: Plane })
  | (Common & {
      readonly type: 'half-space';
      readonly point?: Triple;
      readonly target: Plane;
      readonly clearance?: number;
    })
  | (Common & {
      readonly type: 'relative-pose';
      readonly point?: Triple;
      readonly offset?: Quadruple;
      readonly target: CarriedPoint & { readonly offset?: Quadruple };
      readonly positionMask?: Mask;
      readonly orientationMask?: Mask;
      readonly angleTolerance?: number;
    })
  | (Common & { readonly type: 'joint-value'; readonly coordinate?: number; readonly value: number });

/** Bones, parents before children: coordinates stand in that order. */
export interface Problem {
  readonly bones: readonly Bone[];
  readonly goals: readonly Goal[];
  readonly locked: readonly string[];
}

const DOF = {
  fixed: 0,
  hinge: 1,
  slider: 1,
  swing: 2,
  ball: 3,
  'ball-and-socket': 3,
  euler: 3,
  free: 6,
} as const;

export function dofOf(joint: Joint): number {
  return DOF[joint.type];
}

/** First coordinate of each bone, then the number of all. */
export function coordinateStarts(bones: readonly Bone[]): number[] {
  const starts = [0];
  for (const { joint } of bones) starts.push(starts[starts.length - 1] + dofOf(joint));
  return starts;
}

/** Whether coordinate k of a joint is a length. */
export function isLength(joint: Joint, k: number): boolean {
  return joint.type === 'slider' || (joint.type === 'free' && k < 3);
}
