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
    facts.push(["scores", "results/scores/ranking.parquet"]);
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

function method(row) {
  return node("th", row.name + (row.reads_order ? " *" : ""), {scope: "row", title: row.title});
}

function heading({name, below, first}, number) {
  const cell = node("th", name, {tabIndex: 0, scope: "col"});
  if (below) cell.append(node("small", below));
  const sort = () => {
    sorted = {column: number, sign: sorted.column === number ? -sorted.sign : first};
    show();
  };
  cell.addEventListener("click", sort);
  cell.addEventListener("keydown", (event) => { if (event.key === "Enter") sort(); });
  if (sorted.column === number)
    cell.setAttribute("aria-sort", sorted.sign > 0 ? "ascending" : "descending");
  return cell;
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
  const columns = [
    {name: "method", first: 1, value: (line) => data.rows[line[0]].name.toLowerCase(),
      cell: ([number]) => method(data.rows[number])},
    {name: "mean rank", first: 1, value: (line) => line[1],
      cell: (line) => node("td", shown(line[1], 2))},
    {name: "", below: "± half the critical difference", first: 1, value: (line) => line[1],
      cell: (line) => bar(line[1], view.cd, ranked.length)},
    {name: `mean ${metric}`, first: -1, value: (line) => line[2],
      cell: (line) => node("td", shown(line[2], 3))},
    {name: "seconds", below: "of a fit", first: 1, value: (line) => line[3],
      cell: ([, , , seconds]) => node("td", seconds === null ? "–" : seconds.toPrecision(2))},
    ...inside.map((k) => ({
      name: data.datasets[k].name,
      below: `n ${data.datasets[k].n ?? "?"}, c ${data.datasets[k].classes ?? "?"}`,
      first: -1,
      value: ([number]) => cells[number][k][0],
      cell: ([number]) => score(number, k, metric, used.includes(k)),
    })),
  ];
  head.append(...columns.map(heading));
  const value = columns[sorted.column]?.value ?? (() => null);
  const wanted = at("filter").value.toLowerCase();
  [...view.lines].sort((a, b) => order(value(a), value(b))).forEach((line) => {
    if (!data.rows[line[0]].name.toLowerCase().includes(wanted)) return;
    const row = node("tr", "", {className: line[1] === null ? "out" : ""});
    row.append(...columns.map((column) => column.cell(line)));
    body.append(row);
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
