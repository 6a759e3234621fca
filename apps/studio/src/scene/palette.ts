import type { Scheme } from '../preferences/scheme.js';

/** Colours of the scene; the background is that of the page (`--paper`). */
export interface Palette {
  readonly background: string;
  /** Lines of the grid every quarter of a metre, and every metre. */
  readonly cell: string;
  readonly section: string;
  readonly shadow: { readonly color: string; readonly opacity: number };
  readonly sky: { readonly above: string; readonly below: string; readonly intensity: number };
  readonly sun: number;
}

export const PALETTES: Readonly<Record<Scheme, Palette>> = {
  light: {
    background: '#eef0f2',
    cell: '#cbd0d7',
    section: '#aeb6c0',
    shadow: { color: '#1f2a3a', opacity: 0.2 },
    sky: { above: '#ffffff', below: '#cfd3d8', intensity: 1.5 },
    sun: 2.1,
  },
  dark: {
    background: '#15191e',
    cell: '#303842',
    section: '#505c6a',
    shadow: { color: '#000000', opacity: 0.5 },
    sky: { above: '#dfe8f5', below: '#3a424c', intensity: 1.1 },
    sun: 1.8,
  },
};
