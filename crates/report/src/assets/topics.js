// Opens topics, orders their words by relevance, finds words, and leafs through documents.
(() => {
  "use strict";
  const holder = document.getElementById("topics-data");
  if (!holder) return;
  const { words, frequencies, topics, documents } = JSON.parse(holder.textContent);
  const get = (id) => document.getElementById(id);
  const make = (tag, name, text = "") => {
    const element = document.createElement(tag);
    if (name) element.className = name;
    element.textContent = text;
    return element;
  };
  const percent = (part) => part === 0 ? "0 %" : part < 0.001 ? "< 0.1 %" : `${(100 * part).toFixed(part < 0.0995 ? 1 : 0)} %`;
  const weight = (part) => part < 0.0001 ? "< 0.01 %" : `${(100 * part).toFixed(2)} %`;
  const bounded = (n, most) => Math.min(Math.max(n, 0), most);
  const LONG = 30, MATCHES = 8, PAGE = 10;
  const slider = get("relevance"), search = get("word-search"), found = get("word-found"), grid = document.querySelector(".topic-cards");
  const cards = [...document.querySelectorAll(".topic-card")];
  const titleOf = (k) => `${k} ${topics[k].name}`;
  let query = "";

  // Cards: at lambda 1 the heaviest words, at 0 those that belong to this topic most exclusively.
  const ranked = (topic, lambda) => topic.words
    .map((n, i) => ({ word: words[n], p: topic.weights[i], r: Math.log(topic.weights[i]) - (1 - lambda) * Math.log(frequencies[n]) }))
    .sort((a, b) => b.r - a.r);
  const draw = (card) => {
    const topic = topics[card.dataset.topic], open = card.classList.contains("open");
    const rows = ranked(topic, Number(slider.value)).slice(0, open ? LONG : Number(card.dataset.words));
    const largest = Math.max(...rows.map((row) => row.p), 1e-300);
    card.querySelector(".bars").replaceChildren(...rows.map(({ word, p }) => {
      const item = make("li"), bar = make("span", "bar");
      bar.style.setProperty("--p", `${(100 * p / largest).toFixed(1)}%`);
      item.append(make("span", "word", word), bar, make("span", "value", weight(p)));
      item.classList.toggle("hit", query !== "" && word.includes(query));
      item.classList.toggle("is-anchor", word === topic.anchor);
      return item;
    }));
  };
  const toggle = (card, open) => {
    const more = card.querySelector(".more");
    card.classList.toggle("open", open);
    card.querySelector(".topic-open").setAttribute("aria-expanded", String(open));
    more.hidden = !open;
    if (open) underline(card);
    draw(card);
  };
  const show = (k) => {
    const card = get(`topic-${k}`);
    toggle(card, true);
    card.querySelector(".topic-open").focus({ preventScroll: true });
    card.scrollIntoView({ block: "start", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  };
  const underline = (card) => {
    const top = new Set(ranked(topics[card.dataset.topic], 0.6).slice(0, LONG).map(({ word }) => word));
    card.querySelectorAll(".excerpt:not(.marked)").forEach((excerpt) => marked(excerpt, excerpt.textContent, top));
  };
  // The topic's own words within a text. Stems do not match their words; then nothing is marked.
  const marked = (element, text, top) => {
    element.classList.add("marked");
    element.replaceChildren(...text.split(/([\p{L}\p{M}\p{N}'’]+)/u).filter((part) => part !== "")
      .map((part) => top.has(part.toLowerCase().replace(/['’]s$/, "")) ? make("mark", "", part) : part));
  };

  // The search: words that begin with what was typed, then words that have it.
  const look = () => {
    query = search.value.trim().toLowerCase();
    const matches = new Map();
    if (query !== "") words.forEach((word, n) => { if (word.includes(query)) matches.set(n, []); });
    topics.forEach((topic, k) => topic.words.forEach((n, i) => matches.get(n)?.push({ k, p: topic.weights[i] })));
    const having = new Set([...matches.values()].flat().map(({ k }) => k));
    for (const card of cards) {
      const hit = having.has(Number(card.dataset.topic));
      card.classList.toggle("dim", query !== "" && !hit);
      card.classList.toggle("hit", hit);
      draw(card);
    }
    document.querySelectorAll(".bubble").forEach((bubble) =>
      bubble.classList.toggle("dim", query !== "" && !having.has(Number(bubble.dataset.target.slice(6)))));
    found.replaceChildren();
    if (query === "") return;
    const best = (n) => Math.max(...matches.get(n).map(({ p }) => p));
    const order = (n) => (words[n] === query ? 0 : words[n].startsWith(query) ? 1 : 2);
    const list = [...matches.keys()].sort((a, b) => order(a) - order(b) || best(b) - best(a));
    const many = list.length === 1 ? "1 word" : `${list.length} words`;
    found.append(make("p", "summary", list.length === 0 ? `No word on this page has “${query}”.`
      : `${many} in ${having.size} of ${topics.length} topics${list.length > MATCHES ? `, ${MATCHES} shown` : ""}`));
    for (const n of list.slice(0, MATCHES)) {
      const row = make("div", "match"), chips = make("ul", "chips");
      chips.append(...matches.get(n).sort((a, b) => b.p - a.p).slice(0, 6).map(({ k, p }) => {
        const item = make("li"), chip = make("a", "chip", `${titleOf(k)} `);
        chip.href = `#topic-${k}`;
        chip.append(make("small", "", weight(p)));
        item.append(chip);
        return item;
      }));
      row.append(make("strong", "", words[n]), chips);
      found.append(row);
    }
  };

  // Documents of one topic, a few at a time.
  const chosen = get("document-topic"), filter = get("document-filter"), place = get("document-place");
  let first = 0;
  const row = (d, k) => {
    const [name, excerpt, shares] = documents[d], item = make("li"), mix = make("div", "mix"), parts = [];
    for (let i = 0; i < shares.length; i += 2) parts.push({ k: shares[i], part: shares[i + 1] });
    mix.append(...parts.map(({ k: other, part }) => {
      const piece = make("span", other === k ? "own" : "");
      piece.style.width = `${100 * part}%`;
      return piece;
    }));
    const what = parts.map(({ k: other, part }) => `${titleOf(other)} ${percent(part)}`).join(", ");
    item.append(make("strong", "", name), mix, make("p", "facts", what));
    if (excerpt) {
      const text = make("p", "excerpt");
      marked(text, excerpt, new Set(ranked(topics[k], 0.6).slice(0, LONG).map(({ word }) => word)));
      item.append(text);
    }
    return item;
  };
  const leaf = () => {
    const k = Number(chosen.value), wanted = filter.value.trim().toLowerCase();
    const list = topics[k].documents.filter((d) => wanted === "" || `${documents[d][0]}\n${documents[d][1]}`.toLowerCase().includes(wanted));
    first = bounded(first, Math.max(0, PAGE * (Math.ceil(list.length / PAGE) - 1)));
    get("document-list").replaceChildren(...list.slice(first, first + PAGE).map((d) => row(d, k)));
    get("document-list").start = first + 1;
    place.textContent = list.length === 0 ? (wanted === "" ? "No document has this topic." : "None of its documents on this page has that.")
      : `${first + 1} to ${Math.min(first + PAGE, list.length)} of ${list.length}`;
    get("document-back").disabled = first === 0;
    get("document-next").disabled = first + PAGE >= list.length;
  };

  for (const card of cards) {
    card.querySelector(".topic-open").addEventListener("click", () => toggle(card, !card.classList.contains("open")));
    const more = card.querySelector(".to-documents");
    if (more && chosen) {
      more.hidden = false;
      more.addEventListener("click", () => {
        chosen.value = card.dataset.topic;
        filter.value = "";
        first = 0;
        leaf();
        get("documents").scrollIntoView();
        chosen.focus({ preventScroll: true });
      });
    }
  }
  // Arrow keys go from card to card, as they go from circle to circle on the map.
  const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -Infinity, End: Infinity };
  grid.addEventListener("keydown", (event) => {
    if (!event.target.classList.contains("topic-open") || event.ctrlKey || event.metaKey || event.altKey) return;
    const shown = [...grid.children], card = event.target.closest(".topic-card");
    if (event.key === "Escape") toggle(card, false);
    if (!(event.key in STEPS)) return;
    event.preventDefault();
    shown[bounded(shown.indexOf(card) + STEPS[event.key], shown.length - 1)].querySelector(".topic-open").focus();
  });
  const map = get("chart-map");
  map?.addEventListener("click", (event) => {
    const bubble = event.target.closest("[data-target]");
    if (bubble) show(bubble.dataset.target.slice(6));
  });
  map?.addEventListener("keydown", (event) => {
    const bubble = map.querySelector(".bubble.on");
    if (!bubble || (event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    show(bubble.dataset.target.slice(6));
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#topic-']");
    if (!link) return;
    event.preventDefault();
    show(link.hash.slice(7));
  });
  const arrive = () => { if (/^#topic-\d+$/.test(location.hash) && get(location.hash.slice(1))) show(location.hash.slice(7)); };
  addEventListener("hashchange", arrive);

  const ORDERS = { size: (card) => Number(card.dataset.topic), coherence: (card) => -card.dataset.coherence };
  get("topic-order").addEventListener("change", (event) => {
    const key = ORDERS[event.target.value];
    grid.append(...[...cards].sort((a, b) => key(a) - key(b)));
  });
  slider.addEventListener("input", () => { get("relevance-value").textContent = Number(slider.value).toFixed(2); cards.forEach(draw); });
  search.addEventListener("input", look);
  if (chosen) {
    chosen.addEventListener("change", () => { first = 0; leaf(); });
    filter.addEventListener("input", () => { first = 0; leaf(); });
    get("document-back").addEventListener("click", () => { first -= PAGE; leaf(); });
    get("document-next").addEventListener("click", () => { first += PAGE; leaf(); });
    get("document-pager").hidden = false;
    leaf();
  }
  document.querySelectorAll(".topic-tools").forEach((tools) => { tools.hidden = false; });
  arrive();
})();
