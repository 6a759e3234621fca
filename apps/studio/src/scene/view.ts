import {
  type Camera,
  Matrix4,
  Plane,
  Raycaster,
  type Scene,
  Vector2,
  Vector3,
  type WebGLRenderer,
} from 'three';
import type { CharacterModel } from '../character/model.js';

/** The region in view, in fractions of stature: its centre over the floor, half its height and half its width. */
export const REGION = { middle: 0.52, height: 0.61, width: 0.5 } as const;

/** From where the camera looks: as at first, or along an axis. */
export type Side = 'start' | 'front' | 'side' | 'top';

/** The current camera and canvas, set by the stage for the handle layer, which is plain DOM. */
export const view: {
  camera: Camera | undefined;
  canvas: HTMLCanvasElement | undefined;
  /** Size of the canvas, CSS pixels. To read it from the element between writes of styles would force a layout. */
  size: { readonly width: number; readonly height: number };
  /** What draws, and all that it draws. */
  renderer: WebGLRenderer | undefined;
  scene: Scene | undefined;
  /** Requests another frame. */
  invalidate: () => void;
  /** World of the scene from that of the figure. */
  worldFromFigure: Matrix4;
  /** What is drawn. */
  body: CharacterModel | undefined;
  /** Turns the camera to a view of the whole body. */
  lookFrom: (side: Side) => void;
  /** Goes with the figure, where the view follows it: at once, or in a frame of so many seconds, in which the pointer may pull it. */
  follow: (seconds?: number, isPulled?: boolean) => void;
  /** How far it has gone, m. */
  shift: Vector3;
} = {
  camera: undefined,
  canvas: undefined,
  size: { width: 0, height: 0 },
  renderer: undefined,
  scene: undefined,
  invalidate: () => {},
  lookFrom: () => {},
  follow: () => {},
  shift: new Vector3(),
  worldFromFigure: new Matrix4(),
  body: undefined,
};

const raycaster = new Raycaster();
const pointer = new Vector2();
const point = new Vector3();

/** The plane through a point that faces the camera. */
export function facingPlane(through: readonly number[]): Plane {
  const direction = view.camera?.getWorldDirection(new Vector3()) ?? new Vector3(0, 0, -1);
  return new Plane().setFromNormalAndCoplanarPoint(direction, new Vector3().fromArray(through));
}

/** Intersection of the ray through a point of the page with a plane; undefined if there is none. */
export function pointOnPlane(plane: Plane, clientX: number, clientY: number): Vector3 | undefined {
  return pointerRay(clientX, clientY)?.ray.intersectPlane(plane, new Vector3()) ?? undefined;
}

/** The ray through a point of the page; one object for all calls. */
export function pointerRay(clientX: number, clientY: number): Raycaster | undefined {
  const { camera, canvas } = view;
  if (camera === undefined || canvas === undefined) return undefined;
  const box = canvas.getBoundingClientRect();
  pointer.set(((clientX - box.left) / box.width) * 2 - 1, 1 - ((clientY - box.top) / box.height) * 2);
  raycaster.setFromCamera(pointer, camera);
  return raycaster;
}

/** A place on the canvas, px from its top left. */
export interface CanvasPoint {
  readonly x: number;
  readonly y: number;
}

/** Canvas position of a world point, CSS pixels from its top left; undefined behind the camera. */
export function projectToCanvas(world: readonly number[]): CanvasPoint | undefined {
  const { camera, size } = view;
  if (camera === undefined) return undefined;
  point.fromArray(world).project(camera);
  if (!(Math.abs(point.z) <= 1)) return undefined;
  return { x: ((point.x + 1) / 2) * size.width, y: ((1 - point.y) / 2) * size.height };
}

/** World vectors of one unit to the right, up and towards the viewer. */
export function viewAxes(): { right: Vector3; up: Vector3; back: Vector3 } {
  const [right, up, back] = [new Vector3(), new Vector3(), new Vector3()];
  view.camera?.matrixWorld.extractBasis(right, up, back);
  return { right, up, back };
}

/** The unit vector of a key that moves, in the world: arrows in the plane of the screen, page up and down away from the viewer and back; undefined for other keys. */
export function keyDirection(key: string): Vector3 | undefined {
  const { right, up, back } = viewAxes();
  return {
    ArrowRight: right,
    ArrowLeft: right.clone().negate(),
    ArrowUp: up,
    ArrowDown: up.clone().negate(),
    PageDown: back,
    PageUp: back.clone().negate(),
  }[key];
}

/** A point of the figure's world in the scene's. */
export function toWorld(position: readonly number[]): number[] {
  return world.fromArray(position).applyMatrix4(view.worldFromFigure).toArray();
}

/** A point of the scene's world in the figure's. */
export function toFigure(position: Vector3): number[] {
  return world.copy(position).applyMatrix4(inverse.copy(view.worldFromFigure).invert()).toArray();
}

/** A direction of the scene in the figure's world, unit. */
export function directionToFigure(direction: Vector3): number[] {
  return world.copy(direction).transformDirection(inverse.copy(view.worldFromFigure).invert()).toArray();
}

const world = new Vector3();
const inverse = new Matrix4();
