import { useState } from 'react';
import { download } from '../../panel/download.js';
import { view } from '../../scene/view.js';
import { messageOf, session, useStudio } from '../../session/store.js';
import { hasKeys } from '../clip/clip.js';
import { useClip } from '../store.js';
import type { ClipFile } from './export-clip.js';

const TYPES: readonly { readonly type: ClipFile; readonly label: string; readonly title: string }[] = [
  { type: 'glb', label: 'GLB', title: "The character's file with the clip: for Blender and game engines" },
  { type: 'bvh', label: 'BVH', title: 'Skeleton and clip' },
  { type: 'vrma', label: 'VRMA', title: 'For any VRM character' },
];

/** Writes the clip to files. */
export function ExportSection() {
  const clip = useClip();
  const isHuman = useStudio((studio) => studio.character.humanoid !== undefined);
  const [problem, setProblem] = useState('');
  const save = async (type: ClipFile) => {
    if (view.body === undefined) return;
    setProblem('');
    try {
      const { exportClip } = await import('./export-clip.js');
      const { name, bytes } = await exportClip(type, clip, session.character, view.body);
      download(name, new Blob([bytes]));
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  return (
    <section aria-labelledby="export-clip" className="files">
      <h3 id="export-clip">Export the clip</h3>
      <div className="choices compact">
        {TYPES.filter(({ type }) => type !== 'vrma' || isHuman).map(({ type, label, title }) => (
          <button
            key={type}
            type="button"
            title={hasKeys(clip) ? title : 'Key a pose or open a clip first'}
            aria-label={`Export ${label}`}
            disabled={!hasKeys(clip)}
            onClick={() => void save(type)}
          >
            {label}
          </button>
        ))}
      </div>
      {problem && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
    </section>
  );
}
