import './animate.css';
import { useEffect, useRef } from 'react';
import { useStudio } from '../session/store.js';
import { CurveEditor } from './curves/curve-editor.js';
import { usualSet } from './curves/curve-sets.js';
import { DopeSheet } from './dope-sheet.js';
import { takeAnimateKeys } from './keyboard.js';
import {
  copySelected,
  deleteSelected,
  duplicateSelected,
  enter,
  goFrames,
  goToKey,
  keyAll,
  paste,
  togglePlay,
  useAnimate,
  useClip,
} from './store.js';
import { timeline } from './timeline.js';

const SPEEDS = [0.25, 0.5, 1, 2];
const ZOOMS = { min: 1, max: 64, step: 1.6 };

/** The timeline below the picture. */
export function Strip() {
  useEffect(enter, []);
  useEffect(takeAnimateKeys, []);
  const strip = useAnimate((animate) => animate.strip);
  return (
    <section className="timeline" aria-label="Timeline">
      <Transport />
      {strip === 'curves' ? <CurveEditor /> : <DopeSheet />}
    </section>
  );
}

function Transport() {
  const isPlaying = useAnimate((animate) => animate.isPlaying);
  const loops = useAnimate((animate) => animate.loops);
  const speed = useAnimate((animate) => animate.speed);
  const hasSelection = useAnimate(({ selected }) => selected.size > 0);
  const hasCopied = useAnimate(({ copied }) => copied !== undefined);
  return (
    <div className="transport compact" role="toolbar" aria-label="Play and keys">
      <div className="group">
        <Button
          label="Previous key"
          title="Previous key (,)"
          icon="M4 3v10M13 3 6 8l7 5z"
          act={() => goToKey(-1)}
        />
        <Button
          label="Previous frame"
          title="Previous frame (←)"
          icon="M11 3 4 8l7 5z"
          act={() => goFrames(-1)}
        />
        <Button
          label={isPlaying ? 'Pause' : 'Play'}
          title={isPlaying ? 'Pause (Space)' : 'Play (Space)'}
          icon={isPlaying ? 'M4 3h3v10H4zM9 3h3v10H9z' : 'M4 2.5 13 8l-9 5.5z'}
          act={togglePlay}
          isMain
        />
        <Button label="Next frame" title="Next frame (→)" icon="m5 3 7 5-7 5z" act={() => goFrames(1)} />
        <Button label="Next key" title="Next key (.)" icon="M12 3v10M3 3l7 5-7 5z" act={() => goToKey(1)} />
      </div>
      <Readout />
      <div className="group">
        <button type="button" className="text" title="Key all joints here (K)" onClick={keyAll}>
          Key all
        </button>
        <button
          type="button"
          className="text"
          aria-pressed={loops}
          title="Play it again and again"
          onClick={() => useAnimate.setState({ loops: !loops })}
        >
          Loop
        </button>
        <label className="speed">
          <span className="hidden">Speed</span>
          <select
            value={speed}
            onChange={({ target }) => useAnimate.setState({ speed: Number(target.value) })}
          >
            {SPEEDS.map((each) => (
              <option key={each} value={each}>
                {each}×
              </option>
            ))}
          </select>
        </label>
      </div>
      <Shows />
      <div className="group end" data-is-idle={!hasSelection && !hasCopied}>
        <button
          type="button"
          className="text"
          disabled={!hasSelection}
          title={hasSelection ? 'Selected keys (Ctrl C)' : 'Select keys first'}
          onClick={copySelected}
        >
          Copy
        </button>
        <button
          type="button"
          className="text"
          disabled={!hasCopied}
          title={hasCopied ? 'Copied keys, at this time (Ctrl V)' : 'Copy keys first'}
          onClick={paste}
        >
          Paste
        </button>
        <button
          type="button"
          className="text"
          disabled={!hasSelection}
          title={hasSelection ? 'Selected keys, after the last (Ctrl D)' : 'Select keys first'}
          onClick={duplicateSelected}
        >
          Duplicate
        </button>
        <button
          type="button"
          className="text"
          disabled={!hasSelection}
          title={hasSelection ? 'Selected keys (Delete)' : 'Select keys first'}
          onClick={deleteSelected}
        >
          Delete
        </button>
      </div>
      <Zoom />
    </div>
  );
}

/** Keys or curves: those of the joints whose keys are selected, or of the handle. */
function Shows() {
  const strip = useAnimate((animate) => animate.strip);
  const choose = (strip: 'keys' | 'curves') => {
    const { handle, selected } = useAnimate.getState();
    const { character } = useStudio.getState();
    useAnimate.setState({ strip, curves: usualSet(character, handle, selected)?.id });
  };
  return (
    <fieldset className="group either">
      <legend className="hidden">Below</legend>
      {(['keys', 'curves'] as const).map((each) => (
        <button
          key={each}
          type="button"
          className="text"
          aria-pressed={strip === each}
          onClick={() => choose(each)}
        >
          {each === 'keys' ? 'Keys' : 'Curves'}
        </button>
      ))}
    </fieldset>
  );
}

function Button(props: { label: string; title: string; icon: string; act: () => void; isMain?: boolean }) {
  const { label, title, icon, act, isMain } = props;
  return (
    <button
      type="button"
      className={isMain ? 'icon main' : 'icon'}
      aria-label={label}
      title={title}
      onClick={act}
    >
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={icon} />
      </svg>
    </button>
  );
}

function Zoom() {
  const zoom = useAnimate((animate) => animate.zoom);
  const by = (factor: number) =>
    useAnimate.setState({ zoom: Math.min(Math.max(factor * zoom, ZOOMS.min), ZOOMS.max) });
  return (
    <div className="group">
      <button
        type="button"
        className="icon"
        aria-label="Zoom out"
        disabled={zoom <= ZOOMS.min}
        onClick={() => by(1 / ZOOMS.step)}
      >
        −
      </button>
      <button
        type="button"
        className="icon"
        aria-label="Zoom in"
        disabled={zoom >= ZOOMS.max}
        onClick={() => by(ZOOMS.step)}
      >
        +
      </button>
    </div>
  );
}

/** Time and frame, set outside of React while it plays. */
function Readout() {
  const element = useRef<HTMLOutputElement>(null);
  const { rate } = useClip();
  useEffect(
    () =>
      timeline.listen((time) => {
        if (element.current === null) return;
        element.current.textContent = `${time.toFixed(2)} s · frame ${Math.round(time * rate)}`;
        element.current.dataset.time = String(time);
      }),
    [rate],
  );
  return <output ref={element} className="readout" aria-label="Time shown" />;
}
