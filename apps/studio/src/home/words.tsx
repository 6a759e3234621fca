import { useState } from 'react';
import { useDone } from '../live/done.js';
import { useStudio } from '../session/store.js';
import { useHome } from './store.js';

/** What is said over the picture: what came back or did not, why nothing is kept, why a file was not opened, what was done. */
export function Words() {
  const word = useHome((home) => home.word);
  const done = useDone(({ words }) => words);
  const isReady = useHome((home) => home.isReady);
  // Only where there is something to lose.
  const unkept = useStudio((studio) => studio.steps.undo !== undefined);
  const keeping = useHome((home) => home.problem);
  const problem = useStudio((studio) => (studio.mode === 'pose' ? '' : studio.problem));
  const opening = useStudio((studio) => (studio.mode === 'pose' ? '' : studio.opening));
  // Said once: every change would say it again.
  const [away, setAway] = useState('');
  const says = problem || word || done || (unkept && keeping !== away ? keeping : '');
  if (!isReady || opening !== '')
    return (
      <p className="hint words" role="status">
        {isReady ? `Opening ${opening} …` : 'Bringing back your work …'}
      </p>
    );
  if (says === '') return null;
  const putAway = () => {
    if (problem !== '') useStudio.setState({ problem: '' });
    else if (word !== '') useHome.setState({ word: '' });
    else if (done !== '') useDone.setState({ words: '' });
    else setAway(keeping);
  };
  return (
    <div className="hint words" role={says === done ? 'status' : 'alert'}>
      <p>{says}</p>
      <button type="button" className="icon" aria-label="Put the message away" onClick={putAway}>
        <svg viewBox="0 0 20 20" aria-hidden="true">
          <path d="m6 6 8 8M14 6l-8 8" />
        </svg>
      </button>
    </div>
  );
}
