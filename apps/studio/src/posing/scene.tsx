import { usePosing } from '../scene/posing-store.js';
import { lazyPart } from '../session/lazy-component.js';
import { useStudio } from '../session/store.js';
import { shownJoint } from './joints.js';

const JointLimits = lazyPart(
  () => import('./joint-limits.js').then((module) => module.JointLimits),
  'What draws the limits of a joint',
);

/** All limits of the joint that is pointed at, or else of the selected one. */
export function PosingScene() {
  const posing = usePosing();
  const character = useStudio((studio) => studio.character);
  const bone = posing.lit ?? shownJoint(character, posing);
  // What was pointed at may be of another character.
  return bone === undefined || bone >= character.figure.bones.length ? null : <JointLimits bone={bone} />;
}
