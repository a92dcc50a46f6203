#!/usr/bin/env python3
"""A second reader of logs of depth `region`, written from FORMAT.md alone. It shares no code with hindcast.

    second_regions.py vectors FILE    reads the golden vectors as they say
    second_regions.py LOG             prints each boot of a log: number, build, bytes of its code"""
import sys

from second_messages import check, word

GROUPS, COPIES, HIGHEST = 64, 16, 124
REASONS = 4


class Over(Exception):
    """The code ends here."""


class Wrong(Exception):
    """Code and program contradict each other."""


# ---- pages ----

def pieces(data):
    """Whole pieces of 0xc3 and of code at the beginning of DATA, and their length."""
    found, at = [], 0
    while at < len(data):
        head = data[at]
        size = 12 if head == 0xc3 else head & 0x1f
        if not size or (0x40 <= head != 0xc3) or at + size + 2 > len(data) or \
                check(data[at:at + 1 + size]) != data[at + 1 + size]:
            break
        found.append((head, data[at + 1:at + 1 + size]))
        at += size + 2
    return found, at


def pages(image):
    found, at = [], 0
    while (at := image.find(b"H\x09", at)) >= 0 and at + 10 < len(image):
        header = image[at:at + 10]
        parts, length = pieces(image[at + 10:at + 256])
        if check(header[:9]) != header[9] or not parts:
            at += 1
            continue
        found.append((word(header, 2), word(header, 6) | header[8] << 16, parts))
        at += 10 + length
    return found


def boots(image):
    """Number, build id and code of each."""
    found = []
    before = None
    for boot, sequence, parts in pages(image):
        for head, data in parts:
            if head == 0xc3:
                found.append([boot, data[4:12].hex(), b""])
            elif found and before in (None, sequence - 1, sequence):
                found[-1][2] += data
        before = sequence
    return found


# ---- code ----

class Bits:
    def __init__(self, code):
        self.text, self.at = "".join(f"{byte:08b}" for byte in code), 0

    def take(self, count):
        if self.at + count > len(self.text):
            raise Over
        self.at += count
        return int(self.text[self.at - count:self.at] or "0", 2)

    def align(self):
        self.at += -self.at % 8


class Level:
    def __init__(self):
        self.level = 0

    def take(self, bits):
        k = self.level // 4
        if k < 32 and bits.take(1):
            self.level -= self.level > 0
            return bits.take(k)
        m = k + 1
        while m < 32 and not bits.take(1):
            m += 1
        self.level = min(self.level + m - k, HIGHEST)
        return 1 << m - 1 | bits.take(m - 1)


class Group:
    def __init__(self):
        self.numbers, self.ticks, self.after = Level(), Level(), 0


def unfold(n):
    return -(n + 1) // 2 if n & 1 else n // 2


class Region:
    """Answers what the region's code asks, in its order."""

    def __init__(self, code, width, cache, checks, interrupts):
        self.bits, self.width, self.checks, self.interrupts = Bits(code), width, checks, interrupts
        self.lines, self.cache = cache, {line: (line * width, 0) for line in range(cache)}
        self.groups, self.last, self.rare = [Group() for _ in range(GROUPS)], 0, Level()
        self.slots, self.next, self.context = {}, {}, 0
        self.hash, self.visits, self.inner = 0, 0, 0
        self.ticks, self.escape, self.ended = 0, None, False
        self.look()

    # What is next: ticks, and behind them a record or an escape.

    def look(self):
        self.escape = None
        group = self.groups[self.last]
        try:
            if self.bits.take(1):
                self.ticks = group.after
                if self.ticks == 255:
                    raise Wrong("as many ticks as before, and nobody knows how many")
                return
            number = group.ticks.take(self.bits)
            if number:
                self.ticks = number - 1
                group.after = min(self.ticks, 255)
            else:
                self.escape = self.bits.take(2)
                self.ticks = self.rare.take(self.bits)
        except Over:
            self.ticks, self.ended = 0, True

    def take_checks(self):
        """Escapes of checks may come between visits and in calls to the outside."""
        while not self.ended and not self.ticks and self.escape == 1:
            if self.bits.take(8) != self.sum():
                raise Wrong("a check")
            self.bits.align()
            self.look()

    def tick(self):
        """True: as expected. False: a record is next."""
        if self.ended:
            raise Over
        if self.ticks:
            self.ticks -= 1
            if not self.ticks and self.escape == 1 and self.full():
                self.take_checks()
            return True
        if self.escape == 2:
            raise Over
        return False

    def full(self):
        return False  # no vector has 65,535 ticks

    def number(self, group):
        self.last = group
        value = self.groups[group].numbers.take(self.bits)
        self.look()
        return value

    def enters(self):
        if self.escape != 0:
            raise Wrong("nobody enters here")
        entry = self.bits.take(8)
        self.look()
        return entry

    # What the code asks.

    def value(self, expected, before, slot, bits):
        if self.tick():
            return expected
        if self.escape is not None:
            return None
        return (before + unfold(self.number(slot % GROUPS))) % (1 << bits)

    def take_in(self, slot, bits):
        before = self.slots.get(slot, 0)
        got = self.value(before, before, slot, bits)
        if got is not None:
            self.slots[slot] = got
        return got

    def load(self, address, slot):
        line, before = address // self.width % self.lines, self.slots.get(slot, 0)
        unit, known = self.cache[line]
        got = self.value(known if unit == address else before, before, slot, 8 * self.width)
        self.slots[slot] = got
        self.cache[line] = (address, got)
        return got

    def step(self):
        if self.interrupts and not self.tick():
            raise Wrong("something else goes out")

    def mix(self, value, bits):
        for at in range(0, max(bits, 16), 16):
            turned = self.hash << 1 | self.hash >> 15
            self.hash = turned + (value >> at & 0xffff) & 0xffff

    def sum(self):
        return (self.hash ^ self.hash >> 8) & 0xff

    def out(self, value, bits):
        self.step()
        self.mix(value, bits)

    def write(self, address, value, bits):
        self.step()
        self.mix(address, 8 * self.width)
        self.mix(value, bits)

    def store(self, address, value, size):
        self.write(address, value, 8 * size)
        for i in range(0, size, self.width) if size > self.width else [0]:
            self.change(address + i, value >> 8 * i, min(size, self.width))

    def change(self, address, value, size):
        unit = address - address % self.width
        line = unit // self.width % self.lines
        if size == self.width:
            self.cache[line] = (unit, value % (1 << 8 * size))
        elif self.cache[line][0] == unit:
            shift = 8 * (address - unit)
            mask = (1 << 8 * size) - 1 << shift
            self.cache[line] = (unit, self.cache[line][1] & ~mask | value << shift & mask)

    def cross(self):
        event = self.next.get(self.context, 0)
        if not self.tick():
            if self.escape is not None:
                raise Wrong("an escape where something crosses the border")
            event = self.number(0)
        self.next[self.context] = event
        return event

    def enter(self):
        self.take_checks()
        event = self.cross()
        if not event:
            raise Wrong("a return between visits")
        return event - 1

    def call(self, again):
        """None: it returns."""
        if not again:
            self.step()
            self.context = 0
        self.take_checks()
        if self.context:
            event = self.cross()
            return event - 1 if event else None
        return None if self.tick() else self.enters()

    def leave(self, entry, inner):
        self.step()
        self.context = entry + 1
        every = (8 if inner else self.checks) if self.checks else 0
        if inner:
            self.inner += 1
        else:
            self.visits += 1
        if every and (self.inner if inner else self.visits) >= every:
            self.inner, self.visits = (0, self.visits) if inner else (self.inner, 0)
            self.due()
        self.take_checks()

    def due(self):
        if self.ended or (not self.ticks and self.escape == 2):
            raise Over
        if self.ticks or self.escape is not None:
            raise Wrong("no check where one is due")
        self.last = 1
        if self.bits.take(8) != self.sum():
            raise Wrong("a check")
        self.look()

    def is_over(self):
        self.take_checks()
        if not self.ticks and self.escape == 2 and not self.ended:
            return self.bits.take(8) < REASONS and not self.bits.take(8)
        return self.ended


# ---- vectors ----

def answer(region, what, words):
    numbers = [int(w, 0) for w in words]
    if what == "in":
        got = region.take_in(*numbers)
        return f"enters {region.enters()}" if got is None else str(got)
    if what == "load":
        return str(region.load(*numbers))
    if what == "enter":
        return str(region.enter())
    if what in ("call", "again"):
        got = region.call(what == "again")
        return "back" if got is None else str(got)
    if what == "leave":
        region.leave(*numbers)
        return "ok"
    if what == "over":
        return "yes" if region.is_over() else "no"
    {"out": region.out, "store": region.store, "write": region.write}[what](*numbers)
    return ""


def read_vectors(path):
    vectors = []
    with open(path, encoding="ascii") as file:
        for line in file:
            what, *words = line.split("#")[0].split() or [""]
            if what == "vector":
                vectors.append({"name": " ".join(words), "bits": "", "asks": []})
            elif what == "bits":
                vectors[-1]["bits"] += "".join(words)
            elif what in ("width", "cache", "checks", "interrupts"):
                vectors[-1][what] = int(words[0])
            elif what:
                vectors[-1]["asks"].append((what, words))
    return vectors


def plain(word_):
    return str(int(word_, 0)) if word_[:1].isdigit() else word_


def check_vector(vector):
    bits = vector["bits"] + "0" * (-len(vector["bits"]) % 8)
    code = bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8))
    region = Region(code, vector["width"], vector["cache"], vector["checks"], vector["interrupts"])
    for what, words in vector["asks"]:
        at = words.index("=") if "=" in words else len(words)
        expected = "yes" if what == "over" else " ".join(plain(w) for w in words[at + 1:])
        try:
            got = answer(region, what, words[:at])
        except Exception as error:  # pylint: disable=broad-except
            got = repr(error)
        if got != expected:
            sys.exit(f"{vector['name']}: {what} {' '.join(words)}: {got}")


def main():
    if sys.argv[1] == "vectors":
        vectors = read_vectors(sys.argv[2])
        for vector in vectors:
            check_vector(vector)
        print(f"{len(vectors)} vectors")
        return
    with open(sys.argv[1], "rb") as file:
        for boot, build, code in boots(file.read()):
            print(f"boot {boot}: build {build}, {len(code)} bytes")


if __name__ == "__main__":
    main()
