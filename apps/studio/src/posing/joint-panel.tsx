import { useMemo } from 'react';
import { usePosing } from '../scene/posing-store.js';
import { lazyPart } from '../session/lazy-component.js';
import { useStudio } from '../session/store.js';
import { jointsOf, type NamedJoint, shownJoint } from './joints.js';
import { showJoint } from './show-joint.js';

const JointDetails = lazyPart(
  () => import('./joint-details.js').then((module) => module.JointDetails),
  'The numbers of the joint',
);

/** The selected joint: its numbers, how much room each has, and where its ends are. */
export function JointPanel() {
  const posing = usePosing();
  const character = useStudio((studio) => studio.character);
  const joints = useMemo(() => jointsOf(character), [character]);
  const bone = shownJoint(character, posing);
  const shown = joints.find((each) => each.bone === bone);
  const humans = joints.filter(({ human }) => human !== undefined);
  const others = joints.filter(({ human }) => human === undefined);
  const { light, select } = posing;
  const end = useStudio((studio) => studio.view.limits.find((each) => each.bone === shown?.bone));
  const choose = (value: string) => {
    const chosen = joints.find((each) => String(each.bone) === value);
    if (chosen === undefined) {
      select(undefined);
      return;
    }
    showJoint(chosen.bone);
  };
  return (
    <section
      className="joint compact"
      aria-labelledby="joint"
      onPointerEnter={() => light(bone)}
      onPointerLeave={() => light(undefined)}
    >
      <div className="chosen">
        <h3 id="joint">Joint</h3>
        <select
          aria-label="Joint"
          value={shown === undefined ? '' : String(shown.bone)}
          onChange={({ target }) => choose(target.value)}
        >
          <option value="">None selected</option>
          <Options joints={humans} />
          {humans.length > 0 && others.length > 0 ? (
            <optgroup label="Other bones">
              <Options joints={others} />
            </optgroup>
          ) : (
            <Options joints={others} />
          )}
        </select>
        {shown && <small className={end && 'end'}>{end ? 'at its end' : 'within its limits'}</small>}
      </div>
      {shown && <JointDetails joint={shown} />}
    </section>
  );
}

function Options({ joints }: { joints: readonly NamedJoint[] }) {
  return joints.map(({ bone, label }) => (
    <option key={bone} value={String(bone)}>
      {label}
    </option>
  ));
}
