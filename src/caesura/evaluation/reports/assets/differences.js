// What a system does differently, the most frequent or the most harmful first.

const MEANINGS = {
  "token 1:n": "cut into more",
  "token m:1": "joined",
  "token m:n": "cut elsewhere",
  "token changed": "other characters",
  "token missing": "only in the reference",
  "token added": "only in the hypothesis",
  "word substituted": "another word",
  "word deleted": "only in the reference",
  "word inserted": "only in the hypothesis",
  "stretch risk": "may be taken for a name",
  "sentence missed": "ends in the reference only",
  "sentence added": "ends in the hypothesis only",
  "sentence changed": "too little in common",
};

const PLURALS = { entity: "entities" };

const differing = { set: 0, rows: [], shown: 0 };

function writeDifferences() {
  const { differences } = payload;
  if (differences.length === 0) return;
  reveal("differences");
  const set = byId("differences-set");
  differences.forEach(({ system, metric }, i) =>
    set.append(el("option", { value: i }, setName(system, metric))),
  );
  set.parentElement.hidden = differences.length < 2;
  set.addEventListener("change", () => {
    differing.set = Number(set.value);
    openSet();
  });
  byId("differences-kind").addEventListener("change", fillDifferences);
  byId("differences-filter").addEventListener("input", fillDifferences);
  const box = byId("differences-box");
  box.addEventListener("scroll", () => {
    if (box.scrollTop + box.clientHeight > box.scrollHeight - 400) addDifferences();
  });
  openSet();
}

function openSet() {
  byId("differences-first").textContent = costs() ? "harmful" : "frequent";
  byId("differences-table").tHead.replaceChildren(
    el(
      "tr",
      {},
      ["reference", "hypothesis"].map(plainHead),
      el("th", { scope: "col" }, "count"),
      costs() && el("th", { scope: "col" }, "loss"),
      plainHead("difference"),
    ),
  );
  fillKinds();
  fillDifferences();
}

/** A set of differences is named by what it does not share with the others. */
function setName(system, metric) {
  const name = titleOf(payload.metrics[metric]);
  const metrics = new Set(payload.differences.map((one) => one.metric));
  if (payload.systems.length === 1) return name;
  return metrics.size > 1 ? `${payload.systems[system]}, ${name}` : payload.systems[system];
}

const currentSet = () => payload.differences[differing.set];

/** Whether it is known how much harm each difference does. */
const costs = () => currentSet().rows.some((row) => row.loss > 0);

/** Levels and, below each, its kinds; the chosen one stays if there is one like it. */
function fillKinds() {
  const select = byId("differences-kind");
  const { value } = select;
  const groups = Object.entries(currentSet().kinds).map(([level, kinds]) => {
    const all = Object.values(kinds).reduce((sum, number) => sum + number, 0);
    const option = (name, text, number) =>
      el("option", { value: name }, `${text} (${count(number)})`);
    const levels = PLURALS[level] ?? `${level}s`;
    return el(
      "optgroup",
      { label: levels },
      option(`${level} `, `all ${levels}`, all),
      Object.entries(kinds).map(([kind, number]) =>
        option(`${level} ${kind}`, told(level, kind), number),
      ),
    );
  });
  select.replaceChildren(el("option", { value: "" }, "all"), ...groups);
  select.value = value;
  if (select.selectedIndex < 0) select.value = "";
}

function told(level, kind) {
  const meaning = MEANINGS[`${level} ${kind}`];
  return meaning ? `${kind}: ${meaning}` : kind;
}

// ---- rows ----

function fillDifferences() {
  const wanted = byId("differences-filter").value.trim().toLowerCase();
  const kind = byId("differences-kind").value;
  const { rows, distinct } = currentSet();
  differing.rows = rows.filter(
    (row) =>
      `${row.level} ${row.kind}`.startsWith(kind) &&
      (row.reference.toLowerCase().includes(wanted) ||
        row.hypothesis.toLowerCase().includes(wanted)),
  );
  differing.shown = 0;
  byId("differences-table").tBodies[0].replaceChildren();
  byId("differences-box").scrollTop = 0;
  const places = differing.rows.reduce((sum, row) => sum + row.count, 0);
  const left =
    distinct > rows.length
      ? `; ${count(distinct - rows.length)} ${costs() ? "less harmful" : "rarer"} ones are not in this page`
      : "";
  byId("differences-count").textContent =
    `${plural(differing.rows.length, "difference")} at ${plural(places, "place")}${left}`;
  addDifferences();
}

function addDifferences() {
  const next = differing.rows.slice(differing.shown, differing.shown + ROWS);
  byId("differences-table").tBodies[0].append(...next.map(differenceRow));
  differing.shown += next.length;
}

function differenceRow(row) {
  const button = el(
    "button",
    { type: "button", class: "name", "aria-expanded": "false" },
    tokens(row.reference),
  );
  const line = el(
    "tr",
    { click: () => unfold(line, button, row) },
    el("th", { scope: "row", class: "plain tokens" }, button),
    el("td", { class: "words tokens" }, tokens(row.hypothesis)),
    el("td", {}, count(row.count)),
    costs() && el("td", {}, rate(row.loss)),
    el("td", { class: "words" }, row.level, el("small", {}, told(row.level, row.kind))),
  );
  return line;
}

const tokens = (text) =>
  text === "" ? el("span", { class: "undefined" }, "nothing") : named(text);

/** Show or hide the examples under a row. */
function unfold(line, button, row) {
  const open = button.getAttribute("aria-expanded") === "true";
  button.setAttribute("aria-expanded", String(!open));
  if (open) line.nextElementSibling.remove();
  else
    line.after(
      el(
        "tr",
        { class: "examples" },
        el("td", { colspan: String(line.cells.length), class: "words" }, examplesOf(row)),
      ),
    );
}

function examplesOf(row) {
  const left = row.count - row.examples.length;
  return [
    el(
      "ul",
      {},
      row.examples.map((example) => exampleOf(row, example)),
    ),
    left > 0 && el("p", { class: "soft" }, `and ${plural(left, "more place")}`),
  ];
}

/** A place in the words of the hypothesis; those of the reference around it may differ too. */
function exampleOf(row, { document, place, before, after, against }) {
  const sides =
    payload.references.length > 1 ? [" against ", named(payload.references[against - 1])] : [];
  const where = payload.documents.length > 1 ? [" in ", titled(payload.documents[document])] : [];
  const seen = payload.documents[document].views.length > 0;
  return el(
    "li",
    {},
    el(
      "span",
      { class: "line", dir: "auto" },
      before,
      " ",
      el("mark", {}, row.hypothesis || "∅"),
      " ",
      after,
    ),
    el(
      "span",
      { class: "soft" },
      seen &&
        el(
          "button",
          { type: "button", class: "link screen", click: () => openPlace(document, place) },
          "show in the text",
        ),
      ...where,
      ...sides,
    ),
  );
}

/** Go to a word in the text of the system whose difference it is. */
function openPlace(document, place) {
  const { system } = currentSet();
  if (chosen.system !== system) choose("system", system);
  if (chosen.document !== document) chooseDocument(document);
  setCursor(place, "text");
}
