"""What a job puts off is there, and whole, for whoever asks for it."""

import subprocess
import sys

FIT = """
import reproduction.running.quick_start
import sys
from coassoc.methods import METHODS
METHODS["LWEA"](n_clusters=2).fit([[0, 0], [0, 0], [1, 1], [1, 0]])
late = {name for name in ("pandas", "scipy.stats._stats_py") if name in sys.modules}
"""
ASK = """
from concurrent.futures import ThreadPoolExecutor
import scipy.stats
with ThreadPoolExecutor(4) as threads:
    found = list(threads.map(lambda _: scipy.stats.rankdata([3, 1])[0], range(8)))
import pandas as pd
from sklearn.cluster import KMeans
table = KMeans(2, n_init=1).set_output(transform="pandas").fit_transform(pd.DataFrame([[0.0], [9]]))
print(late, set(map(float, found)), type(table).__name__, sys.modules["scipy.stats"].norm.cdf(0))
"""


def test_fits_need_neither_pandas_nor_statistics_and_both_are_whole_afterwards():
    done = subprocess.run([sys.executable, "-c", FIT + ASK], capture_output=True, text=True)
    assert done.stdout == "set() {2.0} DataFrame 0.5\n", done.stderr
