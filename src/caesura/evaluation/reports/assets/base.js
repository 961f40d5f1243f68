// What every part of the page uses: the data, elements, and how numbers are written.

/** What goes wrong is said where the reader sees it; a browser's mere remarks carry no error. */
addEventListener("error", ({ error }) => {
  if (!error) return;
  const notice = document.getElementById("failure");
  notice.hidden = false;
  notice.textContent = `The page could not be drawn: ${error}`;
});

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

/** Whole numbers are written without decimals; whether a value is one was known when counted. */
const isCount = (name, scores) => scores.some((score) => score?.counts.includes(name));

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

/** A table in a box that scrolls sideways by itself rather than with the page. */
function tableOf(heads, rows, label, attributes = {}) {
  const table = el(
    "table",
    attributes,
    el("caption", { class: "hidden" }, label),
    el("thead", {}, el("tr", {}, inCells("th", { scope: "col" }, heads))),
    el("tbody", {}, rows),
  );
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, table);
}

function rowOf(head, values, attributes = {}) {
  return el("tr", attributes, el("th", { scope: "row" }, head), inCells("td", {}, values));
}

/** Each content in a cell; what is such a cell already, with a class of its own, stays one. */
function inCells(tag, attributes, contents) {
  return contents.map((one) => (one?.localName === tag ? one : el(tag, attributes, one)));
}

/** A value that may be undefined, then with the reason if it is known. */
function cellOf(value, written, interval, reason) {
  if (value == null) {
    return el("td", { class: "undefined" }, "undefined", reason && el("small", {}, reason));
  }
  return el("td", {}, written(value), interval && el("small", {}, span(interval)));
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

/** Give a canvas its size in device pixels, and a context that counts in CSS pixels. */
function sized(canvas, width, height) {
  const dots = Math.min(3, devicePixelRatio || 1);
  const [wide, tall] = [Math.round(width * dots), Math.round(height * dots)];
  if (canvas.width !== wide || canvas.height !== tall) {
    [canvas.width, canvas.height] = [wide, tall];
    canvas.style.aspectRatio = `${width} / ${height}`;
  }
  const context = canvas.getContext("2d");
  context.setTransform(dots, 0, 0, dots, 0, 0);
  return context;
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
