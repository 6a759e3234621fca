/** Functions of one coordinate as piecewise polynomials, which a mimic joint can follow exactly. */
import type { MimicPiece } from 'poise/figure';

/** As `MimicData`: `polynomial` in powers of y below the first piece, then those of the pieces in powers of y - from. */
export interface Phi {
  readonly polynomial: readonly number[];
  readonly pieces?: readonly MimicPiece[];
}

export function constantPhi(value: number): Phi {
  return { polynomial: [value] };
}

/** y itself. */
export const IDENTITY_PHI: Phi = { polynomial: [0, 1] };

export function isConstant({ polynomial, pieces }: Phi): boolean {
  return pieces === undefined && polynomial.slice(1).every((c) => c === 0);
}

/** Whether phi(y) = c + y or c - y. */
export function isUnitSlope({ polynomial, pieces }: Phi): boolean {
  const [, slope, ...rest] = polynomial;
  return pieces === undefined && Math.abs(slope ?? 0) === 1 && rest.every((c) => c === 0);
}

export function scaledPhi({ polynomial, pieces }: Phi, scale: number): Phi {
  const times = (c: readonly number[]) => c.map((x) => scale * x);
  return {
    polynomial: times(polynomial),
    ...(pieces && {
      pieces: pieces.map((piece) => ({ from: piece.from, polynomial: times(piece.polynomial) })),
    }),
  };
}

export function valueOfPhi({ polynomial, pieces = [] }: Phi, y: number): number {
  const piece = pieceAt(pieces, y);
  return horner(piece?.polynomial ?? polynomial, y - (piece?.from ?? 0));
}

/**
 * outer(inner(y)); undefined where it is not composed here: an inner polynomial of degree 2 and more, which may come to the start of a piece of
 * the outer function at several places.
 */
export function composedPhi(outer: Phi, inner: Phi): Phi | undefined {
  const inners = [{ from: -Infinity, polynomial: inner.polynomial }, ...(inner.pieces ?? [])];
  const starts = outer.pieces ?? [];
  if (starts.length > 0 && inners.some(({ polynomial }) => polynomial.slice(2).some((c) => c !== 0)))
    return undefined;
  const out: MimicPiece[] = [];
  inners.forEach(({ from, polynomial }, n) => {
    const end = inners[n + 1]?.from ?? Infinity;
    const origin = from === -Infinity ? 0 : from;
    const [offset, slope = 0] = polynomial;
    const crossings = starts
      .map((piece) => origin + (piece.from - offset) / slope)
      .filter((at) => at > from && at < end)
      .sort((a, b) => a - b);
    const breaks = [from, ...new Set(crossings)];
    breaks.forEach((start, k) => {
      const at = start === -Infinity ? 0 : start;
      const stop = breaks[k + 1] ?? end;
      const local = shifted(polynomial, at - origin);
      // The piece of the outer function in the middle: at the start itself rounding decides.
      const middle =
        start === -Infinity
          ? stop === Infinity
            ? 0
            : stop - 1
          : stop === Infinity
            ? start + 1
            : 0.5 * (start + stop);
      const value = horner(polynomial, middle - origin);
      const piece = pieceAt(starts, value);
      const [first, ...others] = local;
      out.push({
        from: start,
        polynomial: substituted(piece?.polynomial ?? outer.polynomial, [
          first - (piece?.from ?? 0),
          ...others,
        ]),
      });
    });
  });
  const [{ polynomial }, ...pieces] = out;
  return { polynomial, ...(pieces.length > 0 && { pieces }) };
}

/** The piece that holds at y; undefined below the first. */
function pieceAt(pieces: readonly MimicPiece[], y: number): MimicPiece | undefined {
  return pieces.filter(({ from }) => y >= from).at(-1);
}

function horner(c: readonly number[], y: number): number {
  let sum = 0;
  for (let n = c.length - 1; n >= 0; n--) sum = sum * y + c[n];
  return sum;
}

/** Coefficients of the same polynomial in powers of y - at. */
function shifted(c: readonly number[], at: number): number[] {
  const out = [...c];
  for (let k = 0; k < out.length; k++) for (let n = out.length - 2; n >= k; n--) out[n] += at * out[n + 1];
  return out;
}

/** Coefficients of outer(inner(u)), by Horner's rule. */
function substituted(outer: readonly number[], inner: readonly number[]): number[] {
  let sum: number[] = [0];
  for (let n = outer.length - 1; n >= 0; n--) {
    const product = new Array<number>(sum.length + inner.length - 1).fill(0);
    sum.forEach((a, i) => {
      inner.forEach((b, j) => {
        product[i + j] += a * b;
      });
    });
    product[0] += outer[n];
    sum = product;
  }
  while (sum.length > 1 && sum[sum.length - 1] === 0) sum.pop();
  return sum;
}
