import { session } from '../session/store.js';
import { layOutRings } from './ring-layout.js';
import { projectToCanvas, toWorld } from './view.js';

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
    const place = projectToCanvas(toWorld(session.handlePosition(id, point)));
    element.style.visibility = place === undefined ? 'hidden' : 'visible';
    if (place !== undefined)
      element.style.transform = `translate(${place.x.toFixed(2)}px, ${place.y.toFixed(2)}px)`;
  }
  layOutRings();
  for (const layOut of overlays) layOut();
  const { drag } = session;
  const { line, target } = tether;
  if (line === null || target === null) return;
  const dragged = drag?.kind === 'move' ? session.dragPosition(point) : undefined;
  const from = dragged && projectToCanvas(toWorld(dragged));
  const to = drag && projectToCanvas(toWorld(drag.target));
  const shows =
    from !== undefined && to !== undefined && Math.hypot(to.x - from.x, to.y - from.y) > TETHER_FROM;
  for (const element of [line, target]) element.style.display = shows ? '' : 'none';
  if (!shows) return;
  line.setAttribute('x1', String(from.x));
  line.setAttribute('y1', String(from.y));
  line.setAttribute('x2', String(to.x));
  line.setAttribute('y2', String(to.y));
  target.setAttribute('cx', String(to.x));
  target.setAttribute('cy', String(to.y));
}
