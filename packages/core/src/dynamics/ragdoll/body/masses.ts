import { originOf, pointIn, type Rest } from '../../../figure/kinematics/rest-pose.js';
import type { Bone, Figure } from '../../../figure/model/figure.js';
import * as vec3 from '../../../math/geometry/vec3.js';
import { type Body, sphericalBody, withMass, withMinGyration } from './mass-properties.js';
import { boneLengths } from './nearest-bones.js';

/**
 * Minimum radius of gyration of a bone, in heights of the figure (2 cm for an adult): below it joints with damping and contacts would need time
 * steps of a millisecond.
 */
const MIN_GYRATION = 0.012;
/** Mass of a bone that the human lacks, as a fraction of that of its ancestor, and the maximum for all of them together. */
const MASS_FRACTION = 0.02;
const MAX_MASS_FRACTION = 0.3;
/** Likewise for detached bones: roots above the body, controls beside it. */
const DETACHED_FRACTION = 0.001;
const MAX_DETACHED_FRACTION = 0.01;

/** Mass properties by bone index; undefined for a bone without mass. */
export type Bodies = readonly (Body | undefined)[];

/** The mass properties of a figure. */
export function givenBodies(figure: Figure): Bodies {
  return figure.bones.map(({ mass = 0, centerOfMass = [0, 0, 0], inertia = [0, 0, 0, 0, 0, 0] }) =>
    mass > 0 ? { mass, center: centerOfMass, inertia } : undefined,
  );
}

export function totalMass(bodies: Bodies): number {
  return bodies.reduce((sum, body) => sum + (body?.mass ?? 0), 0);
}

/** The bodies scaled to a total mass, exact to the last bit when summed in order. */
export function scaleTo(bodies: Bodies, total: number): Bodies {
  if (totalMass(bodies) === total) return bodies;
  const scale = total / totalMass(bodies);
  const scaled = bodies.map((body) => body && withMass(body, scale * body.mass));
  let last = scaled.length - 1;
  while (scaled[last] === undefined) last--;
  // total - others is exact where the others are at least half of the total (Sterbenz), and otherwise rounds back to it.
  const others = totalMass(scaled.slice(0, last));
  scaled[last] = withMass(scaled[last] as Body, total - others);
  return scaled;
}

/**
 * Gives mass to bones whose joints would move none: fingers, twist bones, hair, roots above the hips. Each takes 2 % of its nearest ancestor with
 * mass, by length, together at most 30 %; detached roots and controls take 0.1 % of the heaviest bone, together at most 1 %. The ancestor loses
 * that mass and keeps its shape.
 *
 * @param every - Whether massless bones with massive descendants also take some.
 * @param height - Of the figure, m.
 */
export function distributeMass(rest: Rest, bodies: Bodies, every: boolean, height: number): Bodies {
  const { figure } = rest;
  const recipientsOf = new Map<number, number[]>();
  const heaviest = heaviestBone(bodies);
  const ancestors = nearestMassiveAncestors(figure, bodies);
  const boneLength = boneLengths(figure);
  for (const bone of masslessBones(figure, bodies, every)) {
    const ancestor = ancestors[bone];
    const list = recipientsOf.get(ancestor) ?? [];
    list.push(bone);
    recipientsOf.set(ancestor, list);
  }
  const out = bodies.slice();
  for (const [ancestor, recipients] of recipientsOf) {
    const donor = ancestor < 0 ? heaviest : ancestor;
    const from = out[donor] as Body;
    const fraction =
      ancestor < 0
        ? Math.min(MAX_DETACHED_FRACTION, DETACHED_FRACTION * recipients.length)
        : Math.min(MAX_MASS_FRACTION, MASS_FRACTION * recipients.length);
    const lengths = recipients.map((bone) =>
      ancestor < 0 ? 1 : Math.min(Math.max(boneLength[bone], 0.01 * height), 0.2 * height),
    );
    const sum = lengths.reduce((total, length) => total + length, 0);
    recipients.forEach((bone, k) => {
      const mass = (from.mass * fraction * lengths[k]) / sum;
      out[bone] =
        ancestor < 0
          ? sphericalBody(mass, detachedCenter(rest, bone, heaviest), 2 * MIN_GYRATION * height)
          : rodOf(figure, bone, mass, height);
    });
    out[donor] = withMass(from, from.mass * (1 - fraction));
  }
  return out;
}

/** Applies the minimum radius of gyration to the bodies that `which` selects. */
export function limitGyration(bodies: Bodies, height: number, which: (bone: number) => boolean): Bodies {
  return bodies.map((body, b) => (body && which(b) ? withMinGyration(body, MIN_GYRATION * height) : body));
}

/** Bones whose joint moves no mass. */
function masslessBones({ bones, parents }: Figure, bodies: Bodies, every: boolean): number[] {
  const weight = bones.map((_, b) => bodies[b]?.mass ?? 0);
  // Of the subtree, or only of the rigid group.
  for (let b = bones.length - 1; b > 0; b--) {
    if (parents[b] >= 0 && (!every || bones[b].joint.type === 'fixed')) weight[parents[b]] += weight[b];
  }
  return bones.filter((bone) => moves(bone) && weight[bone.index] === 0).map(({ index }) => index);
}

function moves({ joint }: Bone): boolean {
  return joint.type !== 'fixed';
}

/** By bone; -1 where no ancestor has a mass. Parents come first. */
function nearestMassiveAncestors({ parents }: Figure, bodies: Bodies): Int32Array {
  const nearest = new Int32Array(parents.length);
  for (let b = 0; b < parents.length; b++) {
    const up = parents[b];
    nearest[b] = up < 0 || bodies[up] !== undefined ? up : nearest[up];
  }
  return nearest;
}

function heaviestBone(bodies: Bodies): number {
  let heaviest = 0;
  bodies.forEach((body, b) => {
    if ((body?.mass ?? 0) > (bodies[heaviest]?.mass ?? 0)) heaviest = b;
  });
  return heaviest;
}

/** Centre of mass of a detached bone: of an ancestor of the body at the body's first joint, of others at their own origin. */
function detachedCenter(rest: Rest, bone: number, heaviest: number): readonly number[] {
  let up = rest.figure.parents[heaviest];
  while (up >= 0 && up !== bone) up = rest.figure.parents[up];
  return up === bone ? pointIn(rest, bone, originOf(rest, heaviest)) : [0, 0, 0];
}

/** A slender rod with its centre halfway to the tip. */
function rodOf({ bones }: Figure, bone: number, mass: number, height: number): Body {
  const { tip = [0, 0, 0] } = bones[bone];
  const length = Math.hypot(...tip);
  const gyration = Math.hypot(length / Math.sqrt(12), MIN_GYRATION * height);
  return sphericalBody(mass, vec3.scale(tip, 0.5), gyration);
}
