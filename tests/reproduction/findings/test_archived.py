"""Archived tables lead to the archived scorecard and margins, and archived numbers to the pages.

Pages are compared whole, those of tables without sentences. Intervals, which take minutes of
draws, are read.
"""

import re
from contextlib import chdir
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import make_margins
import make_readings
from coassoc.bench.shipped import SHIPPED_FOLDER, Shipped, ensemble_fingerprint
from coassoc.bench.storage.hdf5 import read_dataset, read_pool
from coassoc.bench.storage.records import fingerprint
from coassoc.bench.summaries import summarize
from make_claims import claims_table
from make_scorecard import summary_page
from make_table import add_means, add_published, mark_ranks, write_table_files
from plans import CLAIMS, settings
from reproduction.findings import agreement, standing
from reproduction.findings.cells import cells_of
from reproduction.findings.claims.catalogue import judged_targets
from reproduction.findings.claims.checks import read_lines
from reproduction.findings.claims.judging import judge
from reproduction.findings.inputs import Findings
from reproduction.findings.measures import Measures
from reproduction.findings.scorecard import (
    COMPARED,
    compare_tables,
    limits_of_agreement,
    two_errors,
)
from reproduction.scores.evidence import Evidence
from reproduction.scores.files import AS_TEXT, read_collected, read_measured
from reproduction.study.cells_file import read_cells
from reproduction.study.paths import place_measured
from reproduction.study.plan import Plan
from reproduction.summary import write_findings
from reproduction.survey import arena
from scored_cells import as_read, numbers_in
from snakemake_runs import ROOT

KEPT, FIGURES = ROOT / "results-published", ROOT / "figures/published"
#: Papers whose claims are judged again.
PAPERS = ("eccms", "lta", "rce", "acmk", "hclce")


def archived(name: str | Path, **options) -> pd.DataFrame:
    return pd.read_csv(KEPT / f"{name}.csv", low_memory=False, **options)


def rows_of_numbers(page: str) -> list[list[str]]:
    """Rows of the tables without heads, names and sentences, which change with the words."""
    rows = as_read(re.sub(r"^\|.*\n(?=\|[ :]*-)", "", page, flags=re.M))[1]
    shown = ([cell for cell in row[1:] if cell[-1:] != "."] for row in rows)
    return [row for row in shown if any(cell.lstrip("*+-.<u>")[:1].isdigit() for cell in row)]


def assert_archived(made: pd.DataFrame, name: str | Path, rows=slice(None)) -> None:
    kept = archived(name).drop(columns=["reason", "commit", "run minutes"], errors="ignore")
    kept, made = (table[[*kept]][rows].reset_index(drop=True) for table in (kept, made))
    made = made.fillna(np.nan).replace("", np.nan)
    pd.testing.assert_frame_equal(made, kept, check_dtype=False, rtol=2e-5, atol=2e-6)


def test_no_archived_score_is_missing(findings):
    plan = findings.plan
    lines = plan.planned.lines.query("not_run == ''")
    scored = [path for path in plan.wanted if plan.targets[path].reads == "scores"]
    lines = lines[lines["target"].isin(scored)]
    assert len(lines) > 30_000
    assert lines.loc[lines["archive"] == "", ["target", "run_file"]].empty


def test_every_file_of_numbers_has_a_column_of_commits(card):
    for path in sorted([*KEPT.rglob("*.csv"), *FIGURES.rglob("*.csv")]):
        assert "commit" in pd.read_csv(path, nrows=0), path
    # Of three large pools of texts the base clusterings were not scored again.
    unnamed = card[card["reproduced_mean"].notna() & card["commit"].isna()]
    assert {*unnamed["dataset"]} <= {"Hitech", "K1b", "Wap"}


@pytest.fixture(scope="module")
def card() -> pd.DataFrame:
    return archived("scorecard").fillna({"reason": "", "repeats_cell": "", "shortened": ""})


@pytest.fixture(scope="module")
def papers(as_published):
    """Labels of the five papers' own methods, and what the yardsticks know of them."""
    studies = as_published.studies.items()
    known = {name: x.YARDSTICK for name, x in studies if hasattr(x, "YARDSTICK")}
    return {name: [x.label for x in as_published.studies[name].OWN] for name in known}, known


@pytest.fixture(scope="module")
def cells(card, papers) -> pd.DataFrame:
    return cells_of(card, *papers)


@pytest.fixture(scope="module")
def findings(tmp_path_factory):
    """The inputs of the archived findings, planned in a folder of its own."""
    with chdir(tmp_path_factory.mktemp("findings")):
        plan = Plan({**settings("full", "two-cores"), "kept": str(KEPT / "kept")})
        plan.write()
        yield Findings(plan)


def test_scorecard(cells, papers, findings):
    given = findings.scorecard("scorecard")
    made = compare_tables(given, [KEPT / f"tables/{path}.csv" for path in given["tables"]])
    scores = made["metric"] != "seconds"  # times were measured on other machines
    assert_archived(made, "scorecard", scores)
    assert findings.has_agreement("scorecard") and not findings.has_agreement("other")
    readings = archived("readings")[["paper", "protocol"]].dropna().agg("/".join, axis=1)
    assert {*findings.judged_protocols()} == {*readings}
    assert len(findings.judged("scorecard")) == len(judged_targets(CLAIMS.values()))
    assert len(findings.findings()["arenas"]) == archived("arenas")["arena"].nunique()
    assert findings.spot_check() == [str(KEPT / "kept/spot_check.csv")]
    # The measures of agreement count the same cells.
    compared = made["verdict"].isin(COMPARED) & made["paper"].isin(papers[1])
    within = made.loc[compared & ~made["distance"].eq(True), "within 2 se"].astype(bool)
    difference = (cells["here"] - cells["printed"]).abs()
    assert within.tolist() == (difference <= two_errors(cells["error"]) + 1e-9).tolist()


#: Paper, table, data set, method and metric of headline numbers.
HEADLINES = [
    *(
        ("eccms", "table4", name, "EC-CMS (alpha=0.8, lambda=0.4)", "ARI")
        for name in ("Ecoli", "Aggregation", "UMIST", "SPF")
    ),
    ("lta", "table1", "BinAlpha", "LTA-SC", "ACC"),
    ("lta", "table4", "Semeion", "LTA-SC", "ACC"),
    *(("rce", "table2", "Yale", "RCE", metric) for metric in ("ACC", "NMI")),
]


def test_headline_numbers_are_the_published_ones(card):
    cells = card.set_index(["paper", "table", "dataset", "method", "metric"]).loc[HEADLINES]
    assert cells["verdict"].eq("within 2 sd").all() and cells["repeats"].min() >= 10


def test_limits_of_agreement(card):
    assert_archived(limits_of_agreement(card), FIGURES / "scorecard")


def test_agreement(cells):
    found = Measures(cells[cells["paper"] == "eccms"].reset_index(drop=True)).observed()
    kept = archived("agreement").query("HGPA == 'with' and paper == 'eccms'").set_index("measure")
    for column, end in (("value", ""), ("wrong", ", wrong"), ("perfect", ", perfect")):
        expected = kept[column].dropna().add_suffix(end).to_dict()
        made = {name: found[name] for name in expected}
        assert made == pytest.approx(expected, rel=2e-5, abs=2e-6)


def test_margins(cells):
    """With drawn repeats, whose variance only weights the data sets."""
    kept = archived("margins").set_index(["unit", "measure"])
    made = make_margins.study(cells, 0).set_index(["unit", "measure"]).loc[kept.index]
    assert made["chance"].to_numpy() == pytest.approx(kept["chance"].to_numpy(), rel=2e-5, abs=2e-6)
    assert made["units"].equals(kept["units"])
    off = (made["value"] - kept["value"]).abs()
    assert off.median() < 0.001 and off.max() < 0.02
    assert ((made["low"] <= made["value"]) & (made["value"] <= made["high"])).all()


def test_standings(cells, papers):
    tables = {name: known["tables"] for name, known in papers[1].items()}
    made, ends = standing.standing_table(cells, tables, 0), ["low", "high"]
    # Their intervals resample the scores of the repeats.
    drawn = made["quantity"].str.startswith("chance-corrected")
    made.loc[drawn, ends] = archived("standing").loc[drawn, ends]
    assert_archived(made, "standing")


def test_counts_of_an_arena():
    made = arena.Arena(archived("tables/arena/twice")).counts.reset_index()
    kept = archived("arenas").query("arena == 'twice'").drop(columns=["arena", "commit"])
    kept = kept.reset_index(drop=True)
    pd.testing.assert_frame_equal(made.astype(kept.dtypes), kept)


#: Lines, and what names arenas, which are not given, or the version.
_ARENAS = r"\n(?:## Combining different.*?\n(?=## )|- The files `tables/arena.*?set\.\n)?"
_ARENAS += r"(?:Version \w+(?:\+changes)? of.*?\n)?"


def test_pages(card, cells, as_published, papers, tmp_path):
    plan, titles = as_published, Findings(as_published).titles
    readings = archived("readings", keep_default_na=False, na_values=[""])
    readings["protocol"] = readings["protocol"].fillna("")
    agreed = agreement.page(archived("agreement"), cells, papers[1])
    names = ("claims", "agreement", "margins", "readings", "ranking")
    files = {name: KEPT / f"{name}.csv" for name in names}
    files |= {"card": KEPT / "scorecard.csv"}
    files["arenas"] = []  # of which the answers take long
    files["checked"] = [KEPT / "kept/spot_check.csv"]
    given = {
        "headlines": [name for name, claim in CLAIMS.items() if claim.headline],
        "titles": titles,
        "arenas": [],
        "codes": plan.present.codes(),
        "of_features": [x for x, y in plan.catalogues.methods.items() if y.uses_features],
    }
    paths = {"page": tmp_path / "findings.md", "arenas": tmp_path / "arenas.csv"}
    write_findings(paths, files, given)
    names = pd.read_csv(paths["arenas"]).columns.drop("commit")
    assert names.equals(archived("arenas").columns.drop("commit", errors="ignore"))
    pages = {
        "agreement": agreed,
        "margins": make_margins.page(archived("margins"), archived("standing")),
        "readings": make_readings.page(readings),
        "scorecard": summary_page(card, titles, agreed),
    }
    for name, page in pages.items():
        assert page == (KEPT / f"{name}.md").read_text("utf-8"), name
    kept, made = (
        [line for line in re.split(_ARENAS, text, flags=re.S) if line.strip()]
        for text in ((KEPT / "README.md").read_text("utf-8"), paths["page"].read_text("utf-8"))
    )
    assert made == kept


def test_claims(as_published):
    findings = Findings(as_published)
    names = [name.split("_", 1) for name in judged_targets(CLAIMS.values())]
    places = [folder / paper for folder in (KEPT / "tables", FIGURES) for paper in PAPERS]
    files = [x / f"{name}.csv" for x in places for paper, name in names if x.name == paper]
    present = [file for file in files if file.exists()]
    datasets = {
        paper: {
            cell["dataset"]
            for path, x in findings.plan.unedited.items()
            for cell in x
            if path.startswith(paper)
        }
        for paper in PAPERS
    }
    lines = read_lines(present, datasets, findings.differences)
    made = claims_table([judge(x, lines) for x in CLAIMS.values() if x.paper in PAPERS])
    kept = archived("claims").drop(columns="commit")
    kept = kept[kept["paper"].isin(PAPERS)].reset_index(drop=True)
    assert len(made) > 50
    pd.testing.assert_frame_equal(made.replace("", np.nan), kept, check_dtype=False)


#: Scripts of analyses whose tables follow from their numbers alone.
SCRIPTS = {
    kind: import_module(f"analyse_{kind}")
    for kind in ("comparison", "n_clusters", "order", "protocol", "scaling")
}
#: Targets that are made of the archived scores.
OF_SCORES = ["acmk/table2", "hclce/table3", "rce/protocol_tuning"]
OF_SCORES += [f"audit/{x}" for x in ("pool", "order", "n_clusters")]
#: Targets that are made of their archived numbers, none of which ends in 5 where it is rounded.
OF_NUMBERS = ["gtlec/table1", "lta/table4", "acmk/protocol_spce"]
OF_NUMBERS += [f"eccms/{x}" for x in ("table3", "table4", "table9")]
OF_NUMBERS += ["audit/tuning", "audit/scaling"]


@pytest.fixture(scope="module")
def scores(findings):
    """The archived scores of the targets that are made of them."""
    kept = pd.concat(map(findings.plan.of, OF_SCORES)).query("archive != ''")
    return read_collected(dict(zip(kept["source"], kept["archive"], strict=True)))


def assert_page(made: str, path: str) -> None:
    rows, kept = map(rows_of_numbers, (made, (KEPT / f"tables/{path}.md").read_text("utf-8")))
    assert len(rows) > 6 and [row for row in rows if row not in kept] == []


def page_of_table(lines: pd.DataFrame, target, folder: Path) -> str:
    paths = {end: folder / f"t.{end}" for end in ("csv", "md", "html")}
    about = {"title": target.title, "caption": target.caption}
    write_table_files(paths, lines, target.options | about, "")
    return paths["md"].read_text("utf-8")


@pytest.mark.parametrize("path", OF_NUMBERS)
def test_tables_of_numbers(path, as_published, tmp_path):
    target, lines = as_published.targets[path], archived(f"tables/{path}", dtype=AS_TEXT)
    if target.kind in SCRIPTS:
        page = SCRIPTS[target.kind].table(lines).to_markdown(disable_numparse=True)
    else:
        page = page_of_table(lines, target, tmp_path)
    assert_page(page, path)


@pytest.mark.parametrize("path", OF_SCORES)
def test_tables_of_scores(path, findings, scores, tmp_path):
    plan = findings.plan
    spec, target = plan.spec(path), plan.targets[path]
    cells, published = read_cells(path), spec["published"]
    if measured := read_measured(plan.measured(path)):
        scores = {place_measured(file): frame for file, frame in measured.items()}
    if script := SCRIPTS.get(target.kind):
        evidence = Evidence(cells, scores, spec)
        lines = script.analyse(evidence)
        page = script.table(lines).to_markdown(disable_numparse=True)
        told = script.remark(lines, evidence)
        best = "The best criterion, silhouette with ECPCS-HC, finds"
        assert (best in " ".join(told.split())) == (target.kind == "n_clusters")
        assert numbers_in(told) in numbers_in((KEPT / f"tables/{path}.md").read_text("utf-8"))
    else:
        summary = add_means(summarize(cells, scores, spec["metrics"]), spec.get("mean", []))
        lines = add_published(summary, published)
        page = page_of_table(lines, target, tmp_path)
        lines = lines.assign(rank=mark_ranks(lines))
    assert_archived(lines, f"tables/{path}")
    assert_page(page, path)


def test_shipped_scores_and_ensembles_are_the_published_ones(catalogues):
    shipped = Shipped()
    scores, cells = shipped.scores(shipped.datasets, None), shipped.cells(shipped.datasets)
    kept = pd.read_parquet(KEPT / "ranking_cells.parquet").query("metric == 'ARI'")
    means, repeats = (kept.set_index(["row", "dataset"])[name] for name in ("mean", "repeats"))
    assert len(cells) == len(kept)
    for cell in cells:
        place = cell.label, cell.dataset
        if not cell.tune and not cell.not_run:
            made = scores[cell.sources[0]]["ARI"].dropna()  # fits can fail
            assert made.mean() == pytest.approx(means[place], abs=5e-5, nan_ok=True)
            assert len(made) == repeats[place]
    for file in (SHIPPED_FOLDER / "pools").iterdir():
        pool, dataset = read_pool(file), read_dataset(shipped.file("datasets", file.stem))
        of_ensembles = ensemble_fingerprint(pool, shipped.facts["m"])
        assert of_ensembles == shipped.datasets[file.stem]["fingerprint"]
        assert fingerprint(dataset.X, pool.y) == catalogues.datasets[file.stem].fingerprint


def test_the_page_on_criteria_has_the_archived_percentages():
    lines = archived("tables/audit/n_clusters").dropna(subset="chosen")
    miss = lines["chosen"] - lines["classes"]
    right = {"right": miss == 0, "near": miss.abs() <= 1, "few": miss < 0, "many": miss > 0}
    cases = lines.assign(**right).groupby(["criterion", "label", "dataset"])[[*right]].mean()
    page = (ROOT / "docs/explanation/no-criterion.md").read_text(encoding="utf-8")
    for name, shares in cases.groupby("criterion").mean().drop("majority").iterrows():
        assert f"| {name} | " + " | ".join(f"{100 * x:.0f} %" for x in shares) + " |" in page
