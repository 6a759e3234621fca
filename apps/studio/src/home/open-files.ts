import { endingOf, PROJECT_ENDING } from '../character/files.js';
import { problemOf, useStudio } from '../session/store.js';
import { whenReady } from './store.js';

/**
 * Opens what was chosen or dropped: a project, a character with the files it names, a pose, a clip; an archive is what it holds. A BVH is a clip for the character in
 * Animate, and a character elsewhere; a VRM animation is nothing but a clip.
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
  const project = files.find(({ name }) => endingOf(name) === PROJECT_ENDING);
  const { mode, setMode } = useStudio.getState();
  const [first] = files;
  const ending = first && endingOf(first.name);
  if (ending === 'vrma' || (ending === 'bvh' && mode === 'animate')) {
    const { openClip } = await import('../animate/import/take-clip.js');
    setMode('animate');
    await openClip(first);
    return;
  }
  if (project === undefined) {
    await useStudio.getState().open(files);
    return;
  }
  useStudio.setState({ opening: project.name, problem: '' });
  try {
    const { openProjectFile } = await import('./open-project-file.js');
    await openProjectFile(project);
  } catch (error) {
    useStudio.setState({ problem: problemOf(error, project.name) });
  } finally {
    useStudio.setState({ opening: '' });
  }
}
