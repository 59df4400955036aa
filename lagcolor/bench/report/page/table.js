// All runs in a table: a click on a column sorts by it, words above filter. In a narrow window each run is a card.

const COLUMNS = [
  ["graph", (r) => r.graph],
  ["code", (r) => r.code],
  ["order", (r) => r.order],
  ["threads", (r) => r.threads, whole],
  ["colors", (r) => r.colors, whole],
  ["ms", (r) => r.ms, short],
  ["min … max", (r) => r.ms_min, (v, r) => `${short(v)} … ${short(r.ms_max)}`],
  ["ordering ms", (r) => r.order_ms || undefined, short],  // 0: not told apart
  ["× floor", (r) => (r.usable && r.floor_ms ? r.ms / r.floor_ms : undefined), short],
  ["rounds", (r) => r.rounds, whole],
  ["memory MB", (r) => (r.memory_bytes === undefined ? undefined : r.memory_bytes / 1e6), short],
  ["style", (r) => r.style],
  ["device", (r) => r.device],
  ["seed", (r) => r.seed, String],
  ["options", (r) => r.options],
  ["checked", (r) => (r.verified === undefined ? undefined : r.verified ? "yes" : "NO")],
  ["status", (r) => r.status],
  ["error", (r) => r.error],
  ["file", (r) => r.source],
];

const MORE = new Set(["threads", "ordering ms", "min … max", "memory MB", "seed", "options", "checked", "file"]);  // shown if asked for
const ROWS = 300;  // more at once make sorting slow

const search = (r) => COLUMNS.map(([, value]) => value(r) ?? "").join(" ").toLowerCase();

/** Numbers before words, and what is missing last, whichever way it is sorted. */
function compare(a, b, up) {
  if (a === undefined || b === undefined) return (a === undefined) - (b === undefined);
  const order = typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
  return up ? order : -order;
}

const kinds = (name, text) => [text && "number", name === "error" && "wide", MORE.has(name) && "more"].filter(Boolean).join(" ");

function drawTable() {
  const body = h("tbody");
  const count = h("span", { class: "facts", role: "status", style: "margin:0" });
  const more = h("button", { type: "button", onclick: () => { most = Infinity; draw(); } });
  let [by, up, words, runs, most] = [-1, true, [], [], ROWS];
  const shownColumns = COLUMNS.filter(([, value]) => data.runs.some((r) => value(r) !== undefined && value(r) !== ""));
  const table = h("table", { class: "few" });
  const every = h("input", { type: "checkbox", onchange: () => table.classList.toggle("few", !every.checked) });

  const draw = () => {
    const shown = runs.filter((r) => words.every((word) => search(r).includes(word)));
    if (by >= 0) shown.sort((a, b) => compare(shownColumns[by][1](a), shownColumns[by][1](b), up));
    body.replaceChildren(...shown.slice(0, most).map((r) => h("tr", { class: r.usable ? null : r.status === "absent" ? "absent" : "bad" },
      shownColumns.map(([name, value, text]) => {
        const v = value(r);
        return h("td", { class: kinds(name, text), "data-name": name }, v === undefined ? "" : text ? text(v, r) : String(v));
      }))));
    count.textContent = `${whole(shown.length)} of ${plural(data.runs.length, "run")}`;
    more.hidden = shown.length <= most;
    more.textContent = `show all ${whole(shown.length)}`;
  };

  const heads = shownColumns.map(([name, , text], i) => h("th", { scope: "col", class: kinds(name, text) },
    h("button", { type: "button", onclick: () => sortBy(i) }, name)));
  const sortBy = (i) => {
    [by, up] = [i, by === i ? !up : true];
    heads.forEach((head, j) => head.setAttribute("aria-sort", j === by ? (up ? "ascending" : "descending") : "none"));
    draw();
  };
  const filter = h("input", {
    type: "search", placeholder: "filter: rgg jones, timeout …", "aria-label": "Filter the table",
    oninput: (event) => { words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean); draw(); },
  });
  const element = h("div", {}, h("div", { class: "row" }, filter, count, h("label", {}, every, "all columns")),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Table of runs" }, table),
    h("div", { class: "row", style: "margin-top: .5rem" }, more));
  table.append(h("thead", {}, h("tr", {}, heads)), body);
  const place = new Map(Object.keys(data.graphs).map((graph, i) => [graph, i]));
  const first = (a, b) => b.usable - a.usable || place.get(a.graph) - place.get(b.graph) || compare(a.ms, b.ms, true);
  return { element, show: (some) => { runs = [...some].sort(first); draw(); } };
}
