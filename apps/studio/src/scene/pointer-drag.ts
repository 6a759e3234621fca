import { type Plane, Vector3 } from 'three';
import { session } from '../session/store.js';
import { facingPlane, pointOnPlane, toFigure, view } from './view.js';

/** A press that moves less than this is a click, px. */
export const CLICK_SLACK = 4;

type MoveTo = (x: number, y: number, z: number) => void;

/** A press of the pointer on something, that becomes its drag in the plane that faces the camera. */
export class PointerDrag {
  isDrag = false;
  readonly #x: number;
  readonly #y: number;
  readonly #plane: Plane;
  /** Offset from the pointer's point on the plane to what is pressed. */
  readonly #offset: Vector3;
  readonly #begin: () => void;
  readonly #to: MoveTo;

  private constructor(x: number, y: number, plane: Plane, offset: Vector3, begin: () => void, to: MoveTo) {
    this.#x = x;
    this.#y = y;
    this.#plane = plane;
    this.#offset = offset;
    this.#begin = begin;
    this.#to = to;
  }

  /**
   * @param at - What is pressed, in the scene.
   * @param begin - Begins the drag of the session.
   * @param to - Moves what is dragged, in the world of the figure, m. Default: the target of the session's drag.
   */
  static press(
    at: readonly number[],
    x: number,
    y: number,
    begin: () => void,
    to: MoveTo = (a, b, c) => session.dragTo(a, b, c),
  ): PointerDrag | undefined {
    const plane = facingPlane(at);
    const hit = pointOnPlane(plane, x, y);
    return hit && new PointerDrag(x, y, plane, new Vector3().fromArray(at).sub(hit), begin, to);
  }

  move(x: number, y: number): void {
    if (!this.isDrag) {
      if (Math.hypot(x - this.#x, y - this.#y) < CLICK_SLACK) return;
      this.isDrag = true;
      this.#begin();
    }
    const hit = pointOnPlane(this.#plane, x, y)?.add(this.#offset);
    if (hit === undefined) return;
    const [a, b, c] = toFigure(hit);
    this.#to(a, b, c);
    view.invalidate();
  }
}
