"""The page of the ranking: it chooses one of the views made beforehand, and sorts it."""

__all__ = ["PAGE"]

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Ranking of ensemble clustering methods</title>
<style>
body { font: 14px/1.45 sans-serif; margin: 1.2em; color: #111; background: #fff; }
h1 { font-size: 1.25em; margin: 0 0 .5em; }
p { max-width: 62em; }
form { display: flex; flex-wrap: wrap; gap: .5em 1.2em; margin: .8em 0; }
label { display: flex; flex-direction: column; font-size: .85em; color: #444; }
select, input { font: inherit; padding: .2em .3em; max-width: 18em; }
.frame { overflow-x: auto; max-height: 85vh; overflow-y: auto; border: 1px solid #ccc; }
table { border-collapse: separate; border-spacing: 0; font-variant-numeric: tabular-nums; }
th, td { padding: .2em .6em; text-align: right; white-space: nowrap; }
thead th { position: sticky; top: 0; background: #eee; z-index: 1; }
#ranks thead th { cursor: pointer; }
thead th { vertical-align: bottom; }
#ranks thead th:hover, #ranks thead th:focus { background: #dcdcdc; }
thead th small { display: block; font-weight: normal; color: #555; }
tbody th, thead th:first-child { position: sticky; left: 0; text-align: left; }
tbody th { background: inherit; font-weight: 600; }
thead th:first-child { z-index: 2; }
tbody tr { background: #fff; }
tbody tr:nth-child(even) { background: #f6f6f6; }
tr.out { color: #666; }
td button { all: unset; cursor: pointer; text-decoration: underline dotted #999; }
td button:focus-visible { outline: 2px solid #0072B2; }
td.none { color: #a33; }
td.unused { color: #888; }
td.bar { padding: 0 .6em; }
svg { display: block; }
dialog { border: 1px solid #888; max-width: min(60em, 92vw); max-height: 85vh; }
dialog form { float: right; margin-left: 1em; }
dialog h2 { font-size: 1.1em; margin: 0 0 .5em; }
dialog dt { float: left; clear: left; width: 7em; color: #555; }
dialog dd { margin: 0 0 .2em 7em; overflow-wrap: anywhere; }
small { color: #555; }
@media (max-width: 40em) {
  body { margin: .6em; }
  th, td { padding: .2em .35em; }
  tbody th, thead th:first-child { max-width: 8em; overflow: hidden; text-overflow: ellipsis; }
}
</style>
</head>
<body>
<h1>Ranking of ensemble clustering methods</h1>
<p>Every method on the same base clusterings. Choose what is compared; a click on the head of a
column sorts by it, another turns it round.</p>
<noscript><p>This page sorts and filters by a script, which is turned off here;
<a href="ranking.csv">ranking.csv</a> has all ranks,
<a href="ranking_cells.csv">ranking_cells.csv</a> the scores behind them.</p></noscript>
<form id="choice">
<label>score <select id="metric"></select></label>
<label>data sets <select id="group"></select></label>
<label>parameters <select id="tuned"></select></label>
<label>methods that read the order of the samples <select id="readers">
<option value="0">left out</option><option value="1">ranked too</option></select></label>
<label>where a score is missing, leave out <select id="all">
<option value="0">the method</option><option value="1">the data set</option></select></label>
<label>show methods with <input id="filter" type="search" placeholder="part of the name"></label>
</form>
<p id="summary" aria-live="polite"></p>
<div class="frame"><table id="ranks"><thead><tr></tr></thead><tbody></tbody></table></div>
<p id="failures"></p>
<dialog id="origin" aria-labelledby="of">
<form method="dialog"><button>Close</button></form><h2 id="of"></h2><dl></dl>
<div class="frame"><table><thead><tr></tr></thead><tbody></tbody></table></div></dialog>
<p><small>@NOTE@ Tables: <a href="ranking.csv">ranking.csv</a>,
<a href="ranking.parquet">ranking.parquet</a>, <a href="ranking_cells.csv">ranking_cells.csv</a>,
<a href="ranking_cells.parquet">ranking_cells.parquet</a>.</small></p>
<script type="application/json" id="data">@DATA@</script>
<script>
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const at = (id) => document.getElementById(id);
const node = (tag, text = "", extra = {}) =>
  Object.assign(document.createElement(tag), {textContent: text}, extra);
const fill = (id, names) =>
  names.forEach(([value, text]) => at(id).append(node("option", text, {value})));
fill("metric", data.metrics.map((name) => [name, name]));
fill("group", data.groups.map((name) => [name, name]));
const kinds = [...new Set(data.rows.map((row) => Number(row.tuned)))].sort();
fill("tuned", kinds.map((tuned) => [tuned, tuned ? "tuned by the classes" : "defaults"]));
const repeatsOf = (found) => found ? found.repeats.length : 0;
const mostRepeats = Math.max(...data.origins.flat().map(repeatsOf));
let sorted = {column: 1, sign: 1};

const shown = (value, digits) => value === null ? "–" : value.toFixed(digits);

function bar(rank, cd, count) {
  const cell = node("td", "", {className: "bar"});
  if (rank === null) return cell;
  const place = (value) => 4 + 112 * (Math.min(Math.max(value, 1), count) - 1) / (count - 1);
  const half = cd === null ? 0 : cd / 2;
  cell.innerHTML = `<svg width="120" height="12" role="img" aria-label="rank ${rank}">` +
    `<line x1="${place(rank - half)}" x2="${place(rank + half)}" y1="6" y2="6" ` +
    `stroke="#0072B2" stroke-width="3"/>` +
    `<circle cx="${place(rank)}" cy="6" r="4" fill="#111"/></svg>`;
  return cell;
}

function score(number, k, metric, used) {
  const [mean, std] = data.cells[metric][number][k];
  const missing = mean === null;
  const cell = node("td", "", {className: missing ? "none" : used ? "" : "unused"});
  const open = node("button", missing ? "✕" : mean.toFixed(3), {type: "button"});
  open.title = missing ? "why there is no score" : `±${shown(std, 3)}`;
  open.addEventListener("click", () => origin(number, k, metric));
  cell.append(open);
  const repeats = repeatsOf(data.origins[number][k]);
  if (!missing && repeats < mostRepeats) cell.append(node("small", ` r = ${repeats}`));
  return cell;
}

function origin(number, k, metric) {
  const [mean, std, reason] = data.cells[metric][number][k];
  const row = data.rows[number], found = data.origins[number][k];
  const place = `${row.name} on ${data.datasets[k].name}`;
  at("of").textContent = mean === null ? `${place}: no score` :
    `${place}: ${metric} ${mean.toFixed(4)} ± ${shown(std, 4)}`;
  const facts = [["method", row.title]];
  if (reason) facts.push(["no score", reason]);
  if (found) {
    const values = Object.entries(found.parameters).map(([name, value]) => `${name} = ${value}`);
    facts.push(["parameters", values.join(", ") || "defaults"]);
    facts.push(["run", `results/runs/${found.run}.h5`]);
    facts.push(["scores", `results/scores/${found.run}.csv`]);
    if (found.version) facts.push(["version", found.version]);
  }
  const list = document.querySelector("#origin dl");
  list.replaceChildren(...facts.flatMap(([name, text]) => [node("dt", name), node("dd", text)]));
  const head = ["repeat", ...data.metrics].map((name) => node("th", name, {scope: "col"}));
  document.querySelector("#origin thead tr").replaceChildren(...(found ? head : []));
  const lines = (found ? found.repeats : []).map(([repeat, status, ...scores]) => {
    const line = node("tr");
    line.append(node("th", String(repeat), {scope: "row"}));
    if (status === "ok") scores.forEach((each) => line.append(node("td", shown(each, 4))));
    else line.append(node("td", status, {colSpan: data.metrics.length}));
    return line;
  });
  document.querySelector("#origin tbody").replaceChildren(...lines);
  at("origin").showModal();
}

function order(a, b) {
  if (a === null || b === null) return (a === null) - (b === null);
  return sorted.sign * (a < b ? -1 : a > b ? 1 : 0);
}

function show() {
  const metric = at("metric").value, group = at("group").value;
  const flags = at("tuned").value + at("readers").value + at("all").value;
  const view = data.views[`${metric}|${group}|${flags}`];
  const head = document.querySelector("#ranks thead tr");
  const body = document.querySelector("#ranks tbody");
  head.replaceChildren();
  body.replaceChildren();
  at("failures").textContent = "";
  if (!view) {
    at("summary").textContent = "Fewer than two methods have scores here.";
    return;
  }
  const cells = data.cells[metric];
  const inside = data.datasets.map((each, k) => k).filter((k) =>
    data.datasets[k].groups.includes(group));
  const ranked = view.lines.filter((line) => line[1] !== null);
  const used = inside.filter((k) => ranked.every((line) => cells[line[0]][k][0] !== null));
  const columns = [["method"], ["mean rank"], ["", "± half the critical difference"],
    [`mean ${metric}`], ["seconds", "of a fit"]];
  inside.forEach((k) => {
    const each = data.datasets[k];
    columns.push([each.name, `n ${each.n ?? "?"}, c ${each.classes ?? "?"}`]);
  });
  columns.forEach(([name, below], number) => {
    const cell = node("th", name, {tabIndex: 0, scope: "col"});
    if (below) cell.append(node("small", below));
    const sort = () => {
      const first = number === 0 || number === 1 || number === 2 || number === 4 ? 1 : -1;
      sorted = {column: number, sign: sorted.column === number ? -sorted.sign : first};
      show();
    };
    cell.addEventListener("click", sort);
    cell.addEventListener("keydown", (event) => { if (event.key === "Enter") sort(); });
    if (sorted.column === number)
      cell.setAttribute("aria-sort", sorted.sign > 0 ? "ascending" : "descending");
    head.append(cell);
  });
  const value = (line) => {
    if (sorted.column === 0) return data.rows[line[0]].name.toLowerCase();
    if (sorted.column < 3) return line[1];
    if (sorted.column < 5) return line[sorted.column - 1];
    return (cells[line[0]][inside[sorted.column - 5]] ?? [null])[0];
  };
  const wanted = at("filter").value.toLowerCase();
  [...view.lines].sort((a, b) => order(value(a), value(b))).forEach((line) => {
    const [number, rank, mean, seconds] = line, row = data.rows[number];
    if (!row.name.toLowerCase().includes(wanted)) return;
    const shownRow = node("tr", "", {className: rank === null ? "out" : ""});
    shownRow.append(node("th", row.name + (row.reads_order ? " *" : ""),
      {scope: "row", title: row.title}));
    shownRow.append(node("td", shown(rank, 2)), bar(rank, view.cd, ranked.length));
    shownRow.append(node("td", shown(mean, 3)));
    shownRow.append(node("td", seconds === null ? "–" : seconds.toPrecision(2)));
    inside.forEach((k) => shownRow.append(score(number, k, metric, used.includes(k))));
    body.append(shownRow);
  });
  const cd = view.cd === null ? "" :
    ` Critical difference of two mean ranks: ${view.cd.toFixed(2)}.`;
  at("summary").textContent = `${ranked.length} methods are ranked on ${view.n} of ` +
    `${inside.length} data sets.${cd}` + (at("readers").value === "1" ?
    " A star marks methods that read the order of the samples; many files lie sorted." : "");
  const out = view.lines.filter((line) => line[1] === null).map((line) =>
    `${data.rows[line[0]].name} (no score on ${line[4]} of ${inside.length})`);
  const dropped = inside.filter((k) => !used.includes(k)).map((k) => data.datasets[k].name);
  const parts = [];
  if (out.length) parts.push(`Not ranked: ${out.join(", ")}.`);
  if (dropped.length) parts.push(`Data sets that do not count: ${dropped.join(", ")}.`);
  if (parts.length) parts.push("A click on a cross shows the reason.");
  at("failures").textContent = parts.join(" ");
}

document.querySelectorAll("select").forEach((each) => each.addEventListener("change", show));
at("filter").addEventListener("input", show);
document.querySelector("#choice").addEventListener("submit", (event) => event.preventDefault());
show();
</script>
</body>
</html>
"""
