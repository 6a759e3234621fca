"""Least-effort motions that have a formula. Exact fractions; each is tried against a minimum over polynomials of higher degree."""

from fractions import Fraction as F

import numpy as np

SHARES = [F(k, 10) for k in range(11)]


def block_move():
    """x'' = u from 0 to 1 in a second, at rest at both ends, least integral of u^2: u = 6 - 12 t."""
    rows = [[t, 3 * t**2 - 2 * t**3, 6 * t - 6 * t**2, 6 - 12 * t] for t in SHARES]
    cost = F(36 * 1) - F(144, 2) + F(144, 3)
    agree(cost, polynomial_cost(2, [F(0), F(1)], [F(0), F(0)], F(1), F(0)))
    return {"duration": 1, "from": 0, "to": 1, "cost": float(cost), "samples": floats(rows)}


def minimum_jerk():
    """From 0 to 1 in a second, velocity and acceleration 0 at both ends, least integral of x'''^2: 10 s^3 - 15 s^4 + 6 s^5."""
    rows = [
        [
            s,
            10 * s**3 - 15 * s**4 + 6 * s**5,
            30 * s**2 - 60 * s**3 + 30 * s**4,
            60 * s - 180 * s**2 + 120 * s**3,
            60 - 360 * s + 360 * s**2,
        ]
        for s in SHARES
    ]
    # Of (60 - 360 s + 360 s^2)^2.
    cost = sum(c / (k + 1) for k, c in enumerate([F(3600), F(-43200), F(172800), F(-259200), F(129600)]))
    agree(cost, polynomial_cost(3, [F(0), F(1)], [F(0)] * 4, F(1), F(0)))
    return {"duration": 1, "from": 0, "to": 1, "cost": float(cost), "samples": floats(rows)}


def particle(name, mass, gravity, a, b, duration, start=None, end=None):
    """A particle under gravity with a jet (Witkin & Kass 1988, section 2): m x'' = f + m g, least integral of |f|^2.

    f'' = 0, so x is a cubic a + v t + c t^2 / 2 + d t^3 / 6 and f / m = c - g + d t. An end whose velocity is free (None) has
    f = 0 there.
    """
    m, T = F(mass), F(duration)
    coefficients = []
    for k in range(3):
        g = F(gravity[k])
        way = F(b[k]) - F(a[k])
        v0, v1 = (None if v is None else F(v[k]) for v in (start, end))
        if v0 is not None and v1 is not None:
            rest = way - v0 * T
            c, d = 6 * rest / T**2 - 2 * (v1 - v0) / T, -12 * rest / T**3 + 6 * (v1 - v0) / T**2
        elif v0 is not None:
            # d = -(c - g) / T, and c T^2 / 2 + d T^3 / 6 is what is left of the way.
            c = 3 * (way - v0 * T - g * T**2 / 6) / T**2
            d = -(c - g) / T
        elif v1 is not None:
            # c = g; v0 = v1 - g T - d T^2 / 2.
            c = g
            d = -3 * (way - v1 * T + g * T**2 / 2) / T**3
            v0 = v1 - g * T - d * T**2 / 2
        else:
            c, d = g, F(0)
            v0 = way / T - g * T / 2
        coefficients.append((F(a[k]), v0, c, d, g))
    cost = sum(m**2 * ((c - g) ** 2 * T + (c - g) * d * T**2 + d**2 * T**3 / 3) for _, _, c, d, g in coefficients)
    checked = sum(
        float(m) ** 2
        * polynomial_cost(2, [F(a[k]), F(b[k])], [None if v is None else F(v[k]) for v in (start, end)], T, F(gravity[k]))
        for k in range(3)
    )
    agree(cost, checked)
    samples = []
    for s in SHARES:
        t = s * T
        x = [p + v * t + c * t**2 / 2 + d * t**3 / 6 for p, v, c, d, _ in coefficients]
        v = [v + c * t + d * t**2 / 2 for _, v, c, d, _ in coefficients]
        f = [m * (c - g + d * t) for _, _, c, d, g in coefficients]
        samples.append([float(t), *(list(map(float, row)) for row in (x, v, f))])
    return {
        "name": name, "mass": float(m), "gravity": gravity, "from": a, "to": b, "duration": float(T),
        "startVelocity": start, "endVelocity": end, "cost": float(cost), "samples": samples,
    }


def free_duration(mass, gravity, a, b):
    """At rest at both ends and the time free: m^2 (12 d^2 / T^3 + g^2 T) is least where T^4 = 36 d^2 / g^2."""
    d, g, m = (float(np.linalg.norm(v)) for v in (np.subtract(b, a), gravity, [mass]))
    duration = (6 * d / g) ** 0.5
    return {
        "mass": mass, "gravity": gravity, "from": a, "to": b, "duration": duration,
        "cost": m**2 * (12 * d**2 / duration**3 + g**2 * duration),
    }


def particles():
    down = [0, -9.81, 0]
    a, b = [0, 0, 0], [2, 0.5, -1]
    return {
        "cases": [
            particle("at rest at both ends", 1, down, a, b, 1, [0, 0, 0], [0, 0, 0]),
            particle("heavier, slower, upwards", 2.5, down, [0.25, 1, -0.5], [-1.5, 3, 0.75], 1.5, [0, 0, 0], [0, 0, 0]),
            particle("velocities given", 0.5, down, a, b, 0.75, [1, 2, -0.5], [-0.5, -3, 0.25]),
            particle("without gravity", 2, [0, 0, 0], [1, 1, 1], [-1, 2, 4], 2, [0, 0, 0], [1, 0, -1]),
            particle("end velocity free", 1.5, down, a, b, 1.25, [0, 0, 0], None),
            particle("start velocity free", 1.5, down, a, b, 1.25, None, [0, -1, 0]),
            particle("both free: thrown", 1, down, a, b, 1, None, None),
        ],
        "freeDuration": [free_duration(1, down, a, b), free_duration(3, [0, -1.62, 0], a, [0, 12, 5])],
    }


def polynomial_cost(order, ends, rates, duration, offset, degree=9):
    """Least integral of (x^(order) - offset)^2 over polynomials of a degree that has the answer and more, by quadrature.

    `rates`: first derivatives at both ends, then second ones; None leaves one free.
    """
    T = float(duration)
    nodes, weights = np.polynomial.legendre.leggauss(degree + 2)
    basis = [np.polynomial.Legendre.basis(k, domain=[0, T]) for k in range(degree + 1)]
    rows = np.array([b.deriv(order)(T * (nodes + 1) / 2) for b in basis]).T * np.sqrt(weights * T / 2)[:, None]
    wanted = float(offset) * np.sqrt(weights * T / 2)
    conditions = [([b(t) for b in basis], value) for t, value in zip((0, T), ends)]
    conditions += [
        ([b.deriv(1 + k // 2)(T * (k % 2)) for b in basis], value) for k, value in enumerate(rates) if value is not None
    ]
    left = np.array([row for row, _ in conditions], dtype=float)
    right = np.array([float(value) for _, value in conditions])
    some = np.linalg.lstsq(left, right, rcond=None)[0]
    kernel = np.linalg.svd(left)[2][len(conditions) :].T
    step = np.linalg.lstsq(rows @ kernel, wanted - rows @ some, rcond=None)[0]
    return float(np.sum((rows @ (some + kernel @ step) - wanted) ** 2))


def agree(exact, found):
    if abs(float(exact) - found) > 1e-10 * max(1, abs(float(exact))):
        raise SystemExit(f"{float(exact)} by formula, {found} by polynomials")


def floats(rows):
    return [[float(x) for x in row] for row in rows]
