import { useDone } from '../live/done.js';

/** Says why a button or switch is grey that a finger presses: its title, which a mouse alone gets to see. @returns what ends it. */
export function takeGreyPresses(): () => void {
  const press = ({ target, pointerType }: PointerEvent) => {
    const titled = target instanceof Element ? target.closest<HTMLElement>('[title]') : null;
    const isGrey = pointerType !== 'mouse' && titled?.matches(':disabled, label:has(:disabled)');
    const words = (isGrey && titled?.title) || '';
    if (words !== useDone.getState().words) useDone.setState({ words });
  };
  window.addEventListener('pointerdown', press, true);
  return () => window.removeEventListener('pointerdown', press, true);
}
