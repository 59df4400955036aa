// Tables that are wider than the page scroll inside a box. A shadow shows the side where more columns are.
document.addEventListener("DOMContentLoaded", () => {
  const boxes = document.querySelectorAll(".pst-scrollable-table-container");

  function mark(box) {
    const hidden = box.scrollWidth - box.clientWidth;
    box.classList.toggle("more-right", hidden - box.scrollLeft > 1);
    box.classList.toggle("more-left", box.scrollLeft > 1);
  }

  const sizes = new ResizeObserver((entries) => entries.forEach((entry) => mark(entry.target)));
  for (const box of boxes) {
    box.addEventListener("scroll", () => mark(box), { passive: true });
    sizes.observe(box);
    mark(box);
  }
});
