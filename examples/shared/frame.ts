/** Behaviour of what is around every page: light or dark, its code, and words where nothing can be drawn. Runs before the page. */
import { chooseScheme, currentScheme, followSystem, showScheme } from '@poise/studio/scheme';
import { find, prefersStillness } from './page.js';

/** Time for which the button says that it has copied, ms. */
const SAID = 1500;

const scheme = find<HTMLButtonElement>('#scheme');
function takeScheme(): void {
  const current = currentScheme();
  showScheme(current);
  scheme.setAttribute('aria-pressed', String(current === 'dark'));
  scheme.title = current === 'dark' ? 'Light colours' : 'Dark colours';
}
scheme.addEventListener('click', () => {
  chooseScheme(currentScheme() === 'dark' ? 'light' : 'dark');
  takeScheme();
});
followSystem(takeScheme);
takeScheme();

/** Sources of all pages, each loaded when it is asked for. */
const sources = import.meta.glob<string>('../*/main.ts', { query: '?raw', import: 'default' });

const open = document.querySelector<HTMLButtonElement>('#view-code');
let drawer: HTMLElement | undefined;
open?.addEventListener('click', () => {
  if (drawer === undefined) {
    drawer = createDrawer(open.dataset.page ?? '');
    open.parentElement?.after(drawer);
  } else drawer.hidden = !drawer.hidden;
  open.setAttribute('aria-expanded', String(!drawer.hidden));
});

function createDrawer(page: string): HTMLElement {
  const made = document.createElement('aside');
  made.className = 'code';
  made.setAttribute('aria-labelledby', 'code');
  const head = document.createElement('div');
  const title = document.createElement('h2');
  title.id = 'code';
  title.textContent = `examples/${page}/main.ts`;
  const code = document.createElement('pre');
  // It scrolls by keyboard too.
  code.tabIndex = 0;
  code.setAttribute('aria-labelledby', 'code');
  code.setAttribute('role', 'region');
  code.textContent = 'Loading';
  const close = () => {
    made.hidden = true;
    open?.setAttribute('aria-expanded', 'false');
    open?.focus();
  };
  head.append(title, createButton('Copy', copy), createButton('Close', close));
  made.append(head, code);
  window.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape' && !made.hidden) close();
  });
  const source = sources[`../${page}/main.ts`]?.() ?? Promise.reject(new Error('This page has no script.'));
  source.then(
    (text) => {
      code.textContent = text;
    },
    (error) => {
      code.textContent = `The code could not be loaded: ${error instanceof Error ? error.message : error}`;
    },
  );

  async function copy({ currentTarget }: Event): Promise<void> {
    const button = currentTarget as HTMLButtonElement;
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = 'Copied';
    } catch {
      // Refused: it is selected instead.
      window.getSelection()?.selectAllChildren(code);
      button.textContent = 'Selected';
    }
    setTimeout(() => {
      button.textContent = 'Copy';
    }, SAID);
  }
  return made;
}

function createButton(label: string, act: (event: Event) => void): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = label;
  button.addEventListener('click', act);
  return button;
}

// What scrolls does so by keyboard too.
for (const section of document.querySelectorAll<HTMLElement>('section')) {
  const { overflowX, overflowY } = getComputedStyle(section);
  if (overflowX === 'auto' || overflowY === 'auto') section.tabIndex = 0;
}

// What moves by itself does not where less motion is wished for, until it is switched on.
if (prefersStillness()) {
  for (const input of document.querySelectorAll<HTMLInputElement>('input[data-motion]')) {
    if (input.type === 'range') input.value = input.min;
    else input.checked = false;
  }
}
