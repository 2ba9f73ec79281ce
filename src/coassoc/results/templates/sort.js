const body = document.querySelector("tbody");
const value = (row, column) => {
  const text = row.cells[column].innerText.trim();
  const number = parseFloat(text);
  return isNaN(number) ? text : number;
};
const compare = (a, b) =>
  typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) : typeof a === "number" ? -1 : 1;
document.querySelectorAll("thead th").forEach((head, column) => {
  let sign = column ? -1 : 1;
  head.addEventListener("click", () => {
    const rows = [...body.rows];
    rows.sort((a, b) => sign * compare(value(a, column), value(b, column)));
    body.append(...rows);
    sign = -sign;
  });
});
