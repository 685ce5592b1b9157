// Takes the pictures of the README from the pages of the gallery.
//
//   ./scripts/docs.sh && MERIT_NODE_MODULES=target/test-tools/node/node_modules node tests/browser/pictures.mjs target/test-tools/gallery docs/src/images
//
// playwright-core comes from MERIT_NODE_MODULES, the browser from CHROMIUM, as in report.mjs.

import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [gallery, images] = process.argv.slice(2);
const modules = process.env.MERIT_NODE_MODULES;
if (!images || !modules) {
  console.error("usage: MERIT_NODE_MODULES=DIR node pictures.mjs GALLERY IMAGES");
  process.exit(2);
}
const { chromium } = createRequire(join(resolve(modules), "..", "x.cjs"))("playwright-core");
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });

// Page, picture, the section at which it begins (none is the top), and its height.
for (const [page, picture, section, height] of [
  ["demo", "report", null, 1150],
  ["news", "topics", "#map", 690],
  ["karate", "karate", "#graph", 640],
]) {
  const tab = await browser.newPage({ viewport: { width: 1000, height }, colorScheme: "light" });
  await tab.goto(pathToFileURL(resolve(gallery, `${page}.html`)).href);
  if (section) await tab.locator(section).evaluate((element) => window.scrollTo(0, element.getBoundingClientRect().top + window.scrollY));
  await tab.screenshot({ path: join(images, `${picture}.png`) });
  await tab.close();
}
await browser.close();
