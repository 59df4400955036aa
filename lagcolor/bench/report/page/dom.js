// Elements, numbers as people read them, and the tip beside the pointer.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

const h = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
const s = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

/** Three digits that count; millions and billions by letter. */
function short(x) {
  if (x === null || x === undefined) return "";
  for (const [unit, letter] of [[1e9, " G"], [1e6, " M"]]) {
    if (Math.abs(x) >= unit) return String(Number((x / unit).toPrecision(3))) + letter;
  }
  return Math.abs(x) >= 100 ? Math.round(x).toLocaleString("en") : String(Number(x.toPrecision(3)));
}

const whole = (x) => (x === null || x === undefined ? "" : x.toLocaleString("en"));
const plural = (n, one, many = one + "s") => `${whole(n)} ${n === 1 ? one : many}`;
const distinct = (items) => [...new Set(items)];

const tip = document.getElementById("tip");

function showTip(event, text) {
  tip.hidden = !text;
  if (!text) return;
  tip.textContent = text;
  const box = tip.getBoundingClientRect();
  const left = Math.min(event.clientX + 14, innerWidth - box.width - 6);
  const below = event.clientY + 16;
  tip.style.left = `${Math.max(6, left)}px`;
  tip.style.top = `${below + box.height > innerHeight ? Math.max(6, event.clientY - box.height - 12) : below}px`;
}

/** Tell what lies near the pointer: points are {x, y, text} in pixels of the svg. */
function tellNear(svg, points, reach = 12, most = 6) {
  const tell = (event) => {
    const box = svg.getBoundingClientRect();
    const distance = (p) => Math.hypot(p.x - event.clientX + box.left, p.y - event.clientY + box.top);
    const near = points.filter((p) => distance(p) <= reach).sort((a, b) => distance(a) - distance(b));
    const more = near.length > most ? `\n… and ${near.length - most} more` : "";
    showTip(event, near.slice(0, most).map((p) => p.text).join("\n") + more);
  };
  for (const kind of ["pointermove", "pointerdown"]) svg.addEventListener(kind, tell);
  svg.addEventListener("pointerleave", () => showTip(null, ""));
}
