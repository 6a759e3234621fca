import { Suspense, useEffect } from 'react';
import { HandleLayer } from './scene/handle-layer.js';
import { Stage } from './scene/stage.js';
import { useStudio } from './session/store.js';
import { MODES } from './shell/modes.js';
import { takeShortcuts } from './shell/shortcuts.js';
import { TopBar } from './shell/top-bar.js';

export function App() {
  useEffect(takeShortcuts, []);
  const mode = useStudio((studio) => studio.mode);
  const { Panel, Strip, hasHandles } = MODES.find(({ id }) => id === mode) ?? MODES[0];
  return (
    <div className="app" data-mode={mode}>
      <TopBar />
      <main className="stage">
        <Stage />
        {hasHandles && <HandleLayer />}
      </main>
      <aside className="panel" aria-label="Panel">
        <Suspense fallback={null}>
          <Panel />
        </Suspense>
      </aside>
      {Strip && (
        <footer className="strip">
          <Suspense fallback={null}>
            <Strip />
          </Suspense>
        </footer>
      )}
    </div>
  );
}
