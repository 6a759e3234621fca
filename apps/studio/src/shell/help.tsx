import { useEffect, useRef } from 'react';
import { useHelp } from '../preferences/help-store.js';

const KEYS: readonly { readonly title: string; readonly rows: readonly (readonly [string[], string])[] }[] = [
  {
    title: 'A handle that has the focus',
    rows: [
      [['Tab', 'Shift Tab'], 'Next handle, handle before'],
      [['←', '→', '↑', '↓'], 'Move it across the view'],
      [['Page Up', 'Page Down'], 'Move it away, towards you'],
      [['R'], 'Select it: the arrow keys turn it, and its limb has a swivel'],
      [['Enter'], 'Pin it, let it go'],
    ],
  },
  {
    title: 'Animate',
    rows: [
      [['Space'], 'Play, pause'],
      [['←', '→'], 'The frame before, the next'],
      [[',', '.'], 'The key before, the next'],
      [['Home', 'End'], 'To the start, to the end'],
      [['K'], 'Key all joints here'],
      [['Ctrl A'], 'Select all keys'],
      [['Ctrl C', 'Ctrl X', 'Ctrl V'], 'Copy, cut, paste'],
      [['Ctrl D', 'Delete'], 'Duplicate, delete'],
    ],
  },
  {
    title: 'A point of a curve that has the focus',
    rows: [
      [['↑', '↓'], 'More or less by a degree, with Shift by ten'],
      [['←', '→'], 'The key before, the next'],
      [['Alt ←', 'Alt →'], 'Earlier or later by a frame'],
      [['Alt ↑', 'Alt ↓'], 'Turn its tangent'],
      [['Enter'], 'Select it, and go to its time'],
    ],
  },
  {
    title: 'View',
    rows: [
      [['1'], 'From the front'],
      [['2'], 'From the side'],
      [['3'], 'From the top'],
      [['0'], 'As at first'],
    ],
  },
  {
    title: 'Let it fall',
    rows: [[['Space'], 'Drop it, bring it back']],
  },
  {
    title: 'Anywhere',
    rows: [
      [['Escape'], 'Put back a drag, else deselect'],
      [['Ctrl Z'], 'Undo'],
      [['Ctrl Shift Z', 'Ctrl Y'], 'Redo'],
      [['Ctrl S'], 'Save the project'],
      [['Ctrl O'], 'Open a file'],
      [['?'], 'This sheet'],
    ],
  },
];

/** All keys in a dialog. */
export function HelpSheet() {
  const { hasSingleKeys, show, setSingleKeys } = useHelp();
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    // Not on what comes last, which a low window scrolls to.
    heading.current?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog ref={dialog} className="sheet keys" aria-labelledby="keys" onClose={() => show(false)}>
      <h2 id="keys" ref={heading} tabIndex={-1}>
        Keyboard
      </h2>
      <div className="maps">
        {KEYS.map(({ title, rows }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {rows.map(([keys, what]) => (
                <div key={what}>
                  <dt>
                    {keys.map((key) => (
                      <kbd key={key}>{key}</kbd>
                    ))}
                  </dt>
                  <dd>{what}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <label className="switch">
        <span>Keys without Ctrl: letters, digits and signs</span>
        <input
          type="checkbox"
          checked={hasSingleKeys}
          onChange={(event) => setSingleKeys(event.target.checked)}
        />
      </label>
      <div className="buttons">
        <button type="button" className="main" onClick={() => show(false)}>
          Close
        </button>
      </div>
    </dialog>
  );
}
