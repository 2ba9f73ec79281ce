// A click on the heading of a column sorts by it, another reverses the order.
const valueOf = (cell) => {
  const text = cell.textContent.trim(), number = parseFloat(text);
  return isNaN(number) ? text.toLowerCase() : number;
};

function sortBy(table, head, sign) {
  const rows = [...table.tBodies[0].rows].map((row) => [valueOf(row.cells[head.cellIndex]), row]);
  rows.sort(([a], [b]) => {
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;  // texts behind numbers
    return sign * (a < b ? -1 : a > b ? 1 : 0);
  });
  table.tBodies[0].append(...rows.map(([, row]) => row));
  for (const cell of table.tHead.rows[0].cells) cell.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
}

for (const table of document.querySelectorAll(".sorts table, table.sorts")) {
  const sort = ({target}) => {
    const head = target.closest("th"), sorted = head.getAttribute("aria-sort");
    const first = Number(head.dataset.first ?? (head.cellIndex ? -1 : 1));
    sortBy(table, head, sorted ? (sorted === "ascending" ? -1 : 1) : first);
  };
  table.tHead.addEventListener("click", sort);
  table.tHead.addEventListener("keydown", (event) => { if (event.key === "Enter") sort(event); });
  table.tHead.querySelectorAll("th").forEach((head) => { head.tabIndex = 0; });
}
