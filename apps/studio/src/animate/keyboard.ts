import {
  copySelected,
  currentClip,
  cutSelected,
  deleteSelected,
  duplicateSelected,
  goFrames,
  goTo,
  goToKey,
  keyAll,
  paste,
  pause,
  selectAll,
  togglePlay,
  useAnimate,
} from './store.js';

/** Keys of the mode, wherever the focus is but in what uses them itself. @returns what removes them. */
export function takeAnimateKeys(): () => void {
  const press = (event: KeyboardEvent) => {
    if (event.altKey || isTyping(event.target)) return;
    const act = actionOf(event);
    if (act === undefined) return;
    act();
    event.preventDefault();
    event.stopPropagation();
  };
  /** A handle that is pressed stops what plays, before it is dragged. */
  const stop = ({ target }: Event) => {
    if (target instanceof Element && target.closest('.handle')) pause();
  };
  window.addEventListener('keydown', press, true);
  window.addEventListener('pointerdown', stop, true);
  return () => {
    window.removeEventListener('keydown', press, true);
    window.removeEventListener('pointerdown', stop, true);
  };
}

function actionOf({ key, target, ctrlKey, metaKey, shiftKey }: KeyboardEvent): (() => void) | undefined {
  if (ctrlKey || metaKey) {
    if (shiftKey) return undefined;
    return { a: selectAll, c: copySelected, x: cutSelected, v: paste, d: duplicateSelected }[
      key.toLowerCase()
    ];
  }
  // A button that was reached by the keyboard is pressed by Space, as everywhere.
  if (key === ' ') return isFocusedButton(target) ? undefined : togglePlay;
  const anywhere = {
    k: keyAll,
    ',': () => goToKey(-1),
    '.': () => goToKey(1),
    '[': () => goFrames(-1),
    ']': () => goFrames(1),
  }[key];
  if (anywhere !== undefined) return anywhere;
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
  return target instanceof HTMLInputElement && /^(text|number|checkbox|radio)$/.test(target.type);
}

function isFocusedButton(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLButtonElement) || target.closest('.key')) return false;
  return target.matches(':focus-visible');
}
