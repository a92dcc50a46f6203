"""What the nodes of a run left, as each node's story: its messages, paired over the network, between the functions that it
came through. Nothing but the flash chips of the nodes and the program is read: what the nodes recorded of themselves
(`--record=all`), or only messages and paths (`--record=messages+paths`), with the lines of the program's source."""
import collections
import json
import os
import re
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..")
TAIL = 32  # fewer messages of one node to another lack behind the end of a log: what `hindcast order` is told


class Event:
    """A call of a function (`name`), or a message that was sent or received (`what`), which belongs to the last call before it."""

    def __init__(self, node, place, what, name, message=None):
        self.node, self.place, self.what, self.name, self.message = node, place, what, name, message
        self.pair = None  # of a receive: the event of its send
        self.received = []  # of a send: the events of its receives
        self.seconds = 0.0  # on the axis of `hindcast order`

    @property
    def partner(self):
        return self.message["partner"]

    @property
    def broadcast(self):
        return self.message["broadcast"]

    @property
    def lost(self):
        return self.message["fate"] == "lost"


def functions_of(path, known={}):
    """The lines of each function of a C file: name by line. KNOWN: files that were read."""
    if path not in known:
        known[path] = {}
        name = None
        # As the compiler wrote it: from the build's folder, beside the sources.
        here = os.path.join(ROOT, re.sub(r"^(\.\./)*", "", path))
        with open(here if os.path.exists(here) else path, encoding="utf-8") as source:
            for number, line in enumerate(source, 1):
                head = re.match(r"(?:[A-Za-z_]\w* +\**)+(\w+)\([^;]*\)$", line)
                name = head.group(1) if head else None if line.startswith("}") else name
                known[path][number] = name
    return known[path]


class Walk:
    """Follows the paths of a node: which of FUNCTIONS are entered, as functions or inlined into others."""

    def __init__(self, functions):
        self.functions = set(functions)
        self.inside = collections.defaultdict(list)  # by frame: the function and those inlined that are under way
        self.looks = 0  # a clock: calls of `look`, an epoch each

    def follow(self, event):
        """Names, one for each line, where a function begins; None elsewhere."""
        if event["kind"] != "path":
            return []
        frame = event["interrupt"], event["level"], event["depth"]
        inside = self.inside[frame]
        if event["enters"]:
            inside.clear()
        names = []
        for line in event["lines"]:
            name = functions_of(line["file"]).get(line["line"])
            begins = name and name not in inside
            if begins:
                inside.append(name)
            elif name:
                del inside[inside.index(name) + 1:]
            self.looks += bool(begins and name == "look")
            names.append(name if begins and name in self.functions else None)
        return names


class Traces:
    """The stories of all nodes, each with the calls of FUNCTIONS."""

    def __init__(self, hindcast, run, functions):
        self.hindcast, self.run, self.functions = hindcast, run, functions
        self.order = json.loads(self.call("order", run, "--tail", str(TAIL), "--json", codes=(0, 1)))
        if any(event["fate"] == "contradicted" for event in self.order["events"]):
            sys.exit(f"{run}: messages that fit nothing, of a network whose logs belong together")
        self.stories = {node["address"]: [] for node in self.order["nodes"]}
        self.paths = all(event["seconds"] is None for event in self.order["events"])
        if self.paths:
            self.add_paths()
        else:
            self.add_calls()
        self.add_messages()

    def call(self, *arguments, codes=(0,)):
        done = subprocess.run([self.hindcast, *arguments], capture_output=True, text=True, check=False)
        if done.returncode not in codes:
            sys.exit(f"hindcast {' '.join(arguments)} ended with {done.returncode}:\n{done.stderr}")
        return done.stdout

    def add_calls(self):
        places = [word for function in self.functions for word in ("--at", function)]
        for row in json.loads(self.call("print", self.run, *places, "--json", "$place", codes=(0, 1)) or "[]"):
            for name in row["$place"].split("+"):
                event = Event(row["node"], (row["segment"], row["instruction"]), "call", name)
                event.seconds = row["time"]
                self.stories[row["node"]].append(event)

    def add_paths(self):
        """The calls in paths, those of inlined functions too; and where among them each message is."""
        with open(os.path.join(self.run, "manifest.json"), encoding="utf-8") as manifest:
            image = json.load(manifest)["images"][0]["path"]
        self.places = {}
        for node, story in self.stories.items():
            text = self.call("paths", image, os.path.join(self.run, f"node-{node}", "flash.bin"), "--json")
            walk = Walk(self.functions)
            for number, line in enumerate(text.splitlines()):
                e = json.loads(line)
                if e["kind"] == "message" and "message" in e:
                    self.places[node, e["message"]] = (number, 0), walk.looks
                story += [Event(node, (number, i), "call", name) for i, name in enumerate(walk.follow(e)) if name]
                for event in story[-1:]:
                    event.seconds = walk.looks

    def place_of(self, m):
        """Where a message is in its node's story, and when; one that the node's paths do not reach any more is at the end."""
        if not self.paths:
            return (m["segment"], m["instruction"]), m["seconds"]
        return self.places.get((m["node"], m["instruction"]), ((1 << 40, m["instruction"]), 0.0))

    def add_messages(self):
        events = {}
        for m in self.order["events"]:
            place, seconds = self.place_of(m)
            event = Event(m["node"], place, m["kind"], None, m)
            event.seconds = seconds
            events[m["event"]] = event
            self.stories[m["node"]].append(event)
        for event in events.values():
            if event.what == "receive" and event.message["fate"] == "paired":
                event.pair = events[event.message["send"]]
                event.pair.received.append(event)
        for story in self.stories.values():
            story.sort(key=lambda event: event.place)
            name = None
            for event in story:
                name = event.name = event.name or name


def split(story, function):
    """The parts of a story that begin with a call of FUNCTION."""
    parts = []
    for event in story:
        if event.what == "call" and event.name == function:
            parts.append([])
        if parts:
            parts[-1].append(event)
    return parts


def called(events, name):
    return [event for event in events if event.what == "call" and event.name == name]


def sent(events, name):
    return [event for event in events if event.what == "send" and event.name == name]
