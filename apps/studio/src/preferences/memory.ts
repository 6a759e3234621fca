/** What the browser keeps of a choice between visits; undefined where there is none or it keeps nothing. */
export function recall(key: string): string | undefined {
  try {
    return localStorage.getItem(`poise-${key}`) ?? undefined;
  } catch {
    // Storage is refused, in a private window say.
    return undefined;
  }
}

/** Keeps a choice; undefined forgets it. */
export function remember(key: string, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(`poise-${key}`);
    else localStorage.setItem(`poise-${key}`, value);
  } catch {
    // As above: the choice then lasts as long as the page.
  }
}
