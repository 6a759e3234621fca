import './animate.css';
import { useId, useState } from 'react';
import { CLIP_RATES, CLIP_SECONDS, INTERPOLATIONS } from './clip/bounds.js';
import { hasKeys, type Interpolation, selectedKeys, setDuration, setRate } from './clip/clip.js';
import { ExportSection } from './export/export-section.js';
import { ClipLists, ImportSection } from './import/import-section.js';
import { loopClip, selectedSpan } from './loop/make-loop.js';
import { changeClip, interpolateSelected, keyWords, stretchSelected, useAnimate, useClip } from './store.js';

const WORDS: Readonly<Record<Interpolation, readonly [label: string, title: string]>> = {
  auto: ['Auto', 'Smooth, and past no key: flat where the neighbour is the same'],
  smooth: ['Smooth', 'Along the chord of the keys beside it; it may go past them'],
  flat: ['Flat', 'Comes to rest at the key'],
  free: ['Free', 'By the tangent, which is dragged in the curves'],
  linear: ['Linear', 'Straight to the next key'],
  step: ['Step', 'Holds until the next key'],
};

export function Panel() {
  return (
    <>
      <h2 className="hidden">Animate</h2>
      <ClipSection />
      <LoopSection />
      <SelectedKeys />
      <ImportSection />
      <ExportSection />
      <ClipLists />
    </>
  );
}

function ClipSection() {
  const clip = useClip();
  const { duration, rate } = clip;
  return (
    <section aria-labelledby="clip">
      <h3 id="clip">Clip</h3>
      <NumberField
        label="Length"
        unit="s"
        value={Number(duration.toFixed(3))}
        min={0}
        max={CLIP_SECONDS.max}
        step={0.1}
        change={(value) => changeClip('Change the length', setDuration(clip, value), undefined, true)}
      />
      <NumberField
        label="Frames a second"
        unit=""
        value={rate}
        min={CLIP_RATES.min}
        max={CLIP_RATES.max}
        step={1}
        change={(value) => changeClip('Change the frames a second', setRate(clip, value), undefined, true)}
      />
      <Switch label="Posing writes keys" title="Else a pose is a key by Key all" name="autokey" />
      <Switch
        label="Poses before and after"
        title="As ghosts, of the keys around this time"
        name="showsGhosts"
      />
      <Switch
        label="Path of the handle"
        title="Where the handle that was pressed last goes: drag its points"
        name="showsTrail"
      />
    </section>
  );
}

/** Makes a part of the clip repeat without a jump. */
function LoopSection() {
  const clip = useClip();
  const selected = useAnimate((animate) => animate.selected);
  const busy = useAnimate((animate) => animate.busy);
  const said = useAnimate((animate) => animate.said);
  const isEmpty = !hasKeys(clip);
  return (
    <section aria-labelledby="loop" className="files">
      <h3 id="loop">
        Loop{' '}
        <small>
          {selectedSpan(clip, selected) ? 'between the selected keys' : 'the part that repeats best'}
        </small>
      </h3>
      <div className="choices compact">
        <button
          type="button"
          disabled={isEmpty || busy !== ''}
          title={
            isEmpty
              ? 'Open a clip or key some poses first'
              : 'A cycle without a jump in place of the clip: two steps of a walk'
          }
          onClick={() => void loopClip()}
        >
          Make it loop
        </button>
      </div>
      {said?.clip === clip && <p role="status">{said.words}</p>}
    </section>
  );
}

function SelectedKeys() {
  const clip = useClip();
  const selected = useAnimate((animate) => animate.selected);
  const keys = selectedKeys(clip, selected).map(({ key }) => key);
  const kinds = new Set(keys.map(({ interpolation }) => interpolation));
  const times = keys.map(({ time }) => time);
  const length = times.reduce((a, b) => Math.max(a, b), 0) - times.reduce((a, b) => Math.min(a, b), Infinity);
  return (
    <section aria-labelledby="selected-keys">
      <h3 id="selected-keys">
        Selected keys <small>{keys.length === 0 ? 'none' : keyWords(keys.length)}</small>
      </h3>
      <div className="choices compact modes-of-keys" role="toolbar" aria-label="To the next key">
        {INTERPOLATIONS.map((id) => (
          <button
            key={id}
            type="button"
            title={keys.length === 0 ? `Select keys below first. ${WORDS[id][1]}` : WORDS[id][1]}
            disabled={keys.length === 0}
            aria-pressed={kinds.size === 1 && kinds.has(id)}
            onClick={() => interpolateSelected(id)}
          >
            {WORDS[id][0]}
          </button>
        ))}
      </div>
      {length > 0 && (
        <NumberField
          label="They last"
          unit="s"
          value={Number(length.toFixed(3))}
          min={1 / clip.rate}
          max={clip.duration}
          step={0.1}
          change={(value) => stretchSelected(value / length)}
        />
      )}
    </section>
  );
}

interface NumberProps {
  readonly label: string;
  readonly unit: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  change(value: number): void;
}

/** Taken when it is left, or by Enter: what is half typed changes nothing. */
function NumberField({ label, unit, value, min, max, step, change }: NumberProps) {
  const id = useId();
  const [typed, setTyped] = useState<string | undefined>(undefined);
  const take = () => {
    setTyped(undefined);
    if (typed === undefined || typed === '' || !Number.isFinite(Number(typed))) return;
    const within = Math.min(Math.max(Number(typed), min), max);
    if (within !== value) change(within);
  };
  return (
    <label className="field" htmlFor={id}>
      <span>{label}</span>
      <input
        id={id}
        type="number"
        value={typed ?? value}
        min={min}
        max={max}
        step={step}
        onChange={({ target }) => setTyped(target.value)}
        onBlur={take}
        onKeyDown={({ key }) => {
          if (key === 'Enter') take();
        }}
      />
      <output>{unit}</output>
    </label>
  );
}

interface SwitchProps {
  readonly label: string;
  readonly title: string;
  readonly name: 'autokey' | 'showsGhosts' | 'showsTrail';
}

function Switch({ label, title, name }: SwitchProps) {
  const isOn = useAnimate((animate) => animate[name]);
  return (
    <label className="switch" title={title}>
      <span>{label}</span>
      <input
        type="checkbox"
        checked={isOn}
        onChange={({ target }) => useAnimate.setState({ [name]: target.checked })}
      />
    </label>
  );
}
