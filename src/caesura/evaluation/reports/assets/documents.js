// The list of documents, and facts about the one that is being read.

/** What the reader has chosen; `against` is a reference's number, "any" or "windows". */
const chosen = { document: 0, system: 0, against: "any", cursor: null };

const ROWS = 100; // rows added to the list at a time

// ---- the list ----

const SEVERAL = payload.systems.length > 1;

const list = {
  metric: 0,
  column: SEVERAL ? "mean" : "system-0",
  falling: true,
  rows: [],
  shown: 0,
};

function writeDocuments() {
  if (payload.documents.length === 0) return;
  const select = byId("documents-metric");
  payload.metrics.forEach((metric, m) =>
    select.append(el("option", { value: m }, `${titleOf(metric)}: ${metric.listed.value}`)),
  );
  select.addEventListener("change", () => {
    list.metric = Number(select.value);
    fillList();
  });
  byId("documents-filter").addEventListener("input", fillList);
  const box = byId("documents-box");
  box.addEventListener("scroll", () => {
    if (box.scrollTop + box.clientHeight > box.scrollHeight - 400) addRows();
  });
  fillList();
  chosen.document = list.rows[0];
  markRow();
  if (payload.documents.length > 1) reveal("documents");
}

const ORDERS = {
  false: { true: "worst", false: "best" },
  true: { true: "largest", false: "smallest" },
};

function fillList() {
  const wanted = byId("documents-filter").value.trim().toLowerCase();
  const all = payload.documents.map((_, d) => d);
  list.rows = all.filter((d) => payload.documents[d].id.toLowerCase().includes(wanted));
  sortRows();
  list.shown = 0;
  const table = byId("documents-table");
  table.tHead.replaceChildren(headRow());
  table.tBodies[0].replaceChildren();
  byId("documents-box").scrollTop = 0;
  const whose = list.column === "mean" ? " by the mean of the systems" : "";
  const order = !/^(mean|system)/.test(list.column)
    ? ""
    : `, ${ORDERS[payload.metrics[list.metric]?.listed.best == null][list.falling]} first${whose}`;
  const some = list.rows.length < all.length ? `${count(list.rows.length)} of ` : "";
  byId("documents-count").textContent = `${some}${plural(all.length, "document")}${order}`;
  addRows();
}

function sortRows() {
  const key = sortKey();
  const sign = list.falling ? -1 : 1;
  const keys = new Map(list.rows.map((d) => [d, key(d)]));
  list.rows.sort((a, b) => compareKeys(keys.get(a), keys.get(b), sign) || a - b);
}

/** Undefined values stand at the end whichever way the list is sorted. */
function compareKeys(a, b, sign) {
  if (a == null || b == null) return (a == null) - (b == null);
  return sign * (typeof a === "string" ? a.localeCompare(b, undefined, { numeric: true }) : a - b);
}

/** What documents are sorted by: the greater, the worse. */
function sortKey() {
  if (list.column === "name") return (d) => payload.documents[d].id;
  if (list.column === "words") return (d) => payload.documents[d].words_count;
  const { best } = payload.metrics[list.metric].listed;
  if (list.column === "mean") {
    const places = new Map(payload.worst_first[list.metric].map((d, place) => [d, -place]));
    return (d) => (meanOf(payload.documents[d], list.metric) == null ? null : places.get(d));
  }
  const system = Number(list.column.slice("system-".length));
  const sign = best ? -1 : 1;
  return (d) => {
    const value = valueOf(payload.documents[d], list.metric, system);
    return value == null ? null : sign * value;
  };
}

const valueOf = (document, m, s) => document.values[s]?.[m]?.[payload.metrics[m]?.listed.value];

/** The mean over the systems that have a value. */
function meanOf(document, m) {
  const known = payload.systems.map((_, s) => valueOf(document, m, s)).filter((v) => v != null);
  return known.length ? known.reduce((sum, value) => sum + value, 0) / known.length : null;
}

/** The document with errors that is next in the list, round and round back to this one. */
function nextFaulty(direction) {
  const all = list.rows.length;
  const here = list.rows.indexOf(chosen.document);
  for (let step = 1; step <= all; step++) {
    const d = list.rows[(here + direction * step + all * step) % all];
    if (isFaulty(d)) return d;
  }
  return chosen.document;
}

function headRow() {
  const value = payload.metrics[list.metric]?.listed.value ?? "value";
  const hint = "Sort from the worst to the best";
  return el(
    "tr",
    {},
    sortHead("name", "document", "Sort by name"),
    sortHead("words", "words", "Sort by length"),
    payload.systems.map((name, s) => sortHead(`system-${s}`, SEVERAL ? named(name) : value, hint)),
    SEVERAL && sortHead("mean", "mean", hint),
  );
}

function sortHead(column, label, hint) {
  const active = list.column === column;
  const [direction, sign] = !active
    ? ["none", ""]
    : list.falling
      ? ["descending", "▼"]
      : ["ascending", "▲"];
  const arrow = el("span", { "aria-hidden": "true", class: "arrow" }, sign);
  const sort = () => {
    list.falling = active ? !list.falling : column !== "name";
    list.column = column;
    fillList();
    byId("documents-table").tHead.querySelector(`[data-column="${column}"]`).focus();
  };
  const plain = column === "name";
  return el(
    "th",
    { scope: "col", "aria-sort": direction, class: plain && "plain" },
    el(
      "button",
      { type: "button", class: "sort", title: hint, "data-column": column, click: sort },
      plain ? [label, arrow] : [arrow, label],
    ),
  );
}

const titled = (document) => named(document.id || "unnamed");

function addRows() {
  const body = byId("documents-table").tBodies[0];
  const next = list.rows.slice(list.shown, list.shown + ROWS);
  body.append(...next.map(listRow));
  list.shown += next.length;
  markRow();
}

function listRow(d) {
  const document = payload.documents[d];
  return el(
    "tr",
    { "data-document": d, click: () => chooseDocument(d) },
    el(
      "th",
      { scope: "row", class: "plain" },
      el("button", { type: "button", class: "name" }, titled(document)),
    ),
    el("td", {}, count(document.words_count)),
    payload.systems.map((_, s) => listedCell(document, s, list.metric)),
    SEVERAL && cellOf(meanOf(document, list.metric), rate),
  );
}

function markRow() {
  const body = byId("documents-table").tBodies[0];
  for (const row of body.querySelectorAll("[aria-current]")) row.removeAttribute("aria-current");
  body.querySelector(`[data-document="${chosen.document}"]`)?.setAttribute("aria-current", "true");
}

// ---- facts about the document ----

/** Tables to open; if they are `alone` they are open, and what stands above already is left out. */
function documentTables(alone) {
  const document = payload.documents[chosen.document];
  const known = alone && (payload.documents.length < 2 || payload.metrics.length < 2);
  const facts = [
    [`How the ${WHO}s' words were carried over`, coverageTable(document.coverage[chosen.system])],
    ["Values of this document", known ? null : documentValues(document)],
  ];
  return facts
    .filter(([, table]) => table)
    .map(([summary, table]) => el("details", { open: alone }, el("summary", {}, summary), table));
}

function coverageTable(coverage) {
  if (!coverage || coverage.length === 0) return null;
  const names = [...new Set(coverage.flatMap((row) => Object.keys(row)))];
  const rows = coverage.map((row, r) =>
    rowOf(
      named(payload.references[r]),
      names.map((name) => (row[name] == null ? "–" : count(row[name]))),
    ),
  );
  return tableOf([WHO, ...names.map((name) => name.replaceAll("_", " "))], rows, "Coverage");
}

function documentValues(document) {
  if (payload.metrics.length === 0) return null;
  const rows = payload.metrics.map((metric, m) =>
    rowOf(
      [titleOf(metric), " ", el("span", { class: "soft" }, metric.listed.value)],
      payload.systems.map((_, s) => listedCell(document, s, m)),
    ),
  );
  return tableOf(["metric", ...payload.systems.map(named)], rows, "Values of this document");
}

function listedCell(document, s, m) {
  const whole = isCount(payload.metrics[m].listed.value, [scoreOf(s, m)]);
  return cellOf(valueOf(document, m, s), whole ? count : rate);
}
