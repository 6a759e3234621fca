import { type Vec3, vec3 } from 'poise/math';

/** Points of a circle, and enough of them to look round. */
const POINTS = 48;
/** Sine of the angle between the line of sight and the ring's plane below which the ring is seen as a line. */
const EDGE_ON = 0.3;

/** A closed circle about an axis: the first point once more at the end. */
export function circle(center: Vec3, axis: Vec3, radius: number): number[][] {
  const { u, v } = planeOf(axis);
  return Array.from({ length: POINTS + 1 }, (_, n) => {
    const angle = (2 * Math.PI * n) / POINTS;
    const side = vec3.addScaled(center, u, radius * Math.cos(angle));
    return vec3.addScaled(side, v, radius * Math.sin(angle));
  });
}

/** Unit vectors of the plane across an axis, counterclockwise about it. */
function planeOf(axis: Vec3): { u: Vec3; v: Vec3 } {
  const u = vec3.normalize(vec3.perpendicular(axis));
  return { u, v: vec3.cross(axis, u) };
}

/** What is seen: where a point of the screen lies on a plane, where a point of the scene is on the screen, and the unit direction to the viewer. */
export interface Sight {
  onPlane(point: Vec3, normal: Vec3, x: number, y: number): Vec3 | undefined;
  toScreen(point: Vec3): { readonly x: number; readonly y: number } | undefined;
  readonly back: Vec3;
}

/**
 * The angle by which a pointer turns a ring that it has gripped. A ring that is seen as a circle follows the pointer about its centre, any number of
 * times round; one that is seen as a line follows it along that line.
 */
export class RingDrag {
  #angle = 0;
  #last: number | undefined;
  readonly #center: Vec3;
  readonly #axis: Vec3;
  readonly #sight: Sight;
  readonly #start: { readonly x: number; readonly y: number };
  /** Pixels a radian along the line; undefined for a circle. */
  readonly #tangent: { readonly x: number; readonly y: number } | undefined;

  constructor(center: Vec3, axis: Vec3, radius: number, sight: Sight, x: number, y: number) {
    this.#center = center;
    this.#axis = axis;
    this.#sight = sight;
    this.#start = { x, y };
    if (Math.abs(vec3.dot(axis, sight.back)) < EDGE_ON) this.#tangent = this.#tangentAt(radius);
    else this.#last = this.#angleAt(x, y);
  }

  /** @returns rad from the start, counterclockwise about the axis. */
  to(x: number, y: number): number {
    const tangent = this.#tangent;
    if (tangent !== undefined) {
      const square = tangent.x ** 2 + tangent.y ** 2;
      return ((x - this.#start.x) * tangent.x + (y - this.#start.y) * tangent.y) / square;
    }
    const now = this.#angleAt(x, y);
    if (now === undefined) return this.#angle;
    const step = now - (this.#last ?? now);
    this.#angle += step - 2 * Math.PI * Math.round(step / (2 * Math.PI));
    this.#last = now;
    return this.#angle;
  }

  /** Motion on the screen of the point of the ring nearest to the viewer. */
  #tangentAt(radius: number): { x: number; y: number } | undefined {
    const { back } = this.#sight;
    const across = vec3.addScaled(back, this.#axis, -vec3.dot(back, this.#axis));
    const near = vec3.addScaled(this.#center, vec3.normalize(across), radius);
    const arm = vec3.subtract(near, this.#center);
    const speed = vec3.cross(this.#axis, arm);
    const from = this.#sight.toScreen(near);
    const to = this.#sight.toScreen(vec3.addScaled(near, speed, STEP));
    return from && to && { x: (to.x - from.x) / STEP, y: (to.y - from.y) / STEP };
  }

  #angleAt(x: number, y: number): number | undefined {
    const hit = this.#sight.onPlane(this.#center, this.#axis, x, y);
    if (hit === undefined) return undefined;
    const { u, v } = planeOf(this.#axis);
    const arm = vec3.subtract(hit, this.#center);
    return Math.atan2(vec3.dot(arm, v), vec3.dot(arm, u));
  }
}

/** Angle of the difference quotient, rad. */
const STEP = 1e-3;
