import type { Document } from '../document/document.js';
import { session, useStudio } from '../session/store.js';
import type { ProjectSettings } from './project/project.js';

/** The switches as they are. */
export function currentSettings(): ProjectSettings {
  const { ground, balance, apart } = session;
  return { ground, balance, apart, limits: useStudio.getState().showLimits };
}

/** Takes a document with its switches. @param label - Of the step of undo; without one the page begins with it. */
export function takeProject(document: Document, settings: ProjectSettings, label?: string): void {
  useStudio.getState().take(document, label);
  session.ground = settings.ground;
  session.balance = settings.balance;
  void useStudio.getState().setApart(settings.apart);
  useStudio.getState().setShowLimits(settings.limits);
}
