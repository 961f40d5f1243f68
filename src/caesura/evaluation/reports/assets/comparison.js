// The comparison of systems: how far apart, and whether by chance.

const LEVEL = 0.05;

function writeComparison() {
  const comparison = payload.comparison;
  if (!comparison) return;
  const heads = [
    "value",
    plainHead("systems"),
    "difference",
    "interval",
    "p (bootstrap)",
    "p (randomization)",
    "p (corrected)",
    plainHead("significant"),
  ];
  reveal("comparison").append(
    el(
      "p",
      { class: "note" },
      "The difference is the first system's value less the second's. ",
      `It is called significant where p after correction is below ${LEVEL}.`,
    ),
    ...comparison.remarks.map((text) => el("p", { class: "note" }, text)),
    tableOf(heads, comparison.rows.map(comparisonRow), "Comparison of systems", {
      class: "comparison",
    }),
    // Without tests there is nothing to say that the values have not said.
    ...(comparison.tested ? testSignatures(comparison.tested) : []),
  );
}

const testSignatures = (tested) =>
  payload.metrics.flatMap((_, m) =>
    signatures(
      payload.systems.map((_, s) => scoreOf(s, m)),
      tested,
    ),
  );

function comparisonRow(row) {
  const metric = payload.metrics.find((one) => [one.name, one.metric].includes(row.metric));
  const title = metric ? titleOf(metric) : row.metric;
  const pair = [named(payload.systems[row.a]), " − ", named(payload.systems[row.b])];
  const sign = row.difference > 0 ? "+" : "";
  const facts =
    row.difference == null
      ? [
          el(
            "td",
            { class: "undefined words", colspan: "6" },
            "undefined",
            row.undefined && el("small", {}, row.undefined),
          ),
        ]
      : [
          sign + rate(row.difference),
          row.interval ? span(row.interval) : "–",
          chance(row.p_bootstrap),
          chance(row.p_randomization),
          chance(row.p_corrected),
          verdict(row),
        ];
  return rowOf(
    [title, " ", el("span", { class: "soft" }, row.value)],
    [el("td", { class: "words" }, pair), ...facts],
  );
}

function verdict(row) {
  if (row.p_corrected == null) return el("td", { class: "soft" }, "–");
  const sure = row.p_corrected < LEVEL;
  return el("td", { class: sure ? "sure words" : "soft words" }, sure ? "● yes" : "○ no");
}
