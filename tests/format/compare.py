#!/usr/bin/env python3
"""compare HINDCAST ELF LOG... [--oracle FILE]: the second reader and hindcast read the same of each LOG, which ELF recorded.

What the log holds (pages, damage, segments, resets) is compared with `hindcast log --json`, and each event with what
`hindcast replay --events` writes. Of that list the second reader is told only what a replay knows beforehand: which site
is read next, whether the CPU sleeps, and what a timer's base is. Ends with 1 and a sentence if anything differs."""
import json
import subprocess
import sys
import tempfile

import second_reader as second


def run(*command, codes=(0,)):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in codes:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout[-2000:]}{done.stderr}")
    return done


def same(what, ours, theirs):
    if ours != theirs:
        sys.exit(f"{what}: the second reader has {ours}, hindcast has {theirs}")


# ---- what the log holds ----

STREAMS = ["events", "paper", "boot", "checkpoint", "commit", "recovery", "mark", "rescue"]
LANES = ["interrupts", "registers", "data", "hashes"]


def streams(segment):
    found = {}
    for page in segment.pages(*range(8)):
        entry = found.setdefault(STREAMS[page.stream], {"pages": 0, "bytes": 0})
        entry["pages"] += 1
        entry["bytes"] += page.length
        for lane, size in zip(LANES, page.payload) if page.stream == second.PAPER else ():
            if size:
                found.setdefault(lane, {"bytes": 0})["bytes"] += size
    return found


def start_name(segment):
    if segment.complete:
        return "reset" if segment.of_boot else "checkpoint"
    return "lost" if segment.lost else "unfinished checkpoint"


def compare_contents(name, log, told):
    same(f"{name}: pages", len(log.pages), told["pages"])
    same(f"{name}: segments", [(s.boot, s.number) for s in log.segments.values()],
         [(s["boot"], s["segment"]) for s in told["segments"]])
    for segment, t in zip(log.segments.values(), told["segments"]):
        where = f"{name}: segment {segment.number}: "
        same(where + "streams", streams(segment), t["streams"])
        same(where + "start", start_name(segment), t["begin"])
        same(where + "frozen", segment.frozen is not None, bool(t["frozen"]))
        if segment.complete:
            same(where + "build", segment.build.hex(), t["build"])
    kinds = [d["kind"] for d in told["damage"]]
    same(f"{name}: torn pages", len(log.torn), kinds.count("torn"))
    same(f"{name}: conflicts", log.conflicts, kinds.count("conflict"))
    same(f"{name}: missing pages", log.missing, sum(life["missing_pages"] for life in told["lives"]))


# ---- events ----

def parse(line):
    words = line.split()
    if words[0] == "memory":
        return "memory", int(words[1]), bytes.fromhex(words[2] if len(words) > 2 else "")
    return words[0], *map(int, words[1:])


def question(event):
    """What a replay knows before it asks."""
    if event[0] == "read":
        return "read", event[1], event[3] if len(event) > 3 else None
    return (event[0],)


def decode(decoder, events, where):
    for n, event in enumerate(events):
        expected = event[:3] if event[0] == "read" else event
        try:
            got = decoder.next(question(event))
        except (EOFError, second.Damage, second.Contradiction) as reason:
            sys.exit(f"{where}: event {n}: the second reader ends here ({type(reason).__name__} {reason}), hindcast has {event}")
        same(f"{where}: event {n}", got, expected)


def ends_within_event(mixed):
    """Whether the event that comes next has no end: its value is counted and some of its bits may be there, but the last page ends
    in its middle. Then that page's check is of the events before it."""
    if mixed.trailer is None:  # of a rescue
        return mixed.at == len(mixed.code)
    return second.word(mixed.trailer, 0) == mixed.check and next(mixed.payloads, None) is None


def is_over(decoder):
    """Whether nothing is left that a replay could have asked for."""
    if decoder.enter_ring():
        return len(decoder.ring) <= 1  # what came last may be more than the program got to
    if decoder.sets:
        return True  # each stream of set paper has an end of its own
    mixed = decoder.mixed
    try:
        if mixed.asynchronous():
            return False
        if mixed.pending:
            mixed.difference(second.Model())
            return False
        return not mixed.run or (mixed.run == 1 and ends_within_event(mixed))
    except (EOFError, second.Damage):
        return True


def split(lines):
    """The list's events by segment."""
    found = {}
    for line in lines:
        event = parse(line)
        if event[0] == "segment":
            events = found.setdefault(event[1:], [])
        else:
            events.append(event)
    return found


def compare_events(name, log, program, lines, whole):
    """WHOLE: hindcast came to the end of the log."""
    listed = split(lines)
    for (boot, number), events in listed.items():
        segment = log.segments[boot, number]
        where = f"{name}: segment {number} of boot {boot}"
        same(where + ": can be decoded", segment.replayable, True)
        decoder = second.Decoder(segment, program)
        decode(decoder, events, where)
        if whole and not is_over(decoder):
            sys.exit(f"{where}: hindcast ends after {len(events)} events, the second reader has more")
    for (boot, number), segment in log.segments.items():
        if (whole and segment.replayable and segment.build == program.build_id[:8] and (boot, number) not in listed and
                not is_over(second.Decoder(segment, program))):
            sys.exit(f"{name}: segment {number} of boot {boot}: hindcast left it out")
    return sum(map(len, listed.values()))


def replay(hindcast, elf, name, codes):
    """Hindcast's list of events, and its exit code."""
    with tempfile.NamedTemporaryFile("r", encoding="ascii") as events:
        done = run(hindcast, "replay", elf, name, "--events", events.name, codes=codes)
        with open(events.name, encoding="ascii") as written: # a new file, which took the place of the empty one
            return written.readlines(), done.returncode


def compare(hindcast, elf, name, change=None, codes=(0, 1)):
    """CHANGE: what to do to the list of events first. CODES: exit codes of the replay that are right."""
    with open(elf, "rb") as file:
        program = second.Program(file.read())
    same(f"{elf}: build id", program.computed_build_id().hex(), program.build_id.hex())
    with open(name, "rb") as file:
        image = file.read()
    if not second.find_pages(image)[0] and image[:1] != b":":
        run(hindcast, "log", name, codes=(3,))
        return 0, 0
    log = second.Log(image)
    compare_contents(name, log, json.loads(run(hindcast, "log", "--json", name, codes=(0, 1)).stdout)[0])
    lines, code = replay(hindcast, elf, name, codes)
    return len(log.pages), compare_events(name, log, program, change(lines) if change else lines, code in (0, 1))


def check_oracle(elf, name):
    """It is whole, and of this program."""
    with open(elf, "rb") as program, open(name, "rb") as file:
        same(f"{name}: build id", second.Oracle(file.read()).build, second.Program(program.read()).build_id[:8])


def main():
    hindcast, elf, *logs = sys.argv[1:]
    if "--oracle" in logs:
        at = logs.index("--oracle")
        check_oracle(elf, logs[at + 1])
        logs = logs[:at]
    for name in logs:
        pages, events = compare(hindcast, elf, name)
        print(f"second reader: {pages} pages, {events} events, the same")


if __name__ == "__main__":
    main()
