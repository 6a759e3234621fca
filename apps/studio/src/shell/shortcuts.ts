import { useStudio } from '../session/store.js';

/** Keys of the whole page: Escape puts back what is dragged, Ctrl or Cmd with Z undoes, with Shift or with Y redoes. @returns what removes them. */
export function takeShortcuts(): () => void {
  const press = (event: KeyboardEvent) => {
    const { cancelDrag, undo, redo } = useStudio.getState();
    if (event.key === 'Escape') {
      cancelDrag();
      return;
    }
    if (!(event.ctrlKey || event.metaKey) || event.altKey || isTyping(event.target)) return;
    const key = event.key.toLowerCase();
    if (key === 'z' && !event.shiftKey) undo();
    else if (key === 'y' || key === 'z') redo();
    else return;
    event.preventDefault();
  };
  window.addEventListener('keydown', press);
  return () => window.removeEventListener('keydown', press);
}

/** Whether a key belongs to a text field, which has its own undo. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.type === 'text')
  );
}
