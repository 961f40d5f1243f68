// The lead of the page, and the values of each metric.

function writeLead() {
  const words = payload.documents.reduce((sum, document) => sum + document.words_count, 0);
  const { systems, references, documents } = payload;
  const who = payload.among
    ? [
        ...described(references, "annotator"),
        ` compared with ${references.length > 1 ? "each other" : "nobody"}`,
      ]
    : [...described(systems, "system"), " scored against ", ...described(references, "reference")];
  const where = ` on ${plural(documents.length, "document")} of ${plural(words, "word")}`;
  byId("lead").append(...who, documents.length ? where : "", ".");
}

/** "3 references (a, b and c)"; long lists of names are left to the tables. */
function described(names, what) {
  const few = names.length > 0 && names.length <= 5;
  return [plural(names.length, what), ...(few ? [" (", ...listed(names), ")"] : [])];
}

// ---- main values, large ----

function writeOverview() {
  if (payload.scores.length === 0) return;
  const cards = payload.metrics.map((metric, m) => {
    const range = rangeOf(metric, m);
    const rows = payload.systems.map((name, s) => headline(name, metric, scoreOf(s, m), range));
    return el(
      "article",
      { class: "card" },
      el("h2", {}, el("a", { href: `#metric-${m}` }, metric.name)),
      el("p", { class: "soft settings" }, el("code", {}, metric.metric)),
      rows,
      el(
        "p",
        { class: "soft axis" },
        range && el("span", {}, ends(range[0])),
        el("span", {}, metric.main + bestIs(metric)),
        range && el("span", {}, ends(range[1])),
      ),
    );
  });
  reveal("overview").append(el("div", { class: "cards" }, cards));
}

const ends = (number) => String(Number(number.toFixed(2))).replace("-", "−");

function bestIs(metric) {
  const best = metric.best[metric.main];
  return best == null ? "" : `, best ${best}`;
}

/** What drawings of a metric's intervals span: 0 to 1 unless values leave that; null without any. */
function rangeOf(metric, m) {
  const all = payload.scores
    .filter((score) => score.metric === m)
    .flatMap((score) => [score.values[metric.main], ...(score.intervals[metric.main] ?? [])]);
  const known = all.filter((number) => number != null);
  return known.length > 0 ? [Math.min(0, ...known), Math.max(1, ...known)] : null;
}

function headline(system, metric, score, range) {
  const value = score?.values[metric.main];
  const interval = score?.intervals[metric.main];
  const several = payload.systems.length > 1;
  const head = several && el("p", { class: "system" }, named(system));
  if (value == null) {
    const reason = score ? score.undefined[metric.main] : "not scored";
    return el(
      "div",
      { class: "headline" },
      head,
      el("p", { class: "big undefined" }, "undefined"),
      el("p", { class: "soft" }, reason),
    );
  }
  return el(
    "div",
    { class: "headline" },
    head,
    el("p", { class: "big" }, rate(value)),
    interval && el("p", { class: "interval" }, span(interval)),
    whisker(value, interval, range),
  );
}

function whisker(value, interval, [low, high]) {
  const x = (number) => `${1.5 + (97 * (number - low)) / (high - low)}%`;
  return svg(
    "svg",
    { class: "whisker", "aria-hidden": "true" },
    svg("line", { class: "base", x1: x(low), x2: x(high), y1: 7, y2: 7 }),
    interval &&
      svg("line", { class: "range", x1: x(interval[0]), x2: x(interval[1]), y1: 7, y2: 7 }),
    svg("circle", { cx: x(value), cy: 7, r: 4 }),
  );
}

// ---- tables of values ----

function writeValues() {
  if (payload.scores.length === 0) return;
  const section = reveal("values");
  const intervals = payload.scores.some((score) => Object.keys(score.intervals).length > 0);
  byId("values-note").textContent = intervals
    ? "Under a value stands its confidence interval; the signature says how both were made."
    : "Values without confidence intervals; the signature says how they were made.";
  payload.metrics.forEach((metric, m) => section.append(metricPart(metric, m)));
}

function metricPart(metric, m) {
  const scores = payload.systems.map((_, s) => scoreOf(s, m));
  const names = [...new Set(scores.flatMap((score) => Object.keys(score?.values ?? {})))];
  const pairs = names.filter((name) => PAIR.test(name));
  const apart = (name) =>
    stemOf(name, names) || PAIR.test(name) || (pairs.length && OWN.test(name));
  const open = openAlike(scores, names.filter((name) => name !== metric.main && !apart(name)));
  const below = new Set([...open.values()].flat());
  const own = names.filter((name) => name !== metric.main && !apart(name) && !below.has(name));
  const ordered = names.includes(metric.main) ? [metric.main, ...own] : own;
  const rates = ordered.filter((name) => !isCount(name, scores));
  const counts = ordered.filter((name) => isCount(name, scores));
  return el(
    "section",
    { class: "metric", id: `metric-${m}`, "aria-label": titleOf(metric) },
    el("h3", {}, metric.name, " ", el("code", { class: "settings" }, metric.metric)),
    metric.about && el("p", { class: "about" }, metric.about),
    el(
      "div",
      { class: "side" },
      valuesTable(metric, scores, rates, "value"),
      referenceTable(metric, scores, names, below),
      valuesTable(metric, scores, counts, "count"),
      pairTables(metric, scores, pairs),
    ),
    remarks(scores, open),
    signatures(scores),
  );
}

/** By reason the values that no system has, if several are undefined for it: a line tells them. */
function openAlike(scores, names) {
  const found = new Map();
  const known = scores.filter(Boolean);
  if (known.every((score) => Object.values(score.values).every((value) => value == null)))
    return found;
  for (const name of names) {
    const reasons = new Set(known.map((score) => score.undefined[name]));
    const [reason] = reasons;
    if (reasons.size === 1 && reason != null && !hasOwn(name, known))
      found.set(reason, [...(found.get(reason) ?? []), name]);
  }
  return new Map([...found].filter(([, alike]) => alike.length > 1));
}

/** Whether a value is defined against one of the references. */
const hasOwn = (name, scores) =>
  payload.references.some((_, r) => scores.some((score) => score.values[`${name}_${r + 1}`] != null));

function valuesTable(metric, scores, names, what) {
  if (names.length === 0) return null;
  const several = payload.systems.length > 1;
  const heads = several ? payload.systems.map(named) : [el("span", { class: "hidden" }, what)];
  const rows = names.map((name) =>
    rowOf(
      name,
      scores.map((score) => valueCell(score, name, scores)),
      { class: name === metric.main && "main" },
    ),
  );
  return tableOf([what, ...heads], rows, `${metric.metric}: ${what}s`);
}

function valueCell(score, name, scores) {
  if (!score || !(name in score.values)) return el("td", { class: "soft" }, "–");
  const written = isCount(name, scores) ? count : rate;
  return cellOf(score.values[name], written, score.intervals[name], score.undefined[name]);
}

/** Values that exist for each reference too: rates with their mean, counts with their sum. */
function referenceTable(metric, scores, names, below) {
  const all = new Set(names.map((name) => stemOf(name, names)?.stem).filter(Boolean));
  const stems = [...all].filter((stem) => !below.has(stem));
  if (stems.length === 0) return null;
  const several = payload.systems.length > 1;
  const rows = stems.flatMap((stem) =>
    scores.map((score, s) =>
      el(
        "tr",
        { class: s === 0 && "first" },
        s === 0 && el("th", { scope: "rowgroup", rowspan: scores.length }, stem),
        several && el("th", { scope: "row", class: "plain" }, named(payload.systems[s])),
        valueCell(score, stem, scores),
        payload.references.map((_, r) => valueCell(score, `${stem}_${r + 1}`, scores)),
      ),
    ),
  );
  const systems = several ? [plainHead("system")] : [];
  return tableOf(
    ["by reference", ...systems, "mean or sum", ...payload.references.map(named)],
    rows,
    `${metric.metric} by reference`,
    { class: "grouped" },
  );
}

// ---- pairs of references ----

const PAIR = /^(.+)_(\d+)_(\d+)$/;
const OWN = /^boundaries_\d+$/;

/** What is known of each pair of references: once, unless alignment makes systems differ in it. */
function pairTables(metric, scores, pairs) {
  if (pairs.length === 0) return null;
  const known = scores.filter(Boolean);
  const texts = known.map((score) => pairs.map((name) => score.values[name]).join());
  const distinct = known.filter((_, i) => texts.indexOf(texts[i]) === i);
  return distinct.map((score) => pairTable(metric, score, pairs, distinct.length > 1));
}

function pairTable(metric, score, pairs, several) {
  const what = PAIR.exec(pairs[0])[1];
  const { references } = payload;
  const cell = (r, s) => {
    const [first, second] = [Math.min(r, s) + 1, Math.max(r, s) + 1];
    return valueCell(score, `${what}_${first}_${second}`, [score]);
  };
  const rows = references.map((name, r) =>
    rowOf(named(name), [
      valueCell(score, `boundaries_${r + 1}`, [score]),
      ...references.map((_, s) => cell(r, s)),
    ]),
  );
  const label = `${what} of each pair`;
  const head = several ? [label, ", ", named(payload.systems[score.system])] : label;
  const heads = [head, "boundaries", ...references.map(named)];
  return tableOf(heads, rows, `${metric.metric}: ${label}`, { class: "pairs" });
}

const plainHead = (content) => el("th", { scope: "col", class: "plain" }, content);

/** Remarks on the scores, with names where they are not on all systems, and what is undefined. */
function remarks(scores, open) {
  const known = scores.filter(Boolean);
  const texts = [...new Set(known.flatMap((score) => score.remarks))];
  const items = texts.map((text) => {
    const having = known.filter((score) => score.remarks.includes(text));
    const names = having.map((score) => payload.systems[score.system]);
    return el("li", {}, text, having.length < known.length && [" (", ...listed(names), ")"]);
  });
  for (const [reason, names] of open)
    items.push(el("li", {}, `undefined (${names.join(", ")}): ${reason}`));
  return items.length > 0 && el("ul", { class: "remarks" }, items);
}

/** What reproduces scores, `tested` if so; with names where it is not the same for all systems. */
function signatures(scores, tested = "") {
  const known = scores.filter((score) => score?.signature);
  const texts = [...new Set(known.map((score) => score.signature + tested))];
  if (texts.length === 1) return copyable(texts[0]);
  return known.map((score) =>
    el(
      "div",
      { class: "signed" },
      el("p", { class: "soft" }, named(payload.systems[score.system])),
      copyable(score.signature + tested),
    ),
  );
}
