// Finds nodes, shows their shares and neighbors, rings their marks; puts bars into another order.
(() => {
  "use strict";
  const holder = document.getElementById("nodes-data");
  if (!holder) return;
  const { communities, number, name, edges, share, near } = JSON.parse(holder.textContent);
  const K = communities.length, MATCHES = 8, ALIKE = 10, COLOURS = 50;
  const placeOf = new Map(number.map((n, place) => [n, place]));
  const lower = name.map((text) => text.toLowerCase());
  const byId = (id) => document.getElementById(id);
  const search = byId("node-search"), matches = byId("node-matches"), panel = byId("node-panel");
  const shares = (place) => share.slice(place * K, place * K + K);
  const percent = (thousandths) => `${(thousandths / 10).toFixed(1)} %`;

  const make = (tag, className, text, ...children) => {
    const element = document.createElement(tag);
    if (className) element.className = className;
    if (text !== "") element.textContent = text;
    element.append(...children);
    return element;
  };

  // A node as a button, with its shares as a strip of colors.
  const button = (place, strip) => {
    const made = make("button", "", "");
    made.type = "button";
    made.dataset.node = number[place];
    if (strip) {
      const parts = shares(place).map((value, k) => [value, k]).filter(([value]) => value > 0);
      made.append(make("i", "", "", ...parts.map(([value, k]) => {
        const part = make("b", `c${k % COLOURS}`, "");
        part.style.flex = `${value} 0 0`;
        return part;
      })));
    }
    made.append(name[place]);
    return made;
  };

  // Exact names first, then names that begin so, then names that hold it; each by number of edges, the order of the list.
  const found = (query) => {
    const ranks = [[], [], []];
    for (let place = 0; place < lower.length; place += 1) {
      const at = lower[place].indexOf(query);
      if (at >= 0) ranks[lower[place] === query ? 0 : at === 0 ? 1 : 2].push(place);
    }
    return ranks.flat();
  };

  const look = () => {
    const query = search.value.trim().toLowerCase();
    const all = query === "" ? [] : found(query);
    const more = all.length > MATCHES ? [make("span", "", `and ${all.length - MATCHES} more`)] : [];
    const none = query !== "" && all.length === 0 ? [make("span", "", `no node on this page is called “${search.value.trim()}”`)] : [];
    matches.replaceChildren(...all.slice(0, MATCHES).map((place) => button(place, false)), ...more, ...none);
    return all;
  };

  // The nodes whose shares are nearest, in the plain distance; of equally near ones those with the most edges.
  const alike = (place) => {
    const mine = shares(place), distances = [];
    for (let other = 0; other < name.length; other += 1) {
      if (other === place) continue;
      let sum = 0;
      for (let k = 0; k < K; k += 1) sum += (share[other * K + k] - mine[k]) ** 2;
      distances.push([sum, other]);
    }
    return distances.sort((a, b) => a[0] - b[0] || a[1] - b[1]).slice(0, ALIKE).map(([, other]) => other);
  };

  const list = (title, places, remark) => make("div", "", "", make("h4", "", title),
    make("div", "node-list", "", ...places.map((place) => button(place, true))), ...(remark === "" ? [] : [make("p", "", remark)]));

  const ring = (place) => {
    document.querySelectorAll(".found").forEach((mark) => mark.classList.remove("found"));
    document.querySelectorAll(".links-on").forEach((lines) => lines.remove());
    document.querySelectorAll(`[data-n="${number[place]}"]`).forEach((mark) => mark.classList.add("found"));
    const chart = byId("chart-network"), middle = chart?.querySelector(`[data-n="${number[place]}"]`);
    if (!middle) return;
    const at = (mark) => `${mark.getAttribute("cx")} ${mark.getAttribute("cy")}`;
    const others = near[place].map((other) => chart.querySelector(`[data-n="${number[other]}"]`)).filter(Boolean);
    const lines = document.createElementNS("http://www.w3.org/2000/svg", "path");
    lines.setAttribute("class", "links-on");
    lines.setAttribute("d", others.map((other) => `M${at(middle)}L${at(other)}`).join(""));
    chart.querySelector(".links").after(lines);
  };

  const show = (place) => {
    const mine = shares(place), order = mine.map((_, k) => k).filter((k) => mine[k] > 0).sort((a, b) => mine[b] - mine[a] || a - b);
    const total = mine.reduce((sum, value) => sum + value, 0) || 1;
    const entropy = mine.reduce((sum, value) => sum - (value > 0 ? (value / total) * Math.log(value / total) : 0), 0);
    const bars = order.map((k) => {
      const bar = make("span", `bar c${k % COLOURS}`, "");
      bar.style.setProperty("--p", `${mine[k] / 10}%`);
      return make("li", "", "", make("span", "who", communities[k]), bar, make("span", "value", percent(mine[k])));
    });
    const heading = make("h3", "", name[place]);
    heading.id = "node-name";
    heading.tabIndex = -1;
    const inside = panel.contains(document.activeElement); // the button that was pressed is about to go
    const mixedness = K > 1 ? `mixedness ${Math.max(0, entropy / Math.log(K)).toFixed(2)}, ` : "";
    const hidden = edges[place] - near[place].length;
    panel.replaceChildren(heading, make("p", "facts", `${mixedness}${edges[place]} ${edges[place] === 1 ? "edge" : "edges"}`),
      make("div", "", "", make("h4", "", "Shares"), make("ol", "node-shares", "", ...bars)),
      make("div", "", "", list("Most alike in their shares", alike(place), ""),
        list("Linked with", near[place], edges[place] === 0 ? "no other node" : hidden > 0 ? `and ${hidden} more` : "")));
    panel.hidden = false;
    if (inside) heading.focus();
    ring(place);
  };

  byId("node-tools").hidden = false;
  search.addEventListener("input", look);
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      const [first] = look();
      if (first !== undefined) show(first);
    } else if (event.key === "ArrowDown") {
      event.preventDefault();
      matches.querySelector("button")?.focus();
    }
  });
  document.addEventListener("click", (event) => {
    const target = event.target.closest?.("[data-node], .mark[data-n]");
    const place = target && placeOf.get(Number(target.dataset.node ?? target.dataset.n));
    if (place === undefined || place === null) return;
    show(place);
  });

  // Members by threshold: those with at least so much of their largest share.
  const slider = byId("threshold");
  if (slider) {
    const lists = [...document.querySelectorAll(".members")];
    const apply = () => {
      const bound = Number(slider.value) / 100;
      byId("threshold-value").textContent = `${slider.value} %`;
      lists.forEach((one) => {
        let shown = 0;
        one.querySelectorAll("[data-part]").forEach((member) => {
          member.hidden = Number(member.dataset.part) < bound - 1e-9;
          shown += member.hidden ? 0 : 1;
        });
        one.querySelector(".count").textContent = shown;
      });
    };
    slider.addEventListener("input", apply);
    byId("threshold-tools").hidden = false;
    apply();
  }

  // Zoom and pan: the part of the drawing that is seen.
  const chart = byId("chart-network"), zoom = byId("zoom-tools");
  if (chart && zoom) {
    const whole = chart.getAttribute("viewBox").split(/\s+/).map(Number);
    let box = [...whole], drag = null;
    const seen = () => {
      chart.setAttribute("viewBox", box.map((v) => v.toFixed(2)).join(" "));
      chart.dataset.zoom = (whole[2] / box[2]).toFixed(2);
    };
    const scale = (factor, x, y) => {
      const width = Math.min(whole[2], Math.max(whole[2] / 40, box[2] / factor)), ratio = width / box[2];
      box = [x - (x - box[0]) * ratio, y - (y - box[1]) * ratio, width, box[3] * ratio];
      if (width === whole[2]) box = [...whole];
      seen();
    };
    const at = (event) => {
      const frame = chart.getBoundingClientRect();
      return [box[0] + ((event.clientX - frame.left) / frame.width) * box[2], box[1] + ((event.clientY - frame.top) / frame.height) * box[3]];
    };
    zoom.hidden = false;
    zoom.addEventListener("click", (event) => {
      const by = event.target.dataset?.zoom;
      if (by === "reset") { box = [...whole]; seen(); }
      else if (by) scale(Number(by), box[0] + box[2] / 2, box[1] + box[3] / 2);
    });
    // The wheel alone scrolls the page, as everywhere.
    chart.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      scale(event.deltaY < 0 ? 1.25 : 0.8, ...at(event));
    }, { passive: false });
    chart.addEventListener("pointerdown", (event) => { if (box[2] < whole[2]) drag = [event.clientX, event.clientY, ...box]; });
    window.addEventListener("pointermove", (event) => {
      if (!drag) return;
      const frame = chart.getBoundingClientRect();
      box[0] = drag[2] - ((event.clientX - drag[0]) / frame.width) * box[2];
      box[1] = drag[3] - ((event.clientY - drag[1]) / frame.height) * box[3];
      seen();
    });
    window.addEventListener("pointerup", () => { drag = null; });
  }

  const tools = document.querySelector(".order-tools");
  if (!tools) return;
  const stack = byId("chart-shares").querySelector(".stack"), blocks = byId("chart-shares").querySelector(".blocks");
  const bars = [...stack.children].map((bar) => ({ bar, community: bar.getAttribute("transform"), mixedness: `translate(${bar.dataset.other} 0)` }));
  tools.hidden = false;
  tools.addEventListener("click", (event) => {
    const order = event.target.dataset?.order;
    if (!order) return;
    tools.querySelectorAll("button").forEach((button) => button.setAttribute("aria-pressed", String(button === event.target)));
    bars.forEach((entry) => entry.bar.setAttribute("transform", entry[order]));
    // Arrow keys walk through the bars as they stand.
    const x = (entry) => Number(/\(([-\d.]+)/.exec(entry[order])[1]);
    stack.append(...[...bars].sort((a, b) => x(a) - x(b)).map((entry) => entry.bar));
    blocks.style.display = order === "community" ? "" : "none";
  });
})();
