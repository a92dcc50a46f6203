"""A second reader of logs and of instrumented ELF files, written from FORMAT.md alone.

It shares no code with hindcast. Where FORMAT.md says what a reader must refuse, it raises Damage or Contradiction."""
import hashlib
import struct

MIXED, PAPER, BOOT, CHECKPOINT, COMMIT, RECOVERY, MARK, RESCUE = range(8)
PAGE, PAYLOAD, TRAILER, VERSION = 256, 244, 6, 5
PAPER_INTERRUPTS, PAPER_REGISTERS, PAPER_DATA = 1, 2, 4
STATE, TIMER, DATA, VECTOR = range(4)


class Damage(Exception):
    """The log goes on, but cannot be decoded."""


class Contradiction(Exception):
    """The log and the list of reads disagree."""


def word(b, at):
    return b[at] | b[at + 1] << 8


# ---- images ----

def crc(data):
    c = 0xffff
    for byte in data:
        c ^= byte << 8
        for _ in range(8):
            c = (c << 1 ^ (0x1021 if c & 0x8000 else 0)) & 0xffff
    return c


class Page:
    def __init__(self, image, at):
        self.offset, self.bytes = at, image[at:at + PAGE]
        b = self.bytes
        self.stream, self.boot, self.segment, self.length = b[1], word(b, 2), word(b, 4), b[9]
        self.sequence = word(b, 6) | b[8] << 16
        self.payload = b[10:10 + self.length]
        self.missing_before = 0


def find_pages(image):
    """Whole pages, and headers whose CRC is wrong."""
    pages, torn, at = [], [], 0
    while (at := image.find(b"H", at)) >= 0 and at + 10 < len(image):
        if image[at + 1] < 8 and 1 <= image[at + 9] <= PAYLOAD:
            page = Page(image, at)
            if len(page.bytes) == PAGE and crc(page.bytes) == 0:
                pages.append(page)
                at += PAGE
                continue
            torn.append(page)
        at += 1
    return pages, torn


def intel_hex(text):
    memory, base = {}, 0
    for line in text.split():
        record = bytes.fromhex(line[1:])
        size, address, kind = record[0], record[1] << 8 | record[2], record[3]
        if kind == 0:
            for i in range(size):
                memory[base + address + i] = record[4 + i]
        elif kind in (2, 4):
            base = (record[4] << 8 | record[5]) << (4 if kind == 2 else 16)
    return bytes(memory.get(a, 0xff) for a in range(max(memory) + 1))


def start_of_circle(numbers, size):
    """Where numbers that count round a circle begin: behind the largest gap."""
    numbers = sorted(set(numbers))
    gaps = [((n - numbers[i - 1]) % size or size, n) for i, n in enumerate(numbers)]
    largest = max(gap for gap, _ in gaps)
    return next(n for gap, n in gaps if gap == largest)


def fits(torn, page):
    near = lambda a, b, size, most: min((a - b) % size, (b - a) % size) <= most
    return (torn.boot == page.boot and near(torn.segment, page.segment, 1 << 16, 1) and
            near(torn.sequence, page.sequence, 1 << 24, 1024))


class Log:
    def __init__(self, image):
        self.pages, torn = find_pages(image)
        if not self.pages and image[:1] == b":":
            self.pages, torn = find_pages(intel_hex(image.decode("ascii")))
        self.torn, self.conflicts, self.missing = [], 0, 0
        if not self.pages:
            raise Damage("no page")
        self.list_torn(torn)
        self.sort()
        self.segments = {}
        for index, page in enumerate(self.pages):
            key = page.boot, page.segment
            self.segments.setdefault(key, Segment(self, *key)).add(index, page)
        for segment in self.segments.values():
            segment.judge()

    def list_torn(self, torn):
        numbers = {(p.boot, p.sequence) for p in self.pages}
        places = {p.offset % PAGE for p in self.pages}
        for t in torn:
            if len(places) == 1 and t.offset % PAGE not in places:
                continue
            before = [p for p in self.pages if p.offset < t.offset][-1:]
            behind = [p for p in self.pages if p.offset > t.offset][:1]
            if any(fits(t, p) for p in before + behind) and (t.boot, t.sequence) not in numbers:
                self.torn.append(t)

    def sort(self):
        boot = start_of_circle((p.boot for p in self.pages), 1 << 16)
        sequence = start_of_circle((p.sequence for p in self.pages), 1 << 24)
        key = lambda p: ((p.boot - boot) % (1 << 16), (p.sequence - sequence) % (1 << 24))
        kept = []
        for page in sorted(self.pages, key=lambda p: (*key(p), p.offset)):
            if kept and key(kept[-1]) == key(page):
                self.conflicts += kept[-1].bytes != page.bytes
                continue
            if kept and kept[-1].boot == page.boot:
                page.missing_before = (page.sequence - kept[-1].sequence - 1) % (1 << 24)
                self.missing += page.missing_before
            kept.append(page)
        self.pages = kept


# ---- segments ----

class Segment:
    def __init__(self, log, boot, number):
        self.log, self.boot, self.number = log, boot, number
        self.indexes, self.start, self.start_index = [], None, None
        self.frozen = None

    def add(self, index, page):
        self.indexes.append(index)
        if page.stream in (BOOT, COMMIT, RECOVERY) and self.start is None:
            if page.length < (14 if page.stream == BOOT else 12) or page.payload[0] != VERSION:
                return
            self.start, self.start_index = page, index
        if page.stream == MARK and page.length == 2 and self.frozen is None:
            self.frozen = word(page.payload, 0)

    @property
    def of_boot(self):
        return self.start.stream == BOOT

    @property
    def sets(self):
        return self.start.payload[1] & 7

    @property
    def build(self):
        return self.start.payload[2:10]

    @property
    def cause(self):
        return word(self.start.payload, 10)

    def pages(self, *streams):
        return [self.log.pages[i] for i in self.indexes if self.log.pages[i].stream in streams]

    def judge(self):
        """Whether the start is complete."""
        self.complete = self.start is not None and self.start_is_complete()
        self.lost = not self.complete and bool(self.pages(MIXED, PAPER, RESCUE))

    def start_is_complete(self):
        pages, first = self.log.pages, self.indexes[0]
        if any(pages[i].missing_before for i in range(first + 1, self.start_index + 1)):
            return False
        if not self.of_boot:
            return self.records_make_sense()
        if pages[first].stream != CHECKPOINT:
            return True
        if first == 0:
            return pages[0].sequence == 0
        if pages[first - 1].boot == self.boot:
            return not pages[first].missing_before
        return (pages[first].sequence - pages[first - 1].sequence) % (1 << 24) <= 3

    def joined_records(self):
        return b"".join(self.log.pages[i].payload for i in self.indexes
                        if i < self.start_index and self.log.pages[i].stream == CHECKPOINT)

    def records_make_sense(self):
        try:
            records = list(split_records(self.joined_records()))
        except Damage:
            return False
        starts = [i for i, (address, data) in enumerate(records) if address == 0 and not data]
        return bool(starts) and any(address == 1 for address, _ in records[starts[-1]:])

    @property
    def replayable(self):
        try:
            return self.complete and self.checkpoint()[1] is not None
        except Damage:
            return False

    def checkpoint(self):
        """What the records say: {address: byte}, and the words of the peripherals."""
        memory, peripherals = {}, None
        for address, data in split_records(self.joined_records()):
            if address == 0 and not data:
                memory, peripherals = {}, None
            elif address == 1:
                peripherals = data
            else:
                memory.update(enumerate(data, address))
        return memory, peripherals

    def codec_pages(self, stream):
        """Payloads in order; raises Damage where pages are missing."""
        pages = self.log.pages
        for i in range(self.indexes[0], len(pages)):
            page = pages[i]
            if page.boot != self.boot:
                return
            if i > self.start_index and page.missing_before:
                raise Damage(f"pages are missing before page {page.sequence}")
            if page.stream > PAPER:
                continue
            if 0 < (page.segment - self.number) % (1 << 16) < 1 << 15:
                return
            if page.segment == self.number and page.stream == stream:
                yield page.payload


def split_records(data):
    at = 0
    while at < len(data):
        if len(data) - at < 4:
            raise Damage("a record is cut short")
        address, length = word(data, at), word(data, at + 2)
        if length % 2 or len(data) - at - 4 < length:
            raise Damage("a record makes no sense")
        yield address, data[at + 4:at + 4 + length]
        at += 4 + length


# ---- sites ----

class Site:
    def __init__(self, place, mask):
        self.place, self.mask = place, mask
        self.kind, self.is_word, self.timer = place >> 12 & 3, bool(place >> 14 & 1), place >> 6 & 7

    @property
    def is_byte_of_data(self):
        return self.kind in (DATA, VECTOR) and not self.is_word


class Timers:
    """What timers are predicted from."""

    def __init__(self):
        self.last = {}

    def value(self, site, difference, base):
        prediction = self.last.get(site.timer, 0) if base is None else base
        self.last[site.timer] = difference + prediction & 0xffff
        return self.last[site.timer]


# ---- codec set hindcast ----

class Model:
    def __init__(self):
        self.last = self.level = 0


def unfold(n):
    return -(n + 1) // 2 if n & 1 else n // 2


class Mixed:
    """Decodes the mixed pages of a segment."""

    def __init__(self, payloads, sites):
        self.payloads, self.sites = iter(payloads), sites
        self.code = None
        self.bits_left, self.run = [], 0
        self.continues = self.pending = False
        self.check = self.history = self.taken = self.before_page = 0
        self.timer, self.state = [Model() for _ in range(32)], [Model() for _ in range(16)]
        self.wake, self.place = [Model() for _ in range(2)], [Model() for _ in range(4)]
        self.sample, self.asynchronous_model, self.counter = Model(), Model(), Model()
        self.last_byte, self.byte_level, self.byte_slot = [0] * 64, [Model() for _ in range(8)], 0
        self.timers = Timers()
        self.self_checks = []
        self.opened = 0
        self.trailer = None

    # pages

    def open_page(self):
        payload = next(self.payloads, None)
        if payload is None:
            raise EOFError
        if isinstance(payload, tuple):  # of a rescue, without a trailer
            self.code, self.trailer = payload[0], None
        else:
            if len(payload) < TRAILER + 2:
                raise Damage("a mixed page is too short")
            self.code, self.trailer = payload[:-TRAILER], payload[-TRAILER:]
            self.opened += 1
            if self.trailer[2] != 255:
                self.self_checks.append((self.before_page + self.trailer[2], self.trailer[3], word(self.trailer, 4)))
        self.bits_left = bits_of(self.code[1])
        self.at = 2
        again = self.continues
        self.set_run(self.code[0])
        if again:
            self.next_run()

    def close_page(self):
        self.code = None
        self.before_page = self.taken
        if self.trailer is None:
            raise Damage("the rescued code has fewer events than its head says")
        if self.run:
            raise Contradiction("a run is not used up at the end of its page")
        if word(self.trailer, 0) != self.check:
            raise Contradiction("another check at the end of a page")

    def set_run(self, byte):
        self.run, self.continues = 255 - byte, byte == 0

    def next_run(self):
        if self.at < len(self.code):
            self.at += 1
            self.set_run(self.code[self.at - 1])
            return True
        self.close_page()
        return False

    def bit(self):
        if self.code is None:
            self.open_page()
        bit = self.bits_left.pop(0)
        if not self.bits_left:
            if self.at < len(self.code):
                self.bits_left = bits_of(self.code[self.at])
                self.at += 1
            else:
                self.close_page()
        return bit

    def bits(self, n):
        value = 0
        for _ in range(n):
            value = value << 1 | self.bit()
        return value

    def run_is_over(self):
        while True:
            if self.code is None:
                self.open_page()
            if self.run:
                return False
            if self.next_run():
                return True

    # values

    def is_surprise(self, level):
        surprise = self.pending
        if not surprise and self.run_is_over():
            surprise = True
            if self.bit():
                raise Contradiction("an asynchronous event inside an event")
        self.pending = False
        if surprise:
            if level:
                raise Contradiction("a surprise of a model that is not confident")
            return True
        self.run -= 1
        if not self.run and self.continues:
            self.next_run()
        return False

    def difference(self, model):
        if self.is_surprise(model.level):
            model.level, top = 1, 2
        elif model.level == 0:
            return 0
        else:
            power = (model.level - 1) // 4
            top = 1 << power
            if self.bit():
                model.level -= 1
                return unfold(self.bits(power))
            top *= 2
        while top < 1 << 16 and not self.bit():
            top *= 2
        if top == 1 << 16:
            return unfold(self.bits(16))
        model.level += 1
        return unfold(top // 2 + self.bits(top.bit_length() - 2))

    def value(self, model):
        model.last = model.last + self.difference(model) & 0xffff
        return model.last

    def byte(self):
        s = self.byte_slot
        self.last_byte[s] = self.last_byte[s] + self.difference(self.byte_level[s % 8]) & 0xff
        self.byte_slot = ((s or 16 * self.last_byte[s]) + 1) % 64
        return self.last_byte[s]

    # events

    def note(self, e):
        self.history = (self.history << 3) + e & 0xffff
        self.check = (self.check << 1 | self.check >> 15) + e & 0xffff
        self.taken += 1

    def asynchronous(self):
        """The asynchronous event that comes before what the program does, or None."""
        if self.pending or not self.run_is_over():
            return None
        if not self.bit():
            self.pending = True
            return None
        what = self.value(self.asynchronous_model)
        if what < 256:
            vector = what // 2 % 64
            pc, count = self.value(self.place[vector % 4]), self.value(self.counter)
            if what & 128:
                count |= self.bits(16) << 16
            event = ("interrupt", vector, pc, count, *([self.bits(32)] if what & 1 else []))
        elif what == 256:
            address, size = self.bits(16), self.bits(16)
            event = ("memory", address, bytes(self.byte() for _ in range(size)))
        else:
            raise Contradiction(f"asynchronous event {what}")
        self.note(what)
        return event

    def asleep(self):
        vector = self.value(self.wake[self.history // 4 % 2]) & 0xff
        self.note(2 * vector)
        return "asleep", vector

    def read(self, number, base):
        site = self.sites[number]
        if site.is_byte_of_data:
            value = self.byte()
            self.note(4 * number)
        else:
            model = (self.timer[self.history // 4 % 32] if site.kind == TIMER else
                     self.sample if site.kind == DATA else self.state[number % 16])
            value = self.value(model)
            self.note(4 * number + 2 * (value != 0))
            self.byte_slot = 0
        return self.timers.value(site, value, base) if site.kind == TIMER else value


def bits_of(byte):
    return [byte >> i & 1 for i in range(7, -1, -1)]


# ---- codec set paper ----

class Paper:
    """Decodes the paper pages of a segment; .damage is set where they end with damage."""

    def __init__(self, payloads, sites, sets):
        self.sites = sites
        lanes, self.damage = [], None
        try:
            for payload in payloads:
                if len(payload) < 4 or 4 + sum(payload[:4]) != len(payload):
                    raise Damage("the lengths of a paper page")
                ends = [4 + sum(payload[:i]) for i in range(5)]
                lanes.append([payload[ends[i]:ends[i + 1]] for i in range(4)])
        except Damage as damage:
            self.damage = damage
        interrupts, registers, data, hashes = ([page[i] for page in lanes] for i in range(4))
        self.runs, self.differences = {}, []
        self.data, self.data_at = bytearray(), 0
        self.arrivals = []
        self.timers = Timers()
        if sets & PAPER_REGISTERS:
            self.read_stream(self.read_registers, registers)
        if sets & PAPER_DATA:
            self.read_stream(self.read_data, data)
        if sets & PAPER_INTERRUPTS:
            hash_bits = (b for piece in hashes for b in hash_records(Bits(piece)))
            self.read_stream(lambda bits: self.read_interrupts(bits, hash_bits), interrupts)

    def read_stream(self, read, pieces):
        """A stream ends where a record of it makes no sense."""
        try:
            for piece in pieces:
                read(Bits(piece))
        except Damage as damage:
            self.damage = self.damage or damage

    def read_registers(self, bits):
        while bits.more():
            if not bits.take(1):
                self.differences.append(bits.take(2))
            elif not bits.take(1):
                self.differences.append(bits.take(6))
            elif not bits.take(1):
                self.differences.append(bits.take(16))
            else:
                number = bits.take(6)
                if number == 63:
                    number = bits.take(16)
                run = bits.take(8)
                if number >= len(self.sites) or not run:
                    raise Damage("a run of a site")
                mask = self.sites[number].mask
                packed, value = bits.take(bin(mask).count("1")), 0
                for i in range(16):
                    if mask >> i & 1:
                        value |= (packed & 1) << i
                        packed >>= 1
                self.runs.setdefault(number, []).extend([value] * run)

    def read_data(self, bits):
        while bits.more():
            if not bits.take(1):
                self.data.append(bits.take(8))
                continue
            offset, length = bits.take(8), bits.take(8)
            if not 1 <= offset <= min(125, len(self.data)) or length < 3:
                raise Damage("a copy")
            for _ in range(length):
                self.data.append(self.data[-offset])

    def read_interrupts(self, bits, hash_bits):
        while bits.more():
            event = self.read_interrupt(bits)
            if event[0] == "interrupt":
                found = next(hash_bits, None)
                if found is None:
                    raise Damage("an interrupt without its record in the hashes")
                event += found
            self.arrivals.append(event)

    @staticmethod
    def read_interrupt(bits):
        awake, vector = bits.take(1), None
        long = awake and bits.take(1)
        small = bits.take(4)
        if not awake and small == 15:
            vector = bits.take(8)
            awake = bits.take(1)
            long = awake and bits.take(1)
            bits.take(4)
        vector = small if vector is None else vector
        if not awake:
            return "asleep", vector
        pc, count = bits.take(16), bits.take(16 if long else 8)
        if long and not count:
            count = bits.take(32)
        return "interrupt", vector, pc, count

    # what a replay asks for

    def read(self, number, base):
        site = self.sites[number]
        if site.kind == TIMER:
            return self.timers.value(site, self.differences.pop(0), base)
        if site.kind == DATA:
            self.data_at += 1 + site.is_word
            taken = self.data[self.data_at - 1 - site.is_word:self.data_at]
            if len(taken) < 1 + site.is_word:
                raise EOFError
            return int.from_bytes(taken, "little")
        if not self.runs.get(number):
            raise EOFError
        return self.runs[number].pop(0)

    def interrupt(self):
        if not self.arrivals:
            raise EOFError
        return self.arrivals.pop(0)


class Bits:
    def __init__(self, data):
        self.bits = "".join(f"{byte:08b}" for byte in data)
        self.at = 0

    def more(self):
        left = self.bits[self.at:]
        return bool(left) and not (len(left) < 8 and "0" not in left)

    def take(self, n):
        if len(self.bits) - self.at < n:
            raise Damage("a page ends within a record")
        self.at += n
        return int(self.bits[self.at - n:self.at] or "0", 2)


def hash_records(bits):
    while bits.more():
        yield (bits.take(32),) if bits.take(1) else ()


# ---- rescue ----

class Rescue:
    def __init__(self, segment, sites, sites_address):
        pages = [p.payload for p in segment.pages(RESCUE)]
        head = struct.unpack("<8H", pages[0][:16])
        self.taken, self.check, bits, bits_at, size, self.count, self.state, ring = head
        whole = 16 + size + size % 2 + ring
        data = b"".join(pages[len(pages) - -(-whole // PAYLOAD):])
        if len(data) != whole or not 2 <= size <= 238 or bits_at > size or not 1 <= bits <= 0xff or ring % 2:
            raise Damage("the head of a rescue")
        code = bytearray(data[16:16 + size])
        if bits_at < size:
            code[bits_at] = bits << 9 - bits.bit_length() & 0xff
        self.code = bytes(code)
        self.events = list(ring_events(data[whole - ring:], sites, sites_address))


def ring_events(ring, sites, first):
    at = 0
    while len(ring) - at >= 2:
        try:
            event, at = ring_entry(ring, at, sites, first)
        except IndexError:
            return  # the last entry is incomplete
        yield from event


def need(ring, end):
    if end > len(ring):
        raise IndexError


def ring_entry(ring, at, sites, first):
    tag = word(ring, at)
    at += 2
    if first <= tag < first + 4 * len(sites):
        number, site = (tag - first) // 4, sites[(tag - first) // 4]
        need(ring, at + 2)
        value = word(ring, at)
        if site.is_word:
            return [("read", number, value)], at + 2
        more = value >> 8
        if not site.is_byte_of_data:
            return [("read", number, value & 0xff)] * (1 + more), at + 2
        need(ring, at + 2 + more + more % 2)
        values = [value & 0xff, *ring[at + 2:at + 2 + more]]
        return [("read", number, v) for v in values], at + 2 + more + more % 2
    if tag >= 0x1000:
        need(ring, at + 2)
        raise Damage("an entry of the ring makes no sense")
    if tag >= 0x0800:
        size = (tag - 0x0800) // 2
        need(ring, at + 2 + size + size % 2)
        return [("memory", word(ring, at), bytes(ring[at + 2:at + 2 + size]))], at + 2 + size + size % 2
    base = 2 if tag & 0x0700 else 0
    if tag & 0x0080:
        need(ring, at + base)
        return [("asleep", (tag & 0x7e) // 2)], at + base
    hashed = 4 if tag & 1 else 0
    at += base
    need(ring, at + 4 + hashed)
    event = ("interrupt", (tag & 0x7e) // 2, word(ring, at), word(ring, at + 2))
    if hashed:
        event += (word(ring, at + 4) | word(ring, at + 6) << 16,)
    return [event], at + 4 + hashed


# ---- a segment's events ----

class Decoder:
    """The events of a segment, asked in the order of the program."""

    def __init__(self, segment, program):
        self.sets = segment.sets
        self.paper = Paper(segment.codec_pages(PAPER), program.sites, self.sets) if self.sets else None
        self.rescue = None
        if segment.pages(RESCUE):
            try:
                self.rescue = Rescue(segment, program.sites, program.sites_address)
            except Damage:
                pass  # the events before it are good
        self.last_page = len(segment.pages(MIXED))
        self.mixed = Mixed(self.pages_of(segment), program.sites)
        self.ring = None

    def pages_of(self, segment):
        yield from segment.codec_pages(MIXED)
        if self.rescue:
            yield (self.rescue.code,)

    def enter_ring(self):
        """Whether what follows is in the ring of a rescue."""
        r, m = self.rescue, self.mixed
        if (self.ring is None and r and m.opened == self.last_page and not m.pending and m.taken % (1 << 16) == r.taken and
                m.check == r.check):
            self.ring = list(r.events)
        return self.ring is not None

    def next(self, asked):
        """ASKED: what the program does next, ("read", site, base) or ("asleep",), or something asynchronous."""
        if self.enter_ring():
            if not self.ring:
                raise EOFError
            return self.ring.pop(0)
        is_read = asked[0] == "read"
        if is_read:
            kind = PAPER_DATA if self.mixed.sites[asked[1]].kind == DATA else PAPER_REGISTERS
        else:
            kind = PAPER_DATA if asked[0] == "memory" else PAPER_INTERRUPTS
        if self.sets & kind:
            if is_read:
                return "read", asked[1], self.paper.read(asked[1], asked[2])
            return self.paper.interrupt()
        event = self.mixed.asynchronous()
        if event:
            return event
        if is_read:
            return "read", asked[1], self.mixed.read(asked[1], asked[2])
        if asked[0] == "asleep":
            return self.mixed.asleep()
        raise Contradiction("nothing asynchronous comes here")


# ---- sums ----

def position_hash(sp, sr, top, *registers):
    a = b = sp - 4 & 0xffff
    words = [top, sr, *registers]
    for i, w in enumerate(words):
        a = (a << 1 | a >> 15) + w & 0xffff
        b = b + a & 0xffff
        if i < len(words) - 1:
            b = (b << 8 | b >> 8) & 0xffff
            a ^= b
    return b << 16 | a


def self_check_sum(words):
    a = b = 0
    for w in words:
        a = a + w & 0xffff
        b = b + a & 0xffff
    return a ^ ((b << 7 | b >> 9) & 0xffff)


# ---- the ELF file ----

class Program:
    """Of an instrumented ELF file: sites, build id, __hc_link."""

    def __init__(self, data):
        self.data = data
        at, size, count, names = struct.unpack_from("<I10xHHH", data, 32)
        headers = [struct.unpack_from("<10I", data, at + i * size) for i in range(count)]
        strings = headers[names][4]
        self.sections = {self.text(strings + h[0]): h for h in headers}
        table = self.sections.get("hc_sites")
        self.sites_address = table[3] if table else 0
        self.sites = [Site(*struct.unpack_from("<HH", data, table[4] + i))
                      for i in range(0, table[5], 4)] if table else []
        note = self.sections[".note.hindcast"][4]
        self.build_id = data[note + 24:note + 44]
        self.headers = headers
        self.link = self.read_link()

    def text(self, at):
        return self.data[at:self.data.index(b"\0", at)].decode()

    def symbol(self, name):
        table = self.sections[".symtab"]
        strings = self.headers[table[6]][4]
        for at in range(table[4], table[4] + table[5], 16):
            n, value, size = struct.unpack_from("<III", self.data, at)
            if self.text(strings + n) == name:
                return value, size
        raise KeyError(name)

    def loaded(self, address, size):
        for h in self.headers:
            if h[1] == 1 and h[2] & 2 and h[3] <= address and address + size <= h[3] + h[5]:
                return self.data[h[4] + address - h[3]:h[4] + address - h[3] + size]
        raise KeyError(address)

    def read_link(self):
        address, size = self.symbol("__hc_link")
        table = self.loaded(address, size)
        magic, version, sets = struct.unpack_from("<HBB", table)
        assert magic == 0x4843 and version == VERSION
        return {"sets": sets, "build": table[4:12], "free": struct.unpack_from("<2H", table, 12),
                "pieces": [struct.unpack_from("<2H", table, 16 + 4 * i) for i in range(9)],
                "hashed": table[52:84], "handlers": struct.unpack_from(f"<{(size - 84) // 2}H", table, 84)}

    def computed_build_id(self):
        """As the note should have it."""
        link, _ = self.symbol("__hc_link")
        gnu = self.sections.get(".note.gnu.build-id")
        digest = hashlib.sha256()
        for header in self.headers:
            _, kind, flags, address, at, size, *_ = header
            if not flags & 2 or kind in (0, 8):
                continue
            contents = bytearray(self.data[at:at + size])
            if address <= link < address + size:
                contents[link - address + 4:link - address + 12] = bytes(8)
            if header is gnu: # an empty one may share its place in the file with another
                contents[16:36] = bytes(20)
            digest.update(struct.pack("<HH", address & 0xffff, size & 0xffff) + contents)
        return digest.digest()[:20]

    def records(self):
        """Of the section .hindcast: (descriptor, fields)."""
        section = self.sections[".hindcast"]
        at, end = section[4], section[4] + section[5]
        while at < end:
            text = self.text(at + 2)
            yield word(self.data, at), text.split("\t")
            at += 3 + len(text.encode())


# ---- the oracle ----

M64 = (1 << 64) - 1
P1, P2, P3, P4, P5 = (0x9e3779b185ebca87, 0xc2b2ae3d27d4eb4f, 0x165667b19e3779f9, 0x85ebca77c2b2ae63, 0x27d4eb2f165667c5)


def xxh64(data):
    """XXH64 with seed 0."""
    rotated = lambda x, r: (x << r | x >> 64 - r) & M64
    round_of = lambda lane, word_: rotated(lane + word_ * P2 & M64, 31) * P1 & M64
    at = 0
    if len(data) >= 32:
        lanes = [P1 + P2 & M64, P2, 0, -P1 & M64]
        for at in range(0, len(data) - 31, 32):
            words = struct.unpack_from("<4Q", data, at)
            lanes = [round_of(lane, w) for lane, w in zip(lanes, words)]
        at += 32
        h = sum(rotated(lane, r) for lane, r in zip(lanes, (1, 7, 12, 18))) & M64
        for lane in lanes:
            h = ((h ^ round_of(0, lane)) * P1 + P4) & M64
    else:
        h = P5
    h = h + len(data) & M64
    while len(data) - at >= 8:
        h = rotated(h ^ round_of(0, struct.unpack_from("<Q", data, at)[0]), 27) * P1 + P4 & M64
        at += 8
    if len(data) - at >= 4:
        h = rotated(h ^ struct.unpack_from("<I", data, at)[0] * P1 & M64, 23) * P2 + P3 & M64
        at += 4
    for byte in data[at:]:
        h = rotated(h ^ byte * P5 & M64, 11) * P1 & M64
    h = (h ^ h >> 33) * P2 & M64
    h = (h ^ h >> 29) * P3 & M64
    return h ^ h >> 32


class Oracle:
    """What `hindcast run --oracle` wrote: its build id, and how many instructions, interrupts and reads there were."""

    def __init__(self, data):
        magic, version = struct.unpack_from("<8sH", data)
        if magic != b"HCORACLE" or version != 2:
            raise Damage("not an oracle of version 2")
        self.build, at, hashes, self.segments, self.pages = data[10:18], 18, 0, [], None
        while data[at:at + 1] != b"E":
            kind = data[at:at + 1]
            if kind == b"B":
                n = word(data, at + 1)
                hashes += n
                at += 11 + 2 * n
            elif kind == b"S":
                self.segments.append(struct.unpack_from("<HQ", data, at + 1))
                at += 11
            elif kind == b"P":
                self.pages = struct.unpack_from("<I", data, at + 1)[0]
                at += 5 + 4 * self.pages
            else:
                raise Damage(f"record {kind} of an oracle")
        self.instructions, self.interrupts, self.reads, total = struct.unpack_from("<4Q", data, at + 1)
        if at + 33 != len(data) or total != xxh64(data[:at + 25]) or self.instructions != hashes:
            raise Damage("the end of an oracle")
