// What the boundaries of a document are called: hits and errors, or what annotators share.

const FAULT = payload.among ? "disagreement" : "error";
const WHO = payload.among ? "annotator" : "reference";

const SIGNS = { hit: "✓", miss: "○", alarm: "✕", all: "●", some: "◐" };
const MEANING = { hit: "hit", miss: "missed boundary", alarm: "false alarm" };
const NAMED = 5; // with more annotators, names beside a mark would crowd the text

/** Add what is chosen to who has a boundary where: kinds of gaps, errors, ends of sentences. */
function judged(held) {
  const found = payload.among
    ? amongEachOther(held)
    : isAlone(held)
      ? alone(held)
      : againstChosen(held);
  const kinds = new Map(
    Object.entries(found.own.lists).flatMap(([kind, gaps]) => gaps.map((gap) => [gap, kind])),
  );
  const marks = [...kinds.keys()].sort((a, b) => a - b);
  const errors = marks.filter((gap) => !["hit", "all"].includes(kinds.get(gap)));
  return { ...held, ...found, kinds, marks, errors };
}

/** Boundaries that all annotators have, and those of some; sentences are the chosen one's. */
function amongEachOther({ references, union, shares }) {
  const everybody = (gap) => shares[gap] === references.length;
  const lists = {
    all: union.filter(everybody),
    some: union.filter((gap) => !everybody(gap)),
  };
  return { targets: references[chosen.against], judgements: [], own: { lists } };
}

/** Whether what is chosen has other words, so that there is nothing to judge by. */
const isAlone = ({ unknown }) =>
  typeof chosen.against === "number" ? unknown[chosen.against] : unknown.every(Boolean);

/** The system's own sentences, unmarked. */
function alone({ systems }) {
  const own = systems.find(({ system }) => system === chosen.system);
  return { targets: own.gaps, judgements: [], own: { lists: {} }, alone: true };
}

/** Hits, misses and false alarms of every system. */
function againstChosen(held) {
  const judge = chosen.against === "windows" ? windowJudge(held) : gapJudge(held);
  const judgements = held.systems.map(({ system, gaps }) => ({ system, gaps, ...judge.of(gaps) }));
  const own = judgements.find(({ system }) => system === chosen.system);
  return { targets: judge.targets, judgements, own };
}

/** A boundary is right where the chosen reference, or any of them, has one too. */
function gapJudge({ union, references, shares, sets }) {
  const any = chosen.against === "any";
  const isTarget = (gap) => (any ? shares[gap] > 0 : sets[chosen.against].has(gap));
  const targets = any ? union : references[chosen.against];
  const of = (gaps) => {
    const ours = new Set(gaps);
    return {
      lists: {
        hit: gaps.filter(isTarget),
        alarm: gaps.filter((gap) => !isTarget(gap)),
        miss: targets.filter((gap) => !ours.has(gap)),
      },
    };
  };
  return { targets, of };
}

/** A boundary is right inside a window, and a window without any is missed, as WiSeBE has it. */
function windowJudge({ windows, shares, size }) {
  const firsts = windows.map(([first]) => first);
  const windowAt = (gap) => {
    const i = lowerBound(firsts, gap + 1) - 1;
    return i >= 0 && gap <= windows[i][1] ? i : -1;
  };
  // A window up to the last word says that the end, which everybody has, is counted.
  const ends = size > 0 && windows.at(-1)?.[1] === size - 1 ? [size - 1] : [];
  const targets = windows.map((window) => mostShared(window, shares));
  const of = (gaps) => {
    const ours = [...gaps, ...ends];
    const reached = new Set(ours.map(windowAt));
    return {
      windows: windows.filter((_, i) => reached.has(i)).length,
      lists: {
        hit: ours.filter((gap) => windowAt(gap) >= 0),
        alarm: ours.filter((gap) => windowAt(gap) < 0),
        miss: targets.filter((_, i) => !reached.has(i)),
      },
    };
  };
  return { targets, of };
}

/** The gap that stands for a window: the first of those that most references have. */
function mostShared([first, last], shares) {
  let best = first;
  for (let gap = first; gap <= last; gap++) if (shares[gap] > shares[best]) best = gap;
  return best;
}

// ---- how it is told ----

const isShared = () => payload.among || typeof chosen.against !== "number";

/** How many of the references have the boundary, unless just one of them is of interest. */
function shareOf(reading, gap) {
  const having = reading.shares[gap];
  return isShared() && having ? `${having}/${payload.references.length}` : "";
}

const holdersOf = (reading, gap) => payload.references.filter((_, r) => reading.sets[r].has(gap));

/** The sign behind a marked word. */
function signOf(reading, gap, kind) {
  const share = shareOf(reading, gap);
  const names = payload.among ? holdersOf(reading, gap) : [];
  const meaning = payload.among
    ? `boundary of ${share} annotators: ${names.join(", ")}`
    : MEANING[kind] + (share && `, ${share} references`);
  const told = kind === "some" && payload.references.length <= NAMED;
  return el(
    "span",
    { class: "sign", role: "img", "aria-label": meaning, title: meaning },
    SIGNS[kind],
    el("small", {}, share),
    told && el("small", { class: "who" }, listed(names)),
  );
}

function writeLegends(reading) {
  const windows = el(
    "li",
    {},
    el("span", { class: "swatch" }),
    el("b", {}, count(reading.windows.length)),
    reading.windows.length === 1 ? " window" : " windows",
  );
  const all = payload.references.length;
  const shares = el("li", { class: "soft" }, `1/${all} … ${all}/${all}: how many ${WHO}s have it`);
  const [ofStrip, ofText] = document.querySelectorAll(".legend");
  ofStrip.replaceChildren(...kindItems(reading), reading.windows.length ? windows : "");
  ofText.replaceChildren(...kindItems(reading), isShared() ? shares : "");
}

function kindItems({ own }) {
  const { hit, miss, alarm, all, some } = own.lists;
  const item = (kind, gaps, one, many = one) =>
    el(
      "li",
      { class: kind },
      el("span", { class: "sign", "aria-hidden": "true" }, SIGNS[kind]),
      el("b", {}, count(gaps.length)),
      ` ${gaps.length === 1 ? one : many}`,
    );
  if (payload.among)
    return [
      item("all", all, "boundary of all", "boundaries of all"),
      item("some", some, "disagreement", "disagreements"),
    ];
  const inside = chosen.against === "windows" ? ` in ${plural(own.windows, "window")}` : "";
  return [
    item("hit", hit, `hit${inside}`, `hits${inside}`),
    inside ? item("miss", miss, "window missed", "windows missed") : item("miss", miss, "missed"),
    item("alarm", alarm, "false alarm", "false alarms"),
  ];
}

/** What the strip shows, in words. */
function summaryOf({ own, size }) {
  const { hit, miss, alarm, all, some } = own.lists;
  const facts = payload.among
    ? `${plural(all.length, "boundary", "boundaries")} of all, ${plural(some.length, FAULT)}`
    : `${payload.systems[own.system]}: ${plural(hit.length, "hit")}, ` +
      `${count(miss.length)} missed, ${plural(alarm.length, "false alarm")}`;
  return `${plural(size, "word")}, ${plural(payload.references.length, WHO)}; ${facts}`;
}

/** How the strip is read. */
function keyOf(crowded) {
  if (payload.among)
    return crowded
      ? "Columns show how many boundaries there are: those of all filled, others hollow on top; " +
          "the last row shows how many disagreements. Zoom in for single boundaries."
      : "Whole ticks are boundaries that all have, half ticks those that somebody lacks; " +
          "the last row marks each place of disagreement.";
  return crowded
    ? "Columns show how many boundaries there are: hits filled, false alarms striped above them, " +
        "missed ones hollow on top. Zoom in for single boundaries."
    : "Whole ticks are hits, ticks or crosses above are false alarms, ticks or rings below are " +
        (chosen.against === "windows" ? "windows without a boundary." : "missed boundaries.");
}
