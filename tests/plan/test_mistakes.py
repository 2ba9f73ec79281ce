"""Small mistakes in own tables, figures, analyses and configurations: each is one clear sentence.

All are found when the plan is made, before anything runs. A line of the tables has a mistake and a
pattern of its sentence.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from coassoc.errors import CoassocError, ConfigError
from coassoc.storage.configuration import load_yaml, validate
from dataset_files import write
from plans import CONFIG, mistakes, points_of, runs_of, settings
from reproduction.plan.catalogues import load_catalogues
from reproduction.plan.checks import check_target
from reproduction.plan.configuration import Configuration
from reproduction.plan.files import read_target
from reproduction.plan.planning import Plan
from reproduction.plan.studies import SECTIONS
from reproduction.plan.writing import make_plan
from snakemake_runs import snakemake

#: An own paper with something of every kind, small and right.
OWN = """
title: Own
citation: none
pool: kmeans-small
m: 10
datasets: {all: [Glass, Wine], one: [Wine]}
metrics: {ARI: ARI, NMI: NMI, time: seconds}
rows:
  A: {method: LWEA}
  B: {method: EC-CMS}
  tuned: {method: EC-CMS, label: best, tune: {score: ARI, over: [alpha]}}
  shared: {method: EC-CMS, label: shared, parameters: {alpha: 0.7}, among: {alpha: [0.7, 0.9]}}
  refining: {method: ACMK-KM}
  cut: {method: MCLA}
  mixed: {method: LWEA, label: mixed, samples: shuffled}
  pool-mean: {base: mean}
  chance: {control: random}
tables:
  t:
    <<: &shown {title: T, caption: c, datasets: all}
    mean: one
    metrics: [ARI, NMI]
    rows: [A, B, tuned, pool-mean, chance]
    relative_to: A
    layout: {down: [method, metric], across: [dataset]}
  times:
    {<<: *shown, timed: true, datasets: one, metrics: [time], rows: [A, B],
     layout: {down: [method], across: [metric]}}
figures:
  pairs: {<<: *shown, kind: reliability}
  curve: {<<: *shown, kind: sensitivity, metric: ARI, swept: [B], over: alpha, baselines: [A]}
  heat: {<<: *shown, kind: surface, metrics: [ARI], swept: [B], over: [alpha, lam]}
  steps: {<<: *shown, kind: convergence, rows: [B], quantity: C}
  maps: {<<: *shown, kind: matrices, rows: [A, B], panels: [difference]}
  bars: {<<: *shown, kind: before_after, rows: [refining], metric: ARI}
  places: {<<: *shown, kind: embedding, rows: [refining]}
  sizes: {<<: *shown, kind: ensemble_size, rows: [A], metric: ARI, sizes: [10, 20]}
  dots: {<<: *shown, kind: base_quality, rows: [A], metric: ARI}
analyses:
  compare:
    {<<: *shown, kind: comparison, metric: ARI, rows: [A, B],
     variants: [{label: default}, {label: tuned, tune: {score: ANMI}}]}
  test: {<<: *shown, kind: significance, metric: ARI, rows: [A, B], relative_to: B, rope: 0.01}
  mixed:
    {<<: *shown, kind: order, metric: ARI, rows: [A, B], relative_to: B, shuffled: [0, 30, 100]}
  numbers: {<<: *shown, kind: n_clusters, rows: [A, B]}
  growth: {<<: *shown, kind: scaling, rows: [A, B]}
"""


def changed(path: str, value: Any) -> dict[str, Any]:
    """The paper with a key at a path set, or removed."""
    content = yaml.safe_load(OWN)
    *parents, last = path.split("/")
    place = content
    for key in parents:
        place = place[int(key) if isinstance(place, list) else key]
    if value == "REMOVED":
        del place[last]
    else:
        place[last] = value
    return content


@pytest.fixture
def plan(tmp_path):
    """Plans an own paper with one other paper; expanding all of them takes a while."""
    config = tmp_path / "config"
    (config / "studies").mkdir(parents=True)
    for name in ("datasets.yaml", "pools.yaml", "published.csv", "studies/eccms.yaml"):
        (config / name).symlink_to(CONFIG / name)
    (config / "batteries.yaml").write_text("{}")

    def made(paper: Any = OWN, files: dict[str, str] | None = None, **keys: Any) -> Plan:
        """Under the default configuration without its overrides, with own files of catalogues."""
        everything = {**settings(), "override": None, "targets": ["own"]}
        text = paper if isinstance(paper, str) else yaml.safe_dump(paper, sort_keys=False)
        for key, body in {**(files or {}), "studies": text}.items():
            name = f"own{key.removeprefix('studies')}.yaml"
            everything[key] = [str(write(tmp_path / name, body))]
        everything |= keys
        validate(everything, Configuration, "config")
        return Plan(everything, load_catalogues(config, everything))

    return made


@pytest.fixture
def refused(plan):
    """Plans in vain, and gives the message: one sentence without a word on the program itself."""

    def sentence(message: str, *args: Any, **settings: Any) -> str:
        with pytest.raises(CoassocError, match=message) as raised:
            # Classes of methods are read when they are asked for.
            assert [x.parameters for x in plan(*args, **settings).catalogues.methods.values()]
        told = str(raised.value)
        assert "\n" not in told and told.endswith(".") and "Error" not in told
        return told

    return sentence


def test_the_paper_without_mistakes_is_planned(plan):
    paper = yaml.safe_load(OWN)
    names = {f"own_{name}" for section in SECTIONS for name in paper[section]}
    assert {target.name for target in plan().wanted} == names


@pytest.mark.parametrize(("fixed", "tuned"), [({}, {"alpha", "lam"}), ({"lam": 0.2}, {"alpha"})])
def test_a_row_is_tuned_over_all_grids_that_it_leaves_free(plan, fixed, tuned):
    row = {"method": "EC-CMS", "tune": {"score": "stability"}}
    planned = plan(changed("rows/tuned", row | ({"parameters": fixed} if fixed else {})))
    cell = next(cell for cell in planned.by_path["own/t"].cells if cell.row == "tuned")
    points = [point for run in runs_of(cell) for point in points_of(run, planned)]
    values = {name: {point.get(name) for point in points} for name in ("alpha", "lam")}
    assert cell.tune == "stability"
    assert {name for name, grid in values.items() if len(grid) > 1} == tuned
    assert all(point["lam"] == 0.2 for point in points) == bool(fixed)


def test_the_name_of_a_method_is_a_row(plan):
    planned = plan(changed("tables/t/rows", ["A", "LWGP"]))
    cells = [cell for cell in planned.by_path["own/t"].cells if cell.row == "LWGP"]
    assert cells and {cell.label for cell in cells} == {"LWGP"}
    assert {run.method for cell in cells for run in runs_of(cell)} == {"LWGP"}


IN_A_PAPER = r"""
rows/A | {} | rows.A must have exactly one of the keys method, base, control, and has none
rows/A | {method: LWEA, base: mean} | rows.A must have exactly one .*, and has method and base
rows/A | {base: mean, control: truth} | rows.A must have .* has base and control
rows/A/method | LWEB | rows.A.method names 'LWEB'; .*did you mean 'LWEA'
rows/A/label | '{x}' | rows.A.label is '{x}'; a row's label has no braces
rows/A/label | '  ' | rows.A.label is '  '; it must not be blank
'rows/ ' | {method: LWEA} | rows is ' '; it must not be blank
rows | {} | rows is empty
rows/A/pool | nowhere | rows.A.pool names 'nowhere'; allowed are
rows/pool-mean/samples | shuffled | rows.pool-mean has the key 'samples', which needs
rows/chance/samples | shuffled | rows.chance has the key 'samples', which needs
rows/chance/pool | kmeans-small | may have 'control' or 'pool', not both
rows/A/parameters | {tet: 1} | rows.A: parameters of LWEA names 'tet'.*'theta'
rows/A/parameters | {theta: -1} | rows.A: theta of LWEA is -1; it must be
rows/A/samples | sorted | rows.A.samples is 'sorted'; allowed are stored, shuffled
rows/A/order | shuffled | rows.A has the unknown key 'order'
rows/A/tune | {score: ARI, over: [thet]} | tune.over names 'thet'.*'theta'
rows/A/among | {theta: [1]} | has the key 'among', which needs 'parameters'
rows/pool-mean/parameters | {a: 1} | has the key 'parameters', which needs 'method'
rows/tuned/tune/score | ARl | rows.tuned.tune.score names 'ARl'.*did you mean 'ARI'
rows/tuned/tune/score | seconds | tune.score names 'seconds'; allowed are
rows/tuned/tune | {score: stability, race: true} | tune.race needs a score that each .*'stability'
rows/cut/tune | {score: ARI} | rows.cut.tune has nothing to tune: MCLA has no grid
rows/tuned/tune/over | [] | rows.tuned.tune.over is empty
rows/tuned/tune/over | [alpha, alpha] | tune.over lists 'alpha' twice
rows/tuned/parameters | {alpha: 0.7} | tune.over has 'alpha', which the row sets to 0.7
rows/shared/among/alpha | [0.8, 0.9] | rows.shared sets alpha to 0.7, which the key 'among'
metrics/X | AIR | metrics.X names 'AIR'; .*did you mean 'ARI'
pool | kmeans-smal | pool names 'kmeans-smal'; .*did you mean 'kmeans-small'
datasets/all | [Glas] | datasets.all names 'Glas'; .*did you mean 'Glass'
datasets/all | [] | datasets.all is empty
paper | own | has the unknown key 'paper'
title | REMOVED | lacks the key 'title'
title | '' | title is ''; it must not be blank
metrics | {} | metrics is empty
metrics/ | ARI | metrics is ''; it must not be blank
own | [Z] | own names 'Z'; allowed are A, B
m | 0 | m is 0; allowed are all and a whole number from 1
m | 10.0 | m is 10.0; allowed are all and a whole number from 1
m | 7 | kmeans-small draws ensembles of 10, 20, 30, and own_t needs 7
tables/t/rows | [A, A] | tables.t.rows lists 'A' twice
tables/t/rows | [] | tables.t.rows is empty
tables/t/rows | [A, C] | tables.t.rows names 'C'; allowed are
rows/B/label | A | tables.t.rows has two rows called 'A', A and B
tables/t/metrics | [] | tables.t.metrics is empty
tables/t/metrics | [ARI, ARI] | tables.t.metrics lists 'ARI' twice
tables/t/metrics | [ACC] | tables.t.metrics names 'ACC'; allowed are ARI, NMI, time
tables/t/datasets | some | tables.t.datasets names 'some'; allowed are all, one
tables/t/datasets | [Wine, Wine] | tables.t.datasets lists 'Wine' twice
tables/t/mean | al | tables.t.mean names 'al'; allowed are all, one
tables/t/title | ' ' | tables.t.title is ' '; it must not be blank
tables/t/title | T of {dataset} | the only braces of a title are those of \{datasets\}
tables/t/relative_to | C | tables.t.relative_to names 'C'; allowed are A, B
tables/t/published | table4 | tables.t.published names 'table4'
tables/t/group | all | tables.t.group is 'all'; allowed are
tables/t/layout/down | [method] | tables.t.layout lacks 'metric', of which the table has 2
tables/t/layout/across | [metric] | tables.t.layout has 'metric' both down and across
tables/t/layout/down | [metric, metric] | layout.down lists 'metric' twice
tables/t/layout/down | [rows] | layout.down.0 is 'rows'; allowed are method, dataset
tables/t/layout/across | [] | layout.across is empty
tables/t/layout | REMOVED | tables.t lacks the key 'layout'
tables/t/kind | sensitivity | tables.t has the unknown key 'kind'
tables/t/sizes | [10] | tables.t has the unknown key 'sizes'
tables/times/metrics | [ARI] | tables.times.metrics: ARI names 'ARI'; allowed are seconds
tables/times/rows | [A, tuned] | has 'tuned'; it may have rows of methods .* not tuned
tables/times/rows | [A, chance] | has 'chance'; it may have rows of methods
figures/a-b | {kind: reliability, title: T, caption: c, datasets: all}
    | it must consist of letters, digits and _
figures/t | {kind: reliability, title: T, caption: c, datasets: all}
    | figures and tables both have 't'
figures/curve/kind | sensitivty | kind is 'sensitivty'; .*did you mean 'sensitivity'
figures/curve/kind | REMOVED | figures.curve lacks the key 'kind'
figures/curve/title | '' | figures.curve.title is ''; it must not be blank
figures/curve/swept | REMOVED | figures.curve lacks the key 'swept'
figures/curve/over | REMOVED | figures.curve lacks the key 'over'
figures/curve/over | alfa | figures.curve.over names 'alfa'; .*did you mean 'alpha'
figures/curve/over | n_iter | figures.curve.over names 'n_iter'; allowed are
figures/curve/metric | REMOVED | figures.curve lacks the key 'metric'
figures/curve/swept | [chance] | swept has 'chance', which is no row of a method
figures/curve/swept | [shared] | swept has 'shared', whose 'among' has no use there
figures/curve/baselines | [B] | baselines has 'B', which is swept already
figures/curve/rows | [A] | figures.curve has the unknown key 'rows'
figures/heat/over | [alpha] | figures.heat.over is .*it must have at least 2 items
figures/heat/swept | [A, B] | figures.heat.swept is
figures/steps/quantity | REMOVED | figures.steps lacks the key 'quantity'
figures/steps/metric | ARI | figures.steps has the unknown key 'metric'
figures/steps/quantity | objective | is 'objective'; the method of 'B' records C, E, .* NMFC, DREC
figures/steps/quantity | loss | steps.quantity is 'loss'; .* recorded by no methods
figures/steps/rows | [cut] | the method of 'cut' records nothing, and 'C' is recorded by
figures/steps/rows | [tuned] | has 'tuned'; it may have rows of methods that are not tuned
figures/maps/rows | [shared] | has 'shared', whose run covers several values
figures/maps/rows | [A] | panels has 'difference', which needs two rows
figures/maps/rows | [A, cut] | has 'cut', whose method has no affinity_ after fit; EAC-AL, .* have
figures/maps/panels | [sum] | panels.0 is 'sum'; allowed are coherent-link, difference, truth
figures/bars/metric | time | figures.bars.metrics: time names 'seconds'; allowed are
figures/bars/rows | [chance] | has 'chance'; it may have rows of methods
figures/bars/rows | [A] | bars.rows has 'A', whose method has no initial_labels_ after fit; ACMK-SC
figures/places/rows | [A] | places.rows has 'A', whose method has no embedding_ after fit; RSEC-H
figures/sizes/sizes | REMOVED | figures.sizes lacks the key 'sizes'
figures/sizes/sizes | [10, 10] | figures.sizes.sizes lists 10 twice
figures/sizes/sizes | [7] | kmeans-small draws ensembles of 10, 20, 30
figures/dots/rows | [pool-mean] | has 'pool-mean', which has no repeats
figures/pairs/rows | [A] | figures.pairs has the unknown key 'rows'
analyses/compare/variants | [{label: one}] | variants is .* at least 2 items
analyses/compare/variants/0/label | '{x}' | the only braces .* are those of \{pool\}
analyses/compare/variants/1/label | default | two called 'default' on Glass
analyses/compare/variants/0/label | ' ' | label is ' '; it must not be blank
analyses/compare/variants/1/tune | REMOVED | variants has 'default' and 'tuned', which are the same
analyses/compare/variants/1/tune/score | AMNI | tune.score names 'AMNI'.*'ANMI'
analyses/compare/variants/1/pool | nowhere | variants.1.pool names 'nowhere'
analyses/compare/rows | [A, chance] | has 'chance', which has nothing to tune
analyses/compare/metrics | [ARI] | analyses.compare has the unknown key 'metrics'
analyses/test/pools | {Iris: published} | analyses.test.pools names 'Iris'; allowed are
analyses/test/pools | {Glass: kmeans} | analyses.test.pools.Glass names 'kmeans'; allowed are
analyses/test/relative_to | REMOVED | analyses.test lacks the key 'relative_to'
analyses/test/rope | REMOVED | analyses.test lacks the key 'rope'
analyses/test/rope | .nan | analyses.test.rope is nan; it must be of type number
analyses/test/relative_to | C | analyses.test.relative_to names 'C'; allowed are A, B
analyses/mixed/shuffled | [0, 30] | analyses.mixed.shuffled lacks 100; it must have 0 and
analyses/mixed/shuffled | [0, 30.0, 100] | shuffled.1 is 30.0; it must be of type integer
analyses/mixed/shuffled | [0, 130, 100] | mixed.shuffled.1 is 130; it must be at most 100
analyses/mixed/shuffled | [0, 100, 100] | analyses.mixed.shuffled lists 100 twice
analyses/mixed/rows | every | mixed.rows is 'every'; it must be a list of rows, or all
analyses/mixed/relative_to | C | analyses.mixed.relative_to names 'C'; allowed are A, B
analyses/mixed/rows | [A, B, mixed] | mixed.rows has .mixed., which has .samples. of its own
analyses/mixed/rows | [B, refining] | has 'refining', whose features would stay in
analyses/test/rows | [B] | analyses.test.rows has one row only
analyses/numbers/rows | [refining] | has 'refining', whose method needs the samples' features
analyses/numbers/metric | ARI | analyses.numbers has the unknown key 'metric'
analyses/growth/rows | [chance] | has 'chance'; it may have rows of methods
analyses/growth/variants | [] | analyses.growth has the unknown key 'variants'
"""


@pytest.mark.parametrize(("path", "value", "message"), mistakes(IN_A_PAPER))
def test_a_mistake_in_a_paper_is_one_sentence(refused, path, value, message):
    paper = changed(yaml.safe_load(path), yaml.safe_load(value))
    assert "yaml: " in refused(message, paper)


IN_A_PROTOCOL = """
{parameters: {beta: 1}} | analyses.compare.variants: parameters of LWEA names 'beta'
{method: LWAE} | variants.1.method names 'LWAE'.*'LWEA'
{metrics: {NMI: NMI}} | variants.metrics names 'NMI'
{metrics: {ARI: RI}} | variants.1.metrics.ARI names 'RI'
{pool: nowhere} | variants.1.pool names 'nowhere'
{} | has 'as it is' and 'varied', which are the same
{parameters: {alpha: 0.5}} | variants sets alpha to 0.5, which the key 'among' of the row
{m: 10} | compared_with names 'table4'
"""


@pytest.mark.parametrize(("variant", "message"), mistakes(IN_A_PROTOCOL))
def test_a_mistake_in_a_protocol_is_one_sentence(refused, plan, variant, message):
    entry = yaml.safe_load(
        "{kind: protocol, title: T, caption: c, compared_with: [table4], datasets: all, "
        "metrics: [ARI], rows: [A], variants: [{label: as it is}, {label: varied}]}"
    )
    entry["variants"][1] |= yaml.safe_load(variant)
    entry["rows"] = ["shared" if "alpha" in variant else "A"]
    refused(message, changed("analyses/compare", entry))


IN_A_Configuration = """
{targets: [own_tt]} | config: targets names 'own_tt'; .*did you mean 'own_t'
{targets: [own, own]} | config: targets lists 'own' twice
{studies: [own]} | studies names the file 'own', which does not exist; the key targets
{methods: [m.yaml]} | methods names the file 'm.yaml', which does not exist
{override: {grid: {alfa: [1]}}} | override.grid names 'alfa'; .*did you mean 'alpha'
{override: {tune: {alfa: [1]}}} | override.tune names 'alfa'
{override: {grid: {alpha: [2]}}} | alpha of EC-CMS is 2; it must be
{override: {grid: {alpha: [0.5, 0.5]}}} | override.grid.alpha lists 0.5 twice
{override: {leave_out: [LWEA]}} | override has the unknown key 'leave_out'
{override: {datasets: [Glas]}} | override.datasets names 'Glas'.*'Glass'
{override: {pool: nowhere}} | override.pool names 'nowhere'; allowed are
{override: {pool: published}} | needs the pool published of Glass; it has Caltech20
{override: {methods: [LWEB]}} | override.methods names 'LWEB'
{override: {methods: [EC-CMS]}} | leaves out A on Glass, with which own_t compares
{override: {methods: [PTGP]}, targets: [own_maps]} | leave nothing of the targets
{override: {targets: {own_tt: {}}}} | override.targets names 'own_tt'
{not_run: [{rows: [B], datasets: [Wine], reason: x}]} | leaves out B on Wine, with which own_test
{not_run: [{reason: x}]} | not_run.0 .*it must say which cells, by 'targets'
{not_run: [{rows: [B]}]} | not_run.0 lacks the key 'reason'
{shortened: [{race: true}]} | shortened.0 lacks the key 'rows'
{shortened: [{rows: [B]}]} | shortened.0 .*must have 'race', 'repeats' or 'grid'
{shortened: [{rows: [B], race: false}]} | race is False; allowed are True
{shortened: [{rows: [B], repeats: 0}]} | shortened.0.repeats is 0
{shortened: [{rows: [B], repeats: 99}]} | repeats is 99 for B on .*, and .* has [0-9]+ repeats
{shortened: [{rows: [tunde], repeats: 2}]} | rows names 'tunde'.*'tuned'
{shortened: [{rows: [tuned], grid: {alpha: [0.5, 0.51]}}]}
    | grid.alpha has 0.51, which is not in the grid of tuned in own_t; allowed are 0.5, 0.55
{shortened: [{rows: [tuned], grid: {alpha: []}}]} | grid.alpha is
{not_run: [{rows: [B], reason: ' '}]} | not_run.0.reason is ' '; it must not be
{override: {grid: {n_starts: [5]}}} | override.grid names 'n_starts'; allowed are alpha
{override: {tune: {n_starts: [5]}}} | override.tune names 'n_starts'; allowed are alpha
{override: {pools: {subsamples: mixture}}} | override.pools names 'subsamples'; allowed are
{mirror: nowhere} | config: mirror: there is no directory nowhere
{seed: -1} | config: seed is -1; it must be at least 0
{threads: two} | config: threads is 'two'; it must be of type integer
{thread: 2} | unknown key 'thread'.*did you mean 'threads'
{seed: 1.0} | seed is 1.0; it must be of type integer
{timing: {shares: [0.5, 1, 1]}} | timing.shares lists 1 twice
{selection: {largest: 2}} | selection.largest is 2; it must be at least 3
{selection: {draw: 5}} | selection has the unknown key 'draw'.*'draws'
{ranking: {<<: *ranking, methods: [LWEA]}} | ranking.methods has LWEA alone; it takes two
{ranking: {<<: *ranking, methods: [LWEA, PIVOT]}} | methods has PIVOT, which chooses the number
{ranking: {<<: *ranking, tuned: {methods: [LWAE], score: ARI}}}
    | ranking.tuned.methods names 'LWAE'.*'LWEA'
{ranking: {<<: *ranking, groups: {'': [Wine]}}} | groups is ''; it must not be blank
{limits: {minutes: .nan}} | limits.minutes is nan; it must be of type number
{limits: {minute: 3}} | limits has the unknown key 'minute'
{timing: {limit: 3}} | timing has the unknown key 'limit'
"""
#: What its lines refer to.
WHOLE = """
- &ranking {pool: kmeans-small, m: 20, datasets: [Wine], metrics: [ARI]}
"""


@pytest.mark.parametrize(("settings", "message"), mistakes(IN_A_Configuration))
def test_a_mistake_in_a_configuration_is_one_sentence(refused, settings, message):
    assert refused(message, **yaml.safe_load(f"{WHOLE}- {settings}")[-1]).startswith("config: ")


IN_ANOTHER_FILE = """
datasets | A: {FILE, arguments: {lable: x}}
    | A.arguments of the parser delimited names 'lable'; .*did you mean 'label'
datasets | A: {FILE, preprocessing: [standardize]} | A.preprocessing.0 is 'standardize'; allowed are
datasets | A: {FILE, classes: 1} | A.classes is 1; it must be at least 2
datasets | A: {FILE, class_sizes: 3} | lacks the key 'classes'; class_sizes is
datasets | A: {FILE, class_sizes: [3]} | class_sizes is
datasets | A: {FILE, sources: [{file: b.csv}]} | A has 'file' beside 'sources'; it
datasets | A: {FILE, files: [{file: b.csv}]} | A has 'file' beside 'files'; it
datasets | A: {FILE, url: 'http://a.org/a.csv'} | A has the local file 'a.csv', and a url or mirror
datasets | a/b: {FILE, classes: 3} | 'a/b'; it must consist of letters
datasets | A: {file: a.xlsx} | A names no parser, and 'a.xlsx' does not end in .csv
datasets | A: {FILE, n: 5, class_sizes: [2, 2]} | A has class_sizes of 4 samples, but n is 5
datasets | A: {FILE, classes: 3, class_sizes: [2, 2]} | A has 2 class_sizes for 3 classes
datasets | A: {sources: [{mirror: ../../etc/x, parser: npz}]}
    | A.sources.0.mirror is '../../etc/x', which leaves the folder
datasets | A: {url: 'https://a.org/b.zip', member: /etc/x, parser: npz}
    | A.member is '/etc/x', which leaves the folder
datasets | A: {sources: [{url: 'ftp://a.org/b', parser: npz}]}
    | A.sources.0.url is 'ftp://a.org/b'; it must begin with http
datasets | - a | the top level is .* it must be of type mapping
datasets | Glass: {FILE} | Glass is in config/datasets.yaml already; an own entry needs
pools | p: {GENERATED, k: sqr} | p.k is 'sqr'; allowed are sqrt, classes and a number from 2
pools | p: {GENERATED, k: 1} | p.k is 1; allowed are
pools | p: {GENERATED, k: 3, for_each_k: 5} | p has for_each_k and k both
pools | p: {GENERATED, for_each_k: 5, mixture: [{k: 3}]} | p has for_each_k and k both
pools | p: {GENERATED, mixture: [{k: 1}]} | p.mixture.0.k is 1; allowed are
pools | p: {GENERATED, size: null} | p.size is None; it must be of type integer
pools | p: {GENERATED, k: null} | p.k is None; allowed are sqrt, classes and
pools | p: {GENERATED, files: {}} | p has the unknown key 'files'; allowed for kind generated are
pools | p: {kind: generated, draws: {sizes: [5, 5], repeats: 2}} | p.draws.sizes lists 5 twice
pools | p: {PUBLISHED, features: 0.5} | the unknown key 'features'; allowed for kind published are
pools | p: {PUBLISHED} | p lacks the key 'files'
pools | p: {PUBLISHED, files: {Wine: {mirror: a}}} | p.files.Wine names no parser, and '' does not
pools | p: {PUBLISHED, files: {Whine: {mirror: a.mat, parser: matlab}}}
    | p.files names 'Whine'; .*did you mean 'Wine'
pools | kmeans-shuffled-30: {GENERATED}
    | 'kmeans-shuffled-30' ends as the name of the pool 'kmeans' with shuffled samples would
pools | published: {GENERATED} | published is in config/pools.yaml already; an
pools | p: {LABELS, variable: x} | p has the key 'variable', which is for files that end in .npz
pools | p: {LABELS, dataset: Wien} | p.dataset names 'Wien'; .*did you mean 'Wine'
methods | M: {paper: y, title: ' '} | M.title is ' '; it must not be blank
methods | M/x: {METHOD} | 'M/x'; it must consist of letters
methods | M: {METHOD, fixed: {lam: -1}} | M: fixed.lam is -1; it must be a number
methods | M: {METHOD, cost: {grows_with: features}}
    | M: cost: grows_with is 'features', which the method does not see
methods | LWEB: {title: x, paper: y} | 'LWEB'.*did you mean 'LWEA'
methods | LWEA: {title: x, paper: y}
    | LWEA is in .*methods/methods.yaml already; an own entry needs a name of its own
"""
#: What words in capitals stand for.
SHORT = {
    "FILE": "file: a.csv",
    "GENERATED": "kind: generated, draws: {sizes: [5], repeats: 2}",
    "PUBLISHED": "kind: published, draws: {sizes: [5], repeats: 2}",
    "LABELS": "kind: labels, file: labels.csv",
    "METHOD": "title: x, paper: y, estimator: 'coassoc.methods.drec:DREC'",
}


@pytest.mark.parametrize(("key", "text", "message"), mistakes(IN_ANOTHER_FILE))
def test_a_mistake_in_another_own_file_is_one_sentence(refused, tmp_path, key, text, message):
    write(tmp_path / "labels.csv", "sample,a,b\nx,1,2\ny,1,1\n")
    for word, keys in SHORT.items():
        text = text.replace(word, keys)
    refused(message, files={key: text})


def test_an_own_paper_does_not_replace_one(refused, tmp_path):
    (tmp_path / "eccms.yaml").write_text(OWN)
    refused("there is a study 'eccms' already", studies=[str(tmp_path / "eccms.yaml")])


@pytest.mark.parametrize("name", ["tables", "sensitivity"])
def test_an_own_paper_is_not_called_like_another_target(plan, name):
    planned = plan()
    studies = planned.catalogues.studies
    studies[name] = studies.pop("own").model_copy(update={"name": name})
    with pytest.raises(ConfigError, match=rf"the target '{name}' exists already; .*\.$"):
        Plan({**planned.config.model_dump(), "targets": [name]}, planned.catalogues).files_by_name()


#: Own pools: one of few base clusterings, one of many clusters, one for each number of these.
POOLS = """
few: {kind: generated, size: 20, draws: {sizes: [10], repeats: 2}}
many: {kind: generated, size: 20, k: 200, draws: {sizes: [10, 20], repeats: 2}}
each: {kind: generated, size: 20, for_each_k: 5, draws: {sizes: [10, 20], repeats: 2}}
"""


@pytest.mark.parametrize(
    ("pool", "message"),
    [
        ("few", "few draws ensembles of 10, and own_sizes needs 20"),
        ("many", "many of Wine, whose k is 200, and there are 178"),
        ("each", "each has ensembles for each number of clusters"),
    ],
)
def test_pools_of_all_that_is_own_are_checked_at_once(refused, pool, message):
    refused(message, changed("pool", pool), {"pools": POOLS}, targets=["own_t"])


def test_pools_of_the_rest_are_checked_when_it_is_asked_for(plan):
    override = {"targets": {"eccms_figure5": {"pool": "few", "datasets": ["Wine"]}}}
    planned = plan(files={"pools": POOLS}, targets=["own_t"], override=override)
    with pytest.raises(ConfigError, match="few draws ensembles of 10, and eccms_figure5 needs"):
        check_target(planned.by_path["eccms/figure5"], planned.catalogues)


def test_a_row_of_base_clusterings_may_be_of_a_pool_of_its_own(plan):
    planned = plan(changed("rows/pool-mean/pool", "kmeans-small-c"))
    cells = [cell for cell in planned.by_path["own/t"].cells if cell.row == "pool-mean"]
    sources = {source for cell in cells for source in cell.sources}
    assert sources == {"kmeans-small-c/Glass/base", "kmeans-small-c/Wine/base"}


#: Data sets without a column of classes, with and without their number.
WITHOUT_CLASSES = """
Bare: {file: points.csv}
Counted: {file: points.csv, classes: 3}
Labelled: {file: points.csv, arguments: {label: b}}
Packed: {file: points.npz}
PackedBare: {file: points.npz, arguments: {y: null}}
"""


@pytest.mark.parametrize(
    ("dataset", "table", "message"),
    [
        ("Bare", "t", "datasets: Bare lacks the key 'classes', the number of clusters that own_t"),
        ("PackedBare", "t", "PackedBare lacks the key 'classes', the number of clusters that"),
        ("Counted", "dots", "no column of classes is named for Counted, and own_dots is made of"),
        ("Counted", "t", None),
        ("Labelled", "t", None),
        ("Packed", "t", None),
    ],
)
def test_a_missing_number_of_clusters_is_told_at_once(refused, plan, dataset, table, message):
    paper = changed("datasets", {"all": [dataset], "one": [dataset]})
    for section in SECTIONS:
        paper[section] = {key: spec for key, spec in paper[section].items() if key == table}
    files = {"datasets": WITHOUT_CLASSES}
    if message is None:
        assert plan(paper, files).wanted
    else:
        refused(message, paper, files)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb: 2\na: 3\n", "the key 'a' stands in line 1 and again in line 3"),
        ("x:\n  a: 1\n  a: 1\n", "the key 'a' stands in line 2 and again in line 3"),
        ("a: [1\n", "not valid YAML"),
        ("[" * 5000, "not valid YAML"),
    ],
)
def test_a_yaml_file_is_read_once_per_key(tmp_path, text, message):
    file = write(tmp_path / "a.yaml", text)
    with pytest.raises(ConfigError, match=message) as raised:
        load_yaml(file)
    assert str(raised.value).startswith(str(file))


def test_merged_keys_may_be_replaced(tmp_path):
    file = write(tmp_path / "a.yaml", "a: &a {x: 1, y: 2}\nb:\n  <<: *a\n  x: 3\n")
    assert load_yaml(file)["b"] == {"x": 3, "y": 2}


def test_the_workflow_says_it_before_anything_runs(tmp_path):
    write(tmp_path / "run.yaml", OWN.replace("\n  t:\n", "\n  method:\n"))
    text = "studies: [run.yaml]\ntargets: [run]\noverride: null\n"
    mine = write(tmp_path / "mine.yaml", text)
    told = snakemake(tmp_path, "--dry-run", "--configfile", mine, fails=True)
    assert "Traceback" not in told
    assert "tables.method has the target 'run_method', which is the name of a rule" in told
    assert [path.name for path in (tmp_path / "results").iterdir()] == ["plan"]


def test_the_key_consensus_of_earlier_versions_is_answered_by_the_program():
    with pytest.raises(ConfigError, match=r"no key 'consensus' any more; use the program .coassoc"):
        make_plan({"consensus": []}, [], CONFIG.parent)


def test_one_ensemble_in_each_repeat_is_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for size in (10, 11):
        pool = f"ten: {{kind: generated, size: {size}, draws: {{sizes: [10], repeats: 5}}}}\n"
        Path("pools.yaml").write_text(pool)
        Path("own.yaml").write_text(OWN.replace("pool: kmeans-small", "pool: ten"))
        config = {"pools": ["pools.yaml"], "studies": ["own.yaml"], "targets": ["own_t"]}
        override = {"pool": "ten", "sizes": [10]}
        make_plan({**config, "override": override}, [], CONFIG.parent)
        caption = read_target("results/plan/targets/own/t.json")["spec"]["caption"]
        assert ("(ten) give the same one in each repeat" in caption) == (size == 10)
