/**
 * A scene as pure data, which JSON holds: what there is, what happens to it in which step, and what must hold. Metres, kilograms, seconds, radians; up is
 * +Y, world axes are right-handed; quaternions are [x, y, z, w].
 */

export type Triple = readonly [number, number, number];
export type Quadruple = readonly [number, number, number, number];

export interface Surface {
  /** Coulomb friction; a contact has the geometric mean of its two surfaces. */
  readonly friction: number;
  /** A contact has the greater of its two surfaces. */
  readonly restitution: number;
}

export type Form =
  | { readonly type: 'sphere'; readonly center: Triple; readonly radius: number }
  | { readonly type: 'capsule'; readonly from: Triple; readonly to: Triple; readonly radius: number }
  | { readonly type: 'box'; readonly center: Triple; readonly rotation: Quadruple; readonly half: Triple };

/** A static shape; the plane is the floor, solid below y = 0. */
export type WorldShape = (Form | { readonly type: 'plane' }) & Surface;

/** A shape in the frame of its bone. */
export type BoneShape = Form & Surface & { readonly bone: number };

/** Motion of a bone relative to its parent, or to the world: a rotation about its origin, and any motion for `free`. */
export type Joint =
  | { readonly type: 'free' | 'ball' }
  | { readonly type: 'hinge'; readonly axis: Triple }
  | { readonly type: 'swing' | 'ball-and-socket'; readonly axis: Triple; readonly side: Triple }
  | { readonly type: 'euler'; readonly order: 'XZY' };

type Range = readonly [number, number];

/** `angle`: total angle of a ball. `swing`: quarter ellipses of the swing vector about side and axis x side. `box`: one range for each angle. */
export type Limit =
  | { readonly type: 'interval'; readonly range: Range }
  | { readonly type: 'angle'; readonly max: number }
  | { readonly type: 'swing'; readonly s: Range; readonly t: Range; readonly twist?: Range }
  | { readonly type: 'box'; readonly ranges: readonly [Range, Range, Range] };

export interface Bone {
  readonly name: string;
  /** Index of the parent, before its own; -1 for the world. */
  readonly parent: number;
  /** Its origin at rest, from that of the parent, parent axes. At rest all bones have the axes of the root. */
  readonly at: Triple;
  readonly joint: Joint;
  readonly limit?: Limit;
  readonly mass: number;
  readonly center: Triple;
  /** About the centre of mass, bone axes: xx, yy, zz, xy, xz, yz. */
  readonly inertia: readonly [number, number, number, number, number, number];
  /** Viscous: N m s/rad of the joint's rotation; of a free bone also N s/m of its translation. */
  readonly damping: { readonly turn: number; readonly move: number };
}

/** Bones in a tree, in one piece. A single free bone is a rigid body. */
export interface Figure {
  readonly bones: readonly Bone[];
  readonly shapes: readonly BoneShape[];
  /** Place of the root and its velocity; a root that is not free stands at its place and has only the spin. */
  readonly position: Triple;
  readonly rotation: Quadruple;
  readonly velocity: Triple;
  readonly spin: Triple;
  /** Rotation vector of each bone relative to its parent; at rest without. */
  readonly jointRotations?: readonly Triple[];
}

export interface Anchor {
  readonly figure: number;
  readonly bone: number;
  readonly point: Triple;
}

/** Two points that stay together: a bone's and another bone's, or one of the world. */
export interface Connection {
  readonly a: Anchor;
  readonly b: Anchor | { readonly point: Triple };
}

/** Something that happens before a step. */
export type Event =
  /** At the bone's centre of mass, N s. */
  | {
      readonly step: number;
      readonly type: 'impulse';
      readonly figure: number;
      readonly bone: number;
      readonly impulse: Triple;
    }
  /** The root is put there, joints as they are, everything at rest. */
  | {
      readonly step: number;
      readonly type: 'teleport';
      readonly figure: number;
      readonly position: Triple;
      readonly rotation: Quadruple;
    }
  | { readonly step: number; readonly type: 'release'; readonly connection: number };

/**
 * A hand of the mouse on a point of a bone, from a step until before another: force = stiffness (target - p) - damping v, at most maxForce. The target moves
 * along straight lines from point to point in equal numbers of steps.
 */
export interface Drag {
  readonly at: Anchor;
  readonly from: number;
  readonly until: number;
  readonly path: readonly Triple[];
  readonly stiffness: number;
  readonly damping: number;
  readonly maxForce: number;
  /** `connection`: an engine may use a constraint of its own towards the target, bounded by maxForce. */
  readonly by: 'force' | 'connection';
}

export interface Wall {
  readonly normal: Triple;
  readonly offset: number;
  readonly center: Triple;
  readonly reach: number;
}

export interface Expectation {
  /** Nothing moves at the end. */
  readonly rest: boolean;
  /** `kept`: nothing takes energy away or brings it, and a solver for smooth motion keeps it; `not gained`: nothing brings any. */
  readonly energy: 'kept' | 'not gained' | 'any';
  /** Energy that shapes may gain which the scene itself puts inside each other, J. */
  readonly released: number;
  /** Walls that no body's centre of mass may pass: sides normal . x >= offset, up to `reach` from `center` (m), beyond which a body may fly around the wall. */
  readonly walls: readonly Wall[];
  /** What starts enclosed from all sides may stay there. */
  readonly mayStayInside: boolean;
}

export interface Scene {
  /** KIND-SEED-NUMBER, and -short for the short form. */
  readonly id: string;
  readonly kind: string;
  /** m/s^2, downwards. */
  readonly gravity: number;
  readonly world: readonly WorldShape[];
  readonly figures: readonly Figure[];
  readonly connections: readonly Connection[];
  readonly events: readonly Event[];
  readonly drags: readonly Drag[];
  /** Length of each step, s. */
  readonly steps: readonly number[];
  readonly expect: Expectation;
}
