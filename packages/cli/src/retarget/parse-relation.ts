/** `--relation HAND=PART|x,y,z[@from,to]`, from text to data. */
import { GoalError } from 'poise';
import type { HandRelation } from 'poise/retarget';
import { parseNumbers } from '../io/parse-number.js';

/** A relation as typed. The part is looked up later. */
export interface RelationSpec extends Omit<HandRelation, 'over'> {
  /** The option as typed, for messages. */
  readonly text: string;
  /** s; the whole clip without it. */
  readonly over?: readonly [from: number, to: number];
}

const FORM = 'leftHand=head, leftHand=rightHand@1,2.5 or rightHand=0.3,1.1,0.2@1,2.5 (m, s)';

/** @throws GoalError naming the option as typed. */
export function parseRelation(value: string): RelationSpec {
  const text = `--relation ${value}`;
  const [, hand, to, , span] = /^(left|right)Hand=([^@]+)(@(.*))?$/s.exec(value) ?? [];
  if (hand === undefined || to === undefined) {
    throw new GoalError('unsupported', 'is not a relation of a hand.', {
      path: text,
      remedy: `Write ${FORM}.`,
    });
  }
  const over = span === undefined ? undefined : parseNumbers(span, [2], `${text} (times)`);
  const isPoint = to.includes(',');
  return {
    text,
    hand: hand as HandRelation['hand'],
    to: isPoint
      ? { position: parseNumbers(to, [3], `${text} (point)`) }
      : (to as HandRelation['to'] & string),
    ...(over && { over: [over[0], over[1]] as const }),
  };
}
