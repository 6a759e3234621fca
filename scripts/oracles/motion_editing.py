"""High-precision values for retiming and fitting, for packages/core/test/fixtures/motion/editing.json.

    python3 scripts/oracles/motion_editing.py            # rewrites the fixture; needs mpmath 1.3 and scipy 1.17

Imports nothing of the library. `cubic-bezier` of CSS is solved at 50 digits, its rates by differentiating the solution
implicitly. Lengths are integrals at 30 digits. The fewest keys of a fit are found by trying every set of keys, from
small ones up, and asking a linear program whether cubic Hermite pieces through some values with some tangents stay
within the tolerance at every sample.
"""

import itertools
import json
import random
from pathlib import Path

import numpy as np
from mpmath import diff, mp, mpf, quad, sqrt
from scipy.optimize import linprog

mp.dps = 50
OUT = Path(__file__).parents[2] / "packages/core/test/fixtures/motion/editing.json"


def css(x1, y1, x2, y2, shares):
    def cubic(a, b):
        return lambda u: 3 * u * (1 - u) ** 2 * mpf(a) + 3 * u**2 * (1 - u) * mpf(b) + u**3

    x, y = cubic(x1, x2), cubic(y1, y2)
    samples = []
    for share in shares:
        low, high = mpf(0), mpf(1)
        for _ in range(200):
            middle = (low + high) / 2
            if x(middle) < mpf(share):
                low = middle
            else:
                high = middle
        u = (low + high) / 2
        xu, yu, xuu, yuu = diff(x, u), diff(y, u), diff(x, u, 2), diff(y, u, 2)
        samples.append([share, float(y(u)), float(yu / xu), float((yuu * xu - yu * xuu) / xu**3)])
    return {"handles": [x1, y1, x2, y2], "samples": samples}


def lengths(rng):
    """Lengths of plane cubics, given by Bezier points."""
    cases = []
    mp.dps = 30
    for _ in range(6):
        points = [[round(rng.uniform(-3, 3), 3) for _ in range(2)] for _ in range(4)]

        def speed(t, points=points):
            total = mpf(0)
            for c in range(2):
                p = [mpf(str(point[c])) for point in points]
                rate = 3 * ((1 - t) ** 2 * (p[1] - p[0]) + 2 * t * (1 - t) * (p[2] - p[1]) + t**2 * (p[3] - p[2]))
                total += rate**2
            return sqrt(total)

        part = quad(speed, [mpf(k) / 20 for k in range(15)])
        whole = quad(speed, [mpf(k) / 20 for k in range(21)])
        cases.append({"points": points, "whole": float(whole), "to0.7": float(part)})
    return cases


def hermite_row(times, keys, t):
    row = np.zeros(2 * len(keys))
    s = max(i for i in range(len(keys) - 1) if times[keys[i]] <= t or i == 0)
    h = times[keys[s + 1]] - times[keys[s]]
    u = (t - times[keys[s]]) / h
    row[2 * s] = (1 + 2 * u) * (1 - u) ** 2
    row[2 * s + 1] = u * (1 - u) ** 2 * h
    row[2 * s + 2] = u * u * (3 - 2 * u)
    row[2 * s + 3] = -u * u * (1 - u) * h
    return row


def deviation(times, values, keys):
    """The least largest error over the samples: minimise e with |A x - y| <= e, coordinates one by one."""
    rows = np.array([hermite_row(times, keys, t) for t in times])
    worst = 0.0
    for y in values.T:
        one = np.ones((len(times), 1))
        a = np.vstack([np.hstack([rows, -one]), np.hstack([-rows, -one])])
        b = np.concatenate([y, -y])
        cost = np.zeros(a.shape[1])
        cost[-1] = 1
        found = linprog(cost, A_ub=a, b_ub=b, bounds=[(None, None)] * (a.shape[1] - 1) + [(0, None)], method="highs")
        worst = max(worst, found.fun)
    return worst


def fewest(times, values, tolerance):
    inner = range(1, len(times) - 1)
    for more in range(len(times) - 1):
        best = min(
            (deviation(times, values, [0, *keys, len(times) - 1]) for keys in itertools.combinations(inner, more)),
        )
        if best <= tolerance:
            return more + 2
    raise AssertionError


def fits(rng):
    cases = []
    for n in range(14):
        count = 12 if n % 2 == 0 else 14
        times = np.cumsum([round(rng.uniform(0.05, 0.2), 4) for _ in range(count)])
        size = 1 if n < 8 else 2
        frequency = rng.uniform(2, 7)
        values = np.array(
            [
                [round(np.sin(frequency * t + c) + 0.3 * np.cos(2.7 * frequency * t) + rng.uniform(-0.02, 0.02), 6) for c in range(size)]
                for t in times
            ]
        )
        tolerance = [0.03, 0.08, 0.2][n % 3]
        cases.append(
            {
                "times": times.tolist(),
                "values": values.tolist(),
                "tolerance": tolerance,
                "fewest": fewest(times, values, tolerance),
            }
        )
    return cases


def main():
    rng = random.Random(4)
    shares = [0.001, 0.1, 0.25, 0.5, 0.7, 0.93, 0.999]
    handles = [
        (0.25, 0.1, 0.25, 1.0),
        (0.42, 0.0, 1.0, 1.0),
        (0.0, 0.0, 0.58, 1.0),
        (0.42, 0.0, 0.58, 1.0),
        (0.0, 1.0, 0.0, 1.0),
        (1.0, 0.0, 0.9, 0.2),
        (0.6, -0.4, 0.3, 1.7),
        (0.99, 0.1, 0.02, 0.9),
    ]
    data = {
        "cubicBezier": [css(*h, shares) for h in handles],
        "lengths": lengths(rng),
        "fits": fits(rng),
    }
    OUT.write_text(json.dumps(data, indent=1) + "\n")


main()
