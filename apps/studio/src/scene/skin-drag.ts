import { useStudio } from '../session/store.js';
import { pickSkin } from './pick-skin.js';
import { CLICK_SLACK, PointerDrag } from './pointer-drag.js';
import { usePosing } from './posing-store.js';
import { view } from './view.js';

/**
 * A press on the character drags that point of it, a click selects the handle of its bone; a press beside it is left to the camera,
 * a click there selects nothing.
 *
 * @param stage - Holds the canvas.
 * @returns what stops it.
 */
export function takeSkinDrags(stage: HTMLElement): () => void {
  let press: { readonly drag: PointerDrag; readonly bone: number; readonly pointer: number } | undefined;
  /** Until the view turns. */
  let pressBeside: PointerEvent | undefined;
  const down = (event: PointerEvent) => {
    // With a second finger it is no click.
    pressBeside = undefined;
    // A pinch is the camera's.
    if (!event.isTrusted) return;
    if (event.button !== 0 || press !== undefined || event.target !== view.canvas) return;
    const hit = pickSkin(event.clientX, event.clientY);
    if (hit === undefined) {
      if (event.isPrimary) pressBeside = event;
      return;
    }
    const { grip, at } = hit;
    const begin = () => useStudio.getState().beginDrag(grip);
    const drag = PointerDrag.press(at, event.clientX, event.clientY, begin);
    if (drag === undefined) return;
    press = { drag, bone: grip.bone, pointer: event.pointerId };
    view.canvas?.setPointerCapture(event.pointerId);
    // The camera stays.
    event.stopPropagation();
  };
  const move = (event: PointerEvent) => {
    if (event.pointerId === press?.pointer) press.drag.move(event.clientX, event.clientY);
    if (event.pointerId !== pressBeside?.pointerId) return;
    const { clientX, clientY } = pressBeside;
    if (Math.hypot(event.clientX - clientX, event.clientY - clientY) >= CLICK_SLACK) pressBeside = undefined;
  };
  const up = (event: PointerEvent) => {
    if (event.pointerId === pressBeside?.pointerId) {
      pressBeside = undefined;
      if (event.type === 'pointerup') usePosing.getState().select(undefined);
      view.invalidate();
    }
    if (press === undefined || event.pointerId !== press.pointer) return;
    const { drag, bone } = press;
    press = undefined;
    if (drag.isDrag) useStudio.getState().endDrag();
    else if (event.type === 'pointerup') {
      usePosing.getState().selectJoint(bone);
      view.invalidate();
    }
  };
  // Before the camera's own listeners, which are on elements within.
  stage.addEventListener('pointerdown', down, true);
  window.addEventListener('pointermove', move);
  window.addEventListener('pointerup', up);
  window.addEventListener('pointercancel', up);
  return () => {
    stage.removeEventListener('pointerdown', down, true);
    window.removeEventListener('pointermove', move);
    window.removeEventListener('pointerup', up);
    window.removeEventListener('pointercancel', up);
  };
}
