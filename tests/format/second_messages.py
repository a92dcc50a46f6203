"""A second reader of logs of depth `messages`, written from FORMAT.md alone. It shares no code with hindcast.

    second_messages.py LOG        prints what `hindcast log --messages` lists"""
import sys

from second_reader import crc, word

WINDOW, NONE, OWN, TO_ALL, RESET, ADDRESS, PAD, ODD = 29, 0x7f, 0x60, 0x60, 0x61, 0x62, 0x63, 0x64


class NoMore(Exception):
    """Bits are missing."""


class Nonsense(Exception):
    """The code cannot be right."""


def check(data):
    low = crc(data) & 0xff
    return 0 if low == 0xff else low


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
        self.p, self.say = partners, say
        self.self, self.highest, self.epoch, self.next = 0xffff, 0, 0, 0
        self.known, self.hand, self.level, self.pending = 0, 0, 0, NONE
        self.window = [0] * WINDOW
        self.address, self.epochs, self.nexts = [0] * 32, [0] * 32, [0] * 32
        self.gray, self.last = [[0] * 32, [0] * 32], [[0] * 32, [0] * 32]
        self.bits, self.run, self.cut = [], 0, False

    def load(self, b):
        self.self, self.highest, self.epoch = word(b, 0), word(b, 2), word(b, 4)
        self.next, self.known, self.hand, self.level, self.pending = b[6:11]
        self.window = list(b[11:40])
        at = 40
        for column in (self.address, self.epochs, self.gray[0], self.gray[1]):
            for i in range(self.p):
                column[i] = word(b, at + 2 * i)
            at += 2 * self.p
        for column in (self.nexts, self.last[0], self.last[1]):
            column[:self.p] = b[at:at + self.p]
            at += self.p

    # ---- bits ----

    def add(self, code):
        for byte in code:
            self.bits += [byte >> i & 1 for i in range(7, -1, -1)]
        while True:
            before = list(self.bits)
            try:
                self.step()
            except NoMore:
                self.bits = before
                return

    def take(self, n):
        if len(self.bits) < n:
            raise NoMore
        value = 0
        for _ in range(n):
            value = value << 1 | self.bits.pop(0)
        return value

    # ---- symbols ----

    def guess(self):
        w, first, second, best, next_best = self.window, NONE, NONE, 0, 0
        for i in range(1, WINDOW):
            s, n = w[i - 1], 0
            while n < 4 and i + n < WINDOW and w[i + n] == w[n]:
                n += 1
            if n > best:
                if s != first:
                    second, next_best = first, best
                first, best = s, n
            elif n > next_best and s != first:
                second, next_best = s, n
        if self.pending not in (NONE, first):
            second = self.pending
        return first, second

    def require(self, s):
        if s != TO_ALL and (s >= OWN or s & 31 >= self.known):
            raise Nonsense

    def step(self):
        if self.run:
            self.run -= 1
            first, _ = self.guess()
            self.require(first)
            self.happen(first, first, self.expected(first))
        elif self.cut:
            self.surprise()
            self.cut = False
        else:
            cut = self.take(1)
            self.run = self.take(self.level) if cut else 1 << self.level
            self.cut = bool(cut)
            self.level = max(self.level - 1, 0) if cut else min(self.level + 1, 7)

    def surprise(self):
        first, second = self.guess()
        address, odd = None, 0
        if not self.take(1):
            odd = self.take(1)
            s = first if odd else second
            self.require(s)
            if odd and not 0x20 <= s < OWN:
                raise Nonsense
            if not odd and 0x20 <= s < OWN:
                odd = self.take(1)
        else:
            s, address = self.symbol()
            if s == ODD:
                odd = 1
                s, address = self.symbol()
                if not 0x20 <= s < OWN:
                    raise Nonsense
            elif s > TO_ALL:
                self.special(s)
                return
        if s & 31 == 31 and s < OWN:
            self.last[0][31] = self.last[1][31] = 63
            self.gray[0][31] = self.gray[1][31] = 0
        number = self.coded(s) if odd else self.expected(s)
        if address is not None:
            s = (s & 0x60) + self.enter(address)
        self.happen(first, s, number)

    def symbol(self):
        kind = self.take(2)
        if kind == 3:
            return OWN + self.take(3), None
        a = self.take(self.known.bit_length())
        if a > self.known:
            raise Nonsense
        return (32 * kind + a, None) if a < self.known else (32 * kind + 31, self.take(16))

    def special(self, s):
        if s == PAD:
            del self.bits[:len(self.bits) % 8]
        elif s == RESET:
            self.say(f"reset    cause 0x{self.take(8):02x}")
        elif s == ADDRESS:
            self.self = self.take(16)
        else:
            raise Nonsense

    # ---- numbers ----

    def digit(self, s, low):
        return self.gray[s >= 0x40][s & 31] >> 2 * (low % 8) & 3

    def number(self, s, ahead, digit=None):
        low = (self.last[s >= 0x40][s & 31] + 1 + ahead) % 64
        return low + 64 * (self.digit(s, low) if digit is None else digit)

    def expected(self, s):
        return self.number(s, 0) if 0x20 <= s < OWN else None

    def coded(self, s):
        digit = None if self.take(1) else self.take(2)
        z = 0
        while not self.take(1):
            z += 1
        if z > 6:
            raise Nonsense
        a = (1 << z) + self.take(z)
        return self.number(s, a if digit is None else a - 1, digit)

    # ---- what happened ----

    def enter(self, address):
        alias = self.known
        if alias < self.p:
            self.known += 1
        else:
            while True:
                alias, self.hand = self.hand, (self.hand + 1) % self.p
                if not self.last[0][alias] & 0x80:
                    break
                self.last[0][alias] &= 0x7f
        self.address[alias], self.epochs[alias], self.nexts[alias] = address, 0, 0
        for all_ in (0, 1):
            self.gray[all_][alias], self.last[all_][alias] = 0, 63
        return alias

    def send(self, epoch, n):
        if not epoch:
            epoch = self.highest = self.highest + 1 & 0xffff
        following = epoch
        if n == 63:
            if epoch == self.highest:
                self.highest = self.highest + 1 & 0xffff
                following = self.highest
            else:
                following = epoch + 1 & 0xffff
        number = n + 64 * ((epoch ^ epoch >> 1) >> 2 * (n % 8) & 3)
        return following, (n + 1) % 64, number, epoch

    def happen(self, first, s, number):
        self.pending = NONE if s in (first, self.pending) else first
        self.window = [s] + self.window[:-1]
        alias, all_ = s & 31, int(s >= 0x40)
        if s == TO_ALL:
            self.epoch, self.next, number, epoch = self.send(self.epoch, self.next)
            self.say(f"sent     to all, number {number} of epoch {epoch}")
            return
        self.last[0][alias] |= 0x80
        if s < 0x20:
            self.epochs[alias], self.nexts[alias], number, epoch = self.send(self.epochs[alias], self.nexts[alias])
            self.say(f"sent     to {self.address[alias]}, number {number} of epoch {epoch}")
            return
        low, digit = number % 64, number // 64
        if (low - self.last[all_][alias] - 1) % 64 < 32:
            place = 2 * (low % 8)
            self.gray[all_][alias] = self.gray[all_][alias] & ~(3 << place) | digit << place
            self.last[all_][alias] = self.last[all_][alias] & 0x80 | low
        self.say(f"received from {self.address[alias]}{', to all' if all_ else ''}, number {number}")


class Log:
    def __init__(self, image):
        self.lines, self.node, self.tables, self.odd, self.gap = [], None, None, None, False
        before = None
        for boot, sequence, segment, parts, torn in pages(image):
            begins = parts[0][0] == 0xc3
            missing = before and before[0] == boot and (sequence - before[1] & 0xffffff) != 1
            if missing or (not begins and (self.node is None or before is None or before[::2] != (boot, segment))):
                self.lose(keep=begins)
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
            self.node = None
        self.say_gap()

    def piece(self, head, data):
        if head == 0xc3:
            version, partners, flags = data[:3]
            if self.node and (self.node.bits or self.node.cut):
                self.say_gap()
            if version != 1 or not 1 <= partners <= 28:
                self.lose()
                return
            if flags & 1 or (flags & 2) == (2 if self.lines else 0):
                self.say_gap()
            self.node, self.odd = Node(partners, self.say), None
            self.tables = None if flags & 2 else b""
        elif self.node is None:
            return
        elif head >= 0x80:
            self.tables = (self.tables or b"") + data
            if len(self.tables) == 40 + 11 * self.node.p:
                self.node.load(self.tables)
                self.tables = None
                if self.node.known > self.node.p or self.node.hand >= self.node.p or self.node.level > 7:
                    self.lose()
        elif self.odd != head & 0x20:
            self.odd = head & 0x20
            if self.tables is not None:
                self.lose()
                return
            try:
                self.node.add(data)
            except Nonsense:
                self.lose()


if __name__ == "__main__":
    print("\n".join(Log(open(sys.argv[1], "rb").read()).lines))
