import { useEffect } from 'react';
import { Panel } from './panel/panel.js';
import { HandleLayer } from './scene/handle-layer.js';
import { Stage } from './scene/stage.js';
import { takeShortcuts } from './shell/shortcuts.js';
import { UndoButtons } from './shell/undo-buttons.js';

export function App() {
  useEffect(takeShortcuts, []);
  return (
    <div className="app">
      <main className="stage">
        <Stage />
        <HandleLayer />
        <header className="title">
          <h1>Poise</h1>
          <p>
            <span>Drag a ring and the body follows.</span>
            <span className="more">Double-click pins it. Drag beside the body to look around.</span>
          </p>
        </header>
        <UndoButtons />
      </main>
      <Panel />
    </div>
  );
}
