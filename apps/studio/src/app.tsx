import { lazy, Suspense, useEffect } from 'react';
import { HandleLayer } from './scene/handle-layer.js';
import { useStudio } from './session/store.js';
import { HelpSheet } from './shell/help.js';
import { Hints } from './shell/hints.js';
import { ModeScene } from './shell/mode-scene.js';
import { MODES } from './shell/modes.js';
import { hasWebgl, NoWebgl } from './shell/no-webgl.js';
import { takeShortcuts } from './shell/shortcuts.js';
import { TopBar } from './shell/top-bar.js';
import { ViewBar } from './shell/view-bar.js';

/** With all that draws: the page around it is there before. */
const Stage = lazy(() => import('./scene/stage.js').then((scene) => ({ default: scene.Stage })));
const draws = hasWebgl();

export function App() {
  useEffect(takeShortcuts, []);
  const mode = useStudio((studio) => studio.mode);
  const { Panel, Strip, Overlay, hasHandles } = MODES.find(({ id }) => id === mode) ?? MODES[0];
  if (!draws) return <NoWebgl />;
  return (
    <div className="app" data-mode={mode}>
      <TopBar />
      <main className="stage" aria-label="Figure">
        <Suspense fallback={null}>
          <Stage Others={ModeScene} />
        </Suspense>
        {hasHandles && <HandleLayer Overlay={Overlay} />}
        {hasHandles && <Hints />}
        <ViewBar />
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
      <HelpSheet />
    </div>
  );
}
