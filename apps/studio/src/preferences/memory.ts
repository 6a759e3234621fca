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

/** What this tab keeps until it is closed; undefined where it keeps nothing. */
export function tabHas(key: string): string | undefined {
  try {
    return sessionStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Keeps it for this tab; undefined forgets it. */
export function tabKeeps(key: string, value: string | undefined): void {
  try {
    if (value === undefined) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, value);
  } catch {
    // Nothing is kept in this window: the tab is as new when it is loaded again.
  }
}
