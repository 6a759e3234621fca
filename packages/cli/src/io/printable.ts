/** Names and texts of files on a terminal. */

// Control characters, line and paragraph separators, and the characters that turn the direction of text.
const CONTROLS = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;
const CONTROLS_IN_LINES = /(?!\n)[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** A text of a file on one line, control characters escaped as in JSON: `\u001b`. A terminal would obey them. */
export function printable(text: string): string {
  return text.replace(CONTROLS, escaped);
}

/** The same for a text of several lines. */
export function printableLines(text: string): string {
  return text.replace(CONTROLS_IN_LINES, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
