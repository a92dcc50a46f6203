// The client that the makers of the Debug Adapter Protocol test adapters with drives every capability that hindcast dap
// advertises: node drive.js HINDCAST DEBUGGED.elf DEBUGGED.c RECORDED.elf
'use strict';
const assert = require('assert');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { execFileSync } = require('child_process');
const { DebugClient } = require('@vscode/debugadapter-testsupport');

const [hindcast, elf, source, recorded] = process.argv.slice(2, 6).map((name) => path.resolve(name));
const lines = fs.readFileSync(source, 'utf8').split('\n');
const work = fs.mkdtempSync(path.join(os.tmpdir(), 'hindcast-editor-'));
const used = new Set(); // capabilities that a test has driven

const lineOf = (word) => lines.findIndex((line) => line.includes(`/* ${word} */`)) + 1;
const client = () => new DebugClient(hindcast, 'dap', 'hindcast');

async function stopped(c, action, reason) {
    const [event] = await Promise.all([c.waitForEvent('stopped', 60000), action]);
    assert.strictEqual(event.body.reason, reason, JSON.stringify(event.body));
    return event;
}

async function started(c, launch, breakpoints) {
    await c.start();
    const capabilities = (await c.initializeRequest()).body;
    await Promise.all([c.waitForEvent('initialized'), c.launchRequest(launch)]);
    if (breakpoints)
        await breakpoints();
    return capabilities;
}

const value = async (c, expression, more) =>
    (await c.evaluateRequest({ expression, frameId: 1, ...more })).body.result;
const top = async (c) => (await c.stackTraceRequest({ threadId: 1 })).body.stackFrames[0];

const tests = {
    async 'a breakpoint is hit where the client asks'() {
        const c = client();
        await c.start();
        await c.hitBreakpoint({ program: elf, seconds: 1 }, { path: source, line: lineOf('scaling') });
        used.add('supportsConfigurationDoneRequest').add('supportsDelayedStackTraceLoading');
        await c.stop();
    },

    async 'conditions, hits, log points and functions'() {
        const c = client();
        await started(c, { program: elf, seconds: 1, stopOnEntry: true });
        await stopped(c, c.configurationDoneRequest(), 'entry');
        const set = (breakpoints) => c.setBreakpointsRequest({ source: { path: source }, breakpoints });
        await set([{ line: lineOf('round'), condition: 'phase == 3' }]);
        await stopped(c, c.continueRequest({ threadId: 1 }), 'breakpoint');
        assert.strictEqual(await value(c, 'phase'), '3');
        await set([{ line: lineOf('round'), hitCondition: '4' }]);
        await stopped(c, c.continueRequest({ threadId: 1 }), 'breakpoint');
        assert.strictEqual(await value(c, 'phase'), '7');
        await set([{ line: lineOf('round'), logMessage: 'phase {phase}' }, { line: lineOf('wrapped') }]);
        const said = c.waitForEvent('output', 60000);
        c.continueRequest({ threadId: 1 });
        assert.strictEqual((await said).body.output, 'phase 8\n');
        await set([]);
        await stopped(c, c.pauseRequest({ threadId: 1 }), 'pause').catch(() => {}); // or it came to its end before
        await c.setFunctionBreakpointsRequest({ breakpoints: [{ name: 'scale' }] });
        await stopped(c, c.customRequest('restart', {}), 'entry');
        await stopped(c, c.continueRequest({ threadId: 1 }), 'function breakpoint');
        for (const name of ['ConditionalBreakpoints', 'HitConditionalBreakpoints', 'LogPoints', 'FunctionBreakpoints', 'RestartRequest'])
            used.add(`supports${name}`);
        await c.stop();
    },

    async 'steps, forwards and backwards'() {
        const c = client();
        await started(c, { program: elf, seconds: 1 },
            () => c.setFunctionBreakpointsRequest({ breakpoints: [{ name: 'record' }] }));
        await stopped(c, c.configurationDoneRequest(), 'function breakpoint');
        const moment = async () => (await c.customRequest('hindcast/when', { threadId: 1 })).body.instruction;
        const begin = await moment();
        await stopped(c, c.nextRequest({ threadId: 1 }), 'step');
        await stopped(c, c.nextRequest({ threadId: 1 }), 'step');
        await stopped(c, c.stepInRequest({ threadId: 1 }), 'step');
        assert.strictEqual((await top(c)).name, 'scale');
        await stopped(c, c.stepOutRequest({ threadId: 1 }), 'step');
        while (await moment() > begin)
            await stopped(c, c.stepBackRequest({ threadId: 1 }), 'step');
        assert.strictEqual(await moment(), begin);
        await stopped(c, c.nextRequest({ threadId: 1, granularity: 'instruction' }), 'step');
        await stopped(c, c.stepBackRequest({ threadId: 1, granularity: 'instruction' }), 'step');
        assert.strictEqual(await moment(), begin);
        await c.setFunctionBreakpointsRequest({ breakpoints: [] });
        await stopped(c, c.reverseContinueRequest({ threadId: 1 }), 'beginning');
        const { body } = await c.customRequest('gotoTargets', { source: { path: source }, line: lineOf('first change') });
        await stopped(c, c.gotoRequest({ threadId: 1, targetId: body.targets[0].id }), 'goto');
        assert.strictEqual((await top(c)).line, lineOf('first change'));
        for (const name of ['StepBack', 'SteppingGranularity', 'GotoTargetsRequest'])
            used.add(`supports${name}`);
        await c.stop();
    },

    async 'data, instructions, memory'() {
        const c = client();
        await started(c, { program: elf, seconds: 1, stopOnEntry: true });
        await stopped(c, c.configurationDoneRequest(), 'entry');
        const info = (await c.customRequest('dataBreakpointInfo', { name: 'total', frameId: 1 })).body;
        await c.customRequest('setDataBreakpoints', { breakpoints: [{ dataId: info.dataId, accessType: 'write' }] });
        await stopped(c, c.continueRequest({ threadId: 1 }), 'data breakpoint'); // start-up code
        const event = await stopped(c, c.continueRequest({ threadId: 1 }), 'data breakpoint');
        assert.match(event.body.text, /1000 -> 2000/);
        await c.customRequest('setDataBreakpoints', { breakpoints: [] });
        const pc = (await top(c)).instructionPointerReference;
        const code = (await c.disassembleRequest({ memoryReference: pc, instructionOffset: -10, instructionCount: 20 })).body;
        assert.strictEqual(code.instructions[10].address, pc);
        await c.customRequest('setInstructionBreakpoints', { breakpoints: [{ instructionReference: code.instructions[12].address }] });
        await stopped(c, c.continueRequest({ threadId: 1 }), 'instruction breakpoint');
        const address = (await c.evaluateRequest({ expression: 'total', frameId: 1 })).body.memoryReference;
        const memory = (await c.customRequest('readMemory', { memoryReference: address, count: 2 })).body;
        assert.strictEqual(Buffer.from(memory.data, 'base64').readUInt16LE(), 2000);
        const locations = await c.customRequest('breakpointLocations', { source: { path: source }, line: lineOf('round') });
        assert.strictEqual(locations.body.breakpoints.length, 1);
        const sources = (await c.customRequest('loadedSources', {})).body.sources.map((s) => s.path);
        assert(sources.includes(source));
        for (const name of ['DataBreakpoints', 'InstructionBreakpoints', 'DisassembleRequest', 'ReadMemoryRequest',
            'BreakpointLocationsRequest', 'LoadedSourcesRequest'])
            used.add(`supports${name}`);
        await c.stop();
    },

    async 'variables and expressions'() {
        const c = client();
        await started(c, { program: elf, seconds: 1 }, () => c.setBreakpointsRequest(
            { source: { path: source }, breakpoints: [{ line: lineOf('recorded'), condition: 'sensor == 2' }] }));
        await stopped(c, c.configurationDoneRequest(), 'breakpoint');
        const { scopes } = (await c.scopesRequest({ frameId: (await top(c)).id })).body;
        assert.deepStrictEqual(scopes.map((s) => s.name), ['Locals', 'Globals', 'Registers', 'Peripherals']);
        const { variables } = (await c.variablesRequest({ variablesReference: scopes[0].variablesReference })).body;
        assert.strictEqual(variables.find((v) => v.name === 'sensor').value, '2');
        assert.strictEqual(await value(c, 'total', { context: 'hover', format: { hex: true } }), '0x3e8');
        const targets = (await c.customRequest('completions', { text: 'info loc', column: 9, frameId: 1 })).body.targets;
        assert.deepStrictEqual(targets, [{ label: 'locals' }]);
        await assert.rejects(c.setVariableRequest({ variablesReference: 1, name: 'sensor', value: '1' }), /nothing can be changed/);
        for (const name of ['EvaluateForHovers', 'CompletionsRequest', 'ValueFormattingOptions'])
            used.add(`supports${name}`);
        await c.stop();
    },

    async 'exceptions, cancel and terminate'() {
        const bad = path.join(work, 'bad.txt');
        // A program that jumps into memory that is not there, as TI-TXT.
        fs.writeFileSync(bad, '@4000\n30 40 00 3A\n@FFFE\n00 40\nq\n');
        const c = client();
        await started(c, { program: bad });
        await c.setExceptionBreakpointsRequest({ filters: ['fault'] });
        await stopped(c, c.configurationDoneRequest(), 'exception');
        const info = (await c.customRequest('exceptionInfo', { threadId: 1 })).body;
        assert.strictEqual(info.exceptionId, 'fault');
        await Promise.all([c.waitForEvent('terminated'), c.customRequest('terminate', {})]);
        await c.stop();
        const forEver = client();
        await started(forEver, { program: elf });
        await forEver.configurationDoneRequest();
        await stopped(forEver, forEver.customRequest('cancel', {}), 'pause');
        await forEver.stop();
        for (const name of ['ExceptionInfoRequest', 'TerminateRequest', 'CancelRequest'])
            used.add(`supports${name}`);
    },

    async 'both ends of a recording'() {
        const log = path.join(work, 'flash');
        execFileSync(hindcast, ['run', recorded, '--seconds', '20', '--flash', log]);
        const c = client();
        await started(c, { program: recorded, log });
        await stopped(c, c.configurationDoneRequest(), 'end');
        await stopped(c, c.stepBackRequest({ threadId: 1 }), 'step');
        await stopped(c, c.reverseContinueRequest({ threadId: 1 }), 'beginning');
        await c.stop();
    },
};

async function main() {
    let failed = 0;
    const c = client();
    await c.start();
    const capabilities = (await c.initializeRequest()).body;
    await c.stop();
    for (const [name, test] of Object.entries(tests)) {
        try {
            await test();
            console.log(`ok      ${name}`);
        } catch (error) {
            failed++;
            console.log(`FAILED  ${name}: ${error.stack}`);
        }
    }
    for (const [name, supported] of Object.entries(capabilities))
        if (supported === true && !used.has(name)) {
            failed++;
            console.log(`FAILED  ${name} is advertised, and nothing has driven it`);
        }
    fs.rmSync(work, { recursive: true });
    console.log(`editor: ${used.size} capabilities driven, ${failed} failures`);
    process.exit(failed ? 1 : 0);
}

main();
