"""High-precision values of the scalar coefficients of the rotation vector, for packages/core/test/fixtures/rotation.

    python3 scripts/oracles/rotation_coefficients.py      # rewrites the fixture; needs mpmath 1.3

Imports nothing of the library. Each coefficient is its definition in theta at 400 digits, which swallows every
cancellation; "each next one is d/dtheta over theta" is taken by mpmath's numerical derivative at those digits.
"""

import json
from pathlib import Path

from mpmath import mp, mpf

OUT = Path(__file__).parents[2] / "packages/core/test/fixtures/rotation/coefficients.json"
mp.dps = 400


def step(f):
    """f'/theta, differentiated symmetrically with a step far below the published digits."""

    def g(theta):
        h = theta * mpf(10) ** -60
        return (f(theta + h) - f(theta - h)) / (2 * h) / theta

    return g


def s0(t):
    return mp.sin(t / 2) / t


def big_a(t):
    return mp.sin(t) / t


def big_b(t):
    return (1 - mp.cos(t)) / t**2


def big_c(t):
    return (t - mp.sin(t)) / t**3


def big_d(t):
    return (1 - (t / 2) * mp.cot(t / 2)) / t**2


def big_e(t):
    return (2 * big_b(t) - big_a(t)) / t**2


def big_f(t):
    return (3 * big_c(t) - big_b(t)) / t**2


s1 = step(s0)
s2 = step(s1)
s3 = step(s2)

FUNCTIONS = {
    "s0": s0, "s1": s1, "s2": s2, "s3": s3, "c": lambda t: mp.cos(t / 2),
    "A": big_a, "B": big_b, "C": big_c, "D": big_d, "E": big_e, "F": big_f,
    "A1": step(big_a), "D1": step(big_d), "E1": step(big_e), "F1": step(big_f),
}  # fmt: skip


def main():
    thetas = [1e-8, 2.0**-26, 2.0**-13, 1e-3, 0.01] + [round(0.1 * k, 1) for k in range(1, 32)]
    thetas += [3.14, 3.1415926, 3.141592653589793]
    rows = []
    for theta in thetas:
        values = {name: float(f(mpf(theta))) for name, f in FUNCTIONS.items()}
        rows.append(json.dumps({"theta": theta, **values}, separators=(",", ":")))
    about = "made by scripts/oracles/rotation_coefficients.py; nearest doubles; A1, D1, E1, F1 are primes over theta"
    OUT.write_text('{"about":' + json.dumps(about) + ',"rows":[\n' + ",\n".join(rows) + "\n]}\n")
    print(f"{OUT}: {len(rows)} rows, {OUT.stat().st_size} bytes")


if __name__ == "__main__":
    main()
