// The list of documents, and the words and boundaries of the one that is being read.

/** What the reader has chosen; `against` is a reference's number or "any". */
const chosen = { document: 0, system: 0, against: "any", cursor: null };

const ROWS = 100; // rows added to the list at a time

// ---- the list ----

const list = { metric: 0, column: "system-0", falling: true, rows: [], shown: 0 };

function writeDocuments() {
  if (payload.documents.length === 0) return;
  const select = byId("documents-metric");
  payload.metrics.forEach((metric, m) =>
    select.append(el("option", { value: m }, `${titleOf(metric)}: ${metric.main}`)),
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
  const order = list.column.startsWith("system")
    ? list.falling
      ? ", worst first"
      : ", best first"
    : "";
  const some = list.rows.length < all.length ? `${count(list.rows.length)} of ` : "";
  byId("documents-count").textContent = `${some}${plural(all.length, "document")}${order}`;
  addRows();
}

function sortRows() {
  const key = sortKey();
  const sign = list.falling ? -1 : 1;
  const keys = new Map(list.rows.map((d) => [d, key(payload.documents[d])]));
  list.rows.sort((a, b) => compareKeys(keys.get(a), keys.get(b), sign) || a - b);
}

/** Undefined values stand at the end whichever way the list is sorted. */
function compareKeys(a, b, sign) {
  if (a == null || b == null) return (a == null) - (b == null);
  return sign * (typeof a === "string" ? a.localeCompare(b, undefined, { numeric: true }) : a - b);
}

function sortKey() {
  if (list.column === "name") return (document) => document.id;
  if (list.column === "words") return (document) => document.words_count;
  const system = Number(list.column.slice("system-".length));
  const metric = payload.metrics[list.metric];
  return (document) => metric && errorOf(metric, document.values[system]?.[list.metric]);
}

function headRow() {
  const head = (column, label, hint) => {
    const active = list.column === column;
    const direction = active ? (list.falling ? "descending" : "ascending") : "none";
    const arrow = el(
      "span",
      { "aria-hidden": "true", class: "arrow" },
      active ? (list.falling ? "▼" : "▲") : "",
    );
    const sort = () => {
      list.falling = active ? !list.falling : column !== "name";
      list.column = column;
      fillList();
      byId("documents-table").tHead.querySelector(`[data-column="${column}"]`).focus();
    };
    return el(
      "th",
      { scope: "col", "aria-sort": direction, class: column === "name" && "plain" },
      el(
        "button",
        { type: "button", class: "sort", title: hint, "data-column": column, click: sort },
        column !== "name" && arrow,
        label,
        column === "name" && arrow,
      ),
    );
  };
  const several = payload.systems.length > 1;
  const main = payload.metrics[list.metric]?.main ?? "value";
  return el(
    "tr",
    {},
    head("name", "document", "Sort by name"),
    head("words", "words", "Sort by length"),
    payload.systems.map((name, s) =>
      head(
        `system-${s}`,
        several ? named(name) : main,
        "Sort by error: how far the value is from the best",
      ),
    ),
  );
}

function addRows() {
  const body = byId("documents-table").tBodies[0];
  const next = list.rows.slice(list.shown, list.shown + ROWS);
  body.append(...next.map(listRow));
  list.shown += next.length;
  markRow();
}

function listRow(d) {
  const document = payload.documents[d];
  const metric = payload.metrics[list.metric];
  const cells = payload.systems.map((_, s) => {
    const value = document.values[s]?.[list.metric]?.[metric?.main];
    return el(
      "td",
      { class: value == null && "undefined" },
      value == null ? "undefined" : rate(value),
    );
  });
  return el(
    "tr",
    { "data-document": d, click: () => chooseDocument(d) },
    el(
      "th",
      { scope: "row", class: "plain" },
      el("button", { type: "button", class: "name" }, named(document.id)),
    ),
    el("td", {}, count(document.words_count)),
    cells,
  );
}

function markRow() {
  const body = byId("documents-table").tBodies[0];
  for (const row of body.querySelectorAll("[aria-current]")) row.removeAttribute("aria-current");
  body.querySelector(`[data-document="${chosen.document}"]`)?.setAttribute("aria-current", "true");
}

// ---- the words and boundaries being read ----

const UNSPACED =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\uff00-\uffef]/u;

/** Some scripts write words without blanks between them. */
function blankBetween(before, after) {
  if (before === "" || after === "") return "";
  if (before.charCodeAt(before.length - 1) < 0xe00 || after.charCodeAt(0) < 0xe00) return " ";
  const last = String.fromCodePoint(
    before.codePointAt(before.length - (/[\udc00-\udfff]$/.test(before) ? 2 : 1)),
  );
  return UNSPACED.test(last) && UNSPACED.test(String.fromCodePoint(after.codePointAt(0)))
    ? ""
    : " ";
}

const RIGHT_TO_LEFT = /[\p{sc=Arab}\p{sc=Hebr}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}\p{sc=Adlm}]/gu;

/** The direction most letters have: one for all sentences, whatever word a sentence begins with. */
function directionOf(text) {
  const sample = text.slice(0, 20000);
  const [right, all] = [RIGHT_TO_LEFT, /\p{L}/gu].map(
    (letters) => sample.match(letters)?.length ?? 0,
  );
  return right * 2 > all ? "rtl" : "ltr";
}

/** A view's words as one text, where each word stands in it, and who has a boundary where. */
function opened(view) {
  const words = view.words === "" ? [] : view.words.split("\n");
  const starts = new Int32Array(words.length);
  const parts = [];
  let length = 0;
  words.forEach((word, i) => {
    const blank = i === 0 ? "" : blankBetween(words[i - 1], word);
    starts[i] = length + blank.length;
    length += blank.length + word.length;
    parts.push(blank, word);
  });
  const size = words.length;
  // The end of the last word is an end in any case: it is neither found nor missed.
  const inner = (gaps) => gaps.filter((gap) => gap >= 0 && gap < size - 1);
  const who = new Uint32Array(size);
  const references = view.references.map(inner);
  references.forEach((gaps, r) => gaps.forEach((gap) => (who[gap] |= 1 << r)));
  const systems = view.systems.map(({ system, gaps }) => ({ system, gaps: inner(gaps) }));
  const text = parts.join("");
  return {
    size,
    words,
    starts,
    text,
    direction: directionOf(text),
    who,
    references,
    systems,
    windows: view.windows ?? [],
  };
}

/** Hits, misses and false alarms of every system of a view against the chosen reference. */
function judged(view, against) {
  const mask = against === "any" ? 0xffffffff : 1 << against;
  const targets = [];
  for (let gap = 0; gap < view.size; gap++) if (view.who[gap] & mask) targets.push(gap);
  const judgements = view.systems.map(({ system, gaps }) => {
    const ours = new Set(gaps);
    const hit = gaps.filter((gap) => view.who[gap] & mask);
    const alarm = gaps.filter((gap) => !(view.who[gap] & mask));
    const miss = targets.filter((gap) => !ours.has(gap));
    return { system, hit, alarm, miss };
  });
  return { ...view, mask, targets, judgements };
}

let openedView = { of: null, view: null };

/** The document as the chosen system has it, or null if it has no words of it. */
function currentReading() {
  const views = payload.documents[chosen.document]?.views ?? [];
  const view = views.find((one) => one.systems.some(({ system }) => system === chosen.system));
  if (!view) return null;
  if (openedView.of !== view) openedView = { of: view, view: opened(view) };
  const reading = judged(openedView.view, chosen.against);
  reading.own = reading.judgements.find(({ system }) => system === chosen.system);
  reading.kinds = new Map(
    ["hit", "miss", "alarm"].flatMap((kind) => reading.own[kind].map((gap) => [gap, kind])),
  );
  reading.marks = [...reading.kinds.keys()].sort((a, b) => a - b);
  reading.errors = reading.marks.filter((gap) => reading.kinds.get(gap) !== "hit");
  return reading;
}

const endOf = (reading, word) => reading.starts[word] + reading.words[word].length;

// ---- facts about the document ----

function documentTables() {
  const document = payload.documents[chosen.document];
  return [coverageTable(document.coverage[chosen.system]), documentValues(document)].filter(
    Boolean,
  );
}

function coverageTable(coverage) {
  if (!coverage || coverage.length === 0) return null;
  const names = [...new Set(coverage.flatMap((row) => Object.keys(row)))];
  return el(
    "details",
    {},
    el("summary", {}, "How the references' words were carried over"),
    boxed(
      el(
        "table",
        {},
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            el("th", { scope: "col" }, "reference"),
            names.map((name) => el("th", { scope: "col" }, name.replaceAll("_", " "))),
          ),
        ),
        el(
          "tbody",
          {},
          coverage.map((row, r) =>
            el(
              "tr",
              {},
              el("th", { scope: "row" }, named(payload.references[r])),
              names.map((name) => el("td", {}, row[name] == null ? "–" : count(row[name]))),
            ),
          ),
        ),
      ),
      "Coverage",
    ),
  );
}

function documentValues(document) {
  if (document.values.length === 0 || payload.metrics.length === 0) return null;
  const rows = payload.metrics.map((metric, m) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, titleOf(metric), " ", el("span", { class: "soft" }, metric.main)),
      payload.systems.map((_, s) => {
        const value = document.values[s]?.[m]?.[metric.main];
        return el(
          "td",
          { class: value == null && "undefined" },
          value == null ? "undefined" : rate(value),
        );
      }),
    ),
  );
  return el(
    "details",
    {},
    el("summary", {}, "Values of this document"),
    boxed(
      el(
        "table",
        {},
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            el("th", { scope: "col" }, "metric"),
            payload.systems.map((name) => el("th", { scope: "col" }, named(name))),
          ),
        ),
        el("tbody", {}, rows),
      ),
      "Values of this document",
    ),
  );
}
