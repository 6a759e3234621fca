import { DETAIL_BONES, HUMAN_BONES, type HumanBoneMap, type Humanoid } from 'poise/humanoid';
import { find, inWords } from '../shared/page.js';

/** Confidence below which a bone is marked. */
const SURE = 0.6;

/** Bones of a file that the user has named, by human bone; null for one that it has none of. */
export type GivenBones = HumanBoneMap<string | null>;

/** One of the two files. */
export interface BoneMapSide {
  /** What the file is, for the names of the selects. */
  readonly label: string;
  /** All bones of the file. */
  readonly names: readonly string[];
  /** What was found; undefined where it is no humanoid. */
  readonly humanoid: Humanoid | undefined;
  readonly given: GivenBones;
}

const HUMAN = [...HUMAN_BONES, ...DETAIL_BONES];

/** Shows which bone of each file is which of a human, each in a select; `onChange` is called with the side of a corrected one. */
export function showBoneMap(
  sides: readonly BoneMapSide[],
  onChange: (side: number, given: GivenBones) => void,
): void {
  const isMain = (human: string): boolean => (HUMAN_BONES as readonly string[]).includes(human);
  const isFound = (human: keyof GivenBones): boolean =>
    sides.some(({ given, humanoid }) => human in given || humanoid?.bones[human] !== undefined);
  const rows = HUMAN.filter((human) => isMain(human) || isFound(human));
  const count = rows.filter((human) =>
    sides.every(({ humanoid }) => humanoid?.bones[human] !== undefined),
  ).length;
  const unsure = rows.filter((human) => sureOf(sides, human) < SURE).length;
  find('#bones').textContent = `Bones: ${count} matched${unsure > 0 ? `, ${unsure} unsure` : ''}`;
  find('#rows').replaceChildren(
    ...rows.map((human) => {
      const row = document.createElement('tr');
      row.dataset.bone = human;
      const sure = sureOf(sides, human);
      row.dataset.unsure = String(sure < SURE);
      const selects = sides.map((side, k) => {
        const select = selectOf(side, human);
        select.addEventListener('change', () => {
          const { [human]: _, ...others } = side.given;
          const chosen = select.value;
          const one = chosen === '' ? {} : { [human]: chosen === 'none' ? null : chosen.slice(1) };
          onChange(k, { ...others, ...one });
        });
        return select;
      });
      const cells = [inWords(human), ...selects, Number.isFinite(sure) ? `${(100 * sure).toFixed(0)} %` : ''];
      row.append(
        ...cells.map((cell) => {
          const element = document.createElement('td');
          element.append(cell);
          return element;
        }),
      );
      return row;
    }),
  );
}

/** The lesser of both files; NaN where one has no such bone. */
function sureOf(sides: readonly BoneMapSide[], human: keyof GivenBones): number {
  return Math.min(...sides.map(({ humanoid }) => humanoid?.confidence[human] ?? Number.NaN));
}

/** Values: empty for the bone as found, `none`, or `=` and the name of a bone. */
function selectOf(
  { label, names, humanoid, given }: BoneMapSide,
  human: keyof GivenBones,
): HTMLSelectElement {
  const select = document.createElement('select');
  select.setAttribute('aria-label', `${inWords(human)} ${label}`);
  const found = humanoid?.bones[human];
  const isGiven = human in given;
  const name = found === undefined ? '–' : humanoid === undefined ? '' : names[found];
  select.append(new Option(isGiven ? 'as found' : name, ''), new Option('none', 'none'));
  select.append(...names.map((bone) => new Option(bone, `=${bone}`)));
  select.value = isGiven ? (given[human] === null ? 'none' : `=${given[human]}`) : '';
  select.dataset.given = String(isGiven);
  select.title = (humanoid?.reasons[human] ?? []).join('; ') || name;
  return select;
}
