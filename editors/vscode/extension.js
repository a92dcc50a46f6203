// Hindcast in VS Code: starts `hindcast dap`, and adds what the protocol has no buttons for.
'use strict';
const vscode = require('vscode');

const TYPE = 'hindcast';

// An anomaly that `hindcast power` finds is debugged by that command itself.
function adapter(session) {
    const program = vscode.workspace.getConfiguration('hindcast').get('path') || 'hindcast';
    const { anomaly, program: image, powerOptions } = session.configuration;
    const words = anomaly ? ['power', image, ...(powerOptions || []), `--debug=${anomaly}`, '--dap'] : ['dap'];
    return new vscode.DebugAdapterExecutable(program, words);
}

// A request of the adapter's own for the node that is looked at.
async function request(command, more) {
    const session = vscode.debug.activeDebugSession;
    if (!session || session.type !== TYPE)
        return undefined;
    const item = vscode.debug.activeStackItem;
    try {
        return await session.customRequest(command, { threadId: (item && item.threadId) || 0, ...more });
    } catch (error) {
        vscode.window.showErrorMessage(error.message);
        return undefined;
    }
}

const seconds = (moment) => `${moment.seconds.toFixed(6)} s`;

// The moments that one has come to and wants to find again.
class Moments {
    constructor() {
        this.list = [];
        this.changed = new vscode.EventEmitter();
        this.onDidChangeTreeData = this.changed.event;
    }

    getChildren() {
        return this.list;
    }

    getTreeItem(moment) {
        const item = new vscode.TreeItem(`${seconds(moment)}  ${moment.note}`);
        item.description = `#${moment.instruction}`;
        item.command = { command: 'hindcast.goto', title: 'Go there', arguments: [`#${moment.instruction}`] };
        return item;
    }

    add(moment) {
        this.list.push(moment);
        this.list.sort((a, b) => a.instruction - b.instruction);
        this.changed.fire();
    }

    clear() {
        this.list = [];
        this.changed.fire();
    }
}

async function lastWrite(moments, variable) {
    const given = variable && variable.variable && (variable.variable.evaluateName || variable.variable.name);
    const expression = given || await vscode.window.showInputBox({ prompt: 'Of which expression in memory?' });
    const found = expression && await request('hindcast/lastWrite', { expression });
    if (!found)
        return;
    moments.add({ ...found, note: `last write of ${expression}` });
    vscode.debug.activeDebugConsole.appendLine(found.text);
}

async function goto(place) {
    const moment = typeof place === 'string' ? place : await vscode.window.showInputBox(
        { prompt: 'Which moment?', placeHolder: '1.5s, 20ms, #1234, interrupt 7, segment 2, start, end' });
    if (moment)
        await request('hindcast/goto', { moment });
}

async function mark(moments) {
    const moment = await request('hindcast/when');
    const note = moment && await vscode.window.showInputBox({ prompt: 'What is this moment?' });
    if (note !== undefined && moment)
        moments.add({ ...moment, note });
}

function activate(context) {
    const moments = new Moments();
    const register = (name, call) => vscode.commands.registerCommand(`hindcast.${name}`, call);

    context.subscriptions.push(
        vscode.debug.registerDebugAdapterDescriptorFactory(TYPE, { createDebugAdapterDescriptor: adapter }),
        vscode.window.registerTreeDataProvider('hindcast.moments', moments),
        vscode.debug.onDidTerminateDebugSession((session) => session.type === TYPE && moments.clear()),
        register('reverseStepIn', () => request('hindcast/reverseStepIn')),
        register('reverseStepOut', () => request('hindcast/reverseStepOut')),
        register('lastWrite', (variable) => lastWrite(moments, variable)),
        register('goto', goto),
        register('mark', () => mark(moments)));
}

module.exports = { activate };
