import './home.css';
import { useEffect, useRef, useState } from 'react';
import { download } from '../panel/download.js';
import { messageOf } from '../session/store.js';
import { useDialog } from './dialog-store.js';
import { clipFilm, type Film, fallFilm } from './export/film.js';
import { pictureSize, takePicture } from './export/picture.js';
import { recorderKind, recordFilm } from './export/video.js';

const SCALES = [1, 2, 4] as const;

const close = () => useDialog.setState({ open: undefined });

/** The dialog that is open. */
export function Dialogs() {
  const open = useDialog((dialog) => dialog.open);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog ref={dialog} className="sheet export" aria-labelledby="export" onClose={close}>
      {open === 'video' ? <Video /> : <Picture />}
    </dialog>
  );
}

function Picture() {
  const [scale, setScale] = useState<number>(2);
  const [isTransparent, setTransparent] = useState(false);
  const [problem, setProblem] = useState('');
  const save = async () => {
    try {
      download('pose.png', await takePicture({ scale, isTransparent }));
      close();
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  return (
    <>
      <h2 id="export">Picture</h2>
      <fieldset className="scales">
        <legend>Size</legend>
        {SCALES.map((each) => (
          <label key={each}>
            <input type="radio" name="scale" checked={scale === each} onChange={() => setScale(each)} />
            <span>
              {each}× <small>{pictureSize(each).join(' × ')}</small>
            </span>
          </label>
        ))}
      </fieldset>
      <label className="switch">
        <span>Without background and grid</span>
        <input
          type="checkbox"
          checked={isTransparent}
          onChange={({ target }) => setTransparent(target.checked)}
        />
      </label>
      <Problem words={problem} />
      <div className="buttons">
        <button type="button" onClick={close}>
          Cancel
        </button>
        <button type="button" className="main" onClick={() => void save()}>
          Save PNG
        </button>
      </div>
    </>
  );
}

function Video() {
  const [films, setFilms] = useState<readonly Film[] | undefined>(undefined);
  const [name, setName] = useState('');
  const [share, setShare] = useState<number | undefined>(undefined);
  const [problem, setProblem] = useState('');
  const abort = useRef<AbortController | undefined>(undefined);
  useEffect(() => {
    void fallFilm().then((fall) => setFilms([fall, clipFilm()].filter((film) => film !== undefined)));
    return () => abort.current?.abort();
  }, []);
  const film = films?.find((each) => each.name === name) ?? films?.[0];
  const kind = recorderKind();
  const record = async () => {
    if (film === undefined) return;
    const controller = new AbortController();
    const { signal } = controller;
    abort.current = controller;
    setProblem('');
    setShare(0);
    try {
      const video = await recordFilm(film, { progress: setShare, signal });
      download(`${film.name}.webm`, video);
      close();
    } catch (error) {
      if (!signal.aborted) setProblem(messageOf(error));
    } finally {
      setShare(undefined);
    }
  };
  return (
    <>
      <h2 id="export">Video</h2>
      {kind === undefined && (
        <Problem words="This browser records no video. Export the clip, or record the screen." />
      )}
      {films?.length === 0 && (
        <p>There is nothing to record yet: make a clip in Animate, or let the figure fall.</p>
      )}
      {films !== undefined && films.length > 1 && (
        <label className="switch">
          <span>What to record</span>
          <select value={film?.name} onChange={({ target }) => setName(target.value)}>
            {films.map((each) => (
              <option key={each.name} value={each.name}>
                {each.name === 'fall' ? 'The fall' : 'The clip'}
              </option>
            ))}
          </select>
        </label>
      )}
      {film && (
        <p>
          {film.name === 'fall' ? 'The fall' : 'The clip'}, {(film.times.length / film.rate).toFixed(2)} s at{' '}
          {film.rate} frames a second, as the picture shows it.
        </p>
      )}
      {kind === 'live' && <p>This browser records as it plays: a slow machine makes a slow film.</p>}
      {share !== undefined && <progress value={share} aria-label="Recorded" />}
      <Problem words={problem} />
      <div className="buttons">
        <button type="button" onClick={close}>
          Cancel
        </button>
        <button
          type="button"
          className="main"
          disabled={kind === undefined || film === undefined || share !== undefined}
          onClick={() => void record()}
        >
          {share === undefined ? 'Record WebM' : 'Recording …'}
        </button>
      </div>
    </>
  );
}

function Problem({ words }: { words: string }) {
  return words === '' ? null : (
    <p role="alert" className="problem">
      {words}
    </p>
  );
}
