import { FileMenu } from '../home/file-menu.js';
import { useHome } from '../home/store.js';
import { useHelp } from '../preferences/help-store.js';
import { LEARN } from '../preferences/learn.js';
import { useTheme } from '../preferences/theme.js';
import { useStudio } from '../session/store.js';
import { MODES } from './modes.js';

const HISTORY = [
  { name: 'Undo', step: 'undo', keys: 'Z', path: 'M7.5 4.5 4 8l3.5 3.5M4.3 8H12a4 4 0 0 1 0 8H8' },
  { name: 'Redo', step: 'redo', keys: 'Shift Z', path: 'M12.5 4.5 16 8l-3.5 3.5M15.7 8H8a4 4 0 0 0 0 8h4' },
] as const;

/** Name, what is done with the character, undo and redo, light or dark, all keys. */
export function TopBar() {
  const mode = useStudio((studio) => studio.mode);
  const steps = useStudio((studio) => studio.steps);
  const isReady = useHome((home) => home.isReady);
  const { undo, redo, setMode } = useStudio.getState();
  return (
    <header className="top" inert={!isReady}>
      <h1>Poise</h1>
      <FileMenu />
      <nav className="modes" aria-label="What to do">
        {MODES.map(({ id, label }) => (
          <button
            key={id}
            ref={id === mode ? show : undefined}
            type="button"
            aria-pressed={id === mode}
            onClick={() => setMode(id)}
          >
            {label}
          </button>
        ))}
      </nav>
      <a className="learn" href={LEARN} title="Lessons and examples">
        Learn
      </a>
      <fieldset className="undo" aria-label="Undo and redo">
        {HISTORY.map(({ name, step, keys, path }) => (
          <button
            key={name}
            type="button"
            className="icon"
            aria-label={name}
            disabled={steps[step] === undefined}
            title={titleOf(name, steps[step], keys)}
            onClick={step === 'undo' ? undo : redo}
          >
            <svg viewBox="0 0 20 20" aria-hidden="true">
              <path d={path} />
            </svg>
          </button>
        ))}
      </fieldset>
      <div className="tools">
        <ThemeSwitch />
        <button
          type="button"
          className="icon"
          aria-label="Keyboard"
          aria-haspopup="dialog"
          title="Keyboard (?)"
          onClick={() => useHelp.getState().show(true)}
        >
          <svg viewBox="0 0 20 20" aria-hidden="true">
            <path d="M7.4 7.3a2.7 2.7 0 1 1 4.2 2.3c-1 .7-1.6 1.2-1.6 2.4" />
            <circle className="filled" cx="10" cy="15.2" r=".5" />
          </svg>
        </button>
      </div>
    </header>
  );
}

/** In a narrow window modes scroll. */
function show(button: HTMLButtonElement | null): void {
  button?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

function ThemeSwitch() {
  const isDark = useTheme((theme) => theme.scheme === 'dark');
  const toggle = useTheme((theme) => theme.toggle);
  return (
    <button
      type="button"
      className="icon"
      aria-pressed={isDark}
      aria-label="Dark colours"
      title={isDark ? 'Light colours' : 'Dark colours'}
      onClick={toggle}
    >
      <svg viewBox="0 0 20 20" aria-hidden="true">
        <circle cx="10" cy="10" r="6.5" />
        <path className="filled" d="M10 3.5a6.5 6.5 0 0 1 0 13z" />
      </svg>
    </button>
  );
}

function titleOf(name: string, step: string | undefined, keys: string): string {
  return step === undefined ? `Nothing to ${name.toLowerCase()}` : `${name}: ${step} (Ctrl ${keys})`;
}
