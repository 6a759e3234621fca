import type { Bone, Figure } from '../../../figure/model/figure.js';
import * as vec3 from '../../../math/geometry/vec3.js';
import { type Body, ball, thicken, weigh } from './mass-properties.js';
import { lengthOf } from './nearest-bones.js';
import { originOf, pointIn, type Rest } from './rest-pose.js';

/**
 * Least radius of gyration of a bone, in heights of the figure (2 cm for an adult): lighter to turn, and a joint with damping and contacts asks
 * for steps of a millisecond.
 */
const LEAST_GYRATION = 0.012;
/** What a bone that no table names takes of the mass of the one that carries it, and all of them together at most. */
const SHARE = 0.02;
const MOST = 0.3;
/** Likewise of bones above the body or beside it: roots, controls. */
const GHOST_SHARE = 0.001;
const MOST_GHOSTS = 0.01;

/** Mass properties by bone index; undefined for a bone without mass. */
export type Bodies = readonly (Body | undefined)[];

/** The mass properties that a figure has. */
export function givenBodies(figure: Figure): Bodies {
  return figure.bones.map(({ mass = 0, centerOfMass = [0, 0, 0], inertia = [0, 0, 0, 0, 0, 0] }) =>
    mass > 0 ? { mass, center: centerOfMass, inertia } : undefined,
  );
}

export function totalOf(bodies: Bodies): number {
  return bodies.reduce((sum, body) => sum + (body?.mass ?? 0), 0);
}

/** The bodies in the same proportions with another mass in all, exact to the last bit where they are added in their order. */
export function scaleTo(bodies: Bodies, total: number): Bodies {
  if (totalOf(bodies) === total) return bodies;
  const scale = total / totalOf(bodies);
  const scaled = bodies.map((body) => body && weigh(body, scale * body.mass));
  let last = scaled.length - 1;
  while (scaled[last] === undefined) last--;
  // total - sum is exact where the others are half of the total or more (Sterbenz), and rounds back to it where not.
  const others = totalOf(scaled.slice(0, last));
  scaled[last] = weigh(scaled[last] as Body, total - others);
  return scaled;
}

/**
 * Gives mass to joints that would move nothing: fingers, twist bones, hair, roots above the hips. Each takes 2 % of the bone that carries it, all
 * on one bone at most 30 %, the longer the more; roots and controls that hang from no body 0.1 % of the heaviest, 1 % together. What they take
 * is taken from the carrier, whose form stays.
 *
 * @param every - Whether massless bones between others take some too, and not only those that carry nothing.
 * @param height - m.
 */
export function shareOut(rest: Rest, bodies: Bodies, every: boolean, height: number): Bodies {
  const { figure } = rest;
  const carriedOf = new Map<number, number[]>();
  const heaviest = heaviestOf(bodies);
  for (const bone of needy(figure, bodies, every)) {
    const carrier = carrierOf(figure, bodies, bone);
    const list = carriedOf.get(carrier) ?? [];
    list.push(bone);
    carriedOf.set(carrier, list);
  }
  const out = bodies.slice();
  for (const [carrier, carried] of carriedOf) {
    const giver = carrier < 0 ? heaviest : carrier;
    const from = out[giver] as Body;
    const share =
      carrier < 0
        ? Math.min(MOST_GHOSTS, GHOST_SHARE * carried.length)
        : Math.min(MOST, SHARE * carried.length);
    const lengths = carried.map((bone) =>
      carrier < 0 ? 1 : Math.min(Math.max(lengthOf(figure, bone), 0.01 * height), 0.2 * height),
    );
    const sum = lengths.reduce((total, length) => total + length, 0);
    carried.forEach((bone, k) => {
      const mass = (from.mass * share * lengths[k]) / sum;
      out[bone] =
        carrier < 0
          ? ball(mass, ghostCenter(rest, bone, heaviest), 2 * LEAST_GYRATION * height)
          : rodOf(figure, bone, mass, height);
    });
    out[giver] = weigh(from, from.mass * (1 - share));
  }
  return out;
}

/** Those bodies that are to be at least as hard to turn as the floor asks. */
export function thickenAll(bodies: Bodies, height: number, which: (bone: number) => boolean): Bodies {
  return bodies.map((body, b) => (body && which(b) ? thicken(body, LEAST_GYRATION * height) : body));
}

/** Bones whose joint moves, but nothing of mass with them. */
function needy({ bones, parents }: Figure, bodies: Bodies, every: boolean): number[] {
  const weight = bones.map((_, b) => bodies[b]?.mass ?? 0);
  // Of all that hangs from a bone, or only of what moves as one with it.
  for (let b = bones.length - 1; b > 0; b--) {
    if (parents[b] >= 0 && (!every || bones[b].joint.type === 'fixed')) weight[parents[b]] += weight[b];
  }
  return bones.filter((bone) => moves(bone) && weight[bone.index] === 0).map(({ index }) => index);
}

function moves({ joint }: Bone): boolean {
  return joint.type !== 'fixed';
}

function carrierOf({ parents }: Figure, bodies: Bodies, bone: number): number {
  let up = parents[bone];
  while (up >= 0 && bodies[up] === undefined) up = parents[up];
  return up;
}

function heaviestOf(bodies: Bodies): number {
  let heaviest = 0;
  bodies.forEach((body, b) => {
    if ((body?.mass ?? 0) > (bodies[heaviest]?.mass ?? 0)) heaviest = b;
  });
  return heaviest;
}

/** Where a root of the body dangles without pull: in the body's first joint; other bones in their own. */
function ghostCenter(rest: Rest, bone: number, heaviest: number): readonly number[] {
  let up = rest.figure.parents[heaviest];
  while (up >= 0 && up !== bone) up = rest.figure.parents[up];
  return up === bone ? pointIn(rest, bone, originOf(rest, heaviest)) : [0, 0, 0];
}

/** A slender bone: its mass halfway to its tip. */
function rodOf({ bones }: Figure, bone: number, mass: number, height: number): Body {
  const { tip = [0, 0, 0] } = bones[bone];
  const long = Math.hypot(...tip);
  const gyration = Math.hypot(long / Math.sqrt(12), LEAST_GYRATION * height);
  return ball(mass, vec3.scale(tip, 0.5), gyration);
}
