import { useEffect, useRef, useState } from 'react';
import { type CharacterSource, HEIGHTS } from '../character/character.js';
import { endingOf } from '../character/files.js';
import { view } from '../scene/view.js';
import { poseFile } from '../session/export-pose.js';
import { session, useStudio } from '../session/store.js';
import { STATUS_WORDS } from '../session/words.js';
import { download } from './download.js';

/** Most limits in the list. */
const LIMITS_SHOWN = 5;

export function Panel() {
  return (
    <>
      <Status />
      <Numbers />
      <Goals />
      <Limits />
      <Controls />
    </>
  );
}

function Status() {
  const status = useStudio((studio) => studio.view.status);
  const blocked = useStudio((studio) => studio.view.blocked);
  const { title, says, tone } = STATUS_WORDS[status];
  return (
    <section className="status" data-tone={tone} data-status={status} aria-live="polite">
      <h2>
        <span className="dot" />
        {title}
      </h2>
      <p>{blocked ? `${says} ${blocked}` : says}</p>
    </section>
  );
}

function Goals() {
  const goals = useStudio((studio) => studio.view.goals);
  const togglePin = useStudio((studio) => studio.togglePin);
  return (
    <section aria-labelledby="goals">
      <h3 id="goals">
        Goals <small>distance left</small>
      </h3>
      <ul className="goals">
        {goals.map(({ id, label, pinned, dragged, millimetres }) => (
          <li key={id} data-goal={id} data-pinned={pinned} data-dragged={dragged}>
            <button
              type="button"
              aria-pressed={pinned}
              aria-label={`Pin ${label.toLowerCase()}`}
              title={pinned ? 'Release' : 'Pin here'}
              onClick={() => togglePin(id)}
            >
              <PinIcon />
            </button>
            <span className="label">{label}</span>
            <output>{millimetres === undefined ? '' : `${shownMillimetres(millimetres)} mm`}</output>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Limits() {
  const limits = useStudio((studio) => studio.view.limits);
  const more = limits.length - LIMITS_SHOWN;
  return (
    <section aria-labelledby="limits">
      <h3 id="limits">
        Limits <small>touched now</small>
      </h3>
      {limits.length === 0 ? (
        <p className="none">None: every joint has room.</p>
      ) : (
        <ul className="limits">
          {limits.slice(0, LIMITS_SHOWN).map(({ joint, words, blocks }) => (
            <li key={joint} data-blocks={blocks}>
              <span className="label">{joint}</span>
              <output>{words}</output>
            </li>
          ))}
          {more > 0 && <li className="more">and {more} more</li>}
        </ul>
      )}
    </section>
  );
}

function Numbers() {
  const iterations = useStudio((studio) => studio.view.iterations);
  const solve = useStudio((studio) => studio.view.solveMilliseconds);
  const frames = useStudio((studio) => studio.view.framesPerSecond);
  return (
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
  );
}

function Controls() {
  const { character, showLimits, pinned } = useStudio();
  const { source } = character;
  const { reset, releasePins, pinFeet, setHeight, setShowLimits } = useStudio.getState();
  const [saved, setSaved] = useState('');
  const save = (name: string, content: BlobPart, type: string) => {
    download(name, new Blob([content], { type }));
    setSaved(name);
    setTimeout(() => setSaved(''), 2500);
  };
  const saveJson = () =>
    save('pose.json', `${JSON.stringify(poseFile(session), null, 2)}\n`, 'application/json');
  const saveModel = async () => {
    if (view.body === undefined) return;
    const { name, bytes } = await character.write(view.body);
    save(name, bytes, 'model/gltf-binary');
  };
  const problem = useStudio((studio) => studio.problem);
  const opening = useStudio((studio) => studio.opening);
  const input = useRef<HTMLInputElement>(null);
  useEffect(takeDroppedFiles, []);
  return (
    <section className="controls" aria-label="Controls">
      {opening && <p role="status">Opening {opening} …</p>}
      {problem && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
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
      <label className="switch">
        <span>Draw the limits touched</span>
        <input
          type="checkbox"
          checked={showLimits}
          onChange={(event) => setShowLimits(event.target.checked)}
        />
      </label>
      <div className="buttons">
        <button type="button" onClick={reset}>
          Reset pose
        </button>
        <button type="button" onClick={() => view.reset()}>
          Reset view
        </button>
        {pinned.size > 0 ? (
          <button type="button" onClick={releasePins}>
            Release pins
          </button>
        ) : (
          <button type="button" onClick={pinFeet}>
            Pin feet
          </button>
        )}
        <button
          type="button"
          title="A character (GLB, VRM, glTF, BVH, URDF, MJCF) or a pose (JSON)"
          onClick={() => input.current?.click()}
        >
          Open
        </button>
        <input
          ref={input}
          type="file"
          multiple
          aria-label="File to open"
          hidden
          onChange={({ target }) => {
            void useStudio.getState().open([...(target.files ?? [])]);
            target.value = '';
          }}
        />
        <button type="button" className="main" onClick={saveJson}>
          {saved === 'pose.json' ? 'Saved' : 'Export JSON'}
        </button>
        <button type="button" className="main" onClick={() => void saveModel()}>
          {saved !== '' && saved !== 'pose.json' ? 'Saved' : `Export ${modelKind(source)}`}
        </button>
      </div>
    </section>
  );
}

/** Kind of file that a character is written to. */
function modelKind(source: CharacterSource): string {
  const ending = source.type === 'file' ? endingOf(source.name) : 'glb';
  return ending === 'vrm' ? 'VRM' : ending === 'gltf' ? 'glTF' : 'GLB';
}

/** A file dropped anywhere on the page is opened, not shown by the browser. */
function takeDroppedFiles(): () => void {
  const over = (event: DragEvent) => event.preventDefault();
  const drop = (event: DragEvent) => {
    event.preventDefault();
    void useStudio.getState().open([...(event.dataTransfer?.files ?? [])]);
  };
  window.addEventListener('dragover', over);
  window.addEventListener('drop', drop);
  return () => {
    window.removeEventListener('dragover', over);
    window.removeEventListener('drop', drop);
  };
}

function PinIcon() {
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true">
      <path d="M5.5 1.5h5M6.2 1.5v4.2L4 8.6v1.2h8V8.6L9.8 5.7V1.5M8 9.8v4.7" />
    </svg>
  );
}

function shownMillimetres(millimetres: number): string {
  if (millimetres < 0.05) return '0';
  return millimetres < 10 ? millimetres.toFixed(1) : millimetres.toFixed(0);
}
