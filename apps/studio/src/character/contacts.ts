import { PoiseError } from 'poise';
import { findFootPoints } from 'poise/dynamics';
import { createState, type Figure, forwardKinematics } from 'poise/figure';
import type { HumanBone, Humanoid } from 'poise/humanoid';
import { type Numbers, rigid, vec3 } from 'poise/math';

/** A point that stays above the floor. */
export interface GroundPoint {
  /** Index. */
  readonly bone: number;
  /** In the bone's frame, m. */
  readonly point: Numbers;
  /** Smallest height over the floor, m. Negative for what is below it as the character begins. */
  readonly clearance: number;
}

/** What a human stands with. */
export interface Contacts {
  readonly ground: readonly GroundPoint[];
  /** Corners of the sole that carry, heel and ball, by bone of the foot. */
  readonly soles: ReadonlyMap<number, readonly Numbers[]>;
  /** The figure with masses, its coordinates the same; undefined where none are known. */
  readonly massive: Figure | undefined;
}

/** Radius of the flesh about a knee and of a hand, over stature. */
const KNEE = 0.03;
const HAND = 0.012;

/** @param pose - As the character begins. @param floor - Along `figure.up`, m. @param massive - The figure with masses. */
export function findContacts(
  figure: Figure,
  { bones }: Humanoid,
  pose: Numbers,
  floor: number,
  stature: number,
  massive: Figure | undefined,
): Contacts {
  const state = createState(figure);
  forwardKinematics(state, pose);
  const ground: GroundPoint[] = [];
  const soles = new Map<number, readonly Numbers[]>();
  const add = (bone: number, point: Numbers, radius: number) => {
    const at = rigid.transformPoint(state.worldFromBone.subarray(12 * bone, 12 * bone + 12), point);
    ground.push({ bone, point, clearance: Math.min(radius, vec3.dot(at, figure.up) - floor) });
  };
  const corners = (bone: number) => {
    try {
      return findFootPoints(figure, bone, { bones });
    } catch (error) {
      // A foot without a sole: its joint.
      if (error instanceof PoiseError) return [[0, 0, 0]];
      throw error;
    }
  };
  for (const side of ['left', 'right'] as const) {
    const boneOf = (name: 'Foot' | 'Toes' | 'LowerLeg' | 'Hand') => bones[`${side}${name}` as HumanBone];
    const [foot, toes, knee, hand] = [boneOf('Foot'), boneOf('Toes'), boneOf('LowerLeg'), boneOf('Hand')];
    if (foot !== undefined) {
      soles.set(foot, corners(foot));
      for (const corner of soles.get(foot) ?? []) add(foot, corner, 0);
    }
    // The ball is the foot's.
    if (toes !== undefined) for (const tip of corners(toes).slice(2)) add(toes, tip, 0);
    if (knee !== undefined) add(knee, [0, 0, 0], KNEE * stature);
    if (hand !== undefined) {
      add(hand, [0, 0, 0], HAND * stature);
      const { tip } = figure.bones[hand];
      if (tip !== undefined) add(hand, tip, HAND * stature);
    }
  }
  return { ground, soles, massive };
}
