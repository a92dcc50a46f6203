# For gdb: pointers of 16 bits in a region that is replayed natively (docs/regions.md).
#
#     print p          0x1234 <routes+6>      where it points to on the node, and into what
#     print *$to(p)    the object there, in the host's memory
#     print $to(p)->next
#     print $at(0x1234)                       the byte at an address of the node
import re

import gdb
import gdb.printing


def arena():
    return int(gdb.parse_and_eval("(unsigned long)&hcn_arena"))


def objects():
    """Variables of the region: address on the node, size, name. gdb lists them as `TYPE NAME[3];` behind a line number."""
    if not objects.found:
        base = arena()
        for line in gdb.execute("info variables -q", to_string=True).splitlines():
            match = re.match(r"\d+:\s.*?(\w+)(\[\d*\])*;$", line)
            try:
                value = gdb.parse_and_eval(match.group(1))
                offset = int(value.address) - base
            except (AttributeError, gdb.error, TypeError):
                continue
            if 0 <= offset < 0x10000:
                objects.found.append((offset, value.type.sizeof, match.group(1)))
    return objects.found


objects.found = []


def name_of(address):
    """The variable that has ADDRESS, as " <name+offset>"."""
    for start, size, name in objects():
        if start <= address < start + size:
            return " <%s%s>" % (name, "+%d" % (address - start) if address > start else "")
    return ""


class Pointer:
    """What struct hc_pointer shows."""

    def __init__(self, value):
        self.at = int(value["at"])

    def to_string(self):
        return "0x%04x%s" % (self.at, name_of(self.at))


class To(gdb.Function):
    """$to(POINTER): the host's pointer to what a pointer of the region points to."""

    def __init__(self):
        super().__init__("to")

    def invoke(self, pointer):
        return gdb.Value(arena() + int(pointer["at"])).cast(pointer.type.strip_typedefs()["to"].type)


class At(gdb.Function):
    """$at(ADDRESS): the byte that the node has there."""

    def __init__(self):
        super().__init__("at")

    def invoke(self, address):
        byte = gdb.lookup_type("unsigned char")
        return gdb.Value(arena() + (int(address) & 0xffff)).cast(byte.pointer()).dereference()


To()
At()
printers = gdb.printing.RegexpCollectionPrettyPrinter("hindcast")
printers.add_printer("pointer", "^hc_(code_)?pointer$", Pointer)
gdb.printing.register_pretty_printer(None, printers, replace=True)
gdb.execute("set breakpoint pending on")
gdb.execute("set confirm off")
# Only the region's names are of interest, not those of hindcast and its libraries.
gdb.execute("set auto-solib-add off")
gdb.execute("catch load region\\.so")
gdb.execute("commands\nsilent\nsharedlibrary region.so\ncontinue\nend")
