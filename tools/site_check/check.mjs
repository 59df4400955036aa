// Looks at each page of the built site in Chromium, at three widths, in light and dark.
//
//   node tools/site_check/check.mjs [FOLDER] [--pages REGEX] [--jobs N] [--json FILE] [--no-axe] [--need]
//
// A fault is a page or table that sticks out, a violation that axe finds, a broken link or anchor inside the site, an
// image without alternative text, or an error on the console. The exit status is 1 if there is one. Without Chromium
// or the packages of package.json the check is skipped, with the reason; --need makes that an error.
import { createRequire } from "node:module";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { serve } from "./server.mjs";

const HERE = path.dirname(fileURLToPath(import.meta.url));
const WIDTHS = [1280, 768, 420];
const MODES = ["light", "dark"];
const CHROMIUM = [
  process.env.CHROMIUM,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/google-chrome",
];
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];
const PATIENCE = 3000; // milliseconds
// Listings of source code have thousands of colored words: axe looks at their colors in one page of a mode alone.
const LISTING = /^_modules\/(?!index)/;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    pages: { type: "string", default: "" },
    jobs: { type: "string", default: "2" },
    json: { type: "string" },
    "no-axe": { type: "boolean", default: false },
    need: { type: "boolean", default: false },
  },
});
const folder = path.resolve(positionals[0] ?? path.join(HERE, "../../build/docs"));

function skip(reason) {
  console.log(`site check skipped: ${reason}`);
  process.exit(options.need ? 1 : 0);
}

function tools() {
  const browser = CHROMIUM.find((name) => name && existsSync(name));
  if (!browser) skip("there is no Chromium; set CHROMIUM to its path");
  if (!existsSync(path.join(folder, "index.html"))) skip(`${folder} has no index.html; run \`make docs\``);
  for (const place of [process.env.SITE_CHECK_MODULES, HERE].filter(Boolean)) {
    const load = createRequire(path.join(place, "package.json"));
    try {
      return { browser, chromium: load("playwright-core").chromium, axe: load.resolve("axe-core/axe.min.js") };
    } catch {
      continue;
    }
  }
  return skip("playwright-core or axe-core is missing; run `npm install --prefix tools/site_check`");
}

async function pages() {
  const all = await readdir(folder, { recursive: true });
  const wanted = new RegExp(options.pages);
  return all.filter((name) => name.endsWith(".html") && !name.startsWith("_static/") && wanted.test(name)).sort();
}

class Report {
  faults = new Map(); // page → fault → views
  scrolling = new Map(WIDTHS.map((width) => [width, 0]));
  links = new Map(); // page → its links
  ids = new Map();

  add(page, view, faults) {
    const known = this.faults.get(page) ?? new Map();
    for (const fault of faults) known.set(fault, [...(known.get(fault) ?? []), view]);
    if (known.size) this.faults.set(page, known);
  }

  checkLinks(origin) {
    for (const [page, links] of this.links) {
      const broken = new Set();
      for (const link of links.filter((one) => one.startsWith(`${origin}/`))) {
        const url = new URL(link);
        const name = decodeURIComponent(url.pathname.slice(1)) || "index.html";
        const anchor = decodeURIComponent(url.hash.slice(1));
        if (!existsSync(path.join(folder, name))) broken.add(`a link leads to ${name}, which does not exist`);
        else if (anchor && name.endsWith(".html") && !this.anchors(name).has(anchor))
          broken.add(`a link leads to ${name}#${anchor}, which has no such anchor`);
      }
      this.add(page, "", broken);
    }
  }

  anchors(name) {
    if (!this.ids.has(name)) {
      const text = readFileSync(path.join(folder, name), "utf8");
      this.ids.set(name, new Set([...text.matchAll(/\s(?:id|name)="([^"]*)"/g)].map((match) => match[1])));
    }
    return this.ids.get(name);
  }
}

async function look(tab, origin, page, report) {
  const messages = [];
  const listen = (message) => {
    if (message.type() === "error") messages.push(`console: ${message.text()} ${message.location().url}`);
  };
  const failed = (error) => messages.push(`error in a script: ${error.message}`);
  tab.on("console", listen).on("pageerror", failed);
  try {
    await tab.setViewportSize({ width: WIDTHS[0], height: 900 });
    await tab.goto(`${origin}/${page}`, { waitUntil: "load" });
    await tab.evaluate(() => document.fonts.ready.then(() => null));
    await tab.addScriptTag({ path: path.join(HERE, "inside.js") });
    if (await tab.evaluate(() => document.querySelector("meta[http-equiv=refresh]") !== null)) return;
    await tab.addScriptTag({ path: axePath });
    report.links.set(page, await tab.evaluate(() => window.siteCheck.links()));
    report.ids.set(page, new Set(await tab.evaluate(() => window.siteCheck.ids())));
    report.add(page, "", await tab.evaluate(() => window.siteCheck.images()));
    for (const width of WIDTHS) {
      await tab.setViewportSize({ width, height: 900 });
      for (const mode of MODES) await lookAt(tab, page, mode, width, report);
    }
  } finally {
    tab.off("console", listen).off("pageerror", failed);
    report.add(page, "", messages);
  }
}

async function lookAt(tab, page, mode, width, report) {
  await tab.evaluate((name) => Object.assign(document.documentElement.dataset, { theme: name, mode: name }), mode);
  await tab.evaluate((patience) => window.siteCheck.tabStops(patience), PATIENCE);
  const view = `${width} ${mode}`;
  report.add(page, view, await tab.evaluate(() => window.siteCheck.overflow()));
  if (mode === MODES[0]) {
    const found = await tab.evaluate(() => window.siteCheck.scrollingTables());
    report.scrolling.set(width, report.scrolling.get(width) + found);
  }
  if (options["no-axe"]) return;
  const rules = LISTING.test(page) && width !== WIDTHS[0] ? { rules: { "color-contrast": { enabled: false } } } : {};
  report.add(page, view, await tab.evaluate((given) => window.siteCheck.axe(given), rules));
}

const { browser: executablePath, chromium, axe: axePath } = tools();
const site = await serve(folder);
const browser = await chromium.launch({ executablePath, args: FLAGS });
const report = new Report();
const todo = await pages();
const count = todo.length;
await Promise.all(
  Array.from({ length: Number(options.jobs) }, async () => {
    const tab = await browser.newPage({ reducedMotion: "reduce" });
    for (let page = todo.shift(); page !== undefined; page = todo.shift()) {
      const failed = (error) => report.add(page, "", [`not looked at: ${error.message}`]);
      await look(tab, site.origin, page, report).catch(failed);
      if (todo.length % 25 === 0) console.error(`${count - todo.length} of ${count} pages`);
    }
  }),
);
report.checkLinks(site.origin);
await browser.close();
site.close();

const sorted = [...report.faults].sort(([a], [b]) => (a < b ? -1 : 1));
for (const [page, faults] of sorted) {
  console.log(page);
  for (const [fault, views] of faults) {
    const everywhere = views.length === WIDTHS.length * MODES.length ? "at all widths in both modes" : views.join(", ");
    console.log(`    ${fault}${everywhere ? ` [${everywhere}]` : ""}`);
  }
}
const scrolling = [...report.scrolling].map(([width, tables]) => `${tables} at ${width} px`).join(", ");
console.log(`${count} pages, ${sorted.length} with faults; tables that scroll: ${scrolling}`);
if (options.json) {
  const plain = Object.fromEntries(sorted.map(([page, faults]) => [page, Object.fromEntries(faults)]));
  writeFileSync(options.json, `${JSON.stringify(plain, null, 1)}\n`);
}
process.exitCode = sorted.length ? 1 : 0;
