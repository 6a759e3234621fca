import { create } from 'zustand';

/** What has just been done, or why it cannot be: said over the picture until the next press. */
export const useDone = create<{ readonly words: string }>(() => ({ words: '' }));
