import { lazy, Suspense, useCallback, useEffect, useRef, useState } from 'react';
import { chooseFiles, fileInput } from '../live/choose-files.js';
import { problemOf, useStudio } from '../session/store.js';
import { ErrorBoundary } from './error-boundary.js';
import { openFiles } from './open-files.js';

const Menu = lazy(() => import('./menu.js').then((module) => ({ default: module.Menu })));

/** Everything that goes in and out of the page: open, save, share, export, and what the browser keeps. */
export function FileMenu() {
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const close = useCallback(() => {
    setOpen(false);
    button.current?.focus();
  }, []);
  useEffect(takeDroppedFiles, []);
  useEffect(() => {
    if (!isOpen) return;
    const press = ({ target }: Event) => {
      if (target instanceof Node && !box.current?.contains(target)) setOpen(false);
    };
    const key = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      // It closes this and nothing else.
      event.stopPropagation();
      close();
    };
    window.addEventListener('pointerdown', press, true);
    window.addEventListener('focusin', press);
    window.addEventListener('keydown', key, true);
    return () => {
      window.removeEventListener('pointerdown', press, true);
      window.removeEventListener('focusin', press);
      window.removeEventListener('keydown', key, true);
    };
  }, [isOpen, close]);
  return (
    <div className="file" ref={box}>
      <button
        ref={button}
        type="button"
        aria-expanded={isOpen}
        aria-controls="file-menu"
        onClick={() => setOpen(!isOpen)}
      >
        File
      </button>
      <div id="file-menu" hidden={!isOpen}>
        <ErrorBoundary key={String(isOpen)} what="The menu">
          <Suspense fallback={null}>{isOpen && <Menu close={close} chooseFiles={chooseFiles} />}</Suspense>
        </ErrorBoundary>
      </div>
      <input
        ref={fileInput}
        type="file"
        multiple
        aria-label="File to open"
        hidden
        onChange={({ target }) => {
          void openFiles([...(target.files ?? [])]);
          target.value = '';
        }}
      />
    </div>
  );
}

/** A file dropped anywhere on the page is opened, not shown by the browser. */
function takeDroppedFiles(): () => void {
  const over = (event: DragEvent) => event.preventDefault();
  const drop = (event: DragEvent) => {
    event.preventDefault();
    const { files = [], items = [] } = event.dataTransfer ?? {};
    const given = [...files];
    // They are gone when the event is.
    const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? []);
    if (!entries.some(({ isDirectory }) => isDirectory)) {
      void openFiles(given);
      return;
    }
    void import('./unpack.js')
      .then(({ filesWithin }) => Promise.all(entries.map((entry) => filesWithin(entry))))
      .then((found) => openFiles(found.flat()))
      .catch((error) => useStudio.setState({ problem: problemOf(error, 'The folder') }));
  };
  window.addEventListener('dragover', over);
  window.addEventListener('drop', drop);
  return () => {
    window.removeEventListener('dragover', over);
    window.removeEventListener('drop', drop);
  };
}
