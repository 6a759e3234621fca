import type { ContactPoints } from 'poise/editing';
import type { Triple } from 'poise/figure';
import type { Character } from '../../character/character.js';
import { messageOf, session, useStudio } from '../../session/store.js';
import { type Clip, selectedKeys } from '../clip/clip.js';
import { clipFromPoses, deviationOf } from '../clip/clip-from-poses.js';
import { playedMotion } from '../clip/clip-motion.js';
import { changeClip, clipOf, goTo, pause, useAnimate } from '../store.js';
import type { LoopAnswer, LoopRequest, LoopSpan } from './loop.js';
import type { LoopMessage } from './loop-worker.js';

/** The part between the first and the last of the selected keys; undefined where they are at one time. */
export function selectedSpan(clip: Clip, selected: ReadonlySet<string>): LoopSpan | undefined {
  const times = selectedKeys(clip, selected).map(({ key }) => key.time);
  const [from, to] = [Math.min(...times), Math.max(...times)];
  return to > from ? { from, to } : undefined;
}

/** Puts a part of the clip that repeats in its place: the one between selected keys, else the one that repeats best. */
export async function loopClip(): Promise<void> {
  pause();
  const { character } = session;
  const clip = clipOf(useStudio.getState().document);
  const { selected } = useAnimate.getState();
  useAnimate.setState({ busy: 'Finding a loop', problem: '' });
  try {
    const answer = await inWorker(requestOf(clip, character, selectedSpan(clip, selected)));
    // Something else may have come meanwhile.
    if (session.character !== character || clipOf(useStudio.getState().document) !== clip) return;
    const made = loopedClip(clip, character, answer);
    if (useStudio.getState().mode === 'animate') {
      goTo(0);
      changeClip('Make it loop', made, new Set());
    } else useStudio.getState().change('Make it loop', { clip: made });
    const { from, to } = answer.span;
    const words = `It repeats every ${(to - from).toFixed(2)} s: what was from ${from.toFixed(2)} to ${to.toFixed(2)} s.`;
    useAnimate.setState({ said: { clip: made, words } });
  } catch (error) {
    useAnimate.setState({ problem: messageOf(error) });
  } finally {
    useAnimate.setState({ busy: '' });
  }
}

/** What a worker needs to make a clip loop. */
export function requestOf(clip: Clip, character: Character, span: LoopSpan | undefined): LoopRequest {
  const { figure, floor, contacts } = character;
  const contactPoints = [...(contacts?.soles ?? [])].flatMap(([bone, corners]): ContactPoints[] => {
    const [heel, heelRight, left, right] = corners.map(({ 0: x, 1: y, 2: z }): Triple => [x, y, z]);
    const { name } = figure.bones[bone];
    return [
      { bone: name, points: [heel, heelRight] },
      { bone: name, points: [left, right] },
    ];
  });
  return { figure, motion: playedMotion(clip, character), rate: clip.rate, span, contactPoints, floor };
}

/** The clip of an answer. */
export function loopedClip(clip: Clip, character: Character, { poses }: LoopAnswer): Clip {
  const made = clipFromPoses(
    character,
    clip.rate,
    poses.map((pose) => Float64Array.from(pose)),
    false,
  );
  const deviation = deviationOf(made, character, poses);
  // Its contacts were those of all of the clip.
  const imported = clip.imported && { name: clip.imported.name, sliding: undefined, deviation, contacts: [] };
  return { ...made, imported };
}

function inWorker(request: LoopRequest): Promise<LoopAnswer> {
  const worker = new Worker(new URL('./loop-worker.ts', import.meta.url), { type: 'module' });
  return new Promise<LoopAnswer>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<LoopMessage>) => {
      if ('error' in data) reject(new Error(data.error));
      else resolve(data.answer);
    };
    worker.onerror = ({ message }) => reject(new Error(message || 'The worker has ended.'));
    worker.postMessage(request);
  }).finally(() => worker.terminate());
}
