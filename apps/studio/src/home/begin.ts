import type { Document } from '../document/document.js';
import { recall } from '../preferences/memory.js';
import { messageOf, useStudio } from '../session/store.js';
import { useHome, whenReady } from './store.js';

/** Time after which what keeps the document is loaded, where nothing is changed before, ms: the picture comes first. */
const AFTER_PICTURE = 3000;
/** As in `link.ts`, which is loaded where there is one. */
const LINK_PREFIX = '#scene=';

/** Brings back what was kept, or opens the scene of a link; the picture waits for that where there is something. */
export function beginHome(): void {
  window.addEventListener('hashchange', () => {
    if (location.hash.startsWith(LINK_PREFIX))
      void whenReady().then(() => openLink('Open the scene of a link'));
  });
  const { document: empty } = useStudio.getState();
  const isLink = location.hash.startsWith(LINK_PREFIX);
  if (isLink || recall('kept') !== undefined) {
    useHome.setState({ isReady: false });
    void begin(empty, isLink).finally(() => useHome.setState({ isReady: true }));
    return;
  }
  let hasBegun = false;
  const start = () => {
    if (hasBegun) return;
    hasBegun = true;
    stop();
    void begin(empty, false);
  };
  const stop = useStudio.subscribe((now) => {
    if (now.document !== empty) start();
  });
  setTimeout(start, AFTER_PICTURE);
}

async function begin(empty: Document, isLink: boolean): Promise<void> {
  try {
    const isOpen = isLink && (await openLink());
    const { beginKeeping } = await import('./keep/autosave.js');
    await beginKeeping(isOpen ? undefined : empty);
  } catch {
    // The network went, say.
    useHome.setState({
      problem: 'What keeps your work could not be loaded. Save the project as a file before you leave.',
    });
  }
}

/** Takes the scene of the address, which then holds none: loaded again, the page brings back what became of it. */
async function openLink(label?: string): Promise<boolean> {
  const { location, history } = window;
  const fragment = location.hash;
  history.replaceState(history.state, '', location.pathname + location.search);
  try {
    const { readLink } = await import('./link.js');
    const { openProject } = await import('./open-project-file.js');
    const project = await readLink(fragment);
    if (project === undefined) return false;
    await openProject(project, 'The scene of the link', label);
    return true;
  } catch (error) {
    useHome.setState({ word: messageOf(error) });
    return false;
  }
}
