import { endingOf, PROJECT_ENDING } from '../character/files.js';
import { problemOf, useStudio } from '../session/store.js';
import { whenReady } from './store.js';

/** Opens what was chosen or dropped: a project, a character with the files it names, a pose. */
export async function openFiles(files: readonly File[]): Promise<void> {
  await whenReady();
  const project = files.find(({ name }) => endingOf(name) === PROJECT_ENDING);
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
