import { lazy, Suspense, useEffect } from 'react';
import { useDone } from '../live/done.js';
import { GROUNDS } from '../scene/ground.js';
import { useStudio } from '../session/store.js';
import './fall.css';
import { falling, type Phase, useFall } from './falling.js';
import { limbsOf } from './limbs.js';
import { saveFall } from './save-fall.js';

const EnergyPlot = lazy(() => import('./energy-plot.js').then((module) => ({ default: module.EnergyPlot })));

const WORDS: Readonly<
  Record<Phase, { readonly title: string; readonly says: string; readonly tone: string }>
> = {
  ready: { title: 'Ready', says: 'Drop it, click it to push it, or drag a limb.', tone: 'idle' },
  falls: { title: 'Moves', says: 'Click the body to push it, drag a limb to pull it.', tone: 'idle' },
  held: { title: 'Held', says: 'Let go, and it falls.', tone: 'far' },
  rests: {
    title: 'At rest',
    says: 'Keep what lies there as a pose, push it, or bring it back.',
    tone: 'good',
  },
};

/** Sides of the picture, and directions in the scene of a push from there. */
const SIDES = [
  { label: 'left', direction: [1, 0, 0] },
  { label: 'right', direction: [-1, 0, 0] },
  { label: 'front', direction: [0, 0, -1] },
  { label: 'back', direction: [0, 0, 1] },
] as const;

export function FallPanel() {
  useEffect(takeSpace, []);
  const phase = useFall((fall) => fall.phase);
  const problem = useFall((fall) => fall.problem);
  const { title, says, tone } = WORDS[phase];
  return (
    <div className="fall">
      {problem ? (
        <section className="status" data-tone="warn" data-phase="none" role="alert">
          <h2>
            <span className="dot" />
            This character cannot fall
          </h2>
          <p>{problem}</p>
        </section>
      ) : (
        <section className="status" data-tone={tone} data-phase={phase} aria-live="polite">
          <h2>
            <span className="dot" />
            {title}
          </h2>
          <p>{says}</p>
        </section>
      )}
      <button
        type="button"
        className="drop"
        disabled={problem !== ''}
        aria-keyshortcuts="Space"
        onClick={() => falling.toggle()}
      >
        {phase === 'ready' ? 'Drop' : 'Bring it back'} <kbd>Space</kbd>
      </button>
      <Grounds />
      <Limbs />
      <Pushes />
      <Drives />
      <section aria-labelledby="energy">
        <h3 id="energy">Energy</h3>
        <Suspense fallback={<div className="energy-plot" />}>
          <EnergyPlot />
        </Suspense>
      </section>
      <Keeps />
    </div>
  );
}

/** Space drops and brings back, unless it belongs to what has the focus. */
function takeSpace(): () => void {
  const isOurs = ({ code, target, ctrlKey, metaKey, altKey }: KeyboardEvent) => {
    if (code !== 'Space' || ctrlKey || metaKey || altKey) return false;
    const control =
      target instanceof Element
        ? // Of a ground that is chosen and of a slider it does nothing.
          target.closest('button, input:not([type=radio]:checked, [type=range]), select, textarea, a')
        : null;
    // The button that chose this mode has done its work.
    return control === null || control.closest('.modes') !== null;
  };
  const down = (event: KeyboardEvent) => {
    if (!isOurs(event)) return;
    event.preventDefault();
    if (!event.repeat) falling.toggle();
  };
  const up = (event: KeyboardEvent) => {
    if (isOurs(event)) event.preventDefault();
  };
  window.addEventListener('keydown', down);
  window.addEventListener('keyup', up);
  return () => {
    window.removeEventListener('keydown', down);
    window.removeEventListener('keyup', up);
  };
}

function Grounds() {
  const ground = useFall((fall) => fall.ground);
  const isFree = useFall((fall) => fall.isFree);
  return (
    <fieldset className="choice" disabled={!isFree}>
      <legend>Ground</legend>
      <div className="segments">
        {GROUNDS.map(({ id, label }) => (
          <label key={id}>
            <input
              type="radio"
              name="ground"
              checked={isFree ? id === ground : id === 'flat'}
              onChange={() => falling.set({ ground: id })}
            />
            <span>{label}</span>
          </label>
        ))}
      </div>
      {!isFree && <p className="none">What hangs in the air has the flat floor alone.</p>}
    </fieldset>
  );
}

function Limbs() {
  const below = useFall((fall) => fall.below);
  const character = useStudio((studio) => studio.character);
  return (
    <label className="line">
      <span>What falls</span>
      <select
        value={below ?? ''}
        onChange={({ target: { value } }) => falling.set({ below: value === '' ? undefined : Number(value) })}
      >
        <option value="">The whole body</option>
        {limbsOf(character).map(({ bone, label }) => (
          <option key={bone} value={bone}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}

function Pushes() {
  return (
    <fieldset className="choice">
      <legend>Push from the</legend>
      <div className="row">
        {SIDES.map(({ label, direction }) => (
          <button
            key={label}
            type="button"
            aria-label={`Push from the ${label}`}
            onClick={() => falling.push(direction)}
          >
            {label}
          </button>
        ))}
      </div>
    </fieldset>
  );
}

function Drives() {
  const strength = useFall((fall) => fall.strength);
  const balances = useFall((fall) => fall.balances);
  const isFree = useFall((fall) => fall.isFree);
  const isSlow = useFall((fall) => fall.isSlow);
  const follows = useFall((fall) => fall.follows && fall.hasClip);
  const hasClip = useFall((fall) => fall.hasClip);
  return (
    <section aria-labelledby="muscles">
      <h3 id="muscles">
        Muscles <small>{follows ? 'follow the clip' : 'hold the pose'}</small>
      </h3>
      <label className="slider">
        <span>Strength</span>
        <input
          type="range"
          min={0}
          max={1}
          step={0.05}
          value={strength}
          onChange={({ target }) => falling.set({ strength: Number(target.value) })}
        />
        <output>{strength === 0 ? 'limp' : `${Math.round(100 * strength)} %`}</output>
      </label>
      <label className="switch" title={hasClip ? undefined : 'Key poses in Animate first'}>
        <span>Follow the clip</span>
        <input
          type="checkbox"
          checked={follows}
          disabled={!hasClip}
          onChange={({ target }) => falling.follow(target.checked)}
        />
      </label>
      <label
        className="switch"
        title={
          !isFree
            ? 'It hangs in the air as it is'
            : strength === 0
              ? 'Give the muscles some strength first'
              : 'Holds the body up from outside, so that it can walk'
        }
      >
        <span>Keep upright</span>
        <input
          type="checkbox"
          checked={balances}
          disabled={!isFree || strength === 0}
          onChange={({ target }) => falling.set({ balances: target.checked })}
        />
      </label>
      <label className="switch">
        <span>Slow motion</span>
        <input
          type="checkbox"
          checked={isSlow}
          onChange={({ target }) => falling.set({ isSlow: target.checked })}
        />
      </label>
    </section>
  );
}

function Keeps() {
  const isReady = useFall((fall) => fall.phase === 'ready');
  const title = (words: string) => (isReady ? 'Drop it first' : words);
  const say = (words: string) => useDone.setState({ words });
  const keep = () => {
    const isFlat = useFall.getState().ground === 'flat';
    falling.keep();
    say(
      `It is the pose of the character.${isFlat ? '' : ' Poses stand on a flat floor: so is the ground now.'}`,
    );
  };
  const save = async (kind: 'glb' | 'bvh') => {
    const { fall } = falling;
    if (fall === undefined) return;
    const { character } = useStudio.getState();
    const name = await saveFall(kind, fall, character);
    if (name !== undefined) say(`Saved ${name}`);
  };
  return (
    <section className="keeps" aria-label="Keep or save">
      <button
        type="button"
        className="main"
        disabled={isReady}
        title={title('It is the pose of the character then, as one step of undo')}
        onClick={keep}
      >
        Keep this pose
      </button>
      <button
        type="button"
        disabled={isReady}
        title={title('The fall so far as the clip, in Animate')}
        onClick={() => void falling.record()}
      >
        Record as keys
      </button>
      <div className="row">
        <button
          type="button"
          disabled={isReady}
          title={title('The character with the fall as its animation')}
          onClick={() => void save('glb')}
        >
          Save as GLB
        </button>
        <button
          type="button"
          disabled={isReady}
          title={title('The skeleton with the fall as its motion')}
          onClick={() => void save('bvh')}
        >
          Save as BVH
        </button>
      </div>
    </section>
  );
}
