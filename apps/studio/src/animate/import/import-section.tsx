import { useEffect, useRef } from 'react';
import type { FileClip } from '../../character/character.js';
import { session, useStudio } from '../../session/store.js';
import { changeClip, goTo, useAnimate, useClip } from '../store.js';
import { timeline } from '../timeline.js';
import { standingAt } from './source-view.js';
import { isAsPutOn, sourceOf } from './sources.js';

/** Opens clips of files, and those that the character came with. */
export function ImportSection() {
  const input = useRef<HTMLInputElement>(null);
  const own = useStudio((studio) => studio.character.clips);
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
          aria-label="Clip to open"
          hidden
          onChange={({ target }) => {
            const [file] = target.files ?? [];
            if (file !== undefined) void open(file);
            target.value = '';
          }}
        />
      </div>
      <label className="switch">
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
      <Clips title="Of this character" clips={own} />
      {opened && opened.clips.length > 1 && <Clips title={`Of ${opened.name}`} clips={opened.clips} />}
      {imported && (
        <p className="imported">
          {imported.name}
          {imported.sliding && isAsPutOn(clip) && (
            <>
              : feet on the ground slide by {millimetres(imported.sliding.most)} mm at most, half of the
              contacts by {millimetres(imported.sliding.median)} mm or less
            </>
          )}
          .{' '}
          {imported.deviation >= 0.05 &&
            `Keys that were left out change it by ${millimetres(imported.deviation)} mm at most.`}
        </p>
      )}
      <Source />
    </section>
  );
}

/** What the clip came from, beside the character: a switch, and how far the feet that stand have slid. */
function Source() {
  const clip = useClip();
  const isShown = useAnimate((animate) => animate.showsSource);
  const source = sourceOf(clip);
  const output = useRef<HTMLOutputElement>(null);
  // Of keys that were changed since it says nothing.
  const knowsSliding = isAsPutOn(clip);
  useEffect(() => {
    if (source === undefined || !knowsSliding) return;
    return timeline.listen((time) => {
      if (output.current === null) return;
      const words = standingAt(source, time).map(
        ({ contact, sliding }) => `${contact.label.toLowerCase()} ${millimetres(sliding)}`,
      );
      output.current.textContent = words.length === 0 ? 'nothing stands' : `${words.join(', ')} mm`;
    });
  }, [source, knowsSliding]);
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

function millimetres(value: number): string {
  return value < 9.95 ? value.toFixed(1) : value.toFixed(0);
}

function Clips({ title, clips }: { title: string; clips: readonly FileClip[] }) {
  if (clips.length === 0) return null;
  return (
    <>
      <h4>{title}</h4>
      <ul className="clips compact" aria-label={title}>
        {clips.map((clip, n) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: names of a file may repeat; the list does not change.
          <li key={n}>
            <button type="button" onClick={() => void take(clip)}>
              {clip.name || `Clip ${n + 1}`}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Opens a file; its only clip is taken at once. */
async function open(file: File): Promise<void> {
  const { openClips, problemOf } = await import('./open-clips.js');
  await busyWith(
    `Opening ${file.name}`,
    (error) => problemOf(error, file.name),
    async () => {
      const clips = await openClips(file);
      if (clips.length === 0) throw new Error('has no animation: export it with one.');
      useAnimate.setState({ opened: { name: file.name, clips } });
      if (clips.length === 1) await put(clips[0]);
    },
  );
}

async function take(clip: FileClip): Promise<void> {
  const { problemOf } = await import('./open-clips.js');
  await busyWith(
    `Reading ${clip.name}`,
    (error) => problemOf(error, clip.name),
    () => put(clip),
  );
}

async function put(file: FileClip): Promise<void> {
  const { importClip } = await import('./import-clip.js');
  const { character } = session;
  const clip = await importClip(file, character, useAnimate.getState().everyFrame);
  // Another character may have come meanwhile.
  if (session.character !== character) return;
  const label = `Open the clip ${file.name}`;
  if (useStudio.getState().mode !== 'animate') {
    useStudio.getState().change(label, { clip });
    return;
  }
  goTo(0);
  changeClip(label, clip, new Set());
}

async function busyWith(
  busy: string,
  words: (error: unknown) => string,
  act: () => Promise<void>,
): Promise<void> {
  useAnimate.setState({ busy, problem: '' });
  try {
    await act();
  } catch (error) {
    useAnimate.setState({ problem: words(error) });
  } finally {
    useAnimate.setState({ busy: '' });
  }
}
