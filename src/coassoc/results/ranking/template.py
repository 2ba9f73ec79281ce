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
thead th { position: sticky; top: 0; background: #eee; cursor: pointer; z-index: 1; }
thead th { vertical-align: bottom; }
thead th:hover, thead th:focus { background: #dcdcdc; }
thead th small { display: block; font-weight: normal; color: #555; }
tbody th, thead th:first-child { position: sticky; left: 0; text-align: left; }
tbody th { background: inherit; font-weight: 600; }
thead th:first-child { z-index: 2; }
tbody tr { background: #fff; }
tbody tr:nth-child(even) { background: #f6f6f6; }
tr.out { color: #666; }
td a { color: inherit; text-decoration: underline dotted #999; }
td.none { color: #a33; cursor: help; }
td.unused { color: #888; }
td.bar { padding: 0 .6em; }
svg { display: block; }
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
<form>
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
<div class="frame"><table><thead><tr></tr></thead><tbody></tbody></table></div>
<p id="failures"></p>
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

function score(found, used) {
  const [mean, std, stem, reason] = found;
  if (mean === null) return node("td", "✕", {className: "none", title: reason});
  const cell = node("td", "", {className: used ? "" : "unused"});
  const link = node("a", mean.toFixed(3), {href: `scores/${stem}.csv`});
  link.title = `±${shown(std, 3)}; ${stem}`;
  cell.append(link);
  return cell;
}

function order(a, b) {
  if (a === null || b === null) return (a === null) - (b === null);
  return sorted.sign * (a < b ? -1 : a > b ? 1 : 0);
}

function show() {
  const metric = at("metric").value, group = at("group").value;
  const flags = at("tuned").value + at("readers").value + at("all").value;
  const view = data.views[`${metric}|${group}|${flags}`];
  const head = document.querySelector("thead tr"), body = document.querySelector("tbody");
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
    inside.forEach((k) => shownRow.append(score(cells[number][k], used.includes(k))));
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
  if (parts.length) parts.push("The reason stands behind each cross.");
  at("failures").textContent = parts.join(" ");
}

document.querySelectorAll("select").forEach((each) => each.addEventListener("change", show));
at("filter").addEventListener("input", show);
document.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
show();
</script>
</body>
</html>
"""
