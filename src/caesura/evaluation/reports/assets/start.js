// Choices that concern several parts, the theme, and the start of it all.

const strip = new Strip();
const text = new Text();
const alignment = new Alignment();

// ---- choices ----

function chooseDocument(d) {
  chosen.document = d;
  chosen.cursor = null;
  markRow();
  if (!available(chosen.system))
    chosen.system = Math.max(
      0,
      payload.systems.findIndex((_, s) => available(s)),
    );
  showDocument(false);
  const head = ["document", "alignment", "text"].map(byId).find((section) => !section.hidden);
  if (head?.getBoundingClientRect().top > innerHeight * 0.7)
    head.scrollIntoView({ block: "nearest" });
}

const available = (system) =>
  payload.documents[chosen.document].views.some((view) =>
    view.systems.some((one) => one.system === system),
  );

/** Show the chosen document; `keep` the part of it that is in sight. */
function showDocument(keep) {
  // A single document is called after a file, which would be taken for the system's name.
  if (payload.documents.length > 1)
    for (const id of ["document-name", "alignment-name", "text-name"])
      byId(id).replaceChildren(titled(payload.documents[chosen.document]));
  else byId("text-name").replaceChildren();
  byId("system").value = chosen.system;
  alignment.open();
  const reading = currentReading();
  const empty = !reading || reading.size === 0;
  byId("strip").hidden = empty || Boolean(reading.alone);
  for (const id of ["errors", "only", "error-keys"]) byId(id).hidden = Boolean(reading?.alone);
  byId("text").hidden = empty;
  for (const legend of document.querySelectorAll(".legend")) legend.replaceChildren();
  tellNote(reading);
  showFacts(byId("strip").hidden && byId("document-note").hidden);
  writeParts();
  if (empty) return;
  if (reading.alone) byId("only-errors").checked = false;
  else writeLegends(reading);
  text.show(reading);
  if (reading.alone) strip.reading = null;
  else strip.show(reading, keep && strip.reading != null);
}

/** Where there is nothing to say of boundaries, a document is its text, which says whose it is. */
function showFacts(plain) {
  const tables = documentTables(plain);
  byId("document-tables").replaceChildren(...tables);
  byId("document").hidden = plain && tables.length === 0;
  byId("system").parentElement.hidden = plain || payload.systems.length < 2;
  byId("text-system").parentElement.hidden = !plain || payload.systems.length < 2;
  byId("text-system").value = chosen.system;
  const name = payload.among ? "" : payload.systems[chosen.system];
  if (name) byId("text-name").append(" of ", named(name));
  byId("text-note").hidden = !plain;
  const beside = byId("alignment").hidden ? "" : ": the alignment has them beside the reference";
  byId("text-note").textContent = plain
    ? `The words as they were read. Nothing is marked in them${beside}.`
    : "";
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
      : reading.alone
        ? notedAlone(name)
        : apart.length
          ? [
              ...listed(apart),
              apart.length > 1 ? " have other words than " : " has other words than ",
              name,
              ": choose another system to see its own boundaries and text.",
            ]
          : [];
  note.hidden = texts.length === 0;
  note.replaceChildren(...texts);
}

/** Only where boundaries are measured is it missed that they cannot be shown. */
function notedAlone(name) {
  if (!payload.metrics.some((metric) => metric.boundaries)) return [];
  return [
    "The words of ",
    name,
    ` and of the ${WHO} differ, so that boundaries cannot be set side by side: the text `,
    "below has its own sentences.",
  ];
}

/** Go to a gap: "tell" its words, go to it in the "text", or show it in the "strip". */
function setCursor(gap, where) {
  chosen.cursor = gap;
  text.goTo(gap, where === "text");
  if (strip.reading) strip.goTo(gap);
}

/** Choose a system or a reference as if in its list. */
function choose(id, number) {
  byId(id).value = number;
  byId(id).dispatchEvent(new Event("change"));
}

function writeChoices() {
  const system = byId("system");
  const against = byId("against");
  const texts = byId("text-system");
  for (const select of [system, texts])
    payload.systems.forEach((name, s) => select.append(el("option", { value: s }, name)));
  texts.addEventListener("change", () => choose("system", texts.value));
  const entries = payload.references.map((name, r) => [r, name]);
  if (!payload.among) {
    if (entries.length > 1) entries.unshift(["any", "any reference"]);
    if (payload.metrics.some(isWindowed)) entries.push(["windows", "windows"]);
  }
  const first = !payload.among && payload.metrics.slice(0, 1).some(isWindowed);
  chosen.against = first ? "windows" : (entries[0]?.[0] ?? "any");
  against.append(...entries.map(([value, name]) => el("option", { value }, name)));
  against.value = chosen.against;
  against.parentElement.hidden = entries.length < 2;
  system.addEventListener("change", () => {
    const before = openedView.of;
    chosen.system = Number(system.value);
    currentReading();
    const same = before === openedView.of;
    if (!same) chosen.cursor = null;
    showDocument(same);
  });
  against.addEventListener("change", () => {
    chosen.against = entries[against.selectedIndex][0];
    showDocument(true);
  });
}

const isWindowed = (metric) => metric.name === "WiSeBE";

/** Without systems the page speaks of annotators and disagreements. */
function writeWords() {
  byId("only-what").textContent = `${FAULT}s`;
  if (payload.among) byId("against-what").textContent = "Sentences of";
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
  reveal("bar");
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
  byId("document").dataset.part = byId("strip").hidden ? "Document" : "Boundaries";
  const sections = [...document.querySelectorAll("[data-part]")].filter(
    (section) => !section.hidden,
  );
  byId("parts").replaceChildren(
    ...sections.map((section) =>
      el("li", {}, el("a", { href: `#${section.id}` }, section.dataset.part)),
    ),
  );
}

listenToTheme();
writeLead();
writeWords();
writeOverview();
writeValues();
writeComparison();
writeSweeps();
writeChoices();
writeDocuments();
writeDifferences();
if (payload.documents.length > 0) {
  chooseDocument(chosen.document);
  scrollTo(0, 0);
}
listenToKeys();
listenToPrint();
writeParts();
