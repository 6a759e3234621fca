import type { IkResult } from 'poise/ik';

const WORDS: Readonly<Record<IkResult['status'], readonly [tone: string, text: string]>> = {
  converged: ['good', 'Every goal is met'],
  'out-of-reach': ['far', 'Out of reach: as near as it can be'],
  'limit-blocked': ['warn', 'Held by a limit'],
  stalled: ['warn', 'Stalled'],
  'iteration-limit': ['far', 'Still on the way'],
};

/** An element of the page, by a selector that must find one. */
export function find<T extends Element = HTMLElement>(selector: string): T {
  const element = document.querySelector<T>(selector);
  if (element === null) throw new Error(`The page has no ${selector}.`);
  return element;
}

/** Writes the status of a solve to the page's `#status`, in words and as `data-status`. */
export function showResult({ status, activeLimits }: IkResult): void {
  const [tone, text] = WORDS[status];
  showWords(
    status,
    tone,
    text,
    activeLimits.map(({ bone }) => inWords(bone)),
  );
}

/** Writes a status to the page's `#status`: key, tone, words, and the first three causes. */
export function showWords(status: string, tone: string, text: string, reasons: readonly string[]): void {
  const element = find('#status');
  const all = [...new Set(reasons)];
  const where =
    all.length === 0
      ? ''
      : `: ${all.slice(0, 3).join(', ')}${all.length > 3 ? ` and ${all.length - 3} more` : ''}`;
  const words = `${text}${where}`;
  element.dataset.status = status;
  element.dataset.tone = tone;
  // Only changes: screen readers announce each write.
  if (element.textContent !== words) element.textContent = words;
}

/** Writes a measured value to an element. `value` is for tests, as `data-value`. */
export function showNumber(selector: string, value: number, text: string): void {
  const element = find(selector);
  element.dataset.value = String(value);
  if (element.textContent !== text) element.textContent = text;
}

/** `leftLowerArm`: left lower arm. */
export function inWords(name: string): string {
  return name.replace(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** Calls back with the number of a slider, now and when it changes. */
export function onSlider(selector: string, use: (value: number) => void): HTMLInputElement {
  const input = find<HTMLInputElement>(selector);
  input.addEventListener('input', () => use(input.valueAsNumber));
  use(input.valueAsNumber);
  return input;
}

/** Calls back with the state of a switch, now and when it changes. */
export function onSwitch(selector: string, use: (checked: boolean) => void): HTMLInputElement {
  const input = find<HTMLInputElement>(selector);
  input.addEventListener('change', () => use(input.checked));
  use(input.checked);
  return input;
}

/** Whether less motion is wished for: what moves by itself then begins at rest. */
export function prefersStillness(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches;
}

/** Calls back with the colour of a variable of the page, such as `--paper`: now and when it becomes light or dark. */
export function onColor(variable: string, use: (color: string) => void): void {
  const probe = document.createElement('span');
  probe.hidden = true;
  probe.style.color = `var(${variable})`;
  document.body.append(probe);
  const take = () => use(getComputedStyle(probe).color);
  new MutationObserver(take).observe(document.documentElement, { attributeFilter: ['data-theme'] });
  take();
}
