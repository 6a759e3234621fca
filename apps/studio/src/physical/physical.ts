/** The physics of the page: which part of the clip is made physical, what holds, and what has come of it. */
import { PoiseError } from 'poise';
import type { PhysicalContact } from 'poise/editing';
import { centerOfMass, createState, forwardKinematics } from 'poise/figure';
import { vec3 } from 'poise/math';
import { motionFromPoses } from 'poise/motion';
import { create } from 'zustand';
import { type Clip, emptyClip, hasKeys } from '../animate/clip/clip.js';
import { deviationOf, posesOf } from '../animate/clip/clip-from-poses.js';
import { poseAt } from '../animate/clip/clip-motion.js';
import { clipOf } from '../animate/store.js';
import { timeline } from '../animate/timeline.js';
import type { Character } from '../character/character.js';
import type { Document } from '../document/document.js';
import { type Driver, live } from '../live/driver.js';
import { view } from '../scene/view.js';
import { messageOf, useStudio } from '../session/store.js';
import { boneWords } from '../session/words.js';
import { AIR, type Arc, arcOf, secondsFor, withFlight } from './arc.js';
import { createPhysicalBody, type PhysicalBody } from './body.js';
import { type FootContact, feetIn, flightsOf, slidingOf } from './feet.js';
import { PRESETS, type PresetId, presetProblem } from './presets.js';
import type { PhysicalAnswer, PhysicalRequest } from './solve.js';
import type { PhysicalMessage } from './solve-worker.js';
import { frameCount, posesIn, replaceSpan, type Span, timesWithKeys, withoutKeysAt } from './span.js';
import { answerWords, FITS, failureWords, type Miss, progressWords, type Words } from './words.js';

/**
 * - `ready`: shows the clip.
 * - `works`: a worker computes; the motion so far is shown.
 * - `done`: what came of it is shown, to accept or to leave.
 */
export type Phase = 'ready' | 'works' | 'done';

/** What came of it. */
export interface Outcome {
  readonly words: Words;
  /** As of the answer. */
  readonly force: number | undefined;
  readonly soles: number | undefined;
  /** How far soles slide before and after, mm; undefined where none touches the floor. */
  readonly sliding: { readonly before: number | undefined; readonly after: number } | undefined;
  /** How far the keys are from what was computed, mm. */
  readonly deviation: number;
  readonly keys: number;
}

interface PhysicalView {
  readonly phase: Phase;
  /** As the button says it. */
  readonly label: string;
  /** The part to change; all of the clip where undefined. */
  readonly part: Span | undefined;
  /** Contacts that are switched off, and times of keys that need not hold. */
  readonly off: ReadonlySet<string>;
  readonly freeKeys: ReadonlySet<number>;
  readonly areExact: boolean;
  readonly showsGhost: boolean;
  readonly isPlaying: boolean;
  readonly says: string;
  /** How far it fits, 0 to 1; undefined where it does, and is made better. */
  readonly fits: number | undefined;
  /** Whether there is something to keep before it is done. */
  readonly canKeep: boolean;
  readonly outcome: Outcome | undefined;
  readonly problem: string;
  /** What the library says of the problem. */
  readonly details: string;
  /** Incremented when what is shown is another clip. */
  readonly version: number;
}

export const usePhysical = create<PhysicalView>(() => ({
  phase: 'ready',
  label: '',
  part: undefined,
  off: new Set(),
  freeKeys: new Set(),
  areExact: false,
  showsGhost: true,
  isPlaying: false,
  says: '',
  fits: 0,
  canKeep: false,
  outcome: undefined,
  problem: '',
  details: '',
  version: 0,
}));

/** What is computed. */
interface Work {
  /** The step of undo. */
  readonly label: string;
  /** The clip that the motion is put into, and where. */
  readonly base: Clip;
  readonly span: Span;
  /** What was, to compare with. */
  readonly before: Clip | undefined;
  readonly contacts: readonly PhysicalContact[];
  readonly keys: readonly number[];
  /** Whether weight holds, and not the feet alone. */
  readonly isPhysical: boolean;
  /** At frames of the span, so far, and how far they fit. */
  frames: readonly Float64Array[] | undefined;
  violation: number;
  result: Clip | undefined;
}

/** Poses a frame that are shown while it is computed, and that keys are compared with. */
const SHOWN = 2;
/** Knots a second where keys leave the floor: hops of characters from files take up to four times the steps with 16, and do not hold between them. */
const FLIGHT_RATE = 32;
/** Longest part, s: it takes minutes. */
const LONGEST = 10;
/** Most keys that a motion of least effort is looked for between: more are a motion, and the nearest is looked for. */
export const MOST_KEYS = 40;
/**
 * Likewise a second, and of a part however short: as many as what is computed has knots. Keys so dense leave it nothing to find between them, and ask for all the
 * detail of what was recorded, as forces.
 */
const MOST_KEYS_A_SECOND = 16;
const MOST_KEYS_OF_SHORT = 6;

class Physical implements Driver {
  #document: Document | undefined;
  #body: PhysicalBody | undefined;
  #bodyProblem = '';
  #work: Work | undefined;
  /** What was accepted last. Contacts that are found in its keys begin and end some frames off. */
  #accepted: Work | undefined;
  #worker: Worker | undefined;
  #isShown = false;
  #feet: { readonly clip: Clip; readonly span: Span; readonly found: readonly FootContact[] } | undefined;

  get isMoving(): boolean {
    return usePhysical.getState().isPlaying || !this.#isShown;
  }

  /** What is computed or done, of the character on screen: another may have come, which is not entered yet. */
  get #current(): Work | undefined {
    return this.#document?.character === this.character ? this.#work : undefined;
  }

  /** The clip on screen: that of the document, or what comes in its place. */
  get clip(): Clip {
    return this.#current?.result ?? this.#current?.base ?? this.given;
  }

  /** That of the document. */
  get given(): Clip {
    return clipOf(useStudio.getState().document);
  }

  /** What was, where it is compared with. */
  get before(): Clip | undefined {
    return this.#current?.before;
  }

  get character(): Character {
    return useStudio.getState().document.character;
  }

  get body(): PhysicalBody | undefined {
    return this.#document?.character === this.character ? this.#body : undefined;
  }

  /** The part that is changed, or would be. */
  get span(): Span {
    return this.#current?.span ?? this.chosenSpan();
  }

  /** The part that is chosen, between times with keys. */
  chosenSpan(): Span {
    const times = timesWithKeys(this.given);
    const all = { from: times[0] ?? 0, to: times.at(-1) ?? this.given.duration };
    const { part } = usePhysical.getState();
    if (part === undefined || !times.includes(part.from) || !times.includes(part.to)) return all;
    return part;
  }

  /** Heels and toes that are down in the part. */
  feet(): readonly FootContact[] {
    const { given } = this;
    const span = this.chosenSpan();
    const before = this.#feet;
    if (before?.clip === given && before.span.from === span.from && before.span.to === span.to)
      return before.found;
    const found = hasKeys(given) && span.to > span.from ? feetIn(given, this.character, span) : [];
    this.#feet = { clip: given, span, found };
    return found;
  }

  /** What touches the floor in what is on screen. */
  contacts(): readonly PhysicalContact[] {
    if (this.#current !== undefined) return this.#current.contacts;
    const { off } = usePhysical.getState();
    return this.feet().flatMap(({ id, contact }) => (off.has(id) ? [] : [contact]));
  }

  /** Times in the air in the clip on screen. */
  flights(): readonly Span[] {
    return flightsOf(this.#acceptedContacts() ?? this.contacts());
  }

  /** Ways of the centre of mass through the air in the clip on screen. */
  arcs(): readonly Arc[] {
    const { body, clip, character } = this;
    if (body === undefined || !body.isFree || !hasKeys(clip)) return [];
    return this.flights().map((span) =>
      arcOf(body.figure, body.gravity, span, (time) => poseAt(clip, character, time)),
    );
  }

  /** Those of what was accepted, while the clip and its part are as they were then. */
  #acceptedContacts(): readonly PhysicalContact[] | undefined {
    const { result, span, contacts } = this.#accepted ?? {};
    const { from, to } = this.span;
    const isSame = result === this.clip && span?.from === from && span.to === to;
    return isSame && usePhysical.getState().off.size === 0 ? contacts : undefined;
  }

  step(seconds: number): Float64Array | undefined {
    if (this.#document?.character !== this.character) return undefined;
    const { isPlaying } = usePhysical.getState();
    const { from, to } = this.span;
    if (isPlaying && to > from) {
      const next = timeline.time + seconds;
      timeline.time = next < from || next >= to ? from + (Math.max(0, next - to) % (to - from)) : next;
    } else if (this.#isShown) return undefined;
    this.#isShown = true;
    return this.#poseAt(timeline.time);
  }

  #poseAt(time: number): Float64Array | undefined {
    const work = this.#work;
    const { clip, character } = this;
    if (work?.result === undefined && work?.frames !== undefined) {
      const { from, to } = work.span;
      const last = work.frames.length - 1;
      const frame = Math.round(((time - from) / (to - from)) * last);
      if (frame >= 0 && frame <= last) return work.frames[frame];
    }
    return hasKeys(clip) ? poseAt(clip, character, time) : undefined;
  }

  /** Takes the document on screen, and drives the figure. */
  enter(document: Document): void {
    const before = this.#document;
    const isSame = before?.clip === document.clip && before?.character === document.character;
    this.#document = document;
    live.driver = this;
    if (isSame) {
      timeline.time = Math.min(timeline.time, this.clip.duration);
      this.#shows();
      return;
    }
    this.#end();
    if (before?.character !== document.character) {
      usePhysical.setState({ part: undefined, off: new Set(), freeKeys: new Set() });
      this.#body = undefined;
      this.#bodyProblem = '';
      try {
        this.#body = createPhysicalBody(document.character);
      } catch (error) {
        if (!(error instanceof PoiseError)) throw error;
        this.#bodyProblem = messageOf(error);
      }
    }
    timeline.time = Math.min(timeline.time, this.given.duration);
  }

  /** What is computed continues, and what is done waits to be accepted, as long as the clip and its character stay. */
  leave(): void {
    this.pause();
    if (live.driver === this) live.driver = undefined;
  }

  /** Why the part cannot be made physical; empty where it can. */
  obstacle(): string {
    const { given } = this;
    if (this.#bodyProblem !== '') return this.#bodyProblem;
    if (timesWithKeys(given).length < 2) return 'Key two poses or more first, in Animate.';
    const { from, to } = this.chosenSpan();
    if (to - from > LONGEST) return `Choose a part of at most ${LONGEST} s: longer ones take too long.`;
    return '';
  }

  /** Times with keys of the part. */
  ownKeys(): readonly number[] {
    const { from, to } = this.chosenSpan();
    return timesWithKeys(this.given).filter((time) => time >= from && time <= to);
  }

  /** Keys between the first and the last of the part that are let go. */
  freedKeys(): readonly number[] {
    const { freeKeys } = usePhysical.getState();
    return this.innerKeys().filter((time) => freeKeys.has(time));
  }

  /** Keys that hold: the first and the last of the part, and those between that are not let go. */
  fixedKeys(): readonly number[] {
    const freed = new Set(this.freedKeys());
    return this.ownKeys().filter((time) => !freed.has(time));
  }

  /** Keys that may be let go. */
  innerKeys(): readonly number[] {
    return this.ownKeys().slice(1, -1);
  }

  /** Whether there are more keys than a motion of least effort is looked for between: the nearest motion is. */
  get hasManyKeys(): boolean {
    const { from, to } = this.chosenSpan();
    const most = Math.max(MOST_KEYS_OF_SHORT, MOST_KEYS_A_SECOND * (to - from));
    return this.fixedKeys().length > Math.min(MOST_KEYS, most);
  }

  /** Computes the motion of least effort through the keys. */
  make(): void {
    const body = this.#body;
    if (body === undefined || this.obstacle() !== '') return;
    const { given, character } = this;
    const span = this.chosenSpan();
    const keys = this.fixedKeys();
    if (this.hasManyKeys) {
      this.#nearest('Make it physical', true);
      return;
    }
    const contacts = this.contacts();
    this.#start(
      { label: 'Make it physical', base: given, span, before: given, contacts, keys, isPhysical: true },
      {
        type: 'keys',
        figure: body.figure,
        frames: SHOWN * frameCount(given, span),
        times: keys,
        poses: keys.map((time) => poseAt(given, character, time)),
        areExact: usePhysical.getState().areExact,
        ...(flightsOf(contacts).length > 0 && { rate: FLIGHT_RATE }),
        contacts,
        gravity: body.gravity,
        locked: body.locked,
      },
    );
  }

  /** Computes the nearest motion whose feet stay where they stand. */
  clean(): void {
    this.#nearest('Clean the feet', false);
  }

  #nearest(label: string, isPhysical: boolean): void {
    const body = this.#body;
    if (body === undefined || this.obstacle() !== '') return;
    const { given, character } = this;
    const span = this.chosenSpan();
    // What is let go is said below *Make it physical*: feet are cleaned of the clip as it is.
    const nearTo = isPhysical ? withoutKeysAt(given, new Set(this.freedKeys())) : given;
    const poses = posesIn(nearTo, character, span);
    const times = poses.map((_, k) =>
      k === poses.length - 1 ? span.to : span.from + ((span.to - span.from) * k) / (poses.length - 1),
    );
    const contacts = this.contacts();
    this.#start(
      { label, base: given, span, before: given, contacts, keys: [], isPhysical },
      {
        type: 'clean',
        figure: body.figure,
        frames: SHOWN * frameCount(given, span),
        motion: motionFromPoses(body.figure, times, poses),
        isPhysical,
        contacts,
        gravity: body.gravity,
        locked: body.locked,
      },
    );
  }

  /** Finds a motion of the built-in human from nothing. */
  find(id: PresetId): void {
    const body = this.#body;
    const preset = PRESETS.find((each) => each.id === id);
    if (body === undefined || preset === undefined) return;
    const { character } = this;
    const data = presetProblem(id, character);
    const duration = data.duration as number;
    const base = { ...emptyClip(character, character.pose), duration };
    const span = { from: 0, to: duration };
    const contacts = data.terms.flatMap((term): PhysicalContact[] => (term.type === 'contact' ? [term] : []));
    this.#start(
      { label: preset.label, base, span, before: undefined, contacts, keys: [], isPhysical: true },

      { type: 'preset', figure: body.figure, frames: SHOWN * frameCount(base, span), data },
      preset.says,
    );
  }

  #start(
    work: Omit<Work, 'frames' | 'violation' | 'result'>,
    request: PhysicalRequest,
    says = 'It begins.',
  ): void {
    this.#stopWorker();
    const own: Work = { ...work, frames: undefined, violation: Number.POSITIVE_INFINITY, result: undefined };
    this.#work = own;
    timeline.time = work.span.from;
    const worker = new Worker(new URL('./solve-worker.ts', import.meta.url), { type: 'module' });
    this.#worker = worker;
    worker.onmessage = ({ data }: MessageEvent<PhysicalMessage>) => {
      if (this.#worker !== worker) return;
      const { clip, character } = useStudio.getState().document;
      if (clip !== this.#document?.clip || character !== this.#document?.character) {
        // It has changed in another mode.
        this.#end();
        return;
      }
      if ('progress' in data) {
        const { violation, poses } = data.progress;
        own.frames = poses;
        own.violation = violation;
        usePhysical.setState({
          says: progressWords(data.progress, own.isPhysical),
          fits: fitOf(violation),
          canKeep: true,
        });
        this.#shows();
        return;
      }
      this.#stopWorker();
      if ('error' in data) this.#fail(data.error, data.details);
      else this.#finish(own, data.answer);
    };
    worker.onerror = ({ message }) => {
      if (this.#worker !== worker) return;
      this.#stopWorker();
      this.#fail(failureWords(undefined), message);
    };
    usePhysical.setState(({ version }) => ({
      phase: 'works',
      label: work.label,
      says,
      fits: 0,
      canKeep: false,
      outcome: undefined,
      problem: '',
      isPlaying: !matchMedia('(prefers-reduced-motion: reduce)').matches,
      version: version + 1,
    }));
    this.#shows();
    worker.postMessage(request);
  }

  #finish(work: Work, answer: PhysicalAnswer): void {
    const { character } = this;
    const { span, base, before, contacts } = work;
    const { motion } = answer;
    const result = replaceSpan(base, character, span, motion);
    work.result = result;
    const unit = this.#body?.unit ?? 1;
    const rate = SHOWN * base.rate;
    const poses = posesOf(character.figure, motion, character.figure, rate);
    const sliding =
      contacts.length === 0
        ? undefined
        : {
            before: before && slidingOf(before, character, contacts, unit),
            after: slidingOf(result, character, contacts, unit),
          };
    usePhysical.setState(({ version }) => ({
      phase: 'done',
      outcome: {
        words: answerWords(inClip(answer, span), {
          misses: this.#misses(work, result),
          isPhysical: work.isPhysical,
          flies: contacts.length === 0 && (this.#body?.isFree ?? false),
          footName: (bone) => this.#footName(bone),
        }),
        force: answer.force,
        soles: answer.soles,
        sliding,
        deviation: deviationOf(result, character, poses, (frame) => span.from + frame / rate) / unit,
        keys: Object.values(result.keys).reduce((sum, keys) => sum + keys.length, 0),
      },
      version: version + 1,
    }));
    this.#shows();
  }

  #footName(bone: string): string {
    const { figure, humanoid } = this.character;
    const index = humanoid?.bones.leftFoot;
    return index !== undefined && figure.bones[index].name === bone ? 'The left foot' : 'The right foot';
  }

  /** How far the motion is from the keys that hold. */
  #misses({ before, contacts, keys }: Work, result: Clip): Miss[] {
    const body = this.#body;
    if (body === undefined || before === undefined) return [];
    const { character } = this;
    const { unit, figure } = body;
    const g = vec3.norm(body.gravity);
    const flights = flightsOf(contacts);
    const [a, b] = [createState(figure), createState(figure)];
    const locked = new Set(body.locked);
    return keys.map((time): Miss => {
      forwardKinematics(a, poseAt(before, character, time));
      forwardKinematics(b, poseAt(result, character, time));
      let farthest = { distance: 0, joint: '' };
      for (const { index, name } of figure.bones) {
        if (locked.has(name)) continue;
        const [p, q] = [a, b].map(({ worldFromBone }) =>
          worldFromBone.subarray(12 * index + 9, 12 * index + 12),
        );
        const distance = vec3.distance(p, q) / unit;
        if (distance > farthest.distance) farthest = { distance, joint: this.#jointName(index) };
      }
      const rise =
        vec3.dot(vec3.subtract(Array.from(centerOfMass(b)), Array.from(centerOfMass(a))), figure.up) / unit;
      const flight = flights.find(({ from, to }) => from <= time && time <= to);
      const air = flight && {
        seconds: flight.to - flight.from,
        height: ((g / unit) * (flight.to - flight.from) ** 2) / 8,
      };
      return { time, ...farthest, rise, air };
    });
  }

  #jointName(index: number): string {
    const { bones, figure } = this.character;
    const human = Object.entries(bones).find(([, bone]) => bone === index)?.[0];
    return human === undefined ? figure.bones[index].name : `the ${boneWords(human).toLowerCase()}`;
  }

  #fail(problem: string, details: string): void {
    this.#work = undefined;
    usePhysical.setState(({ version }) => ({
      phase: 'ready',
      problem,
      details,
      isPlaying: false,
      version: version + 1,
    }));
    this.#shows();
  }

  /** Takes the motion as that of the document: one step of undo. */
  accept(): void {
    const work = this.#work;
    if (work?.result === undefined) return;
    const { label, result } = work;
    this.#accepted = work;
    this.pause();
    useStudio.getState().change(label, { clip: result });
  }

  /** Ends before it is done, with the motion so far, to accept or to leave. */
  keep(): void {
    const work = this.#work;
    if (work?.frames === undefined || work.result !== undefined) return;
    this.#stopWorker();
    const { frames, violation, span } = work;
    const times = frames.map((_, k) => ((span.to - span.from) * k) / (frames.length - 1));
    this.#finish(work, {
      status: 'stopped',
      violation,
      force: undefined,
      soles: undefined,
      conflicts: [],
      motion: motionFromPoses(this.character.figure, times, frames),
    });
  }

  /** Leaves the document as it is. */
  cancel(): void {
    if (this.#work === undefined) return;
    this.#end();
  }

  #end(): void {
    this.#stopWorker();
    this.#work = undefined;
    usePhysical.setState(({ version }) => ({
      phase: 'ready',
      outcome: undefined,
      problem: '',
      isPlaying: false,
      version: version + 1,
    }));
    timeline.time = Math.min(timeline.time, this.given.duration);
    this.#shows();
  }

  #stopWorker(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
  }

  goTo(time: number): void {
    this.pause();
    timeline.time = Math.min(Math.max(time, 0), this.clip.duration);
    this.#shows();
  }

  pause(): void {
    usePhysical.setState({ isPlaying: false });
  }

  togglePlay(): void {
    usePhysical.setState(({ isPlaying }) => ({ isPlaying: !isPlaying }));
    this.#shows();
  }

  /** Chooses the part between two times with keys; all of the clip where it is left out. */
  choose(part: Span | undefined): void {
    if (usePhysical.getState().phase !== 'ready') return;
    usePhysical.setState({ part, problem: '' });
    this.#shows();
  }

  toggleContact(id: string): void {
    usePhysical.setState(({ off }) => ({ off: toggled(off, id), problem: '' }));
    this.#shows();
  }

  keepAllKeys(): void {
    usePhysical.setState({ freeKeys: new Set(), problem: '' });
  }

  toggleKey(time: number): void {
    usePhysical.setState(({ freeKeys }) => ({ freeKeys: toggled(freeKeys, time), problem: '' }));
  }

  /** Gives a flight the time that a jump of a height takes: keys after it move. */
  setHeight(arc: Arc, height: number): void {
    this.#setSeconds(arc, secondsFor(arc, height));
  }

  /** Makes a flight longer by frames, or shorter. */
  addFrames({ span }: Arc, count: number): void {
    const seconds = span.to - span.from + count / this.given.rate;
    this.#setSeconds({ span }, Math.min(Math.max(seconds, AIR.min), AIR.max));
  }

  #setSeconds({ span }: Pick<Arc, 'span'>, seconds: number): void {
    const clip = withFlight(this.given, span, seconds);
    if (clip === this.given) return;
    usePhysical.setState({ part: undefined });
    useStudio.getState().change('Change the time in the air', { clip });
  }

  /** Draws another frame. */
  draw(): void {
    this.#shows();
  }

  #shows(): void {
    this.#isShown = false;
    view.invalidate();
  }
}

export const physical = new Physical();

function toggled<T>(set: ReadonlySet<T>, item: T): ReadonlySet<T> {
  const next = new Set(set);
  if (!next.delete(item)) next.add(item);
  return next;
}

/** How far a bar is, 0 to 1: a share of the powers of ten. */
function fitOf(violation: number): number | undefined {
  if (violation < FITS) return undefined;
  return Math.min(Math.max(Math.log10(violation) / Math.log10(FITS), 0), 1);
}

/** An answer whose conflicts have the times of the clip, not of the part. */
function inClip(answer: PhysicalAnswer, { from }: Span): PhysicalAnswer {
  return { ...answer, conflicts: answer.conflicts.map((each) => ({ ...each, at: each.at + from })) };
}
