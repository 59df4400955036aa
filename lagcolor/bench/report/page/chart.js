// Scales, axes and marks: what the pictures are made of. Units are CSS pixels, so that text keeps its size.

/** A function from values to pixels, with its ticks; kinds: linear, log, zero (logarithmic, and zero is on it). */
function scale(kind, [low, high], [from, to], room = 6) {
  const warp = { linear: (v) => v, log: Math.log10, zero: (v) => Math.log10(1 + v) }[kind];
  const [a, b] = [warp(low), warp(high)];
  const place = (v) => from + ((warp(v) - a) / (b - a || 1)) * (to - from);
  place.ticks = kind === "linear" ? linearTicks(low, high, room) : logTicks(kind, low, high, room);
  return place;
}

function linearTicks(low, high, room) {
  const rough = Math.max((high - low) / room, 1e-12);
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, [1, 2, 5, 10].map((k) => k * unit).find((k) => k >= rough));  // all linear axes count things
  const ticks = [];
  for (let v = Math.ceil(low / step) * step; v <= high; v += step) ticks.push(v);
  return ticks;
}

function logTicks(kind, low, high, room) {
  const first = Math.floor(Math.log10(Math.max(low, kind === "zero" ? 1 : low)));
  const last = Math.ceil(Math.log10(high));
  const skip = Math.max(1, Math.ceil((last - first) / room));
  const zero = kind === "zero" ? [0] : [];
  for (const leads of skip > 1 ? [[1]] : [[1], [1, 3], [1, 2, 5], [1, 2, 3, 4, 5, 6, 7, 8, 9]]) {
    const ticks = [...zero];
    for (let e = Math.ceil(first / skip) * skip; e <= last; e += skip) ticks.push(...leads.map((k) => Number(`${k}e${e}`)));
    const inside = ticks.filter((v) => v >= low && v <= high);
    if (inside.length >= 3 || leads.length === 9 || skip > 1) return inside;
  }
  return [];
}

/** A range that leaves room at both ends, by a factor on a logarithmic axis. */
function padded(values, log, share = 0.06) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (log) {
    const by = Math.max((high / low) ** share, 1.15);
    return [low / by, high * by];
  }
  const by = Math.max((high - low) * share, 0.6);
  return [low - by, high + by];
}

/** An svg with axes: {svg, x, y, box}; options x and y are {kind, range, title, text}. */
function frame(width, height, options, about) {
  const yText = options.y.text ?? short;
  const probe = scale(options.y.kind, options.y.range, [0, 1], height / 36);
  const wide = Math.max(...probe.ticks.map((v) => yText(v).length), 1) * 7 + 8;
  const box = { left: wide, right: width - (options.right ?? 12), top: 20, bottom: height - 34 };
  const x = scale(options.x.kind, options.x.range, [box.left, box.right], (box.right - box.left) / 60);
  const y = scale(options.y.kind, options.y.range, [box.bottom, box.top], height / 36);
  const svg = s("svg", { viewBox: `0 0 ${width} ${height}`, height, role: "img", "aria-label": about });
  let free = Infinity;
  for (const v of y.ticks) {
    svg.append(s("line", { class: "grid", x1: box.left, x2: box.right, y1: y(v), y2: y(v) }));
    if (y(v) > free) continue;  // a label that would touch the one below
    free = y(v) - 12;
    svg.append(s("text", { x: box.left - 5, y: y(v) + 4, "text-anchor": "end" }, yText(v)));
  }
  xAxis(svg, x, box, options.x);
  svg.append(s("text", { x: 0, y: 12 }, options.y.title));
  return { svg, x, y, box };
}

function xAxis(svg, x, box, { title = "", text = short }) {
  let free = -Infinity;
  for (const v of x.ticks) {
    const half = text(v).length * 3.4 + 4;
    svg.append(s("line", { class: "grid", x1: x(v), x2: x(v), y1: box.top, y2: box.bottom }));
    if (x(v) - half < free) continue;  // a label that would touch the one before it
    svg.append(s("text", { x: x(v), y: box.bottom + 15, "text-anchor": "middle" }, text(v)));
    free = x(v) + half;
  }
  svg.append(s("line", { class: "axis", x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom }));
  svg.append(s("text", { x: box.right, y: box.bottom + 30, "text-anchor": "end" }, title));
}

const SHAPES = {
  kernel: "M-4-4H4V4H-4Z",
  frontier: "M0-5L5 4H-5Z",
  algebra: "M-4.5 0A4.5 4.5 0 1 1 4.5 0A4.5 4.5 0 1 1-4.5 0Z",
  sequential: "M0-5.5L5.5 0L0 5.5L-5.5 0Z",
  peer: "M-4-4L4 4M-4 4L4-4",
  reference: "M-5 0H5M0-5V5",
  auto: "M0-7L1.6-2.3L6.7-2.2L2.7.9L4.1 5.7L0 2.8L-4.1 5.7L-2.7.9L-6.7-2.2L-1.6-2.3Z",
};
const STYLES = Object.keys(SHAPES);
const known = (style) => (style in SHAPES ? style : "peer");

function symbol(style, x, y) {
  const name = known(style);
  const open = name === "peer" || name === "reference";
  return s("path", { class: `symbol ${name}${open ? " open" : ""}`, d: SHAPES[name], transform: `translate(${x} ${y})` });
}

const path = (points) => "M" + points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L");

/** Places as near as may be to those wished for, in their order, and `gap` apart. */
function apart(wished, gap, low, high) {
  const order = wished.map((_, i) => i).sort((a, b) => wished[a] - wished[b] || b - a);  // of equal ones the first is lowest
  const out = [...wished];
  let at = -Infinity;
  for (const i of order) at = out[i] = Math.max(wished[i], at + gap, low);
  at = Infinity;
  for (const i of order.reverse()) at = out[i] = Math.min(out[i], at - gap, high);
  return out;
}
