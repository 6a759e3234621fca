import { type IkResult, PoiseError } from 'poise';
import { create } from 'zustand';
import { BodyModel } from '../character/body-model.js';
import { type Character, createHuman, HEIGHTS, shownHeight } from '../character/character.js';
import { endingOf } from '../character/files.js';
import type { Holds } from '../character/handles.js';
import type { Limb } from '../character/limbs.js';
import { type Limits, withLimits } from '../character/limits.js';
import { type Document, EMPTY, isSameDocument, type SessionState } from '../document/document.js';
import { commit, createHistory, redo, replacePresent, undo } from '../document/history.js';
import { live } from '../live/driver.js';
import type { Grip } from './drag.js';
import { Session } from './session.js';
import {
  boneWords,
  endWords,
  HOLDS_WORDS,
  jointWords,
  type ShownStatus,
  type StatusWords,
  statusWords,
  stoppedSentence,
} from './words.js';

export type ModeId = 'pose' | 'animate' | 'fall' | 'physical' | 'learn';

/** The character with which every page begins. Undo keeps each that was there: it is made once. */
export const usualHuman = human(HEIGHTS.usual);

/** The session of the page. It changes every frame; React gets a {@link View} a few times a second. */
export const session = new Session(usualHuman);

/** The built-in human of a height, m. */
export function human(height: number): Character {
  return createHuman(height, (figure, stature) => new BodyModel(figure, stature));
}

export interface GoalView {
  readonly id: string;
  readonly label: string;
  /** What its pin holds; undefined without one. */
  readonly holds: Holds | undefined;
  readonly rotates: boolean;
  readonly dragged: boolean;
  /** Distance to the target, mm, and angle from its orientation, degrees; undefined without such a goal. */
  readonly millimetres: number | undefined;
  readonly degrees: number | undefined;
}

export interface LimitView {
  /** Index of the bone below the joint. */
  readonly bone: number;
  readonly joint: string;
  readonly words: string;
  /** Whether it blocks a goal, rather than being touched only. */
  readonly blocks: boolean;
}

/** What undo and redo would do, as a menu says it; undefined where there is nothing to. */
export interface Steps {
  readonly undo: string | undefined;
  readonly redo: string | undefined;
}

/** Joints at which a drag ended. */
export interface Stopped {
  /** As a sentence says it. */
  readonly words: string;
  /** The bone below the first of them. */
  readonly bone: number;
}

/** Contents of the panel. */
export interface View {
  readonly status: ShownStatus;
  readonly words: StatusWords;
  readonly goals: readonly GoalView[];
  readonly limits: readonly LimitView[];
  readonly iterations: number;
  readonly ground: boolean;
  readonly balance: boolean;
  readonly apart: boolean;
  /** Whether it looks at something, and how far the head is short of it, degrees. */
  readonly looks: boolean;
  readonly gazeDegrees: number | undefined;
  /** Distance of the centre of mass from its support, mm; undefined while balance asks for nothing. */
  readonly balanceMillimetres: number | undefined;
  /** Mean over the last second of solves: a single one is shorter than the resolution of a browser's timer. */
  readonly solveMilliseconds: number | undefined;
  readonly framesPerSecond: number | undefined;
}

interface Studio {
  readonly view: View;
  readonly character: Character;
  /** As of the last action. */
  readonly document: Document;
  readonly mode: ModeId;
  readonly showLimits: boolean;
  readonly dragging: string | undefined;
  readonly pinned: ReadonlySet<string>;
  /** Incremented with every action, so that the scene is drawn again. */
  readonly actions: number;
  refresh(timing: Pick<View, 'solveMilliseconds' | 'framesPerSecond'>): void;
  /** Why a file could not be opened, until the next action. */
  readonly problem: string;
  readonly steps: Steps;
  /** What kept the last drag from where it was pulled, until the next action. */
  readonly stopped: Stopped | undefined;
  setMode(mode: ModeId): void;
  /** Makes a change of the document that is undone as one; of the same label in a row, as one where `replaces` is true. */
  change(label: string, change: Partial<Omit<Document, keyof SessionState>>, replaces?: boolean): void;
  /** Takes a pose as that of the document, as one action; pinned is what was, or `pins`. */
  keepPose(
    label: string,
    pose: ArrayLike<number>,
    options?: {
      readonly replaces?: boolean;
      readonly pins?: ReadonlyMap<string, Holds>;
      readonly gaze?: readonly number[] | undefined;
    },
  ): void;
  undo(): void;
  redo(): void;
  reset(): void;
  /** Opens a pose, or a character with others that it names. */
  open(file: File, others?: readonly File[]): Promise<void>;
  /** Name of a file that is being read. */
  readonly opening: string;
  releasePins(): void;
  pinFeet(): void;
  togglePin(id: string): void;
  setGround(isOn: boolean): void;
  setBalance(isOn: boolean): void;
  /** Keeps hands and forearms off trunk, head and each other, where `session.apartOf` is there. */
  setApart(isOn: boolean): void;
  /** Looks at what is ahead, or at nothing. */
  setLooks(isOn: boolean): void;
  /** Begins to drag what it looks at. */
  beginGaze(): void;
  endGaze(replaces?: boolean): void;
  /** Pins a handle, or changes what its pin holds. */
  pin(id: string, holds: Holds): void;
  /** Sets limits in place of the character's own; with `replaces`, as one step with what was done last. */
  setLimits(label: string, limits: Limits, replaces?: boolean): void;
  /** Shows limits that are dragged. */
  dragLimits(limits: Limits): void;
  /** Keeps them, unless they were put back meanwhile. */
  endLimitDrag(label: string): void;
  /** Of the built-in human, m; within `HEIGHTS`. */
  setHeight(height: number): void;
  /** Takes a document: as one step of undo, or without a label as that with which the page begins. */
  take(document: Document, label?: string): void;
  /** Takes another character in place of this one. */
  setCharacter(character: Character): void;
  setShowLimits(show: boolean): void;
  /** A handle, or a point of the skin. */
  beginDrag(grip: string | Grip): void;
  /** Begins to swivel a limb about the line between its ends. */
  beginSwivel(limb: Limb): void;
  /** Begins to turn the bone of a handle's rings. */
  beginTurn(id: string): void;
  /** With `replaces`, as one step with the one before, where that is called the same. */
  endDrag(replaces?: boolean): void;
  /** Puts back what is dragged. */
  cancelDrag(): void;
}

/** The joints that stop the drag; undefined where none does. */
function stoppedBy(): Stopped | undefined {
  const { result, figure } = session;
  if (result?.status !== 'limit-blocked') return undefined;
  const bones = result.activeLimits.map(({ bone }) => figure.bones.findIndex(({ name }) => name === bone));
  return bones.length === 0
    ? undefined
    : { words: stoppedSentence(bones.map((bone) => jointName(bone).toLowerCase())), bone: bones[0] };
}

/** What is said of the pose, and a hint. */
function wordsOf(result: IkResult | undefined): StatusWords {
  const { drag, pins, character } = session;
  const labelOf = (id: string) => session.handle(id).label;
  const name = (id: string) => (character.humanoid === undefined ? labelOf(id) : labelOf(id).toLowerCase());
  const bones = character.figure.bones;
  const joints = (result?.activeLimits ?? []).map(({ bone }) =>
    jointName(bones.findIndex((each) => each.name === bone)).toLowerCase(),
  );
  const words = statusWords({
    status: result?.status ?? 'idle',
    dragged:
      drag &&
      `the ${drag.limb ? drag.limb.label.toLowerCase() : drag.id === '' ? boneName(drag.bone) : name(drag.id)}`,
    pinned: [...pins.keys()].filter((id) => id !== drag?.id).map(name),
    joints,
    isFree: bones.some(({ joint }) => joint.type === 'free'),
    touchesItself: session.touchesItself,
  });
  const squats =
    result?.status === 'limit-blocked' &&
    drag?.id === 'hips' &&
    pins.has('leftFoot') &&
    joints.some((joint) => joint.endsWith('ankle'));
  return squats ? { ...words, says: `${words.says} The hips go lower if they also move back.` } : words;
}

/** Display name of a bone, of a human in the words for its bones whatever the file calls them. */
function boneName(index: number): string {
  const human = humanBone(index);
  return human === undefined ? session.figure.bones[index].name : boneWords(human).toLowerCase();
}

/** The same of its joint. */
function jointName(index: number): string {
  const human = humanBone(index);
  return human === undefined ? session.figure.bones[index].name : jointWords(human);
}

function humanBone(index: number): string | undefined {
  return Object.entries(session.character.bones).find(([, bone]) => bone === index)?.[0];
}

function viewOf(result: IkResult | undefined): Omit<View, 'solveMilliseconds' | 'framesPerSecond'> {
  const { character, figure, pose, pins, drag } = session;
  /** As it is drawn. */
  const millimetre = (1000 * shownHeight(character)) / character.size;
  const blocking = new Set(result?.activeLimits.map(({ coordinate }) => coordinate));
  // One row a bone, for swing and twist of its joint together.
  const limits = new Map<number, LimitView>();
  for (const n of session.touchedLimits()) {
    const component = figure.limitComponents[n];
    const words = endWords(figure, component, pose, humanBone(component.bone));
    const before = limits.get(component.bone);
    limits.set(component.bone, {
      bone: component.bone,
      joint: jointName(component.bone),
      words: before ? `${before.words}, ${words}` : words,
      blocks: blocking.has(component.coordinate) || (before?.blocks ?? false),
    });
  }
  return {
    status: result?.status ?? 'idle',
    words: wordsOf(result),
    goals: character.handles.map(({ id, label, rotates }) => {
      const left = session.distanceLeft(id);
      const angle = session.angleLeft(id);
      return {
        id,
        label,
        rotates,
        holds: pins.get(id)?.holds,
        dragged: drag?.id === id,
        millimetres: left === undefined ? undefined : millimetre * left,
        degrees: degreesOf(angle),
      };
    }),
    limits: [...limits.values()].sort((a, b) => Number(b.blocks) - Number(a.blocks)),
    iterations: session.lastSolve?.iterations ?? 0,
    ground: session.ground,
    balance: session.balance,
    apart: session.apart,
    looks: session.gaze !== undefined,
    gazeDegrees: degreesOf(session.gazeLeft()),
    balanceMillimetres: session.balanceLeft === undefined ? undefined : millimetre * session.balanceLeft,
  };
}

function degreesOf(angle: number | undefined): number | undefined {
  return angle === undefined ? undefined : (180 / Math.PI) * angle;
}

/** What is dragged, as a sentence says it: `left hand`. */
function nameOf({ id, bone }: { readonly id: string; readonly bone: number }): string {
  const { handles, bones, figure } = session.character;
  const handle = handles.find((each) => each.id === id);
  if (handle !== undefined) return handle.label.toLowerCase();
  const humans = new Map(Object.entries(bones).map(([name, index]) => [index, name]));
  // What is no human bone, as a socket, belongs to the one that carries it.
  for (let b = bone; b >= 0; b = figure.bones[b].parent) {
    const human = humans.get(b);
    if (human !== undefined) return boneWords(human).toLowerCase();
  }
  return figure.bones[bone].name;
}

/** What a drag is called as a step of undo. */
export function dragLabel(drag: NonNullable<Session['drag']>): string {
  if (drag.limb) return `Swivel the ${drag.limb.label.toLowerCase()}`;
  return `${drag.kind === 'move' ? 'Move' : 'Turn'} the ${nameOf(drag)}`;
}

/** What keeps a file from being opened, with its name. */
export function problemOf(error: unknown, name: string): string {
  // Nobody has an option to raise here.
  if (error instanceof PoiseError && error.code === 'over-budget')
    return `${clauseOf(error)} Give a smaller file.`;
  const message = messageOf(error);
  return error instanceof PoiseError || message.startsWith(name) ? message : `${name}: ${message}`;
}

/** What an error says, as sentences. */
export function messageOf(error: unknown): string {
  if (error instanceof PoiseError) return `${clauseOf(error)} ${error.remedy}`;
  return error instanceof Error ? error.message : String(error);
}

/** `my.poise is no project.`, but `a.urdf: its XML does not parse.`, which has a subject of its own. */
function clauseOf({ path, what }: PoiseError): string {
  return /^(its?|the|there|no)\b/.test(what) ? `${path}: ${what}` : `${path} ${what}`;
}

export const useStudio = create<Studio>((set, get) => {
  session.step(0);
  let history = createHistory({ ...EMPTY, ...session.snapshot() });
  /** After an action: requests a frame and updates the view. */
  const acted = () => {
    set(({ actions, view }) => ({
      actions: actions + 1,
      view: { ...view, ...viewOf(session.result) },
      problem: '',
      stopped: undefined,
      pinned: new Set(session.pins.keys()),
      dragging: session.drag?.id ?? (session.isGazing ? 'gaze' : undefined),
      character: session.character,
      document: history.present,
      steps: { undo: history.past.at(-1)?.label, redo: history.future[0]?.label },
    }));
  };
  /** Keeps what an action made of the session. One like the last, of the same gesture, replaces it. */
  const record = (label: string, replaces = false, change: Partial<Document> = {}) => {
    // What the goals still move belongs to the action.
    session.step(1 / 60);
    const made = { ...history.present, ...session.snapshot(), ...change };
    const document = { ...made, ...live.completes?.(made, history.present) };
    if (isSameDocument(document, history.present)) return;
    const continues = replaces && history.future.length === 0 && history.past.at(-1)?.label === label;
    history = continues ? replacePresent(history, document) : commit(history, label, document);
  };
  const action =
    <A extends unknown[]>(
      label: string | ((...args: A) => string),
      act: (...args: A) => void,
      replaces = false,
    ) =>
    (...args: A) => {
      const words = typeof label === 'string' ? label : label(...args);
      act(...args);
      record(words, replaces);
      acted();
    };
  const go = (step: typeof undo) => () => {
    // What is under way is put back, and nothing else.
    const isPutBack = session.cancelDrag();
    if (live.cancels?.() || isPutBack) {
      acted();
      return;
    }
    history = step(history);
    session.restore(history.present);
    acted();
  };
  return {
    view: { ...viewOf(session.result), solveMilliseconds: undefined, framesPerSecond: undefined },
    character: session.character,
    document: history.present,
    mode: 'pose',
    showLimits: true,
    dragging: undefined,
    pinned: new Set(session.pins.keys()),
    actions: 0,
    problem: '',
    opening: '',
    steps: { undo: undefined, redo: undefined },
    stopped: undefined,
    refresh: (timing) => set({ view: { ...viewOf(session.result), ...timing } }),
    setMode: (mode) => {
      // What has been entered keeps what it set.
      if (mode === get().mode) return;
      live.driver = undefined;
      live.completes = undefined;
      live.cancels = undefined;
      session.restore(history.present);
      set(({ actions }) => ({ mode, actions: actions + 1, stopped: undefined }));
    },
    change: (label, change, replaces) => {
      record(label, replaces, change);
      acted();
    },
    keepPose: (label, pose, { replaces, pins = [...session.pins.keys()], gaze = session.gaze } = {}) => {
      session.setPose(session.character, pose, pins, gaze);
      record(label, replaces);
      acted();
    },
    undo: go(undo),
    redo: go(redo),
    reset: action('Reset the pose', () => session.reset()),
    open: async (file, others) => {
      set({ opening: file.name, problem: '' });
      try {
        if (endingOf(file.name) === 'json') {
          const { openPoseFile } = await import('./export-pose.js');
          openPoseFile(session, await file.text(), file.name, human);
        } else {
          const { openCharacter } = await import('../character/open-character.js');
          session.setCharacter(await openCharacter(file, others));
        }
        record(`Open ${file.name}`);
        acted();
      } catch (error) {
        // Readers of three.js throw errors of their own.
        set({ problem: problemOf(error, file.name) });
      } finally {
        set({ opening: '' });
      }
    },
    releasePins: action('Release all pins', () => session.releasePins()),
    pinFeet: action('Pin the feet', () => session.pinStart()),
    togglePin: action(
      (id) => `${session.pins.has(id) ? 'Release' : 'Pin'} the ${session.handle(id).label.toLowerCase()}`,
      (id) => session.togglePin(id),
    ),
    dragLimits: (limits) => {
      session.dragLimits(limits);
      acted();
    },
    endLimitDrag: (label) => {
      if (!session.dragsLimits) return;
      session.endLimitDrag();
      record(label);
      acted();
    },
    setLimits: (label, limits, replaces) => {
      session.setLimits(limits);
      record(label, replaces);
      acted();
    },
    setHeight: action(
      'Change the height',
      (height) => {
        const { source } = session.character;
        const clamped = Math.min(HEIGHTS.max, Math.max(HEIGHTS.min, height));
        if (source.type === 'human' && Number.isFinite(clamped) && clamped !== source.height)
          session.resize(withLimits(human(clamped), session.character.limits));
      },
      true,
    ),
    take: (document, label) => {
      session.restore(document);
      const taken = { ...document, ...session.snapshot() };
      history = label === undefined ? createHistory(taken) : commit(history, label, taken);
      acted();
    },
    setCharacter: action(
      ({ source }) =>
        source.type === 'human'
          ? 'Take the built-in human'
          : `${source.type === 'made' ? 'Take the' : 'Open'} ${source.name}`,
      (character) => session.setCharacter(character),
    ),
    setShowLimits: (showLimits) => set(({ actions }) => ({ showLimits, actions: actions + 1 })),
    setGround: action('Keep above the floor', (isOn) => {
      session.ground = isOn;
    }),
    setBalance: action('Keep the balance', (isOn) => {
      session.balance = isOn;
    }),
    setApart: action('Keep hands off the body', (isOn) => {
      session.apart = isOn;
    }),
    setLooks: action(
      (isOn) => (isOn ? 'Look at a point' : 'Look at nothing'),
      (isOn) => session.look(isOn ? 'ahead' : undefined),
    ),
    beginGaze: () => {
      session.beginGaze();
      acted();
    },
    endGaze: (replaces) => {
      if (!session.isGazing) return;
      // The last place of the pointer.
      session.step(1 / 60);
      session.endGaze();
      record('Move the gaze', replaces);
      acted();
    },
    pin: action(
      (id, holds) => `Pin the ${session.handle(id).label.toLowerCase()}: ${HOLDS_WORDS[holds].toLowerCase()}`,
      (id, holds) => session.pin(id, holds),
    ),
    beginDrag: (grip) => {
      session.beginDrag(grip);
      acted();
    },
    beginSwivel: (limb) => {
      session.beginSwivel(limb);
      acted();
    },
    beginTurn: (id) => {
      session.beginTurn(id);
      acted();
    },
    endDrag: (replaces) => {
      const { drag } = session;
      if (drag === undefined) return;
      const stopped = stoppedBy();
      session.endDrag();
      record(dragLabel(drag), replaces);
      acted();
      set({ stopped });
    },
    cancelDrag: () => {
      session.cancelDrag();
      acted();
    },
  };
});
