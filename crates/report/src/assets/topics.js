(() => {
  "use strict";
  const holder = document.getElementById("topics-data");
  if (!holder) return;
  const { topics } = JSON.parse(holder.textContent);
  const slider = document.getElementById("relevance"), shown = document.getElementById("relevance-value");
  const search = document.getElementById("word-search"), found = document.getElementById("word-found");
  const SHORT = 10, LONG = 30;
  const cards = [...document.querySelectorAll(".topic-card")];

  // pyLDAvis' relevance: at 1 the heaviest words, at 0 those that belong to this topic most exclusively.
  const ranked = (words, lambda) => words
    .map(([word, p, q]) => ({ word, p, q, r: lambda * Math.log(p) + (1 - lambda) * Math.log(p / q) }))
    .sort((a, b) => b.r - a.r);

  const draw = (card) => {
    const words = topics[Number(card.dataset.topic)].words, lambda = Number(slider.value);
    const list = card.querySelector(".bars"), open = card.classList.contains("open");
    const rows = ranked(words, lambda).slice(0, open ? LONG : SHORT);
    const largest = Math.max(...rows.map((row) => row.p), 1e-300);
    list.replaceChildren(...rows.map(({ word, p }) => {
      const item = document.createElement("li"), name = document.createElement("span"), bar = document.createElement("span"), value = document.createElement("span");
      name.className = "word"; name.textContent = word;
      bar.className = "bar"; bar.style.setProperty("--p", `${(100 * p / largest).toFixed(1)}%`);
      value.className = "value"; value.textContent = p.toPrecision(3);
      item.classList.toggle("hit", query !== "" && word.startsWith(query));
      item.append(name, bar, value);
      return item;
    }));
  };

  let query = "";
  const look = () => {
    query = search.value.trim().toLowerCase();
    const hits = [];
    for (const card of cards) {
      const match = query === "" ? [] : topics[Number(card.dataset.topic)].words.filter(([word]) => word.startsWith(query));
      card.classList.toggle("dim", query !== "" && match.length === 0);
      card.classList.toggle("hit", match.length > 0);
      match.slice(0, 3).forEach(([word, p]) => hits.push({ word, p, topic: card.dataset.topic }));
      draw(card);
    }
    hits.sort((a, b) => b.p - a.p);
    found.textContent = query === "" ? "" : hits.length === 0 ? `no topic has “${query}” among the words on this page`
      : hits.slice(0, 8).map(({ word, p, topic }) => `${word}: topic ${topic} (${p.toPrecision(2)})`).join(", ");
  };

  for (const card of cards) {
    const button = card.querySelector(".topic-open"), more = card.querySelector(".more");
    button.addEventListener("click", () => {
      const open = card.classList.toggle("open");
      button.setAttribute("aria-expanded", String(open));
      more.hidden = !open;
      draw(card);
    });
  }
  slider.addEventListener("input", () => { shown.textContent = Number(slider.value).toFixed(2); cards.forEach(draw); });
  search.addEventListener("input", look);
  document.querySelector(".topic-tools").hidden = false;
})();
