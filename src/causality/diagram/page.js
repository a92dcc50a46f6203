'use strict';
const began = performance.now();
const $ = (id) => document.getElementById(id);
const about = JSON.parse($('about').textContent);

// ---- data ----

function bytesOf(id) {
  const element = $(id), text = atob(element.textContent), bytes = new Uint8Array(text.length);
  element.remove();
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes.buffer;
}
const time = new Float64Array(bytesOf('time'));        // us on the axis, by event
const spread = new Float32Array(bytesOf('spread'));    // us; negative: unknown
const moment = new Float64Array(bytesOf('moment'));    // instructions
const segment = new Uint32Array(bytesOf('segment'));
const counter = new Uint32Array(bytesOf('counter'));
const partner = new Uint16Array(bytesOf('partner'));
const type = new Uint16Array(bytesOf('type'));         // 1 and the type; 0: unknown
const from = new Int32Array(bytesOf('from'));          // by link, in order of time: the send, -1: none
const to = new Int32Array(bytesOf('to'));              // the receive, -1: none
const fate = new Uint8Array(bytesOf('fate'));
const nodes = about.nodes, links = from.length;
const nodeOf = new Uint16Array(time.length);
nodes.forEach((n, i) => nodeOf.fill(i, n.first, n.first + n.count));

const FATES = ['received', 'overtaken', 'received again', 'lost', 'undecided', 'unknown', 'send not in the log',
  'no log of the sender', 'fits nothing'];
const LIGHT = ['#0b62c4', '#c25100', '#7d3cc8', '#c9182b', '#8a6d00', '#80868c', '#007d74', '#80868c', '#c2188a'];
const DARK = ['#5aa5f5', '#ff9a4d', '#bb8cf5', '#ff6b78', '#e0bd3d', '#8d949b', '#40c4b8', '#8d949b', '#ff7ac6'];
const dark = matchMedia('(prefers-color-scheme: dark)');
const WHY = [
  'All histories that fit the logs agree on this pair.',
  'A later message of the same sender came before it.',
  'The same message was received before.',
  'No node whose log is there received it.',
  'Several sends fit: the logs cannot decide which one it was.',
  'It may have been received where a log has a gap, or ends.',
  'Its sender\'s log does not have the send: it begins later, has a gap, or ends before.',
  'There is no log of its sender.',
  'Nothing that its sender sent fits: the logs do not belong together, or a message was overtaken by 32 others.',
];

const startOf = (l) => time[from[l] >= 0 ? from[l] : to[l]];
const endOf = (l) => time[to[l] >= 0 ? to[l] : from[l]];
const typeOf = (l) => (from[l] >= 0 && type[from[l]]) || (to[l] >= 0 ? type[to[l]] : 0);

// The latest end of each block of links: which of them reach into a window.
const BLOCK = 512, blockEnd = new Float64Array(Math.ceil(links / BLOCK) || 1).fill(-Infinity);
for (let l = 0; l < links; l++) {
  const end = endOf(l), b = l / BLOCK | 0;
  if (end > blockEnd[b]) blockEnd[b] = end;
}
function firstStartingAt(t) { // the first link that starts at t or later
  let low = 0, high = links;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (startOf(middle) < t) low = middle + 1; else high = middle;
  }
  return low;
}

// ---- filters ----

const shown = { fates: new Uint8Array(FATES.length).fill(1), types: new Map(), row: new Int32Array(nodes.length), rows: [], version: 0 };

function countBy(n, key) {
  const counts = new Map();
  for (let l = 0; l < n; l++) counts.set(key(l), (counts.get(key(l)) || 0) + 1);
  return counts;
}
function checkbox(parent, label, count, colour, change) {
  const element = document.createElement('label'), box = document.createElement('input');
  box.type = 'checkbox';
  box.checked = true;
  box.onchange = () => { change(box.checked); refilter(); };
  element.append(box);
  if (colour) {
    const swatch = document.createElement('span');
    swatch.className = 'swatch';
    swatch.style.background = colour;
    element.append(swatch);
  }
  const text = document.createElement('span'), number = document.createElement('span');
  text.textContent = label;
  number.textContent = count.toLocaleString('en');
  number.className = 'count';
  element.append(text, number);
  parent.append(element);
}
function group(name) {
  const element = document.createElement('span'), title = document.createElement('b');
  element.className = 'group';
  title.textContent = name;
  element.append(title);
  $('filters').append(element);
  return element;
}
function parseNodes(text) { // "0-4, 7": null stands for all
  if (!text.trim()) return null;
  const wanted = new Set();
  for (const part of text.split(/[\s,]+/).filter(Boolean)) {
    const m = /^(\d+)(?:-(\d+))?$/.exec(part);
    if (!m) continue;
    for (const n of nodes) if (n.address >= +m[1] && n.address <= +(m[2] ?? m[1])) wanted.add(n.address);
  }
  return wanted;
}
function makeFilters() {
  const colours = dark.matches ? DARK : LIGHT, ofFate = countBy(links, (l) => fate[l]), ofType = countBy(links, typeOf);
  const fates = group('Fate'), typesGroup = ofType.size > 1 || !ofType.has(0) ? group('Type') : null, which = group('Nodes');
  FATES.forEach((name, i) => ofFate.has(i) && checkbox(fates, name, ofFate.get(i), colours[i], (on) => { shown.fates[i] = on; }));
  for (const [t, n] of [...ofType].sort((a, b) => a[0] - b[0])) {
    shown.types.set(t, true);
    if (typesGroup) checkbox(typesGroup, t ? '0x' + (t - 1).toString(16).padStart(2, '0') : 'unknown', n, null, (on) => shown.types.set(t, on));
  }
  const input = document.createElement('input');
  input.type = 'text';
  input.placeholder = 'all; or 0-4, 7';
  input.setAttribute('aria-label', 'Nodes that are shown');
  input.oninput = () => { shown.wanted = parseNodes(input.value); refilter(); };
  const all = document.createElement('button');
  all.textContent = 'Show all time';
  all.onclick = () => fit();
  which.append(input, all);
}
const isShown = (l) => {
  const a = from[l] >= 0 ? shown.row[nodeOf[from[l]]] : 0, b = to[l] >= 0 ? shown.row[nodeOf[to[l]]] : 0;
  return shown.fates[fate[l]] && a >= 0 && b >= 0 && shown.types.get(typeOf(l));
};
function refilter() {
  shown.rows = [];
  nodes.forEach((n, i) => {
    const on = !shown.wanted || shown.wanted.has(n.address);
    shown.row[i] = on ? shown.rows.length : -1;
    if (on) shown.rows.push(i);
  });
  shown.version++;
  forget();
}

// ---- the view ----

const canvas = $('canvas'), context = canvas.getContext('2d');
const LEFT = 64, TOP = 46, STRIP = 256;
const view = { start: 0, scale: 1, scroll: 0, width: 0, height: 0, ratio: 1, selected: -1 }; // us; pixels a us
let strips = new Map(), old = [], asked = false;

const rowHeight = () => Math.max(14, Math.min(60, (view.height - TOP - 10) / Math.max(1, shown.rows.length)));
const yOf = (node) => TOP + 10 + (shown.row[node] + 0.5) * rowHeight() - view.scroll;
const xOf = (t) => LEFT + (t - view.start) * view.scale;
const plotWidth = () => Math.max(1, view.width - LEFT);

// Without clocks a unit is an event, else a microsecond.
const MOST_SCALE = about.clockless ? 60 : 2, LEAST_SPAN = about.clockless ? 1 : 1000;

function clampView() {
  const span = Math.max(about.end - about.begin, 1), least = plotWidth() / (span * 1.1);
  view.scale = Math.max(Math.min(view.scale, MOST_SCALE), least);
  const seen = plotWidth() / view.scale;
  view.start = Math.min(Math.max(view.start, about.begin - seen * 0.5), about.end - seen * 0.5);
  const tall = shown.rows.length * rowHeight() + 20;
  view.scroll = Math.max(0, Math.min(view.scroll, tall - (view.height - TOP)));
}
function fit() {
  const span = Math.max(about.end - about.begin, LEAST_SPAN);
  view.scale = plotWidth() / (span * 1.04);
  view.start = about.begin - span * 0.02;
  forget();
}
// What has been drawn no longer fits: it stays on the screen, scaled, until there is something better.
function forget() {
  if (strips.size) old = [...strips.values()].filter((s) => s.done && s.version === shown.version && s.scroll === view.scroll);
  strips = new Map();
  ask();
}
function ask() {
  if (!asked) { asked = true; requestAnimationFrame(frame); }
}
function resize() {
  view.ratio = devicePixelRatio || 1;
  view.width = canvas.clientWidth;
  view.height = canvas.clientHeight;
  canvas.width = Math.round(view.width * view.ratio);
  canvas.height = Math.round(view.height * view.ratio);
  old = [];
  clampView();
  forget();
}

// ---- strips: parts of the plot, 256 pixels wide, drawn once and moved with the view ----

function makeStrip(index) {
  const c = document.createElement('canvas');
  c.width = Math.ceil(STRIP * view.ratio);
  c.height = Math.ceil(view.height * view.ratio);
  const t0 = index * STRIP / view.scale, t1 = (index + 1) * STRIP / view.scale;
  const s = { c, index, t0, t1, version: shown.version, scroll: view.scroll, next: 0, end: firstStartingAt(t1 + 8 / view.scale), done: false,
    context: c.getContext('2d') };
  s.context.scale(view.ratio, view.ratio);
  s.context.lineWidth = view.scale * (about.end - about.begin) > 20 * plotWidth() ? 1.2 : 1;
  return s;
}
// One pass over links for each strip; false: time is over and something is left.
function drawStrip(s, until) {
  const colours = dark.matches ? DARK : LIGHT, paths = colours.map(() => new Path2D());
  const early = s.t0 - 8 / view.scale, x = (t) => (t - s.t0) * view.scale;
  let drawn = 0;
  for (; s.next < s.end; s.next++) {
    if (s.next % BLOCK === 0) {
      if (blockEnd[s.next / BLOCK] < early) { s.next += BLOCK - 1; continue; }
      if (drawn > 4000 && performance.now() > until) break;
    }
    if (endOf(s.next) < early || !isShown(s.next)) continue;
    drawLink(paths[fate[s.next]], s.next, x);
    drawn++;
  }
  s.context.globalAlpha = s.end > 20000 && view.scale * (about.end - about.begin) < 4 * plotWidth() ? 0.45 : 0.9;
  paths.forEach((p, i) => { s.context.strokeStyle = colours[i]; s.context.stroke(p); });
  s.done = s.next >= s.end;
  return s.done;
}
function drawLink(path, l, x) {
  const a = from[l], b = to[l];
  if (a >= 0 && b >= 0) {
    const x1 = x(time[a]), y1 = yOf(nodeOf[a]), x2 = x(time[b]), y2 = yOf(nodeOf[b]);
    path.moveTo(x1, y1);
    path.lineTo(x2, y2);
    if (rowHeight() > 18 || view.scale * 3000 > 8) { // a head
      const d = Math.hypot(x2 - x1, y2 - y1) || 1, ux = (x2 - x1) / d * 5, uy = (y2 - y1) / d * 5;
      path.moveTo(x2 - ux - uy * 0.5, y2 - uy + ux * 0.5);
      path.lineTo(x2, y2);
      path.lineTo(x2 - ux + uy * 0.5, y2 - uy - ux * 0.5);
    }
  } else if (a >= 0) { // goes nowhere: a cross at its end
    const x1 = x(time[a]), y1 = yOf(nodeOf[a]), h = Math.min(8, rowHeight() * 0.4);
    path.moveTo(x1, y1);
    path.lineTo(x1 + 3, y1 + h);
    path.moveTo(x1 + 1, y1 + h - 2);
    path.lineTo(x1 + 5, y1 + h + 2);
    path.moveTo(x1 + 5, y1 + h - 2);
    path.lineTo(x1 + 1, y1 + h + 2);
  } else { // comes from nowhere
    const x2 = x(time[b]), y2 = yOf(nodeOf[b]), h = Math.min(8, rowHeight() * 0.4);
    path.moveTo(x2 - 5, y2 - h);
    path.lineTo(x2, y2);
  }
}

// ---- what is drawn each time ----

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
function niceStep(span, n) {
  const rough = span / n, power = 10 ** Math.floor(Math.log10(rough)), part = rough / power;
  return power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}
const UNITS = [[1e3, 1, 'µs'], [2e6, 1e3, 'ms'], [Infinity, 1e6, 's']];
function timeText(t, digits) {
  return about.clockless ? t.toFixed(0) : (t / 1e6).toFixed(digits ?? 6) + ' s';
}
function drawAxis(colours) {
  const span = plotWidth() / view.scale, step = niceStep(span, plotWidth() / 110);
  const [, divisor, unit] = UNITS.find((u) => Math.max(span, about.end / 100) < u[0]), digits = Math.max(0, Math.ceil(-Math.log10(step / divisor) - 1e-9));
  context.fillStyle = colours.bg;
  context.fillRect(0, 0, view.width, TOP);
  context.fillStyle = context.strokeStyle = colours.soft;
  context.textBaseline = 'middle';
  context.textAlign = 'center';
  for (let t = Math.ceil(view.start / step) * step; t < view.start + span; t += step) {
    const x = xOf(t);
    context.fillText(about.clockless ? String(Math.round(t)) : (t / divisor).toFixed(digits) + ' ' + unit, x, TOP - 14);
    context.fillRect(x, TOP - 5, 1, 5);
  }
}
// All of the time, how busy it was, and which part of it is seen.
const busy = new Float32Array(600);
for (let e = 0; e < time.length; e++) {
  const i = (time[e] - about.begin) / Math.max(about.end - about.begin, 1) * busy.length;
  busy[Math.min(busy.length - 1, Math.max(0, i | 0))]++;
}
const busiest = busy.reduce((a, b) => Math.max(a, b), 1);
function drawOverview(colours) {
  const w = plotWidth() / busy.length, span = Math.max(about.end - about.begin, 1);
  context.fillStyle = colours.line;
  for (let i = 0; i < busy.length; i++) {
    const h = 16 * Math.sqrt(busy[i] / busiest);
    context.fillRect(LEFT + i * w, 20 - h, Math.max(w, 1), h);
  }
  const x = LEFT + (view.start - about.begin) / span * plotWidth(), width = Math.max(3, plotWidth() / view.scale / span * plotWidth());
  context.strokeStyle = colours.mark;
  context.strokeRect(Math.max(LEFT, x) + 0.5, 2.5, Math.min(width, plotWidth() - 1), 19);
}
function drawNodes(colours) {
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  for (const i of shown.rows) {
    const y = Math.round(yOf(i)) + 0.5;
    if (y < TOP - 20 || y > view.height + 20) continue;
    context.strokeStyle = colours.line;
    context.lineWidth = 1;
    for (const [begin, end] of nodes[i].lives) {
      context.beginPath();
      context.moveTo(Math.max(LEFT, xOf(begin)), y);
      context.lineTo(Math.min(view.width, xOf(end)), y);
      context.stroke();
    }
    context.strokeStyle = colours.soft;
    for (const g of nodes[i].gaps) { // something is missing there
      const x = xOf(g);
      if (x < LEFT || x > view.width) continue;
      context.beginPath();
      context.moveTo(x - 3, y - 4); context.lineTo(x - 1, y + 4);
      context.moveTo(x + 1, y - 4); context.lineTo(x + 3, y + 4);
      context.stroke();
    }
  }
}
function drawNames(colours) {
  context.fillStyle = colours.bg;
  context.fillRect(0, TOP, LEFT, view.height);
  context.textAlign = 'right';
  for (const i of shown.rows) {
    const y = yOf(i);
    if (y < TOP || y > view.height + 10) continue;
    context.fillStyle = colours.fg;
    context.fillText((rowHeight() > 16 ? 'node ' : '') + nodes[i].address, LEFT - 8, y);
  }
}
function drawEvents(colours) { // dots, where they can be told apart
  if (view.scale * 2000 < 1 || rowHeight() < 14) return;
  const t0 = view.start, t1 = view.start + plotWidth() / view.scale;
  context.fillStyle = colours.fg;
  for (let l = firstVisible(t0); l < links && startOf(l) < t1; l++) {
    if (!isShown(l)) continue;
    for (const e of [from[l], to[l]]) if (e >= 0) {
      context.beginPath();
      context.arc(xOf(time[e]), yOf(nodeOf[e]), 2, 0, 7);
      context.fill();
    }
  }
}
function firstVisible(t) {
  let b = 0;
  while (b < blockEnd.length - 1 && blockEnd[b] < t) b++;
  return b * BLOCK;
}
function drawSelected(colours) {
  const l = view.selected;
  if (l < 0) return;
  const path = new Path2D();
  drawLink(path, l, xOf);
  context.strokeStyle = colours.mark;
  context.lineWidth = 3;
  context.stroke(path);
  context.lineWidth = 1.5;
  for (const e of [from[l], to[l]]) if (e >= 0) { // the estimate's uncertainty
    const y = yOf(nodeOf[e]), known = spread[e] >= 0;
    const x1 = known ? xOf(time[e] - spread[e]) : LEFT, x2 = known ? xOf(time[e] + spread[e]) : view.width;
    context.setLineDash(known ? [] : [4, 4]);
    context.beginPath();
    context.moveTo(x1, y - 4); context.lineTo(x1, y + 4);
    context.moveTo(x1, y); context.lineTo(x2, y);
    context.moveTo(x2, y - 4); context.lineTo(x2, y + 4);
    context.stroke();
    context.setLineDash([]);
  }
}
function blit(s) {
  const x1 = xOf(s.t0), x2 = xOf(s.t1);
  if (x2 < LEFT || x1 > view.width) return;
  context.drawImage(s.c, 0, 0, s.c.width, s.c.height, x1, 0, x2 - x1, view.height);
}
function drawStrips(until) {
  const first = Math.floor(view.start * view.scale / STRIP), last = Math.floor((view.start + plotWidth() / view.scale) * view.scale / STRIP);
  let left = false;
  for (let i = first - 1; i <= last + 1; i++) if (!strips.has(i)) strips.set(i, makeStrip(i));
  for (const [i, s] of strips) if (i < first - 6 || i > last + 6) strips.delete(i);
  const order = [...strips.values()].filter((s) => !s.done).sort((a, b) => Math.abs(a.index - (first + last) / 2) - Math.abs(b.index - (first + last) / 2));
  for (const s of order) {
    if (performance.now() > until) { left = true; break; }
    if (!drawStrip(s, until)) { left = true; break; }
  }
  const ready = order.every((s) => s.done || s.index < first || s.index > last);
  if (ready) old = [];
  old.forEach(blit);
  for (let i = first; i <= last; i++) { const s = strips.get(i); if (s.done || !old.length) blit(s); }
  return left;
}
function frame() {
  asked = false;
  const colours = { bg: css('--bg'), fg: css('--fg'), soft: css('--soft'), line: css('--line'), mark: css('--mark') };
  clampView();
  context.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
  context.font = '12px system-ui, sans-serif';
  context.fillStyle = colours.bg;
  context.fillRect(0, 0, view.width, view.height);
  drawNodes(colours);
  const left = drawStrips(performance.now() + 10);
  drawEvents(colours);
  drawSelected(colours);
  drawNames(colours);
  drawAxis(colours);
  drawOverview(colours);
  document.documentElement.dataset.complete = left ? '' : 'yes';
  if (left) ask();
}

// ---- a message ----

function distance(l, px, py) {
  const a = from[l], b = to[l];
  let x1 = xOf(startOf(l)), x2 = xOf(endOf(l)), y1 = yOf(nodeOf[a >= 0 ? a : b]), y2 = yOf(nodeOf[b >= 0 ? b : a]);
  if (b < 0) { x2 += 4; y2 += 8; }
  if (a < 0) { x1 -= 5; y1 -= 8; }
  const d = (x2 - x1) ** 2 + (y2 - y1) ** 2, t = d ? Math.max(0, Math.min(1, ((px - x1) * (x2 - x1) + (py - y1) * (y2 - y1)) / d)) : 0;
  return Math.hypot(px - x1 - t * (x2 - x1), py - y1 - t * (y2 - y1));
}
function pick(px, py) {
  const t0 = view.start + (px - LEFT - 8) / view.scale, t1 = view.start + (px - LEFT + 8) / view.scale;
  let best = -1, near = 7;
  for (let l = firstVisible(t0); l < links && startOf(l) <= t1; l++) {
    if (endOf(l) < t0 || !isShown(l)) continue;
    const d = distance(l, px, py);
    if (d < near) { near = d; best = l; }
  }
  return best;
}
const quote = (text) => /^[\w./:=@%+-]+$/.test(text) ? text : "'" + text.replaceAll("'", "'\\''") + "'";
function commandFor(e) {
  const n = nodes[nodeOf[e]];
  const whole = about.run ? `hindcast debug ${quote(about.run)} --command 'goto event ${e}'` : null;
  const one = n.log ? `hindcast debug ${quote(n.image)} ${quote(n.log)} --segment ${segment[e]} --command 'goto #${moment[e]}'` : null;
  return [whole, one].filter(Boolean);
}
function element(name, text, parent) {
  const e = document.createElement(name);
  if (text !== undefined) e.textContent = text;
  parent.append(e);
  return e;
}
function describe(parent, title, e, facts) {
  element('h3', title, parent);
  const list = element('dl', undefined, parent);
  const add = (name, value) => { element('dt', name, list); element('dd', value, list); };
  add('time', timeText(time[e]) + (spread[e] >= 0 ? ` ± ${(spread[e] / 1000).toFixed(3)} ms` : ', nothing bounds it'));
  add('instruction', `#${moment[e]}, segment ${segment[e]}`);
  for (const [name, value] of facts) add(name, value);
  for (const command of commandFor(e)) {
    element('pre', command, parent);
    element('button', 'Copy', parent).onclick = (event) => {
      navigator.clipboard?.writeText(command);
      event.target.textContent = 'Copied';
    };
  }
}
function select(l) {
  const panel = $('detail');
  const narrower = panel.hidden !== (l < 0);
  view.selected = l;
  panel.replaceChildren();
  panel.hidden = l < 0;
  if (narrower) resize();
  ask();
  if (l < 0) return;
  const a = from[l], b = to[l], t = typeOf(l);
  element('h2', `${FATES[fate[l]]}${t ? `, type 0x${(t - 1).toString(16).padStart(2, '0')}` : ''}`, panel);
  element('p', WHY[fate[l]], panel);
  if (a >= 0)
    describe(panel, `Sent by node ${nodes[nodeOf[a]].address} to ${partner[a] === 0xffff ? 'all' : 'node ' + partner[a]}`, a,
      [['counter', counter[a]], ['event', a]]);
  else
    element('h3', `Sent by node ${partner[b]}: not in a log`, panel);
  if (b >= 0)
    describe(panel, `Received by node ${nodes[nodeOf[b]].address}`, b, [['number on the air', counter[b]], ['event', b]]);
  if (a >= 0 && b >= 0) element('p', `On its way for ${((time[b] - time[a]) / 1000).toFixed(3)} ms, by the estimate.`, panel);
}

// ---- hands ----

function zoom(factor, x) {
  const t = view.start + (x - LEFT) / view.scale;
  view.scale *= factor;
  clampView();
  view.start = t - (x - LEFT) / view.scale;
  clampView();
  forget();
}
function pan(dx, dy) {
  view.start -= dx / view.scale;
  const before = view.scroll;
  view.scroll -= dy;
  clampView();
  if (view.scroll !== before) { old = []; forget(); } else ask();
}
let hand = null;
canvas.onpointerdown = (e) => { hand = { x: e.offsetX, y: e.offsetY, moved: 0 }; canvas.setPointerCapture(e.pointerId); };
canvas.onpointermove = (e) => {
  if (!hand) return;
  const dx = e.offsetX - hand.x, dy = e.offsetY - hand.y;
  hand = { x: e.offsetX, y: e.offsetY, moved: hand.moved + Math.abs(dx) + Math.abs(dy) };
  if (hand.moved > 3) pan(dx, dy);
};
canvas.onpointerup = (e) => {
  const clicked = hand && hand.moved <= 3;
  hand = null;
  if (clicked && e.offsetY < 24 && e.offsetX > LEFT) {
    view.start = about.begin + (e.offsetX - LEFT) / plotWidth() * (about.end - about.begin) - plotWidth() / view.scale / 2;
    ask();
  } else if (clicked) {
    select(pick(e.offsetX, e.offsetY));
  }
};
canvas.addEventListener('wheel', (e) => {
  e.preventDefault();
  if (e.shiftKey) pan(0, -e.deltaY);
  else if (Math.abs(e.deltaX) > Math.abs(e.deltaY)) pan(-e.deltaX, 0);
  else zoom(Math.exp(-e.deltaY / 400), Math.max(LEFT, e.offsetX));
}, { passive: false });
canvas.onkeydown = (e) => {
  const middle = LEFT + plotWidth() / 2;
  const act = { ArrowLeft: () => pan(plotWidth() / 8, 0), ArrowRight: () => pan(-plotWidth() / 8, 0), ArrowUp: () => pan(0, 60),
    ArrowDown: () => pan(0, -60), '+': () => zoom(1.5, middle), '=': () => zoom(1.5, middle), '-': () => zoom(1 / 1.5, middle), 0: () => fit(),
    Escape: () => select(-1) }[e.key];
  if (act) { e.preventDefault(); act(); }
};

$('summary').textContent = about.summary;
makeFilters();
refilter();
new ResizeObserver(() => { if (canvas.clientWidth !== view.width || canvas.clientHeight !== view.height) resize(); }).observe($('stage'));
dark.onchange = () => location.reload();
resize();
fit();
frame();
document.documentElement.dataset.opened = String(Math.round(performance.now())); // since the page was asked for
document.documentElement.dataset.script = String(Math.round(performance.now() - began));
