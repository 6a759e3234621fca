import type { Figure } from 'poise/figure';
import { vec3 } from 'poise/math';
import type { ContactReport, RetargetReport } from 'poise/retarget';
import { requireShort } from '../../character/budget.js';
import type { Character, FileClip } from '../../character/character.js';
import { CLIP_RATES } from '../clip/bounds.js';
import type { Clip, ClipContact, ImportedClip } from '../clip/clip.js';
import { clipFromPoses, deviationOf, isSameSkeleton, posesOf } from '../clip/clip-from-poses.js';
import { ownPoses } from './own-poses.js';
import type { RetargetAnswer, RetargetRequest } from './put-on.js';
import type { RetargetMessage } from './retarget-worker.js';
import { rememberSource, type SourceContact } from './sources.js';

/** Frames a second above which a retargeted clip has every second one, or fewer. */
const RETARGET_RATE = 60;

/**
 * A clip of a file on a character: as it is on its own skeleton, retargeted from one human to another.
 *
 * @param everyFrame - A key a frame.
 * @param retarget - Retargets; by default in a worker, so that the page answers meanwhile.
 * @throws Error for a clip of another figure that is no human, with what to do.
 */
export async function importClip(
  file: FileClip,
  character: Character,
  everyFrame: boolean,
  retarget: (request: RetargetRequest) => RetargetAnswer | Promise<RetargetAnswer> = inWorker,
): Promise<Clip> {
  const { name, rate: given, read, bones = {} } = file;
  const { figure: source, motion } = read();
  requireShort(name, motion.end - motion.start);
  const { figure, humanoid, floor } = character;
  const request = (sourceBones: RetargetRequest['sourceBones'], rate: number, keepsContacts: boolean) => ({
    source,
    sourceBones,
    target: figure,
    targetBones: humanoid?.bones ?? {},
    ground: floor,
    motion,
    rate,
    keepsContacts,
  });
  if (isSameSkeleton(source, figure)) {
    const rate = Math.min(given, CLIP_RATES.max);
    // Of another size the way of its hips is not that of the character.
    const own = hasSameSize(source, figure) ? ownPoses(character, source, motion, rate) : undefined;
    let poses: readonly Float64Array[] = posesOf(source, motion, figure, rate);
    let lost = { most: 0, mean: Number.POSITIVE_INFINITY };
    if (own) ({ poses, lost } = own(poses));
    if (humanoid !== undefined && !hasSameJoints(source, figure)) {
      // Joints of a human turn less than those of the file: limbs may be nearer as a whole than joint by joint.
      const put = await retarget(request(humanoid.bones, rate, false));
      const limbs = poses.map((pose) => pose.slice());
      takeBones(limbs, posesOf(put.figure, put.motion, figure, rate), figure, put.bones);
      const whole = own?.(limbs) ?? { poses: limbs, lost: { most: 0, mean: 0 } };
      if (whole.lost.mean < lost.mean) ({ poses, lost } = whole);
    }
    const clip = clipFromPoses(character, rate, poses, everyFrame);
    const deviation = deviationOf(clip, character, poses);
    return { ...clip, imported: { name, sliding: undefined, deviation, lost: lost.most, contacts: [] } };
  }
  if (humanoid === undefined)
    throw new Error(`${name} is of another skeleton: open the character that it was made for, or a human.`);
  const rate = Math.max(1, Math.round(given / Math.ceil(given / RETARGET_RATE)));
  const put = await retarget(request(bones, rate, true));
  const poses = posesOf(put.figure, put.motion, figure, rate);
  const clip = clipFromPoses(character, rate, poses, everyFrame);
  const deviation = deviationOf(clip, character, poses);
  const imported = { name, deviation, ...contactsOf(put.report) };
  const made = { ...clip, imported };
  const contacts = put.report.contacts.map(
    (contact): SourceContact => ({
      ...placeOf(contact),
      inContact: contact.inContact,
      sliding: contact.sliding,
    }),
  );
  rememberSource(imported, { file, clip: made, figure: source, bones, motion, rate, contacts });
  return made;
}

/** Largest difference of two figures of one size, over the larger: bones of some files stretch. */
const SAME_SIZE = 0.1;

function hasSameSize(a: Figure, b: Figure): boolean {
  const [one, other] = [a, b].map(({ bones }) =>
    bones.reduce((sum, { parent, rest }) => sum + (parent < 0 ? 0 : vec3.norm(rest.position)), 0),
  );
  return Math.abs(one - other) <= SAME_SIZE * Math.max(one, other);
}

function hasSameJoints(a: Figure, b: Figure): boolean {
  return a.bones.every(({ joint }, n) => joint.type === b.bones[n].joint.type);
}

/** Replaces the coordinates of some bones. */
function takeBones(
  poses: readonly Float64Array[],
  others: readonly Float64Array[],
  figure: Figure,
  bones: readonly number[],
): void {
  poses.forEach((pose, k) => {
    // Both are sampled at one rate; their last frames may differ by rounding.
    const other = others[Math.min(k, others.length - 1)];
    for (const bone of bones) {
      const { coordinate, dof } = figure.bones[bone];
      pose.set(other.subarray(coordinate, coordinate + dof), coordinate);
    }
  });
}

function inWorker(request: RetargetRequest): Promise<RetargetAnswer> {
  const worker = new Worker(new URL('./retarget-worker.ts', import.meta.url), { type: 'module' });
  return new Promise<RetargetAnswer>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<RetargetMessage>) => {
      if ('error' in data) reject(new Error(data.error));
      else resolve(data.answer);
    };
    worker.onerror = ({ message }) => reject(new Error(message || 'The worker has ended.'));
    worker.postMessage(request);
  }).finally(() => worker.terminate());
}

function contactsOf({
  summary,
  contacts,
  times,
}: RetargetReport): Pick<ImportedClip, 'sliding' | 'contacts'> {
  const start = times[0];
  return {
    sliding: { most: summary.maxSliding, median: summary.medianSliding },
    contacts: contacts.flatMap((contact) => {
      const { label } = placeOf(contact);
      return contact.spans.map(
        ([from, to]): ClipContact => ({ label, from: times[from] - start, to: times[to] - start }),
      );
    }),
  };
}

function placeOf(contact: ContactReport): Pick<SourceContact, 'label' | 'side' | 'point'> {
  const side = 'foot' in contact ? contact.foot : contact.hand;
  const { point } = contact;
  return { side, point, label: `${side === 'left' ? 'Left' : 'Right'} ${point}` };
}
