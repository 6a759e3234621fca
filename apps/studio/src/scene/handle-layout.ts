import { session } from '../session/store.js';
import { type CanvasPoint, projectToCanvas, toWorld } from './view.js';

/** The elements that follow the figure: positioned each frame, outside React. */
export const handleElements = new Map<string, HTMLElement>();
export const tether: { line: SVGLineElement | null; target: SVGCircleElement | null } = {
  line: null,
  target: null,
};

/** What else follows the figure: laid out with the handles. */
export const overlays = new Set<() => void>();

/** Smallest distance at which the line to the target is shown, px. */
const TETHER_FROM = 6;
const point: number[] = [0, 0, 0];

/** Positions every handle at its point of the body on the screen, and draws the line to a target out of reach. */
export function layOutHandles(): void {
  for (const { id } of session.character.handles) {
    const element = handleElements.get(id);
    if (element === undefined) continue;
    place(element, projectToCanvas(toWorld(session.handlePosition(id, point))));
  }
  for (const layOut of overlays) layOut();
  const { drag } = session;
  const { line, target } = tether;
  if (line === null || target === null) return;
  const dragged = drag?.kind === 'move' ? session.dragPosition(point) : undefined;
  const from = dragged && projectToCanvas(toWorld(dragged));
  const to = drag && projectToCanvas(toWorld(drag.target));
  const shows =
    from !== undefined && to !== undefined && Math.hypot(to.x - from.x, to.y - from.y) > TETHER_FROM;
  drawLine(line, from, shows ? to : undefined);
  target.style.display = shows ? '' : 'none';
  if (!shows) return;
  target.setAttribute('cx', String(to.x));
  target.setAttribute('cy', String(to.y));
}

/** Puts an element at a place on the canvas, px; hides it where there is none. */
export function place(element: HTMLElement, at: CanvasPoint | undefined): void {
  element.style.visibility = at === undefined ? 'hidden' : 'visible';
  if (at !== undefined) element.style.transform = `translate(${at.x.toFixed(2)}px, ${at.y.toFixed(2)}px)`;
}

/** Draws a line between two places on the canvas, px; hides it where one is missing. */
export function drawLine(
  line: SVGLineElement,
  from: CanvasPoint | undefined,
  to: CanvasPoint | undefined,
): void {
  line.style.display = from && to ? '' : 'none';
  if (!from || !to) return;
  line.setAttribute('x1', String(from.x));
  line.setAttribute('y1', String(from.y));
  line.setAttribute('x2', String(to.x));
  line.setAttribute('y2', String(to.y));
}
