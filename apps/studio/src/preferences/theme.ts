import { create } from 'zustand';
import { recall, remember } from './memory.js';

export type Scheme = 'light' | 'dark';

/** Light or dark: as the system says, until one is chosen that it does not say. */
export const useTheme = create<{ readonly scheme: Scheme; toggle(): void }>((set, get) => ({
  scheme: 'light',
  toggle: () => {
    const scheme = get().scheme === 'dark' ? 'light' : 'dark';
    remember('theme', scheme === systemScheme() ? undefined : scheme);
    set({ scheme });
  },
}));

/** Takes the scheme of the system or the one chosen, for the whole page. @returns what stops following it. */
export function followTheme(): () => void {
  const system = matchMedia(DARK);
  const take = () => {
    const chosen = recall('theme');
    useTheme.setState({ scheme: chosen === 'light' || chosen === 'dark' ? chosen : systemScheme() });
  };
  const show = () => {
    document.documentElement.dataset.theme = useTheme.getState().scheme;
  };
  const stop = useTheme.subscribe(show);
  take();
  show();
  system.addEventListener('change', take);
  return () => {
    stop();
    system.removeEventListener('change', take);
  };
}

const DARK = '(prefers-color-scheme: dark)';

function systemScheme(): Scheme {
  return matchMedia(DARK).matches ? 'dark' : 'light';
}
