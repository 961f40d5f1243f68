// Painting of the strip: references under each other, windows behind them, systems below.

const CROWDED = 2.5; // pixels a boundary needs; with less, densities are drawn

/** Where rows and words are on the canvas, in CSS pixels. */
function stripLayout(reading, width) {
  const many = reading.references.length + reading.judgements.length > 9;
  const narrow = width < 620;
  const left = narrow ? 0 : 150;
  const height = many ? 17 : 26;
  const above = narrow ? 16 : 0;
  const step = height + above + (many ? 4 : 7);
  const rows = [];
  let y = 6;
  const place = (kind, number, name, lists, tall) => {
    rows.push({ kind, number, name, lists, y: y + above, height: tall });
    y += step + tall - height;
  };
  reading.references.forEach((gaps, r) =>
    place("reference", r, payload.references[r], referenceLists(reading, gaps), height),
  );
  y += 10;
  for (const { system, lists } of reading.judgements)
    place("system", system, payload.systems[system], lists, Math.round(height * 1.3));
  if (payload.among) place("differ", -1, "differ", { miss: reading.own.lists.some }, height);
  return { rows, left, right: width - 8, width, narrow, bottom: y, height: y + 40 };
}

/** Among annotators, what somebody lacks is drawn apart from what all have. */
function referenceLists({ kinds }, gaps) {
  if (!payload.among) return { reference: gaps };
  const of = (kind) => gaps.filter((gap) => kinds.get(gap) === kind);
  return { reference: of("all"), miss: of("some") };
}

const placeOf = (strip, gap) => strip.layout.left + (gap + 1 - strip.from) * strip.scale;

/** The part of a sorted list of gaps that is in sight, and a little more. */
function inSight(strip, gaps) {
  return gaps.slice(lowerBound(gaps, Math.floor(strip.from) - 2), lowerBound(gaps, strip.to + 2));
}

/** Paint all of it; true if some rows had to be drawn as densities. */
function paintStrip(context, strip, colours) {
  const { layout } = strip;
  context.clearRect(0, 0, layout.width, layout.height);
  context.save();
  context.beginPath();
  context.rect(layout.left, 0, layout.right - layout.left + 8, layout.height);
  context.clip();
  const shown = layout.rows.map((row) => rowInSight(strip, row));
  const room = (layout.right - layout.left) / CROWDED;
  const full = (kind) => layout.rows.some((row, i) => row.kind === kind && shown[i].total > room);
  const kinds = ["reference", "system", "differ"];
  const crowded = Object.fromEntries(kinds.map((kind) => [kind, full(kind)]));
  if (!crowded.reference) paintWindows(context, strip, colours);
  paintPointer(context, strip, colours);
  layout.rows.forEach((row, i) => {
    paintBaseline(context, layout, row, colours);
    if (crowded[row.kind]) paintDensity(context, strip, row, shown[i].lists, colours);
    else if (row.kind === "reference") paintReference(context, strip, row, shown[i].lists, colours);
    else paintSystem(context, strip, row, shown[i].lists, colours);
  });
  paintAxis(context, strip, colours);
  if (strip.scale > 46) paintWords(context, strip, colours);
  context.restore();
  paintNames(context, strip, colours);
  return kinds.some((kind) => crowded[kind]);
}

function rowInSight(strip, row) {
  const kinds = Object.entries(row.lists);
  const lists = Object.fromEntries(kinds.map(([kind, gaps]) => [kind, inSight(strip, gaps)]));
  return { lists, total: Object.values(lists).flat().length };
}

function paintWindows(context, strip, colours) {
  context.fillStyle = colours.window;
  const { left, right, rows } = strip.layout;
  const shown = strip.reading.windows.filter(
    ([first, last]) => last >= strip.from - 2 && first <= strip.to + 2,
  );
  // Many windows are drawn narrower, lest they run into one.
  const half = clamp(strip.scale / 2, shown.length * 6 > right - left ? 1 : 2, 7);
  const top = rows[0]?.y ?? 0;
  for (const [first, last] of shown) {
    const x = placeOf(strip, first) - half;
    context.fillRect(x, top - 3, placeOf(strip, last) + half - x, strip.layout.bottom - top);
  }
}

function paintPointer(context, strip, colours) {
  const line = (gap, colour, dash) => {
    context.strokeStyle = colour;
    context.setLineDash(dash);
    context.lineWidth = 1;
    context.beginPath();
    const x = Math.round(placeOf(strip, gap)) + 0.5;
    context.moveTo(x, 0);
    context.lineTo(x, strip.layout.bottom);
    context.stroke();
    context.setLineDash([]);
  };
  if (chosen.cursor != null) line(chosen.cursor, colours.accent, []);
  if (strip.hover != null) line(strip.hover, colours.soft, [3, 3]);
}

function paintBaseline(context, layout, row, colours) {
  context.fillStyle = colours.rule;
  context.fillRect(layout.left, row.y + row.height, layout.right - layout.left, 1);
}

/** Whether a reference is one of those that count. */
const isChosen = (r) => typeof chosen.against !== "number" || chosen.against === r;

function paintReference(context, strip, row, lists, colours) {
  const faint = !payload.among && !isChosen(row.number);
  const tick = (gap, y) => {
    context.fillRect(Math.round(placeOf(strip, gap)) - 1, y, 2, row.y + row.height - y);
  };
  context.fillStyle = faint ? colours.soft : colours.ink;
  context.globalAlpha = faint ? 0.55 : 1;
  for (const gap of lists.reference) tick(gap, row.y + 3);
  context.globalAlpha = 1;
  context.fillStyle = colours.miss;
  for (const gap of lists.miss ?? []) tick(gap, row.y + row.height / 2);
}

/** Hits are whole ticks, false alarms hang from the top with a cross, misses are rings below. */
function paintSystem(context, strip, row, { hit = [], alarm = [], miss = [] }, colours) {
  const roomy = strip.scale > 2.2;
  const middle = row.y + row.height / 2;
  const bottom = row.y + row.height;
  context.fillStyle = colours.hit;
  for (const gap of hit) {
    context.fillRect(Math.round(placeOf(strip, gap)) - 1, row.y + 1, 2, row.height - 1);
  }
  context.fillStyle = context.strokeStyle = colours.alarm;
  context.lineWidth = 1.6;
  for (const gap of alarm) {
    const x = Math.round(placeOf(strip, gap));
    if (roomy) cross(context, x, row.y + 5, 3.4);
    context.fillRect(x - 1, roomy ? row.y + 5 : row.y + 1, 2, row.height / 2 - (roomy ? 3 : 1));
  }
  context.fillStyle = context.strokeStyle = colours.miss;
  for (const gap of miss) {
    const x = Math.round(placeOf(strip, gap));
    if (roomy) ring(context, x, bottom - 5, 3.4);
    else context.fillRect(x - 1, middle + 3, 2, row.height / 2 - 3);
  }
}

function cross(context, x, y, r) {
  context.beginPath();
  context.moveTo(x - r, y - r);
  context.lineTo(x + r, y + r);
  context.moveTo(x - r, y + r);
  context.lineTo(x + r, y - r);
  context.stroke();
}

function ring(context, x, y, r) {
  context.beginPath();
  context.arc(x, y, r, 0, 2 * Math.PI);
  context.stroke();
}

/** Too many boundaries for the pixels there are: how many, in columns of a few pixels. */
function paintDensity(context, strip, row, lists, colours) {
  const { left, right } = strip.layout;
  const wide = 6;
  const columns = Math.ceil((right - left) / wide);
  const kinds = Object.keys(lists);
  const sums = kinds.map((kind) => columnSums(strip, lists[kind], left, wide, columns));
  let most = 1;
  for (let c = 0; c < columns; c++) {
    const all = sums.reduce((total, sum) => total + sum[c], 0);
    most = Math.max(most, all);
  }
  for (let c = 0; c < columns; c++) {
    let y = row.y + row.height;
    kinds.forEach((kind, k) => {
      const tall = (sums[k][c] / most) * row.height;
      context.fillStyle = context.strokeStyle = kind === "reference" ? colours.soft : colours[kind];
      paintColumn(context, kind, left + c * wide, y - tall, wide - 1, tall);
      y -= tall;
    });
  }
}

/** Kinds differ in their filling as well as in colour. */
function paintColumn(context, kind, x, y, wide, tall) {
  if (tall === 0) return;
  if (kind === "alarm") {
    for (let line = 0; line < tall - 0.5; line += 3)
      context.fillRect(x, y + line, wide, Math.min(1.6, tall - line));
  } else if (kind === "miss") {
    context.lineWidth = 1;
    context.strokeRect(x + 0.5, y + 0.5, wide - 1, Math.max(0.5, tall - 1));
  } else context.fillRect(x, y, wide, tall);
}

function columnSums(strip, gaps, left, wide, columns) {
  const sums = new Uint32Array(columns);
  for (const gap of gaps) {
    const column = Math.floor((placeOf(strip, gap) - left) / wide);
    if (column >= 0 && column < columns) sums[column] += 1;
  }
  return sums;
}

function paintAxis(context, strip, colours) {
  const { layout } = strip;
  const wanted = Math.max(2, Math.floor((layout.right - layout.left) / 70));
  const ticks = niceTicks(strip.from, strip.to, wanted).filter((tick) => Number.isInteger(tick));
  context.font = "12px system-ui, sans-serif";
  context.textBaseline = "top";
  context.fillStyle = colours.soft;
  for (const tick of ticks) {
    const x = layout.left + (tick - strip.from) * strip.scale;
    if (x < layout.left - 1 || x > layout.right + 1) continue;
    context.fillRect(Math.round(x), layout.bottom, 1, 5);
    const label = count(tick);
    const half = context.measureText(label).width / 2;
    const middle = clamp(x, layout.left + half, layout.right + 7 - half);
    context.textAlign = "center";
    context.fillText(label, middle, layout.bottom + 8);
  }
}

/** With enough room each word stands between its gaps. */
function paintWords(context, strip, colours) {
  context.fillStyle = colours.ink;
  context.textAlign = "center";
  const first = Math.max(0, Math.floor(strip.from));
  for (let i = first; i < Math.min(strip.reading.size, Math.ceil(strip.to)); i++) {
    const word = fitted(context, strip.reading.words[i], strip.scale - 6);
    context.fillText(word, placeOf(strip, i) - strip.scale / 2, strip.layout.bottom + 24);
  }
}

function paintNames(context, strip, colours) {
  const { layout } = strip;
  context.textAlign = "left";
  context.textBaseline = "middle";
  for (const row of layout.rows) {
    const active = row.kind === "system" ? row.number === chosen.system : isChosen(row.number);
    context.font = `${active ? "600 " : ""}${layout.narrow ? 12 : 13}px system-ui, sans-serif`;
    context.fillStyle = active ? colours.ink : colours.soft;
    const room = layout.narrow ? layout.width - 10 : layout.left - 16;
    const y = layout.narrow ? row.y - 7 : row.y + row.height / 2 + 1;
    context.fillText(fitted(context, row.name, room), 0, y);
  }
}

/** A text in the room it has: its middle goes, for names often differ in their ends. */
function fitted(context, text, room) {
  if (context.measureText(text).width <= room) return text;
  const letters = [...text];
  for (let kept = Math.min(letters.length - 1, 60); kept > 1; kept--) {
    const front = Math.floor(kept / 3);
    const short = `${letters.slice(0, front).join("")}…${letters.slice(front - kept).join("")}`;
    if (context.measureText(short).width <= room) return short;
  }
  return "…";
}

/** The whole recording in one line: where the errors are, and which part is in sight. */
function paintOverview(context, strip, colours, width, height) {
  const { left, right } = strip.layout;
  const wide = 3;
  const columns = Math.ceil((right - left) / wide);
  const sums = new Uint32Array(columns + 1);
  const scale = (right - left) / strip.reading.size;
  for (const gap of strip.reading.errors) sums[Math.floor(((gap + 1) * scale) / wide)] += 1;
  const most = sums.reduce((high, sum) => Math.max(high, sum), 1);
  context.clearRect(0, 0, width, height);
  context.fillStyle = colours.rule;
  context.fillRect(left, height - 1, right - left, 1);
  context.fillStyle = colours.soft;
  sums.forEach((sum, c) => {
    const tall = (sum / most) * (height - 6);
    context.fillRect(left + c * wide, height - 1 - tall, wide - 1, tall);
  });
  const [from, to] = [left + strip.from * scale, left + strip.to * scale];
  context.fillStyle = colours.accent;
  context.globalAlpha = 0.14;
  context.fillRect(from, 0, Math.max(3, to - from), height);
  context.globalAlpha = 1;
  context.strokeStyle = colours.accent;
  context.lineWidth = 1.5;
  context.strokeRect(from + 0.75, 0.75, Math.max(3, to - from - 1.5), height - 1.5);
  context.font = "12px system-ui, sans-serif";
  context.textBaseline = "middle";
  context.fillStyle = colours.soft;
  if (!strip.layout.narrow)
    context.fillText(payload.among ? "differ, overview" : "errors, overview", 0, height / 2);
}
