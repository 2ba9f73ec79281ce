# Set-up, main job and tests. `make help` lists the targets.
PYTHON ?= python3
CORES ?= all
VENV := .venv
BIN := $(VENV)/bin
# Rules' shells and scripts must find the environment's programs first.
export PATH := $(CURDIR)/$(BIN):$(PATH)
# Without compiled modules, each of hundreds of jobs and tests would compile its sources again.
unexport PYTHONDONTWRITEBYTECODE
# With these kernels, which need AVX2, all processors round alike. Set another kernel to try it.
ifeq ($(shell uname -m; grep -cwm1 avx2 /proc/cpuinfo 2>/dev/null),x86_64 1)
OPENBLAS_CORETYPE ?= Haswell
export OPENBLAS_CORETYPE
endif

.PHONY: run one verify schemas help setup develop test test-kernels notebook revisions mutants choice kept answer lint format benchmark docs pools article crate release report peers reproduce full core published keep-lines spot-check check plan clean
.DEFAULT_GOAL := run

run: setup  ## set up what is missing and build the default, tables of the papers (minutes)
	$(BIN)/snakemake --cores $(CORES)

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: $(VENV)/installed  ## create the virtual environment with the pinned requirements of the workflow

develop: $(VENV)/developing  ## add the requirements of tests, style, documentation and SLURM

# Most of the installed modules are never imported; the others are compiled when they are: those of
# the jobs in the background, on a core that Snakemake does not use while it plans.
# Snakemake starts scripts through a shell, by the path of the interpreter as it is.
$(VENV)/installed: pyproject.toml envs/constraints.txt
	@! printf %s '$(subst ','\'',$(CURDIR))' | LC_ALL=C.UTF-8 grep -q '[^[:alnum:]_@%+=:,./-]' || \
		{ echo "Move the project to a path without spaces, quotes and brackets; Snakemake cannot start scripts from it."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "coassoc needs Python 3.11 or newer; give it as: make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade --constraint envs/constraints.txt pip  # twice as fast as older ones
	$(BIN)/python -m pip install --quiet --no-compile --constraint envs/constraints.txt --editable '.[workflow]'
	@touch $@
	@$(BIN)/python -c 'import h5py, matplotlib.figure, numba, pyarrow.parquet, sklearn.cluster' > /dev/null 2>&1 &

$(VENV)/developing: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --no-compile --constraint envs/constraints.txt --editable '.[workflow,slurm,docs,article,dev]'
	@touch $@

# BLAS in the oracles would add threads that wait for each other.
test: develop  ## run the tests (minutes)
	@obstacle=$$(tests/slurm/one-machine obstacle); marks="not slow"; \
	if [ -n "$$obstacle" ]; then marks="not slow and not slurm"; fi; \
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/pytest --numprocesses auto --dist loadfile --no-loadscope-reorder -m "$$marks" || exit 1; \
	if [ -n "$$obstacle" ]; then echo "The workflow was not tested on SLURM: $$obstacle."; fi

# The last three processors' kernels run wherever the first ones do; SkylakeX needs AVX-512.
KERNELS := Haswell Sandybridge Nehalem $(if $(shell grep -wm1 avx512f /proc/cpuinfo 2>/dev/null),SkylakeX)

test-kernels: develop  ## test labels and partitions under the kernels of several processors
	@for kernel in $(KERNELS); do \
		echo "OPENBLAS_CORETYPE=$$kernel"; \
		OPENBLAS_CORETYPE=$$kernel OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/pytest --quiet --numprocesses auto -m "not slow" \
			tests/partition/test_spectral.py tests/methods/test_golden_labels.py \
			tests/methods/test_revisions.py tests/numerics/test_kernels.py tests/test_check.py || exit 1; \
	done

notebook: build/scanpy/made  ## rerun docs/tutorials/pbmc.ipynb in an environment with scanpy and pandas 2
	OPENBLAS_NUM_THREADS=1 build/scanpy/bin/jupyter-execute --inplace docs/tutorials/pbmc.ipynb
	@rm docs/tutorials/pbmc.h5ad

build/scanpy/made: envs/scanpy.txt
	$(PYTHON) -m venv build/scanpy
	build/scanpy/bin/python -m pip install --quiet --requirement envs/scanpy.txt --editable '.[cells,tables]'
	@touch $@

# This stops if labels changed but the number on the class did not.
revisions: develop  ## archive labels of new methods, parameters and revisions (NAMES="LWEA", or all)
	cd tests && OPENBLAS_NUM_THREADS=1 ../$(BIN)/python -m revisions $(NAMES)

mutants: develop  ## find changes of numerical code that no test notices (an hour; MODULES="metrics soft")
	cd release && OPENBLAS_NUM_THREADS=1 ../$(BIN)/python mutants.py $(MODULES)
	cd release && ../$(BIN)/python mutants.py --page

kept: setup  ## rebuild the files that ship for `coassoc compare`, from results-published and the sources
	OPENBLAS_NUM_THREADS=1 $(BIN)/python release/keep.py

schemas: develop  ## write the JSON schemas of configurations, which editors read (config/schemas)
	$(BIN)/python release/schemas.py

answer: develop  ## measure EnsembleClusterer against single algorithms where results are missing (docs/results/answer.md)
	cd release && OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 ../$(BIN)/python -m benchmarks.answer

lint: develop  ## check style, types and rules
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile workflow/Snakefile rules
	$(BIN)/mypy
	$(BIN)/mypy --disable-error-code name-defined scripts  # Snakemake defines `snakemake`
	$(BIN)/snakemake --lint

format: develop  ## apply the style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/snakefmt Snakefile workflow/Snakefile rules

# These benchmarks take hours and are not included: benchmarks.methods (dense transcriptions), benchmarks.large,
# benchmarks.linkage, and benchmarks.threads with more samples or with --busy.
benchmark: develop  ## measure time and memory of every method, by rows and threads (docs/results/performance.md)
	cd release && ../$(BIN)/python -m benchmarks.sizes
	cd release && ../$(BIN)/python -m benchmarks.threads --sizes 500 --repeats 1 --limit 10

# This needs R with the packages clue, OTclust, salso, GreedyEPL, mcclust and mcclust.ext.
peers: develop  ## compare with Python and R programs on the same labels (docs/results/programs.md)
	for these in peers peers-older; do \
		$(PYTHON) -m venv build/$$these && \
		build/$$these/bin/python -m pip install --quiet --no-deps --requirement envs/$$these.txt || exit 1; \
	done
	cd release && ../$(BIN)/python -m benchmarks.peers

docs: develop  ## build the documentation site in build/docs/html
	$(BIN)/python docs/site/assemble.py build/docs/source
	$(BIN)/sphinx-build -q --fail-on-warning --keep-going build/docs/source build/docs/html

pools: develop  ## score methods on new base clusterings that are not kept yet (processor hours)
	cd release && ../$(BIN)/python -m benchmarks.pools ../build/pools
	cd release && ../$(BIN)/python -m benchmarks.pool_variance && ../$(BIN)/python -m benchmarks.survival

article: develop  ## build the article of the archived results, results-published/article.{pdf,html}
	$(BIN)/python docs/article/build.py results-published

RESULTS ?= results-published
FIGURES ?= figures/published

crate: develop  ## pack results as an RO-Crate in build/ (RESULTS=results FIGURES=figures for your own)
	$(BIN)/python release/crate.py $(RESULTS) $(FIGURES) build/$(notdir $(RESULTS)).crate.zip

release: develop  ## build, check, install and try wheel, source and results in build/release
	rm -rf build/release
	$(BIN)/python release/metadata.py
	$(BIN)/python -m build --outdir build/release
	$(BIN)/twine check --strict build/release/*
	$(BIN)/python release/trial.py build/release/*.whl
	$(BIN)/python release/crate.py results-published figures/published build/release/results.crate.zip

report: run  ## collect all tables and figures in one HTML page
	$(BIN)/snakemake --cores 1 --report report.html

FULL := --cores $(CORES) --configfile config/full.yaml

full: setup  ## build the papers as published (needs the network or COASSOC_MIRROR)
	$(BIN)/snakemake $(FULL)

core: setup  ## build the papers without runs of more than five processor minutes (about ten hours)
	$(BIN)/snakemake $(FULL) config/two-cores.yaml config/core.yaml

published: setup  ## build what two cores can compute, in results-published/ and figures/published/
	$(BIN)/snakemake all findings scorecard_leaders ranking results/scores.parquet results/measurements.parquet $(FULL) config/two-cores.yaml
	mkdir -p results-published figures/published
	cd results && tar cf - tables/*/*.csv tables/*/*.md agreement.csv agreement.md margins.csv margins.md standing.csv readings.csv readings.md scorecard.csv scorecard.md scorecard_leaders.csv scorecard_leaders.md ranking.csv ranking.html ranking_cells.parquet arenas.csv claims*.csv claims*.md | tar xf - -C ../results-published
	cp results/findings.md results-published/README.md
	cd figures && find . \( -name '*.png' -o -name '*.csv' \) ! -path './published/*' | tar cf - -T - | tar xf - -C published

# A run only reads the archived scores; this target adds the scores of `make published`.
keep-lines: setup  ## archive the scores of the last `make published` in results-published/kept/
	cp results/scores.parquet results/measurements.parquet results/ranking_scores.parquet results-published/kept/
	cp results/tables/choice/methods_means.csv src/coassoc/methods/choice.csv

plan: setup  ## list the run of every cell of every table and figure in results/cells.parquet
	@$(BIN)/snakemake --list > /dev/null
	@echo results/cells.parquet

one: setup  ## print how a number came about (CELL=eccms/table4/LWEA/Ecoli, CONFIG=config/full.yaml)
	$(BIN)/python -m reproduction.one "$(CELL)" $(CONFIG)

spot-check: setup  ## refit a random repeat of one in twenty archived runs and compare the scores
	$(BIN)/snakemake results/spot_check.csv --cores $(CORES) --configfile config/full.yaml config/two-cores.yaml
	cp results/spot_check.csv results-published/kept/

verify: setup  ## recheck a folder of results from pools to tables, and write a certificate (RESULTS=folder)
	$(BIN)/python release/verify.py $(RESULTS)

check: run  ## compare the results of `make` with the numbers in codecheck.yml
	$(BIN)/python release/check.py

reproduce: develop  ## run the slow tests, of every source too (an hour)
	$(BIN)/pytest -m slow

clean:  ## remove generated files only
	rm -rf results logs benchmarks-out build .snakemake report.html report.zip
	rm -rf data/sources data/datasets data/pools
	find figures -mindepth 1 ! -name README.md ! -path 'figures/published*' -delete
