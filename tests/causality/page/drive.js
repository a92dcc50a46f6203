// drive.js PAGE [SCREENSHOTS]: opens a space-time diagram in a headless Chromium, pans and zooms it, clicks a message, filters, and
// says how long all that took. Ends with 1 if the page does not do what it should.
'use strict';
const path = require('path');
const puppeteer = require('puppeteer-core');
const [, , page, pictures] = process.argv;

function check(condition, text) {
  if (condition) return;
  console.error('page: ' + text);
  process.exitCode = 1;
}
const percentile = (list, p) => [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * p))];

// Milliseconds between frames while WORK goes on.
async function framesDuring(tab, work) {
  await tab.evaluate(() => {
    window.gaps = [];
    window.counting = true;
    let last = performance.now();
    const tick = (now) => { window.gaps.push(now - last); last = now; if (window.counting) requestAnimationFrame(tick); };
    requestAnimationFrame(tick);
  });
  await work();
  return tab.evaluate(() => { window.counting = false; return window.gaps.slice(2); });
}
async function shoot(tab, name) {
  if (pictures) await tab.screenshot({ path: path.join(pictures, name + '.png') });
}
const complete = (tab) => tab.waitForFunction(() => document.documentElement.dataset.complete === 'yes', { timeout: 60000 });

async function drag(tab, steps) {
  await tab.mouse.move(700, 500);
  await tab.mouse.down();
  for (let i = 0; i < steps; i++) await tab.mouse.move(700 + 400 * Math.sin(i / 12), 500);
  await tab.mouse.up();
}
// A message in the middle of what is seen, and where it is drawn.
const aMessage = (tab) => tab.evaluate(() => {
  const x = (t) => LEFT + (t - view.start) * view.scale, box = canvas.getBoundingClientRect();
  for (let l = firstVisible(view.start + plotWidth() / view.scale / 3); l < links; l++) {
    if (from[l] < 0 || to[l] < 0 || !isShown(l)) continue;
    const px = (x(time[from[l]]) + x(time[to[l]])) / 2, py = (yOf(nodeOf[from[l]]) + yOf(nodeOf[to[l]])) / 2;
    if (px > LEFT + 50 && px < view.width - 50 && py > TOP && py < view.height)
      return { x: box.left + px, y: box.top + py, sender: nodes[nodeOf[from[l]]].address, receiver: nodes[nodeOf[to[l]]].address };
  }
  return null;
});

async function opened(tab) {
  const errors = [];
  tab.on('pageerror', (e) => errors.push(String(e)));
  tab.on('request', (r) => check(r.url().startsWith('file:') || r.url().startsWith('data:'), 'asks for ' + r.url()));
  await tab.setViewport({ width: 1400, height: 900 });
  const start = Date.now();
  await tab.goto('file://' + path.resolve(page), { waitUntil: 'load', timeout: 120000 });
  await tab.waitForFunction(() => document.documentElement.dataset.opened, { timeout: 60000 });
  const first = Date.now() - start;
  await complete(tab);
  check(!errors.length, errors.join('; '));
  return [first, Date.now() - start];
}
async function zoomed(tab) {
  await tab.mouse.move(700, 500);
  for (let i = 0; i < 200 && await tab.evaluate(() => view.scale * 40000 < 60); i++) {
    await tab.mouse.wheel({ deltaY: -200 });
    await tab.evaluate(() => new Promise(requestAnimationFrame));
  }
  await complete(tab);
}
async function clicked(tab) {
  const m = await aMessage(tab);
  check(m, 'no message is seen');
  if (!m) return;
  await tab.mouse.click(m.x, m.y);
  await complete(tab);
  const text = await tab.evaluate(() => document.getElementById('detail').textContent);
  check(/Sent by node \d+/.test(text) && /Received by node \d+/.test(text), 'a click shows: ' + text);
  check(/hindcast debug /.test(text), 'no command for the debugger: ' + text);
}
async function filtered(tab) {
  const before = await tab.evaluate(() => shown.rows.length);
  await tab.type('#filters input[type=text]', '0-1');
  check(await tab.evaluate(() => shown.rows.length) === Math.min(2, before), 'nodes are not filtered');
  await tab.evaluate(() => document.querySelector('#filters input[type=checkbox]').click());
  check(await tab.evaluate(() => { for (let l = 0; l < links; l++) if (isShown(l) && fate[l] === 0) return false; return true; }),
    'fates are not filtered');
  await complete(tab);
}

(async () => {
  const browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: ['--no-sandbox'], headless: true });
  const tab = await browser.newPage();
  const [first, all] = await opened(tab);
  await shoot(tab, 'all');
  const far = await framesDuring(tab, () => drag(tab, 120));
  await zoomed(tab);
  await shoot(tab, 'near');
  const near = await framesDuring(tab, () => drag(tab, 120));
  await complete(tab);
  await clicked(tab);
  await shoot(tab, 'message');
  await filtered(tab);
  await shoot(tab, 'filtered');
  const size = await tab.evaluate(() => ({ nodes: nodes.length, events: time.length, links }));
  console.log(`page: ${size.nodes} nodes, ${size.events} events, ${size.links} arrows: opened in ${(first / 1000).toFixed(2)} s, drawn in ` +
    `${(all / 1000).toFixed(2)} s; a frame of panning takes ${percentile(far, 0.5).toFixed(0)} ms, P95 ${percentile(far, 0.95).toFixed(0)} ms over all, ` +
    `${percentile(near, 0.5).toFixed(0)} ms, P95 ${percentile(near, 0.95).toFixed(0)} ms near`);
  await browser.close();
})().catch((e) => { console.error('page: ' + e); process.exit(1); });
