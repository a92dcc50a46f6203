// vscode.js HINDCAST ELF LOG SOURCE EXTENSION SCREENSHOTS [--port N]: a real VS Code, in a browser that nobody sees, opens a
// recording with our extension: stops at a breakpoint, shows variables, steps back, goes back to the last write of a variable.
// What it must show is asked of `hindcast debug` before, by other commands. Leaves screenshots in the folder SCREENSHOTS.
'use strict';
const { spawn, execFileSync } = require('child_process');
const fs = require('fs');
const net = require('net');
const os = require('os');
const path = require('path');
const puppeteer = require('puppeteer-core');

const [hindcast, elf, log, source, extension, screenshots] = process.argv.slice(2, 8).map((p) => path.resolve(p));
const BREAK = 'storm.light[filled++] = light;';
const PATIENCE = 30000;
let failures = 0;

function check(what, well, seen) {
    console.log(`${well ? 'ok  ' : 'FAIL'} ${what}${well ? '' : `: ${JSON.stringify(seen)}`}`);
    failures += !well;
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// ---- what is expected ----

const line = fs.readFileSync(source, 'utf8').split('\n').findIndex((text) => text.includes(BREAK)) + 1;

function debug(...commands) {
    return execFileSync(hindcast, ['debug', elf, log, '--batch', ...commands.flatMap((c) => ['--command', c])], { encoding: 'utf8' });
}

function expectations() {
    const name = path.basename(source);
    const text = debug(`break ${name}:${line}`, 'continue', 'print light', 'print filled', 'reverse-next', 'print filled', 'when',
        'goto end', 'last-write storm.unsent');
    const value = (expression, n) => [...text.matchAll(new RegExp(`^${expression} = (\\S+)`, 'gm'))][n][1];
    const places = [...text.matchAll(/^(?:Breakpoint 1, |#\d+ +|0x\S+ in )?(\w+) \(.*\) at (\w+\.\w):(\d+)/gm)];
    return { light: value('light', 0), filled: value('filled', 0), before: { function: places[2][1], file: places[2][2], line: places[2][3] },
             wrote: { line: places[places.length - 1][3] } };
}

// ---- the server ----

function freePort() {
    return new Promise((resolve) => {
        const server = net.createServer().listen(0, '127.0.0.1', () => {
            const { port } = server.address();
            server.close(() => resolve(port));
        });
    });
}

function prepare(work) {
    const folder = path.join(work, 'storm'), settings = path.join(work, 'data/User'), extensions = path.join(work, 'extensions');
    for (const made of [path.join(folder, '.vscode'), settings, extensions])
        fs.mkdirSync(made, { recursive: true });
    fs.copyFileSync(source, path.join(folder, path.basename(source)));
    fs.copyFileSync(elf, path.join(folder, 'storm.elf'));
    fs.copyFileSync(log, path.join(folder, 'node.flash'));
    fs.cpSync(extension, path.join(extensions, 'hindcast.hindcast-0.1.0'), { recursive: true });
    fs.writeFileSync(path.join(folder, '.vscode/launch.json'), JSON.stringify({ version: '0.2.0', configurations: [
        { type: 'hindcast', request: 'launch', name: 'Recording', program: '${workspaceFolder}/storm.elf', log: '${workspaceFolder}/node.flash',
          stopOnEntry: false, sourceMap: { [fs.realpathSync(path.dirname(source))]: folder } }] }));
    fs.writeFileSync(path.join(settings, 'settings.json'), JSON.stringify({
        'hindcast.path': hindcast, 'workbench.startupEditor': 'none', 'security.workspace.trust.enabled': false, 'telemetry.telemetryLevel': 'off',
        'workbench.tips.enabled': false, 'debug.toolBarLocation': 'docked', 'editor.minimap.enabled': false, 'git.enabled': false,
        'debug.onTaskErrors': 'debugAnyway', 'chat.commandCenter.enabled': false, 'workbench.secondarySideBar.defaultVisibility': 'hidden' }));
    return folder;
}

async function serve(work, port) {
    const entry = require.resolve('code-server/out/node/entry.js');
    const server = spawn(process.execPath, [entry, '--auth', 'none', '--bind-addr', `127.0.0.1:${port}`, '--user-data-dir', path.join(work, 'data'),
        '--extensions-dir', path.join(work, 'extensions'), '--disable-telemetry', '--disable-update-check', '--disable-workspace-trust',
        '--disable-getting-started-override'], { stdio: ['ignore', fs.openSync(path.join(work, 'server.log'), 'w'), 'inherit'],
        env: { ...process.env, HOME: work, XDG_CONFIG_HOME: work, XDG_DATA_HOME: work } });
    for (let i = 0; i < PATIENCE / 200; i++) {
        if (await new Promise((resolve) => {
            const socket = net.connect(port, '127.0.0.1', () => { socket.destroy(); resolve(true); });
            socket.on('error', () => resolve(false));
        }))
            return server;
        await pause(200);
    }
    throw new Error('code-server has not begun');
}

// ---- the session ----

class Editor {
    constructor(page) {
        this.page = page;
        this.shots = 0;
    }

    texts(selector) {
        return this.page.$$eval(selector, (all) => all.map((e) => e.innerText.replace(/\s+/g, ' ').trim()));
    }

    // Until WELL of the texts of SELECTOR; they are returned in any case.
    async wait(selector, well) {
        let seen = [];
        for (const end = Date.now() + PATIENCE; Date.now() < end; await pause(200)) {
            seen = await this.texts(selector).catch(() => []);
            if (well(seen))
                break;
        }
        return seen;
    }

    async shot(name) {
        await pause(1500);
        await this.page.screenshot({ path: path.join(screenshots, `${name}.png`) });
    }

    // By the list of files: searching needs a program that npm does not bring.
    async open(file, number) {
        await this.wait('.explorer-folders-view .monaco-list-row', (rows) => rows.includes(file));
        for (const row of await this.page.$$('.explorer-folders-view .monaco-list-row'))
            if ((await row.evaluate((e) => e.innerText.trim())) === file)
                await row.click({ count: 2 });
        await this.wait('.editor-instance .view-line', (rows) => rows.length > 5);
        await this.page.keyboard.down('Control');
        await this.page.keyboard.press('KeyG');
        await this.page.keyboard.up('Control');
        await this.page.waitForSelector('.quick-input-widget input', { visible: true, timeout: PATIENCE });
        await this.page.keyboard.type(String(number));
        await pause(500);
        await this.page.keyboard.press('Enter');
    }

    async command(name) {
        await this.page.keyboard.press('F1');
        await this.page.waitForSelector('.quick-input-widget input', { visible: true, timeout: PATIENCE });
        await this.page.keyboard.type(name);
        await this.wait('.quick-input-list .monaco-list-row', (rows) => rows[0] && rows[0].includes(name));
        await this.page.keyboard.press('Enter');
    }

    async button(name) {
        await this.page.waitForSelector(`.debug-toolbar .action-label[aria-label^="${name}"], .codicon-debug-toolbar, a.action-label[aria-label^="${name}"]`,
            { timeout: PATIENCE });
        await this.page.$eval(`a.action-label[aria-label^="${name}"]`, (e) => e.click());
    }

    frames(well) {
        return this.wait('.debug-call-stack .monaco-list-row', well);
    }

    variables(well) {
        return this.wait('.debug-variables .monaco-list-row', well);
    }
}

const at = (rows, file, number) => rows.some((row) => row.includes(`${file}`) && new RegExp(`\\b${number}(:\\d+)?\\b`).test(row));

async function session(editor, expected) {
    const file = path.basename(source);
    await editor.page.waitForSelector('.monaco-workbench', { timeout: PATIENCE });
    await editor.open(file, line);
    await editor.wait('.editor-instance .view-line', (rows) => rows.some((row) => row.includes('storm.light[filled++]')));
    await pause(1000);
    await editor.page.keyboard.press('F9');
    await editor.page.waitForSelector('.codicon-debug-breakpoint', { timeout: PATIENCE });
    await editor.page.keyboard.press('F5');

    let rows = await editor.frames((all) => at(all, file, line));
    check('it stops at the breakpoint', at(rows, file, line), rows);
    rows = await editor.variables((all) => all.some((row) => row.startsWith('light')));
    check(`light is ${expected.light}`, rows.some((row) => new RegExp(`^light ?=? ?:? ?${expected.light}\\b`).test(row)), rows);
    await editor.shot('breakpoint');

    await editor.button('Step Back');
    rows = await editor.frames((all) => at(all.slice(0, 2), expected.before.file, expected.before.line));
    check(`step back: ${expected.before.function} at ${expected.before.file}:${expected.before.line}`,
        at(rows.slice(0, 2), expected.before.file, expected.before.line), rows);
    await editor.shot('step-back');

    await editor.button('Continue');
    rows = await editor.frames((all) => at(all.slice(0, 2), file, line));
    check('continue: the breakpoint again', at(rows.slice(0, 2), file, line), rows);
    await editor.command('Hindcast: Go to Moment...');
    await editor.page.waitForSelector('.quick-input-widget input', { visible: true, timeout: PATIENCE });
    await pause(500);
    await editor.page.keyboard.type('end');
    await editor.page.keyboard.press('Enter');
    rows = await editor.frames((all) => all.some((row) => row.includes('wait_for_uart')));
    check('goto end: where it hung', rows.some((row) => row.includes('wait_for_uart')), rows);
    await editor.command('Hindcast: Last Write of...');
    await editor.page.waitForSelector('.quick-input-widget input', { visible: true, timeout: PATIENCE });
    await pause(500);
    await editor.page.keyboard.type('storm.unsent');
    await editor.page.keyboard.press('Enter');
    rows = await editor.frames((all) => at(all.slice(0, 2), file, expected.wrote.line));
    check(`last write: line ${expected.wrote.line}`, at(rows.slice(0, 2), file, expected.wrote.line), rows);
    for (const header of await editor.page.$$('.pane-header')) // it has no room at first: in place of others
        if (/^(watch|moments)/i.test(await header.evaluate((e) => e.innerText.trim())))
            await header.click();
    rows = await editor.wait('.pane-body .monaco-list-row', (all) => all.some((row) => row.includes('last write of storm.unsent')));
    check('it is in the list of moments', rows.some((row) => row.includes('last write of storm.unsent')), rows);
    await editor.shot('last-write');
}

async function main() {
    const expected = expectations(), work = fs.mkdtempSync(path.join(os.tmpdir(), 'hindcast-vscode-'));
    const folder = prepare(work), port = await freePort(), server = await serve(work, port);
    fs.mkdirSync(screenshots, { recursive: true });
    const browser = await puppeteer.launch({ executablePath: '/usr/bin/chromium', headless: true,
        args: ['--no-sandbox', '--disable-gpu', '--window-size=1400,900'], defaultViewport: { width: 1400, height: 900 } });
    const editor = new Editor(await browser.newPage());
    try {
        await editor.page.goto(`http://127.0.0.1:${port}/?folder=${encodeURIComponent(folder)}`, { waitUntil: 'domcontentloaded', timeout: PATIENCE });
        await session(editor, expected);
    } catch (error) {
        check('the session', false, String(error));
    }
    if (failures)
        await editor.shot('failure').catch(() => 0);
    await browser.close();
    server.kill();
    fs.rmSync(work, { recursive: true, force: true });
    console.log(`vscode: ${failures} failures`);
    process.exit(failures ? 1 : 0);
}

main();
