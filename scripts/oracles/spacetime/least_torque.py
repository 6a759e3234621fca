"""Least integral of |tau|^2 over a fixed time from rest to rest, two ways that share nothing but the equations of motion.

1. Pontryagin's principle: with costates l (of q) and m (of v), H = |tau|^2 + l v + m a(q, v, tau) is least in tau where
   2 tau + (da/dtau)^T m = 0; l' = -dH/dq, m' = -dH/dv (complex steps). A two-point problem for `scipy.integrate.solve_bvp`, on
   two meshes.
2. Ritz's method: q is what a space of curves holds, tau comes from inverse dynamics and its square is integrated by Gauss's
   quadrature; a least-squares problem. Its cost is above the least and tends to it. Polynomials judge the first way; B-splines
   say what the best of their space costs.
"""

import numpy as np
from scipy.integrate import solve_bvp
from scipy.interpolate import BSpline
from scipy.optimize import least_squares

from .bang_bang import knots

STEP = 1e-30


class Polynomials:
    """The cubic from rest to rest, and t^2 (T - t)^2 times Legendre polynomials."""

    def __init__(self, duration, degree):
        self.duration = duration
        self.size = degree - 3
        self.cubic = np.polynomial.Polynomial([0, 0, 3 / duration**2, -2 / duration**3])
        bubble = np.polynomial.Polynomial([0, 0, 1]) * np.polynomial.Polynomial([duration, -1]) ** 2
        self.bubble = bubble * (16 / duration**4)
        self.legendre = [np.polynomial.Legendre.basis(k, domain=[0, duration]) for k in range(self.size)]
        nodes, weights = np.polynomial.legendre.leggauss(3 * degree + 10)
        self.moments, self.weights = duration * (nodes + 1) / 2, weights * duration / 2

    def share(self, t, order):
        """Of the way from start to end."""
        return self.cubic.deriv(order)(t)

    def rows(self, t, order):
        binomial = ([1], [1, 1], [1, 2, 1])[order]
        return np.array(
            [sum(c * self.bubble.deriv(j)(t) * p.deriv(order - j)(t) for j, c in enumerate(binomial)) for p in self.legendre]
        )


class Splines:
    """Clamped uniform B-splines, the first two control points at the start and the last two at the end; ten points of Gauss an interval."""

    def __init__(self, duration, degree, intervals):
        self.duration = duration
        self.size = intervals + degree - 4
        self.basis = BSpline(duration * knots(degree, intervals), np.eye(intervals + degree), degree)
        # Free control points are counted from the straight line over the Greville abscissae.
        t = self.basis.t
        greville = np.array([np.mean(t[i + 1 : i + degree + 1]) for i in range(intervals + degree)]) / duration
        self.line = np.concatenate([[0, 0], greville[2:-2], [1, 1]])
        nodes, weights = np.polynomial.legendre.leggauss(10)
        step = duration / intervals
        self.moments = ((np.arange(intervals)[:, None] + (nodes + 1) / 2) * step).ravel()
        self.weights = np.tile(weights * step / 2, intervals)

    def share(self, t, order):
        return self.basis.derivative(order)(t) @ self.line if order else self.basis(t) @ self.line

    def rows(self, t, order):
        return (self.basis.derivative(order)(t) if order else self.basis(t))[:, 2:-2].T


class Ritz:
    def __init__(self, chain, start, end, space):
        self.chain, self.space = chain, space
        self.start, self.way = np.asarray(start, dtype=float), np.subtract(end, start).astype(float)
        self.size = chain.dof * space.size
        self.fixed = [self.first(space.moments, k) for k in range(3)]
        self.moving = [space.rows(space.moments, k) for k in range(3)]

    def first(self, t, order):
        path = np.outer(self.way, self.space.share(t, order))
        return path + self.start[:, None] if order == 0 else path

    def residuals(self, x):
        c = x.reshape(self.chain.dof, -1)
        tau = self.chain.forces(*(f + c @ r for f, r in zip(self.fixed, self.moving)))
        return (np.sqrt(self.space.weights) * tau).ravel()

    def jacobian(self, x):
        out = np.empty((self.chain.dof * len(self.space.moments), self.size))
        for k in range(self.size):
            y = x.astype(complex)
            y[k] += 1j * STEP
            out[:, k] = np.imag(self.residuals(y)) / STEP
        return out

    def solve(self, x):
        found = least_squares(self.residuals, x, jac=self.jacobian, xtol=1e-15, ftol=1e-15, gtol=1e-13, max_nfev=300)
        return 2 * found.cost, found.x

    def sample(self, x, t):
        c = x.reshape(self.chain.dof, -1)
        q, v, a = (self.first(t, k) + c @ self.space.rows(t, k) for k in range(3))
        return q, v, self.chain.forces(q, v, a)


class Pontryagin:
    def __init__(self, chain, start, end):
        self.chain = chain
        self.start, self.end = np.asarray(start, dtype=float), np.asarray(end, dtype=float)

    def torque(self, q, v, m):
        """tau = -1/2 (da/dtau)^T m: a is affine in tau."""
        still = self.chain.accelerations(q, v, np.zeros_like(m))
        out = []
        for k in range(self.chain.dof):
            unit = np.zeros_like(m)
            unit[k] = 1
            out.append(-0.5 * np.sum((self.chain.accelerations(q, v, unit) - still) * m, axis=0))
        return np.array(out)

    def slopes(self, _, y):
        n = self.chain.dof
        q, v, l, m = y[:n], y[n : 2 * n], y[2 * n : 3 * n], y[3 * n : 4 * n]
        tau = self.torque(q, v, m)

        def gradient(of_rate):
            out = []
            for k in range(n):
                x, w = q.astype(complex), v.astype(complex)
                (w if of_rate else x)[k] += 1j * STEP
                out.append(np.imag(np.sum(m * self.chain.accelerations(x, w, tau), axis=0)) / STEP)
            return np.array(out)

        a = self.chain.accelerations(q, v, tau)
        return np.vstack([v, a, -gradient(False), -l - gradient(True), np.sum(tau**2, axis=0)[None]])

    def misses(self, a, b):
        n = self.chain.dof
        return np.concatenate([a[:n] - self.start, a[n : 2 * n], b[:n] - self.end, b[n : 2 * n], a[-1:]])

    def solve(self, t, y, tolerance):
        found = solve_bvp(self.slopes, self.misses, t, y, tol=tolerance, bc_tol=1e-12, max_nodes=50_000)
        if found.status != 0:
            raise SystemExit(found.message)
        return found

    def sample(self, found, t):
        n = self.chain.dof
        y = found.sol(t)
        q, v = y[:n], y[n : 2 * n]
        return q, v, self.torque(q, v, y[3 * n : 4 * n])


def with_costates(ritz, x, t):
    """A start for Pontryagin's equations: m = -2 M tau, M from differences of forces; l = -m' - dH/dv by differences."""
    chain = ritz.chain
    q, v, tau = ritz.sample(x, t)
    still = chain.forces(q, v, np.zeros_like(q))
    m = np.zeros_like(q)
    for k in range(chain.dof):
        unit = np.zeros_like(q)
        unit[k] = 1
        m[k] = -2 * np.sum((chain.forces(q, v, unit) - still) * tau, axis=0)
    l = -np.gradient(m, t, axis=1)
    for k in range(chain.dof):
        w = v.astype(complex)
        w[k] += 1j * STEP
        l[k] -= np.imag(np.sum(m * chain.accelerations(q, w, tau), axis=0)) / STEP
    squares = np.sum(tau**2, axis=0)
    cost = np.concatenate([[0], np.cumsum((squares[1:] + squares[:-1]) / 2 * np.diff(t))])
    return np.vstack([q, v, l, m, cost[None]])


def exact(ritz, x, duration):
    """The optimum next to a Ritz solution, by the principle on two meshes: cost and eleven samples."""
    chain = ritz.chain
    problem = Pontryagin(chain, ritz.start, ritz.start + ritz.way)
    shares = np.linspace(0, duration, 11)
    found = []
    for nodes, tolerance in ((41, 1e-7), (97, 2e-9)):
        t = np.linspace(0, duration, nodes)
        solution = problem.solve(t, with_costates(ritz, x, t), tolerance)
        found.append((solution.y[-1, -1], *problem.sample(solution, shares)))
    coarse, fine = found
    cost, q, v, tau = fine
    ritz_cost, path = np.sum(ritz.residuals(x) ** 2), ritz.sample(x, shares)
    apart = max(np.max(np.abs(np.asarray(a) - b)) for a, b in zip(coarse, fine))
    # A polynomial's torque is least good at the ends: its path alone is compared.
    from_ritz = max(np.max(np.abs(path[0] - q)), np.max(np.abs(path[1] - v)))
    print(f"    cost {cost:.12g}, meshes apart {apart:.1e}, path of Ritz apart {from_ritz:.1e}, its cost {ritz_cost - cost:+.1e}")
    if apart > 1e-7 or from_ritz > 1e-4 or abs(ritz_cost - cost) > 1e-9 * cost:
        raise SystemExit("the ways are too far apart")
    return {
        "cost": float(cost),
        "samples": [[float(t), q[:, k].tolist(), v[:, k].tolist(), tau[:, k].tolist()] for k, t in enumerate(shares)],
    }


STARTS = 16


def case(name, chain, start, end, duration, rng):
    """The optimum next to the cubic, which has to be the best of all starts; the costs of the others; and what splines can do."""
    print(f"  {name}", flush=True)
    rough = Ritz(chain, start, end, Polynomials(duration, 20))
    costs = []
    for k in range(STARTS):
        x = np.zeros((chain.dof, rough.space.size))
        if k > 0:
            x[:, :4] = rng.normal(0, 1, (chain.dof, 4))
        costs.append(rough.solve(x.ravel())[0])
    if costs[0] > min(costs) * (1 + 1e-6):
        raise SystemExit(f"the cubic leads to {costs[0]}, another start to {min(costs)}")
    fine = Ritz(chain, start, end, Polynomials(duration, 44))
    _, x = fine.solve(np.zeros(fine.size))
    best = exact(fine, x, duration)
    splines = []
    for degree, intervals in ((5, 8), (5, 16), (5, 32), (3, 32)):
        ritz = Ritz(chain, start, end, Splines(duration, degree, intervals))
        cost, _ = ritz.solve(np.zeros(ritz.size))
        print(f"    degree {degree}, {intervals} intervals: {cost:.10g} ({cost / best['cost'] - 1:+.1e})", flush=True)
        splines.append({"degree": degree, "intervals": intervals, "cost": float(cost)})
    others = sorted({float(f"{c:.3g}") for c in costs if c > costs[0] * 1.01})
    return {
        "name": name, "figure": chain.data(), "gravity": [0, -chain.gravity, 0], "from": list(start), "to": list(end),
        "duration": duration, **best, "otherOptimaNear": others[:2], "splines": splines,
    }
