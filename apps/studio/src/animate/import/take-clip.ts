import type { FileClip } from '../../character/character.js';
import { problemOf, session, useStudio } from '../../session/store.js';
import { changeClip, goTo, useAnimate } from '../store.js';

/** Opens a file; its only clip is taken at once. @param others - Files that it names. */
export async function openClip(file: File, others: readonly File[] = []): Promise<void> {
  const { openClips } = await import('./open-clips.js');
  useAnimate.setState({ opened: undefined });
  await busyWith(
    `Opening ${file.name}`,
    (error) => problemOf(error, file.name),
    async () => {
      const clips = await openClips(file, others);
      if (clips.length === 0) throw new Error('has no animation: export it with one.');
      useAnimate.setState({ opened: { file, others, clips } });
      if (clips.length === 1) await put(clips[0]);
    },
  );
}

/** Takes a clip of a file or of the character. */
export async function takeClip(clip: FileClip): Promise<void> {
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
