// Words of reference and hypothesis side by side, a line under the other.

const LINE_WORDS = 60; // longer sentences, and texts without any, are laid out in such lines
const LINES = 30; // lines added at a time

const ALIGNED_SIGNS = { s: "S", d: "D", i: "I" };
const ALIGNED_ERRORS = { s: "substitution", d: "deletion", i: "insertion" };

class Alignment {
  constructor() {
    this.box = byId("alignment-lines");
    this.lines = [];
    this.kept = [];
    this.shown = 0;
    const names = payload.documents.map(({ id }) => id);
    const documents = this.choice("alignment-document", names);
    documents.addEventListener("change", () => chooseDocument(Number(documents.value)));
    const systems = this.choice("alignment-system", payload.systems);
    systems.addEventListener("change", () => choose("system", systems.value));
    this.choice("alignment-reference", payload.references).addEventListener("change", () =>
      this.open(),
    );
    byId("alignment-kind").addEventListener("change", () => this.filter());
    byId("alignment-search").addEventListener("input", () => this.filter());
    const frame = byId("alignment-box");
    frame.addEventListener("scroll", () => {
      if (frame.scrollTop + frame.clientHeight > frame.scrollHeight - 600) this.add();
    });
  }

  choice(id, names) {
    const select = byId(id);
    names.forEach((name, at) => select.append(el("option", { value: at }, name)));
    select.parentElement.hidden = names.length < 2;
    return select;
  }

  /** Lay out the chosen document of the chosen system. */
  open() {
    byId("alignment-document").value = chosen.document;
    byId("alignment-system").value = chosen.system;
    const one = payload.alignments?.documents[chosen.document];
    const against = Number(byId("alignment-reference").value || 0);
    const found = one?.systems[chosen.system]?.[against];
    byId("alignment").hidden = !found;
    if (!found) return;
    this.lines = linesOf(one.texts[found.text], found);
    this.direction = directionOf(one.texts[found.text].words || found.words);
    this.fillKinds();
    this.filter();
  }

  fillKinds() {
    const number = (kind) => this.lines.reduce((sum, line) => sum + line.errors[kind], 0);
    for (const option of byId("alignment-kind").options) {
      const errors = Object.keys(ALIGNED_ERRORS).filter((kind) => option.value.includes(kind));
      const all = errors.reduce((sum, kind) => sum + number(kind), 0);
      option.textContent = option.dataset.name + (errors.length ? ` (${count(all)})` : "");
    }
  }

  filter() {
    const kinds = [...byId("alignment-kind").value];
    this.wanted = byId("alignment-search").value.trim().toLowerCase();
    this.kept = this.lines.filter(
      (line) =>
        (kinds.length === 0 || kinds.some((kind) => line.errors[kind] > 0)) &&
        (this.wanted === "" || line.cells.some((cell) => this.matches(cell))),
    );
    this.shown = 0;
    this.box.replaceChildren();
    byId("alignment-box").scrollTop = 0;
    byId("alignment-count").textContent =
      this.kept.length < this.lines.length
        ? `${count(this.kept.length)} of ${plural(this.lines.length, "line")}`
        : plural(this.lines.length, "line");
    this.add();
  }

  matches({ said, found }) {
    return [said, found].some((word) => word?.toLowerCase().includes(this.wanted));
  }

  add() {
    const next = this.kept.slice(this.shown, this.shown + LINES);
    this.box.append(...next.map((line, k) => this.row(line, this.kept[this.shown + k - 1])));
    this.shown += next.length;
    if (this.shown === this.kept.length && this.kept.length < this.lines.length)
      this.skip(this.lines.length - 1 - (this.kept.at(-1)?.number ?? -1));
    if (this.lines.length === 0) this.box.append(el("p", { class: "note" }, "There are no words."));
  }

  skip(lines) {
    if (lines > 0) this.box.append(skippedLines(lines));
  }

  row(line, before) {
    const skipped = line.number - (before?.number ?? -1) - 1;
    return el(
      "div",
      {},
      skipped > 0 && skippedLines(skipped),
      el(
        "div",
        { class: "aligned" },
        el(
          "span",
          { class: "number soft", title: "number of the first word in reference and hypothesis" },
          count(line.first + 1),
          el("br"),
          count(line.place + 1),
        ),
        el("p", { dir: this.direction }, line.cells.map((cell) => this.cell(cell)).flat()),
      ),
    );
  }

  /** A word over another; a blank between cells lets lines break, and copies as one. */
  cell(cell) {
    const { kind, said, found } = cell;
    const hit = this.wanted !== "" && this.matches(cell);
    const sign = ALIGNED_SIGNS[kind];
    return [
      el(
        "span",
        { class: `cell kind-${sign ?? "hit"}${hit ? " matched" : ""}`, title: ALIGNED_ERRORS[kind] },
        wordOf(said),
        wordOf(found),
        sign && el("span", { class: "sign" }, sign),
      ),
      " ",
    ];
  }
}

const wordOf = (word) =>
  word == null ? el("span", { class: "none", "aria-label": "nothing" }, "–") : named(word);

const skippedLines = (lines) =>
  el("p", { class: "skipped soft" }, `⋯ ${plural(lines, "line")} left out`);

/** Lines of cells: sentences of the reference, cut where they are long. */
function linesOf(text, { runs, words }) {
  const said = text.words.split("\n");
  const found = words.split("\n");
  const ends = new Set(text.ends);
  const lines = [];
  let [i, j, other, line] = [0, 0, 0, null];
  for (const [, length, kind] of runs.matchAll(/(\d+)([=sdi])/g)) {
    for (let k = 0; k < Number(length); k++) {
      if (!line || line.full || line.cells.length >= LINE_WORDS) {
        // Words inserted after the end of a sentence belong to the line before.
        if (!(line?.full && kind === "i" && line.cells.length < LINE_WORDS)) {
          const errors = { s: 0, d: 0, i: 0 };
          line = { number: lines.length, first: i, place: j, cells: [], errors, full: false };
          lines.push(line);
        }
      }
      const cell = { kind };
      if (kind !== "i") {
        line.full = ends.has(i);
        cell.said = said[i++];
      }
      if (kind === "=") cell.found = cell.said;
      else if (kind !== "d") cell.found = found[other++];
      if (kind !== "d") j++;
      if (kind !== "=") line.errors[kind]++;
      line.cells.push(cell);
    }
  }
  return lines;
}
