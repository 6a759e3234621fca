import { session, useStudio } from '../session/store.js';
import { view } from './view.js';

/** A finger that has dragged something farther means it, px. */
const MEANT = 24;

/**
 * A second finger on the picture moves the view, wherever both press: what the first began to drag is put back, and the camera gets
 * them. Unless the first has dragged something already.
 *
 * @param stage - Holds the canvas, and all that is pressed over it.
 * @returns what stops it.
 */
export function takePinches(stage: HTMLElement): () => void {
  /** Fingers that are down: where they pressed, and are. */
  const fingers = new Map<number, { readonly from: PointerEvent; now: PointerEvent }>();
  const isMeant = () =>
    (session.drag !== undefined || session.isGazing || session.dragsLimits) &&
    [...fingers.values()].some(
      ({ from, now }) => Math.hypot(now.clientX - from.clientX, now.clientY - from.clientY) > MEANT,
    );
  const send = (type: string, to: EventTarget | null, { pointerId, clientX, clientY }: PointerEvent) =>
    to?.dispatchEvent(
      new PointerEvent(type, { pointerId, clientX, clientY, pointerType: 'touch', bubbles: true }),
    );
  const down = (event: PointerEvent) => {
    // What is sent to the camera comes by here.
    if (!event.isTrusted || event.pointerType !== 'touch') return;
    if (!(event.target instanceof Node && stage.contains(event.target))) return;
    const others = [...fingers.values()];
    fingers.set(event.pointerId, { from: event, now: event });
    if (others.length === 0 || isMeant()) return;
    event.stopImmediatePropagation();
    useStudio.getState().cancelDrag();
    for (const { from, now } of others) send('pointercancel', from.target, now);
    for (const { now } of fingers.values()) send('pointerdown', view.canvas ?? null, now);
  };
  const move = (event: PointerEvent) => {
    const finger = fingers.get(event.pointerId);
    if (finger !== undefined) finger.now = event;
  };
  const up = (event: PointerEvent) => {
    if (event.isTrusted) fingers.delete(event.pointerId);
  };
  // Before what one finger presses.
  window.addEventListener('pointerdown', down, true);
  window.addEventListener('pointermove', move, true);
  window.addEventListener('pointerup', up, true);
  window.addEventListener('pointercancel', up, true);
  return () => {
    window.removeEventListener('pointerdown', down, true);
    window.removeEventListener('pointermove', move, true);
    window.removeEventListener('pointerup', up, true);
    window.removeEventListener('pointercancel', up, true);
  };
}
