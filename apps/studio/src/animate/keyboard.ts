import { useHelp } from '../preferences/help-store.js';
import {
  copySelected,
  currentClip,
  cutSelected,
  deleteSelected,
  duplicateSelected,
  goFrames,
  goTo,
  goToKey,
  hasDrag,
  keyAll,
  paste,
  pause,
  selectAll,
  togglePlay,
  useAnimate,
} from './store.js';

/** Keys of the mode, wherever the focus is but in what uses them itself. @returns what removes them. */
export function takeAnimateKeys(): () => void {
  // Whether the focus came where it is by Tab: what was clicked leaves Space to play.
  let isByKeys = false;
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Tab') isByKeys = true;
    // What is dragged is kept or put back first.
    if (event.altKey || isTyping(event.target) || hasDrag()) return;
    const act = actionOf(event, isByKeys);
    if (act === undefined) return;
    act();
    event.preventDefault();
    event.stopPropagation();
  };
  /** A handle that is pressed stops what plays, before it is dragged. */
  const take = ({ target, type }: Event) => {
    if (type === 'pointerdown') isByKeys = false;
    const handle = target instanceof Element ? target.closest<HTMLElement>('.handle') : null;
    if (handle === null) return;
    if (type === 'pointerdown') pause();
    const id = handle.dataset.handle;
    if (id !== undefined && id !== useAnimate.getState().handle)
      useAnimate.setState({ handle: id, curves: undefined });
  };
  window.addEventListener('keydown', press, true);
  window.addEventListener('pointerdown', take, true);
  window.addEventListener('focusin', take);
  return () => {
    window.removeEventListener('keydown', press, true);
    window.removeEventListener('pointerdown', take, true);
    window.removeEventListener('focusin', take);
  };
}

function actionOf(
  { key, target, ctrlKey, metaKey, shiftKey }: KeyboardEvent,
  isByKeys: boolean,
): (() => void) | undefined {
  if (ctrlKey || metaKey) {
    if (shiftKey) return undefined;
    return { a: selectAll, c: copySelected, x: cutSelected, v: paste, d: duplicateSelected }[
      key.toLowerCase()
    ];
  }
  // A button or switch that was reached by the keyboard is pressed by Space, as everywhere.
  if (key === ' ') return isByKeys && isPressedBySpace(target) ? undefined : togglePlay;
  const anywhere = {
    k: keyAll,
    ',': () => goToKey(-1),
    '.': () => goToKey(1),
    '[': () => goFrames(-1),
    ']': () => goFrames(1),
  }[key];
  if (anywhere !== undefined) return useHelp.getState().hasSingleKeys ? anywhere : undefined;
  if (key === 'Delete' || key === 'Backspace')
    return useAnimate.getState().selected.size > 0 ? deleteSelected : undefined;
  // Handles, sliders and keys go by arrows themselves.
  if (target instanceof Element && target !== document.body) return undefined;
  return {
    ArrowLeft: () => goFrames(-1),
    ArrowRight: () => goFrames(1),
    Home: () => goTo(0),
    End: () => goTo(currentClip().duration),
  }[key];
}

function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true;
  return target instanceof HTMLInputElement && /^(text|number|search)$/.test(target.type);
}

/** Whether Space belongs to the control with the focus: to a button or a switch. */
function isPressedBySpace(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLButtonElement || target instanceof HTMLInputElement)) return false;
  return target.closest('.key, .point') === null;
}
