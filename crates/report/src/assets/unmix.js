// Shows the spectrum of the pixel under a click, its fit and its shares; arrow keys move it.
(() => {
  "use strict";
  const holder = document.getElementById("probe-data");
  if (!holder) return;
  const data = JSON.parse(holder.textContent);
  const { width, height, factor, lines, samples, positions, gaps, endmembers } = data;
  const COLOURS = 50, NONE = 65535, SVG = "http://www.w3.org/2000/svg";
  const bands = positions.length, K = endmembers.length;
  const byId = (id) => document.getElementById(id);

  const unpacked = ({ low, width: range, data: text }) => {
    const raw = atob(text), values = new Float32Array(raw.length / 2);
    for (let i = 0; i < values.length; i += 1) {
      const code = raw.charCodeAt(2 * i) | raw.charCodeAt(2 * i + 1) << 8;
      values[i] = code === NONE ? NaN : low + range * code / (NONE - 1);
    }
    return values;
  };
  const spectra = unpacked(data.spectra), weights = unpacked(data.weights), shares = unpacked(data.shares);

  const make = (tag, className, text, ...children) => {
    const element = document.createElement(tag);
    if (className) element.className = className;
    if (text !== "") element.textContent = text;
    element.append(...children);
    return element;
  };
  const draw = (tag, attributes, text = "") => {
    const element = document.createElementNS(SVG, tag);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.textContent = text;
    return element;
  };
  const short = (value) => Number(value.toPrecision(3)).toString();

  // Bands from left to right; a gap breaks the line.
  const order = positions.map((_, b) => b).sort((a, b) => positions[a] - positions[b]);
  const sorted = order.every((b, i) => b === i);

  const chart = (own, fit) => {
    const L = 52, R = 630, T = 26, B = 222, all = [...own, ...fit].filter(Number.isFinite);
    const low = Math.min(0, ...all), high = Math.max(...all, low + 1e-12);
    const left = positions[order[0]], span = positions[order[bands - 1]] - left || 1;
    const x = (b) => (L + (R - L) * (positions[b] - left) / span).toFixed(1);
    const y = (value) => (B - (B - T) * (value - low) / (high - low)).toFixed(1);
    const path = (values) => order.map((b, i) => `${i === 0 || sorted && gaps[b] ? "M" : "L"}${x(b)} ${y(values[b])}`).join("");
    byId("probe-chart").replaceChildren(
      draw("path", { class: "axis", d: `M${L} ${T}V${B}H${R}` }),
      draw("text", { x: L - 6, y: B, "text-anchor": "end" }, short(low)),
      draw("text", { x: L - 6, y: T + 8, "text-anchor": "end" }, short(high)),
      draw("text", { x: L, y: B + 18 }, short(left)),
      draw("text", { x: R, y: B + 18, "text-anchor": "end" }, short(left + span)),
      draw("text", { x: (L + R) / 2, y: B + 34, "text-anchor": "middle" }, data.axis),
      draw("path", { class: "own", d: "M60 12h26" }), draw("text", { x: 92, y: 16, class: "strong" }, "pixel"),
      draw("path", { class: "fit", d: "M160 12h26" }), draw("text", { x: 192, y: 16, class: "strong" }, "mixture of the materials"),
      draw("path", { class: "own", d: path(own) }), draw("path", { class: "fit", d: path(fit) }));
  };

  let at = null;
  const show = (column, row) => {
    at = [Math.min(Math.max(column, 0), width - 1), Math.min(Math.max(row, 0), height - 1)];
    const cell = at[1] * width + at[0];
    const [sample, line] = [at[0] * factor, at[1] * factor];
    document.querySelectorAll(".crosshair").forEach((mark) => mark.remove());
    const middle = (first, size) => `${100 * (first + Math.min(factor, size - first) / 2) / size}%`;
    document.querySelectorAll(".map").forEach((map) => {
      const mark = make("span", "crosshair", "");
      mark.style.left = middle(sample, samples);
      mark.style.top = middle(line, lines);
      map.append(mark);
    });
    byId("probe").hidden = false;
    const own = spectra.subarray(cell * bands, cell * bands + bands);
    const where = factor > 1 ? `lines ${line} to ${Math.min(line + factor, lines) - 1}, samples ${sample} to ${Math.min(sample + factor, samples) - 1}` : `line ${line}, sample ${sample}`;
    if (!Number.isFinite(own[0])) {
      byId("probe-name").textContent = `${where}: left out`;
      byId("probe-chart").replaceChildren();
      byId("probe-shares").replaceChildren();
      return;
    }
    byId("probe-name").textContent = where;
    const fit = Array.from({ length: bands }, (_, b) => endmembers.reduce((sum, spectrum, k) => sum + weights[cell * K + k] * spectrum[b], 0));
    chart(own, fit);
    byId("probe-shares").replaceChildren(...Array.from({ length: K }, (_, k) => {
      const share = shares[cell * K + k], bar = make("span", `bar c${k % COLOURS}`, "");
      bar.style.setProperty("--p", `${100 * Math.min(Math.max(share, 0), 1)}%`);
      return make("li", "", "", make("span", "", `material ${k + 1}`), bar, make("span", "value", share.toFixed(3)));
    }));
  };

  document.querySelectorAll(".map").forEach((map) => {
    map.tabIndex = 0;
    map.addEventListener("click", (event) => {
      const box = map.getBoundingClientRect();
      const sample = Math.floor((event.clientX - box.left) / box.width * samples), line = Math.floor((event.clientY - box.top) / box.height * lines);
      show(Math.floor(sample / factor), Math.floor(line / factor));
    });
    map.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
      if (!step && event.key !== "Enter") return;
      event.preventDefault();
      const [column, row] = at ?? [Math.floor(width / 2), Math.floor(height / 2)];
      show(column + (at && step ? step[0] : 0), row + (at && step ? step[1] : 0));
    });
  });
})();
