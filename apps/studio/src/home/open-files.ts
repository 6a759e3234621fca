import { chooseFile, endingOf, isClip, PROJECT_ENDING, seenFrom } from '../character/files.js';
import { problemOf, useStudio } from '../session/store.js';
import { whenReady } from './store.js';

/**
 * Opens what was chosen or dropped: a project, a character with the files it names, a pose, a clip; an archive is what it holds, in whatever order.
 */
export async function openFiles(given: readonly File[]): Promise<void> {
  await whenReady();
  let files = given;
  const archive = given.find(({ name }) => endingOf(name) === 'zip');
  if (archive !== undefined) {
    useStudio.setState({ opening: archive.name, problem: '' });
    try {
      const { unpacked } = await import('./unpack.js');
      files = await unpacked(given);
      if (files.length === 0) throw new Error('has no files.');
    } catch (error) {
      useStudio.setState({ problem: problemOf(error, archive.name) });
      return;
    } finally {
      useStudio.setState({ opening: '' });
    }
  }
  const { mode, setMode, open } = useStudio.getState();
  const animates = mode === 'animate';
  const chosen = chooseFile(files, animates);
  if (chosen === undefined) return;
  const others = files.filter((other) => other !== chosen);
  const [file, ...beside] = seenFrom(chosen, [chosen, ...others]);
  if (isClip(file, animates)) {
    const { openClip } = await import('../animate/import/take-clip.js');
    setMode('animate');
    await openClip(file);
    return;
  }
  if (endingOf(file.name) !== PROJECT_ENDING) {
    await open(file, beside);
    return;
  }
  useStudio.setState({ opening: file.name, problem: '' });
  try {
    const { openProjectFile } = await import('./open-project-file.js');
    await openProjectFile(file);
  } catch (error) {
    useStudio.setState({ problem: problemOf(error, file.name) });
  } finally {
    useStudio.setState({ opening: '' });
  }
}
