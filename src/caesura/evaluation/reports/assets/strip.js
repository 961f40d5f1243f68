// The strip at work: zoom, movement, and what is told about the place under the pointer.

const CLOSEST = 12; // words in sight at the strongest zoom
const AROUND = 6; // words told before and after a gap
const KEYS = {
  "+": "in",
  "=": "in",
  "-": "out",
  "−": "out",
  ArrowLeft: "left",
  ArrowRight: "right",
  0: "all",
};

class Strip {
  constructor() {
    this.canvas = byId("strip-canvas");
    this.overview = byId("strip-overview");
    this.reading = null;
    this.hover = null;
    this.pointers = new Map();
    this.redraw = perFrame(() => this.draw());
    this.listen();
    new ResizeObserver(this.redraw).observe(byId("strip"));
  }

  /** Show a reading; the same words keep the part in sight. */
  show(reading, keep) {
    this.reading = reading;
    this.hover = null;
    if (!keep) [this.from, this.to] = [0, reading.size];
    this.canvas.setAttribute("aria-label", summaryOf(reading));
    this.draw();
    this.tell(chosen.cursor);
  }

  // ---- drawing ----

  draw() {
    const width = this.canvas.parentElement.clientWidth;
    if (!this.reading || this.reading.size === 0 || width === 0) return;
    this.layout = stripLayout(this.reading, width);
    this.scale = (this.layout.right - this.layout.left) / (this.to - this.from);
    const colours = palette();
    const crowded = paintStrip(sized(this.canvas, width, this.layout.height), this, colours);
    paintOverview(sized(this.overview, width, 30), this, colours, width, 30);
    byId("strip-range").textContent =
      `words ${count(Math.floor(this.from) + 1)} – ${count(Math.ceil(this.to))}`;
    byId("strip-key").textContent = keyOf(crowded);
  }

  // ---- movement ----

  see(from, to) {
    const least = Math.min(CLOSEST, this.reading.size);
    const length = clamp(to - from, least, this.reading.size);
    this.from = clamp(from, 0, this.reading.size - length);
    this.to = this.from + length;
    this.redraw();
  }

  /** Zoom so that the word position `at` stays where it is. */
  zoom(factor, at = (this.from + this.to) / 2) {
    const { size } = this.reading;
    const length = clamp((this.to - this.from) * factor, Math.min(CLOSEST, size), size);
    const share = (at - this.from) / (this.to - this.from);
    this.see(at - share * length, at + (1 - share) * length);
  }

  move(words) {
    this.see(this.from + words, this.to + words);
  }

  /** Bring a gap into sight, close enough to tell it from its neighbours. */
  goTo(gap) {
    const length = Math.min(this.to - this.from, 400);
    if (gap < this.from || gap > this.to - 1 || length < this.to - this.from) {
      this.see(gap - length / 2, gap + length / 2);
    }
    this.tell(gap);
    this.redraw();
  }

  wordAt(event) {
    const x = event.clientX - this.canvas.getBoundingClientRect().left;
    return this.from + (x - this.layout.left) / this.scale;
  }

  /** The boundary next to the pointer, or the plain gap if none is near. */
  gapAt(event) {
    const at = this.wordAt(event) - 1;
    const { union, judgements, size } = this.reading;
    const far = (gap) => Math.abs(gap - at);
    const [best] = [union, ...judgements.map(({ gaps }) => gaps)]
      .flatMap((gaps) => {
        const i = lowerBound(gaps, at);
        return gaps.slice(Math.max(0, i - 1), i + 1);
      })
      .filter((gap) => far(gap) * this.scale <= 6)
      .sort((a, b) => far(a) - far(b));
    return best ?? clamp(Math.round(at), 0, size - 1);
  }

  /** The row whose name is under the pointer, if names stand beside the rows. */
  nameAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    if (x >= this.layout.left) return null;
    const named = this.layout.rows.filter((row) => row.kind !== "differ");
    return named.find((row) => y >= row.y && y <= row.y + row.height) ?? null;
  }

  // ---- events ----

  listen() {
    const { canvas } = this;
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("pointerdown", (event) => this.press(event));
    canvas.addEventListener("pointermove", (event) => this.drag(event));
    canvas.addEventListener("pointerup", (event) => this.lift(event));
    canvas.addEventListener("pointercancel", (event) => this.pointers.delete(event.pointerId));
    canvas.addEventListener("pointerleave", () => this.leave());
    canvas.addEventListener("keydown", (event) => this.pressKey(event));
    for (const button of document.querySelectorAll("#strip [data-do]")) {
      button.addEventListener("click", () => this.act(button.dataset.do));
    }
    const jump = (event) => {
      if (event.buttons === 0) return;
      const x = event.clientX - this.overview.getBoundingClientRect().left - this.layout.left;
      const at = (x / (this.layout.right - this.layout.left)) * this.reading.size;
      const half = (this.to - this.from) / 2;
      this.see(at - half, at + half);
    };
    this.overview.addEventListener("pointerdown", (event) => {
      this.overview.setPointerCapture(event.pointerId);
      jump(event);
    });
    this.overview.addEventListener("pointermove", jump);
  }

  act(name) {
    const length = this.to - this.from;
    if (name === "in") this.zoom(1 / 1.6);
    if (name === "out") this.zoom(1.6);
    if (name === "left") this.move(-length / 4);
    if (name === "right") this.move(length / 4);
    if (name === "all") this.see(0, this.reading.size);
  }

  /** The page scrolls on where the wheel can zoom no further out. */
  wheel(event) {
    const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
    const whole = this.to - this.from >= this.reading.size;
    if (whole && (sideways || event.deltaY > 0)) return;
    event.preventDefault();
    if (sideways) this.move(event.deltaX / this.scale);
    else this.zoom(Math.exp(clamp(event.deltaY, -200, 200) * 0.0022), this.wordAt(event));
  }

  press(event) {
    this.canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, { x: event.clientX, start: event.clientX });
    if (this.pointers.size === 2) this.pinched = true;
    if (this.pointers.size === 1) this.pinched = false;
  }

  drag(event) {
    const pointer = this.pointers.get(event.pointerId);
    if (!pointer) return this.point(event);
    const before = [...this.pointers.values()].map(({ x }) => x);
    const moved = event.clientX - pointer.x;
    pointer.x = event.clientX;
    if (this.pointers.size === 2) {
      const after = [...this.pointers.values()].map(({ x }) => x);
      const middle = { clientX: (after[0] + after[1]) / 2 };
      const [old, now] = [before, after].map(([a, b]) => Math.max(12, Math.abs(a - b)));
      this.zoom(old / now, this.wordAt(middle));
    } else if (Math.abs(event.clientX - pointer.start) > 4 || pointer.moved) {
      pointer.moved = true;
      this.move(-moved / this.scale);
    }
  }

  lift(event) {
    const pointer = this.pointers.get(event.pointerId);
    this.pointers.delete(event.pointerId);
    if (!pointer || pointer.moved || this.pinched) return;
    const row = this.nameAt(event);
    if (row) return choose(row.kind === "system" ? "system" : "against", row.number);
    if (this.wordAt(event) < this.from) return;
    const gap = this.gapAt(event);
    // A finger cannot hover: its tap tells the place, and the link below it leads to the text.
    setCursor(gap, event.pointerType === "touch" ? "tell" : "text");
  }

  leave() {
    this.hover = null;
    this.tell(chosen.cursor);
    this.redraw();
  }

  point(event) {
    const beside = this.wordAt(event) < this.from;
    this.canvas.style.cursor = this.nameAt(event) ? "pointer" : beside ? "default" : "";
    if (beside) return this.leave();
    const gap = this.gapAt(event);
    if (gap === this.hover) return;
    this.hover = gap;
    this.tell(gap);
    this.redraw();
  }

  pressKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.shiftKey && event.key.startsWith("Arrow"))
      this.step(event.key === "ArrowLeft" ? -1 : 1);
    else if (event.key === "Enter" && chosen.cursor != null) setCursor(chosen.cursor, "text");
    else if (event.key === "Home") this.move(-this.from);
    else if (event.key === "End") this.move(this.reading.size);
    else if (KEYS[event.key]) this.act(KEYS[event.key]);
    else return;
    event.preventDefault();
  }

  step(direction) {
    const { marks } = this.reading;
    const forward = lowerBound(marks, chosen.cursor == null ? this.from : chosen.cursor + 1);
    const back = lowerBound(marks, chosen.cursor ?? this.to) - 1;
    const i = direction > 0 ? forward : back;
    if (marks[i] != null) setCursor(marks[i], "tell");
  }

  // ---- the words around a place ----

  tell(gap) {
    const known = gap != null && this.reading && gap < this.reading.size;
    const hint = el(
      "p",
      { class: "soft" },
      "Point at a boundary or tap it to read the words there.",
    );
    byId("readout").replaceChildren(...(known ? [this.around(gap), this.facts(gap)] : [hint]));
  }

  around(gap) {
    const { text, starts, size, direction } = this.reading;
    const [first, last] = [Math.max(0, gap - AROUND + 1), Math.min(size - 1, gap + AROUND)];
    const end = endOf(this.reading, gap);
    return el(
      "p",
      { class: "around", dir: direction },
      first > 0 && "… ",
      text.slice(starts[first], end),
      el("b", { class: "gap" }, "|"),
      gap < last && text.slice(starts[gap + 1], endOf(this.reading, last)),
      last < size - 1 && " …",
    );
  }

  facts(gap) {
    const show = { type: "button", class: "link", click: () => setCursor(gap, "text") };
    return el(
      "p",
      { class: "soft" },
      `after word ${count(gap + 1)}`,
      this.holders(gap),
      " ",
      el("button", show, "show in the text"),
    );
  }

  /** Who has a boundary at a gap. */
  holders(gap) {
    const { size, kinds, judgements } = this.reading;
    if (gap === size - 1)
      return `: the end of the recording, counted for ${kinds.has(gap) ? "every" : "no"}body`;
    const systems = judgements.filter(({ gaps }) => gaps[lowerBound(gaps, gap)] === gap);
    const names = systems.map(({ system }) => payload.systems[system]);
    const all = [...holdersOf(this.reading, gap), ...names];
    if (all.length === 0) return ": no boundary";
    const share = payload.among ? `${all.length}/${payload.references.length}: ` : "";
    return [`: boundary in ${share}`, ...listed(all)];
  }
}
