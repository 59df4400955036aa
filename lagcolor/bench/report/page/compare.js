// Runs beside each other: the same reckoning as lagcolor.bench.results.compare.

const time = (run) => run.ms - (state.ordering ? 0 : run.order_ms ?? 0);
const floors = (run) => (run.floor_ms ? time(run) / run.floor_ms : null);

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

const geometricMean = (values) => Math.exp(values.reduce((sum, v) => sum + Math.log(v), 0) / values.length);

/** Runs that no other beats in time with as few colors, fewest colors first. */
function front(runs) {
  const best = [];
  for (const run of [...runs].sort((a, b) => a.colors - b.colors || time(a) - time(b))) {
    if (!best.length || time(run) < time(best[best.length - 1])) best.push(run);
  }
  return best;
}

/** key(run) → items, in the order in which keys came. */
function grouped(runs, key) {
  const groups = new Map();
  for (const run of runs) {
    const k = key(run);
    if (!groups.has(k)) groups.set(k, []);
    groups.get(k).push(run);
  }
  return groups;
}

/** label → {style, times: graph → median milliseconds}. */
function medians(runs) {
  const rows = new Map();
  for (const [label, own] of grouped(runs, (r) => r.label)) {
    const times = new Map([...grouped(own, (r) => r.graph)].map(([graph, some]) => [graph, median(some.map(time))]));
    rows.set(label, { style: own[0].style, times });
  }
  return rows;
}

/** Every code against one: {label, style, ratios: [[graph, ratio]], mean}, the fastest first. */
function speedups(runs, baseline) {
  const rows = medians(runs);
  const base = rows.get(baseline)?.times ?? new Map();
  const out = [];
  for (const [label, { style, times }] of rows) {
    const ratios = [...times].filter(([graph]) => base.has(graph)).map(([graph, ms]) => [graph, base.get(graph) / ms]);
    if (ratios.length) out.push({ label, style, ratios, mean: geometricMean(ratios.map(([, ratio]) => ratio)) });
  }
  return out.sort((a, b) => b.mean - a.mean);
}

/** Lines of one generator: {label, style, points: [[entries, ms]]}, from two sizes on, by time at the largest. */
function growth(runs, family) {
  const own = runs.filter((r) => r.style !== "reference" && data.graphs[r.graph]?.family === family);
  const lines = [];
  for (const [label, some] of grouped(own, (r) => r.label)) {
    const sizes = grouped(some, (r) => data.graphs[r.graph].m);
    const points = [...sizes].map(([m, at]) => [m, median(at.map(time))]).sort((a, b) => a[0] - b[0]);
    if (points.length > 1) lines.push({ label, style: some[0].style, points });
  }
  const last = (line) => line.points[line.points.length - 1];
  return lines.sort((a, b) => last(b)[0] - last(a)[0] || last(a)[1] - last(b)[1]);
}
