// Sweeps: a value against a setting, one curve a system, with bands for the intervals.

const DASHES = ["", "7 4", "2 3", "10 3 2 3", "1 4", "12 4"];

function writeSweeps() {
  if (payload.sweeps.length === 0) return;
  reveal("sweeps").append(...payload.sweeps.map((sweep) => sweepPart(sweep)));
}

function sweepPart(sweep) {
  const names = Object.keys(sweep.systems[0]?.values ?? {});
  const main = payload.metrics.find((metric) =>
    [metric.name, metric.metric].includes(sweep.metric),
  )?.main;
  const drawn = names.filter((name) =>
    sweep.systems.some((line) => line.values[name]?.some((value) => value != null)),
  );
  const first = drawn.includes(main) ? main : drawn[0];
  const select = el(
    "select",
    { change: () => show() },
    names.map((name) => el("option", { selected: name === first }, name)),
  );
  const curve = new Curve(sweep);
  const details = el("details", {}, el("summary", {}, "The same as a table"));
  function show() {
    curve.name = select.value;
    curve.draw();
    details.replaceChildren(details.firstChild, sweepTable(sweep, select.value));
  }
  new ResizeObserver(perFrame(() => curve.draw())).observe(curve.figure);
  const part = el(
    "section",
    { class: "sweep" },
    el("h3", {}, sweep.metric, " ", el("span", { class: "soft" }, `by ${sweep.setting}`)),
    el("div", { class: "controls" }, el("label", {}, "Value ", select), curve.key()),
    curve.figure,
    details,
  );
  show();
  return part;
}

function sweepTable(sweep, name) {
  const rows = sweep.points.map((point, i) =>
    rowOf(
      String(point),
      sweep.systems.map((line) =>
        cellOf(line.values[name]?.[i], sweptIn(sweep, name), line.intervals[name]?.[i]),
      ),
    ),
  );
  const heads = sweep.systems.map((line) => named(payload.systems[line.system]));
  return tableOf([sweep.setting, ...heads], rows, `${sweep.metric} by ${sweep.setting}`);
}

/** How a value is written along a sweep: as among the scores of its metric. */
function sweptIn(sweep, name) {
  const scores = payload.scores.filter(
    ({ metric }) => payload.metrics[metric].name === sweep.metric,
  );
  return isCount(name, scores) ? count : rate;
}

/** One drawing; it is made anew when its width, its value or the point in focus changes. */
class Curve {
  constructor(sweep) {
    this.sweep = sweep;
    this.name = "";
    this.point = null;
    this.drawing = svg("svg", {
      class: "curve",
      tabindex: "0",
      role: "img",
      pointermove: (event) => this.focus(this.nearest(event)),
      pointerdown: (event) => this.focus(this.nearest(event)),
      // A finger leaves as soon as it is lifted: what it pointed at stays.
      pointerleave: (event) => event.pointerType === "mouse" && this.focus(null),
      keydown: (event) => this.pressKey(event),
    });
    this.readout = el("p", { class: "readout screen", "aria-live": "polite" });
    this.figure = el("figure", {}, this.drawing, this.readout);
    this.numeric = sweep.points.every((point) => typeof point === "number");
  }

  key() {
    const sample = { class: "line", x1: 0, x2: 36, y1: 6, y2: 6 };
    const items = this.sweep.systems.map((line, i) =>
      el(
        "li",
        {},
        svg(
          "svg",
          { viewBox: "0 0 36 12", class: `line-${i % 6}`, "aria-hidden": "true" },
          svg("line", { ...sample, "stroke-dasharray": DASHES[i % 6] }),
          dot(18, 6, i),
        ),
        named(payload.systems[line.system]),
      ),
    );
    return el("ul", { class: "key" }, items);
  }

  /** Where a point stands on the axis; settings that are no numbers stand evenly. */
  place(i) {
    return this.numeric ? this.sweep.points[i] : i;
  }

  scales() {
    const width = Math.max(280, this.figure.clientWidth);
    const height = clamp(width * 0.42, 220, 340);
    const places = this.sweep.points.map((_, i) => this.place(i));
    const all = this.sweep.systems.flatMap((line) => [
      ...(line.values[this.name] ?? []),
      ...(line.intervals[this.name] ?? []).flat(),
    ]);
    const known = all.filter((value) => value != null);
    const range = known.length ? [Math.min(...known), Math.max(...known)] : [0, 1];
    const ticks = niceTicks(...range, 5);
    const [left, right, top, bottom] = [52, 14, 10, 42];
    const [low, high] = [Math.min(...places), Math.max(...places)];
    const [base, peak] = [ticks[0], ticks.at(-1)];
    const x = (place) =>
      left + (width - left - right) * (high > low ? (place - low) / (high - low) : 0.5);
    const y = (value) =>
      height - bottom - ((height - top - bottom) * (value - base)) / (peak - base);
    return { width, height, x, y, ticks, left, right, top, bottom, known: known.length };
  }

  draw() {
    if (!this.name || this.figure.clientWidth === 0) return;
    const at = (this.at = this.scales());
    this.drawing.setAttribute("viewBox", `0 0 ${at.width} ${at.height}`);
    this.drawing.setAttribute(
      "aria-label",
      `${this.sweep.metric} ${this.name} by ${this.sweep.setting}; arrow keys read the points`,
    );
    const tall = { y1: at.top, y2: at.height - at.bottom };
    this.guide = svg("line", { class: "guide", x1: 0, x2: 0, ...tall });
    const nothing = `${this.name} is undefined at every point`;
    this.drawing.replaceChildren(
      ...this.axes(at),
      this.guide,
      ...this.sweep.systems.map((line, i) => this.band(line, i, at)),
      ...this.sweep.systems.map((line, i) => this.line(line, i, at)),
      at.known ? "" : textAt(at.width / 2, at.height / 2, nothing),
    );
    this.focus(this.point);
  }

  axes(at) {
    const across = { x1: at.left, x2: at.width - at.right };
    const horizontal = at.ticks.map((tick) =>
      svg(
        "g",
        { class: "tick" },
        svg("line", { ...across, y1: at.y(tick), y2: at.y(tick) }),
        textAt(at.left - 8, at.y(tick) + 4, tidy(tick, at.ticks), "end"),
      ),
    );
    const every = Math.ceil(this.sweep.points.length / Math.max(2, Math.floor(at.width / 52)));
    const vertical = this.sweep.points.map((point, i) =>
      textAt(at.x(this.place(i)), at.height - at.bottom + 18, String(point)),
    );
    const middle = at.left + (at.width - at.left - at.right) / 2;
    return [
      ...horizontal,
      ...vertical.filter((_, i) => i % every === 0),
      textAt(middle, at.height - 4, this.sweep.setting),
    ];
  }

  band(line, i, at) {
    const intervals = line.intervals[this.name] ?? [];
    const edge = (points, side) =>
      points.map((p) => [at.x(this.place(p)), at.y(intervals[p][side])]);
    const polygons = stretchesOf(intervals).map((points) =>
      svg("polygon", {
        class: "band",
        points: [...edge(points, 1), ...edge(points, 0).reverse()].join(" "),
      }),
    );
    return svg("g", { class: `line-${i % 6}` }, polygons);
  }

  line(line, i, at) {
    const values = line.values[this.name] ?? [];
    const xy = (p) => [at.x(this.place(p)), at.y(values[p])];
    const stretches = stretchesOf(values);
    const lines = stretches.map((points) =>
      svg("polyline", {
        class: "line",
        "stroke-dasharray": DASHES[i % 6],
        points: points.map(xy).join(" "),
      }),
    );
    const marked = stretches.flat();
    const dots = marked.length <= 40 && marked.map((p) => dot(...xy(p), i));
    return svg("g", { class: `line-${i % 6}` }, lines, dots);
  }

  nearest(event) {
    const box = this.drawing.getBoundingClientRect();
    const x = ((event.clientX - box.left) * this.at.width) / box.width;
    const far = this.sweep.points.map((_, i) => Math.abs(this.at.x(this.place(i)) - x));
    return far.indexOf(Math.min(...far));
  }

  pressKey(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    this.focus(clamp((this.point ?? -1) + step, 0, this.sweep.points.length - 1));
  }

  focus(i) {
    this.point = i;
    const none = i == null;
    this.guide.setAttribute("visibility", none ? "hidden" : "visible");
    if (none) {
      const hint = "Point at the curve or tap it to read its values.";
      this.readout.replaceChildren(el("span", { class: "soft" }, hint));
      return;
    }
    this.guide.setAttribute("transform", `translate(${this.at.x(this.place(i))} 0)`);
    this.readout.replaceChildren(
      el("span", { class: "part" }, `${this.sweep.setting} = ${this.sweep.points[i]}`),
      ...this.sweep.systems.map((line) => this.told(line, i)),
    );
  }

  told(line, i) {
    const value = line.values[this.name]?.[i];
    const interval = line.intervals[this.name]?.[i];
    return el(
      "span",
      { class: "part" },
      named(payload.systems[line.system]),
      " ",
      el("b", {}, value == null ? "undefined" : sweptIn(this.sweep, this.name)(value)),
      interval && el("span", { class: "soft" }, ` ${span(interval)}`),
    );
  }
}

const textAt = (x, y, words, anchor = "middle") =>
  svg("text", { x, y, "text-anchor": anchor }, words);

/** The mark of a system on its curve: shapes differ as well as colours. */
function dot(x, y, i) {
  const r = 3.4;
  if (i % 3 === 0) return svg("circle", { class: "dot", cx: x, cy: y, r });
  if (i % 3 === 1)
    return svg("rect", { class: "dot", x: x - r, y: y - r, width: 2 * r, height: 2 * r });
  return svg("path", {
    class: "dot",
    d: `M${x} ${y - r - 1}l${r + 1} ${2 * r + 1}h${-2 * r - 2}z`,
  });
}

/** Stretches of neighbouring points that have a value. */
function stretchesOf(values) {
  const stretches = [[]];
  values.forEach((value, p) => {
    if (value != null) stretches.at(-1).push(p);
    else stretches.push([]);
  });
  return stretches.filter((points) => points.length > 0);
}

/** About `wanted` round numbers that take in everything from low to high. */
function niceTicks(low, high, wanted) {
  if (high - low < 1e-9) [low, high] = [low - 0.05, high + 0.05];
  const rough = (high - low) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough);
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step);
}

function tidy(tick, ticks) {
  const step = ticks[1] - ticks[0];
  return tick.toFixed(Math.max(0, -Math.floor(Math.log10(step) + 1e-9))).replace("-", "−");
}
