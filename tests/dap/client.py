"""A client of the Debug Adapter Protocol, as small as can be."""
import json
import os
import select
import subprocess
import time

PATIENCE = 60


class Refused(Exception):
    pass


class Client:
    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.bytes = b""
        self.seq = 0
        self.events = []

    def send(self, command, **arguments):
        self.seq += 1
        message = {"seq": self.seq, "type": "request", "command": command, "arguments": arguments}
        body = json.dumps(message).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()
        return self.seq

    def receive(self):
        end = time.time() + PATIENCE
        while True:
            header, found, rest = self.bytes.partition(b"\r\n\r\n")
            if found:
                length = int(header.split(b":")[1])
                if len(rest) >= length:
                    self.bytes = rest[length:]
                    return json.loads(rest[:length])
            if not select.select([self.process.stdout], [], [], max(0, end - time.time()))[0]:
                raise TimeoutError("the adapter says nothing")
            piece = os.read(self.process.stdout.fileno(), 1 << 20)
            if not piece:
                raise EOFError(self.process.stderr.read().decode())
            self.bytes += piece

    def answer(self, seq):
        """The response to request SEQ; events are kept."""
        while True:
            message = self.receive()
            if message["type"] == "event":
                self.events.append(message)
            elif message["request_seq"] == seq:
                if not message["success"]:
                    raise Refused(message["message"])
                return message.get("body", {})

    def ask(self, command, **arguments):
        return self.answer(self.send(command, **arguments))

    def event(self, name):
        """The next event of that name; those before it are dropped."""
        while True:
            while self.events:
                event = self.events.pop(0)
                if event["event"] == name:
                    return event.get("body", {})
            message = self.receive()
            if message["type"] == "event":
                self.events.append(message)

    def start(self, breakpoints=(), **launch):
        capabilities = self.ask("initialize", adapterID="hindcast", supportsProgressReporting=True)
        self.ask("launch", **launch)
        self.event("initialized")
        for command, arguments in breakpoints:
            self.ask(command, **arguments)
        self.ask("configurationDone")
        return capabilities

    def go(self, command, **arguments):
        """A request that moves: the stopped event."""
        self.ask(command, threadId=arguments.pop("threadId", 1), **arguments)
        return self.event("stopped")

    def moment(self, thread=1):
        return self.ask("hindcast/when", threadId=thread)["instruction"]

    def frames(self, thread=1):
        return self.ask("stackTrace", threadId=thread)["stackFrames"]

    def end(self):
        self.ask("disconnect")
        self.process.stdin.close()
        return self.process.wait(PATIENCE)
