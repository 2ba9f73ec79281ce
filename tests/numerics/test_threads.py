"""Work in blocks: order, errors, settings, forks, and the threads of the libraries."""

import io
import multiprocessing
import os
import subprocess
import sys
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import scipy.io
from threadpoolctl import ThreadpoolController, threadpool_limits

from coassoc import ConfigError, MethodError, use_threads
from coassoc.numerics import batches, threads
from coassoc.numerics.batches import in_batch
from coassoc.numerics.threads import thread_count
from coassoc.pools.generation import generate_pool
from coassoc.selection import choose_parameters, structure_test
from ensembles import noisy_ensemble
from refusals import refuses


def threads_of_libraries() -> set[int]:
    """Threads of what computes; SciPy's reader of Matrix Market files has some of its own."""
    libraries = ThreadpoolController().lib_controllers
    return {x.num_threads for x in libraries if x.user_api in ("blas", "openmp")}


def test_as_many_threads_as_asked_for_work_at_the_same_time():
    meeting = threading.Barrier(3)
    with use_threads(3):
        threads.over_blocks(lambda _: meeting.wait(timeout=300), range(3))


@pytest.mark.parametrize("n_rows", [0, 1, 2, 191, 192, 193, 1000, 2001])
def test_even_blocks_share_the_rows_out_to_two_threads_alike(n_rows):
    blocks = threads.even_blocks(n_rows)
    lengths = [block.stop - block.start for block in blocks]
    assert [i for block in blocks for i in range(n_rows)[block]] == list(range(n_rows))
    assert max(lengths) <= threads.ROWS and max(lengths) - min(lengths) <= 1
    assert len(blocks) % 2 == 0 or n_rows <= threads.ROWS


def test_blocks_of_blocks_use_one_thread_and_the_settings_of_the_caller():
    def settings(block: int) -> tuple[int, str]:
        time.sleep(0.02)
        return threads.thread_count(), np.geterr()["divide"]

    with use_threads(3), np.errstate(divide="raise"):
        assert threads.over_blocks(settings, range(6)) == [(1, "raise")] * 6
        assert threads.thread_count() == 3


def test_the_exception_of_a_block_is_raised_and_the_rest_left_out():
    done = []

    def fail(block: int) -> None:
        if block == 1:
            raise ArithmeticError("block 1")
        time.sleep(0.01)
        done.append(block)

    with use_threads(2), pytest.raises(ArithmeticError, match="block 1"):
        threads.over_blocks(fail, range(50))
    assert len(done) < 10
    with use_threads(2):
        assert threads.over_blocks(abs, [-1, -2]) == [1, 2]


def test_the_default_is_what_the_process_may_use(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    allowed = os.sched_getaffinity(0)
    assert 1 <= threads.thread_count() <= len(allowed)
    threads._cores.cache_clear()  # a process asks once
    try:
        os.sched_setaffinity(0, {min(allowed)})
        assert threads.thread_count() == 1
    finally:
        os.sched_setaffinity(0, allowed)
        threads._cores.cache_clear()
    monkeypatch.setenv("OMP_NUM_THREADS", "1,4")
    assert threads.thread_count() == 1
    with use_threads(3):
        assert threads.thread_count() == 3
    monkeypatch.setenv("OMP_NUM_THREADS", "many")
    refuses(ConfigError, r"OMP_NUM_THREADS is 'many'. It must be a positive", threads.thread_count)
    for number in (0, 1.5, True, "2"):
        with pytest.raises(ConfigError, match="It must be a positive integer"), use_threads(number):
            pass


def test_the_setting_belongs_to_its_thread():
    with use_threads(7), ThreadPoolExecutor(1) as other:
        assert other.submit(threads.thread_count).result() != 7


@pytest.mark.parametrize("transposed", [False, True])
def test_products_are_the_same_on_any_number_of_threads(transposed):
    generator = np.random.default_rng(0)
    A, B = generator.random((3 * threads.ROWS + 5, 90)), generator.random((90, 70))
    if transposed:
        A, B = np.asfortranarray(A), np.asfortranarray(B)
    with threads.one_thread_per_library():
        with use_threads(1):
            alone = threads.matmul(A, B)
        with use_threads(5):
            np.testing.assert_array_equal(threads.matmul(A, B), alone)
    np.testing.assert_allclose(alone, A @ B, rtol=1e-13)


def test_libraries_use_one_thread_inside_and_what_they_had_outside():
    scipy.io.mmwrite(io.BytesIO(), np.ones((2, 2)))  # threadpoolctl sees the reader's threads now
    with threadpool_limits(3):
        with threads.one_thread_per_library():
            assert threads_of_libraries() == {1}
            with use_threads(3):  # helpers call the libraries, too
                assert threads.over_blocks(lambda _: threads_of_libraries(), range(6)) == [{1}] * 6
        assert threads_of_libraries() == {3}


@pytest.mark.parametrize("module", ["igraph", "sklearn.cluster"])
def test_libraries_that_come_after_the_first_computation_are_limited_too(module):
    code = f"""
import numpy
from threadpoolctl import ThreadpoolController
from coassoc.numerics.threads import one_thread_per_library
with one_thread_per_library():
    pass
import {module}
with one_thread_per_library():
    import scipy.linalg
    print({{library.num_threads for library in ThreadpoolController().lib_controllers}})
"""
    words = [sys.executable, "-c", code]
    variables = os.environ | {"OPENBLAS_NUM_THREADS": "3", "OMP_NUM_THREADS": "3"}
    done = subprocess.run(words, capture_output=True, text=True, env=variables, check=True)
    assert done.stdout == "{1}\n"


def test_computations_that_overlap_restore_the_libraries_after_the_last():
    first_is_in, first_may_go = threading.Event(), threading.Event()

    def first() -> None:
        with threads.one_thread_per_library():
            first_is_in.set()
            first_may_go.wait(300)

    with threadpool_limits(3), ThreadPoolExecutor(1) as other:
        running = other.submit(first)
        first_is_in.wait(300)
        with threads.one_thread_per_library():
            first_may_go.set()
            running.result()
            assert threads_of_libraries() == {1}
        assert threads_of_libraries() == {3}


def test_a_forked_process_has_threads_of_its_own():
    def child(pipe) -> None:
        with use_threads(2), threads.one_thread_per_library():
            meeting = threading.Barrier(2)
            threads.over_blocks(lambda _: meeting.wait(timeout=300), range(2))
            pipe.send(threads.thread_count())

    with use_threads(2), threads.one_thread_per_library():
        threads.over_blocks(abs, range(2))
        here, there = multiprocessing.Pipe()
        process = multiprocessing.get_context("fork").Process(target=child, args=(there,))
        process.start()
        process.join(60)
    assert process.exitcode == 0 and here.recv() == 2


# -- BATCHES ---------------------------------------------------------------------------------------

# Independent computations: the same in processes as one after the other.


@pytest.fixture
def processes(monkeypatch):
    """Processes are started for any amount of work."""
    monkeypatch.setattr(batches, "_WORTH", 0.0)
    with use_threads(2):
        yield


def where(item: int) -> tuple[int, int, int]:
    warnings.warn(f"item {item}", UserWarning, stacklevel=1)
    return item, os.getpid(), thread_count()


def test_results_and_warnings_come_in_the_order_of_the_items(processes):
    with pytest.warns(UserWarning) as said:
        results = [*in_batch(where, range(6))]
    assert [item for item, _, _ in results] == [*range(6)]
    assert [str(warning.message) for warning in said] == [f"item {item}" for item in range(6)]
    assert {result[1:] for result in results[:2]} == {(os.getpid(), 2)}
    assert all(pid != os.getpid() and threads == 1 for _, pid, threads in results[2:])


def test_a_function_that_cannot_be_sent_stays_in_this_process(processes):
    held = threading.Lock()
    assert [*in_batch(lambda item: held.locked(), range(4))] == [False] * 4


def test_items_need_not_wait_for_each_other(processes, tmp_path):
    def meet(item: int) -> int:
        """The third item waits for the fifth."""
        (tmp_path / str(item)).touch()
        while item == 2 and not (tmp_path / "4").exists():
            time.sleep(0.01)
        return item

    results = [*in_batch(meet, range(6), in_order=False)]
    assert sorted(results) == [*range(6)] and results.index(3) < results.index(2)


def test_an_error_is_that_of_the_item(processes):
    def refuse(item: int) -> int:
        if item:
            raise MethodError(f"item {item} fails.")
        return item

    with pytest.raises(MethodError, match=r"^item \d fails\.$"):
        [*in_batch(refuse, [0, 0, 1, 2])]


def test_tests_and_choices_are_the_same_in_processes(processes):
    labels = noisy_ensemble(60, 8, 3, seed=1)
    X = np.random.default_rng(0).standard_normal((40, 3))
    grid = {"theta": [0.2, 0.4]}

    def answers():
        choice = choose_parameters(labels, "LWEA", 3, grid, n_draws=4)
        null = structure_test(X, partial(generate_pool, size=3), n_draws=4).null
        return choice.points.to_numpy().tolist(), null.tolist()

    made = answers()
    with use_threads(1):
        assert answers() == made


# -- COMPILED --------------------------------------------------------------------------------------

# Compiled loops: when they compile, where the result is kept, and who waits for whom.


SOURCE = '''
import sys
import numpy as np
from coassoc.numerics.compiled import compiled


@compiled("float64(float64[::1])", "float64(float64[:, ::1])")
def total(x):
    """Sum of all entries."""
    found = 0.0
    for value in x.ravel():
        found += value
    return found


if __name__ == "__main__":
    assert "numba" not in sys.modules
    assert total(np.ones(3)) == 3 and total(np.ones((2, 2))) == 4
    print(sum(total._dispatcher.stats.cache_misses.values()), total._dispatcher.stats.cache_path)
'''


@pytest.fixture
def module(tmp_path) -> Path:
    file = tmp_path / "package" / "kernels.py"
    file.parent.mkdir()
    file.write_text(SOURCE)
    return file


def run(module: Path, cache: Path, **options) -> subprocess.Popen:
    environment = {key: value for key, value in os.environ.items() if key != "NUMBA_CACHE_DIR"}
    environment |= {"PYTHONPATH": os.pathsep.join(sys.path), "XDG_CACHE_HOME": str(cache)}
    options |= {"env": environment, "stdout": subprocess.PIPE, "text": True}
    return subprocess.Popen([sys.executable, str(module)], **options)


def compiled_and_kept(process: subprocess.Popen) -> tuple[int, str]:
    """How many versions a process compiled, and where compiled code is kept."""
    output, _ = process.communicate(timeout=300)
    assert process.returncode == 0
    number, _, directory = output.strip().partition(" ")
    return int(number), directory


def test_processes_that_start_at_once_compile_once_in_the_users_cache(module, tmp_path):
    """As where the installation is read-only."""
    (module.parent / "__pycache__").write_text("")  # refuses even the administrator
    processes = [run(module, tmp_path / "cache") for _ in range(2)]
    reports = [compiled_and_kept(process) for process in processes]
    assert sorted(number for number, _ in reports) == [0, 2]
    (directory,) = {directory for _, directory in reports}
    assert Path(directory).is_relative_to(tmp_path / "cache")


def test_with_no_place_to_write_it_compiles_all_the_same(module, tmp_path):
    for folder in (module.parent / "__pycache__", tmp_path / "cache"):
        folder.write_text("")
    with (tmp_path / "said").open("w") as said:
        process = run(module, tmp_path / "cache", stderr=said)
        assert compiled_and_kept(process) == (2, "None")
    assert (tmp_path / "said").read_text().count("compiled code cannot be cached") == 1
