import { human } from '../session/store.js';
import { documentOf } from './project/open-project.js';
import type { ProjectData } from './project/project.js';
import { readProjectFile } from './project/project-file.js';
import { takeProject } from './take-project.js';

/** Opens a project as one step of undo. @throws PoiseError for one that cannot be read. */
export async function openProjectFile(file: File): Promise<void> {
  await openProject(await readProjectFile(file), file.name, `Open ${file.name}`);
}

/** @param source - Its name, for errors. @throws PoiseError for one that does not fit together. */
export async function openProject(project: ProjectData, source: string, label?: string): Promise<void> {
  await takeProject(await documentOf(project, human, source), project.settings, label);
}
