import { MADE } from '../character/made/made.js';
import { chooseFiles } from '../live/choose-files.js';
import { useStudio, usualHuman } from '../session/store.js';

/** Of what asks for a file; no file has that name. */
const OPEN = '/open';

/** Which character is posed: one of the studio's own, or the file that was opened. */
export function CharacterMenu() {
  const source = useStudio((studio) => studio.character.source);
  const now = source.type === 'human' ? 'human' : source.name;
  const take = async (name: string) => {
    if (name === OPEN) {
      chooseFiles();
      return;
    }
    const { setCharacter } = useStudio.getState();
    if (name === 'human') setCharacter(usualHuman);
    const made = MADE.find((each) => each.name === name);
    if (made) setCharacter(await made.create());
  };
  return (
    <label className="slider compact">
      <span>Character</span>
      <select aria-label="Character" value={now} onChange={({ target }) => void take(target.value)}>
        <option value="human">Human</option>
        {MADE.map(({ name, label }) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
        {source.type === 'file' && <option value={source.name}>{source.name}</option>}
        <option value={OPEN}>A file of yours …</option>
      </select>
    </label>
  );
}
