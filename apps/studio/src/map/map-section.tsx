import { lazy, Suspense, useState } from 'react';
import { useStudio } from '../session/store.js';

const MapPanel = lazy(() => import('./map-panel.js').then((module) => ({ default: module.MapPanel })));

/** The bones of the human in a character of a file, behind a disclosure. */
export function MapSection() {
  const hasFile = useStudio((studio) => studio.character.files.length > 0);
  const humanoid = useStudio((studio) => studio.character.humanoid);
  const [isOpen, setOpen] = useState(false);
  if (!hasFile) return null;
  const doubts = Object.values(humanoid?.confidence ?? {}).filter((sure) => sure < 0.6).length;
  return (
    <details className="map" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {humanoid === undefined ? 'Map as a human' : 'Bones of the body'}
        {doubts > 0 && <small> {doubts} doubtful</small>}
      </summary>
      <Suspense fallback={null}>{isOpen && <MapPanel />}</Suspense>
    </details>
  );
}
