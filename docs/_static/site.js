// Tables that are wider than the page scroll inside a box. A shadow shows the side where more columns are.
document.addEventListener("DOMContentLoaded", () => {
  const BOX = ".pst-scrollable-table-container";

  function mark(box) {
    const hidden = box.scrollWidth - box.clientWidth;
    box.parentElement.classList.toggle("more-right", hidden - box.scrollLeft > 1);
    box.parentElement.classList.toggle("more-left", box.scrollLeft > 1);
    if (hidden > 0) box.tabIndex = 0;
  }

  const sizes = new ResizeObserver((entries) => entries.forEach((entry) => mark(entry.target.closest(BOX))));
  for (const box of document.querySelectorAll(BOX)) {
    const frame = document.createElement("div");
    frame.className = "site-table";
    box.replaceWith(frame);
    frame.append(box);
    box.addEventListener("scroll", () => mark(box), { passive: true });
    sizes.observe(box);
    sizes.observe(box.firstElementChild);
  }

  // Arrows of the sidebar open the list of pages below a page.
  for (const arrow of document.querySelectorAll(".bd-sidebar summary, .bd-sidebar-primary summary")) {
    const page = arrow.closest("li")?.querySelector("a");
    if (page) arrow.setAttribute("aria-label", `Pages below ${page.textContent.trim()}`);
  }
});
