from __future__ import annotations
from dataclasses import dataclass
import numpy as np
from coassoc.posterior import kernels
from coassoc.posterior.draws import Draws
from coassoc.posterior.losses import expected_loss, loss_of_sums, sizes_table
from coassoc.partition.labels import canonical_labels
from coassoc.seeds import seed_sequence
from coassoc.numerics.threads import over_blocks

KINDS = {"VI": 0, "NVI": 1, "ID": 2, "NID": 3, "omARI": 4}


class State:
    def __init__(self, draws, loss, a, most):
        self.draws, self.loss, self.a = draws, loss, a
        n = draws.n_items
        self.n, self.most = n, most
        self.z = np.full(n, -1)
        self.W = float(draws.n_draws)
        self.sums = np.zeros(5)
        self.places = min(n, 16)
        self.room(self.places)

    def grow(self, array, axis=0, fill=0):
        more = min(2 * array.shape[axis], self.n) - array.shape[axis]
        shape = list(array.shape); shape[axis] = more
        return np.ascontiguousarray(np.concatenate((array, np.full(shape, fill, array.dtype)), axis))

    def sweep(self, order):
        self.sums[2] = 0
        start = 0
        while True:
            start = self._sweep(order, start)
            if start == len(order):
                return int(self.sums[2])
            self.more_room()

    def set(self, labels):
        """Move items to labels (any place names)."""
        while labels.max() >= len(self.size):
            self.more_room()
        changed = np.flatnonzero(labels != self.z)
        self.take(changed[self.z[changed] >= 0])
        changed = changed[labels[changed] >= 0]
        self.put(changed, labels[changed])

    def merge(self):
        """Merge disjoint pairs of clusters; whether any was."""
        used = np.flatnonzero(self.size)
        used = used[np.argsort(self.size[used], kind='stable')[:32]]
        values = self.merges(used)
        i, j = np.triu_indices(len(used), 1)
        v = values[i, j]
        order = np.argsort(v, kind="stable")
        free = np.ones(len(used), bool)
        any_ = False
        for t in order:
            if v[t] >= -1e-10 * self.W:
                break
            if free[i[t]] and free[j[t]]:
                free[i[t]] = free[j[t]] = False
                a, b = used[i[t]], used[j[t]]
                if self.size[a] < self.size[b]: a, b = b, a
                items = np.flatnonzero(self.z == b)
                self.take(items); self.put(items, np.full(len(items), a))
                any_ = True
        return any_


class Sums(State):
    def room(self, places):
        d = self.draws
        L = int(d.starts[-1])
        self.f = np.rint(sizes_table(self.loss, self.n) * 2.0**26) / 2.0**26
        self.weights = d.weights.astype(float)
        self.N = np.zeros((places, L), np.int32)
        self.size = np.zeros(places, np.int64)
        self.M = np.zeros(L, np.int32)
        self.A = np.zeros(len(d.weights)); self.J = np.zeros(len(d.weights))
        self.gain = np.zeros((self.n, places)); self.stamp = np.full((self.n, places), -1); self.version = np.zeros(places, np.int64)
        self.kind = KINDS[self.loss]

    def more_room(self):
        self.N = self.grow(self.N); self.size = self.grow(self.size); self.version = self.grow(self.version)
        self.gain = self.grow(self.gain, 1); self.stamp = self.grow(self.stamp, 1, -1)

    def _sweep(self, order, start):
        return kernels.sweep_counts(self.draws.rows, self.weights, self.f, self.kind, 2 - self.a, self.z, self.N, self.size, self.M, self.A, self.J, self.sums, self.gain, self.stamp, self.version, order, start, self.most)

    def take(self, items):
        kernels.take_counts(self.draws.rows, self.f, self.z, self.N, self.size, self.M, self.A, self.J, self.sums, self.version, items, 1)

    def put(self, items, into):
        kernels.put_counts(self.draws.rows, self.f, self.z, self.N, self.size, self.M, self.A, self.J, self.sums, self.version, items, into)

    def merges(self, used):
        v = np.full((len(used),) * 2, np.inf)
        now = self.value()
        for i in range(len(used)):
            for j in range(i + 1, len(used)):
                x, y = used[i], used[j]
                more = kernels.joint_of_merged(self.N[x], self.N[y], self.draws.starts, self.f)
                sx, sy = self.size[x], self.size[y]
                e = self.f[sx + sy] - self.f[sx] - self.f[sy]
                v[i, j] = self.W * (self.weights @ loss_of_sums(self.loss, self.A, self.sums[0] + e, self.J + more, self.n, self.a) / self.W - now)
        return v

    def value(self):
        return self.weights @ loss_of_sums(self.loss, self.A, self.sums[0], self.J, self.n, self.a) / self.W


class Pairs(State):
    def room(self, places):
        self.S = np.zeros((self.n, places)); self.size = np.zeros(places, np.int64)
        self.P = self.draws.pairs
        self.kind = int(self.loss != "Binder")

    def more_room(self):
        self.S = self.grow(self.S, 1); self.size = self.grow(self.size)

    def _sweep(self, order, start):
        return kernels.sweep_pairs(self.P, self.kind, 2 - self.a, self.W, self.z, self.S, self.size, self.sums, order, start, self.most)

    def take(self, items):
        for i in items:
            k = self.z[i]
            s = self.sums
            s[0] -= self.size[k] - 1; s[3] -= self.S[i, k] - self.W; s[1] -= 1
            s[4] -= self.S[i].sum() - self.W
            self.S[:, k] -= self.P[i]
            self.size[k] -= 1
            self.z[i] = -1

    def put(self, items, into):
        for i, k in zip(items, into):
            s = self.sums
            s[0] += self.size[k]; s[3] += self.S[i, k]; s[1] += 1
            s[4] += self.S[i].sum()
            self.S[:, k] += self.P[i]
            self.size[k] += 1
            self.z[i] = k

    def merges(self, used):
        cross = np.array([self.S[self.z == k][:, used].sum(axis=0) for k in used]) / self.W
        E = np.outer(self.size[used], self.size[used]).astype(float)
        if self.kind == 0:
            return self.W * ((2 - self.a) * E - 2 * cross)
        E0, I0, A = self.sums[0], self.sums[3] / self.W, self.sums[4] / self.W
        now = loss_of_sums("omARI", A, E0, I0, self.n, 1)
        return self.W * (loss_of_sums("omARI", A, E0 + E, I0 + cross, self.n, 1) - now)

    def value(self):
        s = self.sums
        return float(loss_of_sums("Binder" if self.kind == 0 else "omARI", s[4] / self.W, s[0], s[3] / self.W, self.n, self.a))


def improve(state, rng, zealous=10):
    best = settle(state, rng)
    labels = state.z.copy()
    tries = 0
    while tries < zealous:
        clusters = np.flatnonzero(state.size)
        k = rng.choice(clusters)
        items = rng.permutation(np.flatnonzero(state.z == k))
        state.take(items)
        state.sweep(items)
        if state.value() < best - 1e-12:
            best = settle(state, rng)
            labels = state.z.copy()
        else:
            state.set(labels)
        tries += 1
    return labels, best


def settle(state, rng):
    while True:
        while state.sweep(rng.permutation(state.n)):
            pass
        if not state.merge():
            return state.value()


def start_labels(draws, loss, a, s, rng, kind):
    n = draws.n_items
    if kind == 0:
        return np.zeros(n, np.int64)
    if kind == 1:
        return np.full(n, -1)
    if kind == 2:
        c = rng.choice(len(draws.weights), 8)
        return min((draws.labels[j].astype(np.int64) for j in c), key=lambda z: expected_loss(draws, z, loss, a))
    z = np.full(n, -1)
    alpha = rng.uniform(.2, .8)
    for q, i in enumerate(rng.permutation(n)):
        if z[i] < 0:
            z[(kernels.together_with(draws.rows, draws.weights, i) >= alpha * draws.n_draws) & (z < 0)] = q
            z[i] = q
    return canonical_labels(z)


def point_estimate(draws, loss="VI", a=1.0, max_clusters=None, n_starts=16, random_state=0, kinds=(0, 1, 2, 3)):
    draws = Draws.of(draws)
    draws.rows; draws.starts
    most = draws.n_items if max_clusters is None else max_clusters
    make = Pairs if loss in ("Binder", "omARI.approx") else Sums
    if make is Pairs: draws.pairs

    def one(s):
        rng = np.random.default_rng(seed_sequence(random_state, "start", s))
        state = make(draws, loss, a, most)
        kind = kinds[s % len(kinds)]
        labels = start_labels(draws, loss, a, s, rng, kind)
        if labels[0] >= 0:
            state.set(labels)
        labels, best = improve(state, rng)
        labels = canonical_labels(labels)
        return expected_loss(draws, labels, loss, a), kind, labels

    found = over_blocks(one, range(n_starts))
    return found
