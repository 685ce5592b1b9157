// Opens a page written by `merit --report` (or by the example `sample`) in Chromium and looks at it.
//
//   node tests/browser/report.mjs PAGE.html [--expect PAGE.expect.json] [--screenshots DIR]
//
// playwright-core comes from the folder in MERIT_NODE_MODULES (a node_modules folder), else from tests/browser/node_modules:
//   npm install --omit=dev --no-package-lock --prefix DIR   (with a copy of package.json in DIR)
// The browser is the one in CHROMIUM, else the first of chromium, chromium-browser, google-chrome on PATH.
//
// The expectations: {"charts": {id: {"marks": n, "anchors": n}}, "absent": [id], "tables": {id: rows}, "bytes": n,
//   "steps": [{"click" | "fill" | "press": selector, "with": text or key, then any of
//              "sees": {selector: text in it}, "counts": {selector: visible ones}, "shot": name}]}.
// Without them the page is checked against its own data-count attributes only.

import { accessSync, constants, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

const here = dirname(fileURLToPath(import.meta.url));
const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { expect: { type: "string" }, screenshots: { type: "string" } },
});
if (positionals.length !== 1) stop(2, "usage: node report.mjs PAGE.html [--expect FILE.json] [--screenshots DIR]");

let passed = 0, failed = 0;
function check(name, ok, detail = "") {
  if (ok) passed += 1;
  else {
    failed += 1;
    console.log(`FAILED ${name}${detail === "" ? "" : `: ${detail}`}`);
  }
}
const equal = (name, found, expected) => check(name, found === expected, `found ${found}, expected ${expected}`);

function stop(code, message) {
  console.error(message);
  process.exit(code);
}

function playwright() {
  const folder = process.env.MERIT_NODE_MODULES ?? join(here, "node_modules");
  try {
    return createRequire(join(resolve(folder), "..", "x.cjs"))("playwright-core");
  } catch (error) {
    stop(2, `error: no playwright-core in ${folder} (${error.code ?? error.message})\nhint: npm install there, or set MERIT_NODE_MODULES`);
  }
}

function browserPath() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  for (const name of ["chromium", "chromium-browser", "google-chrome"]) {
    for (const folder of (process.env.PATH ?? "").split(delimiter)) {
      try {
        accessSync(join(folder, name), constants.X_OK);
        return join(folder, name);
      } catch { /* not in this folder */ }
    }
  }
  return stop(2, "error: no Chromium on PATH\nhint: set CHROMIUM to its path");
}

// In the page: every chart, its own counts, the marks really there, and anything that is not a number.
const survey = () => [...document.querySelectorAll("svg.chart")].map((svg) => ({
  id: svg.id,
  count: +svg.dataset.count,
  anchorCount: +svg.dataset.anchors,
  marks: svg.querySelectorAll(".mark").length,
  anchors: svg.querySelectorAll(".mark.anchor").length,
  role: svg.getAttribute("role"),
  label: svg.getAttribute("aria-label") ?? "",
  tabbable: svg.tabIndex === 0,
  axes: svg.dataset.axes !== "none", // a drawing in which places have no numbers says so
  names: svg.querySelectorAll("text.name").length,
  ticks: svg.querySelectorAll("text.tick").length,
  broken: [...svg.querySelectorAll("*")].filter((e) => [...e.attributes].some((a) =>
    /^(d|x|y|cx|cy|r|width|height|transform)$/.test(a.name) && /NaN|Infinity|inf|undefined/.test(a.value))).length,
  outside: (() => { // text that sticks out of its drawing
    const box = svg.getBoundingClientRect();
    return [...svg.querySelectorAll("text")].filter((t) => {
      const b = t.getBoundingClientRect();
      return b.left < box.left - 2 || b.right > box.right + 2 || b.top < box.top - 2 || b.bottom > box.bottom + 2;
    }).map((t) => t.textContent);
  })(),
  overlaps: (() => { // text on text
    const boxes = [...svg.querySelectorAll("text")].map((t) => [t.textContent, t.getBoundingClientRect()]);
    const found = [];
    boxes.forEach(([a, p], i) => boxes.slice(i + 1).forEach(([b, q]) => {
      const w = Math.min(p.right, q.right) - Math.max(p.left, q.left);
      const h = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
      if (w > 1 && h > 4) found.push(`${a} | ${b}`);
    }));
    return found;
  })(),
}));

async function look(page, expected) {
  const charts = await page.evaluate(survey);
  for (const chart of charts) {
    equal(`${chart.id}: marks as counted by the page`, chart.marks, chart.count);
    equal(`${chart.id}: anchors as counted by the page`, chart.anchors, chart.anchorCount);
    equal(`${chart.id}: role`, chart.role, "img");
    check(`${chart.id}: has a description`, chart.label.length > 10, chart.label);
    check(`${chart.id}: reachable by keyboard`, chart.tabbable);
    if (chart.axes) check(`${chart.id}: axes have names`, chart.names >= 2, `${chart.names} names`);
    if (chart.axes) check(`${chart.id}: axes have numbers`, chart.ticks >= 2, `${chart.ticks} ticks`);
    equal(`${chart.id}: attributes that are not numbers`, chart.broken, 0);
    check(`${chart.id}: text stays inside`, chart.outside.length === 0, chart.outside.slice(0, 5).join("; "));
    check(`${chart.id}: no text on text`, chart.overlaps.length === 0, chart.overlaps.slice(0, 5).join("; "));
  }
  const ids = await page.evaluate(() => [...document.querySelectorAll("[id]")].map((e) => e.id));
  equal("ids are unique", new Set(ids).size, ids.length);
  for (const [id, want] of Object.entries(expected.charts ?? {})) {
    const chart = charts.find((c) => c.id === id);
    check(`${id} is there`, chart !== undefined);
    if (chart && want.marks !== undefined) equal(`${id}: marks`, chart.marks, want.marks);
    if (chart && want.anchors !== undefined) equal(`${id}: anchors`, chart.anchors, want.anchors);
  }
  for (const id of expected.absent ?? []) check(`${id} is not there`, !charts.some((c) => c.id === id));
  for (const [id, rows] of Object.entries(expected.tables ?? {})) {
    equal(`table ${id}: rows`, await page.locator(`table[id="${id}"] tbody tr`).count(), rows);
  }
  return charts;
}

// Pointing at a mark must show what the mark says; so must walking there with the keyboard.
async function touch(page, charts) {
  const tip = page.locator("#tip");
  for (const { id, marks } of charts.filter((c) => c.marks > 0)) {
    const chart = page.locator(`svg[id="${id}"]`);
    await chart.scrollIntoViewIfNeeded();
    // The last mark lies on top of the others.
    const spot = await chart.locator(".mark").nth(marks - 1).evaluate((mark) => {
      const head = mark.tagName === "g" ? mark.lastElementChild : mark;
      head.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
      const box = head.getBoundingClientRect();
      return { x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2, says: mark.dataset.tip ?? mark.dataset.v };
    });
    await page.waitForTimeout(60); // the scroll event hides the tip
    await page.mouse.move(spot.x + 1, spot.y);
    await page.mouse.move(spot.x, spot.y);
    const shown = (await tip.isVisible()) ? await tip.textContent() : "";
    check(`${id}: pointing shows the value`, shown !== "" && shown.includes(spot.says), `shown ${JSON.stringify(shown)}, mark says ${JSON.stringify(spot.says)}`);
    check(`${id}: the tip has a number`, /\d/.test(shown), shown);
    await page.mouse.move(2, 2);
    check(`${id}: the tip goes away`, !(await tip.isVisible()));
    await chart.focus();
    await page.waitForTimeout(60);
    await page.keyboard.press("Home");
    const first = (await tip.isVisible()) ? await tip.textContent() : "";
    check(`${id}: the keyboard shows a value`, /\d/.test(first), first);
    if (marks > 1) {
      await page.keyboard.press("End");
      check(`${id}: arrow keys move on`, (await page.locator(".mark.on").count()) === 1);
    }
    await page.keyboard.press("Escape");
    check(`${id}: Escape hides the tip`, !(await tip.isVisible()));
    await chart.evaluate((svg) => svg.blur());
  }
}

// What a reader does on the page, one thing after the other, and what must then be there to see.
async function walk(page, steps, shot) {
  for (const [i, step] of steps.entries()) {
    const name = `step ${i + 1}`;
    if (step.click) await page.locator(step.click).first().click();
    if (step.fill) await page.locator(step.fill).first().fill(step.with);
    if (step.press) await page.locator(step.press).first().press(step.with);
    for (const [selector, text] of Object.entries(step.sees ?? {})) {
      const found = (await page.locator(selector).first().innerText()).trim();
      check(`${name}: ${selector} shows ${JSON.stringify(text)}`, found.includes(text), `found ${JSON.stringify(found.slice(0, 200))}`);
    }
    for (const [selector, count] of Object.entries(step.counts ?? {})) {
      equal(`${name}: visible ${selector}`, await page.locator(selector).filter({ visible: true }).count(), count);
    }
    if (step.shot) await shot(step.shot);
  }
}

async function fits(page, width) {
  await page.setViewportSize({ width, height: 900 });
  const { scroll, client } = await page.evaluate(() => ({ scroll: document.documentElement.scrollWidth, client: document.documentElement.clientWidth }));
  check(`no sideways scrolling at ${width} px`, scroll <= client, `page is ${scroll} px wide`);
}

async function main() {
  const file = resolve(positionals[0]);
  const address = pathToFileURL(file).href;
  const expected = flags.expect ? JSON.parse(readFileSync(flags.expect, "utf8")) : {};
  const stem = basename(file, ".html");
  const size = readFileSync(file).length;
  const most = expected.bytes ?? 600_000;
  check(`at most ${most} bytes`, size <= most, `${size} bytes`);

  const profile = mkdtempSync(join(tmpdir(), "merit-browser-"));
  const context = await playwright().chromium.launchPersistentContext(profile, {
    executablePath: browserPath(),
    headless: true,
    viewport: { width: 1200, height: 900 },
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
  try {
    const page = context.pages()[0] ?? (await context.newPage());
    const complaints = [], requests = [];
    page.on("console", (m) => { if (["error", "warning"].includes(m.type())) complaints.push(m.text()); });
    page.on("pageerror", (e) => complaints.push(String(e)));
    page.on("dialog", (d) => { complaints.push(`dialog: ${d.message()}`); d.dismiss(); });
    page.on("request", (r) => { if (r.url() !== address && r.url() !== "data:,") requests.push(r.url()); });
    const shot = async (name, options = {}) => {
      if (flags.screenshots) {
        mkdirSync(flags.screenshots, { recursive: true });
        await page.screenshot({ path: join(flags.screenshots, `${stem}-${name}.png`), fullPage: true, ...options });
      }
    };

    await page.emulateMedia({ colorScheme: "light" });
    await page.goto(address);
    const charts = await look(page, expected);
    const light = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await shot("light");
    await touch(page, charts);
    page.setDefaultTimeout(5000); // a step whose element is not there fails soon
    await walk(page, expected.steps ?? [], shot);
    page.setDefaultTimeout(60000); // a picture of a long page takes its time
    const gray = await page.addStyleTag({ content: "html { filter: grayscale(1) }" });
    await shot("gray");
    await gray.evaluate((e) => e.remove());
    await page.emulateMedia({ colorScheme: "dark" });
    const dark = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    check("dark differs from light", light !== dark, `${light} and ${dark}`);
    await shot("dark");
    await page.emulateMedia({ colorScheme: "light" });
    for (const width of [1200, 768, 400]) await fits(page, width);
    await shot("narrow");
    if (flags.screenshots) {
      await page.setViewportSize({ width: 1200, height: 900 });
      await page.pdf({ path: join(flags.screenshots, `${stem}.pdf`), format: "A4", margin: { top: "15mm", bottom: "15mm", left: "15mm", right: "15mm" } });
    }
    equal("scripts in the page", await page.locator("script").count(), 1);
    check("no complaints in the console", complaints.length === 0, complaints.slice(0, 5).join("; "));
    check("no request but the file itself", requests.length === 0, requests.slice(0, 5).join("; "));
  } finally {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  }
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}

main().catch((error) => stop(1, `error: ${error.stack ?? error}`));
