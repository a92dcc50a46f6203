"""What the nodes of a run left, as each node's story: its messages, paired over the network, between the functions that it
came through. Nothing but the flash chips of the nodes and the program is read."""
import json
import subprocess
import sys

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


class Traces:
    """The stories of all nodes, each with the calls of FUNCTIONS."""

    def __init__(self, hindcast, run, functions):
        self.hindcast, self.run, self.functions = hindcast, run, functions
        self.order = json.loads(self.call("order", run, "--tail", str(TAIL), "--json", codes=(0, 1)))
        if any(event["fate"] == "contradicted" for event in self.order["events"]):
            sys.exit(f"{run}: messages that fit nothing, of a network whose logs belong together")
        self.stories = {node["address"]: [] for node in self.order["nodes"]}
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

    def add_messages(self):
        events = {}
        for m in self.order["events"]:
            event = Event(m["node"], (m["segment"], m["instruction"]), m["kind"], None, m)
            event.seconds = m["seconds"]
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
