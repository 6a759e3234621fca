"""High-precision values of splines, for packages/core/test/fixtures/motion/curves.json.

    python3 scripts/oracles/motion_curves.py            # rewrites the fixture; needs mpmath 1.3

Imports nothing of the library. Splines come from what they are: unknown polynomials, one for each piece, and the linear
system of "meets its keys, joins smoothly, ends so", solved at 60 digits. B-splines come from the recurrence of Cox and
de Boor, Hermite and Kochanek-Bartels curves from the Hermite basis, derivatives from differentiating polynomials.
"""

import json
import random
from pathlib import Path

from mpmath import lu_solve, matrix, mp, mpf

mp.dps = 60
OUT = Path(__file__).parents[2] / "packages/core/test/fixtures/motion/curves.json"
SIZE = 2


def power(n, t, derivative):
    """d^k/dt^k of t^n."""
    if derivative > n:
        return mpf(0)
    factor = mpf(1)
    for i in range(derivative):
        factor *= n - i
    return factor * mpf(t) ** (n - derivative)


def piecewise(times, values, degree, continuous, ends):
    """Coefficients of polynomials in t - t_s: through the keys, with `continuous` derivatives, and the end conditions.

    ends: list of (sign, derivative, at, value): at is "start", "end" or "periodic" (end less start).
    """
    pieces = len(times) - 1
    terms = degree + 1
    rows, right = [], []

    def row(entries, value):
        line = [mpf(0)] * (pieces * terms)
        for piece, local, derivative, sign in entries:
            for n in range(terms):
                line[piece * terms + n] += sign * power(n, local, derivative)
        rows.append(line)
        right.append(mpf(value))

    span = [mpf(times[s + 1]) - mpf(times[s]) for s in range(pieces)]
    for s in range(pieces):
        row([(s, 0, 0, 1)], values[s])
        row([(s, span[s], 0, 1)], values[s + 1])
    for s in range(pieces - 1):
        for k in range(1, continuous + 1):
            row([(s, span[s], k, 1), (s + 1, 0, k, -1)], 0)
    for derivative, at, value in ends:
        if at == "start":
            row([(0, 0, derivative, 1)], value)
        elif at == "end":
            row([(pieces - 1, span[-1], derivative, 1)], value)
        else:
            row([(pieces - 1, span[-1], derivative, 1), (0, 0, derivative, -1)], 0)
    solution = lu_solve(matrix(rows), matrix(right))
    return [[solution[s * terms + n] for n in range(terms)] for s in range(pieces)]


def sample(times, coefficients, t):
    s = max(i for i in range(len(times) - 1) if times[i] <= t)
    local = mpf(t) - mpf(times[s])
    return [sum(c * power(n, local, k) for n, c in enumerate(coefficients[s])) for k in range(3)]


def hermite_coefficients(times, values, leaving, arriving):
    out = []
    for s in range(len(times) - 1):
        h = mpf(times[s + 1]) - mpf(times[s])
        p, q, a, b = mpf(values[s]), mpf(values[s + 1]), leaving[s], arriving[s + 1]
        out.append([p, a, (3 * (q - p) / h - 2 * a - b) / h, (2 * (p - q) / h + a + b) / h**2])
    return out


def kochanek_bartels(times, values, T, C, B):
    n = len(times)
    leaving, arriving = [], []
    for i in range(n):
        before = (mpf(values[i]) - mpf(values[i - 1]), mpf(times[i]) - mpf(times[i - 1])) if i > 0 else None
        after = (mpf(values[i + 1]) - mpf(values[i]), mpf(times[i + 1]) - mpf(times[i])) if i + 1 < n else None
        before, after = before or after, after or before
        h = before[1] + after[1]
        t, c, b = mpf(T[i]), mpf(C[i]), mpf(B[i])
        leaving.append((1 - t) * ((1 + b) * (1 + c) * before[0] + (1 - b) * (1 - c) * after[0]) / h)
        arriving.append((1 - t) * ((1 + b) * (1 - c) * before[0] + (1 - b) * (1 + c) * after[0]) / h)
    return leaving, arriving


def basis(knots, i, degree, t, derivative=0):
    """Cox and de Boor; a basis function's derivative from those of lower degree."""
    if derivative > 0:
        total = mpf(0)
        a = knots[i + degree] - knots[i]
        b = knots[i + degree + 1] - knots[i + 1]
        if a > 0:
            total += degree / a * basis(knots, i, degree - 1, t, derivative - 1)
        if b > 0:
            total -= degree / b * basis(knots, i + 1, degree - 1, t, derivative - 1)
        return total
    if degree == 0:
        return mpf(1) if knots[i] <= t < knots[i + 1] else mpf(0)
    total = mpf(0)
    a = knots[i + degree] - knots[i]
    b = knots[i + degree + 1] - knots[i + 1]
    if a > 0:
        total += (t - knots[i]) / a * basis(knots, i, degree - 1, t)
    if b > 0:
        total += (knots[i + degree + 1] - t) / b * basis(knots, i + 1, degree - 1, t)
    return total


def double(x):
    return float(x)


def main():
    rng = random.Random(40_2026)
    uniform = lambda: round(rng.uniform(-2, 2), 6)  # noqa: E731
    cases = []
    for count in (2, 3, 5, 8):
        times = [0.0]
        for _ in range(count - 1):
            times.append(round(times[-1] + rng.choice([0.1, 0.5, 1.3, rng.uniform(0.2, 2)]), 6))
        values = [[uniform() for _ in range(SIZE)] for _ in range(count)]
        loop = values[:-1] + [values[0]]
        ends = {k: [uniform() for _ in range(SIZE)] for k in ("v0", "a0", "v1", "a1")}
        tangents = [[uniform() for _ in range(SIZE)] for _ in range(count)]
        arriving = [[uniform() for _ in range(SIZE)] for _ in range(count)]
        shape = {k: [round(rng.uniform(-1, 1), 4) for _ in range(count)] for k in "TCB"}
        at = sorted(rng.uniform(times[0], times[-1]) for _ in range(9))
        kinds = {}

        def add(kind, keys, coefficients):
            kinds[kind] = {
                "values": keys,
                "samples": [
                    [[double(sample(times, coefficients[c], t)[k]) for c in range(SIZE)] for k in range(3)] for t in at
                ],
            }

        column = lambda keys, c: [key[c] for key in keys]  # noqa: E731
        each = range(SIZE)
        add("linear", values, [piecewise(times, column(values, c), 1, 0, []) for c in each])
        add("natural", values, [piecewise(times, column(values, c), 3, 2, [(2, "start", 0), (2, "end", 0)]) for c in each])
        add(
            "clamped",
            values,
            [
                piecewise(times, column(values, c), 3, 2, [(1, "start", ends["v0"][c]), (1, "end", ends["v1"][c])])
                for c in each
            ],
        )
        if count > 2:
            add(
                "periodic",
                loop,
                [piecewise(times, column(loop, c), 3, 2, [(1, "periodic", 0), (2, "periodic", 0)]) for c in each],
            )
        jerk = lambda c: [  # noqa: E731
            (1, "start", ends["v0"][c]),
            (2, "start", ends["a0"][c]),
            (1, "end", ends["v1"][c]),
            (2, "end", ends["a1"][c]),
        ]
        add("minimum-jerk", values, [piecewise(times, column(values, c), 5, 4, jerk(c)) for c in each])
        add(
            "hermite",
            values,
            [
                hermite_coefficients(
                    times, column(values, c), [mpf(m[c]) for m in tangents], [mpf(m[c]) for m in arriving]
                )
                for c in each
            ],
        )
        add(
            "kochanek-bartels",
            values,
            [
                hermite_coefficients(
                    times,
                    column(values, c),
                    *kochanek_bartels(times, column(values, c), shape["T"], shape["C"], shape["B"]),
                )
                for c in each
            ],
        )
        cases.append(
            {"times": times, "ends": ends, "tangents": tangents, "arriving": arriving, "shape": shape, "at": at, "kinds": kinds}
        )

    splines = []
    for degree, points in ((1, 4), (2, 5), (3, 4), (3, 7), (3, 9), (5, 8)):
        for repeated in (False, True):
            inner = points - degree - 1
            steps = [round(rng.uniform(0.2, 1.5), 6) for _ in range(points + degree)]
            knots = [0.0]
            for n, step in enumerate(steps):
                twice = repeated and inner > 1 and n == degree
                knots.append(knots[-1] if twice else round(knots[-1] + step, 6))
            if repeated:
                # The custom at the ends: as often as the degree and once more.
                for k in range(degree):
                    knots[k] = knots[degree]
                    knots[points + 1 + k] = knots[points]
            control = [[uniform() for _ in range(SIZE)] for _ in range(points)]
            at = sorted(rng.uniform(knots[degree], knots[points]) for _ in range(9))
            exact = [mpf(k) for k in knots]
            splines.append(
                {
                    "degree": degree,
                    "knots": knots,
                    "points": control,
                    "at": at,
                    "samples": [
                        [
                            [
                                double(
                                    sum(
                                        control[i][c] * basis(exact, i, degree, mpf(t), k)
                                        for i in range(points)
                                    )
                                )
                                for c in range(SIZE)
                            ]
                            for k in range(3)
                        ]
                        for t in at
                    ],
                }
            )
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps({"keyed": cases, "bSplines": splines}) + "\n")
    print(f"{OUT}: {len(cases)} sets of keys, {len(splines)} B-splines")


if __name__ == "__main__":
    main()
