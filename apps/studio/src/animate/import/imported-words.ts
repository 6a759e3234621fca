import type { ImportedClip } from '../clip/clip.js';

/** Below it nobody sees a way, mm. */
const SEEN = 0.05;

/** What is said of an imported clip. @param scale - Of the character as it is shown. @param isAsPutOn - Whether its sliding is still that of its keys. */
export function importedWords(
  { name, sliding, deviation, lost = 0 }: ImportedClip,
  scale: number,
  isAsPutOn: boolean,
): string {
  const [off, moved] = [scale * lost, scale * deviation];
  return [
    sliding && isAsPutOn
      ? `${name}: ${slidingWords(scale * sliding.most, scale * sliding.median)}.`
      : `${name}.`,
    off >= SEEN &&
      `Its joints and their limits keep bones up to ${millimetres(off)} mm from where the file has them.`,
    moved >= SEEN &&
      `Its keys are fewer than its frames, which moves it by ${millimetres(moved)} mm at most.`,
  ]
    .filter((sentence) => sentence !== false)
    .join(' ');
}

function slidingWords(most: number, median: number): string {
  if (most < SEEN) return 'feet on the ground stay where they stand';
  const words = `feet on the ground slide by ${millimetres(most)} mm at most`;
  return median < SEEN
    ? words
    : `${words}, half of the times that they stand by ${millimetres(median)} mm or less`;
}

export function millimetres(value: number): string {
  return value < 9.95 ? value.toFixed(1) : value.toFixed(0);
}
