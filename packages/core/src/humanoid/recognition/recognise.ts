/** Recognition of the human bones of a rig: names and form, each on their own, then one against the other. */
import type { Triple } from '../../figure/data/types.js';
import { restOf } from '../../figure/kinematics/rest-pose.js';
import type { Figure } from '../../figure/model/figure.js';
import * as vec3 from '../../math/geometry/vec3.js';
import type { Vec3 } from '../../math/linear/types.js';
import { ESSENTIAL_BONES, HUMAN_BONES, type HumanBone, type HumanBoneMap } from './human-bones.js';
import { footAside, matchByForm } from './match-by-form.js';
import { type BoneNames, matchByName, readBoneNames } from './match-by-name.js';
import { type RestForm, restFormOf } from './rest-form.js';
import { isWithin } from './tree.js';

/** What was recognised, and why. */
export interface Recognised {
  readonly bones: HumanBoneMap<number>;
  readonly confidence: HumanBoneMap<number>;
  readonly reasons: HumanBoneMap<readonly string[]>;
  readonly up: Triple;
}

/** How sure a bone is: name and form say the same, the name alone, the form alone, one against the other. */
const SURE = { given: 1, both: 0.95, name: 0.75, form: 0.6, against: 0.4 };

/**
 * Recognises the human bones of a figure in these stages: names are read and controls, helpers and ends left aside; bones are found by names, and
 * by form; each is checked against a body that stands, arms and legs of the form against their names; one is chosen and compared with the other,
 * bone by bone; neck and head that names leave open are taken from the form, feet that hang on a control are found at the ends of the shins.
 *
 * @param given - Bones that are known, -1 for those it has none of.
 * @param isFixedUp - Whether `up` was given, not the figure's: another direction is then not tried.
 */
export function recognise(
  figure: Figure,
  up: Triple,
  isFixedUp: boolean,
  given: Readonly<HumanBoneMap<number>>,
): Recognised | undefined {
  if (isFixedUp || Object.keys(given).length > 0) return recogniseAnew(figure, up, isFixedUp, given);
  // Whoever asks for a figure's own bones gets the same: a clip that is retargeted asks some eight times.
  if (!recognised.has(figure)) recognised.set(figure, recogniseAnew(figure, up, isFixedUp, given));
  const found = recognised.get(figure);
  if (found === undefined) return undefined;
  // A copy: callers may change theirs.
  const reasons = Object.entries(found.reasons).map(([bone, lines]) => [bone, [...lines]]);
  return {
    bones: { ...found.bones },
    confidence: { ...found.confidence },
    reasons: Object.fromEntries(reasons),
    up: [...found.up],
  };
}

const recognised = new WeakMap<Figure, Recognised | undefined>();

function recogniseAnew(
  figure: Figure,
  up: Triple,
  isFixedUp: boolean,
  given: Readonly<HumanBoneMap<number>>,
): Recognised | undefined {
  const names = readBoneNames(figure);
  const rest = restOf(figure);
  const form = restFormOf(rest, names.isHelper);
  let whole: RestForm | undefined;
  const along = (direction: Triple, isStrict: boolean): Recognised | undefined => {
    const stands = (found: HumanBoneMap<number> | undefined): found is HumanBoneMap<number> =>
      found !== undefined && isComplete(found) && standsUpright(found, form, direction, isStrict);
    const named = matchByName(figure, names, form, direction, given);
    const byName = stands(named.body) && hasLegs(named.body, form) ? named.body : undefined;
    const shapedOf = (each: RestForm): HumanBoneMap<number> | undefined => {
      const bones = matchByForm(figure, each, direction, names.lateral);
      return stands(bones) && !hasArmsForLegs(bones, named.limbs) ? bones : undefined;
    };
    // What looks like a helper by its name may be a part of the body.
    let shaped = shapedOf(form);
    if (shaped === undefined && byName === undefined) {
      whole ??= restFormOf(rest, () => false);
      shaped = shapedOf(whole);
    }
    const found = byName ?? shaped;
    if (found === undefined) return undefined;
    return compared(figure, found, byName, shaped, given, named.limbs, form, names, direction);
  };
  const upright = along(up, false);
  if (upright !== undefined || isFixedUp) return upright;
  // A body that stands along another axis of the file: one that is turned lies down.
  for (const axis of AXES) {
    if (Math.abs(vec3.dot(axis, up)) > 0.9) continue;
    const found = along(axis, true);
    if (found === undefined || isRotated(figure, found.bones.hips as number)) continue;
    const reason = `the body stands along ${axisName(axis)}, not along the up of the figure`;
    return { ...found, reasons: { ...found.reasons, hips: [...(found.reasons.hips ?? []), reason] } };
  }
  return undefined;
}

/** Whether a bone or one above it is turned at rest. */
function isRotated({ bones }: Figure, bone: number): boolean {
  for (let b = bone; b >= 0; b = bones[b].parent)
    if (Math.abs(bones[b].rest.rotation[3]) < 1 - 1e-9) return true;
  return false;
}

/** Of a figure whose names alone make a human, whether it stands at rest along `up`; undefined for others. */
export function namedHumanStands(figure: Figure, up: Triple = figure.up): boolean | undefined {
  const names = readBoneNames(figure, true);
  const form = restFormOf(restOf(figure), names.isHelper);
  const { body } = matchByName(figure, names, form, up);
  return body === undefined || !isComplete(body) ? undefined : standsUpright(body, form, up, false);
}

const AXES: readonly Triple[] = [
  [0, 0, 1],
  [0, 1, 0],
  [1, 0, 0],
  [0, 0, -1],
  [0, -1, 0],
  [-1, 0, 0],
];

function axisName(axis: Triple): string {
  const k = axis.findIndex((x) => x !== 0);
  return `${axis[k] > 0 ? '+' : '-'}${'XYZ'[k]}`;
}

export function isComplete(bones: Readonly<HumanBoneMap<number>>): boolean {
  return ESSENTIAL_BONES.every((bone) => bones[bone] !== undefined);
}

/** Whether the trunk is vertical and the legs go down; rejects quadrupeds, whose bones have the names of a human's. */
function standsUpright(
  bones: Readonly<HumanBoneMap<number>>,
  { at }: RestForm,
  up: Vec3,
  isStrict: boolean,
): boolean {
  const top = bones.head ?? bones.neck ?? bones.leftUpperArm;
  const { hips, leftUpperLeg, leftLowerLeg, leftFoot = leftLowerLeg } = bones;
  if (top === undefined || leftLowerLeg === undefined || leftFoot === undefined) return false;
  if (hips === undefined || leftUpperLeg === undefined) return false;
  const trunk = vec3.subtract(at(top), at(hips));
  const leg = vec3.subtract(at(leftLowerLeg), at(hips));
  if (!(vec3.dot(trunk, up) > 0.5 * vec3.norm(trunk) && vec3.dot(leg, up) < 0)) return false;
  const whole = vec3.subtract(at(leftFoot), at(leftUpperLeg));
  return (
    !isStrict ||
    (vec3.dot(trunk, up) > 0.9 * vec3.norm(trunk) && vec3.dot(whole, up) < -0.8 * vec3.norm(whole))
  );
}

/** Whether a leg of the form has the names of an arm, or an arm those of a leg. */
function hasArmsForLegs(
  bones: Readonly<HumanBoneMap<number>>,
  named: Readonly<HumanBoneMap<number>>,
): boolean {
  const entries = Object.entries(bones);
  return Object.entries(named).some(([human, bone]) => {
    const found = entries.find(([, other]) => other === bone)?.[0] ?? human;
    return (isOfLeg(human) && isOfArm(found)) || (isOfArm(human) && isOfLeg(found));
  });
}

function isOfLeg(human: string): boolean {
  return /Leg|Foot|Toes/.test(human);
}

function isOfArm(human: string): boolean {
  return /Arm|Hand|Shoulder/.test(human);
}

/** Whether both thighs have a length. */
function hasLegs(bones: Readonly<HumanBoneMap<number>>, { at }: RestForm): boolean {
  return (['left', 'right'] as const).every((side) => {
    const [upper, lower] = [bones[`${side}UpperLeg`], bones[`${side}LowerLeg`]];
    return upper !== undefined && lower !== undefined && vec3.distance(at(upper), at(lower)) > 0;
  });
}

/** The bones found, with those that the other way adds, and how far both agree. */
function compared(
  figure: Figure,
  found: HumanBoneMap<number>,
  byName: HumanBoneMap<number> | undefined,
  byForm: HumanBoneMap<number> | undefined,
  given: Readonly<HumanBoneMap<number>>,
  limbs: HumanBoneMap<number>,
  form: RestForm,
  names: BoneNames,
  up: Triple,
): Recognised {
  const bones: HumanBoneMap<number> = { ...found };
  // What names leave open is taken from a form that agrees on the limb.
  if (byName !== undefined && byForm !== undefined) {
    for (const bone of ['Foot', 'Hand', 'Toes'] as const) {
      for (const side of ['left', 'right'] as const) addFromForm(figure, bones, byForm, `${side}${bone}`);
    }
  }
  if (byName !== undefined && byForm !== undefined) addHead(bones, byForm, form, names);
  addFeetAside(figure, bones, form, up);
  const confidence: HumanBoneMap<number> = {};
  const reasons: HumanBoneMap<readonly string[]> = {};
  for (const human of HUMAN_BONES) {
    const bone = bones[human];
    if (bone === undefined) continue;
    const { name } = figure.bones[bone];
    if (given[human] !== undefined) {
      confidence[human] = SURE.given;
      reasons[human] = ['as given'];
      continue;
    }
    const isNamed = (byName ?? limbs)[human] === bone;
    const shaped = byForm?.[human];
    const words = isNamed ? [`name '${name}'`] : [];
    if (shaped === bone) {
      words.push(formReason(human));
      confidence[human] = isNamed ? SURE.both : SURE.form;
    } else if (!isNamed) {
      words.push(byName === undefined ? formReason(human) : 'lies at the end of the limb');
      confidence[human] = SURE.form;
    } else if (shaped === undefined || isTrunk(human) || human.endsWith('Toes')) {
      confidence[human] = SURE.name;
    } else {
      confidence[human] = SURE.against;
      words.push(`by form it is '${figure.bones[shaped].name}'`);
    }
    reasons[human] = words;
  }
  const back = toesBackwards(bones, form, up);
  if (back !== undefined) {
    for (const human of [`leftToes`, `rightToes`, `leftFoot`, `rightFoot`] as const) {
      if (confidence[human] === undefined || given[human] !== undefined) continue;
      confidence[human] = Math.min(confidence[human], SURE.against);
      reasons[human] = [...(reasons[human] ?? []), back];
    }
  }
  return { bones, confidence, reasons, up };
}

function isTrunk(human: HumanBone): boolean {
  return /^(hips|spine|chest|upperChest|neck|head)$/.test(human);
}

function formReason(human: HumanBone): string {
  if (human === 'hips') return 'legs and trunk meet in it';
  if (isOfLeg(human)) return 'of the pair of chains with the lowest ends';
  if (isOfArm(human)) return 'of the longest pair of chains above the legs';
  if (/neck|head/.test(human)) return 'of the chain above the arms';
  return 'of the chain from legs to arms';
}

function addFromForm(
  figure: Figure,
  bones: HumanBoneMap<number>,
  byForm: Readonly<HumanBoneMap<number>>,
  human: HumanBone,
): void {
  const above = human
    .replace('Foot', 'LowerLeg')
    .replace('Hand', 'LowerArm')
    .replace('Toes', 'Foot') as HumanBone;
  const [bone, parent] = [byForm[human], bones[above]];
  if (bones[human] !== undefined || bone === undefined || parent === undefined || byForm[above] !== parent)
    return;
  if (isWithin(figure, bone, parent) && !Object.values(bones).includes(bone)) bones[human] = bone;
}

/** Neck and head of a form that agrees on the arms: of a spine whose bones have one name up to the head, the last. */
function addHead(
  bones: HumanBoneMap<number>,
  byForm: Readonly<HumanBoneMap<number>>,
  { children }: RestForm,
  { segments }: BoneNames,
): void {
  if (bones.head !== undefined || byForm.head === undefined) return;
  if (bones.leftUpperArm !== byForm.leftUpperArm || bones.rightUpperArm !== byForm.rightUpperArm) return;
  const partAt = (bone: number): string | undefined => segments.find((name) => name.bone === bone)?.part;
  const part = partAt(byForm.head);
  let head = byForm.head;
  while (part !== undefined && children[head].length === 1 && partAt(children[head][0]) === part)
    [head] = children[head];
  const taken = Object.values(bones);
  if (taken.includes(head)) return;
  bones.head = head;
  if (bones.neck === undefined && byForm.neck !== undefined && !taken.includes(byForm.neck))
    bones.neck = byForm.neck;
}

/** Feet that hang on a control, not on the shins: the bones of a pair below the knees that mirror each other. */
function addFeetAside(figure: Figure, bones: HumanBoneMap<number>, form: RestForm, up: Vec3): void {
  if (bones.leftFoot !== undefined || bones.rightFoot !== undefined) return;
  const taken = new Set(Object.values(bones));
  const near = (['left', 'right'] as const).map((side) =>
    footAside(form, bones[`${side}UpperLeg`] as number, bones[`${side}LowerLeg`] as number, up, taken),
  );
  const [left, right] = near;
  if (left === undefined || right === undefined || left === right) return;
  if (figure.parents[left] !== figure.parents[right]) return;
  bones.leftFoot = left;
  bones.rightFoot = right;
}

/** A reason where the toes point away from where the sides say that the body faces. */
function toesBackwards(
  bones: Readonly<HumanBoneMap<number>>,
  { at }: RestForm,
  up: Vec3,
): string | undefined {
  const { leftFoot, leftToes, rightFoot, rightToes, leftUpperLeg, rightUpperLeg } = bones;
  if (leftToes === undefined || rightToes === undefined || leftFoot === undefined || rightFoot === undefined)
    return undefined;
  const left = vec3.subtract(at(leftUpperLeg as number), at(rightUpperLeg as number));
  const forward = vec3.cross(left, up);
  const toes = vec3.add(
    vec3.subtract(at(leftToes), at(leftFoot)),
    vec3.subtract(at(rightToes), at(rightFoot)),
  );
  const ahead = vec3.dot(toes, forward);
  return ahead < -0.3 * vec3.norm(toes) * vec3.norm(forward)
    ? 'the toes point backwards: left and right may be swapped'
    : undefined;
}
