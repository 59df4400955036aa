// The page: what is chosen above, and the sections that follow from it.

const data = JSON.parse(document.getElementById("data").textContent);
const state = { graph: "", machine: "", ordering: true, hidden: new Set(), baseline: data.baseline, allBars: false, rounds: "", family: "" };
const machineOf = (r) => (r.style === "reference" ? "" : [r.device, r.machine].filter(Boolean).join(": "));
const main = document.getElementById("main");
const BARS = 25;

/** The runs that the controls leave; without a graph's choice where `anyGraph`. */
function chosen(anyGraph = false) {
  return data.runs.filter((r) =>
    (anyGraph || !state.graph || r.graph === state.graph) &&
    (!state.machine || !machineOf(r) || machineOf(r) === state.machine) &&
    !state.hidden.has(known(r.style)));
}

const usable = (anyGraph) => chosen(anyGraph).filter((r) => r.usable);

function select(label, options, value, change) {
  const box = h("select", { onchange: () => change(box.value) },
    options.map(([v, text]) => h("option", { value: v, selected: v === value }, text)));
  return h("label", {}, label, box);
}

function chip(style) {
  const button = h("button", {
    type: "button", "aria-pressed": "true",
    onclick: () => {
      if (!state.hidden.delete(style)) state.hidden.add(style);
      button.setAttribute("aria-pressed", String(!state.hidden.has(style)));
      drawAll();
    },
  }, icon(style), style);
  return button;
}

function drawControls() {
  const graphs = Object.keys(data.graphs).filter((g) => data.runs.some((r) => r.graph === g));
  const machines = distinct(data.runs.map(machineOf)).filter(Boolean);
  const ordering = h("input", { type: "checkbox", checked: true, onchange: () => { state.ordering = ordering.checked; drawAll(); } });
  const form = document.getElementById("controls");
  form.addEventListener("submit", (event) => event.preventDefault());
  form.append(
    select("graph", [["", `all ${graphs.length}`], ...graphs.map((g) => [g, g])], "", (v) => { state.graph = v; state.rounds = ""; drawAll(); }),
    machines.length > 1 ? select("machine", [["", "all"], ...machines.map((m) => [m, m])], "", (v) => { state.machine = v; drawAll(); }) : "",
    h("label", {}, ordering, "include the ordering"),
    h("div", { class: "chips", role: "group", "aria-label": "Styles" },
      STYLES.filter((style) => data.runs.some((r) => known(r.style) === style)).map(chip)));
}

/** A section whose body is made anew by `draw(width)`; it says why where there is nothing to draw. */
function section(id, title, about, draw) {
  const body = h("div");
  const element = h("section", { id, "aria-labelledby": `${id}-title` }, h("h2", { id: `${id}-title` }, title), h("p", {}, about), body);
  main.append(element);
  document.getElementById("contents").append(h("a", { href: `#${id}` }, title));
  return () => body.replaceChildren(draw(body.clientWidth));
}

const nothing = (why) => h("p", { class: "facts" }, why);
const panels = (kind, ...inside) => h("div", { class: `panels ${kind}` }, inside);

/** Pixels that a panel of a grid with at least `least` a column will have. */
function panelWidth(width, least, count) {
  const columns = Math.max(1, Math.floor((width + 24) / (least * 16 + 24)));
  return (width - (columns - 1) * 24) / (count === undefined ? columns : Math.max(1, Math.min(columns, count)));
}

const drawers = [];

function sections() {
  drawers.push(section("pareto", "Time against colors",
    "One mark per run. The line is the Pareto front: no run has fewer colors in less time. The codes on it are numbered.", (width) => {
      const graphs = [...grouped(usable(), (r) => r.graph)];
      if (!graphs.length) return nothing("No selected run has a time and valid colors.");
      const one = graphs.length === 1;
      return panels(one ? "one" : "", graphs.map(([graph, runs]) =>
        drawPareto(graph, runs, one ? width : panelWidth(width, 22), one ? Math.min(480, Math.max(300, width * 0.6)) : 260)));
    }));
  drawers.push(section("speedup", "Speed-up",
    "Bars: geometric mean over the graphs that code and baseline both colored. Dots: single graphs. Pale bars: some graphs of the baseline are missing.", (width) => {
      const runs = usable();
      const labels = distinct(runs.map((r) => r.label)).sort();
      if (!labels.length) return nothing("No selected run has a time and valid colors.");
      if (!labels.includes(state.baseline)) state.baseline = labels.includes(data.baseline) ? data.baseline : labels[0];
      const rows = speedups(runs, state.baseline);
      const shown = state.allBars ? rows : rows.slice(0, BARS);
      const again = drawers[1];
      const more = rows.length > BARS ? h("button", { type: "button", onclick: () => { state.allBars = !state.allBars; again(); } },
        state.allBars ? `the first ${BARS}` : `all ${rows.length}`) : null;
      return h("div", {}, h("div", { class: "row" },
        select("baseline", labels.map((l) => [l, l]), state.baseline, (v) => { state.baseline = v; again(); }), more),
      drawSpeedups(shown, state.baseline, rows.find((r) => r.label === state.baseline).ratios.length, width));
    }));
  drawers.push(section("floors", "× floor",
    "Time divided by the time to read the graph and write the colors once.", (width) => {
      const runs = usable().filter((r) => floors(r) !== null);
      return runs.length ? drawFloors(runs, width) : nothing("No selected run has a floor.");
    }));
  drawers.push(section("rounds", "Rounds",
    "Vertices colored in each round, and conflicts. The scale is logarithmic and begins at zero.", drawRoundsSection));
  drawers.push(section("scaling", "Growth", "Time against the size of the graphs of one generator. Lines are numbered by their time at the largest graph; a click on a name keeps its line marked.", (width) => {
    const families = distinct(Object.values(data.graphs).map((g) => g.family)).filter((f) => f && growth(usable(true), f).length);
    if (!families.length) return nothing("No generator was run with two sizes.");
    if (!families.includes(state.family)) state.family = families[0];
    return h("div", {}, h("div", { class: "row" },
      select("generator", families.map((f) => [f, f]), state.family, (v) => { state.family = v; drawers[4](); })),
    drawGrowth(growth(usable(true), state.family), width));
  }));
  drawers.push(section("degrees", "Degrees", "Number of vertices of each degree. Where a degree is over 40, bins widen with the degree. The scale is logarithmic and begins at zero.", (width) => {
    const graphs = Object.entries(data.graphs).filter(([name, g]) => g.degrees && (!state.graph || name === state.graph));
    if (!graphs.length) return nothing("The result files do not have the degrees of these graphs, which are not generated graphs of moderate size either.");
    const others = distinct(chosen().map((r) => r.graph)).length - graphs.length;
    const few = others > 0 ? nothing(`Degrees of ${plural(others, "other graph")} are not known.`) : null;
    return h("div", {}, panels("small", graphs.map(([name, g]) => drawDegrees(name, g.degrees, panelWidth(width, 17)))), few);
  }));
  const table = drawTable();
  drawers.push(section("table", "All runs", "A click on the name of a column sorts by it. Failed runs are included.", () => {
    table.show(chosen());
    return table.element;
  }));
}

function drawRoundsSection(width) {
  const runs = usable(true).filter((r) => r.trace && r.trace.colored.length > 1);
  const graphs = distinct(runs.map((r) => r.graph));
  if (!graphs.length) return nothing("No selected run has a trace of more than one round: lagcolor bench --trace keeps traces.");
  if (!graphs.includes(state.rounds)) state.rounds = graphs.includes(state.graph) ? state.graph : graphs[0];
  const first = [...grouped(runs.filter((r) => r.graph === state.rounds), (r) => r.label).values()].map(([r]) => r);
  const key = (kind, dashed) => h("span", { class: "key" },
    s("svg", { viewBox: "0 0 22 8", height: 8, "aria-hidden": true }, s("path", { class: `line ${kind}${dashed ? " dashed" : ""}`, d: "M0 4H22" })), kind);
  return h("div", {}, h("div", { class: "row" },
    select("graph", graphs.map((g) => [g, g]), state.rounds, (v) => { state.rounds = v; drawers[3](); }),
    key("active", true), key("colored"), key("conflicts")),
  panels("small", first.map((r) => drawRounds(r, panelWidth(width, 17)))));
}

function origin() {
  const metas = data.metas.map((m) => h("dl", {}, Object.entries(m).flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])));
  main.append(h("section", { id: "origin" }, h("h2", {}, "Sources"), metas,
    data.notes.length ? h("ul", {}, data.notes.map((note) => h("li", {}, note))) : null));
}

function summary() {
  const absent = data.runs.filter((r) => r.status === "absent").length;
  const bad = data.runs.filter((r) => !r.usable).length - absent;
  const graphs = distinct(data.runs.map((r) => r.graph)).length;
  const codes = distinct(data.runs.map((r) => r.code)).length;
  const machines = distinct(data.runs.map(machineOf)).filter(Boolean).join("; ");
  document.getElementById("summary").textContent =
    `${plural(data.runs.length, "run")} of ${plural(codes, "code")} on ${plural(graphs, "graph")}` +
    (bad ? `, ${whole(bad)} of them without a valid coloring` : "") +
    (absent ? `, ${whole(absent)} of codes that were not installed` : "") + (machines ? `. Measured on ${machines}.` : ".");
}

const drawAll = () => { showTip(null, ""); drawers.forEach((draw) => draw()); };

summary();
drawControls();
sections();
origin();
drawAll();
let drawnAt = main.clientWidth;
new ResizeObserver(() => requestAnimationFrame(() => {
  if (main.clientWidth !== drawnAt) { drawnAt = main.clientWidth; drawAll(); }
})).observe(main);
