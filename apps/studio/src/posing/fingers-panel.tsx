import { useState } from 'react';
import {
  type Finger,
  type FingerPose,
  fingerPose,
  HAND_POSES,
  type HandSide,
  handsOf,
  setFinger,
  withHandPose,
} from '../character/fingers.js';
import { Fold } from '../preferences/fold.js';
import { session, useStudio } from '../session/store.js';

/** Whose fingers a slider moves: both hands as mirror images. */
type Which = HandSide | 'both';

const WHICH: readonly { readonly which: Which; readonly label: string }[] = [
  { which: 'left', label: 'Left' },
  { which: 'both', label: 'Both' },
  { which: 'right', label: 'Right' },
];

/** Curl and spread of each finger, and poses of a whole hand. */
export function FingersPanel() {
  const character = useStudio((studio) => studio.character);
  const pose = useStudio((studio) => studio.document.pose);
  const [chosen, setChosen] = useState<Which>('both');
  const hands = handsOf(character);
  if (hands.length === 0) return null;
  const which: Which = hands.length === 1 ? hands[0].side : chosen;
  const moved = hands.filter(({ side }) => which === 'both' || side === which);
  const whose = hands.length === 1 ? 'hand' : which === 'both' ? 'both hands' : `${which} hand`;
  const { keepPose } = useStudio.getState();
  const move = (name: string, change: Partial<FingerPose>, of: (finger: Finger) => boolean) => {
    const out = Float64Array.from(session.pose);
    for (const { fingers } of moved)
      for (const finger of fingers) if (of(finger)) setFinger(character.figure, out, finger, change);
    const what = 'curl' in change ? 'Curl' : 'Spread';
    keepPose(`${what} ${name} of ${which === 'both' ? '' : 'the '}${whose}`, out, { replaces: true });
  };
  const take = (name: (typeof HAND_POSES)[number]) => {
    let out: ArrayLike<number> = session.pose;
    for (const hand of moved) out = withHandPose(character, out, hand, name);
    keepPose(`${name}: ${whose}`, out);
  };
  const [first] = moved;
  const rows = first.fingers.map((finger) => ({ finger, now: fingerPose(character.figure, pose, finger) }));
  const mean = (key: keyof FingerPose) => rows.reduce((sum, { now }) => sum + now[key], 0) / rows.length;
  return (
    <Fold
      name="fingers"
      title="Fingers"
      note={hands.length > 1 && which === 'both' ? 'both hands alike' : ''}
      className="fingers compact"
    >
      {hands.length > 1 && (
        <fieldset className="row" aria-label="Which hand">
          {WHICH.map(({ which: each, label }) => (
            <button key={each} type="button" aria-pressed={each === which} onClick={() => setChosen(each)}>
              {label}
            </button>
          ))}
        </fieldset>
      )}
      <div className="row">
        {HAND_POSES.map((name) => (
          <button key={name} type="button" onClick={() => take(name)}>
            {name}
          </button>
        ))}
      </div>
      <div className="grid">
        <span />
        <small>Curl</small>
        <small>Spread</small>
        <FingerRow
          label="All"
          now={{ curl: mean('curl'), spread: mean('spread') }}
          move={(change) => move('all fingers', change, ({ name }) => 'spread' in change || name !== 'Thumb')}
        />
        {rows.map(({ finger: { name }, now }) => (
          <FingerRow
            key={name}
            label={name}
            now={now}
            move={(change) =>
              move(
                `the ${name === 'Thumb' ? 'thumb' : `${name.toLowerCase()} finger`}`,
                change,
                (finger) => finger.name === name,
              )
            }
          />
        ))}
      </div>
    </Fold>
  );
}

function FingerRow({
  label,
  now,
  move,
}: {
  label: string;
  now: FingerPose;
  move: (change: Partial<FingerPose>) => void;
}) {
  const slider = (key: keyof FingerPose, min: number) => (
    <input
      type="range"
      aria-label={`${label === 'All' ? 'All fingers' : label}: ${key}`}
      min={min}
      max={1}
      step={0.01}
      value={now[key].toFixed(2)}
      onChange={({ target }) => move({ [key]: Number(target.value) })}
    />
  );
  return (
    <>
      <span>{label}</span>
      {slider('curl', -0.1)}
      {slider('spread', -1)}
    </>
  );
}
