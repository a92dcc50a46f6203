"""Random programs for the soundness of slices: numbers, structures, pointers, tables of functions, copies, recursion, static variables that hold few
values (so that some branches are never taken), and a handler that changes what they read. All accesses stay within their objects. Lines matter: a returned value is computed on a line of its own, so that
what a function's first and last lines do (saving registers) can be told from what it computes. main ends: in the machine code of a function that
does not, a loop of another that was inlined there would count as one that may go on for ever."""
import random


class Program:
    def __init__(self, seed, functions=None):
        self.r = random.Random(seed)
        self.rare = random.Random(-seed)  # for what stands beside: the rest is the same without it
        self.lines = []
        self.options = ["o0", "o1", "o2", "set.on", "set.every"]
        self.words = [f"w{i}" for i in range(self.r.randint(4, 7))]
        self.bytes = [f"b{i}" for i in range(2)]
        self.structs = [f"s{i}" for i in range(3)]
        self.pointers = [f"p{i}" for i in range(2)]
        self.ways = [f"q{i}" for i in range(2)]  # pointers to structures
        self.functions = functions or self.r.randint(6, 16)
        self.make()

    def put(self, text):
        self.lines.append(text)

    def value(self, names):
        r = self.r
        kind = r.randrange(12)
        if kind < 3:
            return r.choice(names)
        if kind < 6:
            return r.choice(self.words)
        if kind == 6:
            return f"{r.choice(self.bytes)}[{r.choice(names)} & 7]"
        if kind == 7:
            return f"{r.choice(self.structs)}.{r.choice(['a', 'b', 'c[1]', 'c[2]'])}"
        if kind == 8:
            return f"*{r.choice(self.pointers)}"
        if kind == 9:
            return f"{r.choice(self.ways)}->{r.choice(['a', 'b', 'c[0]'])}"
        return str(r.randint(0, 300))

    def expression(self, names):
        r = self.r
        text = self.value(names)
        for _ in range(r.randint(0, 2)):
            text = f"({text} {r.choice(['+', '-', '*', '^', '|', '&', '<', '=='])} {self.value(names)})"
        return text

    def target(self, names):
        r = self.r
        return r.choice([r.choice(self.words), r.choice(self.words), f"{r.choice(self.bytes)}[{r.choice(names)} & 7]",
                         f"{r.choice(self.structs)}.{r.choice(['a', 'b', 'c[0]', 'c[2]'])}", f"*{r.choice(self.pointers)}",
                         f"{r.choice(self.ways)}->{r.choice(['a', 'b', 'c[1]'])}", "v"])

    def call(self, names, above):
        r = self.r
        if above >= self.functions:
            return self.expression(names)
        if r.randrange(4) == 0:
            return f"table[{r.choice(names)} & 1]({self.expression(names)}, {self.value(names)})" if above <= self.functions - 2 else self.expression(names)
        return f"f{r.randrange(above, self.functions)}({self.expression(names)}, {self.value(names)})"

    def statement(self, names, above, depth, indent):
        r = self.r
        kind = r.randrange(14)
        pad = "    " * indent
        if kind < 6:
            self.put(f"{pad}{self.target(names)} = {self.expression(names)};")
        elif kind < 8:
            self.put(f"{pad}{self.target(names)} = {self.call(names, above)};")
        elif kind == 8:
            self.put(f"{pad}{r.choice(self.structs)} = {r.choice(self.structs)};")
        elif kind == 9:
            self.put(f"{pad}{r.choice(self.pointers)} = &{r.choice(self.words)};")
        elif kind == 10:
            self.put(f"{pad}{r.choice(self.ways)} = {r.choice(['&' + r.choice(self.structs), r.choice(self.ways) + '->next'])};")
        elif kind == 11:
            self.put(f"{pad}memcpy({r.choice(self.bytes)}, {r.choice(self.bytes)} + 4, {r.randint(1, 4)});")
        elif depth:
            loop = kind == 12
            self.put(f"{pad}for (uint8_t i = 0; i < {r.randint(1, 4)}; i++) {{" if loop else f"{pad}if ({self.expression(names)}) {{")
            for _ in range(r.randint(1, 3)):
                self.statement(names, above, depth - 1, indent + 1)
            if not loop and r.randrange(2):
                self.put(f"{pad}}} else {{")
                self.statement(names, above, depth - 1, indent + 1)
            self.put(f"{pad}}}")

    def option(self):
        """A condition that is often the same in all runs."""
        r = self.rare
        one = r.choice(self.options)
        return r.choice([one, f"!{one}", f"{one} {r.choice(['<', '==', '>=', '!='])} {r.randint(0, 4)}", f"({one} & {r.choice([1, 2, 4])})",
                         f"{one} / 3 {r.choice(['<', '=='])} {r.choice(self.options)}", f"(int8_t)({one} - 2) < 0"])

    def optional(self, number):
        """Statements that look at options, or set them."""
        r = self.rare
        keep, self.r = self.r, r
        kind = r.randrange(6)
        if kind < 3:
            self.put(f"    if ({self.option()}) {{")
            self.statement(["x", "y", "v"], number + 1, 1, 2)
            if r.randrange(2):
                self.put("    } else {")
                self.statement(["x", "y", "v"], number + 1, 0, 2)
            self.put("    }")
        elif kind == 3:
            self.put(f"    {r.choice(self.options)} = {r.choice(['0', '1', '3', 'o0', 'o1 + 1', 'o2 & 6', 'x & 1'])};")
        self.r = keep

    def function(self, number):
        r = self.r
        attribute = r.choice(["__attribute__((noinline)) ", "", "static "])
        self.put(f"{attribute}uint16_t f{number}(uint16_t x, uint16_t y)")
        self.put("{")
        self.put(f"    uint16_t v = {self.value(['x', 'y'])};")
        for _ in range(r.randint(2, 5)):
            self.statement(["x", "y", "v"], number + 1, 2, 1)
        self.optional(number)
        if r.randrange(5) == 0:
            self.put(f"    v += (x & 3) ? f{number}((x & 3) - 1, y) : 0;")
        self.put("    return v;")
        self.put("}")

    def make(self):
        r = self.r
        self.put("#include <kit.h>")
        self.put("#include <string.h>")
        self.put("struct s { uint8_t a; uint16_t b; int16_t c[3]; struct s *next; };")
        for w in self.words:
            self.put(f"volatile uint16_t {w} = {r.randint(0, 99)};")
        for b in self.bytes:
            self.put(f"uint8_t {b}[8] = {{ {r.randint(0, 99)} }};")
        for i, s in enumerate(self.structs):
            self.put(f"extern struct s {self.structs[(i + 1) % 3]};")
            self.put(f"struct s {s} = {{ .b = {r.randint(0, 99)}, .next = &{self.structs[(i + 1) % 3]} }};")
        self.put(f"static uint8_t o0, o1 = {self.rare.randint(1, 5)};")
        self.put(f"static uint16_t o2 = {self.rare.choice([0, 6, 300])};")
        self.put(f"static struct {{ uint8_t on; uint16_t every; }} set = {{ .on = {self.rare.randint(0, 1)} }};")
        for p in self.pointers:
            self.put(f"volatile uint16_t *{p} = &{r.choice(self.words)};")
        for q in self.ways:
            self.put(f"struct s *{q} = &{r.choice(self.structs)};")
        self.put("typedef uint16_t fn(uint16_t, uint16_t);")
        for i in range(self.functions):
            self.put(f"uint16_t f{i}(uint16_t x, uint16_t y);")
        last = self.functions
        self.put(f"fn *const table[2] = {{ f{last - 1}, f{last - 2} }};")
        body = []
        for number in range(self.functions):
            keep = self.lines
            self.lines = []
            # What calls by the table must come before what is in it, or it could call itself without an end.
            self.function(number)
            body.append(self.lines)
            self.lines = keep
        for lines in body:
            declared = lines[0]
            if declared.startswith("static "):
                name = declared[7:]
                self.lines = [f"static {line}" if line == name + ";" else line for line in self.lines]
            self.lines += lines
        self.put("KIT_INTERRUPT(TIMERA0_VECTOR) void tick(void)")
        self.put("{")
        self.put(f"    {r.choice(self.words)} += {r.choice(self.words)};")
        if r.randrange(2):
            self.put(f"    {r.choice(self.bytes)}[{r.choice(self.words)} & 7]++;")
        self.put("}")
        self.put("int main(void)")
        self.put("{")
        self.put("    TACCR0 = 500;")
        self.put("    TACCTL0 = CCIE;")
        self.put("    TACTL = TASSEL_2 | MC_1;")
        self.put("    kit_enable_interrupts();")
        self.put("    for (uint8_t round = 0; round < 4; round++) {")
        for _ in range(4):
            self.put(f"        {r.choice(self.words)} = f{r.randrange(0, self.functions // 2)}(round, {r.choice(self.words)});")
        self.put("    }")
        self.put("    kit_disable_interrupts();")
        self.put("    return 0;")
        self.put("}")

    def text(self):
        return "\n".join(self.lines) + "\n"
