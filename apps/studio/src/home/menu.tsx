import './home.css';
import { useEffect, useRef, useState } from 'react';
import { useDone } from '../live/done.js';
import { LEARN } from '../preferences/learn.js';
import { messageOf } from '../session/store.js';
import {
  type Action,
  copyLink,
  exportModel,
  exportPose,
  exportWithClip,
  hasClip,
  modelKind,
  saveProject,
} from './actions.js';
import { chooseFolder } from './choose-folder.js';
import { useDialog } from './dialog-store.js';
import { type KeptWork, useHome } from './store.js';

/** What the File button shows. @param close - Puts it away. */
export function Menu({ close, chooseFiles }: { close: () => void; chooseFiles: () => void }) {
  const [problem, setProblem] = useState('');
  const first = useRef<HTMLButtonElement>(null);
  useEffect(() => first.current?.focus({ preventScroll: true }), []);
  useEffect(() => void import('./keep/autosave.js').then(({ list }) => list()), []);
  const run = (action: Action) => async () => {
    setProblem('');
    try {
      useDone.setState({ words: await action() });
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  const opens = (dialog: 'picture' | 'video') => () => {
    close();
    useDialog.setState({ open: dialog });
  };
  return (
    <div className="file-menu">
      <button
        ref={first}
        type="button"
        data-keys="Ctrl O"
        aria-keyshortcuts="Control+O"
        title="A project, a character (GLB, VRM, glTF, BVH, URDF, MJCF) or a pose (JSON)"
        onClick={() => {
          close();
          chooseFiles();
        }}
      >
        Open
      </button>
      <button
        type="button"
        title="A character with the files it names beside it: glTF, URDF, MJCF"
        onClick={() => {
          close();
          chooseFolder();
        }}
      >
        Open folder
      </button>
      <button type="button" data-keys="Ctrl S" aria-keyshortcuts="Control+S" onClick={run(saveProject)}>
        Save project
      </button>
      <button
        type="button"
        title="An address that holds a character of the studio with its pose and clip"
        onClick={run(async () => {
          const words = await copyLink();
          // What is said is not beside it.
          close();
          return words;
        })}
      >
        Copy link
      </button>
      <hr />
      <button type="button" title="The character in its pose" onClick={run(exportModel)}>
        Export {modelKind()}
      </button>
      {hasClip() && (
        <button
          type="button"
          title="The character with the clip of Animate, for Blender and game engines"
          onClick={run(exportWithClip)}
        >
          Export {modelKind()} with the clip
        </button>
      )}
      <button type="button" title="The pose alone, for the command line" onClick={run(exportPose)}>
        Export JSON
      </button>
      <button type="button" aria-haspopup="dialog" onClick={opens('picture')}>
        Picture
      </button>
      <button type="button" aria-haspopup="dialog" onClick={opens('video')}>
        Video
      </button>
      {problem && (
        <p role="alert" className="problem">
          {problem}
        </p>
      )}
      <hr />
      <a href={LEARN}>Lessons and examples</a>
      <hr />
      <Kept run={run} />
    </div>
  );
}

/** What the browser keeps: when it last kept this document, and the others. */
function Kept({ run }: { run: (action: Action) => () => Promise<void> }) {
  const savedAt = useHome((home) => home.savedAt);
  const problem = useHome((home) => home.problem);
  const others = useHome((home) => home.others);
  const [asked, setAsked] = useState('');
  const keep = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    if (asked !== '') keep.current?.focus();
  }, [asked]);
  /** After the question the focus is where it was asked, or where the next one is. */
  const answered = (row: number) => {
    setAsked('');
    requestAnimationFrame(() => {
      const rows = list.current?.children ?? [];
      const next = rows[Math.min(row, rows.length - 1)]?.querySelector<HTMLElement>('button:last-child');
      (next ?? document.querySelector<HTMLElement>('.file-menu button'))?.focus();
    });
  };
  return (
    <section aria-labelledby="kept">
      <h2 id="kept">Kept in this browser</h2>
      <p>
        {problem || (savedAt === undefined ? 'Nothing has changed yet.' : `This, at ${timeOf(savedAt)}.`)}
      </p>
      {others.length > 0 && (
        <ul ref={list}>
          {others.map((work, row) =>
            work.id === asked ? (
              <li key={work.id} className="asks">
                <span id="asked">
                  Delete {work.title} of {whenOf(work.savedAt)} for good?
                </span>
                <button type="button" ref={keep} aria-describedby="asked" onClick={() => answered(row)}>
                  Keep
                </button>
                <button
                  type="button"
                  aria-describedby="asked"
                  onClick={() => void run(forgets(work))().finally(() => answered(row))}
                >
                  Delete
                </button>
              </li>
            ) : (
              <li key={work.id}>
                <button
                  type="button"
                  title="Open it here; undo brings back what is here now"
                  onClick={run(open(work))}
                >
                  <span>{work.title}</span>
                  <small>{whenOf(work.savedAt)}</small>
                </button>
                <button
                  type="button"
                  aria-label={`Delete ${work.title} of ${whenOf(work.savedAt)}`}
                  title="Delete"
                  onClick={() => setAsked(work.id)}
                >
                  ×
                </button>
              </li>
            ),
          )}
        </ul>
      )}
    </section>
  );
}

function open({ id, title }: KeptWork): Action {
  return async () => {
    const { readKept } = await import('./keep/autosave.js');
    const { openProject } = await import('./open-project-file.js');
    const project = await readKept(id);
    if (project === undefined) throw new Error(`${title} is not kept any more.`);
    await openProject(project, title, `Open ${title}`);
    return `Opened ${title}`;
  };
}

function forgets({ id, title }: KeptWork): Action {
  return async () => {
    const { forgetKept } = await import('./keep/autosave.js');
    await forgetKept(id);
    return `Deleted ${title}`;
  };
}

function timeOf(when: number): string {
  return new Date(when).toLocaleTimeString(undefined, {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
}

function whenOf(when: number): string {
  return new Date(when).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
}
