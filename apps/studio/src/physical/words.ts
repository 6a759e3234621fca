/** What came of it, in the words of people who animate. */
import { PoiseError } from 'poise';
import type { SpacetimeStatus } from 'poise/spacetime';
import type { PhysicalBody } from './body.js';
import type { Conflict, PhysicalAnswer, PhysicalProgress } from './solve.js';

export interface Words {
  readonly title: string;
  readonly says: string;
  readonly tone: 'good' | 'warn' | 'far';
}

/** How a motion is off a key. */
export interface Miss {
  /** s. */
  readonly time: number;
  /** How far the farthest joint is from where it was keyed, m as drawn, and what it is called. */
  readonly distance: number;
  readonly joint: string;
  /** How much the body is higher than keyed, m as drawn. */
  readonly rise: number;
  /** Time in the air around the key, and how high that carries, s and m; undefined for one on the floor. */
  readonly air: { readonly seconds: number; readonly height: number } | undefined;
}

/** Miss of a key that is worth a word, m. */
const MISSED = 0.08;
const GRAVITY = 9.81;
/** Violation that is no longer worth a number. */
export const FITS = 5e-4;

/** `3 %` of the weight, or below one with a digit. */
export function percent(share: number): string {
  const value = 100 * share;
  if (value < 0.05) return '0.0 %';
  return `${value < 9.95 ? value.toFixed(1) : value.toFixed(0)} %`;
}

export function millimetres(value: number): string {
  return `${value < 9.95 ? value.toFixed(1) : value.toFixed(0)} mm`;
}

export function seconds(value: number): string {
  return `${value.toFixed(2)} s`;
}

/** While it is computed: how far it has come. How many steps are left is not known. */
export function progressWords(progress: Omit<PhysicalProgress, 'poses'>, isPhysical: boolean): string {
  const { step, violation, worst, gain, enough, round, rounds } = progress;
  const more = round > 1 ? ` in round ${round} of at most ${rounds}, at more moments` : '';
  const at = `Step ${step}${more}:`;
  const isDone = !(gain > enough);
  if (!isPhysical) {
    if (violation > FITS)
      return `${at} feet are off by ${millimetres(1000 * violation)}, from ${millimetres(1000 * worst)}.`;
    return isDone
      ? `${at} the feet hold.`
      : `${at} the feet hold. A step comes nearer to the clip by ${percent(gain)}; below ${percent(enough)} it is done.`;
  }
  if (violation > FITS) return `${at} off the physics by ${percent(violation)}, from ${percent(worst)}.`;
  return isDone
    ? `${at} it fits.`
    : `${at} it fits. A step saves ${percent(gain)} of the effort; below ${percent(enough)} it is done.`;
}

/** What is not computed of a body; empty where all is. */
export function lockedWords({ figure, locked }: Pick<PhysicalBody, 'figure' | 'locked'>): string {
  if (locked.length === 0) return '';
  const joints = figure.bones.filter(({ dof }) => dof > 0).length;
  return `${joints - locked.length} of ${joints} joints are computed: the others weigh next to nothing, and follow their keys.`;
}

/** Why it could not be computed. */
export function failureWords(error: unknown): string {
  const code = error instanceof PoiseError ? error.code : undefined;
  if (code === 'not-finite' || code === 'singular' || code === 'out-of-range')
    return 'It gets lost: look for a key far from its neighbours or two keys very near in time, or choose a shorter part.';
  if (code === 'over-budget') return 'It would take too long: choose a shorter part.';
  return 'This part cannot be computed with these keys and contacts. Let a key go, switch a contact off, or choose a shorter part.';
}

/** What was solved. */
export interface Solved {
  readonly misses: readonly Miss[];
  /** Whether weight holds, and not the feet alone. */
  readonly isPhysical: boolean;
  /** Whether nothing touches the floor, and nothing else carries it. */
  readonly flies: boolean;
  /** `The left foot`. */
  footName(bone: string): string;
}

export function answerWords(
  {
    status,
    violation,
    force,
    conflicts,
  }: Pick<PhysicalAnswer, 'status' | 'violation' | 'force' | 'conflicts'>,
  { misses, isPhysical, flies, footName }: Solved,
): Words {
  if (status === 'converged' && !isPhysical)
    return {
      title: 'The feet hold',
      says: 'They stay where they stand; all else is as near to the clip as that allows.',
      tone: 'good',
    };
  if (status === 'converged' && flies)
    return {
      title: 'It flies',
      says: 'Nothing touches the floor in this part, so that the body falls freely.',
      tone: 'far',
    };
  if (status === 'converged') {
    const worst = misses.filter(({ distance }) => distance > MISSED);
    if (worst.length === 0)
      return {
        title: 'It holds',
        says: `Weight and feet hold at every moment that is computed${force === undefined ? '' : `; between two, up to ${percent(force)} of the weight comes from nowhere`}.`,
        tone: 'good',
      };
    return {
      title: 'It holds, off your keys',
      says: missWords(worst.reduce((a, b) => (b.distance > a.distance ? b : a))),
      tone: 'far',
    };
  }
  if (status === 'stopped')
    return { title: 'As far as it came', says: stoppedWords(violation, isPhysical), tone: 'far' };
  if (status === 'coarse')
    return {
      title: 'It nearly holds',
      says: 'It holds at the moments that are computed, and not between them. Look at the numbers below.',
      tone: 'far',
    };
  if (status === 'infeasible')
    return { title: 'That cannot be', says: conflictWords(conflicts[0], footName), tone: 'warn' };
  return {
    title: 'It came to no end',
    says: endedWords(status, violation, conflicts, footName),
    tone: 'warn',
  };
}

function stoppedWords(violation: number, isPhysical: boolean): string {
  if (!isPhysical)
    return violation > FITS
      ? 'You stopped it: feet do not stay where they stand yet.'
      : 'You stopped it: the feet hold, and the rest may come nearer to the clip.';
  return violation > FITS
    ? `You stopped it: it fits the physics to ${percent(violation)}.`
    : 'You stopped it: it fits at the moments that are computed, and may take more effort than it needs.';
}

function endedWords(
  status: SpacetimeStatus,
  violation: number,
  conflicts: readonly Conflict[],
  footName: (bone: string) => string,
): string {
  const fits = `It fits the physics to ${percent(violation)} only.`;
  if (conflicts.length > 0) return `${fits} ${conflictWords(conflicts[0], footName)}`;
  return status === 'iteration-limit'
    ? 'It holds, but could do with less effort: once more may help.'
    : 'It holds, but may not be the motion of least effort.';
}

function conflictWords(conflict: Conflict | undefined, footName: (bone: string) => string): string {
  if (conflict === undefined) return 'Keys and contacts contradict each other.';
  const when = `at ${seconds(conflict.at)}`;
  switch (conflict.type) {
    case 'contact':
      return `${footName(conflict.bone ?? '')} cannot stay where it is ${when}: switch that contact off, or move the key.`;
    case 'physics':
      return `Nothing carries the body ${when}: let a foot touch the floor there, or give it another time in the air.`;
    case 'limits':
      return `A joint would have to bend further than it can ${when}.`;
    case 'pose':
      return `The key ${when} cannot be met: joints do not bend so far, or its feet are not where they stand.`;
    default:
      return `It does not work out ${when}: keys or contacts contradict each other.`;
  }
}

/** Why a key is missed: what a jump of that time cannot be. */
export function missWords({ time, distance, joint, rise, air }: Miss): string {
  if (air !== undefined && Math.abs(rise) > MISSED) {
    const wanted = air.height - rise;
    const needs = wanted > 0 ? Math.sqrt((8 * wanted) / GRAVITY) : 0;
    const is = rise < 0 ? 'high' : 'low';
    const advice = rise < 0 ? 'more time' : 'less time';
    const how = needs > 0 ? `: about ${seconds(needs)}` : '';
    return `The jump is too ${is} for ${seconds(air.seconds)} in the air: give it ${advice}${how}, or move the key at ${seconds(time)}.`;
  }
  return `At ${seconds(time)} ${joint} is ${Math.round(100 * distance)} cm from where you keyed it: weight and feet allow no more.`;
}
