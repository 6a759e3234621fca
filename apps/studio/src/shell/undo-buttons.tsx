import { useStudio } from '../session/store.js';

/** Undo and redo, each with what it would do. */
export function UndoButtons() {
  const steps = useStudio((studio) => studio.steps);
  const { undo, redo } = useStudio.getState();
  return (
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
  );
}

function titleOf(name: string, step: string | undefined, keys: string): string {
  return step === undefined ? `Nothing to ${name.toLowerCase()}` : `${name}: ${step} (Ctrl ${keys})`;
}
