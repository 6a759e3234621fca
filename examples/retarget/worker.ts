/** The whole worker: reads a clip, and puts it on the character. */
import { bindFigure, motionFromClip } from '@poise/three';
import { PoiseError } from 'poise';
import type { Motion } from 'poise/motion';
import { type Retargeter, type RetargetReport, retargetMotion } from 'poise/retarget';
import { AnimationClip, type AnimationClipJSON } from 'three';
import { type ObjectTree, objectsOf } from './object-tree.js';

/** A clip to put on a character. */
export interface RetargetRequest {
  readonly retargeter: Retargeter;
  readonly tree: ObjectTree;
  /** Nodes of the bones of `retargeter.source`; -1 for none. */
  readonly nodes: readonly number[];
  readonly clip: AnimationClipJSON;
  /** Frames a second. */
  readonly rate: number;
  readonly staysOnFloor: boolean;
}

/** Of `retargeter.target`. */
export interface RetargetAnswer {
  readonly motion: Motion;
  readonly report: RetargetReport;
  /** What is lost of the clip, one sentence each. */
  readonly warnings: readonly string[];
}

export type RetargetMessage =
  /** The clip is read: now it is retargeted. */
  | { readonly isRead: true }
  | { readonly answer: RetargetAnswer }
  /** `isKnown` for an error of Poise: the file's, not the page's. */
  | { readonly error: string; readonly isKnown: boolean };

const send = (message: RetargetMessage): void => postMessage(message);

function answerTo({ retargeter, tree, nodes, clip, rate, staysOnFloor }: RetargetRequest): RetargetAnswer {
  const all = objectsOf(tree);
  const { source } = retargeter;
  const objects = new Map(source.bones.map(({ name, index }) => [name, all[nodes[index]] ?? null]));
  const binding = bindFigure(source, all[0], { objects });
  const { motion: given, warnings } = motionFromClip(binding, AnimationClip.parse(clip), { rate });
  send({ isRead: true });
  const { motion, report } = retargetMotion(retargeter, given, { rate });
  if (staysOnFloor) return { motion, report, warnings };
  // Without contacts given, none is looked for: what is shown are those of the clip all the same.
  return { motion: retargetMotion(retargeter, given, { rate, contacts: [] }).motion, report, warnings };
}

addEventListener('message', ({ data }: MessageEvent<RetargetRequest>) => {
  try {
    send({ answer: answerTo(data) });
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    send({ error: text, isKnown: error instanceof PoiseError });
  }
});
