import { useHome } from '../home/store.js';
import { chooseFiles } from '../live/choose-files.js';
import { useHelp } from '../preferences/help-store.js';
import { view } from '../scene/view.js';
import { messageOf, useStudio } from '../session/store.js';
import { VIEWS } from './view-bar.js';

/**
 * Keys of the whole page: Escape puts back what is dragged, Ctrl or Cmd with Z undoes, with Shift or with Y redoes, with O opens
 * and with S saves; alone, digits turn the view and ? shows all keys. @returns what removes them.
 */
export function takeShortcuts(): () => void {
  const press = (event: KeyboardEvent) => {
    const { cancelDrag, undo, redo } = useStudio.getState();
    if (event.key === 'Escape') {
      cancelDrag();
      return;
    }
    // What a dialog covers stays as it is, and so does what is about to be replaced.
    if (document.querySelector('dialog[open]') !== null || !useHome.getState().isReady) return;
    const key = event.key.toLowerCase();
    const hasControl = event.ctrlKey || event.metaKey;
    const isFile = hasControl && (key === 'o' || key === 's');
    if (event.altKey || (isTyping(event.target) && !isFile)) return;
    if (!hasControl) {
      const { isOpen, hasSingleKeys, show } = useHelp.getState();
      if (!hasSingleKeys || isOpen) return;
      const side = VIEWS.find((each) => each.key === key)?.side;
      if (key === '?') show(true);
      else if (side !== undefined) view.lookFrom(side);
      else return;
    } else if (key === 'z' && !event.shiftKey) undo();
    else if (key === 'y' || key === 'z') redo();
    else if (key === 'o' && !event.shiftKey) chooseFiles();
    else if (key === 's' && !event.shiftKey) void save();
    else return;
    event.preventDefault();
  };
  window.addEventListener('keydown', press);
  return () => window.removeEventListener('keydown', press);
}

/** Saves the project; the browser shows the file, the page why there is none. */
async function save(): Promise<void> {
  try {
    const { saveProject } = await import('../home/actions.js');
    await saveProject();
  } catch (error) {
    useHome.setState({ word: messageOf(error) });
  }
}

/** Whether a key belongs to a field in which one types. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLTextAreaElement ||
    (target instanceof HTMLInputElement && ['text', 'number', 'search'].includes(target.type))
  );
}
