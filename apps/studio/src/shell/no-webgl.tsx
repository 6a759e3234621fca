/** Whether the browser draws in three dimensions. */
export function hasWebgl(): boolean {
  const context = document.createElement('canvas').getContext('webgl2');
  // A page has few contexts.
  context?.getExtension('WEBGL_lose_context')?.loseContext();
  return context !== null;
}

/** In place of the picture and its panel. */
export function NoWebgl() {
  return (
    <main className="notice">
      <h1>This browser draws nothing in three dimensions</h1>
      <p>The studio needs WebGL 2, which is switched off here or missing. Any of these helps:</p>
      <ul>
        <li>Switch on hardware acceleration in the settings of the browser, then load the page again.</li>
        <li>Open the page in a current Chrome, Edge, Firefox or Safari.</li>
        <li>On a remote desktop or a virtual machine, open it on the computer in front of you.</li>
      </ul>
      <p>
        The command line poses figures without a browser: <code>npx poise pose</code>.
      </p>
    </main>
  );
}
