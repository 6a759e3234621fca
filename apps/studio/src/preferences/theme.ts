import { create } from 'zustand';
import { chooseScheme, currentScheme, followSystem, type Scheme, showScheme } from './scheme.js';

/** The scheme of the page. */
export const useTheme = create<{ readonly scheme: Scheme; toggle(): void }>((set, get) => ({
  scheme: 'light',
  toggle: () => {
    const scheme = get().scheme === 'dark' ? 'light' : 'dark';
    chooseScheme(scheme);
    set({ scheme });
  },
}));

/** Takes the scheme of the system or the one chosen, for the whole page. @returns what stops following it. */
export function followTheme(): () => void {
  const take = () => useTheme.setState({ scheme: currentScheme() });
  const show = () => showScheme(useTheme.getState().scheme);
  const stop = useTheme.subscribe(show);
  take();
  show();
  const stopFollowing = followSystem(take);
  return () => {
    stop();
    stopFollowing();
  };
}
