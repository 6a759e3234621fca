import { useEffect, useRef, useState } from 'react';
import { type FileClip, shownScale } from '../../character/character.js';
import { CHARACTER_FILES, chooseFile, endingOf } from '../../character/files.js';
import { useStudio } from '../../session/store.js';
import { type OpenedClips, useAnimate, useClip } from '../store.js';
import { timeline } from '../timeline.js';
import { importedWords, millimetres } from './imported-words.js';
import { standingAt } from './source-view.js';
import { isAsPutOn, sourceOf } from './sources.js';
import { openClip, takeClip } from './take-clip.js';

/** More clips than that are looked for by name. */
const MANY = 12;

/** Opens clips of files, and says what became of them. */
export function ImportSection() {
  const input = useRef<HTMLInputElement>(null);
  const character = useStudio((studio) => studio.character);
  const opened = useAnimate((animate) => animate.opened);
  const everyFrame = useAnimate((animate) => animate.everyFrame);
  const busy = useAnimate((animate) => animate.busy);
  const problem = useAnimate((animate) => animate.problem);
  const clip = useClip();
  const { imported } = clip;
  return (
    <section aria-labelledby="import-clip" className="files">
      <h3 id="import-clip">Open a clip</h3>
      <div className="choices compact">
        <button
          type="button"
          disabled={busy !== ''}
          title="An animation: BVH, GLB, glTF, VRM, VRMA"
          onClick={() => input.current?.click()}
        >
          Open clip …
        </button>
        <input
          ref={input}
          type="file"
          multiple
          aria-label="Clip to open"
          hidden
          onChange={({ target }) => {
            const files = [...(target.files ?? [])];
            const file = chooseFile(files, true);
            if (file !== undefined) void openClip(file, files);
            target.value = '';
          }}
        />
      </div>
      <label
        className="switch"
        title="Of a clip that is opened: else as few keys as keep each joint within 0.6 degrees"
      >
        <span>A key at every frame</span>
        <input
          type="checkbox"
          checked={everyFrame}
          onChange={({ target }) => useAnimate.setState({ everyFrame: target.checked })}
        />
      </label>
      {busy && <p role="status">{busy} …</p>}
      {problem && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      {imported && (
        <p className="imported">{importedWords(imported, shownScale(character), isAsPutOn(clip))}</p>
      )}
      <Source />
      {opened && CHARACTER_FILES.includes(endingOf(opened.file.name)) && <Whose opened={opened} />}
    </section>
  );
}

/** Clips to take: of the character, and of a file that has several. */
export function ClipLists() {
  const own = useStudio((studio) => studio.character.clips);
  const opened = useAnimate((animate) => animate.opened);
  return (
    <>
      <Clips title="Clips of this character" clips={own} />
      {opened && opened.clips.length > 1 && (
        <Clips title={`Clips of ${opened.file.name}`} clips={opened.clips} />
      )}
    </>
  );
}

/** Takes the character of a clip in place of the one that it was put on, or that it cannot be put on. */
function Whose({ opened: { file, others, clips } }: { opened: OpenedClips }) {
  const source = useStudio((studio) => studio.character.source);
  const isRefused = useAnimate((animate) => animate.problem !== '');
  const shown = sourceOf(useClip())?.file;
  const opening = useStudio((studio) => studio.opening);
  const problem = useStudio((studio) => studio.problem);
  if (source.type === 'file' && source.name === file.name) return null;
  if (!isRefused && (shown === undefined || !clips.includes(shown))) return null;
  return (
    <>
      <div className="choices compact whose">
        <button
          type="button"
          disabled={opening !== ''}
          title="Takes the skeleton of this file in place of the character"
          onClick={() => void useStudio.getState().open(file, others)}
        >
          Take {file.name} as the character
        </button>
      </div>
      {problem && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
    </>
  );
}

/** What the clip came from, beside the character: a switch, and how far the feet that stand have slid. */
function Source() {
  const clip = useClip();
  const isShown = useAnimate((animate) => animate.showsSource);
  const source = sourceOf(clip);
  const scale = useStudio((studio) => shownScale(studio.character));
  const output = useRef<HTMLOutputElement>(null);
  // Of keys that were changed since it says nothing.
  const knowsSliding = isAsPutOn(clip);
  useEffect(() => {
    if (source === undefined || !knowsSliding) return;
    return timeline.listen((time) => {
      if (output.current === null) return;
      const words = standingAt(source, time).map(
        ({ contact, sliding }) => `${contact.label.toLowerCase()} ${millimetres(scale * sliding)}`,
      );
      output.current.textContent = words.length === 0 ? 'nothing stands' : `${words.join(', ')} mm`;
    });
  }, [source, knowsSliding, scale]);
  if (source === undefined) return null;
  return (
    <>
      <label className="switch">
        <span>Source beside it</span>
        <input
          type="checkbox"
          checked={isShown}
          onChange={({ target }) => useAnimate.setState({ showsSource: target.checked })}
        />
      </label>
      {knowsSliding && (
        <p className="sliding">
          Slid since they stand: <output ref={output} aria-live="off" />
        </p>
      )}
    </>
  );
}

function Clips({ title, clips }: { title: string; clips: readonly FileClip[] }) {
  const [sought, setSought] = useState('');
  if (clips.length === 0) return null;
  const isSought = ({ name }: FileClip) => name.toLowerCase().includes(sought.trim().toLowerCase());
  return (
    <section className="files" aria-label={title}>
      <h3>{title}</h3>
      {clips.length > MANY && (
        <div className="compact find">
          <input
            type="search"
            aria-label={`Find one of the ${title.toLowerCase()}`}
            placeholder={`Find one of ${clips.length}`}
            value={sought}
            onChange={({ target }) => setSought(target.value)}
          />
        </div>
      )}
      <ul className="clips compact" aria-label={title}>
        {clips.map((clip, n) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: names of a file may repeat; the list does not change.
          <li key={n} hidden={!isSought(clip)}>
            <button type="button" onClick={() => void takeClip(clip)}>
              {clip.name || `Clip ${n + 1}`}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
