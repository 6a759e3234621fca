import { useState } from 'react';
import { usePosing } from '../scene/posing-store.js';
import { session, useStudio } from '../session/store.js';
import { jointWords } from '../session/words.js';
import { type JointNumber, jointNumbers, withNumber } from './joint-numbers.js';

/** The numbers of the selected handle's joint. */
export function JointPanel() {
  const selected = usePosing((posing) => posing.selected);
  const lit = usePosing((posing) => posing.light);
  const { figure, handles, humanoid } = useStudio((studio) => studio.character);
  const bone = handles.find(({ id }) => id === selected)?.bone;
  if (bone === undefined) return null;
  const human = Object.entries(humanoid?.bones ?? {}).find(([, index]) => index === bone)?.[0];
  const joint = human === undefined ? figure.bones[bone].name : jointWords(human);
  return (
    <section
      className="joint"
      aria-labelledby="joint"
      onPointerEnter={() => lit(bone)}
      onPointerLeave={() => lit(undefined)}
    >
      <h3 id="joint">
        {joint} <small>within its limits</small>
      </h3>
      <div className="row">
        {jointNumbers(figure, bone).map((number) => (
          <NumberField key={number.coordinate} joint={joint} number={number} />
        ))}
      </div>
    </section>
  );
}

function NumberField({ joint, number }: { joint: string; number: JointNumber }) {
  const { coordinate, label, scale, unit } = number;
  const value = useStudio((studio) => studio.document.pose[coordinate]);
  const [typed, setTyped] = useState<string | undefined>(undefined);
  const take = (text: string) => {
    setTyped(text);
    const shown = Number(text);
    if (text === '' || !Number.isFinite(shown)) return;
    const pose = withNumber(session.figure, session.pose, number, shown);
    useStudio.getState().keepPose(`Set the ${joint.toLowerCase()}`, pose, { replaces: true });
  };
  return (
    <label>
      <span>
        {label} <small>{unit}</small>
      </span>
      <input
        type="number"
        aria-label={`${joint}: ${label.toLowerCase()}`}
        step={unit === '°' ? 1 : 0.1}
        value={typed ?? (scale * value).toFixed(1)}
        onChange={({ target }) => take(target.value)}
        onBlur={() => setTyped(undefined)}
        onKeyDown={({ key }) => {
          if (key === 'Enter') setTyped(undefined);
        }}
      />
    </label>
  );
}
