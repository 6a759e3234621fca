import {
  basisBetween,
  createFigure,
  createPose,
  createState,
  type Figure,
  type FigureState,
  forwardKinematics,
  lowestCommonAncestor,
  WORLD_FRAME,
} from 'poise/figure';
import { affine, rigid } from 'poise/math';

/** The matrix of the lecture notes: from the office's coordinates to those of the front door. */
export const DOOR_FROM_OFFICE = affine.fromRowMajor4([0, 0, 1, 9, 0, 1, 0, 4, -1, 0, 0, 28, 0, 0, 0, 1]);
/** The cafe in the coordinates of the front door, m. */
export const CAFE = [-1, 0, 30];

/** Frames by name; the front door is the world. */
export const FRAMES = ['door', 'office', 'desk', 'lamp', 'chair'] as const;
export type Frame = (typeof FRAMES)[number];

type Movable = Exclude<Frame, 'door'>;

/** The scene graph: an office in the building, a desk and a chair in it, and a lamp on the desk. */
export const figure: Figure = createFigure({
  bones: [
    bone('office', undefined, DOOR_FROM_OFFICE),
    bone('desk', 'office', rigid.fromQuatPosition(aboutVertical(0.35), [-2.6, 0, -3.7])),
    bone('lamp', 'desk', rigid.fromQuatPosition(aboutVertical(0.8), [-3, 0, 0.9])),
    bone('chair', 'office', rigid.fromQuatPosition(aboutVertical(-0.9), [4.5, 0, 1])),
  ],
});

function bone(name: Movable, parent: Movable | undefined, rest: ArrayLike<number>) {
  const [x, y, z] = rigid.toPosition(rest);
  const [a, b, c, d] = rigid.toQuat(rest);
  return {
    name,
    parent: parent ?? null,
    rest: { position: [x, y, z], rotation: [a, b, c, d] },
    joint: { type: 'free' },
  } as const;
}

/** The rotation about y by an angle, rad. */
function aboutVertical(angle: number): number[] {
  return [0, Math.sin(angle / 2), 0, Math.cos(angle / 2)];
}

export interface Scene {
  readonly pose: Float64Array;
  readonly state: FigureState;
  /** The point: its frame, and its coordinates there, m. */
  carrier: Frame;
  point: readonly number[];
}

export function createScene(): Scene {
  const scene = {
    pose: createPose(figure),
    state: createState(figure),
    carrier: 'door' as Frame,
    point: CAFE,
  };
  forwardKinematics(scene.state, scene.pose);
  return scene;
}

const indexOf = (frame: Frame): string | number => (frame === 'door' ? WORLD_FRAME : frame);

/** `toFromFrom`, 12 numbers: the library's change of basis. */
export function changeOfBasis({ state }: Scene, to: Frame, from: Frame): number[] {
  return Array.from(basisBetween(state, indexOf(to), indexOf(from)), Number);
}

/** Coordinates of the point in a frame, m. */
export function pointIn(scene: Scene, frame: Frame): number[] {
  return rigid.transformPoint(changeOfBasis(scene, frame, scene.carrier), scene.point);
}

/** Moves the point to a position in the world, m; its frame stays. */
export function movePoint(scene: Scene, world: readonly number[]): void {
  scene.point = rigid.transformPoint(changeOfBasis(scene, scene.carrier, 'door'), world);
}

/** Gives the point to another frame, without moving it. */
export function carryBy(scene: Scene, frame: Frame): void {
  scene.point = pointIn(scene, frame);
  scene.carrier = frame;
}

/** Moves a frame, with all that it carries, to a position in the world, m. */
export function moveFrame(scene: Scene, frame: Movable, world: readonly number[]): void {
  const { coordinate, parent, rest } = figure.bones[figure.bones.findIndex(({ name }) => name === frame)];
  const above: Frame = parent < 0 ? 'door' : (figure.bones[parent].name as Frame);
  const inParent = rigid.transformPoint(changeOfBasis(scene, above, 'door'), world);
  const position = rigid.inverseTransformPoint(
    rigid.fromQuatPosition(rest.rotation, rest.position),
    inParent,
  );
  // In the plan: no frame leaves its height.
  scene.pose.set([position[0], 0, position[2]], coordinate);
  forwardKinematics(scene.state, scene.pose);
}

/** Rotates a frame about the vertical, from its rest, by an angle, rad. */
export function rotateFrame(scene: Scene, frame: Movable, angle: number): void {
  const { coordinate } = figure.bones[figure.bones.findIndex(({ name }) => name === frame)];
  scene.pose.set([0, angle, 0], coordinate + 3);
  forwardKinematics(scene.state, scene.pose);
}

/** Frames from one up to the common parent, and from the other: the chain of a change of basis. */
export interface Chain {
  /** From the source up to the common parent, both included. */
  readonly up: readonly Frame[];
  /** From the common parent down to the target frame, without the common parent. */
  readonly down: readonly Frame[];
}

export function chainBetween(to: Frame, from: Frame): Chain {
  const common = to === 'door' || from === 'door' ? WORLD_FRAME : lowestCommonAncestor(figure, to, from);
  const up = pathTo(from, common);
  const down = pathTo(to, common).reverse().slice(1);
  return { up, down };
}

/** Frames from one to an ancestor, both included. */
function pathTo(frame: Frame, ancestor: number): Frame[] {
  const path: Frame[] = [frame];
  let n = figure.bones.findIndex(({ name }) => name === frame);
  while (n !== ancestor) {
    n = figure.parents[n];
    path.push(n < 0 ? 'door' : (figure.bones[n].name as Frame));
  }
  return path;
}
