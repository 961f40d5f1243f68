// Choices that concern several parts, the theme, and the start of it all.

const strip = new Strip();
const text = new Text();

// ---- choices ----

function chooseDocument(d) {
  chosen.document = d;
  chosen.cursor = null;
  markRow();
  if (!available(chosen.system)) chosen.system = payload.systems.findIndex((_, s) => available(s));
  if (chosen.system < 0) chosen.system = 0;
  showDocument(false);
  const head = byId("document");
  if (head.getBoundingClientRect().top > innerHeight * 0.7)
    head.scrollIntoView({ block: "nearest" });
}

const available = (system) =>
  payload.documents[chosen.document].views.some((view) =>
    view.systems.some((one) => one.system === system),
  );

/** Show the chosen document; `keep` the part of it that is in sight. */
function showDocument(keep) {
  byId("document-name").replaceChildren(named(payload.documents[chosen.document].id));
  byId("system").value = chosen.system;
  const reading = currentReading();
  const empty = !reading || reading.size === 0;
  byId("strip").hidden = empty;
  byId("text").hidden = empty;
  for (const legend of document.querySelectorAll(".legend")) legend.replaceChildren();
  tellNote(reading);
  byId("document-tables").replaceChildren(...documentTables());
  if (empty) return;
  writeLegend(reading);
  text.show(reading);
  strip.show(reading, keep);
}

function tellNote(reading) {
  const apart = reading
    ? payload.systems.filter(
        (_, s) => available(s) && !reading.judgements.some(({ system }) => system === s),
      )
    : [];
  const note = byId("document-note");
  const name = named(payload.systems[chosen.system] ?? "");
  const texts = !reading
    ? [name, " has no words of this document."]
    : reading.size === 0
      ? ["This document has no words."]
      : apart.length
        ? [
            ...listed(apart),
            apart.length > 1 ? " have other words than " : " has other words than ",
            name,
            ": choose another system to see its own strip and text.",
          ]
        : [];
  note.hidden = texts.length === 0;
  note.replaceChildren(...texts);
}

function writeLegend(reading) {
  const { hit, miss, alarm } = reading.own;
  const item = (kind, number, what) =>
    el(
      "li",
      { class: kind },
      el("span", { class: "sign", "aria-hidden": "true" }, SIGNS[kind]),
      el("b", {}, count(number)),
      ` ${what}`,
    );
  const kinds = () => [
    item("hit", hit.length, hit.length === 1 ? "hit" : "hits"),
    item("miss", miss.length, "missed"),
    item("alarm", alarm.length, alarm.length === 1 ? "false alarm" : "false alarms"),
  ];
  const windows = el(
    "li",
    {},
    el("span", { class: "swatch" }),
    el("b", {}, count(reading.windows.length)),
    reading.windows.length === 1 ? " window" : " windows",
  );
  const all = payload.references.length;
  const shares = el(
    "li",
    { class: "soft" },
    `1/${all} … ${all}/${all}: how many references have it`,
  );
  const [ofStrip, ofText] = document.querySelectorAll(".legend");
  ofStrip.replaceChildren(...kinds(), reading.windows.length ? windows : "");
  ofText.replaceChildren(...kinds(), chosen.against === "any" ? shares : "");
}

/** Go to a gap: "tell" its words, go to it in the "text", or show it in the "strip". */
function setCursor(gap, where) {
  chosen.cursor = gap;
  text.goTo(gap, where === "text");
  strip.goTo(gap);
}

/** Choose a system or a reference as if in its list. */
function choose(id, number) {
  byId(id).value = number;
  byId(id).dispatchEvent(new Event("change"));
}

function writeChoices() {
  const system = byId("system");
  const against = byId("against");
  payload.systems.forEach((name, s) => system.append(el("option", { value: s }, name)));
  if (payload.references.length > 1)
    against.append(el("option", { value: "any" }, "any reference"));
  payload.references.forEach((name, r) => against.append(el("option", { value: r }, name)));
  if (payload.references.length === 1) chosen.against = 0;
  system.parentElement.hidden = payload.systems.length < 2;
  against.parentElement.hidden = payload.references.length < 2;
  system.addEventListener("change", () => {
    const before = openedView.of;
    chosen.system = Number(system.value);
    currentReading();
    const same = before === openedView.of;
    if (!same) chosen.cursor = null;
    showDocument(same);
  });
  against.addEventListener("change", () => {
    chosen.against = against.value === "any" ? "any" : Number(against.value);
    showDocument(true);
  });
}

// ---- keys, theme, print ----

function listenToKeys() {
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, select, textarea");
    if (
      typing ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      !text.reading ||
      byId("text").hidden
    )
      return;
    if (event.key === "n") text.error(1);
    else if (event.key === "p") text.error(-1);
    else if (event.key === "/") byId("search").focus();
    else return;
    event.preventDefault();
  });
}

const THEMES = ["auto", "light", "dark"];

function listenToTheme() {
  const root = document.documentElement;
  const button = byId("theme");
  const set = (theme) => {
    root.dataset.theme = theme;
    byId("theme-name").textContent = theme;
    strip.redraw();
  };
  button.addEventListener("click", () => {
    const next = THEMES[(THEMES.indexOf(root.dataset.theme) + 1) % THEMES.length];
    set(next);
    remembered(next);
  });
  set(THEMES.includes(remembered()) ? remembered() : "auto");
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", strip.redraw);
}

/** Some browsers keep nothing for files; the theme is then chosen anew each time. */
function remembered(theme) {
  try {
    if (theme) localStorage.setItem("caesura-theme", theme);
    return localStorage.getItem("caesura-theme");
  } catch {
    return null;
  }
}

/** Canvases are pictures: they must be painted in the colours of paper before printing. */
function listenToPrint() {
  const root = document.documentElement;
  let theme = "auto";
  addEventListener("beforeprint", () => {
    theme = root.dataset.theme;
    root.dataset.theme = "light";
    text.forPrint();
    strip.draw();
  });
  addEventListener("afterprint", () => {
    root.dataset.theme = theme;
    if (text.reading) text.turn(text.page);
    strip.draw();
  });
}

function writeParts() {
  const sections = [...document.querySelectorAll("[data-part]")].filter(
    (section) => !section.hidden,
  );
  byId("parts").append(
    ...sections.map((section) =>
      el("li", {}, el("a", { href: `#${section.id}` }, section.dataset.part)),
    ),
  );
}

listenToTheme();
writeHead();
writeOverview();
writeValues();
writeComparison();
writeSweeps();
writeChoices();
writeDocuments();
if (payload.documents.length > 0) {
  reveal("document");
  chooseDocument(chosen.document);
  scrollTo(0, 0);
}
listenToKeys();
listenToPrint();
writeParts();
