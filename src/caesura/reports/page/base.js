// What every part of the page uses: the data, elements, and how numbers are written.

const payload = JSON.parse(document.getElementById("payload").textContent);

const byId = (id) => document.getElementById(id);

/** An element with attributes, listeners (functions) and children; texts stay texts. */
function el(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null) node.setAttribute(name, value);
  }
  node.append(...children.flat(2).filter((child) => child != null && child !== false));
  return node;
}

const named = (name) => el("bdi", {}, name);

function reveal(id) {
  const section = byId(id);
  section.hidden = false;
  return section;
}

// ---- numbers and words ----

const grouped = new Intl.NumberFormat("en-GB");

const count = (number) => grouped.format(number).replace("-", "−");

const rate = (number) => number.toFixed(4).replace("-", "−");

const span = (interval) => `[${rate(interval[0])}, ${rate(interval[1])}]`;

const plural = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`;

/** A probability; the smallest ones are not worth their digits. */
function chance(p) {
  if (p == null) return "–";
  return p < 0.0001 ? "< 0.0001" : p.toFixed(4);
}

/** Names as "a, b and c", each kept apart from its surroundings' direction of writing. */
function listed(names) {
  return names.flatMap((name, i) => {
    const link = i === 0 ? "" : i === names.length - 1 ? " and " : ", ";
    return [link, named(name)];
  });
}

// ---- metrics and scores ----

const scoreOf = (system, metric) =>
  payload.scores.find((score) => score.system === system && score.metric === metric);

/** The part of a name before _1, _2 …, if the rest numbers one of the references. */
function stemOf(name, names) {
  const found = /^(.+)_(\d+)$/.exec(name);
  const number = found ? Number(found[2]) : 0;
  const fits = number >= 1 && number <= payload.references.length && names.includes(found[1]);
  return fits ? { stem: found[1], reference: number - 1 } : null;
}

/** A rate has a best value, an interval, a fraction or no value somewhere; all else are counts. */
function isRate(metric, name, scores) {
  return (
    name in metric.best ||
    scores.some(
      (score) =>
        score &&
        name in score.values &&
        (name in score.intervals || !Number.isInteger(score.values[name])),
    )
  );
}

/** How far a value is from the best one: what documents are sorted by. */
function errorOf(metric, values) {
  const value = values?.[metric.main];
  return value == null ? null : Math.abs(value - (metric.best[metric.main] ?? 1));
}

/** Metrics of one name are told apart by their settings. */
function titleOf(metric) {
  const twins = payload.metrics.filter((other) => other.name === metric.name);
  return twins.length > 1 ? metric.metric : metric.name;
}

// ---- small pieces ----

/** One line to copy; it is selected where the clipboard is not ours to write to. */
function copyable(text) {
  const code = el("code", { tabindex: "0" }, text);
  const button = el("button", { type: "button", class: "quiet screen", click: copy }, "Copy");
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(code);
      button.textContent = "Selected";
    }
    setTimeout(() => (button.textContent = "Copy"), 1500);
  }
  return el("div", { class: "signature" }, code, button);
}

/** A table that scrolls sideways by itself rather than with the page. */
function boxed(table, label) {
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, table);
}

/** The colours of the theme in force, for canvases. */
function palette() {
  const probe = byId("probe");
  const names = ["ink", "soft", "rule", "sheet", "hit", "miss", "alarm", "window", "accent"];
  return Object.fromEntries(
    names.map((name) => {
      probe.style.color = `var(--${name})`;
      return [name, getComputedStyle(probe).color];
    }),
  );
}

/** Run at most once a frame, however often it is asked for. */
function perFrame(action) {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      action();
    });
  };
}

/** Index of the first entry of a sorted list that is not below a limit. */
function lowerBound(sorted, limit) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
