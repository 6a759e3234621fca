import { lazy, Suspense, useEffect } from 'react';
import { useDialog } from './home/dialog-store.js';
import { ErrorBoundary } from './home/error-boundary.js';
import { useHome } from './home/store.js';
import { Words } from './home/words.js';
import { useHelp } from './preferences/help-store.js';
import { HandleLayer } from './scene/handle-layer.js';
import { useStudio } from './session/store.js';
import { Hints } from './shell/hints.js';
import { ModeScene } from './shell/mode-scene.js';
import { MODES } from './shell/modes.js';
import { takeShortcuts } from './shell/shortcuts.js';
import { TopBar } from './shell/top-bar.js';
import { Deselect, ViewBar } from './shell/view-bar.js';
import { hasWebgl } from './shell/webgl.js';
import { takeGreyPresses } from './shell/why-grey.js';

const draws = hasWebgl();
/** With all that draws: the page around it is there before. */
const stage = draws ? import('./scene/stage.js') : new Promise<never>(() => {});
const Stage = lazy(() => stage.then((scene) => ({ default: scene.Stage })));
const HelpSheet = lazy(() => import('./shell/help.js').then((module) => ({ default: module.HelpSheet })));
const NoWebgl = lazy(() => import('./shell/no-webgl.js').then((module) => ({ default: module.NoWebgl })));
const Dialogs = lazy(() => import('./home/dialogs.js').then((module) => ({ default: module.Dialogs })));

export function App() {
  useEffect(takeShortcuts, []);
  useEffect(takeGreyPresses, []);
  const mode = useStudio((studio) => studio.mode);
  const isReady = useHome((home) => home.isReady);
  const dialog = useDialog(({ open }) => open);
  const showsKeys = useHelp(({ isOpen }) => isOpen);
  const { Panel, Strip, Overlay, hasHandles } = MODES.find(({ id }) => id === mode) ?? MODES[0];
  if (!draws)
    return (
      <Suspense>
        <NoWebgl />
      </Suspense>
    );
  return (
    <div className="app" data-mode={mode}>
      <TopBar />
      <main className="stage" aria-label="Figure">
        <ErrorBoundary what="The picture">
          <Suspense fallback={null}>{isReady && <Stage Others={ModeScene} />}</Suspense>
          {isReady && hasHandles && <HandleLayer Overlay={Overlay} />}
          <Suspense fallback={null}>{isReady && !hasHandles && Overlay && <Overlay />}</Suspense>
        </ErrorBoundary>
        <ViewBar />
        {hasHandles && <Deselect />}
      </main>
      <div className="side">
        {/* Each mode's from its top */}
        <aside key={mode} className="panel" aria-label="Panel" inert={!isReady}>
          <ErrorBoundary what="The panel">
            <Suspense fallback={null}>
              <Panel />
            </Suspense>
          </ErrorBoundary>
        </aside>
        <section className="notes" aria-label="Notes">
          {hasHandles && <Hints />}
          <Words />
        </section>
      </div>
      {Strip && (
        <footer className="strip" inert={!isReady}>
          <ErrorBoundary key={mode} what="The timeline">
            <Suspense fallback={null}>
              <Strip />
            </Suspense>
          </ErrorBoundary>
        </footer>
      )}
      <ErrorBoundary key={dialog} what="The dialog">
        <Suspense fallback={null}>
          {dialog && <Dialogs />}
          {showsKeys && <HelpSheet />}
        </Suspense>
      </ErrorBoundary>
    </div>
  );
}
