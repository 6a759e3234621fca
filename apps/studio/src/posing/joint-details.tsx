import type { LimitComponent } from 'poise/figure';
import { useEffect, useRef, useState } from 'react';
import { changedLimits } from '../character/limits.js';
import { LEARN } from '../preferences/learn.js';
import { usePosing } from '../scene/posing-store.js';
import { session, useStudio } from '../session/store.js';
import {
  type JointEnd,
  type JointNumber,
  jointEnds,
  jointNumbers,
  rangeOf,
  withNumber,
} from './joint-numbers.js';
import type { NamedJoint } from './joints.js';

const RESETS = 'The limits that the character came with';

/** The numbers of a joint, and its limits. */
export function JointDetails({ joint: { bone, label, human } }: { joint: NamedJoint }) {
  const figure = useStudio((studio) => studio.character.figure);
  return (
    <>
      <div className="row">
        {jointNumbers(figure, bone, human).map((number) => (
          <NumberField key={number.coordinate} joint={label} number={number} />
        ))}
      </div>
      <Ends bone={bone} joint={label} human={human} />
    </>
  );
}

/** Why a joint goes no further. */
function Why({ bone }: { bone: number }) {
  const end = useStudio((studio) => studio.view.limits.find((each) => each.bone === bone));
  return (
    <p className="why">
      {end === undefined ? 'It has room. ' : `It goes no further: ${end.words}. `}
      <a href={`${LEARN}lesson-ball-and-socket/`}>Why joints have ends</a>
    </p>
  );
}

function NumberField({ joint, number }: { joint: string; number: JointNumber }) {
  const { coordinate, label, scale, unit } = number;
  const value = useStudio((studio) => studio.document.pose[coordinate]);
  const figure = useStudio((studio) => studio.character.figure);
  const range = rangeOf(figure, coordinate);
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
        value={typed ?? shownNumber(scale * value)}
        onChange={({ target }) => take(target.value)}
        onBlur={() => setTyped(undefined)}
        onKeyDown={({ key }) => {
          if (key === 'Enter') setTyped(undefined);
        }}
      />
      {range && <Track value={value} range={range} />}
    </label>
  );
}

/** To a tenth, and never minus zero. */
function shownNumber(x: number): string {
  return (Math.round(10 * x) / 10 + 0).toFixed(1);
}

/** Where a number is between its ends. */
function Track({ value, range: [min, max] }: { value: number; range: readonly [number, number] }) {
  const share = Math.min(1, Math.max(0, (value - min) / Math.max(max - min, 1e-9)));
  return (
    <span className="track" aria-hidden="true">
      <span style={{ left: `${100 * share}%` }} data-at-end={share < 0.02 || share > 0.98} />
    </span>
  );
}

/** Where the limits of a joint end, by number. */
function Ends({ bone, joint, human }: { bone: number; joint: string; human: string | undefined }) {
  const character = useStudio((studio) => studio.character);
  const { name } = character.figure.bones[bone];
  const components = character.figure.limitComponents.filter(
    (component) => component.bone === bone && component.role !== 'position',
  );
  const details = useRef<HTMLDetailsElement>(null);
  const asksWhy = usePosing((posing) => posing.asksWhy);
  useEffect(() => {
    if (!asksWhy || details.current === null) return;
    details.current.open = true;
    details.current.scrollIntoView({ block: 'nearest' });
    usePosing.setState({ asksWhy: false });
  }, [asksWhy]);
  if (components.length === 0) return null;
  const set = (label: string, limit: Parameters<typeof changedLimits>[2]) =>
    useStudio.getState().setLimits(label, changedLimits(session.character, name, limit), limit !== undefined);
  return (
    <details className="ends" ref={details}>
      <summary>Limits</summary>
      <Why bone={bone} />
      <div className="row">
        {components.flatMap((component: LimitComponent) =>
          jointEnds(character.figure, component, human).map((end) => (
            <EndField
              key={end.label}
              end={end}
              joint={joint}
              take={(value) => {
                const limit = end.set(value);
                if (limit) set(`Set the limit of the ${joint.toLowerCase()}`, limit);
              }}
            />
          )),
        )}
      </div>
      <div className="row">
        <button
          type="button"
          disabled={!character.limits.has(name)}
          title={character.limits.has(name) ? RESETS : 'Its limits are those that it came with'}
          onClick={() => set(`Reset the limits of the ${joint.toLowerCase()}`, undefined)}
        >
          Reset this joint
        </button>
        <button
          type="button"
          disabled={character.limits.size === 0}
          title={character.limits.size > 0 ? RESETS : 'All limits are those that it came with'}
          onClick={() => useStudio.getState().setLimits('Reset the limits of all joints', new Map())}
        >
          Reset all joints
        </button>
      </div>
    </details>
  );
}

/** A number that is taken when it is left: what is typed on the way is no end. */
function EndField({
  end: { label, unit, value },
  joint,
  take,
}: {
  end: JointEnd;
  joint: string;
  take: (value: number) => void;
}) {
  const [typed, setTyped] = useState<string | undefined>(undefined);
  const done = () => {
    if (typed !== undefined && typed !== '' && Number.isFinite(Number(typed))) take(Number(typed));
    setTyped(undefined);
  };
  return (
    <label>
      <span>
        {label} <small>{unit}</small>
      </span>
      <input
        type="number"
        aria-label={`Limit of the ${joint.toLowerCase()}: ${label.toLowerCase()}`}
        value={typed ?? value.toFixed(0)}
        onChange={({ target }) => setTyped(target.value)}
        onBlur={done}
        onKeyDown={({ key }) => {
          if (key === 'Enter') done();
        }}
      />
    </label>
  );
}
