const at = (id) => document.getElementById(id);
const packed = Uint8Array.from(atob(at("data").textContent), (sign) => sign.charCodeAt(0));
const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
const data = await new Response(unpacked).json();
const safe = (text) => String(text).replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
const shown = (value, digits) => value === null ? "–" : value.toFixed(digits);
const repeatsOf = (name) =>
  Math.max(...Object.values(data.cells).map((row) => row[name]?.repeats.length ?? 0));
const mostRepeats = Object.fromEntries(Object.keys(data.datasets).map((name) => [name, repeatsOf(name)]));

// Ranks from 1 to `count`, from left to right.
const place = (value, count) =>
  10 + 100 * (Math.min(Math.max(value, 1), count) - 1) / (count - 1);
const ticks = (count) => [1, Math.round((1 + count) / 2), count];

function scale(count) {
  return `<svg width="120" height="18" aria-hidden="true">${ticks(count).map((rank) =>
    `<text x="${place(rank, count)}" y="11" text-anchor="middle" font-size="10">${rank}</text>
    <path d="M${place(rank, count)} 14v4" stroke="#999"/>`).join("")}</svg>`;
}

function bar(rank, from, to, differs, count) {
  if (rank === null) return "";
  const [low, high] = [from ?? rank, to ?? rank].map((value) => place(value, count));
  return `<svg width="120" height="12" role="img" aria-label="rank ${rank}">
    <path d="${ticks(count).map((tick) => `M${place(tick, count)} 0v12`).join("")}" stroke="#ccc"/>
    <line x1="${low}" x2="${high}" y1="6" y2="6" stroke="#0072B2" stroke-width="3"/>
    <circle cx="${place(rank, count)}" cy="6" r="4" fill="${differs ? "#D55E00" : "#111"}"/></svg>`;
}

function score(row, dataset, metric, used) {
  const cell = data.cells[row][dataset];
  const [mean, std] = cell ? cell.scores[metric] : [null];
  const missing = mean === null, title = missing ? "why the score is missing" : `±${shown(std, 3)}`;
  const fewer = !missing && cell.repeats.length < mostRepeats[dataset];
  return `<td class="${missing ? "none" : used ? "" : "unused"}"><button type="button"
    title="${title}" data-row="${safe(row)}" data-dataset="${safe(dataset)}"
    >${missing ? "✕" : mean.toFixed(3)}</button>${
    fewer ? `<small> r = ${cell.repeats.length}</small>` : ""}</td>`;
}

function origin(row, dataset, metric) {
  const cell = data.cells[row][dataset];
  const [mean, std, reason] = cell ? cell.scores[metric] : [null, null, "not requested"];
  const what = mean === null ? "no score" : `${metric} ${mean.toFixed(4)} ± ${shown(std, 4)}`;
  at("of").textContent = `${row} on ${dataset}: ${what}`;
  const facts = [["method", data.rows[row].title]];
  if (reason) facts.push(["no score", reason]);
  if (cell?.run) {
    const values = Object.entries(cell.parameters).map(([name, value]) => `${name} = ${value}`);
    facts.push(["parameters", values.join(", ") || "defaults"], ["run", `results/runs/${cell.run}.h5`],
      ["scores", "results/scores/ranking.parquet"]);
    if (cell.version) facts.push(["version", cell.version]);
  }
  document.querySelector("#origin dl").innerHTML =
    facts.map(([name, text]) => `<dt>${name}</dt><dd>${safe(text)}</dd>`).join("");
  document.querySelector("#origin thead").innerHTML = !cell?.run ? "" :
    `<tr>${["repeat", ...data.metrics].map((name) => `<th>${safe(name)}</th>`).join("")}</tr>`;
  document.querySelector("#origin tbody").innerHTML = (cell?.repeats ?? []).map(
    ([repeat, status, ...scores]) => `<tr><th>${repeat}</th>${status === "ok"
      ? scores.map((value) => `<td>${shown(value, 4)}</td>`).join("")
      : `<td colspan="${scores.length}">${safe(status)}</td>`}</tr>`).join("");
  at("origin").showModal();
}

function show() {
  const metric = at("metric").value, group = at("group").value;
  const key = [metric, group, at("tuned").value + at("readers").value + at("all").value].join("|");
  const view = data.views[key], table = at("ranks");
  const sorted = table.tHead.querySelector("[aria-sort]");
  table.tHead.innerHTML = table.tBodies[0].innerHTML = at("failures").textContent = "";
  if (!view) {
    at("summary").textContent = "Fewer than two methods have scores for this choice.";
    return;
  }
  const inside = Object.keys(data.datasets).filter((name) => data.datasets[name].groups.includes(group)
    && view.lines.some(([row]) => data.cells[row][name]));
  const ranked = view.lines.filter(([, rank]) => rank !== null);
  const isUsed = (name) => ranked.every(([row]) => data.cells[row][name]?.scores[metric][0] != null);
  const used = inside.filter(isUsed);
  const heads = [["method", "", 1], ["mean rank", "", 1], ["", "95 % CI", 1, scale(ranked.length)],
    [`mean ${metric}`, "", -1], ["seconds", "of a fit", 1],
    ...inside.map((name) => {
      const {n, classes} = data.datasets[name];
      return [name, `n ${n ?? "?"}, c ${classes ?? "?"}, r ${mostRepeats[name]}`, -1];
    })];
  table.tHead.innerHTML = `<tr>${heads.map(([name, below, first, drawn]) => `<th scope="col" tabindex="0"
    data-first="${first}">${safe(name)}<small>${below}</small>${drawn ?? ""}</th>`).join("")}</tr>`;
  const wanted = at("filter").value.toLowerCase();
  table.tBodies[0].innerHTML = view.lines.filter(([row]) => row.toLowerCase().includes(wanted)).map(
    ([row, rank, mean, seconds, , low, high, p]) => `<tr class="${rank === null ? "out" : ""}">
      <th scope="row" title="${safe(data.rows[row].title)}">${safe(row)}${
        data.rows[row].reads_order ? " *" : ""}</th>
      <td>${shown(rank, 2)}</td><td class="bar"><span hidden>${rank}</span>${
        bar(rank, low, high, p !== null && p < 0.05, ranked.length)}</td>
      <td>${shown(mean, 3)}</td><td>${seconds === null ? "–" : seconds.toPrecision(2)}</td>
      ${inside.map((name) => score(row, name, metric, used.includes(name))).join("")}</tr>`).join("");
  const same = [...table.tHead.rows[0].cells].find((head) => head.textContent === sorted?.textContent);
  if (same) sortBy(table, same, sorted.getAttribute("aria-sort") === "ascending" ? 1 : -1);
  at("summary").textContent = `${ranked.length} methods are ranked on ${view.n} of ` +
    `${inside.length} data sets.` + (at("readers").value === "1" ?
    " A star marks methods that depend on sample order. Many files are sorted by class." : "");
  const out = view.lines.filter(([, rank]) => rank === null).map(([row, , , , missing]) =>
    `${row} (no score on ${missing} of ${inside.length} data sets)`);
  const dropped = inside.filter((name) => !used.includes(name));
  const parts = [];
  if (out.length) parts.push(`Not ranked: ${out.join(", ")}.`);
  if (dropped.length) parts.push(`Data sets left out because a ranked method lacks a score: ${dropped.join(", ")}.`);
  if (parts.length) parts.push("Click a cross to see the reason.");
  at("failures").textContent = parts.join(" ");
}

document.querySelectorAll("select").forEach((each) => each.addEventListener("change", show));
at("filter").addEventListener("input", show);
at("choice").addEventListener("submit", (event) => event.preventDefault());
at("ranks").tBodies[0].addEventListener("click", ({target}) => {
  if (target.dataset.row) origin(target.dataset.row, target.dataset.dataset, at("metric").value);
});
show();
