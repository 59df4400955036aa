// The pictures: each takes runs and a width in pixels, and gives an element.

const timeTitle = () => (state.ordering ? "ms, with ordering" : "ms, without ordering where it is known");
const runText = (r) => `${r.label}${r.seed === undefined ? "" : ` (seed ${r.seed})`}: ${plural(r.colors, "color")}, ${short(time(r))} ms`;

/** A mark as in the pictures, for lists and buttons. */
const icon = (style) => s("svg", { class: "icon", viewBox: "-7 -7 14 14", height: 14, "aria-hidden": true }, symbol(style, 0, 0));

/** Names that belong to the numbers in a picture: [name, text behind it, style whose mark stands before it]. */
function nameList(items, columns = false) {
  return h("ol", { class: columns ? "names columns" : "names" }, items.map(([name, rest, style], i) =>
    h("li", {}, h("b", {}, String(i + 1)), style ? icon(style) : null, name, " ", h("span", {}, rest))));
}

function facts(graph) {
  const g = data.graphs[graph] ?? {};
  const parts = [g.n && plural(g.n, "vertex", "vertices"), g.m && plural(g.m, "entry", "entries"), g.max_degree && `Δ ${whole(g.max_degree)}`];
  return parts.filter(Boolean).join(", ");
}

function drawPareto(graph, runs, width, height) {
  const colors = runs.map((r) => r.colors);
  const log = Math.max(...colors) > 8 * Math.min(...colors);
  const { svg, x, y, box } = frame(width, height, {
    x: { kind: log ? "log" : "linear", range: padded(colors, log), title: "colors" },
    y: { kind: "log", range: padded(runs.map(time), true, 0.1), title: timeTitle() },
  }, `Time against colors on ${graph}`);
  const best = front(runs);
  const corners = best.flatMap((r, i) => [[x(r.colors), i ? y(time(best[i - 1])) : box.top], [x(r.colors), y(time(r))]]);
  svg.append(s("path", { class: "front", d: path([...corners, [box.right, corners[corners.length - 1][1]]]) }));
  for (const r of runs) svg.append(symbol(r.style, x(r.colors), y(time(r))));
  const at = best.map((r) => Math.min(y(time(r)) + 14, box.bottom - 2));
  // The front falls: a number that would touch the next one goes up.
  for (let i = best.length - 2; i >= 0; i--) if (x(best[i + 1].colors) - x(best[i].colors) < 11) at[i] = Math.min(at[i], at[i + 1] - 12);
  best.forEach((r, i) => svg.append(s("text", { class: "mark", x: x(r.colors) - 6, y: at[i], "text-anchor": "end" }, String(i + 1))));
  tellNear(svg, runs.map((r) => ({ x: x(r.colors), y: y(time(r)), text: runText(r) })));
  return h("figure", { "data-graph": graph },
    h("figcaption", {}, graph, h("span", {}, facts(graph))), svg,
    nameList(best.map((r) => [r.label, `${plural(r.colors, "color")}, ${short(time(r))} ms`])));
}

/** Rows with a name each: beside the picture where it is wide, above the row where it is not. */
function rowFrame(names, width, kind, range, title, about, tail = 12) {
  const narrow = width < 640;
  const left = narrow ? 2 : Math.min(Math.max(...names.map((n) => n.length)) * 6.9 + 10, width * 0.4);
  const step = narrow ? 38 : 24;
  const box = { left, right: width - tail, top: 4, bottom: names.length * step + 8 };
  const x = scale(kind, range, [box.left + 4, box.right], (box.right - box.left) / 70);
  const svg = s("svg", { viewBox: `0 0 ${width} ${box.bottom + 36}`, height: box.bottom + 36, role: "img", "aria-label": about });
  xAxis(svg, x, box, { title });
  const middle = (i) => box.top + i * step + (narrow ? 27 : 13);
  names.forEach((name, i) => svg.append(s("text", {
    class: "name", x: narrow ? left : left - 6, y: middle(i) + (narrow ? -12 : 4), "text-anchor": narrow ? "start" : "end",
  }, name)));
  return { svg, x, middle, box };
}

/** Bars of codes that were compared on some of the baseline's graphs. */
function drawSpeedups(rows, baseline, graphs, width) {
  const values = rows.flatMap((r) => r.ratios.map(([, ratio]) => ratio));
  const range = padded([1, ...values], true, 0.03);
  const said = rows.map((r) => `${short(r.mean)} ×` + (r.ratios.length < graphs ? ` (${r.ratios.length} of ${graphs})` : ""));
  const { svg, x, middle, box } = rowFrame(rows.map((r) => r.label), width, "log", range,
    "times as fast as the baseline", `Speed-up over ${baseline}`, Math.max(...said.map((t) => t.length)) * 6.5 + 8);
  const points = [];
  rows.forEach((r, i) => {
    const [from, to] = [x(1), x(r.mean)].sort((a, b) => a - b);
    const part = r.ratios.length < graphs ? " part" : "";
    svg.append(s("rect", { class: `bar ${known(r.style)}${part}`, x: from, width: Math.max(to - from, 1.5), y: middle(i) - 6, height: 12, rx: 2 }));
    for (const [graph, ratio] of r.ratios) {
      svg.append(s("circle", { class: "dot", cx: x(ratio), cy: middle(i), r: 2 }));
      points.push({ x: x(ratio), y: middle(i), text: `${r.label} on ${graph}: ${short(ratio)} ×` });
    }
    svg.append(s("text", { class: "name", x: box.right + 6, y: middle(i) + 4 }, said[i]));
  });
  svg.prepend(s("line", { class: "axis", x1: x(1), x2: x(1), y1: box.top, y2: box.bottom }));  // behind the names
  tellNear(svg, points, 8);
  return h("figure", {}, svg);
}

function drawFloors(runs, width) {
  const rows = [...grouped(runs, (r) => r.graph)];
  const { svg, x, middle } = rowFrame(rows.map(([graph]) => graph), width, "log", padded(runs.map(floors), true, 0.03),
    "× floor", "Time over the floor");
  const points = [];
  rows.forEach(([, own], i) => {
    for (const r of own) {
      svg.append(symbol(r.style, x(floors(r)), middle(i)));
      points.push({ x: x(floors(r)), y: middle(i), text: `${r.label}: ${short(floors(r))} ×, ${plural(r.colors, "color")}` });
    }
  });
  tellNear(svg, points, 9);
  return h("figure", {}, svg);
}

function drawRounds(run, width) {
  const { active = [], colored = [], conflicts = [] } = run.trace;
  const n = colored.length || active.length;
  const most = Math.max(1, ...active, ...colored, ...conflicts);
  const { svg, x, y } = frame(width, 180, {
    x: { kind: "linear", range: [0.5, n + 0.5], title: "round" },
    y: { kind: "zero", range: [0, most * 1.2], title: "vertices" },
  }, `Rounds of ${run.label}`);
  const steps = (values) => path(values.flatMap((v, i) => [[x(i + 0.5), y(v)], [x(i + 1.5), y(v)]]));
  svg.append(s("path", { class: "line active dashed", d: steps(active) }));
  svg.append(s("path", { class: "line colored", d: steps(colored) }));
  if (conflicts.some((v) => v > 0)) svg.append(s("path", { class: "line conflicts", d: steps(conflicts) }));
  svg.addEventListener("pointermove", (event) => {
    const at = event.clientX - svg.getBoundingClientRect().left;
    const i = Math.min(n - 1, Math.max(0, Math.round(((at - x(0.5)) / (x(n + 0.5) - x(0.5))) * n - 0.5)));
    const count = (values) => whole(values[i] ?? 0);
    showTip(event, `round ${i + 1}: ${count(active)} active, ${count(colored)} colored, ${count(conflicts)} conflicts`);
  });
  svg.addEventListener("pointerleave", () => showTip(null, ""));
  return h("figure", {}, h("figcaption", {}, run.label, h("span", {}, `${plural(n, "round")}, ${plural(run.colors, "color")}`)), svg);
}

/** Lines of one generator, numbered by time at their ends, so that the numbers beside the picture rise in order. */
function drawGrowth(unsorted, width) {
  const ending = ({ points }) => points[points.length - 1][1];
  const lines = [...unsorted].sort((a, b) => ending(a) - ending(b));
  const entries = lines.flatMap((l) => l.points.map(([m]) => m));
  const times = lines.flatMap((l) => l.points.map(([, ms]) => ms));
  const height = Math.max(320, lines.length * 13 + 70);
  const { svg, x, y, box } = frame(width, height, {
    x: { kind: "log", range: padded(entries, true, 0.03), title: "stored entries" },
    y: { kind: "log", range: padded(times, true), title: timeTitle() },
    right: 44,
  }, "Time over size");
  const last = lines.map((l) => l.points[l.points.length - 1]);
  const places = apart(last.map(([, ms]) => y(ms)), 13, box.top + 4, box.bottom);
  const drawn = lines.map((l, i) => {
    const line = s("path", { class: `line ${known(l.style)}`, d: path(l.points.map(([m, ms]) => [x(m), y(ms)])) });
    const end = [x(last[i][0]), y(last[i][1])];
    svg.append(line, ...l.points.map(([m, ms]) => symbol(l.style, x(m), y(ms))));
    svg.append(s("path", { class: `leader ${known(l.style)}`, d: path([[end[0] + 5, end[1]], [box.right + 14, places[i]]]) }));
    svg.append(s("text", { class: "mark", x: box.right + 16, y: places[i] + 4 }, String(i + 1)));
    return line;
  });
  tellNear(svg, lines.flatMap((l, i) => l.points.map(([m, ms]) =>
    ({ x: x(m), y: y(ms), text: `${i + 1} ${l.label}: ${short(ms)} ms, ${whole(m)} entries` }))));
  const list = nameList(lines.map((l, i) => [l.label, `${short(last[i][1])} ms`, l.style]), true);
  let kept = -1;  // a click or tap keeps a line marked
  const mark = (chosen) => drawn.forEach((line, i) => {
    line.classList.toggle("faint", chosen >= 0 && i !== chosen);
    line.classList.toggle("strong", i === chosen);
    list.children[i].classList.toggle("strong", i === chosen);
  });
  [...list.children].forEach((item, i) => {
    item.addEventListener("pointerenter", () => mark(i));
    item.addEventListener("click", () => mark(kept = kept === i ? -1 : i));
  });
  list.addEventListener("pointerleave", () => mark(kept));
  return h("figure", {}, svg, list);
}

function drawDegrees(graph, bins, width) {
  const end = (i) => bins[i + 1]?.[0] ?? 2 * bins[i][0] - (bins[i - 1]?.[0] ?? bins[i][0] - 1);
  const name = (i) => whole(bins[i][0]) + (end(i) - bins[i][0] > 1 ? "+" : "");
  const { svg, x, y, box } = frame(width, 170, {
    x: { kind: "linear", range: [-0.6, bins.length - 0.4], title: "degree", text: (i) => (bins[i] ? name(i) : "") },
    y: { kind: "zero", range: [0, Math.max(...bins.map(([, count]) => count)) * 1.2], title: "vertices" },
  }, `Degrees of ${graph}`);
  const half = Math.max((x(1) - x(0)) * 0.44, 0.5);
  bins.forEach(([, count], i) => svg.append(s("rect", {
    class: "bar algebra", x: x(i) - half, width: 2 * half, y: y(count), height: box.bottom - y(count),
  })));
  tellNear(svg, bins.map(([, count], i) => ({ x: x(i), y: box.bottom - 10, text: `degree ${name(i)}: ${whole(count)} vertices` })), 200, 1);
  return h("figure", {}, h("figcaption", {}, graph, h("span", {}, facts(graph))), svg);
}
