"""A second reader of logs of depth `messages`, written from FORMAT.md alone. It shares no code with hindcast.

    second_messages.py LOG        prints what `hindcast log --messages` lists"""
import sys

from second_reader import word

BITS, UNEXPECTED, PLACE, CONTEXTS = 0, 8, 9, 40
REST = 0xffff


class NoMore(Exception):
    """Bits are missing."""


class Nonsense(Exception):
    """The code cannot be right."""


def check(data):
    total = 0
    for byte in data:
        total = ((total << 1 | total >> 7) + byte) & 0xff
    return 0 if total == 0xff else total


def pieces(data):
    """The whole pieces at the beginning of DATA, and their length."""
    found, at = [], 0
    while at < len(data):
        head = data[at]
        size = 4 * (head & 0x3f) if head >= 0x80 else head & 0x1f
        if not size or head >> 6 == 1 or at + size + 2 > len(data) or check(data[at:at + 1 + size]) != data[at + 1 + size]:
            break
        found.append((head, data[at + 1:at + 1 + size]))
        at += size + 2
    return found, at


def pages(image):
    found, at = [], 0
    while (at := image.find(b"H\x08", at)) >= 0 and at + 10 < len(image):
        header = image[at:at + 10]
        parts, length = pieces(image[at + 10:at + 256])
        if check(header[:9]) != header[9] or not parts:
            at += 1
            continue
        rest = image[at + 10 + length:at + 256]
        torn = bool(rest) and rest[:1] != b"H" and any(b != 0xff for b in rest)
        found.append((word(header, 2), word(header, 6) | header[8] << 16, word(header, 4), parts, torn))
        at += 10 + length
    return sorted(found, key=lambda p: p[:2])


class Node:
    """A segment's tables, and what its code says."""

    def __init__(self, partners, say):
        self.p, self.say, self.code = partners, say, b""
        self.self, self.highest, self.channels = 0xffff, 0, []  # [address, round, kind, next]
        self.contexts, self.low, self.range = [0x60] * CONTEXTS, 0, REST

    def load(self, b, boot):
        self.self = word(b, 0)
        if b[2] & 2:
            self.highest = boot << 8 & 0xffff
            return
        if b[3] > 2 * self.p or len(b) < 6 + 10 * self.p:
            raise Nonsense
        self.highest = word(b, 4)
        for at in range(6, 6 + 5 * b[3], 5):
            self.channels.append([word(b, at), list(b[at + 2:at + 4]), b[at + 4] & 3, b[at + 4] >> 2])

    # ---- bits ----

    def add(self, code):
        self.code += code
        while True:
            before = self.code, self.highest, [[*c[:1], c[1][:], *c[2:]] for c in self.channels], self.contexts[:], self.low, self.range
            try:
                line = self.event()
            except NoMore:
                self.code, self.highest, self.channels, self.contexts, self.low, self.range = before
                return
            if line:
                self.say(line)

    def bit(self, context):
        p, part, bound = self.contexts[context], self.range, 0
        for i in range(7, -1, -1):
            part >>= 1
            if p >> i & 1:
                bound += part
        least = int.from_bytes((self.code + b"\0\0")[:2], "big")
        most = int.from_bytes((self.code + b"\xff\xff")[:2], "big")
        least, most = max(least, self.low), min(most, self.low + self.range - 1)
        if least > most:
            raise Nonsense
        bit = int(least - self.low >= bound)
        if bit != int(most - self.low >= bound):
            raise NoMore
        other = p if bit else 256 - p
        other -= (other + 14) >> 4
        self.contexts[context] = other if bit else 256 - other
        self.low, self.range = (self.low + bound, self.range - bound) if bit else (self.low, bound)
        while True:
            crosses = self.low >> 8 != (self.low + self.range & 0xffff) >> 8
            if crosses and self.range >= 256:
                return bit
            if crosses:
                self.range = 256 - self.low % 256
            self.low, self.range, self.code = self.low << 8 & 0xffff, self.range << 8, self.code[1:]

    def byte(self):
        value, before = 0, 1
        for _ in range(8):
            bit = self.bit(BITS + before)
            value, before = 2 * value + bit, (2 * before + bit) % 8
        return value

    # ---- events ----

    def event(self):
        kind, alias, known = self.channels[0][2] if self.channels else 0, 0, len(self.channels)
        while self.bit(min(PLACE + 4 * kind + alias, CONTEXTS - 1)):
            alias += 1
            if alias > known + 2:
                raise Nonsense
        if alias == known + 2:
            return f"reset    cause 0x{self.byte():02x}"
        if alias == known + 1:
            if len(self.code) < 2:
                raise NoMore
            self.code, self.low, self.range = self.code[2:], 0, REST
            return None
        if alias == known:
            first = self.byte()
            address = self.byte()
            address += 256 * self.byte()
            if first & 2 and first > 3:
                raise Nonsense
            channel = [address, [0, 0], first & 3, first >> 2]
            self.channels = self.channels[:2 * self.p - 1]
        else:
            channel = self.channels.pop(alias)
        self.channels.insert(0, channel)
        return self.sent(channel) if channel[2] & 2 else self.received(channel)

    def sent(self, c):
        epoch, n = c[1][0] + 256 * c[1][1], c[3]
        if not epoch:
            epoch = self.highest = self.highest + 1 & 0xffff
        number = n + 64 * ((epoch ^ epoch >> 1) >> 2 * (n % 8) & 3)
        c[3], following = (n + 1) % 64, epoch
        if not c[3]:
            following = epoch + 1 & 0xffff
            if epoch == self.highest:
                self.highest = following
        c[1] = [following & 0xff, following >> 8]
        return f"sent     to {'all' if c[2] & 1 else c[0]}, number {number} of epoch {epoch}"

    def received(self, c):
        odd = 0
        if self.bit(UNEXPECTED):
            odd = self.byte()
            if not odd:
                raise Nonsense
        ahead, change = odd // 4, odd % 4
        low = (c[3] + ahead) % 64
        digits = [(c[1][0] + 256 * c[1][1]) >> 2 * i & 3 for i in range(8)]
        place = ahead % 8
        digits[place] ^= change
        digit = digits[place]
        digits = digits[place + 1:] + digits[:place + 1]
        whole = sum(d << 2 * i for i, d in enumerate(digits))
        c[1], c[3] = [whole & 0xff, whole >> 8], (low + 1) % 64
        return f"received from {c[0]}{', to all' if c[2] & 1 else ''}, number {low + 64 * digit}"


class Log:
    def __init__(self, image):
        self.lines, self.node, self.gap = [], None, False
        self.tabled = self.unfinished = False
        before = None
        for boot, sequence, segment, parts, torn in pages(image):
            begins = parts[0][0] == 0xc3
            missing = before and before[0] == boot and (sequence - before[1] & 0xffffff) != 1
            if missing or (not begins and (self.node is None or before is None or before[::2] != (boot, segment))):
                self.lose(keep=begins)
            self.boot = boot
            for head, data in parts:
                self.piece(head, data)
            if torn:
                self.lose()
            before = (boot, sequence, segment)
        self.say_gap()

    def say(self, line):
        self.gap = False
        self.lines.append(line)

    def say_gap(self):
        if not self.gap:
            self.lines.append("gap")
        self.gap = True

    def lose(self, keep=False):
        if not keep:
            self.node, self.unfinished = None, False
        self.say_gap()

    def piece(self, head, data):
        if head == 0xc3:
            version, partners = data[:2]
            if self.node and (self.node.code or self.node.range != REST):
                self.unfinished = True
            if version != 8 or not 1 <= partners <= 22:
                self.lose()
                return
            self.node, self.tabled = Node(partners, self.say), False
        elif self.node is None:
            return
        elif head >= 0x80:
            self.tables(data)
        else:
            try:
                if not self.tabled:
                    raise Nonsense
                self.node.add(data)
            except Nonsense:
                self.lose()

    def tables(self, data):
        if self.tabled or len(data) < 4:
            self.lose()
            return
        flags = data[2]
        if flags & 3 == 1 or self.unfinished or (flags & 2) == (2 if self.lines else 0):
            self.say_gap()
        self.tabled, self.unfinished = True, False
        try:
            self.node.load(data, self.boot)
        except Nonsense:
            self.lose()


if __name__ == "__main__":
    print("\n".join(Log(open(sys.argv[1], "rb").read()).lines))
