import { create } from 'zustand';

/** A record that the browser keeps besides that of this tab. */
export interface KeptWork {
  readonly id: string;
  readonly title: string;
  readonly savedAt: number;
}

/** What is said of files, and of what the browser keeps. */
interface Home {
  /** Whether the document to begin with is there: until then nothing changes it. */
  readonly isReady: boolean;
  /** A word that stays until it is put away: what came back, or why nothing is kept. */
  readonly word: string;
  /** When the document was last kept; undefined where it was not. */
  readonly savedAt: number | undefined;
  /** Why it is not kept; empty where it is. */
  readonly problem: string;
  /** Documents of other tabs and times. */
  readonly others: readonly KeptWork[];
}

export const useHome = create<Home>(() => ({
  isReady: true,
  word: '',
  savedAt: undefined,
  problem: '',
  others: [],
}));

/** Waits for the document to begin with. */
export function whenReady(): Promise<void> {
  if (useHome.getState().isReady) return Promise.resolve();
  return new Promise((resolve) => {
    const stop = useHome.subscribe(({ isReady }) => {
      if (!isReady) return;
      stop();
      resolve();
    });
  });
}
