import './physical.css';
import { useEffect, useState } from 'react';
import { hasKeys } from '../animate/clip/clip.js';
import { timeline } from '../animate/timeline.js';
import { useStudio } from '../session/store.js';
import { heightOf } from './arc.js';
import { MOST_KEYS, type Outcome, physical, usePhysical } from './physical.js';
import { hasPresets, PRESETS } from './presets.js';
import { nearestOf } from './span.js';
import { lockedWords, millimetres, percent, seconds } from './words.js';

/** What is made physical, what came of it, and what to do with it. */
export function Panel() {
  useEffect(takeSpace, []);
  const phase = usePhysical((state) => state.phase);
  return (
    <div className="physical">
      <Status />
      {phase === 'ready' && <Begin />}
      {phase === 'works' && (
        <div className="buttons">
          <KeepSoFar />
          <button type="button" onClick={() => physical.cancel()}>
            Cancel
          </button>
        </div>
      )}
      {phase === 'done' && (
        <div className="buttons">
          <button type="button" className="main" onClick={() => physical.accept()}>
            Accept
          </button>
          <button type="button" onClick={() => physical.cancel()}>
            Cancel
          </button>
        </div>
      )}
      <Numbers />
      <Holds />
      <Air />
      <Presets />
    </div>
  );
}

function KeepSoFar() {
  const canKeep = usePhysical((state) => state.canKeep);
  return (
    <button
      type="button"
      disabled={!canKeep}
      title={canKeep ? 'Ends it with the motion so far' : 'Nothing has come yet'}
      onClick={() => physical.keep()}
    >
      Keep what there is
    </button>
  );
}

/** Space plays, unless it belongs to what has the focus. */
function takeSpace(): () => void {
  const press = (event: KeyboardEvent) => {
    if (event.code !== 'Space' || event.ctrlKey || event.metaKey || event.altKey) return;
    const { target } = event;
    const control =
      target instanceof Element ? target.closest('button, input, select, textarea, a, summary') : null;
    // The button that chose this mode has done its work.
    if (control !== null && control.closest('.modes') === null) return;
    event.preventDefault();
    physical.togglePlay();
  };
  const up = (event: KeyboardEvent) => {
    if (event.code === 'Space' && event.target instanceof Element && event.target.closest('.modes') !== null)
      event.preventDefault();
  };
  window.addEventListener('keydown', press);
  window.addEventListener('keyup', up);
  return () => {
    window.removeEventListener('keydown', press);
    window.removeEventListener('keyup', up);
  };
}

function Status() {
  const { phase, label, says, fits, outcome, problem, details } = usePhysical();
  usePhysical((state) => state.version);
  useStudio((studio) => studio.document);
  const obstacle = physical.obstacle();
  if (problem !== '')
    return (
      <Card tone="warn" phase="problem" title="It did not work out">
        <p role="alert">{problem}</p>
        {details !== '' && (
          <details>
            <summary>In the words of the solver</summary>
            <p>{details}</p>
          </details>
        )}
      </Card>
    );
  if (phase === 'works')
    return (
      <Card tone="far" phase="works" title={label}>
        <p aria-live="polite">{says}</p>
        <progress aria-label="How far it fits" max={1} {...(fits !== undefined && { value: fits })} />
      </Card>
    );
  if (phase === 'done' && outcome !== undefined)
    return (
      <Card tone={outcome.words.tone} phase="done" title={outcome.words.title}>
        <p role="status">{outcome.words.says}</p>
      </Card>
    );
  if (obstacle !== '')
    return (
      <Card tone="idle" phase="obstacle" title="Not yet">
        <p>
          {obstacle}
          {!hasKeys(physical.given) && (
            <>
              {' '}
              <button type="button" className="link" onClick={() => useStudio.getState().setMode('animate')}>
                Go there
              </button>
            </>
          )}
        </p>
      </Card>
    );
  return (
    <Card tone="idle" phase="ready" title="Ready">
      <p>Choose below the picture what must hold: part, keys, and feet on the floor.</p>
    </Card>
  );
}

interface CardProps {
  readonly tone: string;
  readonly phase: string;
  readonly title: string;
  readonly children: React.ReactNode;
}

function Card({ tone, phase, title, children }: CardProps) {
  return (
    <section className="status" data-tone={tone} data-phase={phase}>
      <h2>
        <span className="dot" />
        {title}
      </h2>
      {children}
    </section>
  );
}

function Begin() {
  useStudio((studio) => studio.document);
  usePhysical((state) => state.part);
  usePhysical((state) => state.version);
  const isOff = physical.obstacle() !== '';
  const touches = usePhysical(({ off }) => physical.feet().some(({ id }) => !off.has(id)));
  return (
    <div className="begin">
      <div className="buttons">
        <button
          type="button"
          className="main"
          disabled={isOff}
          title="The motion of least effort through the keys, as weight and feet allow"
          onClick={() => physical.make()}
        >
          Make it physical
        </button>
        <button
          type="button"
          disabled={isOff || !touches}
          title={
            touches
              ? 'The motion nearest to the clip whose feet stay where they stand'
              : 'Switch a contact on first'
          }
          onClick={() => physical.clean()}
        >
          Clean the feet
        </button>
      </div>
      {!isOff && !touches && physical.body?.isFree && (
        <p className="none">
          Nothing touches the floor in this part: it would fly. A walk on the spot needs its way first.
        </p>
      )}
    </div>
  );
}

function Holds() {
  usePhysical((state) => state.freeKeys);
  const phase = usePhysical((state) => state.phase);
  const areExact = usePhysical((state) => state.areExact);
  const showsGhost = usePhysical((state) => state.showsGhost);
  const part = usePhysical((state) => state.part);
  usePhysical((state) => state.version);
  useStudio((studio) => studio.document);
  if (phase !== 'ready') return physical.before && <Ghost isOn={showsGhost} />;
  if (physical.obstacle() !== '' && part === undefined) return null;
  const locked = physical.body ? lockedWords(physical.body) : '';
  return (
    <section aria-labelledby="holds">
      <h3 id="holds">What must hold</h3>
      <label className="switch">
        <span>Joints exactly as keyed</span>
        <input
          type="checkbox"
          checked={areExact && !physical.hasManyKeys}
          disabled={physical.hasManyKeys}
          onChange={({ target }) => usePhysical.setState({ areExact: target.checked })}
        />
      </label>
      {physical.hasManyKeys && <p className="none">So many keys are a motion: the nearest to it is found.</p>}
      {locked !== '' && <p className="none">{locked}</p>}
      {physical.ownKeys().length > MOST_KEYS && <KeyHere />}
      <label className="switch">
        <span>The whole clip</span>
        <input
          type="checkbox"
          checked={part === undefined}
          onChange={({ target }) => physical.choose(target.checked ? undefined : physical.chosenSpan())}
        />
      </label>
    </section>
  );
}

/** Lets the key go that is nearest to the time shown, where there are too many to press. */
function KeyHere() {
  const freeKeys = usePhysical((state) => state.freeKeys);
  const [key, setKey] = useState<number | undefined>(undefined);
  const part = usePhysical((state) => state.part);
  const clip = useStudio(({ document }) => document.clip);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another part or clip has other keys.
  useEffect(() => {
    // The time changes every frame, these do not.
    const keys = physical.innerKeys();
    return timeline.listen((time) => setKey(nearestOf(keys, time)));
  }, [part, clip]);
  const freed = physical.freedKeys().length;
  return (
    <div className="buttons compact">
      <button
        type="button"
        disabled={key === undefined}
        title="Of the time shown: go to another below the picture"
        onClick={() => key !== undefined && physical.toggleKey(key)}
      >
        {key !== undefined && freeKeys.has(key) ? 'Hold' : 'Let go of'} the key
        {key !== undefined && ` at ${seconds(key)}`}
      </button>
      <button type="button" disabled={freed === 0} onClick={() => physical.keepAllKeys()}>
        Hold all
      </button>
    </div>
  );
}

function Ghost({ isOn }: { isOn: boolean }) {
  return (
    <label className="switch">
      <span>Show what was</span>
      <input
        type="checkbox"
        checked={isOn}
        onChange={({ target }) => {
          usePhysical.setState({ showsGhost: target.checked });
          physical.draw();
        }}
      />
    </label>
  );
}

/** The numbers of the outcome, and of what is written as keys. */
function Numbers() {
  const outcome = usePhysical((state) => state.outcome);
  const phase = usePhysical((state) => state.phase);
  if (phase !== 'done' || outcome === undefined) return null;
  return (
    <section aria-labelledby="numbers">
      <h3 id="numbers">How true it is</h3>
      <dl className="facts">
        {rowsOf(outcome).map(([what, value]) => (
          <div key={what}>
            <dt>{what}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function rowsOf({ force, soles, sliding, deviation, keys }: Outcome): (readonly [string, string])[] {
  const rows: (readonly [string, string])[] = [];
  if (force !== undefined) rows.push(['Force from nowhere', `${percent(force)} of weight`]);
  if (soles !== undefined) rows.push(['Soles, between moments', millimetres(soles)]);
  if (sliding?.before !== undefined) rows.push(['Feet slid before', millimetres(sliding.before)]);
  if (sliding !== undefined) rows.push(['Feet slide now', millimetres(sliding.after)]);
  rows.push([`As ${keys} keys, off by`, millimetres(deviation)]);
  return rows;
}

/** Times in the air, and how high they carry. */
function Air() {
  const phase = usePhysical((state) => state.phase);
  usePhysical((state) => state.off);
  usePhysical((state) => state.part);
  usePhysical((state) => state.version);
  useStudio((studio) => studio.document);
  const unit = physical.body?.unit ?? 1;
  const arcs = physical.arcs();
  if (phase === 'works' || arcs.length === 0) return null;
  return (
    <section aria-labelledby="air">
      <h3 id="air">In the air</h3>
      {arcs.map((arc) => {
        const { from, to } = arc.span;
        return (
          <p key={from}>
            {seconds(to - from)} from {seconds(from)}: rises by {Math.round((100 * heightOf(arc)) / unit)} cm.
          </p>
        );
      })}
      {phase === 'ready' && <p className="none">Drag the top of the arc: keys after it move.</p>}
    </section>
  );
}

function Presets() {
  const phase = usePhysical((state) => state.phase);
  const character = useStudio((studio) => studio.character);
  if (phase !== 'ready') return null;
  return (
    <section aria-labelledby="presets">
      <h3 id="presets">
        Find a motion <small>from the feet alone</small>
      </h3>
      {!hasPresets(character) ? (
        <p className="none">A jump, a backflip and a jump over a box: of the built-in human alone.</p>
      ) : (
        <div className="buttons">
          {PRESETS.map(({ id, label, says }) => (
            <button key={id} type="button" title={says} onClick={() => physical.find(id)}>
              {label}
            </button>
          ))}
        </div>
      )}
    </section>
  );
}
