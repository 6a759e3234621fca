/** Retargeting of a whole clip. */
import { type FieldsOf, requireFields, requirePositive } from '../checks.js';
import { MotionError } from '../errors.js';
import type { Motion } from '../motion/motion.js';
import { motionFromPoses } from '../motion/motion-from-poses.js';
import { createClip, sampleSource, scaleHips } from './clip/clip.js';
import {
  checkContactOptions,
  contactsOf,
  type FootContact,
  isOfHand,
  requireContacts,
} from './contact/clip-contacts.js';
import type { ContactThresholds } from './contact/detect.js';
import { type HandContact, handContactsOf } from './contact/hand-contacts.js';
import { displaceAnkles, followHips } from './displacement/displace-ankles.js';
import { createFootPaths, levelSoles, offsetHeights } from './displacement/foot-paths.js';
import { followFeet, lowerHips } from './displacement/hips.js';
import { levelRoll, orientFeet } from './displacement/orient-feet.js';
import { pinContacts } from './displacement/pin-contacts.js';
import { raiseHeels } from './displacement/raise-heels.js';
import { shortenLegs } from './displacement/shorten-legs.js';
import { steadyFoot, steadyPelvis } from './displacement/steady-rotations.js';
import { createPinnedHands } from './hands/pinned-hands.js';
import { checkRelations, type HandRelation, relationTracks } from './hands/relations.js';
import { createFrameWriter } from './pose/frame-writer.js';
import { createSerialWriter } from './pose/serial-writer.js';
import { type RetargetReport, reportOf } from './report/report.js';
import type { Retargeter } from './retargeter.js';
import { writePinnedPoses } from './write-pinned-poses.js';
import { writeSerialPoses } from './write-serial-poses.js';

/** Options of {@link retargetMotion}. */
export interface RetargetMotionOptions {
  /** Frames a second. Default: those of the keys of a recorded clip; 60 for keys that are further apart than a twentieth of a second. */
  readonly rate?: number;
  /** Contacts of feet and hands with the ground. Default: found on the source. An empty list: feet and hands are carried as they are, whatever the ground. */
  readonly contacts?: readonly (FootContact | HandContact)[];
  /** Thresholds by which contacts are found, for legs of adult length: scaled to the source's. */
  readonly detect?: Partial<ContactThresholds>;
  /** Hands that keep their place on the body, on each other, or at points of the world. They come before contacts of the same hand. Default: none. */
  readonly relations?: readonly HandRelation[];
}

const FIELDS: FieldsOf<RetargetMotionOptions> = { rate: true, contacts: true, detect: true, relations: true };

/** Result of {@link retargetMotion}. */
export interface RetargetedMotion {
  /** Of `retargeter.target`, a key at each frame. */
  readonly motion: Motion;
  readonly report: RetargetReport;
}

/**
 * Retargets a clip: orientations are carried by the aligned bodies, the path of the hips is scaled, heels and balls of the feet stay where they are in
 * contact, displaced smoothly in between, hands where they touch the ground or have a relation, and no joint leaves its limits.
 *
 * @param motion - Of `retargeter.source`. Not changed.
 * @throws MotionError for a clip of another figure and invalid options.
 */
export function retargetMotion(
  retargeter: Retargeter,
  motion: Motion,
  options: RetargetMotionOptions = {},
): RetargetedMotion {
  requireFields(options, FIELDS, 'options', MotionError);
  if (options.rate !== undefined)
    requirePositive(options.rate, 'options.rate', MotionError, 'frames a second');
  checkContactOptions(options.contacts, options.detect);
  checkRelations(options.relations);
  const { alignment, target, ground } = retargeter;
  const { up } = target;

  // 1. Poses of the source at evenly spaced times, as orientations of the target's bones.
  const clip = createClip(alignment, motion, options.rate);
  sampleSource(clip);
  requireContacts(clip, options.contacts);
  steadyPelvis(clip);
  // 2. Contacts of heels, balls and palms on the source, and relations of hands.
  const ofFeet = options.contacts?.filter((contact): contact is FootContact => !isOfHand(contact));
  const contacts = contactsOf(clip, ofFeet, options.detect);
  const ofHands = options.contacts?.filter(isOfHand);
  const palms = handContactsOf(clip, ofHands, options.detect, contacts.ground);
  const tracks = relationTracks(clip, options.relations ?? []);
  // 3. The path of the hips, scaled.
  scaleHips(clip, contacts.ankleLevel, ground);
  // 4. Feet as the carried legs have them; soles that are down are level.
  const feet = createFootPaths(clip, contacts);
  for (const foot of feet) {
    levelSoles(clip, foot, up);
    steadyFoot(foot, clip.step);
    orientFeet(foot, up, clip.step);
    levelRoll(foot, up, clip.step);
  }
  const isGrounded = options.contacts?.length !== 0;
  if (isGrounded) {
    // 5. The height of the clip, before feet are pinned: soles in contact are on the ground.
    offsetHeights(clip, feet, up, ground);
    // 6. Contacts pinned; feet displaced onto them, smoothly in between, above the ground.
    const before = feet.map(({ ankles }) => ankles.slice());
    for (const foot of feet) {
      pinContacts(foot, up, ground);
      displaceAnkles(foot, up, ground, clip.step);
    }
    // 7. Hips displaced with the feet; where legs would not reach, heels are raised and, if that is not enough, the hips lowered.
    const hips = clip.hipCenters.slice();
    followFeet(clip, feet, before, up);
    for (const foot of feet) raiseHeels(clip, foot, up);
    lowerHips(clip, feet, up);
    const change = clip.hipCenters.map((x, i) => x - hips[i]);
    for (const foot of feet) {
      followHips(foot, change, up, ground, clip.step);
      shortenLegs(clip, foot);
    }
  }
  // 8. Poses: legs in closed form, then arms to the palms that are held, displaced smoothly in between; all joints within their limits.
  const writer = createFrameWriter(alignment.target, alignment.plan, alignment.legs);
  const hands = createPinnedHands(clip, palms, tracks, writer.joints);
  const level = isGrounded ? ground : Number.NEGATIVE_INFINITY;
  const bodies = writePinnedPoses(clip, feet, hands, writer, ground, level);
  // Hinges in series of a robot follow the body.
  const { serial } = alignment;
  const poses =
    serial === undefined
      ? bodies
      : writeSerialPoses(
          createSerialWriter(serial, alignment.legs, alignment.target.legLength),
          bodies,
          (l, f) => Math.max(feet[l].heelNear[f], feet[l].ballNear[f]),
          clip.step,
        );
  // 9. The clip, and what was done to it. Limits are convex: straight lines between poses within them do not leave them.
  const interpolation = target.limitComponents.length > 0 ? 'linear' : 'smooth';
  const result = motionFromPoses(target, clip.times, poses, { name: motion.name, interpolation });
  return { motion: result, report: reportOf(clip, feet, hands, poses, writer.joints.state, ground) };
}
