// The words themselves, in sentences of the chosen reference, a page of them at a time.

const PIECE_WORDS = 250; // longer sentences are laid out in pieces, lest a page grow without bound
const PRINT_WORDS = 20000;
const MOST_FOUND = 20000;

class Text {
  constructor() {
    this.reading = null;
    this.box = byId("sentences");
    this.page = 0;
    this.found = [];
    this.match = -1;
    this.listen();
  }

  show(reading) {
    this.reading = reading;
    this.layOut();
    this.search();
    const piece = chosen.cursor == null ? -1 : this.pieceAt(chosen.cursor);
    this.turn(piece < 0 ? 0 : this.pageOf(piece));
  }

  // ---- sentences, pieces, pages ----

  layOut() {
    const { reading } = this;
    const only = byId("only-errors").checked;
    this.pieces = [];
    let first = 0;
    sentenceEnds(reading).forEach((last, sentence) => {
      const wrong = reading.errors[lowerBound(reading.errors, first)] <= last;
      if (wrong || !only) {
        for (let start = first; start <= last; start += PIECE_WORDS) {
          this.pieces.push({
            sentence,
            first: start,
            last: Math.min(last, start + PIECE_WORDS - 1),
            head: start === first,
          });
        }
      }
      first = last + 1;
    });
    this.pages = paged(this.pieces);
  }

  pieceAt(word) {
    const i = lowerBound(
      this.pieces.map((piece) => piece.last),
      word,
    );
    return i < this.pieces.length && this.pieces[i].first <= word ? i : -1;
  }

  pageOf(piece) {
    return this.pages.findIndex(([, end]) => piece < end);
  }

  turn(page) {
    this.page = clamp(page, 0, Math.max(0, this.pages.length - 1));
    const [begin, end] = this.pages[this.page] ?? [0, 0];
    this.fill(begin, end);
    const many = this.pages.length > 1;
    byId("pager").hidden = !many;
    byId("page-number").value = this.page + 1;
    byId("page-number").max = this.pages.length;
    byId("page-count").textContent = many
      ? `of ${count(this.pages.length)}: words ` +
        `${count(this.pieces[begin].first + 1)} – ${count(this.pieces[end - 1].last + 1)}`
      : "";
    byId("page-before").disabled = this.page === 0;
    byId("page-after").disabled = this.page >= this.pages.length - 1;
    this.number();
  }

  fill(begin, end) {
    const parts = [];
    for (let i = begin; i < end; i++) {
      const skipped = this.pieces[i].sentence - (this.pieces[i - 1]?.sentence ?? -1) - 1;
      if (skipped > 0)
        parts.push(
          el("p", { class: "skipped soft" }, `⋯ ${plural(skipped, "sentence")} without ${FAULT}s`),
        );
      parts.push(this.paragraph(this.pieces[i]));
    }
    if (parts.length === 0) parts.push(el("p", { class: "note" }, this.emptiness()));
    this.box.replaceChildren(...parts);
  }

  emptiness() {
    return this.reading.size === 0 ? "This document has no words." : `No sentence has ${FAULT}s.`;
  }

  /** A piece of a sentence: plain text, and each marked word with its sign. */
  paragraph(piece) {
    const { reading } = this;
    const body = el("p", { dir: reading.direction });
    const begin = lowerBound(reading.marks, piece.first);
    const end = lowerBound(reading.marks, piece.last + 1);
    const gaps = reading.marks.slice(begin, end);
    const here = chosen.cursor;
    const plain =
      here != null && here >= piece.first && here <= piece.last && !reading.kinds.has(here);
    if (plain) gaps.splice(lowerBound(gaps, here), 0, here);
    let at = reading.starts[piece.first];
    for (const gap of gaps) {
      this.run(body, at, reading.starts[gap]);
      body.append(this.marked(gap, reading.kinds.get(gap)));
      at = endOf(reading, gap);
    }
    this.run(body, at, endOf(reading, piece.last));
    const label = piece.head ? count(piece.sentence + 1) : "…";
    return el("div", { class: "sentence" }, el("span", { class: "number soft" }, label), body);
  }

  marked(gap, kind = "plain") {
    const word = el("span", { class: "word" });
    this.run(word, this.reading.starts[gap], endOf(this.reading, gap));
    const here = gap === chosen.cursor;
    return el(
      "span",
      { class: `end ${kind}${here ? " here" : ""}`, "data-gap": gap },
      word,
      kind !== "plain" && signOf(this.reading, gap, kind),
    );
  }

  /** Text from one character to another, with what was searched for made visible. */
  run(parent, from, to) {
    const { text } = this.reading;
    let at = from;
    for (
      let i = lowerBound(this.foundEnds, from + 1);
      i < this.found.length && this.found[i][0] < to;
      i++
    ) {
      const [start, end] = [Math.max(at, this.found[i][0]), Math.min(to, this.found[i][1])];
      parent.append(
        text.slice(at, start),
        el("mark", { class: i === this.match && "current" }, text.slice(start, end)),
      );
      at = end;
    }
    if (at < to) parent.append(text.slice(at, to));
  }

  // ---- going to places ----

  /** Lay out the page that has a gap, and bring the gap into sight. */
  goTo(gap, scroll) {
    if (this.pieceAt(gap) < 0) {
      byId("only-errors").checked = false;
      this.layOut();
    }
    this.turn(this.pageOf(this.pieceAt(gap)));
    if (scroll) this.reach(this.box.querySelector(".here"));
  }

  /** Scroll to a place; gently, unless it is far or the reader wants no motion. */
  reach(node) {
    if (!node) return;
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const far = Math.abs(node.getBoundingClientRect().top) > 2 * innerHeight;
    node.scrollIntoView({ block: "center", behavior: calm || far ? "auto" : "smooth" });
  }

  /** Next (1) or previous (-1) error, from the cursor or else from the page in sight; beyond
   * the last one those of the next document, or from the top again. */
  error(direction) {
    const near = this.errorFrom(direction);
    const other = near == null ? nextFaulty(direction) : chosen.document;
    if (other !== chosen.document) chooseDocument(other);
    const to = near ?? this.reading.errors.at(direction > 0 ? 0 : -1);
    if (to != null) setCursor(to, "text");
  }

  errorFrom(direction) {
    const { errors } = this.reading;
    const from = chosen.cursor ?? (this.pieces[this.pages[this.page]?.[0]]?.first ?? 0) - 1;
    return errors[direction > 0 ? lowerBound(errors, from + 1) : lowerBound(errors, from) - 1];
  }

  number() {
    const { errors } = this.reading;
    const i = chosen.cursor == null ? -1 : errors.indexOf(chosen.cursor);
    const at = i < 0 ? "" : `${count(i + 1)} of `;
    byId("error-number").textContent = at + plural(errors.length, FAULT);
    this.label(byId("error-before"), -1, "‹ Previous", "‹ From the end", "‹ Document before");
    this.label(byId("error-after"), 1, "Next ›", "From the top ›", "Next document ›");
  }

  /** A button says where it leads: inside the document, round to its other end, or beyond it. */
  label(button, direction, inside, round, beyond) {
    const near = this.errorFrom(direction) != null;
    const away = !near && nextFaulty(direction) !== chosen.document;
    button.disabled = !away && this.reading.errors.length === 0;
    button.textContent = near || button.disabled ? inside : away ? beyond : round;
  }

  // ---- search ----

  search() {
    const wanted = byId("search").value.trim();
    this.found = [];
    this.match = -1;
    if (wanted && this.reading) {
      const pattern = wanted.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&").replace(/\s+/g, "\\s+");
      for (const found of this.reading.text.matchAll(new RegExp(pattern, "giu"))) {
        if (this.found.push([found.index, found.index + found[0].length]) >= MOST_FOUND) break;
      }
    }
    this.foundEnds = this.found.map(([, end]) => end);
    byId("search-count").textContent = wanted ? plural(this.found.length, "match", "matches") : "";
  }

  /** Go on to the next match, round and round. */
  nextMatch(direction) {
    const all = this.found.length;
    if (all === 0) return;
    this.match = this.match < 0 && direction < 0 ? all - 1 : (this.match + direction + all) % all;
    const word = lowerBound(this.reading.starts, this.found[this.match][0] + 1) - 1;
    byId("search-count").textContent = `${count(this.match + 1)} of ${count(all)}`;
    this.goTo(Math.max(0, word), false);
    this.reach(this.box.querySelector("mark.current"));
  }

  // ---- events ----

  listen() {
    byId("error-before").addEventListener("click", () => this.error(-1));
    byId("error-after").addEventListener("click", () => this.error(1));
    byId("page-before").addEventListener("click", () => this.leaf(this.page - 1));
    byId("page-after").addEventListener("click", () => this.leaf(this.page + 1));
    byId("page-number").addEventListener("change", (event) =>
      this.leaf(Number(event.target.value) - 1),
    );
    byId("only-errors").addEventListener("change", () => this.show(this.reading));
    byId("search").addEventListener("input", () => {
      this.search();
      if (this.found.length) this.nextMatch(1);
      else this.turn(this.page);
    });
    byId("search").addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.nextMatch(event.shiftKey ? -1 : 1);
    });
    this.box.addEventListener("click", (event) => {
      const end = event.target.closest("[data-gap]");
      if (end) setCursor(Number(end.dataset.gap), "strip");
    });
  }

  leaf(page) {
    this.turn(page);
    byId("text").scrollIntoView();
  }

  /** On paper there are no pages to turn: all of the text, unless it would fill a book. */
  forPrint() {
    if (!this.reading || byId("text").hidden) return;
    if (this.reading.size <= PRINT_WORDS) this.fill(0, this.pieces.length);
    else
      this.box.append(
        el(
          "p",
          { class: "note" },
          `Page ${count(this.page + 1)} of ${count(this.pages.length)}; ` +
            "of a text this long just the page that was open is printed.",
        ),
      );
  }
}
