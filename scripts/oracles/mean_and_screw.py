"""Mean rotations and exponentials of screws, for packages/core/test/fixtures/rotation.

    python3 scripts/oracles/mean_and_screw.py      # rewrites the fixture; needs mpmath 1.3

Imports nothing of the library. 50 digits. The exponential of a screw is the series of the 4x4 matrix exponential, without a formula of a
Jacobian; the mean is the root of sum w_i log(M^T R_i) = 0 by the fixed-point iteration M <- M exp(sum w_i log(M^T R_i) / sum w_i).
"""

import json
import random
from pathlib import Path

from mpmath import matrix, mp, mpf

OUT = Path(__file__).parents[2] / "packages/core/test/fixtures/rotation/mean-and-screw.json"
mp.dps = 50
random.seed(1997)


def skew(w):
    return matrix([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def series(a):
    """exp(a): scaling by 2^-20, Taylor, squaring."""
    n = a.rows
    small = a / mpf(2) ** 20
    term = total = mp.eye(n)
    for k in range(1, 30):
        term = term * small / k
        total = total + term
    for _ in range(20):
        total = total * total
    return total


def log(r):
    """Rotation vector, for angles below pi."""
    v = [(r[2, 1] - r[1, 2]) / 2, (r[0, 2] - r[2, 0]) / 2, (r[1, 0] - r[0, 1]) / 2]
    sine = mp.sqrt(sum(x * x for x in v))
    if sine == 0:
        return [mpf(0)] * 3
    angle = mp.atan2(sine, (r[0, 0] + r[1, 1] + r[2, 2] - 1) / 2)
    return [x * angle / sine for x in v]


def vector(size, n=3):
    """Doubles, so that the fixture's inputs are exact."""
    return [random.uniform(-size, size) for _ in range(n)]


def mean_case(count, size):
    vectors = [vector(size) for _ in range(count)]
    weights = [random.uniform(0.2, 2) for _ in range(count)]
    rotations = [series(skew([mpf(x) for x in v])) for v in vectors]
    mean = rotations[0]
    for _ in range(2000):
        step = [mpf(0)] * 3
        for w, r in zip(weights, rotations):
            for k, x in enumerate(log(mean.T * r)):
                step[k] += mpf(w) * x / sum(map(mpf, weights))
        mean = mean * series(skew(step))
        if max(abs(x) for x in step) < mpf(10) ** -40:
            break
    else:
        raise ValueError("no mean")
    return {"rotationVectors": vectors, "weights": weights, "mean": entries(mean)}


def screw_case(angle, size):
    axis = vector(1)
    length = sum(x * x for x in axis) ** 0.5
    screw = [x / length * angle for x in axis] + vector(size)
    a = mp.zeros(4)
    a[:3, :3] = skew([mpf(x) for x in screw[:3]])
    for k in range(3):
        a[k, 3] = mpf(screw[3 + k])
    t = series(a)
    return {"screw": screw, "rigid": entries(t[:3, :3]) + [float(t[k, 3]) for k in range(3)]}


def entries(m):
    return [float(m[r, c]) for r in range(3) for c in range(3)]


angles = [0, 1e-12, 1e-8, 1e-4, 0.01, 0.1, 0.5, 1, 2, 3, 3.14159]
data = {
    "means": [mean_case(count, size) for count in (2, 3, 8) for size in (1e-6, 0.3, 0.8) for _ in range(3)],
    "screws": [screw_case(angle, size) for angle in angles for size in (1, 100)],
}
OUT.write_text(json.dumps(data, indent=1) + "\n")
