import type { LimitHelper } from '@poise/three';
import type { LimitComponent } from 'poise/figure';
import { projectToCanvas, toWorld } from '../scene/view.js';
import { session } from '../session/store.js';
import { type Rim, type RimGrip, rimsOf } from './rim.js';

/** What is drawn over the picture of one rim. */
export interface RimElements {
  band: SVGPathElement | null;
  room: SVGLineElement | null;
  label: SVGTextElement | null;
  readonly grips: (SVGCircleElement | null)[];
}

/** By index of the component within its joint. */
export const rimElements = new Map<number, RimElements>();

/** A rim as it was last drawn, for the pointer that grips it. */
export interface DrawnRim extends Rim {
  readonly radius: number;
  /** Of its points on the canvas, px. */
  readonly seen: readonly ({ readonly x: number; readonly y: number } | undefined)[];
}

let drawn: readonly DrawnRim[] = [];

export function drawnRim(n: number): DrawnRim | undefined {
  return drawn[n];
}

/** Grips of a rim, by share of its points: the four sides of a loop, the two ends of an angle. */
export function gripsOf({
  size,
}: LimitComponent): readonly { readonly grip: RimGrip; readonly share: number }[] {
  if (size === 1)
    return [
      { grip: { end: 'min' }, share: 0 },
      { grip: { end: 'max' }, share: 1 },
    ];
  return [0, 0.25, 0.5, 0.75].map((share) => ({ grip: { angle: 2 * Math.PI * share }, share }));
}

/** Puts grips and room of a joint's limits where the limits are drawn. */
export function layOutRims(bone: number | undefined, helper: LimitHelper | undefined): void {
  const radii = new Map(helper?.shown.map(({ component, radius }) => [component, radius]));
  const { figure, pose } = session;
  drawn =
    bone === undefined
      ? []
      : rimsOf(figure, pose, bone, (component) => radii.get(component)).map((rim) => ({
          ...rim,
          radius: radii.get(rim.component) ?? 0,
          seen: rim.points.map((point) => projectToCanvas(toWorld(Array.from(point)))),
        }));
  for (const [n, elements] of rimElements) layOutRim(drawn[n], elements);
}

function layOutRim(rim: DrawnRim | undefined, { band, room, label, grips }: RimElements): void {
  for (const element of [band, room, label, ...grips]) if (element) element.style.display = rim ? '' : 'none';
  if (rim === undefined) return;
  const { seen, isLoop, current, nearest, component } = rim;
  let path = '';
  for (const place of seen) {
    if (place !== undefined) path += `${path === '' ? 'M' : 'L'}${place.x.toFixed(1)} ${place.y.toFixed(1)}`;
  }
  band?.setAttribute('d', isLoop && path !== '' ? `${path}Z` : path);
  gripsOf(component).forEach(({ share }, k) => {
    const at = seen[Math.round(share * (isLoop ? seen.length : seen.length - 1)) % seen.length];
    const grip = grips[k];
    if (!grip) return;
    grip.style.display = at === undefined ? 'none' : '';
    if (at === undefined) return;
    grip.setAttribute('cx', at.x.toFixed(1));
    grip.setAttribute('cy', at.y.toFixed(1));
  });
  const from = projectToCanvas(toWorld(Array.from(current)));
  const to = seen[nearest];
  if (!room || !label) return;
  const shows = from !== undefined && to !== undefined;
  room.style.display = label.style.display = shows ? '' : 'none';
  if (!shows) return;
  room.setAttribute('x1', from.x.toFixed(1));
  room.setAttribute('y1', from.y.toFixed(1));
  room.setAttribute('x2', to.x.toFixed(1));
  room.setAttribute('y2', to.y.toFixed(1));
  label.setAttribute('x', ((from.x + to.x) / 2).toFixed(1));
  label.setAttribute('y', ((from.y + to.y) / 2 - 6).toFixed(1));
  label.textContent = roomWords(rim);
}

/** What is left to the end: `12°`, or `2 cm` of a slider. */
export function roomWords({ room, component: { role } }: Pick<Rim, 'room' | 'component'>): string {
  return role === 'distance' ? `${(100 * room).toFixed(1)} cm` : `${Math.round((180 / Math.PI) * room)}°`;
}
