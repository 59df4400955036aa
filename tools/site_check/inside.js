// Runs in the page. Each function returns a list of faults, one text each.
window.siteCheck = {
  name(element) {
    const id = element.id ? `#${element.id}` : "";
    const classes = [...element.classList].slice(0, 2).map((c) => `.${c}`).join("");
    const text = element.textContent.trim().replace(/\s+/g, " ").slice(0, 40);
    return `${element.tagName.toLowerCase()}${id}${classes} "${text}"`;
  },

  scrolls(element) {
    return ["auto", "scroll"].includes(getComputedStyle(element).overflowX);
  },

  // Text that sticks out of the window and is cut or widens the page, unless one of its containers scrolls.
  overflow() {
    const faults = [];
    const width = document.documentElement.clientWidth;
    const wide = [...document.querySelectorAll("article *")].find(
      (e) => e.getBoundingClientRect().right > width + 1 && this.hasText(e) && !this.contained(e),
    );
    if (document.documentElement.scrollWidth > width) {
      const what = wide ? `, because of ${this.name(wide)}` : "";
      faults.push(`the page is ${document.documentElement.scrollWidth} px wide, the window ${width}${what}`);
    } else if (wide) {
      faults.push(`text is cut at the right: ${this.name(wide)}`);
    }
    for (const table of document.querySelectorAll("article table")) {
      const parent = table.parentElement;
      if (table.getBoundingClientRect().width > parent.clientWidth + 1 && !this.contained(table)) {
        faults.push(`a table is wider than its container and does not scroll: ${this.name(table)}`);
      }
    }
    return faults;
  },

  hasText(element) {
    if (element.matches(".headerlink")) return false; // shown where the pointer is
    return [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
  },

  contained(element) {
    for (let e = element.parentElement; e && e.tagName !== "ARTICLE"; e = e.parentElement) {
      if (this.scrolls(e)) return true;
    }
    return false;
  },

  // Tables that need scrolling: no fault, but a number that should fall.
  scrollingTables() {
    return [...document.querySelectorAll("article table")].filter((table) => {
      const box = table.closest(".pst-scrollable-table-container") ?? table.parentElement;
      return this.scrolls(box) && box.scrollWidth > box.clientWidth + 1;
    }).length;
  },

  // An empty text is right only for a picture beside a text that says the same: a logo, or a card of the gallery.
  images() {
    return [...document.querySelectorAll("img")]
      .filter((i) => !i.hasAttribute("alt") || (!i.alt.trim() && !i.closest(".logo, .sphx-glr-thumbcontainer")))
      .map((i) => `an image has no alternative text: ${i.getAttribute("src")}`)
      .concat(
        [...document.querySelectorAll("img")]
          .filter((i) => i.complete && i.naturalWidth === 0 && i.loading !== "lazy")
          .map((i) => `an image does not load: ${i.getAttribute("src")}`),
      );
  },

  // The theme makes boxes that scroll reachable by keyboard, a moment after the window has another size.
  async tabStops(patience) {
    const end = performance.now() + patience;
    const boxes = [...document.querySelectorAll("pre, .pst-scrollable-table-container")];
    const late = () => boxes.some((b) => this.scrolls(b) && b.scrollWidth > b.clientWidth && b.tabIndex < 0);
    while (late() && performance.now() < end) await new Promise((resume) => setTimeout(resume, 50));
  },

  links() {
    return [...document.querySelectorAll("a[href]")].map((a) => a.href);
  },

  ids() {
    return [...document.querySelectorAll("[id], a[name]")].map((e) => e.id || e.name);
  },

  async axe(options) {
    const { violations } = await window.axe.run(document, options);
    return violations.map((v) => {
      const first = v.nodes[0];
      const data = first.any?.[0]?.data;
      const contrast = v.id === "color-contrast" && data;
      const colors = contrast ? ` ${data.fgColor} on ${data.bgColor}: ${data.contrastRatio}` : "";
      return `axe ${v.id} (${v.impact}), ${v.nodes.length} times: ${first.target.join(" ").slice(0, 110)}${colors}`;
    });
  },
};
