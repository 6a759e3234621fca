import { openFiles } from './open-files.js';
import { isHidden } from './unpack.js';

/** Asks for a folder, and opens what is in it, named by its paths. */
export function chooseFolder(): void {
  const input = document.createElement('input');
  input.type = 'file';
  input.webkitdirectory = true;
  input.addEventListener('change', () => {
    // A browser that has no folders asks for a file, which has no path.
    const paths = [...(input.files ?? [])].map(
      (file) => [file.webkitRelativePath || file.name, file] as const,
    );
    const seen = paths.filter(([path]) => !path.split('/').some(isHidden));
    void openFiles(seen.map(([path, file]) => new File([file], path)));
  });
  input.click();
}
