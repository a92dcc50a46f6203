'use strict';
// Draws what the data says. The view of time is one for all plots of a node: wheel zooms, dragging moves, shift and dragging selects,
// a double click shows all. Nothing is loaded from elsewhere.
const data = JSON.parse(document.getElementById('data').textContent);
const $ = selector => document.querySelector(selector);
const tip = $('#tip');
const COLOURS = ['#1f6feb', '#e07b00', '#2e9d5b', '#b03a9b', '#c6443c', '#0f8f9c', '#8a6d3b', '#6a5acd', '#708090'];
let chosen = 0;

function element(tag, attributes, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {}))
    if (name === 'class') e.className = value;
    else if (name.startsWith('on')) e.addEventListener(name.slice(2), value);
    else e.setAttribute(name, value);
  for (const child of children.flat()) if (child !== null && child !== undefined) e.append(child);
  return e;
}

const number = (n, digits = 0) => n === undefined || n === null ? '' :
  n.toLocaleString('en-US', {minimumFractionDigits: digits, maximumFractionDigits: digits});
const seconds = t => t >= 100 ? number(t, 1) + ' s' : t >= 1 ? number(t, 3) + ' s' : number(1000 * t, 3) + ' ms';
const percent = (part, all) => all ? number(100 * part / all, part / all < 0.1 ? 2 : 1) : '0';
const short = n => n >= 1e6 ? number(n / 1e6, 1) + ' M' : n >= 1e4 ? number(n / 1e3, 0) + ' k' : number(n, n < 10 ? 1 : 0);
const sum = list => list.reduce((a, b) => a + b, 0);

// ---- commands for the debugger ----

const quote = word => /^[\w@%+=:,./-]+$/.test(word) ? word : "'" + word.replace(/'/g, "'\\''") + "'";

function debugCommand(node, segment) {
  const words = ['hindcast', 'debug', node.image, node.log];
  for (const symbol of node.id_symbols || []) words.push('--set', symbol + '=' + node.id);
  if (segment !== undefined) words.push('--segment', String(segment));
  return words.map(quote).join(' ');
}

const segmentNumber = (node, index) => node.figures && node.figures.segments[index] ? node.figures.segments[index].segment : index;

// The moment of a time: instructions of its stretch before it, to the width of a bin.
function momentAt(node, time) {
  const stretches = node.stretches || [];
  let s = stretches.find(s => time < s.until) || stretches[stretches.length - 1];
  if (!s) return null;
  const from = Math.floor(s.from / node.series.width), to = Math.floor(time / node.series.width);
  const before = sum((node.series.instructions || []).slice(from, Math.max(from, to)));
  return {segment: segmentNumber(node, s.first_segment), instruction: Math.min(before, s.instructions)};
}

function showCommand(node, segment, instruction, note) {
  const box = $('#moment');
  box.replaceChildren(element('p', {class: 'hint'}, note + ' Click to copy.'),
    element('pre', {class: 'command', onclick: e => navigator.clipboard && navigator.clipboard.writeText(e.target.textContent)},
      debugCommand(node, segment) + '\n(hindcast) goto ' + instruction));
}

// ---- tables ----

function table(columns, rows, options = {}) {
  const body = element('tbody');
  let order = null, down = true;
  const fill = list => body.replaceChildren(...list.map(row => {
    const tr = element('tr', options.pick ? {class: 'pick' + (options.isChosen && options.isChosen(row) ? ' chosen' : ''), onclick: () => options.pick(row)} : {},
      columns.map(c => element('td', {class: c.class || ''}, c.show(row))));
    return tr;
  }));
  const head = element('tr', {}, columns.map(c => element('th', {class: c.class || '', onclick: () => {
    down = order === c ? !down : true;
    order = c;
    const key = c.key || (row => c.show(row));
    const sorted = [...rows].sort((a, b) => { const x = key(a), y = key(b); return (x > y ? 1 : x < y ? -1 : 0) * (down ? -1 : 1); });
    fill(sorted);
  }}, c.name)));
  fill(rows);
  return element('table', {}, element('thead', {}, head), body);
}

const bar = (part, all) => element('span', {class: 'bar', style: `width:${all ? Math.round(90 * part / all) : 0}px`});

// ---- plots ----

function prepare(canvas, height) {
  const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth || canvas.parentElement.clientWidth || 800;
  canvas.style.height = height + 'px';
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const pen = canvas.getContext('2d');
  pen.scale(ratio, ratio);
  pen.clearRect(0, 0, width, height);
  pen.font = '11px system-ui, "DejaVu Sans", sans-serif';
  return [pen, width];
}

function niceStep(span, most) {
  const raw = span / most, power = 10 ** Math.floor(Math.log10(raw));
  for (const m of [1, 2, 5, 10]) if (m * power >= raw) return m * power;
  return 10 * power;
}

const LEFT = 64, RIGHT = 12;

function drawAxis(pen, width, height, view) {
  const step = niceStep(view.to - view.from, Math.max(3, width / 110));
  pen.fillStyle = '#5c6878'; pen.strokeStyle = '#e6e9ee'; pen.textAlign = 'center';
  for (let t = Math.ceil(view.from / step) * step; t <= view.to; t += step) {
    const x = LEFT + (t - view.from) / (view.to - view.from) * (width - LEFT - RIGHT);
    pen.beginPath(); pen.moveTo(x, 4); pen.lineTo(x, height - 16); pen.stroke();
    pen.fillText(step < 0.001 ? number(1e6 * t) + ' µs' : step < 1 ? number(t, Math.max(0, Math.ceil(-Math.log10(step)))) + ' s' : number(t) + ' s', x, height - 4);
  }
}

// Bins of one pixel at least: the sum of those that fall together, or the highest.
function gather(values, width, view, pixels, highest) {
  const out = new Float64Array(pixels), span = view.to - view.from;
  const first = Math.max(0, Math.floor(view.from / width)), last = Math.min(values.length - 1, Math.ceil(view.to / width));
  for (let i = first; i <= last; i++) {
    const x0 = (i * width - view.from) / span * pixels, x1 = ((i + 1) * width - view.from) / span * pixels;
    const from = Math.max(0, Math.floor(x0)), to = Math.min(pixels - 1, Math.max(Math.floor(x0), Math.ceil(x1) - 1));
    for (let x = from; x <= to; x++) {
      const share = highest ? values[i] : values[i] / Math.max(1, x1 - x0);
      if (highest) out[x] = Math.max(out[x], share); else out[x] += share;
    }
  }
  return out;
}

class Plots {
  constructor(node, place) {
    this.node = node;
    this.all = {from: 0, to: Math.max(node.totals.seconds, node.series.width)};
    this.view = {...this.all};
    this.plots = [];
    this.place = place;
  }

  add(name, channels, options = {}) {
    const canvas = element('canvas');
    const legend = element('div', {class: 'name'}, element('b', {}, name),
      channels.length > 1 ? channels.map((c, i) => element('span', {}, element('i', {style: `background:${COLOURS[i % COLOURS.length]}`}), c.name)) : null);
    this.place.append(element('div', {class: 'plot'}, legend, canvas));
    const plot = {canvas, channels, options, name};
    this.plots.push(plot);
    this.listen(plot);
    return plot;
  }

  timeAt(plot, event) {
    const box = plot.canvas.getBoundingClientRect();
    const part = (event.clientX - box.left - LEFT) / (box.width - LEFT - RIGHT);
    return this.view.from + Math.min(1, Math.max(0, part)) * (this.view.to - this.view.from);
  }

  show(from, to) {
    const least = this.node.series.width * 4, span = Math.max(least, Math.min(to - from, this.all.to));
    from = Math.max(0, Math.min(from, this.all.to - span));
    this.view = {from, to: from + span};
    this.draw();
  }

  listen(plot) {
    let drag = null;
    plot.canvas.addEventListener('wheel', e => {
      e.preventDefault();
      const t = this.timeAt(plot, e), by = e.deltaY > 0 ? 1.25 : 0.8;
      this.show(t - (t - this.view.from) * by, t + (this.view.to - t) * by);
    }, {passive: false});
    plot.canvas.addEventListener('pointerdown', e => { drag = {x: e.clientX, view: {...this.view}, time: this.timeAt(plot, e), moved: false, select: e.shiftKey}; plot.canvas.setPointerCapture(e.pointerId); });
    plot.canvas.addEventListener('pointermove', e => {
      if (drag && Math.abs(e.clientX - drag.x) > 3) drag.moved = true;
      if (drag && drag.moved && !drag.select) {
        const by = (drag.x - e.clientX) / (plot.canvas.clientWidth - LEFT - RIGHT) * (drag.view.to - drag.view.from);
        this.show(drag.view.from + by, drag.view.to + by);
      }
      this.hover(plot, e);
    });
    plot.canvas.addEventListener('pointerup', e => {
      const t = this.timeAt(plot, e);
      if (drag && drag.moved && drag.select) this.show(Math.min(t, drag.time), Math.max(t, drag.time));
      else if (drag && !drag.moved) this.point(t);
      drag = null;
    });
    plot.canvas.addEventListener('dblclick', () => this.show(0, this.all.to));
    plot.canvas.addEventListener('pointerleave', () => { tip.hidden = true; });
  }

  point(time) {
    const m = momentAt(this.node, time);
    if (m) showCommand(this.node, m.segment, '#' + m.instruction, `The debugger at about ${seconds(time)}:`);
  }

  hover(plot, e) {
    const t = this.timeAt(plot, e), i = Math.floor(t / this.node.series.width);
    tip.textContent = [seconds(t), ...plot.channels.map(c => `${plot.channels.length > 1 ? c.name + ': ' : ''}${number(c.values[i] || 0)}${plot.options.unit || ''}`)].join('\n');
    tip.hidden = false;
    tip.style.left = Math.min(e.clientX + 14, innerWidth - tip.offsetWidth - 8) + 'px';
    tip.style.top = e.clientY + 14 + 'px';
  }

  draw() { for (const plot of this.plots) this.drawPlot(plot); }

  drawPlot(plot) {
    const height = plot.options.height || 110, [pen, width] = prepare(plot.canvas, height);
    const pixels = Math.max(1, Math.floor(width - LEFT - RIGHT)), bottom = height - 18;
    const lists = plot.channels.map(c => gather(c.values, this.node.series.width, this.view, pixels, plot.options.highest));
    const top = Math.max(1e-9, ...Array.from({length: pixels}, (_, x) => plot.options.highest ? Math.max(...lists.map(l => l[x])) : sum(lists.map(l => l[x]))));
    drawAxis(pen, width, height, this.view);
    const base = new Float64Array(pixels);
    lists.forEach((list, n) => {
      pen.fillStyle = COLOURS[n % COLOURS.length];
      for (let x = 0; x < pixels; x++) if (list[x] > 0) {
        const y0 = bottom - base[x] / top * (bottom - 6), y1 = bottom - (base[x] + list[x]) / top * (bottom - 6);
        pen.fillRect(LEFT + x, Math.min(y1, y0 - 1), 1, Math.max(1, y0 - y1));
        if (!plot.options.highest) base[x] += list[x];
      }
    });
    this.drawMarks(pen, width, bottom);
    const scale = plot.options.highest ? top : top / (this.view.to - this.view.from) * pixels;
    pen.fillStyle = '#5c6878'; pen.textAlign = 'right';
    pen.fillText(short(scale) + (plot.options.highest ? plot.options.unit || '' : '/s'), LEFT - 6, 14);
    pen.fillText('0', LEFT - 6, bottom);
  }

  // Where a stretch ends: something is missing there, or the node was reset.
  drawMarks(pen, width, bottom) {
    for (const s of (this.node.stretches || []).slice(0, -1)) {
      const x = LEFT + (s.until - this.view.from) / (this.view.to - this.view.from) * (width - LEFT - RIGHT);
      if (x < LEFT || x > width - RIGHT) continue;
      pen.fillStyle = '#c62828';
      pen.fillRect(x, 2, 1.5, bottom - 2);
    }
  }
}

// ---- flame graph ----

function drawFlame(place, tree) {
  const children = tree.map(() => []);
  tree.forEach(([parent], i) => { if (parent >= 0) children[parent].push(i); });
  const hue = name => { let h = 0; for (const c of name) h = (h * 31 + c.charCodeAt(0)) % 997; return `hsl(${name.startsWith('[') ? 205 + h % 25 : 20 + h % 40}, 70%, ${78 - h % 9}%)`; };
  const show = root => {
    const boxes = [], width = place.clientWidth || 800;
    let deepest = 0;
    const add = (i, x, w, depth) => {
      if (w < 2) return;
      deepest = Math.max(deepest, depth);
      const [, name, total, self] = tree[i];
      boxes.push(element('div', {style: `left:${x}px;width:${w}px;top:${depth * 18}px;background:${i ? hue(name) : '#e4e8ee'}`,
        title: `${name || 'all'}: ${number(total)} instructions with callees, ${number(self)} own, ${percent(total, tree[0][2])} %`,
        onclick: () => show(i)}, w > 26 ? name || 'all' : ''));
      let at = x;
      for (const k of children[i].sort((a, b) => tree[b][2] - tree[a][2])) {
        const part = total ? w * tree[k][2] / total : 0;
        add(k, at, part, depth + 1);
        at += part;
      }
    };
    const way = [];
    for (let i = root; i > 0; i = tree[i][0]) way.unshift(tree[i][0]);
    way.forEach((i, depth) => boxes.push(element('div', {style: `left:0;width:${width}px;top:${depth * 18}px;background:#eef0f3`, onclick: () => show(i)}, tree[i][1] || 'all')));
    add(root, 0, width, way.length);
    deepest = Math.max(deepest, way.length);
    place.replaceChildren(...boxes);
    place.style.height = (deepest + 1) * 18 + 'px';
  };
  show(0);
}

// ---- one node ----

function boots(node) {
  const lives = node.figures ? node.figures.lives : [];
  return table([
    {name: 'boot', show: b => b.boot},
    {name: 'how it ended, and up to where the log reaches', class: 'long', show: b => b.text},
    {name: 'cause of the reset', class: 'long', show: b => b.cause || ''},
    {name: 'missing pages', show: b => b.missing_pages, key: b => b.missing_pages},
    {name: 'rescued', show: b => number(b.rescued_bytes) + ' B', key: b => b.rescued_bytes},
  ], lives);
}

function stretches(node) {
  return table([
    {name: 'segments', class: 'text', show: s => { const a = segmentNumber(node, s.first_segment), b = segmentNumber(node, s.last_segment); return a === b ? a : `${a}–${b}`; }},
    {name: 'from', show: s => seconds(s.from), key: s => s.from},
    {name: 'until', show: s => seconds(s.until), key: s => s.until},
    {name: 'instructions', show: s => number(s.instructions), key: s => s.instructions},
    {name: 'interrupts', show: s => number(s.interrupts), key: s => s.interrupts},
    {name: 'reads', show: s => number(s.reads), key: s => s.reads},
    {name: 'memory agreed', show: s => `${s.checks_agreed} of ${s.checks_made}`, key: s => s.checks_agreed},
    {name: 'its end', class: 'long', show: s => element('span', {class: s.stop === 'end' ? '' : 'bad'}, s.why.split('\n')[0])},
  ], node.stretches, {pick: s => showCommand(node, segmentNumber(node, s.first_segment), 'end', 'The debugger at the end of that stretch:')});
}

function functions(node) {
  const all = node.totals.instructions, joules = node.functions.some(f => f.microjoules !== undefined);
  return table([
    {name: 'function', class: 'text', show: f => f.name + (f.inlined ? ' (inlined)' : '')},
    {name: 'instructions', show: f => number(f.instructions), key: f => f.instructions},
    {name: '%', show: f => percent(f.instructions, all), key: f => f.instructions},
    {name: '', class: 'text', show: f => bar(f.instructions, node.functions[0].instructions), key: f => f.instructions},
    {name: 'cycles', show: f => number(f.cycles), key: f => f.cycles},
    joules ? {name: 'µJ', show: f => number(f.microjoules, 1), key: f => f.microjoules} : null,
    {name: 'with callees', show: f => number(f.with_callees.instructions), key: f => f.with_callees.instructions},
    {name: 'calls', show: f => f.inlined ? '' : number(f.calls), key: f => f.calls},
    {name: 'stack', show: f => f.stack ? f.stack.with_callees + ' B' : '', key: f => f.stack ? f.stack.with_callees : 0},
  ].filter(c => c), node.functions);
}

function interruptTable(node) {
  return table([
    {name: 'interrupt', class: 'text', show: i => i.name},
    {name: 'times', show: i => number(i.count), key: i => i.count},
    {name: 'instructions', show: i => number(i.instructions), key: i => i.instructions},
    {name: '%', show: i => percent(i.instructions, node.totals.instructions), key: i => i.instructions},
    {name: 'cycles', show: i => number(i.cycles), key: i => i.cycles},
    {name: 'cycles each', show: i => number(i.count ? i.cycles / i.count : 0, 1), key: i => i.count ? i.cycles / i.count : 0},
  ], node.interrupts);
}

function energy(node) {
  if (!node.statistics || !node.statistics.energy)
    return node.account.microjoules === undefined ? null : element('div', {}, element('h3', {}, 'Energy'),
      element('p', {}, `CPU, awake in the program: ${number(node.account.microjoules / 1000, 3)} mJ at 3 V. A recording does not tell what other chips and sleep used; a run of emulated nodes does.`));
  const rows = Object.entries(node.statistics.energy).filter(([name]) => name !== 'total').map(([name, e]) => ({name, ...e}));
  const most = Math.max(...rows.map(r => r.millijoules));
  return element('div', {}, element('h3', {}, 'Energy, as the emulated node used it'), table([
    {name: 'component', class: 'text', show: r => r.name},
    {name: 'mJ', show: r => number(r.millijoules, 3), key: r => r.millijoules},
    {name: 'mW', show: r => number(r.milliwatts, 4), key: r => r.milliwatts},
    {name: '', class: 'text', show: r => bar(r.millijoules, most), key: r => r.millijoules},
  ], rows));
}

function logTable(node) {
  const f = node.figures, invariants = f.segments.filter(s => s.frozen);
  const rows = [['pages', number(f.pages)], ['boots', f.boots], ['segments', f.segments.length], ['bytes of events', number(f.event_bytes)],
    ['bytes of checkpoints and marks', number(f.other_bytes)],
    ['bytes an event', number(f.event_bytes / Math.max(1, node.totals.interrupts + node.totals.reads), 2)],
    ['losses', losses(node) ? element('span', {class: 'bad'}, f.damage.map(d => d.text).concat(f.segments.filter(s => s.overflow).map(s => `events were lost at the end of segment ${s.segment}`)).join('; ')) : 'none'],
    ['invariants', invariants.length ? element('span', {class: 'bad'}, invariants.map(s => `segment ${s.segment} was frozen: ${s.frozen_because === 0xfff0 ? 'the base station said so' : 'by the line or reason ' + s.frozen_because}`).join('; ')) : 'none failed']];
  return element('div', {}, element('h3', {}, 'Log'), element('table', {}, rows.map(([name, value]) => element('tr', {}, element('td', {class: 'text'}, name), element('td', {class: 'long'}, value)))));
}

function said(node) {
  const lines = node.said.lines;
  if (!node.said.bytes && !node.uart) return null;
  const left = node.said.bytes - sum(lines.map(l => l[3].length + 1));
  return element('div', {}, element('h3', {}, `UART: ${number(node.said.bytes || node.uart.length)} bytes`),
    lines.length ? element('pre', {class: 'said'}, lines.flatMap(l => [element('span', {title: 'the debugger there', onclick: () => showCommand(node, l[2], '#' + l[1], `The debugger at ${seconds(l[0])}:`)}, l[0].toFixed(6).padStart(12)), l[3] + '\n']),
      left > lines.length + 2 ? `… and about ${number(left)} bytes more\n` : null) : element('pre', {}, node.uart));
}

function losses(node) {
  return node.figures ? node.figures.damage.length + node.figures.segments.filter(s => s.overflow).length : 0;
}

function showNode(index) {
  const node = data.nodes[index], place = $('#node');
  chosen = index;
  if (!node) return;
  document.querySelectorAll('#nodes tbody tr').forEach(tr => tr.classList.toggle('chosen', tr.dataset.node === String(index)));
  place.replaceChildren(element('h2', {}, node.name), element('p', {class: 'hint'}, `${node.image} — ${node.log}`));
  if (node.problem) place.append(element('p', {class: 'bad'}, node.problem));
  if (!node.totals) return;
  const plots = element('div');
  place.append(boots(node), element('h3', {}, 'Over time'),
    element('p', {class: 'hint'}, `Wheel: zoom. Drag: move. Shift and drag: select. Double click: all. Click: the debugger there. Bins of ${seconds(node.series.width)}; red: a reset, or something is missing.`), plots,
    element('div', {id: 'moment'}));
  showCommand(node, undefined, 'end', 'The debugger on this recording:');
  const p = new Plots(node, plots);
  p.add('interrupts', Object.entries(node.series.interrupts).map(([name, values]) => ({name, values})));
  p.add('recorded reads', [{name: 'reads', values: node.series.reads}], {height: 80});
  p.add('instructions', [{name: 'instructions', values: node.series.instructions}], {height: 80});
  p.add('stack in use, bytes at most', [{name: 'stack', values: node.series.stack}], {height: 80, highest: true, unit: ' B'});
  p.draw();
  place.append(element('h3', {}, 'Stretches of the replay'), stretches(node));
  const flame = element('div', {class: 'flame'});
  place.append(element('h3', {}, 'Instructions by calls'), element('p', {class: 'hint'}, 'As wide as what was executed with callees; the dearest contexts only. Click: only that one.'), flame);
  drawFlame(flame, node.tree);
  place.append(element('h3', {}, `Functions: ${number(node.totals.instructions)} instructions, ${number(node.totals.cycles)} cycles in all`),
    element('div', {class: 'scroll'}, functions(node)), element('h3', {}, 'Interrupts, with all that their handlers call'), interruptTable(node));
  place.append(element('div', {class: 'columns'}, logTable(node), energy(node)));
  const text = said(node);
  if (text) place.append(text);
  window.onresize = () => { p.draw(); drawFlame(flame, node.tree); };
}

// ---- all nodes ----

function lastEnd(node) {
  if (node.problem && !node.totals) return 'not replayed';
  const bad = (node.stretches || []).find(s => s.stop !== 'end');
  if (bad) return bad.stop;
  const lives = node.figures.lives, last = lives[lives.length - 1];
  return lives.length > 1 ? `${lives.length - 1} reset${lives.length > 2 ? 's' : ''}` : last ? last.end : '';
}

function nodeTable() {
  const rows = data.nodes.map((node, index) => ({node, index}));
  const of = (get, digits = 0) => ({show: r => { const v = get(r.node); return v === undefined || v === null ? '' : number(v, digits); }, key: r => { const v = get(r.node); return v === undefined || v === null ? -1 : v; }});
  const total = name => of(n => n.totals && n.totals[name]);
  const energy = n => n.statistics && n.statistics.energy ? n.statistics.energy.total.millijoules : null;
  const columns = [
    {name: 'node', class: 'text', show: r => r.node.name, key: r => r.node.id},
    {name: 'ended', class: 'text', show: r => { const e = lastEnd(r.node); return element('span', {class: /diverged|fault|not/.test(e) ? 'bad' : /reset/.test(e) ? 'warn' : ''}, e); }, key: r => lastEnd(r.node)},
    {name: 'seconds', ...of(n => n.totals && n.totals.seconds, 1)},
    {name: 'instructions', ...total('instructions')}, {name: 'interrupts', ...total('interrupts')}, {name: 'reads', ...total('reads')},
    {name: 'stack', ...of(n => n.deepest_stack)}, {name: 'losses', ...of(losses)},
    {name: 'log bytes', ...of(n => n.figures && n.figures.event_bytes + n.figures.other_bytes)},
    data.nodes.some(n => energy(n) !== null) ? {name: 'mJ', ...of(energy, 1)} : null,
    data.nodes.some(n => n.said && n.said.bytes) ? {name: 'UART bytes', ...of(n => n.said && n.said.bytes)} : null,
  ].filter(c => c);
  const t = table(columns, rows, {pick: r => { showNode(r.index); $('#node').scrollIntoView({behavior: 'smooth'}); }, isChosen: r => r.index === chosen});
  $('#nodes .scroll').replaceChildren(t);
}

function strips() {
  const nodes = data.nodes.filter(n => n.series), canvas = $('#strips canvas');
  if (nodes.length < 2) { $('#strips').hidden = true; return; }
  const row = Math.max(3, Math.min(14, Math.floor(420 / nodes.length))), height = row * nodes.length + 20;
  const all = {from: 0, to: Math.max(...nodes.map(n => n.totals.seconds), 0.001)};
  const draw = () => {
    const [pen, width] = prepare(canvas, height), pixels = Math.max(1, Math.floor(width - LEFT - RIGHT));
    drawAxis(pen, width, height, all);
    const rows = nodes.map(n => { const sums = new Float64Array(pixels); for (const values of Object.values(n.series.interrupts)) gather(values, n.series.width, all, pixels, false).forEach((v, x) => { sums[x] += v; }); return sums; });
    // Nearly the highest: one busy moment must not make all others pale.
    const sample = Float64Array.from(rows.flatMap(r => Array.from({length: 64}, (_, i) => r[Math.floor(i * pixels / 64)])).filter(v => v > 0)).sort();
    const top = sample[Math.floor(sample.length * 0.98)] || 1;
    const small = element('canvas', {width: pixels, height: nodes.length}), image = small.getContext('2d').createImageData(pixels, nodes.length);
    rows.forEach((list, n) => { for (let x = 0; x < pixels; x++) if (list[x] > 0) image.data.set([31, 111, 235, 30 + 225 * Math.min(1, list[x] / top)], 4 * (n * pixels + x)); });
    small.getContext('2d').putImageData(image, 0, 0);
    pen.imageSmoothingEnabled = false;
    nodes.forEach((node, n) => {
      pen.drawImage(small, 0, n, pixels, 1, LEFT, n * row, pixels, row - (row > 5 ? 1 : 0));
      for (const s of node.stretches.slice(0, -1)) { pen.fillStyle = '#c62828'; pen.fillRect(LEFT + s.until / all.to * pixels - 1, n * row, 2, row - 1); }
      if (row >= 9 || n % Math.ceil(10 / row) === 0) { pen.fillStyle = '#5c6878'; pen.textAlign = 'right'; pen.fillText(node.name, LEFT - 6, n * row + Math.min(row, 10)); }
    });
  };
  canvas.onclick = e => { const n = Math.floor((e.clientY - canvas.getBoundingClientRect().top) / row); if (nodes[n]) { showNode(data.nodes.indexOf(nodes[n])); $('#node').scrollIntoView({behavior: 'smooth'}); } };
  draw();
  window.addEventListener('resize', draw);
}

function overview() {
  const nodes = data.nodes, with_ = nodes.filter(n => n.totals), total = name => sum(with_.map(n => n.totals[name]));
  const cards = [[number(nodes.length), nodes.length === 1 ? 'node' : 'nodes'], [seconds(Math.max(0, ...with_.map(n => n.totals.seconds))), 'at most, recorded'],
    [number(total('instructions')), 'instructions, all replayed'], [number(total('interrupts')), 'interrupts'], [number(total('reads')), 'recorded reads'],
    [number(sum(nodes.filter(n => n.figures).map(n => n.figures.boots))), 'boots'], [number(sum(nodes.map(losses))), 'losses in logs']];
  const joules = nodes.filter(n => n.statistics && n.statistics.energy);
  if (joules.length) cards.push([number(sum(joules.map(n => n.statistics.energy.total.millijoules)), 1) + ' mJ', 'energy']);
  if (data.frames !== undefined) cards.push([number(data.frames), 'frames on the air']);
  $('#figures').replaceChildren(...cards.map(([value, name]) => element('div', {class: 'card'}, element('b', {}, value), element('span', {}, name))));
}

function problems() {
  const list = [];
  data.nodes.forEach((node, i) => {
    const tell = (text, bad) => list.push([bad ? 0 : 1, element('li', {}, element('a', {href: '#node', class: bad ? 'bad' : 'warn', onclick: () => showNode(i)}, node.name), ': ' + text)]);
    if (node.problem) tell(node.problem, true);
    for (const s of node.stretches || []) if (s.stop === 'diverged' || s.stop === 'fault') tell(s.why.split('\n')[0], true);
    for (const d of node.figures ? node.figures.damage : []) tell(d.text, false);
    for (const s of node.figures ? node.figures.segments : []) if (s.frozen) tell(`segment ${s.segment}: frozen (${s.frozen_because})`, true);
    for (const b of node.figures ? node.figures.lives.slice(0, -1) : []) tell(`boot ${b.boot}: ${b.text}`, false);
  });
  if (!list.length) return;
  const most = 12;
  list.sort((a, b) => a[0] - b[0]);
  $('#problems').hidden = false;
  $('#problems ul').replaceChildren(...list.slice(0, most).map(l => l[1]), list.length > most ? element('li', {}, `… and ${list.length - most} more`) : '');
}

$('#title').textContent = data.title;
$('#what').textContent = data.command ? data.command.join(' ') : data.nodes.map(n => n.image).filter((x, i, all) => all.indexOf(x) === i).join(', ');
$('#footer').textContent = `hindcast ${data.version}. Counts are exact: every instruction of the recordings was replayed. Times of a recording are the least that they can have been.`;
overview();
problems();
nodeTable();
document.querySelectorAll('#nodes tbody tr').forEach((tr, i) => { tr.dataset.node = i; });
strips();
if (data.nodes.length === 1) $('#nodes').hidden = true;
showNode(Math.max(0, data.nodes.findIndex(n => n.totals)));
// For whoever measures: milliseconds from the beginning of the loading until all is drawn and laid out.
document.body.dataset.drawn = document.body.offsetHeight && Math.round(performance.now());
