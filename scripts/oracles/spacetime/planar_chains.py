"""Planar chains of hinges about z, as data for a figure and as equations of motion. Written for arrays with the moments last."""

import numpy as np


class Pendulum:
    """One hinge; hangs along -y at 0, gravity along -y. I q'' + m g l sin q = tau."""

    dof = 1

    def __init__(self, mass, center, inertia, gravity):
        self.mass, self.center, self.inertia, self.gravity = mass, center, inertia, gravity
        self.about_hinge = inertia + mass * center**2
        self.weight = mass * gravity * center

    def data(self):
        x, z = 0.1 * self.inertia, self.inertia
        return {
            "name": "pendulum",
            "bones": [
                {
                    "name": "rod", "joint": {"type": "hinge", "axis": [0, 0, 1]}, "mass": self.mass,
                    "centerOfMass": [0, -self.center, 0], "inertia": [z, x, z, 0, 0, 0], "tip": [0, -2 * self.center, 0],
                }
            ],
        }

    def forces(self, q, v, a):
        return self.about_hinge * a + self.weight * np.sin(q)

    def accelerations(self, q, v, tau):
        return (tau - self.weight * np.sin(q)) / self.about_hinge

    def energies(self, q, v):
        """Kinetic and potential."""
        return 0.5 * self.about_hinge * v[0] ** 2, -self.weight * np.cos(q[0])


class Arm:
    """Two hinges; lies along +x at 0, gravity along -y. The equations are those of every textbook of robotics."""

    dof = 2

    def __init__(self, masses, lengths, centers, inertias, gravity):
        self.masses, self.lengths, self.centers = masses, lengths, centers
        self.inertias, self.gravity = inertias, gravity
        (m1, m2), (l1, _), (c1, c2), (i1, i2) = masses, lengths, centers, inertias
        self.base = i1 + i2 + m1 * c1**2 + m2 * (l1**2 + c2**2)
        self.cross = m2 * l1 * c2
        self.second = i2 + m2 * c2**2
        self.weight1 = (m1 * c1 + m2 * l1) * gravity
        self.weight2 = m2 * c2 * gravity

    def data(self):
        def bone(k, **more):
            z = self.inertias[k]
            return {
                **more, "joint": {"type": "hinge", "axis": [0, 0, 1]}, "mass": self.masses[k],
                "centerOfMass": [self.centers[k], 0, 0], "inertia": [0.1 * z, z, z, 0, 0, 0], "tip": [self.lengths[k], 0, 0],
            }

        return {
            "name": "two-link arm",
            "bones": [
                bone(0, name="upper"),
                bone(1, name="fore", parent="upper", rest={"position": [self.lengths[0], 0, 0]}),
            ],
        }

    def mass_and_bias(self, q, v):
        c, s = np.cos(q[1]), np.sin(q[1])
        m11, m12 = self.base + 2 * self.cross * c, self.second + self.cross * c
        far = self.weight2 * np.cos(q[0] + q[1])
        h1 = -self.cross * s * (2 * v[0] * v[1] + v[1] ** 2) + self.weight1 * np.cos(q[0]) + far
        h2 = self.cross * s * v[0] ** 2 + far
        return m11, m12, self.second, h1, h2

    def forces(self, q, v, a):
        m11, m12, m22, h1, h2 = self.mass_and_bias(q, v)
        return np.array([m11 * a[0] + m12 * a[1] + h1, m12 * a[0] + m22 * a[1] + h2])

    def accelerations(self, q, v, tau):
        m11, m12, m22, h1, h2 = self.mass_and_bias(q, v)
        t1, t2 = tau[0] - h1, tau[1] - h2
        det = m11 * m22 - m12**2
        return np.array([(m22 * t1 - m12 * t2) / det, (m11 * t2 - m12 * t1) / det])

    def energies(self, q, v):
        """From where the centres of mass are, so that it judges the equations above."""
        a, b = q[0], q[0] + q[1]
        (m1, m2), l1, (c1, c2), (i1, i2) = self.masses, self.lengths[0], self.centers, self.inertias
        velocity1 = [-c1 * np.sin(a) * v[0], c1 * np.cos(a) * v[0]]
        elbow = [-l1 * np.sin(a) * v[0], l1 * np.cos(a) * v[0]]
        turn = v[0] + v[1]
        velocity2 = [elbow[0] - c2 * np.sin(b) * turn, elbow[1] + c2 * np.cos(b) * turn]
        kinetic = 0.5 * (
            m1 * (velocity1[0] ** 2 + velocity1[1] ** 2) + i1 * v[0] ** 2
            + m2 * (velocity2[0] ** 2 + velocity2[1] ** 2) + i2 * turn**2
        )
        heights = m1 * c1 * np.sin(a) + m2 * (l1 * np.sin(a) + c2 * np.sin(b))
        return kinetic, self.gravity * heights


STEP = 1e-30
REAL_STEP = 1e-5


def check(chain, rng):
    """The equations against Lagrange's, d/dt dL/dv - dL/dq, by a complex step and central differences; and against their inverse."""
    n = chain.dof

    def lagrangian_slope(q, v, of_rate):
        out = np.zeros(n)
        for k in range(n):
            x, y = q.astype(complex), v.astype(complex)
            (y if of_rate else x)[k] += 1j * STEP
            kinetic, potential = chain.energies(x, y)
            out[k] = np.imag(kinetic - potential) / STEP
        return out

    for _ in range(20):
        q, v, a = rng.uniform(-3, 3, (3, n))
        h = REAL_STEP
        momentum = [lagrangian_slope(q + s * h * v + h**2 * a / 2, v + s * h * a, True) for s in (-1, 1)]
        lagrange = (momentum[1] - momentum[0]) / (2 * h) - lagrangian_slope(q, v, False)
        tau = chain.forces(q, v, a)
        if np.max(np.abs(lagrange - tau)) > 1e-7 * max(1, np.max(np.abs(tau))):
            raise SystemExit(f"{lagrange} by Lagrange, {tau} by the textbook")
        if np.max(np.abs(chain.accelerations(q, v, tau) - a)) > 1e-10 * max(1, np.max(np.abs(a))):
            raise SystemExit("the equations and their inverse differ")
