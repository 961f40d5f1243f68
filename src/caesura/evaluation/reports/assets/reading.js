// The words of the document that is being read, and who has a boundary where.

const UNSPACED =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\uff00-\uffef]/u;

/** Some scripts write words without blanks between them. */
function blankBetween(before, after) {
  if (before === "" || after === "") return "";
  if (before.charCodeAt(before.length - 1) < 0xe00 || after.charCodeAt(0) < 0xe00) return " ";
  const last = String.fromCodePoint(
    before.codePointAt(before.length - (/[\udc00-\udfff]$/.test(before) ? 2 : 1)),
  );
  return UNSPACED.test(last) && UNSPACED.test(String.fromCodePoint(after.codePointAt(0)))
    ? ""
    : " ";
}

const RIGHT_TO_LEFT = /[\p{sc=Arab}\p{sc=Hebr}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}\p{sc=Adlm}]/gu;

/** The direction most letters have: one for all sentences, whatever word a sentence begins with. */
function directionOf(text) {
  const sample = text.slice(0, 20000);
  const [right, all] = [RIGHT_TO_LEFT, /\p{L}/gu].map(
    (letters) => sample.match(letters)?.length ?? 0,
  );
  return right * 2 > all ? "rtl" : "ltr";
}

/** Who has a boundary where in a view: the gaps of each reference, as a set too, how many
 * references share each gap, and the gaps that any of them has. */
function heldIn(view) {
  const size = view.words === "" ? 0 : view.words.split("\n").length;
  // The end of the last word is an end in any case: it is neither found nor missed.
  const inner = (gaps) => gaps.filter((gap) => gap >= 0 && gap < size - 1);
  // A reference with other words has its boundaries nowhere in this text.
  const unknown = view.references.map((gaps) => gaps === null);
  const references = view.references.map((gaps) => inner(gaps ?? []));
  const shares = new Uint32Array(size);
  for (const gap of references.flat()) shares[gap] += 1;
  return {
    size,
    references,
    unknown,
    shares,
    sets: references.map((gaps) => new Set(gaps)),
    union: [...shares.keys()].filter((gap) => shares[gap] > 0),
    systems: view.systems.map(({ system, gaps }) => ({ system, gaps: inner(gaps) })),
    windows: view.windows ?? [],
  };
}

/** A view's words as one text, and where each word stands in it. */
function opened(view) {
  const words = view.words === "" ? [] : view.words.split("\n");
  const starts = new Int32Array(words.length);
  const parts = [];
  let length = 0;
  words.forEach((word, i) => {
    const blank = i === 0 ? "" : blankBetween(words[i - 1], word);
    starts[i] = length + blank.length;
    length += blank.length + word.length;
    parts.push(blank, word);
  });
  const text = parts.join("");
  return { ...heldIn(view), words, starts, text, direction: directionOf(text) };
}

let openedView = { of: null, view: null };

/** The document as the chosen system has it, or null if it has no words of it. */
function currentReading() {
  const view = viewOf(chosen.document);
  if (!view) return null;
  if (openedView.of !== view) openedView = { of: view, view: opened(view) };
  return judged(openedView.view);
}

function viewOf(d) {
  const views = payload.documents[d]?.views ?? [];
  if (payload.among) return views[0];
  return views.find((one) => one.systems.some(({ system }) => system === chosen.system));
}

/** Whether there is anything to step to in a document. */
function isFaulty(d) {
  const view = viewOf(d);
  return Boolean(view) && judged(heldIn(view)).errors.length > 0;
}

const endOf = (reading, word) => reading.starts[word] + reading.words[word].length;

// ---- sentences and pages ----

const PAGE_WORDS = 1500;

/** The last words of the sentences of the chosen reference, or of all of them together. */
function sentenceEnds({ size, targets }) {
  return size === 0 ? [] : [...targets.filter((gap) => gap < size - 1), size - 1];
}

/** Pages as [first, beyond] of pieces, each of about as many words as one reads at a time. */
function paged(pieces) {
  const pages = [];
  let begin = 0;
  let words = 0;
  pieces.forEach((piece, i) => {
    words += piece.last - piece.first + 1;
    if (words >= PAGE_WORDS || i === pieces.length - 1) {
      pages.push([begin, i + 1]);
      [begin, words] = [i + 1, 0];
    }
  });
  return pages;
}
