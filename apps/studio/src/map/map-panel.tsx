import './map.css';
import type { HumanBoneMap } from 'poise/humanoid';
import { useEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import type { Character } from '../character/character.js';
import { pickSkin } from '../scene/pick-skin.js';
import { usePosing } from '../scene/posing-store.js';
import { projectToCanvas, toWorld } from '../scene/view.js';
import { messageOf, session, useStudio } from '../session/store.js';
import { boneWords } from '../session/words.js';
import {
  type AnyHumanBone,
  certaintyOf,
  choose,
  MAP_GROUPS,
  type MapGroup,
  NEEDED,
  remapped,
} from './map.js';

/** Bones that were chosen for a character of which no human is known yet. */
interface Draft {
  readonly files: Character['files'];
  readonly bones: HumanBoneMap<string | null>;
}

/** Which bones of the character are those of a human, how sure each is and why; each can be chosen from a list or in the picture. */
export function MapPanel() {
  const character = useStudio((studio) => studio.character);
  const { humanoid, figure, chosen, files } = character;
  const [drawn, setDrawn] = useState<Draft>({ files, bones: {} });
  const draft = drawn.files === files ? drawn.bones : {};
  const setDraft = (bones: Draft['bones']) => setDrawn({ files, bones });
  const [picking, setPicking] = useState<AnyHumanBone | undefined>(undefined);
  const [shown, setShown] = useState<AnyHumanBone | undefined>(undefined);
  const [problem, setProblem] = useState('');
  const [isBusy, setBusy] = useState(false);
  const panel = useRef<HTMLDivElement>(null);
  // It opens below what the window shows.
  useEffect(() => {
    panel.current?.closest('details')?.scrollIntoView();
  }, []);

  const apply = async (label: string, bones: HumanBoneMap<string | null>) => {
    setProblem('');
    setBusy(true);
    try {
      const { document } = useStudio.getState();
      const made = await remapped(document, bones);
      // Something may have been done meanwhile.
      if (useStudio.getState().document === document) useStudio.getState().take(made, label);
      setDraft({});
    } catch (error) {
      setProblem(messageOf(error));
    } finally {
      setBusy(false);
    }
  };
  const take = (bone: AnyHumanBone, name: string | null) => {
    setPicking(undefined);
    if (humanoid === undefined) setDraft(choose(draft, bone, name));
    else void apply(`Choose the ${boneWords(bone).toLowerCase()}`, choose(chosen, bone, name));
  };
  const boneOf = (bone: AnyHumanBone): string | undefined => {
    const index = humanoid?.bones[bone];
    return index === undefined ? (draft[bone] ?? undefined) : figure.bones[index].name;
  };
  const why = shown && certaintyOf(character, shown);
  const groups = humanoid === undefined ? [NEEDED] : MAP_GROUPS;
  return (
    <div ref={panel} className="map-panel" aria-busy={isBusy}>
      {humanoid === undefined && (
        <p>
          No human is recognised here. If it is one, choose these bones: the others are found around them.
        </p>
      )}
      {groups.map((group) => (
        <Group
          key={group.label}
          group={group}
          character={character}
          boneOf={boneOf}
          picking={picking}
          take={take}
          show={setShown}
          pick={(bone) => setPicking(picking === bone ? undefined : bone)}
        />
      ))}
      <p className="why" role="status">
        {picking !== undefined
          ? `Click the ${boneWords(picking).toLowerCase()} in the picture.`
          : shown && why
            ? `${boneWords(shown)}: ${why.word}, ${why.why}.`
            : ''}
      </p>
      {problem && (
        <p className="problem" role="alert" ref={(element) => element?.scrollIntoView({ block: 'nearest' })}>
          {problem}
        </p>
      )}
      {humanoid === undefined ? (
        <button
          type="button"
          disabled={isBusy || Object.keys(draft).length === 0}
          onClick={() => void apply('Map as a human', draft)}
        >
          Map as a human
        </button>
      ) : (
        Object.keys(chosen).length > 0 && (
          <button type="button" disabled={isBusy} onClick={() => void apply('Recognise the bones', {})}>
            Recognise anew
          </button>
        )
      )}
      {picking && <Pick bone={picking} take={take} stop={() => setPicking(undefined)} />}
      {shown && <Mark bone={figure.bones.findIndex(({ name }) => name === boneOf(shown))} />}
    </div>
  );
}

interface GroupProps {
  readonly group: MapGroup;
  readonly character: Character;
  readonly picking: AnyHumanBone | undefined;
  boneOf(bone: AnyHumanBone): string | undefined;
  take(bone: AnyHumanBone, name: string | null): void;
  show(bone: AnyHumanBone | undefined): void;
  pick(bone: AnyHumanBone): void;
}

function Group({ group: { label, bones }, character, picking, boneOf, take, show, pick }: GroupProps) {
  const { figure, humanoid } = character;
  const { light } = usePosing.getState();
  const count = bones.filter((bone) => boneOf(bone) !== undefined).length;
  const names = figure.bones.map(({ name }) => name);
  return (
    <section aria-label={label}>
      <h4>
        {label} <small>{`${count} of ${bones.length}`}</small>
      </h4>
      <ul>
        {bones.map((bone) => {
          const words = boneWords(bone);
          const sure = certaintyOf(character, bone);
          const enter = () => {
            show(bone);
            light(humanoid?.bones[bone]);
          };
          const leave = () => {
            show(undefined);
            light(undefined);
          };
          return (
            <li key={bone} onPointerEnter={enter} onPointerLeave={leave} onFocus={enter} onBlur={leave}>
              <span className="label">{words}</span>
              {sure && (
                <span
                  className="dot"
                  role="img"
                  data-tone={sure.tone}
                  aria-label={`${sure.word}: ${sure.why}`}
                  title={`${sure.word}: ${sure.why}`}
                />
              )}
              <select
                aria-label={`Bone of the ${words.toLowerCase()}`}
                value={boneOf(bone) ?? ''}
                onChange={({ target }) => take(bone, target.value === '' ? null : target.value)}
              >
                <option value="">none</option>
                {names.map((name) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
              <button
                type="button"
                aria-pressed={picking === bone}
                aria-label={`Click the ${words.toLowerCase()} in the picture`}
                title="Click it in the picture"
                onClick={() => pick(bone)}
              >
                <svg viewBox="0 0 16 16" aria-hidden="true">
                  <circle cx="8" cy="8" r="4" />
                  <path d="M8 1v4M8 11v4M1 8h4M11 8h4" />
                </svg>
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** Takes the next press in the picture, which then neither drags nor turns anything. */
function Pick({ bone, take, stop }: { bone: AnyHumanBone; take: GroupProps['take']; stop: () => void }) {
  useEffect(() => {
    const stage = document.querySelector<HTMLElement>('.stage');
    const press = (event: PointerEvent) => {
      event.preventDefault();
      event.stopImmediatePropagation();
      const hit = pickSkin(event.clientX, event.clientY);
      if (hit !== undefined) take(bone, session.figure.bones[hit.grip.bone].name);
    };
    const key = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') stop();
    };
    // Before what drags, which listens at the stage too.
    window.addEventListener('keydown', key);
    const down = (event: PointerEvent) => {
      if (event.target instanceof Node && stage?.contains(event.target)) press(event);
    };
    window.addEventListener('pointerdown', down, true);
    stage?.classList.add('picks');
    return () => {
      window.removeEventListener('keydown', key);
      window.removeEventListener('pointerdown', down, true);
      stage?.classList.remove('picks');
    };
  }, [bone, take, stop]);
  return null;
}

/** Where the joint of a bone is in the picture. */
function Mark({ bone }: { bone: number }) {
  const stage = document.querySelector('.stage');
  if (bone < 0 || stage === null) return null;
  const at = projectToCanvas(toWorld([...session.frameOf(bone).subarray(9, 12)]));
  if (at === undefined) return null;
  return createPortal(<div className="map-mark" style={{ left: at.x, top: at.y }} />, stage);
}
