// Shows the value of the mark under the pointer, or of the nearest one; arrow keys walk through a focused chart.
(() => {
  "use strict";
  const tip = document.getElementById("tip");
  const REACH = 28; // pixels on the screen
  let current = null, byKeyboard = false;

  const textOf = (mark) => {
    if (mark.dataset.tip !== undefined) return mark.dataset.tip;
    const row = mark.parentNode, cells = row.parentNode; // a cell of a heat map
    const column = cells.dataset.columns.split(",")[[...row.children].indexOf(mark)];
    return `${row.dataset.row}\n${cells.dataset.word} ${column}: ${mark.dataset.v}`;
  };

  const middle = (mark) => {
    // A stem's value is at its head, the last child.
    const box = (mark.tagName === "g" ? mark.lastElementChild : mark).getBoundingClientRect();
    return [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
  };

  const hide = () => {
    current?.classList.remove("on");
    current = null;
    tip.hidden = true;
  };

  const show = (mark) => {
    if (mark !== current) {
      hide();
      current = mark;
      mark.classList.add("on");
      tip.textContent = textOf(mark);
    }
    tip.hidden = false;
    const [x, y] = middle(mark), box = tip.getBoundingClientRect();
    const left = Math.min(Math.max(6, x - box.width / 2), document.documentElement.clientWidth - box.width - 6);
    const top = y - box.height - 14 < 6 ? y + 16 : y - box.height - 14;
    tip.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
  };

  const nearest = (chart, x, y) => {
    let best = null, distance = REACH;
    for (const mark of chart.querySelectorAll(".mark[data-tip]")) {
      const [mx, my] = middle(mark), d = Math.hypot(mx - x, my - y);
      if (d < distance) [best, distance] = [mark, d];
    }
    return best;
  };

  const point = (event) => {
    const chart = event.target.closest?.(".chart");
    if (!chart) return hide();
    const mark = event.target.closest(".mark:not(.quiet)") ?? nearest(chart, event.clientX, event.clientY);
    byKeyboard = false;
    if (mark) show(mark); else hide();
  };
  document.addEventListener("pointermove", point);
  document.addEventListener("pointerdown", point);
  // The pointer stays where it is when the page scrolls, but a mark reached by keyboard takes its tip along.
  document.addEventListener("scroll", () => {
    if (current && byKeyboard) show(current); else hide();
  }, { capture: true, passive: true });

  const STEPS = { ArrowRight: 1, ArrowLeft: -1, ArrowUp: 10, ArrowDown: -10 };
  document.addEventListener("keydown", (event) => {
    const chart = document.activeElement?.closest?.(".chart");
    if (event.key === "Escape") hide();
    if (!chart || event.ctrlKey || event.metaKey || event.altKey) return;
    const marks = [...chart.querySelectorAll(".mark")], at = marks.indexOf(current);
    let next = null;
    if (event.key === "Home") next = 0;
    else if (event.key === "End") next = marks.length - 1;
    else if (event.key in STEPS) next = at < 0 ? 0 : Math.min(marks.length - 1, Math.max(0, at + STEPS[event.key]));
    if (next === null || marks.length === 0) return;
    event.preventDefault();
    byKeyboard = true;
    show(marks[next]);
  });
  document.addEventListener("focusout", hide);
  document.documentElement.addEventListener("pointerleave", hide);
  addEventListener("beforeprint", hide);
})();
