import { usePosing } from '../scene/posing-store.js';

/** Selects the joint above a bone, and shows its numbers and limits. @param why - Opens the limits, which say why it goes no further. */
export function showJoint(bone: number, why = false): void {
  usePosing.getState().selectJoint(bone, why);
  requestAnimationFrame(() => {
    const panel = document.querySelector('.joint');
    panel?.querySelector<HTMLElement>('select')?.focus({ preventScroll: true });
    panel?.scrollIntoView({ block: 'nearest' });
  });
}
