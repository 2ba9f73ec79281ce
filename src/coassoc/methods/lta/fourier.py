"""Fourier transforms along the rows of two real arrays of the same shape."""

from functools import cache

import numpy as np
import scipy.fft
from numpy.typing import NDArray

from coassoc.methods.base import Array

ComplexArray = NDArray[np.complex128]

#: Above this prime factor of n the FFT detours by a convolution (Bluestein), which costs the same
#: for real and for complex rows. There both arrays go through one complex transform, as its real
#: and imaginary part, at half the price (measured).
LARGE_PRIME = 200


def forward(T1: Array, T2: Array) -> tuple[ComplexArray, ComplexArray]:
    """Frequencies 0 … ⌊n/2⌋ of the rows of two (q, n) arrays."""
    n = T1.shape[1]
    if not _detours(n):
        return scipy.fft.rfft(T1), scipy.fft.rfft(T2)
    Z = scipy.fft.fft(T1 + 1j * T2, overwrite_x=True)
    mirror = Z[:, _negative(n)].conj()
    Z = Z[:, : n // 2 + 1]
    return (Z + mirror) / 2, (Z - mirror) / 2j


def inverse(F1: ComplexArray, F2: ComplexArray, n: int) -> tuple[Array, Array]:
    """The (q, n) arrays whose transforms are F1 and F2."""
    if not _detours(n):
        return scipy.fft.irfft(F1, n), scipy.fft.irfft(F2, n)
    Z = np.empty((len(F1), n), dtype=np.complex128)
    # Frequency 0, and n/2 of an even n, are their own negatives and real in F1 and F2.
    Z[:, _negative(n)] = (F1 - 1j * F2).conj()
    Z[:, : n // 2 + 1] = F1 + 1j * F2
    Z = scipy.fft.ifft(Z, overwrite_x=True)
    return Z.real, Z.imag


def _negative(n: int) -> NDArray[np.intp]:
    """−f modulo n for f = 0 … ⌊n/2⌋."""
    return -np.arange(n // 2 + 1) % n


@cache
def _detours(n: int) -> bool:
    """Whether n has a prime factor above :data:`LARGE_PRIME`."""
    for factor in range(2, LARGE_PRIME + 1):
        while n % factor == 0:
            n //= factor
    return n > 1
