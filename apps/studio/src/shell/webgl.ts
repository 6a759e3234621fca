/** Whether the browser draws in three dimensions. */
export function hasWebgl(): boolean {
  const context = document.createElement('canvas').getContext('webgl2');
  // A page has few contexts.
  context?.getExtension('WEBGL_lose_context')?.loseContext();
  return context !== null;
}

/** What is said where it does not. */
export const NO_WEBGL = {
  title: 'This browser draws nothing in three dimensions',
  reason: 'needs WebGL 2, which is switched off here or missing. Any of these helps:',
  remedies: [
    'Switch on hardware acceleration in the settings of the browser, then load the page again.',
    'Open the page in a current Chrome, Edge, Firefox or Safari.',
    'On a remote desktop or a virtual machine, open it on the computer in front of you.',
  ],
} as const;
