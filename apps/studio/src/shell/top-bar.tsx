import { useStudio } from '../session/store.js';
import { MODES } from './modes.js';

/** Name, what is done with the character, undo and redo. */
export function TopBar() {
  const mode = useStudio((studio) => studio.mode);
  const steps = useStudio((studio) => studio.steps);
  const { undo, redo, setMode } = useStudio.getState();
  return (
    <header className="top">
      <h1>Poise</h1>
      <nav className="modes" aria-label="What to do">
        {MODES.map(({ id, label }) => (
          <button key={id} type="button" aria-pressed={id === mode} onClick={() => setMode(id)}>
            {label}
          </button>
        ))}
      </nav>
      <div className="undo" role="toolbar" aria-label="Undo and redo">
        <button
          type="button"
          disabled={steps.undo === undefined}
          title={titleOf('Undo', steps.undo, 'Z')}
          onClick={undo}
        >
          Undo
        </button>
        <button
          type="button"
          disabled={steps.redo === undefined}
          title={titleOf('Redo', steps.redo, 'Shift Z')}
          onClick={redo}
        >
          Redo
        </button>
      </div>
    </header>
  );
}

function titleOf(name: string, step: string | undefined, keys: string): string {
  return step === undefined ? `Nothing to ${name.toLowerCase()}` : `${name}: ${step} (Ctrl ${keys})`;
}
