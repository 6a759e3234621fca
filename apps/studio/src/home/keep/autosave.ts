/** Keeps the document in the browser as it changes, and brings it back when the page is loaded again. */
import { PoiseError } from 'poise';
import type { Character } from '../../character/character.js';
import type { Document } from '../../document/document.js';
import { remember } from '../../preferences/memory.js';
import { dragLabel, human, messageOf, session, useStudio } from '../../session/store.js';
import { checkProject } from '../project/check-project.js';
import { documentOf } from '../project/open-project.js';
import { PROJECT_FORMAT, PROJECT_VERSION, type ProjectData, projectOf } from '../project/project.js';
import { useHome } from '../store.js';
import { takeProject } from '../take-project.js';
import { type KeptRecord, openShelf, type Shelf } from './shelf.js';
import { lockedSlots, lockSlot, newSlot, ownSlot, unlockSlot } from './slot.js';

/** Time from a change until it is kept, ms: what follows within it is kept with it. */
const DELAY = 400;
/** Records that are kept besides those of open tabs; the oldest go first. */
const MOST_KEPT = 20;
/** What tells at the start that there is something to bring back, before anything is loaded. */
const KEPT = 'kept';

let shelf: Shelf | undefined;
let slot = '';
/** What was last written: the document, whether limits are drawn, the key of its files, and whether something was being dragged. */
let written: {
  readonly document: Document | undefined;
  readonly showLimits: boolean;
  readonly files: string;
  readonly drags: boolean;
} = { document: undefined, showLimits: true, files: '', drags: false };
/** The key of the files that this tab's record names, once it is whole: a save that has not ended yet may fail. */
let keptFiles = '';
let timer: ReturnType<typeof setTimeout> | undefined;
const fileKeys = new WeakMap<Character['files'], string>();

/**
 * Brings back what this tab had, or what was left last, and keeps every change from now on.
 * @param empty - The document with which every page begins, which needs no keeping; undefined where that of the page came from a
 *   link: nothing is brought back, and it is kept.
 */
export async function beginKeeping(empty: Document | undefined): Promise<void> {
  written = { ...written, document: empty, showLimits: useStudio.getState().showLimits };
  try {
    shelf = await openShelf();
    if (empty === undefined) await takeSlot(newSlot());
    else await bringBack(shelf);
    await prune(shelf);
  } catch (error) {
    shelf = undefined;
    useHome.setState({ problem: refusal(error) });
  }
  useStudio.subscribe(schedule);
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') leave();
  });
  window.addEventListener('pagehide', leave);
  window.addEventListener('beforeunload', (event) => {
    // The browser asks whether to go.
    if (useHome.getState().problem !== '' && isChanged()) event.preventDefault();
  });
  schedule();
  await list();
}

/** Keeps the document under another key. */
async function takeSlot(id: string): Promise<void> {
  if (slot !== '') unlockSlot(slot);
  slot = id;
  await lockSlot(id, true);
}

async function bringBack(from: Shelf): Promise<void> {
  const locked = await lockedSlots();
  const own = ownSlot();
  if (own !== undefined && (await lockSlot(own, true))) {
    slot = own;
    const found = await read(from, own);
    if (found === 'damaged') await takeSlot(newSlot());
    return;
  }
  if (own !== undefined || locked.size > 0) {
    // A tab that was doubled begins where the other one is.
    if (own !== undefined && (await read(from, own)) === 'found') {
      written = { ...written, document: undefined, files: '' };
      keptFiles = '';
    }
    await takeSlot(newSlot());
    useHome.setState({ word: 'The studio is open in another tab too: each tab keeps its own work.' });
    return;
  }
  for (const id of await from.ids()) {
    if (slot !== '') unlockSlot(slot);
    if (!(await lockSlot(id, false))) continue;
    slot = id;
    if ((await read(from, id)) === 'found') return;
  }
  await takeSlot(newSlot());
}

/** Takes a record as the document to begin with. What cannot be read stays where it is. */
async function read(from: Shelf, id: string): Promise<'found' | 'none' | 'damaged'> {
  let title = 'What was kept';
  try {
    const kept = await from.get(id);
    if (kept === undefined) return 'none';
    title = String(kept.record.title);
    const project = keptProject(kept.record, kept.files);
    const begun = await documentOf(project, human, title);
    await takeProject(begun, project.settings);
    const { files, unfinished, savedAt } = kept.record;
    const { document, showLimits } = useStudio.getState();
    written = { ...written, document, showLimits, files };
    keptFiles = files;
    useHome.setState({ savedAt: Number(savedAt) });
    if (files !== '') fileKeys.set(begun.character.files, files);
    if (unfinished !== undefined && isPoseOf(begun, unfinished.pose))
      useStudio.getState().keepPose(String(unfinished.label), unfinished.pose);
    return 'found';
  } catch (error) {
    useHome.setState({
      word: `${title} could not be brought back. ${messageOf(error)} It is still kept: see File.`,
    });
    return 'damaged';
  }
}

function isPoseOf({ character }: Document, pose: unknown): pose is readonly number[] {
  return Array.isArray(pose) && pose.length === character.figure.dof && pose.every(Number.isFinite);
}

/** The project of a record, its files in their place. */
export function keptProject({ project, title }: KeptRecord, files: unknown): ProjectData {
  const { character, ...rest } = project as Readonly<Record<string, unknown>>;
  const whole = { ...(character as object), ...(files === undefined ? {} : { files }) };
  return checkProject({ ...rest, character: whole }, title);
}

/** Keeps the document soon, if there is anything of it that is not kept. What is dragged is kept when the page is left. */
function schedule(): void {
  const isOver = written.drags && session.drag === undefined;
  if (timer !== undefined || !(isOver || isChanged())) return;
  timer = setTimeout(() => void save(), DELAY);
}

function leave(): void {
  if (session.drag !== undefined || isChanged()) void save();
}

function isChanged(): boolean {
  const { document, showLimits } = useStudio.getState();
  return written.document !== document || written.showLimits !== showLimits;
}

/** Keeps the document now. The record before stays whole until this one is. */
async function save(): Promise<void> {
  clearTimeout(timer);
  timer = undefined;
  if (shelf === undefined) return;
  const { document, showLimits } = useStudio.getState();
  const { drag } = session;
  const before = written;
  try {
    const { project, files } = apart(projectOf(document, showLimits));
    const record: KeptRecord = {
      id: slot,
      savedAt: Date.now(),
      title: titleOf(document.character),
      project,
      files: files?.key ?? '',
      unfinished: drag && { label: dragLabel(drag), pose: [...session.pose] },
    };
    written = {
      document,
      showLimits,
      files: record.files,
      drags: drag !== undefined,
    };
    remember(KEPT, 'yes');
    // Files that this tab's record does not name, another tab may have let go.
    const isNew = record.files !== keptFiles;
    await shelf.put(record, isNew ? files?.content : undefined);
    keptFiles = record.files;
    useHome.setState({ savedAt: record.savedAt, problem: '' });
    if (isNew) await shelf.tidy();
  } catch (error) {
    written = before;
    useHome.setState({ problem: refusal(error) });
  }
}

function titleOf({ source }: Character): string {
  return source.type === 'human' ? 'Built-in human' : source.name;
}

/** A project less the contents of its files, which are written once. */
function apart({ character, ...rest }: ProjectData): {
  project: object;
  files: { readonly key: string; readonly content: Character['files'] } | undefined;
} {
  const head = { format: PROJECT_FORMAT, version: PROJECT_VERSION, ...rest };
  if (character.type !== 'file') return { project: { ...head, character }, files: undefined };
  const { files, ...without } = character;
  const key = fileKeys.get(files) ?? newSlot();
  fileKeys.set(files, key);
  return { project: { ...head, character: without }, files: { key, content: files } };
}

/** Lets the oldest records go that no tab has open. */
async function prune(from: Shelf): Promise<void> {
  const ids = await from.ids();
  if (ids.length <= MOST_KEPT) return;
  const locked = await lockedSlots();
  for (const id of ids.slice(MOST_KEPT)) if (!locked.has(id) && id !== slot) await from.delete(id);
  await from.tidy();
}

/** Lists what is kept besides this tab's document. */
export async function list(): Promise<void> {
  if (shelf === undefined) return;
  const others = (await shelf.all())
    .filter(({ id }) => id !== slot)
    .map(({ id, title, savedAt }) => ({ id, title: String(title), savedAt: Number(savedAt) }))
    .sort((a, b) => b.savedAt - a.savedAt);
  useHome.setState({ others });
}

/**
 * A document that is kept besides this tab's, as a project.
 * @throws PoiseError for one that is damaged.
 */
export async function readKept(id: string): Promise<ProjectData | undefined> {
  const kept = await shelf?.get(id);
  return kept && keptProject(kept.record, kept.files);
}

/** Deletes a document that is kept besides this tab's. */
export async function forgetKept(id: string): Promise<void> {
  if (shelf === undefined || (await lockedSlots()).has(id))
    throw new Error('It is open in another tab: close that first.');
  await shelf.delete(id);
  await shelf.tidy();
  await list();
}

/** Why nothing is kept. */
function refusal(error: unknown): string {
  const name = error instanceof DOMException ? error.name : '';
  const then = 'Save the project as a file before you leave.';
  if (name === 'QuotaExceededError') return `This browser has no room left for your work. ${then}`;
  if (name === 'VersionError') return `A newer studio keeps its work in this browser. ${then}`;
  if (error instanceof PoiseError || (error instanceof Error && /^[^:]+: its file/.test(error.message)))
    return `This cannot be kept here. ${messageOf(error)}`;
  return `This browser keeps nothing of this page. ${then}`;
}
