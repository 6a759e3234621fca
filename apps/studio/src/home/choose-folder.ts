import { openFiles } from './open-files.js';
import { isHidden } from './unpack.js';

/** Asks for a folder, and opens what is in it, named by its paths. */
export function chooseFolder(): void {
  const input = document.createElement('input');
  input.type = 'file';
  input.webkitdirectory = true;
  input.addEventListener('change', () => {
    const files = [...(input.files ?? [])].filter(
      ({ webkitRelativePath }) => !webkitRelativePath.split('/').some(isHidden),
    );
    void openFiles(files.map((file) => new File([file], file.webkitRelativePath)));
  });
  input.click();
}
