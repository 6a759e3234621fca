import type { Numbers } from 'poise/math';
import { create } from 'zustand';
import type { Character, FileClip } from '../character/character.js';
import type { Document } from '../document/document.js';
import { type Driver, live } from '../live/driver.js';
import { view } from '../scene/view.js';
import { messageOf, session, useStudio } from '../session/store.js';
import {
  type Clip,
  type CopiedKeys,
  clipFor,
  copyKeys,
  deleteKeys,
  emptyClip,
  hasKeys,
  type Interpolation,
  type KeyChange,
  keyTimes,
  moveKeys,
  nearestFrame,
  pasteKeys,
  putKeys,
  scaleKeys,
  selectedKeys,
  setInterpolation,
  setTangents,
  stillSelected,
} from './clip/clip.js';
import { poseAt } from './clip/clip-motion.js';
import { jointGroups } from './clip/joint-groups.js';
import { tangentOf } from './curves/curve-edit.js';
import { cyclePose } from './loop/cycle.js';
import { advanced, timeline } from './timeline.js';

/** Change of a joint that a key is worth, rad, and of a place, over the size of the character. */
const CHANGED = 1e-4;
/** Frames between a key and its copy. */
const DUPLICATE_AFTER = 1;

export interface OpenedClips {
  readonly file: File;
  /** Files that it may name. */
  readonly others: readonly File[];
  readonly clips: readonly FileClip[];
}

/** What is shown of the clip; undo does not touch it. */
interface Animate {
  readonly selected: ReadonlySet<string>;
  readonly isPlaying: boolean;
  readonly loops: boolean;
  /** Of real time. */
  readonly speed: number;
  /** Whether posing writes keys. */
  readonly autokey: boolean;
  readonly showsGhosts: boolean;
  readonly showsTrail: boolean;
  /** Whether what a clip was put on from is shown beside the character, with its contacts. */
  readonly showsSource: boolean;
  /** The handle whose path is shown: the last that was pressed or focused. */
  readonly handle: string | undefined;
  /** What the strip shows. */
  readonly strip: 'keys' | 'curves';
  /** The joint whose curves are shown; undefined for that of the handle. */
  readonly curves: string | undefined;
  /** How much closer than the whole clip. */
  readonly zoom: number;
  readonly copied: CopiedKeys | undefined;
  /** The clip while keys are dragged. */
  readonly preview: Clip | undefined;
  /** The file of clips that was opened; those of the character's own file where none was. */
  readonly opened: OpenedClips | undefined;
  /** Whether an imported clip has a key at every frame, in place of as few as keep its motion. */
  readonly everyFrame: boolean;
  /** What is being read or written; empty for nothing. */
  readonly busy: string;
  readonly problem: string;
  /** What was done last, said while its clip is there. */
  readonly said: { readonly clip: Clip; readonly words: string } | undefined;
}

export const useAnimate = create<Animate>(() => ({
  selected: new Set(),
  isPlaying: false,
  loops: true,
  speed: 1,
  autokey: true,
  showsGhosts: false,
  showsTrail: false,
  showsSource: true,
  handle: undefined,
  strip: 'keys',
  curves: undefined,
  zoom: 1,
  copied: undefined,
  preview: undefined,
  opened: undefined,
  everyFrame: false,
  busy: '',
  problem: '',
  said: undefined,
}));

/** What plays the clip; another mode may have come with its own. */
let player: Driver | undefined;
interface Shown {
  readonly given: Clip | undefined;
  readonly character: Character;
  readonly clip: Clip;
}

let shown: Shown | undefined;
/** The last that was a clip of its character: another may come in the place of this. */
let owned: Shown | undefined;

/** The clip of a document on its character, one without keys where it has none. The same object for the same document. */
export function clipOf({
  clip: given,
  character,
  pose,
}: Pick<Document, 'clip' | 'character' | 'pose'>): Clip {
  if (shown !== undefined && shown.given === given && shown.character === character) return shown.clip;
  const own = clipFor(given, character);
  const clip = own ?? emptyClip(character, pose);
  shown = { given, character, clip };
  if (own !== undefined) owned = { given, character, clip };
  return clip;
}

/** The clip as it is shown. */
export function currentClip(): Clip {
  return useAnimate.getState().preview ?? clipOf(useStudio.getState().document);
}

export function useClip(): Clip {
  const preview = useAnimate((animate) => animate.preview);
  const document = useStudio((studio) => studio.document);
  return preview ?? clipOf(document);
}

/** Shows the pose of the clip at the time, and pins what is pinned where it is. */
function show(): void {
  const clip = currentClip();
  if (hasKeys(clip)) {
    takePose(clip);
    // What is shown is solved already.
    session.restore(session.snapshot());
  }
  view.invalidate();
}

function takePose(clip: Clip): void {
  const { character, pins } = session;
  session.setPose(character, poseAt(clip, character, timeline.time), [...pins.keys()]);
}

/** Whether something of the clip is dragged. */
export function hasDrag(): boolean {
  return useAnimate.getState().preview !== undefined;
}

/** Shows what a drag makes of the clip; nothing is kept. */
export function previewClip(
  preview: Clip | undefined,
  selected: ReadonlySet<string> = useAnimate.getState().selected,
): void {
  pause();
  useAnimate.setState({ preview, selected });
  const clip = currentClip();
  if (preview !== undefined && hasKeys(clip)) session.follow(poseAt(clip, session.character, timeline.time));
  view.invalidate();
}

/** Shows the clip again as it was before the drag. */
export function cancelPreview(): boolean {
  if (!hasDrag()) return false;
  const { document } = useStudio.getState();
  useAnimate.setState({ preview: undefined });
  useAnimate.setState(({ selected }) => ({ selected: stillSelected(clipOf(document), selected) }));
  show();
  return true;
}

/** Goes to a time of the clip, s. */
export function goTo(time: number): void {
  pause();
  timeline.time = nearestFrame(currentClip(), time);
  show();
  view.follow();
}

/** Goes by frames. */
export function goFrames(count: number): void {
  goTo(timeline.time + count / currentClip().rate);
}

/** Goes to the next time with a key, or to the one before. */
export function goToKey(direction: 1 | -1): void {
  pause();
  const near = 1e-6;
  const times = keyTimes(currentClip()).filter((time) => direction * (time - timeline.time) > near);
  const next = direction > 0 ? times[0] : times.at(-1);
  if (next === undefined) return;
  timeline.time = next;
  show();
  view.follow();
}

export function play(): void {
  if (live.driver !== undefined) return;
  session.cancelDrag();
  if (timeline.time >= currentClip().duration) timeline.time = 0;
  let cycles = 0;
  player = {
    isMoving: true,
    step: (seconds) => {
      const clip = currentClip();
      const { loops, speed } = useAnimate.getState();
      const { time, ends } = advanced(timeline.time, speed * seconds, clip.duration, loops);
      if (time < timeline.time) cycles++;
      timeline.time = time;
      if (ends) pause();
      return hasKeys(clip) ? cyclePose(clip, session.character, time, cycles) : undefined;
    },
  };
  live.driver = player;
  useAnimate.setState({ isPlaying: true });
  view.invalidate();
}

/** Stops on a frame. */
export function pause(): void {
  if (!useAnimate.getState().isPlaying) return;
  live.driver = undefined;
  const clip = currentClip();
  if (timeline.time < clip.duration) timeline.time = nearestFrame(clip, timeline.time);
  useAnimate.setState({ isPlaying: false });
  show();
  view.follow();
}

export function togglePlay(): void {
  if (useAnimate.getState().isPlaying) pause();
  else play();
}

/** Makes a change of the clip that is undone as one. */
export function changeClip(
  label: string,
  clip: Clip,
  selected: ReadonlySet<string> = useAnimate.getState().selected,
  replaces = false,
): void {
  useAnimate.setState({ preview: undefined, selected: stillSelected(clip, selected) });
  if (clip === currentClip()) return;
  pause();
  timeline.time = Math.min(timeline.time, clip.duration);
  // Pins go with it: the document has the pose that is shown, and pins that hold there.
  if (hasKeys(clip)) takePose(clip);
  useStudio.getState().change(label, { clip }, replaces);
}

/**
 * A clip with keys from a pose at the time. It begins with all groups; where it begins later, what was there before is keyed at its start too.
 *
 * @param before - The pose that was shown.
 */
function keyed(
  clip: Clip,
  character: Character,
  before: Numbers,
  pose: Numbers,
  groups: readonly string[],
): Clip {
  const { time } = timeline;
  if (hasKeys(clip)) return putKeys(clip, character, time, pose, groups);
  const all = jointGroups(character).map(({ id }) => id);
  const begun = { ...clip, base: Array.from(before) };
  const started = time === 0 ? begun : putKeys(begun, character, 0, before, all);
  return putKeys(started, character, time, pose, all);
}

/** Keys of all groups, as the figure stands. */
export function keyAll(): void {
  pause();
  const { character, pose } = session;
  const groups = jointGroups(character).map(({ id }) => id);
  const before = useStudio.getState().document.pose;
  changeClip('Key the pose', keyed(currentClip(), character, before, pose, groups));
}

/** Keys for what a pose changed, in the step of undo of the pose. */
function completes(document: Document, before: Document): Partial<Document> {
  const { character, pose } = document;
  const isOther = document.clip !== before.clip || character !== before.character;
  if (!useAnimate.getState().autokey || isOther) return {};
  const clip = clipOf(before);
  const from = hasKeys(clip) ? poseAt(clip, character, timeline.time) : before.pose;
  const isLength = new Set(
    character.figure.bones.flatMap(({ joint, coordinate: n }) =>
      joint.type === 'free' ? [n, n + 1, n + 2] : [],
    ),
  );
  const changed = jointGroups(character).filter(({ coordinates }) =>
    coordinates.some(
      (n) => Math.abs(pose[n] - from[n]) > (isLength.has(n) ? CHANGED * character.size : CHANGED),
    ),
  );
  if (changed.length === 0) return {};
  const groups = changed.map(({ id }) => id);
  return { clip: keyed(clip, character, before.pose, pose, groups) };
}

function changeKeys(label: string, change: (clip: Clip, selected: ReadonlySet<string>) => KeyChange): void {
  const clip = currentClip();
  const { selected } = useAnimate.getState();
  const count = selectedKeys(clip, selected).length;
  if (count === 0) return;
  const changed = change(clip, selected);
  changeClip(`${label} ${keyWords(count)}`, changed.clip, changed.selected);
}

/** `1 key`, `3 keys`. */
export function keyWords(count: number): string {
  return count === 1 ? '1 key' : `${count} keys`;
}

export function deleteSelected(): void {
  changeKeys('Delete', (clip, selected) => ({ clip: deleteKeys(clip, selected), selected: new Set() }));
}

export function copySelected(): void {
  const { selected } = useAnimate.getState();
  const copied = copyKeys(currentClip(), selected);
  if (copied.keys.length > 0) useAnimate.setState({ copied });
}

export function cutSelected(): void {
  copySelected();
  deleteSelected();
}

/** At the time that is shown. */
export function paste(): void {
  const { copied } = useAnimate.getState();
  if (copied === undefined) return;
  const { clip, selected } = pasteKeys(currentClip(), copied, timeline.time);
  if (selected.size > 0) changeClip(`Paste ${keyWords(copied.keys.length)}`, clip, selected);
}

/** Right after the last of the selected keys. */
export function duplicateSelected(): void {
  changeKeys('Duplicate', (clip, selected) => {
    const times = selectedKeys(clip, selected).map(({ key }) => key.time);
    const last = times.reduce((a, b) => Math.max(a, b));
    return pasteKeys(clip, copyKeys(clip, selected), last + DUPLICATE_AFTER / clip.rate);
  });
}

export function selectAll(): void {
  const clip = currentClip();
  const ids = Object.entries(clip.keys).flatMap(([group, keys]) =>
    keys.map(({ time }) => `${group} ${time}`),
  );
  useAnimate.setState({ selected: new Set(ids) });
}

export function select(ids: Iterable<string>, adds = false): void {
  useAnimate.setState(({ selected }) => ({ selected: new Set(adds ? [...selected, ...ids] : ids) }));
}

/** Adds a key to the selection, or takes it out. */
export function toggleSelected(id: string): void {
  useAnimate.setState(({ selected }) => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    return { selected: next };
  });
}

/** Moves the selected keys, s. */
export function moveSelected(by: number): void {
  changeKeys('Move', (clip, selected) => moveKeys(clip, selected, by));
}

/** Stretches the selected keys from the first of them. */
export function stretchSelected(factor: number): void {
  if (!(factor > 0 && Number.isFinite(factor))) return;
  changeKeys('Stretch', (clip, selected) => {
    const times = selectedKeys(clip, selected).map(({ key }) => key.time);
    return scaleKeys(
      clip,
      selected,
      times.reduce((a, b) => Math.min(a, b)),
      factor,
    );
  });
}

export function interpolateSelected(interpolation: Interpolation): void {
  const { character } = session;
  changeKeys('Change the interpolation of', (clip, selected) => ({
    clip:
      interpolation === 'free'
        ? setTangents(clip, selected, (group, key) => tangentOf(clip, character, group, key))
        : setInterpolation(clip, selected, interpolation),
    selected,
  }));
}

/** Puts the clip on a character that has come in place of its own; once, so that it can be undone. */
async function adopt(): Promise<void> {
  const { clip, character } = useStudio.getState().document;
  const before = owned;
  if (before === undefined || clip === undefined || before.given !== clip) return;
  if (clipFor(clip, character) !== undefined) {
    adopted.delete(clip);
    return;
  }
  if (adopted.get(clip) === character) return;
  adopted.set(clip, character);
  useAnimate.setState({ busy: 'Putting the clip on the character', problem: '' });
  try {
    const { adoptClip } = await import('./import/adopt.js');
    const made = await adoptClip(before, character);
    const now = useStudio.getState().document;
    const { mode } = useStudio.getState();
    if (made !== undefined && mode === 'animate' && now.clip === clip && now.character === character)
      changeClip('Put the clip on the character', made, new Set());
  } catch (error) {
    useAnimate.setState({ problem: messageOf(error) });
  } finally {
    useAnimate.setState({ busy: '' });
  }
}

/** The character that a clip of another was put on last, or could not be. */
const adopted = new WeakMap<Clip, Character>();

/** Begins animating: shows the clip at the time, writes keys for poses, follows undo. @returns what ends it. */
export function enter(): () => void {
  live.completes = completes;
  live.cancels = cancelPreview;
  void adopt();
  timeline.time = Math.min(timeline.time, currentClip().duration);
  show();
  view.follow();
  let { clip, character } = useStudio.getState().document;
  const unsubscribe = useStudio.subscribe(({ document }) => {
    if (document.clip === clip && document.character === character) return;
    const before = clip;
    ({ clip, character } = document);
    void adopt();
    const now = clipOf(document);
    useAnimate.setState(({ selected }) => ({ selected: stillSelected(now, selected) }));
    timeline.time = Math.min(timeline.time, now.duration);
    show();
    // It may begin elsewhere.
    if (clip?.imported !== before?.imported) view.follow();
  });
  return () => {
    unsubscribe();
    if (live.driver === player) live.driver = undefined;
    live.completes = undefined;
    useAnimate.setState({ isPlaying: false, preview: undefined });
  };
}
