import { readPose } from '@poise/formats';
import { type IkResult, PoiseError } from 'poise';
import { create } from 'zustand';
import { openPose } from './export-pose.js';
import { HANDLES, type HandleId } from './handles.js';
import { Session } from './session.js';
import { blockedWords, jointWords, limitWords, type ShownStatus } from './words.js';

/** The session of the page. It changes every frame; React gets a {@link View} a few times a second. */
export const session = new Session();

export interface GoalView {
  readonly id: HandleId;
  readonly label: string;
  readonly pinned: boolean;
  readonly dragged: boolean;
  /** Distance to the target, mm; undefined without a goal. */
  readonly millimetres: number | undefined;
}

export interface LimitView {
  readonly joint: string;
  readonly words: string;
  /** Whether it blocks a goal, rather than being touched only. */
  readonly blocks: boolean;
}

/** Contents of the panel. */
export interface View {
  readonly status: ShownStatus;
  /** The blocking joints in words; empty without any. */
  readonly blocked: string;
  readonly goals: readonly GoalView[];
  readonly limits: readonly LimitView[];
  readonly iterations: number;
  /** Mean over the last second of solves: a single one is shorter than the resolution of a browser's timer. */
  readonly solveMilliseconds: number | undefined;
  readonly framesPerSecond: number | undefined;
}

interface Studio {
  readonly view: View;
  readonly height: number;
  readonly showLimits: boolean;
  readonly dragging: HandleId | undefined;
  readonly pinned: ReadonlySet<HandleId>;
  /** Incremented with every action, so that the scene is drawn again. */
  readonly actions: number;
  refresh(timing: Pick<View, 'solveMilliseconds' | 'framesPerSecond'>): void;
  /** Why a file could not be opened, until the next action. */
  readonly problem: string;
  reset(): void;
  /** Loads the pose of a file. */
  open(name: string, text: string): void;
  releasePins(): void;
  pinFeet(): void;
  togglePin(id: HandleId): void;
  setHeight(height: number): void;
  setShowLimits(show: boolean): void;
  beginDrag(id: HandleId): void;
  endDrag(): void;
}

/** The blocking joints, and a hint. */
function blockedSentences(result: IkResult | undefined): string {
  if (result?.status !== 'limit-blocked') return '';
  const bones = result.activeLimits.map(({ bone }) => bone);
  const { drag, pins } = session;
  const squats = drag?.id === 'hips' && bones.some((bone) => bone.endsWith('Foot')) && pins.has('leftFoot');
  const hint = squats ? 'With both soles pinned flat, the hips go lower if they also move back.' : '';
  return [blockedWords(bones), hint].filter(Boolean).join(' ');
}

function viewOf(result: IkResult | undefined): Omit<View, 'solveMilliseconds' | 'framesPerSecond'> {
  const { figure, pose, pins, drag } = session;
  const blocking = new Set(result?.activeLimits.map(({ coordinate }) => coordinate));
  // One row a bone, for swing and twist of its joint together.
  const limits = new Map<number, LimitView>();
  for (const n of session.touchedLimits()) {
    const component = figure.limitComponents[n];
    const words = limitWords(figure, component, pose);
    const before = limits.get(component.bone);
    limits.set(component.bone, {
      joint: jointWords(figure.bones[component.bone].name),
      words: before ? `${before.words}, ${words}` : words,
      blocks: blocking.has(component.coordinate) || (before?.blocks ?? false),
    });
  }
  return {
    status: result?.status ?? 'idle',
    blocked: blockedSentences(result),
    goals: HANDLES.map(({ id, label }) => {
      const left = session.distanceLeft(id);
      return {
        id,
        label,
        pinned: pins.has(id),
        dragged: drag?.id === id,
        millimetres: left === undefined ? undefined : 1000 * left,
      };
    }),
    limits: [...limits.values()].sort((a, b) => Number(b.blocks) - Number(a.blocks)),
    iterations: session.lastSolve?.iterations ?? 0,
  };
}

export const useStudio = create<Studio>((set) => {
  /** After an action: requests a frame and updates the view. */
  const acted = () => {
    set(({ actions }) => ({
      actions: actions + 1,
      problem: '',
      pinned: new Set(session.pins.keys()),
      dragging: session.drag?.id,
      height: session.height,
    }));
  };
  const action =
    <A extends unknown[]>(act: (...args: A) => void) =>
    (...args: A) => {
      act(...args);
      acted();
    };
  session.step(0);
  return {
    view: { ...viewOf(session.result), solveMilliseconds: undefined, framesPerSecond: undefined },
    height: session.height,
    showLimits: true,
    dragging: undefined,
    pinned: new Set(session.pins.keys()),
    actions: 0,
    problem: '',
    refresh: (timing) => set({ view: { ...viewOf(session.result), ...timing } }),
    reset: action(() => session.reset()),
    open: (name, text) => {
      try {
        openPose(session, readPose(text, { source: name }), name);
        acted();
      } catch (error) {
        if (!(error instanceof PoiseError)) throw error;
        set({ problem: error.message });
      }
    },
    releasePins: action(() => session.releasePins()),
    pinFeet: action(() => session.pinFeet()),
    togglePin: action((id) => session.togglePin(id)),
    setHeight: action((height) => session.setHeight(height)),
    setShowLimits: (showLimits) => set(({ actions }) => ({ showLimits, actions: actions + 1 })),
    beginDrag: action((id) => session.beginDrag(id)),
    endDrag: action(() => session.endDrag()),
  };
});
