import { useState } from 'react';
import { HEIGHTS } from '../character/character.js';
import type { Holds } from '../character/handles.js';
import { MapSection } from '../map/map-section.js';
import '../posing/posing.css';
import { loadApart, loadGaze } from '../posing/constraint-loader.js';
import { JointPanel } from '../posing/joint-panel.js';
import { PoseLibrary } from '../posing/pose-library.js';
import { showJoint } from '../posing/show-joint.js';
import { Fold } from '../preferences/fold.js';
import { usePosing } from '../scene/posing-store.js';
import { lazyPart } from '../session/lazy-component.js';
import { session, useStudio } from '../session/store.js';
import { HOLDS_WORDS } from '../session/words.js';
import { CharacterMenu } from './character-menu.js';

const FingersPanel = lazyPart(
  () => import('../posing/fingers-panel.js').then((module) => module.FingersPanel),
  'The sliders of the fingers',
);

/** Distance from balance that nobody sees, mm. */
const BALANCED = 1;
/** Angle from what is looked at that nobody sees, degrees. */
const SEEN = 2;

/** Length of a name that half a row is too short for. */
const LONG = 16;

export function Panel() {
  return (
    <div className="pose-panel">
      <Status />
      <div className="middle">
        <JointPanel />
        <Joints />
        <Standing />
        <Pins />
        <Fingers />
        <PoseLibrary />
        <MapSection />
        <Timing />
      </div>
      <Controls />
    </div>
  );
}

function Status() {
  const status = useStudio((studio) => studio.view.status);
  const title = useStudio((studio) => studio.view.words.title);
  const says = useStudio((studio) => studio.view.words.says);
  const tone = useStudio((studio) => studio.view.words.tone);
  const stopped = useStudio((studio) => studio.stopped);
  // Where pins hold, and what was dragged is not where it was dragged to.
  const isShort = stopped !== undefined && tone === 'good';
  return (
    <section
      className="status"
      data-tone={isShort ? 'far' : tone}
      data-status={status}
      aria-live="polite"
      aria-labelledby="status"
    >
      <h2 id="status">
        <span className="dot" />
        {isShort ? 'As far as it goes' : title}
      </h2>
      <p>
        {says}
        {stopped && (
          <>
            {' '}
            {stopped.words}{' '}
            <button type="button" className="link" onClick={() => showJoint(stopped.bone, true)}>
              Show why
            </button>
          </>
        )}
      </p>
    </section>
  );
}

function Pins() {
  const goals = useStudio((studio) => studio.view.goals);
  const stands = useStudio((studio) => studio.character.pins);
  const { togglePin, pin } = useStudio.getState();
  // What stands first, then the middle, then left beside right.
  const rank = ({ id, label }: (typeof goals)[number]) =>
    stands.includes(id) ? 0 : sideOf(label) === undefined ? 1 : 2;
  return (
    <Fold name="pins" title="Pins" note="hold a part where it is" className="list pins">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls is reached by the keyboard. */}
      <ul className="goals" tabIndex={0} aria-labelledby="pins">
        {[...goals]
          .sort((a, b) => rank(a) - rank(b))
          .map(({ id, label, holds, rotates, dragged, millimetres, degrees }) => (
            <li
              key={id}
              data-goal={id}
              data-side={sideOf(label)}
              data-long={label.length > LONG}
              data-pinned={holds !== undefined}
              data-dragged={dragged}
            >
              <button
                type="button"
                aria-pressed={holds !== undefined}
                aria-label={`Pin ${label.toLowerCase()}`}
                title={holds === undefined ? 'Hold it where it is' : 'Let it go'}
                onClick={() => togglePin(id)}
              >
                <PinIcon />
              </button>
              <span className="label" title={label}>
                {label}
              </span>
              {holds !== undefined && rotates && (
                <select
                  aria-label={`What the pin of the ${label.toLowerCase()} holds`}
                  title="What it holds: the place, the rotation, or both"
                  value={holds}
                  onChange={({ target }) => pin(id, target.value as Holds)}
                >
                  {Object.entries(HOLDS_WORDS).map(([each, words]) => (
                    <option key={each} value={each}>
                      {words}
                    </option>
                  ))}
                </select>
              )}
              <output title="How far it still is from where it is held or pulled">
                {shownLeft(millimetres, degrees)}
              </output>
            </li>
          ))}
      </ul>
    </Fold>
  );
}

/** The column of a part. */
function sideOf(label: string): string | undefined {
  return label.match(/^(Left|Right) /)?.[1];
}

/** Sliders of fingers, for what has some. */
function Fingers() {
  const bones = useStudio((studio) => studio.character.bones);
  return Object.keys(bones).some((name) => name.endsWith('Proximal')) ? <FingersPanel /> : null;
}

/** What a human stands by, the floor and its balance, and where it looks. */
function Standing() {
  const contacts = useStudio((studio) => studio.character.contacts);
  const ground = useStudio((studio) => studio.view.ground);
  const balance = useStudio((studio) => studio.view.balance);
  const left = useStudio((studio) => studio.view.balanceMillimetres);
  const apart = useStudio((studio) => studio.view.apart);
  const looks = useStudio((studio) => studio.view.looks);
  const off = useStudio((studio) => studio.view.gazeDegrees);
  const { setGround, setBalance, setApart, setLooks } = useStudio.getState();
  if (contacts === undefined) return null;
  return (
    <Fold name="standing" title="Floor, balance, gaze" className="standing">
      <label className="switch">
        <span>Keep above the floor</span>
        <input type="checkbox" checked={ground} onChange={({ target }) => setGround(target.checked)} />
      </label>
      {contacts.massive && (
        <label className="switch">
          <span>Keep the balance</span>
          <small>{left !== undefined && left > BALANCED ? `${left.toFixed(0)} mm off` : ''}</small>
          <input type="checkbox" checked={balance} onChange={({ target }) => setBalance(target.checked)} />
        </label>
      )}
      <LoadedSwitch
        label="Keep hands off the body"
        note={apart && !session.hasSelfDistance ? 'no arms or trunk found' : ''}
        isOn={apart}
        load={loadApart}
        what="What keeps hands off the body"
        set={setApart}
      />
      {session.canLook && (
        <LoadedSwitch
          label="Look at a point"
          note={off !== undefined && off > SEEN ? `${off.toFixed(0)}° short` : ''}
          isOn={looks}
          load={loadGaze}
          what="What turns the head"
          set={setLooks}
        />
      )}
    </Fold>
  );
}

/** A switch of something that is loaded when it is first used. */
function LoadedSwitch({
  label,
  note,
  isOn,
  load,
  what,
  set,
}: {
  label: string;
  note: string;
  isOn: boolean;
  load: () => Promise<void>;
  /** As a sentence begins with it. */
  what: string;
  set: (isOn: boolean) => void;
}) {
  /** While it is loaded. */
  const [wanted, setWanted] = useState<boolean | undefined>(undefined);
  return (
    <label className="switch">
      <span>{label}</span>
      <small>{note}</small>
      <input
        type="checkbox"
        checked={wanted ?? isOn}
        aria-busy={wanted !== undefined}
        onChange={({ target: { checked } }) => {
          setWanted(checked);
          void load()
            .then(() => set(checked))
            .catch(() =>
              useStudio.setState({ problem: `${what} could not be loaded: try again with a network.` }),
            )
            .finally(() => setWanted(undefined));
        }}
      />
    </label>
  );
}

function Joints() {
  const limits = useStudio((studio) => studio.view.limits);
  const showLimits = useStudio((studio) => studio.showLimits);
  const { setShowLimits } = useStudio.getState();
  const { light } = usePosing.getState();
  return (
    <Fold name="joints" title="Joints" note="at their end" className="list joints">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls is reached by the keyboard. */}
      <ul className="limits" tabIndex={0} aria-labelledby="joints">
        {limits.length === 0 && <li className="none">None: every joint has room.</li>}
        {limits.map(({ bone, joint, words, blocks }) => (
          <li
            key={bone}
            data-blocks={blocks}
            onPointerEnter={() => light(bone)}
            onPointerLeave={() => light(undefined)}
          >
            <button
              type="button"
              className="label plain"
              title="Show its numbers and limits"
              onClick={() => showJoint(bone, true)}
            >
              {joint}
            </button>
            <output title={words}>{words}</output>
          </li>
        ))}
      </ul>
      <label className="switch">
        <span>Draw the limits of joints</span>
        <input
          type="checkbox"
          checked={showLimits}
          onChange={({ target }) => setShowLimits(target.checked)}
        />
      </label>
    </Fold>
  );
}

function Timing() {
  const iterations = useStudio((studio) => studio.view.iterations);
  const solve = useStudio((studio) => studio.view.solveMilliseconds);
  const frames = useStudio((studio) => studio.view.framesPerSecond);
  return (
    <Fold name="timing" title="Timing" className="timing" isClosed>
      <dl className="numbers" data-solve-milliseconds={solve} data-frames-per-second={frames}>
        <div>
          <dt>Solve</dt>
          <dd>{solve === undefined ? '–' : `${solve.toFixed(2)} ms`}</dd>
        </div>
        <div>
          <dt>Iterations</dt>
          <dd>{iterations}</dd>
        </div>
        <div>
          <dt>Frames</dt>
          <dd>{frames === undefined ? '–' : `${Math.round(frames)} /s`}</dd>
        </div>
      </dl>
    </Fold>
  );
}

function Controls() {
  const { character, pinned } = useStudio();
  const { source } = character;
  const { reset, releasePins, pinFeet, setHeight } = useStudio.getState();
  const problem = useStudio((studio) => studio.problem);
  const opening = useStudio((studio) => studio.opening);
  return (
    <section className="controls" aria-label="Controls">
      {opening && <p role="status">Opening {opening} …</p>}
      {problem && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      <CharacterMenu />
      {source.type === 'human' && (
        <label className="slider">
          <span>Height</span>
          <input
            type="range"
            min={HEIGHTS.min}
            max={HEIGHTS.max}
            step={0.01}
            value={source.height}
            onChange={(event) => setHeight(Number(event.target.value))}
          />
          <output>{source.height.toFixed(2)} m</output>
        </label>
      )}
      <div className="buttons">
        <button type="button" onClick={reset}>
          Reset pose
        </button>
        {pinned.size > 0 ? (
          <button type="button" onClick={releasePins}>
            Release pins
          </button>
        ) : (
          <button
            type="button"
            disabled={character.pins.length === 0}
            title={character.pins.length === 0 ? 'No feet were found' : undefined}
            onClick={pinFeet}
          >
            Pin feet
          </button>
        )}
      </div>
    </section>
  );
}

function PinIcon() {
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true">
      <path d="M5.5 1.5h5M6.2 1.5v4.2L4 8.6v1.2h8V8.6L9.8 5.7V1.5M8 9.8v4.7" />
    </svg>
  );
}

function shownLeft(millimetres: number | undefined, degrees: number | undefined): string {
  if (millimetres !== undefined) return `${shownNumber(millimetres)} mm`;
  return degrees === undefined ? '' : `${shownNumber(degrees)}°`;
}

function shownNumber(x: number): string {
  if (x < 0.05) return '0';
  return x < 10 ? x.toFixed(1) : x.toFixed(0);
}
