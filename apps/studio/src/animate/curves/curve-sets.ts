import { quat, vec3 } from 'poise/math';
import { type Character, shownAxes } from '../../character/character.js';
import { jointNumbers } from '../../posing/joint-numbers.js';
import { boneWords, jointWords } from '../../session/words.js';
import { jointGroups } from '../clip/joint-groups.js';

/** A coordinate of a joint over time. */
export interface CurveLine {
  /** Index in a pose, and in the values of the keys of its group. */
  readonly coordinate: number;
  readonly value: number;
  readonly label: string;
}

/** Curves that are shown together: those of one joint, in one unit. */
export interface CurveSet {
  readonly id: string;
  readonly group: string;
  readonly groupLabel: string;
  readonly label: string;
  /** Index of the bone below the joint. */
  readonly bone: number;
  readonly lines: readonly CurveLine[];
  /** Shown per unit of the coordinates: degrees a radian, centimetres a metre. */
  readonly scale: number;
  readonly unit: '°' | 'cm';
}

const known = new WeakMap<Character, readonly CurveSet[]>();

/** The curves of a character, by the groups of its joints; of a free joint its place and its rotation apart. */
export function curveSets(character: Character): readonly CurveSet[] {
  const before = known.get(character);
  if (before !== undefined) return before;
  const { figure, bones: named } = character;
  const humans = new Map(Object.entries(named).map(([name, bone]) => [bone, name]));
  const sets = jointGroups(character).flatMap(({ id: group, label: groupLabel, bones, coordinates }) =>
    bones.flatMap((bone): CurveSet[] => {
      const { name, joint, coordinate } = figure.bones[bone];
      const human = humans.get(bone);
      const isFree = joint.type === 'free';
      const label = human === undefined ? name : isFree ? boneWords(human) : jointWords(human);
      const numbers = jointNumbers(figure, bone, human);
      const turns = isFree && human !== undefined ? turnWords(character, bone) : [];
      const lines = numbers.map((number, n) => ({
        coordinate: number.coordinate,
        value: coordinates.indexOf(number.coordinate),
        label: turns[n] ?? number.label,
      }));
      const [{ scale, unit }] = numbers;
      const turn = { id: `${name} turn`, group, groupLabel, bone, lines, scale, unit };
      if (!isFree) return [{ ...turn, label }];
      const place = ['X', 'Y', 'Z'].map((axis, n) => ({
        coordinate: coordinate + n,
        value: coordinates.indexOf(coordinate + n),
        label: axis,
      }));
      return [
        { ...turn, label: `${label}, rotation` },
        { ...turn, id: `${name} place`, label: `${label}, place`, lines: place, scale: 100, unit: 'cm' },
      ];
    }),
  );
  known.set(character, sets);
  return sets;
}

/** What the turns of a human's root do, each by the axis of the body that is nearest to its own. */
function turnWords(character: Character, bone: number): string[] {
  const [left, up, forward] = shownAxes(character);
  const words = [
    { word: 'Bend', about: left },
    { word: 'Turn', about: up },
    { word: 'Lean', about: forward },
  ];
  return [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ].map((axis) => {
    const own = quat.rotate(character.figure.bones[bone].rest.rotation, axis);
    const share = ({ about }: (typeof words)[number]) => Math.abs(vec3.dot(about, own));
    return words.reduce((a, b) => (share(b) > share(a) ? b : a)).word;
  });
}

/** What is shown at first: the joint of a handle, or the first of the group of a key that is selected. */
export function usualSet(
  character: Character,
  handle: string | undefined,
  selected: ReadonlySet<string>,
): CurveSet | undefined {
  const sets = curveSets(character);
  const [first] = selected;
  const group = first?.slice(0, first.lastIndexOf(' '));
  const bone = character.handles.find(({ id }) => id === handle)?.bone;
  const ofHandle = sets.find((set) => set.bone === bone);
  if (group === undefined || ofHandle?.group === group) return ofHandle ?? sets[0];
  return sets.find((set) => set.group === group) ?? ofHandle ?? sets[0];
}
