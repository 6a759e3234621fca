import type { Figure } from 'poise/figure';
import type { Humanoid } from 'poise/humanoid';
import type { Character } from '../../character/character.js';

/** Joints whose keys stand together: a row of the timeline. */
export interface JointGroup {
  readonly id: string;
  readonly label: string;
  /** Bones whose joints move, by index. */
  readonly bones: readonly number[];
  /** Indices of their coordinates in a pose, in order. */
  readonly coordinates: readonly number[];
}

const LABELS = {
  root: 'Hips',
  spine: 'Spine',
  head: 'Head',
  leftArm: 'Left arm',
  rightArm: 'Right arm',
  leftLeg: 'Left leg',
  rightLeg: 'Right leg',
  hands: 'Hands',
} as const;

type HumanGroup = keyof typeof LABELS;

const known = new WeakMap<Figure, readonly JointGroup[]>();

/** The groups of a character: parts of the body of a human, the chains of any other figure. */
export function jointGroups({
  figure,
  humanoid,
}: Pick<Character, 'figure' | 'humanoid'>): readonly JointGroup[] {
  const before = known.get(figure);
  if (before !== undefined) return before;
  const groups = humanoid === undefined ? chains(figure) : partsOfBody(figure, humanoid);
  known.set(figure, groups);
  return groups;
}

function group({ bones }: Figure, id: string, label: string, members: readonly number[]): JointGroup[] {
  const moving = members.filter((bone) => bones[bone].dof > 0);
  if (moving.length === 0) return [];
  const coordinates = moving.flatMap((bone) =>
    Array.from({ length: bones[bone].dof }, (_, n) => bones[bone].coordinate + n),
  );
  return [{ id, label, bones: moving, coordinates }];
}

/** Bones that are none of a human's (twist bones, hair) belong to the part that carries them; those above the hips to the root. */
function partsOfBody(figure: Figure, { bones: human }: Humanoid): JointGroup[] {
  const named = new Map<number, HumanGroup>();
  for (const [name, bone] of Object.entries(human)) named.set(bone, partOf(name));
  const part: HumanGroup[] = [];
  const members = Object.fromEntries(Object.keys(LABELS).map((id) => [id, []])) as unknown as Record<
    HumanGroup,
    number[]
  >;
  for (const { index, parent } of figure.bones) {
    part[index] = named.get(index) ?? part[parent] ?? 'root';
    members[part[index]].push(index);
  }
  return (Object.keys(LABELS) as HumanGroup[]).flatMap((id) => group(figure, id, LABELS[id], members[id]));
}

function partOf(bone: string): HumanGroup {
  if (bone === 'hips') return 'root';
  if (/^(neck|head|jaw|leftEye|rightEye)$/.test(bone)) return 'head';
  if (/(Thumb|Index|Middle|Ring|Little)/.test(bone)) return 'hands';
  if (/(Leg|Foot|Toes)$/.test(bone)) return bone.startsWith('left') ? 'leftLeg' : 'rightLeg';
  if (/(Shoulder|Arm|Hand)$/.test(bone)) return bone.startsWith('left') ? 'leftArm' : 'rightArm';
  return 'spine';
}

/** A chain ends where the figure branches or ends; it is called after its first bone that moves. */
function chains(figure: Figure): JointGroup[] {
  const { bones } = figure;
  const children = bones.map((): number[] => []);
  const roots: number[] = [];
  for (const { index, parent } of bones) (parent < 0 ? roots : children[parent]).push(index);
  const groups: JointGroup[] = [];
  const starts = roots.slice();
  for (let start = starts.shift(); start !== undefined; start = starts.shift()) {
    const members = [start];
    let next = children[start];
    while (next.length === 1) {
      members.push(next[0]);
      next = children[next[0]];
    }
    starts.unshift(...next);
    const first = members.find((bone) => bones[bone].dof > 0);
    if (first !== undefined) groups.push(...group(figure, bones[first].name, bones[first].name, members));
  }
  return groups;
}
