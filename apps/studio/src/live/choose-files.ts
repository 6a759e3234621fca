/** The input of the File menu. */
export const fileInput: { current: HTMLInputElement | null } = { current: null };

/** Asks for files to open. */
export function chooseFiles(): void {
  fileInput.current?.click();
}
