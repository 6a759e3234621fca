/** What is said where the browser does not draw in three dimensions. */
export const NO_WEBGL = {
  title: 'This browser draws nothing in three dimensions',
  reason: 'needs WebGL 2, which is switched off here or missing. Any of these helps:',
  remedies: [
    'Switch on hardware acceleration in the settings of the browser, then load the page again.',
    'Open the page in a current Chrome, Edge, Firefox or Safari.',
    'On a remote desktop or a virtual machine, open it on the computer in front of you.',
  ],
} as const;
