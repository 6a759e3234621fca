/** What the menu does with the document: saves it, shares it, exports it. */
import { clipFor, hasKeys } from '../animate/clip/clip.js';
import { endingOf } from '../character/files.js';
import { download } from '../panel/download.js';
import { view } from '../scene/view.js';
import { poseFile } from '../session/export-pose.js';
import { session, useStudio } from '../session/store.js';
import { writeLink } from './link.js';
import { projectName, projectOf } from './project/project.js';
import { writeProject } from './project/project-file.js';

/** Each gives what to say of it when it is done, and throws an Error where it cannot be done. */
export type Action = () => Promise<string>;

export const saveProject: Action = async () => {
  const { document, character, showLimits } = useStudio.getState();
  const name = projectName(character);
  const text = writeProject(projectOf(document, showLimits));
  download(name, new Blob([text], { type: 'application/json' }));
  return `Saved ${name}`;
};

export const copyLink: Action = async () => {
  const { document, showLimits } = useStudio.getState();
  const fragment = await writeLink(projectOf(document, showLimits));
  const link = `${location.href.replace(/#.*$/, '')}${fragment}`;
  try {
    await navigator.clipboard.writeText(link);
    return 'Copied the link';
  } catch {
    // Not allowed, or not served safely. The address changes without the page being told.
    history.replaceState(history.state, '', fragment);
    return 'The link is in the address bar: copy it there';
  }
};

export const exportPose: Action = async () => {
  const text = `${JSON.stringify(poseFile(session), null, 2)}\n`;
  download('pose.json', new Blob([text], { type: 'application/json' }));
  return 'Saved pose.json';
};

export const exportModel: Action = async () => {
  if (view.body === undefined) throw new Error('The figure is not drawn yet.');
  const { name, bytes } = await session.character.write(view.body);
  download(name, new Blob([bytes], { type: 'model/gltf-binary' }));
  return `Saved ${name}`;
};

export const exportWithClip: Action = async () => {
  if (view.body === undefined) throw new Error('The figure is not drawn yet.');
  const { clipOf } = await import('../animate/store.js');
  const { exportClip } = await import('../animate/export/export-clip.js');
  const clip = clipOf(useStudio.getState().document);
  const { name, bytes } = await exportClip('glb', clip, session.character, view.body);
  download(name, new Blob([bytes], { type: 'model/gltf-binary' }));
  return `Saved ${name}`;
};

/** Whether the character has a clip with keys. */
export function hasClip(): boolean {
  const { clip, character } = useStudio.getState().document;
  const own = clipFor(clip, character);
  return own !== undefined && hasKeys(own);
}

/** Kind of file that {@link exportModel} writes. */
export function modelKind(): string {
  const { source } = session.character;
  const ending = source.type === 'file' ? endingOf(source.name) : 'glb';
  return ending === 'vrm' ? 'VRM' : ending === 'gltf' ? 'glTF' : 'GLB';
}
