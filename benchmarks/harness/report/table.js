"use strict";
const body = document.querySelector("tbody"), heads = [...document.querySelectorAll("th")], rows = [...body.rows];
const filter = document.querySelector("input"), said = document.querySelector("[role=status]");
const words = new Map(rows.map((row) => [row, [...row.cells].map((cell) => cell.textContent).join(" ").toLowerCase()]));

function compare(x, y) {
  return isNaN(x) || isNaN(y) ? x.localeCompare(y) : x - y;
}

heads.forEach((head, i) => head.querySelector("button").addEventListener("click", () => {
  const down = head.getAttribute("aria-sort") === "ascending";
  heads.forEach((other) => other.removeAttribute("aria-sort"));
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  rows.sort((a, b) => {
    const x = a.cells[i].textContent, y = b.cells[i].textContent;
    if (!x || !y) return !x - !y;  // empty cells stay last
    return down ? compare(y, x) : compare(x, y);
  });
  body.append(...rows);
}));

function keep() {
  const wanted = filter.value.toLowerCase().split(/\s+/);
  for (const row of rows) row.hidden = !wanted.every((word) => words.get(row).includes(word));
  said.textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length} runs`;
}

filter.addEventListener("input", keep);
keep();
