// Tables that are wider than the page scroll inside a box. A shadow shows the side where more columns are.
document.addEventListener("DOMContentLoaded", () => {
  function mark(box) {
    const hidden = box.scrollWidth - box.clientWidth;
    box.parentElement.classList.toggle("more-right", hidden - box.scrollLeft > 1);
    box.parentElement.classList.toggle("more-left", box.scrollLeft > 1);
  }

  const sizes = new ResizeObserver((entries) => entries.forEach((entry) => mark(entry.target)));
  for (const box of document.querySelectorAll(".pst-scrollable-table-container")) {
    const frame = document.createElement("div");
    frame.className = "site-table";
    box.replaceWith(frame);
    frame.append(box);
    box.addEventListener("scroll", () => mark(box), { passive: true });
    sizes.observe(box);
  }
});
