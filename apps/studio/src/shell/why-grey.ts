import { useHome } from '../home/store.js';

/** Says why a button or switch is grey that a finger presses: its title, which a mouse alone gets to see. @returns what ends it. */
export function takeGreyPresses(): () => void {
  let said = '';
  const press = ({ target, pointerType }: PointerEvent) => {
    const { word } = useHome.getState();
    // What else is said stays until it is put away.
    if (word !== '' && word !== said) return;
    const titled = target instanceof Element ? target.closest<HTMLElement>('[title]') : null;
    const isGrey = pointerType !== 'mouse' && titled?.matches(':disabled, label:has(:disabled)');
    said = (isGrey && titled?.title) || '';
    if (word !== said) useHome.setState({ word: said });
  };
  window.addEventListener('pointerdown', press, true);
  return () => window.removeEventListener('pointerdown', press, true);
}
