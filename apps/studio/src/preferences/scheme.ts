import { recall, remember } from './memory.js';

export type Scheme = 'light' | 'dark';

const DARK = '(prefers-color-scheme: dark)';

/** Light or dark: as the system says, until one is chosen that it does not say. */
export function currentScheme(): Scheme {
  const chosen = recall('theme');
  return chosen === 'light' || chosen === 'dark' ? chosen : systemScheme();
}

/** Keeps a scheme between visits. */
export function chooseScheme(scheme: Scheme): void {
  remember('theme', scheme === systemScheme() ? undefined : scheme);
}

/** Calls back when the system changes. @returns what stops it. */
export function followSystem(use: () => void): () => void {
  const system = matchMedia(DARK);
  system.addEventListener('change', use);
  return () => system.removeEventListener('change', use);
}

/** Gives the whole page the colours of a scheme. */
export function showScheme(scheme: Scheme): void {
  document.documentElement.dataset.theme = scheme;
}

function systemScheme(): Scheme {
  return matchMedia(DARK).matches ? 'dark' : 'light';
}
