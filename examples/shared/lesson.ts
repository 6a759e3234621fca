import { find, prefersStillness } from './page.js';

const DEGREES = 180 / Math.PI;

/** A number with a true minus sign, never -0. */
export function formatNumber(x: number, digits = 2): string {
  const text = x.toFixed(digits);
  return Number(text) === 0 ? (0).toFixed(digits) : text.replace('-', '−');
}

/** A small number such as 2 × 10⁻¹⁶; 0 as it is. */
export function formatSmall(x: number): string {
  if (x === 0) return '0';
  if (Math.abs(x) >= 0.01 && Math.abs(x) < 1e4) return x.toPrecision(3).replace('-', '−');
  const [digits, exponent] = x.toExponential(1).split('e');
  return `${digits.replace('-', '−')} × 10${superscript(Number(exponent))}`;
}

function superscript(n: number): string {
  return Array.from(String(n), (c) => (c === '-' ? '⁻' : '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(c)])).join('');
}

/** An angle given in rad. */
export function formatDegrees(angle: number, digits = 0): string {
  return `${formatNumber(angle * DEGREES, digits)}°`;
}

/** (x, y, z) */
export function formatVector(v: ArrayLike<number>, digits = 2): string {
  return `(${Array.from(v, (x) => formatNumber(x, digits)).join(', ')})`;
}

/** Writes words to an element, with a tone: `good`, `warn` or none. Screen readers announce only changes. */
export function say(selector: string, words: string, tone = ''): void {
  const element = find(selector);
  element.dataset.tone = tone;
  if (element.textContent !== words) element.textContent = words;
}

/** Says that the page is drawn, for tests to wait on. */
export function setReady(): void {
  document.documentElement.dataset.ready = 'true';
}

/** Plays one animation at a time. */
export interface Player {
  /**
   * Calls back with the share of the duration, s, that has passed, 1 at last: at once where the system asks for less motion. Ends the one
   * that plays.
   */
  start(seconds: number, show: (share: number) => void): void;
  stop(): void;
}

export function createPlayer(): Player {
  let current = 0;
  return {
    start(seconds, show) {
      const own = ++current;
      if (prefersStillness()) {
        show(1);
        return;
      }
      const start = performance.now();
      const frame = (now: number) => {
        if (own !== current) return;
        const share = Math.min(1, Math.max(0, (now - start) / (1000 * seconds)));
        show(share);
        if (share < 1) requestAnimationFrame(frame);
      };
      requestAnimationFrame(frame);
    },
    stop() {
      current++;
    },
  };
}
