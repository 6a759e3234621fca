import type { Document } from '../document/document.js';
import { loadApart, loadGaze } from '../posing/constraint-loader.js';
import { useStudio } from '../session/store.js';
import type { ProjectSettings } from './project/project.js';

/** Takes a document with what it shows. @param label - Of the step of undo; without one the page begins with it. */
export async function takeProject(
  document: Document,
  { limits }: ProjectSettings,
  label?: string,
): Promise<void> {
  if (document.apart) await loadApart();
  if (document.gaze) await loadGaze();
  useStudio.getState().take(document, label);
  useStudio.getState().setShowLimits(limits);
}
