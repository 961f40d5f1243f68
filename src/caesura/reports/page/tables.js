// The head of the page, the values of each metric, and the comparison of systems.

function writeHead() {
  document.title = payload.title;
  byId("title").append(named(payload.title));
  byId("version").textContent = payload.version;
  byId("made-by").textContent = payload.version;
  const words = payload.documents.reduce((sum, document) => sum + document.words_count, 0);
  const { systems, references, documents } = payload;
  byId("lead").append(
    ...described(systems, "system"),
    ` scored against `,
    ...described(references, "reference"),
    documents.length
      ? ` on ${plural(documents.length, "document")} of ${plural(words, "word")}.`
      : ".",
  );
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
  const own = names.filter((name) => !stemOf(name, names));
  const ordered = [metric.main, ...own.filter((name) => name !== metric.main)].filter((name) =>
    names.includes(name),
  );
  const rates = ordered.filter((name) => isRate(metric, name, scores));
  return el(
    "section",
    { class: "metric", id: `metric-${m}`, "aria-label": titleOf(metric) },
    el("h3", {}, metric.name, " ", el("code", { class: "settings" }, metric.metric)),
    metric.about && el("p", { class: "about" }, metric.about),
    el(
      "div",
      { class: "side" },
      valuesTable(metric, scores, rates, "value"),
      referenceTable(metric, scores, names),
      valuesTable(
        metric,
        scores,
        ordered.filter((name) => !rates.includes(name)),
        "count",
      ),
    ),
    remarks(scores),
    signatures(scores),
  );
}

function valuesTable(metric, scores, names, what) {
  if (names.length === 0) return null;
  const head =
    payload.systems.length > 1
      ? payload.systems.map((name) => el("th", { scope: "col" }, named(name)))
      : [el("th", { scope: "col" }, el("span", { class: "hidden" }, what))];
  const rows = names.map((name) =>
    el(
      "tr",
      { class: name === metric.main && "main" },
      el("th", { scope: "row" }, name),
      scores.map((score) => valueCell(metric, score, name, scores)),
    ),
  );
  return boxed(
    el(
      "table",
      {},
      el("caption", { class: "hidden" }, `${metric.metric}: ${what}s`),
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, what), head)),
      el("tbody", {}, rows),
    ),
    `${metric.name}: ${what}s`,
  );
}

function valueCell(metric, score, name, scores, stem = name) {
  if (!score || !(name in score.values)) return el("td", { class: "soft" }, "–");
  const value = score.values[name];
  if (value == null) {
    const reason = score.undefined[name];
    return el("td", { class: "undefined" }, "undefined", reason && el("small", {}, reason));
  }
  const interval = score.intervals[name];
  const whole = !isRate(metric, stem, scores);
  return el(
    "td",
    {},
    whole ? count(value) : rate(value),
    interval && el("small", {}, span(interval)),
  );
}

/** Values that exist for each reference too: the mean, and one column a reference. */
function referenceTable(metric, scores, names) {
  const stems = [...new Set(names.map((name) => stemOf(name, names)?.stem).filter(Boolean))];
  if (stems.length === 0) return null;
  const several = payload.systems.length > 1;
  const rows = stems.flatMap((stem) =>
    scores.map((score, s) =>
      el(
        "tr",
        { class: s === 0 && "first" },
        s === 0 && el("th", { scope: "rowgroup", rowspan: scores.length }, stem),
        several && el("th", { scope: "row", class: "plain" }, named(payload.systems[s])),
        valueCell(metric, score, stem, scores),
        payload.references.map((_, r) =>
          valueCell(metric, score, `${stem}_${r + 1}`, scores, stem),
        ),
      ),
    ),
  );
  const head = el(
    "tr",
    {},
    el("th", { scope: "col" }, "by reference"),
    several && el("th", { scope: "col", class: "plain" }, "system"),
    el("th", { scope: "col" }, "mean"),
    payload.references.map((name) => el("th", { scope: "col" }, named(name))),
  );
  return boxed(
    el(
      "table",
      { class: "grouped" },
      el("caption", { class: "hidden" }, `${metric.metric} by reference`),
      el("thead", {}, head),
      el("tbody", {}, rows),
    ),
    `${metric.name} by reference`,
  );
}

/** Remarks on the scores; with names where they are not on all systems. */
function remarks(scores) {
  const known = scores.filter(Boolean);
  const texts = [...new Set(known.flatMap((score) => score.remarks))];
  const items = texts.map((text) => {
    const having = known.filter((score) => score.remarks.includes(text));
    const names = having.map((score) => payload.systems[score.system]);
    return el("li", {}, text, having.length < known.length && [" (", ...listed(names), ")"]);
  });
  return items.length > 0 && el("ul", { class: "remarks" }, items);
}

function signatures(scores) {
  const known = scores.filter((score) => score?.signature);
  const texts = [...new Set(known.map((score) => score.signature))];
  if (texts.length === 1) return copyable(texts[0]);
  return known.map((score) =>
    el(
      "div",
      { class: "signed" },
      el("p", { class: "soft" }, named(payload.systems[score.system])),
      copyable(score.signature),
    ),
  );
}

// ---- comparison ----

const LEVEL = 0.05;

function writeComparison() {
  const comparison = payload.comparison;
  if (!comparison) return;
  const heads = [
    "value",
    "systems",
    "difference",
    "interval",
    "p (bootstrap)",
    "p (randomization)",
    "p (corrected)",
    "significant",
  ];
  const left = ["systems", "significant"];
  reveal("comparison").append(
    el(
      "p",
      { class: "note" },
      "The difference is the first system's value less the second's. ",
      `It is called significant where p after correction is below ${LEVEL}.`,
    ),
    boxed(
      el(
        "table",
        { class: "comparison" },
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            heads.map((head) =>
              el("th", { scope: "col", class: left.includes(head) && "plain" }, head),
            ),
          ),
        ),
        el("tbody", {}, comparison.rows.map(comparisonRow)),
      ),
      "Comparison of systems",
    ),
    comparison.signature ? copyable(comparison.signature) : "",
  );
}

function comparisonRow(row) {
  const metric = payload.metrics.find((one) => [one.name, one.metric].includes(row.metric));
  const pair = [named(payload.systems[row.a]), " − ", named(payload.systems[row.b])];
  const front = [
    el(
      "th",
      { scope: "row" },
      metric ? titleOf(metric) : row.metric,
      " ",
      el("span", { class: "soft" }, row.value),
    ),
    el("td", { class: "words" }, pair),
  ];
  if (row.difference == null) {
    return el(
      "tr",
      {},
      front,
      el(
        "td",
        { class: "undefined words", colspan: "6" },
        "undefined",
        row.undefined && el("small", {}, row.undefined),
      ),
    );
  }
  const sign = row.difference > 0 ? "+" : "";
  return el(
    "tr",
    {},
    front,
    el("td", {}, sign + rate(row.difference)),
    el("td", {}, row.interval ? span(row.interval) : "–"),
    el("td", {}, chance(row.p_bootstrap)),
    el("td", {}, chance(row.p_randomization)),
    el("td", {}, chance(row.p_corrected)),
    verdict(row),
  );
}

function verdict(row) {
  if (row.p_corrected == null) return el("td", { class: "soft" }, "–");
  const sure = row.p_corrected < LEVEL;
  return el("td", { class: sure ? "sure words" : "soft words" }, sure ? "● yes" : "○ no");
}
