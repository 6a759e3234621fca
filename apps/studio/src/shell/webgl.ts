/** Whether the browser draws in three dimensions. */
export function hasWebgl(): boolean {
  const context = document.createElement('canvas').getContext('webgl2');
  // A page has few contexts.
  context?.getExtension('WEBGL_lose_context')?.loseContext();
  return context !== null;
}
