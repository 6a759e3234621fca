import { MADE } from '../character/made/made.js';
import { chooseFiles } from '../live/choose-files.js';
import { useStudio, usualHuman } from '../session/store.js';

/** Which character is posed: one of the studio's own, or the file that was opened; and a button that asks for one. */
export function CharacterMenu() {
  const source = useStudio((studio) => studio.character.source);
  const now = source.type === 'human' ? 'human' : source.name;
  const take = async (name: string) => {
    const { setCharacter } = useStudio.getState();
    if (name === 'human') setCharacter(usualHuman);
    const made = MADE.find((each) => each.name === name);
    if (made) setCharacter(await made.create());
  };
  return (
    <div className="slider compact">
      <label htmlFor="character">Character</label>
      <select id="character" value={now} onChange={({ target }) => void take(target.value)}>
        <option value="human">Human</option>
        {MADE.map(({ name, label }) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
        {source.type === 'file' && <option value={source.name}>{source.name}</option>}
      </select>
      <button type="button" title="GLB, VRM, glTF with its files, BVH, URDF, MJCF" onClick={chooseFiles}>
        Your file …
      </button>
    </div>
  );
}
