"""Random firmware: threads, nested interrupts, DMA, resets and overload, put together by a seed.

A node has chains of pure functions, one for each thread, whose values are known whatever the world does (world.h: mark),
and beside them work that looks at timers, ports, the ADC and a UART, and decides by what it sees."""
import random

OPTIMISATIONS = ["-Os", "-Os", "-O1", "-O2"]
# What a part has: the board, where it records, RAM for a thread (words), recorders to choose from, ends of lives, ticks of
# SMCLK in a millisecond (slow, fast), ticks of ACLK in a second.
PARTS = {
    "msp430f1611": dict(board="telosb", sink="m25p80", stack=320, khz=(780, 4800), aclk=32768,
                        recorders=["", "", "", "--ring=256", "--ring=1000", "--flush=1", "--flush=0", "--recorder=c"],
                        ends="WATCHDOG_KEY FLASH_KEY JUMP JUMP_QUIETLY".split()),
    "msp430fr5969": dict(board="fr5969", sink="fram", stack=200, khz=(1000, 8000), aclk=9400,
                         recorders=["--ring=256", "--ring=256", "--ring=200", "--ring=256 --flush=1"],
                         ends="WATCHDOG_KEY FLASH_KEY JUMP JUMP_QUIETLY SOFTWARE_POR SOFTWARE_BOR".split()),
}
HANGS = "HANG HANG_QUIETLY HANG_ASLEEP".split()


class Node:
    """.text: the program; .options: of the kit's build; .recorder: of hindcast cc; .words: what it is, in words."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.part = "msp430fr5969" if seed % 4 == 3 else "msp430f1611"
        self.p = PARTS[self.part]
        self.lines, self.costs, self.words = [], [], [self.part]
        self.choose()
        self.write()
        self.text = "\n".join(self.lines) + "\n"
        self.options = [self.r.choice(OPTIMISATIONS), f"--part={self.part}"]
        if self.f1611:
            self.seconds = "2"
        else:
            self.options.append("--globals=fram")
            self.seconds = "1.5"
        if self.threads > 1:
            self.options += [f"-DTHREADS={self.threads}", f"-DSTACK={self.p['stack']}"]
        if self.preemptive:
            self.options.append("-DPREEMPTIVE")
            if not self.f1611:
                self.options.append("-DTICK_VECTOR=__interrupt_vector_53")
        self.recorder = f"--port=bare --sink={self.p['sink']} {self.r.choice(self.p['recorders'])} --update={self.update}"
        self.words.append(self.recorder)
        self.uart_input = bytes(self.r.randrange(256) for _ in range(self.r.choice([50, 300, 1500])))

    def chance(self, n):
        return self.r.random() < n

    # ---- what the node is ----

    def choose(self):
        r = self.r
        self.f1611 = self.part == "msp430f1611"
        self.threads = r.choice([1, 1, 2, 3, 4])
        self.preemptive = self.threads > 1 and self.chance(0.5)
        self.update = r.choice(["manual", "manual", "auto", "sleep"])
        self.fast = self.chance(0.6)
        self.khz = self.p["khz"][self.fast]
        self.aclk_tick = not self.preemptive and self.chance(0.35)
        self.nested = self.chance(0.6)
        self.second = self.chance(0.8)  # Timer B's interrupts
        self.uart = self.chance(0.4)
        self.adc = self.f1611 and self.chance(0.4)
        self.dma = self.f1611 and self.chance(0.5)
        self.port = self.chance(0.4)
        self.overload = r.choice(["", "", "interrupts", "reads", "both"])
        self.watchdog = self.chance(0.4)
        self.ends = self.choose_ends()
        self.asleep = self.chance(0.6) and (self.second or not self.preemptive)  # such a tick wakes nobody
        self.ram_function = self.chance(0.4)
        self.tick_period = self.choose_tick()
        kernel = f"{self.threads} threads, {'preemptive' if self.preemptive else 'yielding'}" if self.threads > 1 else "a loop"
        self.words += [kernel, "fast" if self.fast else "slow"]
        self.words += [w for w in "nested second uart adc dma port watchdog asleep ram_function".split() if getattr(self, w)]
        if self.overload:
            self.words.append(f"overload by {self.overload}")
        self.words += [f"{end} at {at}" for end, at in self.ends]

    def choose_ends(self):
        """Of lives, and at which tick."""
        kinds = list(self.p["ends"]) + (HANGS * 2 if self.watchdog else [])
        if self.preemptive:
            kinds.remove("JUMP")  # a tick while the kernel's variables are cleared would crash it
        return [(self.r.choice(kinds), self.r.choice([0, 1, 5, 20, self.r.randrange(60)]))
                for _ in range(self.r.choice([0, 0, 1, 2, 4]))]

    def choose_tick(self):
        milliseconds = self.r.uniform(3, 12) * (1 if self.fast else 2)
        ticks = milliseconds * (self.p["aclk"] / 1000 if self.aclk_tick else self.khz)
        return min(65000, max(20, int(ticks)))

    # ---- pure functions ----

    def value(self, names, depth=2):
        r = self.r
        if depth == 0 or self.chance(0.2):
            return r.choice(names) if self.chance(0.75) else str(r.randrange(65536)) + "u"
        a, b = self.value(names, depth - 1), self.value(names, depth - 1)
        return r.choice([f"({a} + {b})", f"({a} ^ {b})", f"({a} - {b})", f"({a} & ({b} | 0x0f3c))", f"({a} | ({b} & 0x5050))",
                         f"(uint16_t)({a} * {b})", f"(uint16_t)({a} << ({b} & 7))", f"((uint16_t){a} >> ({b} & 7))",
                         f"((uint16_t){a} / ({b} | 1u))", f"((uint16_t){a} % ({b} | 1u))",
                         f"(uint16_t)((uint32_t){a} * (uint16_t){b} >> {r.randrange(20)})"])

    def statement(self, n, depth):
        """Of function N; its text, and about how many operations it takes."""
        r = self.r
        x = lambda d=2: self.value(["x", "y", "z"], d)
        kinds = ["assign", "assign", "for", "if", "switch", "array", "while", "multiply"]
        kinds += ["call", "call", "pointer"] if n > 1 else []
        kind = r.choice(kinds if depth else ["assign"])
        if kind == "for":
            text, cost = self.block(n, depth - 1)
            times = r.choice([str(r.randrange(1, 7)), f"({x(0)} & {r.choice([3, 7])})"])
            name = f"i{depth}"
            return f"for (uint8_t {name} = 0; {name} < {times}; {name}++) {{\n{text}\n}}", cost * 7 + 5
        if kind == "while":
            return (f"for (uint16_t w{depth} = {x(1)} & 15; w{depth}; w{depth} >>= 1)\n"
                    f"z ^= {x(1)};"), 30
        if kind == "if":
            a, b = self.block(n, depth - 1), self.block(n, depth - 1)
            return f"if ({x(1)} & {1 << r.randrange(8)}) {{\n{a[0]}\n}} else {{\n{b[0]}\n}}", max(a[1], b[1]) + 3
        if kind == "switch":
            cases = "\n".join(f"case {i}:\nz {r.choice(['+', '^', '-'])}= {x(1)};\n{r.choice(['break;', 'break;', ''])}"
                              for i in range(r.randrange(2, 6)))
            return f"switch ({x(1)} & 7) {{\n{cases}\ndefault:\nz++;\n}}", 15
        if kind == "array":
            return (f"{{\nuint16_t a[6];\nmemset(a, (int)({x(0)} & 0x7f), sizeof a);\na[{x(0)} % 6] = {x()};\n"
                    f"memcpy(a + 3, a, 4);\nfor (uint8_t i = 0; i < 6; i++)\nz = (uint16_t)(z * 3 + a[i]);\n}}"), 60
        if kind == "multiply":
            return f"z ^= multiply({x(1)}, {x(0)});", 20
        if kind in ("call", "pointer"):
            callee = r.randrange(n)
            if kind == "pointer":
                return f"z += functions[{x(0)} % {n}]({x(1)}, {x(0)});", max(self.costs[:n]) + 10
            return f"z += f{callee}({x(1)}, {x(1)});", self.costs[callee] + 5
        return f"{r.choice('xyzz')} {r.choice(['=', '^=', '+='])} {x()};", 25

    def block(self, n, depth):
        made = [self.statement(n, depth) for _ in range(self.r.randrange(1, 4))]
        return "\n".join(text for text, _ in made), sum(cost for _, cost in made)

    HEAD = "__attribute__((noinline{})) {}uint16_t f{}(uint16_t x, uint16_t y)\n{{\n"

    def write_function(self, n):
        limit = 40 if n < 2 else n * (1200 if self.fast else 250)  # handlers call the first two
        kind = self.r.choice(["plain", "plain", "recursive", "jumps", "leaps"]) if n > 1 else "plain"
        ram = self.ram_function and n == 2
        head = self.HEAD.format(', section(".data.placed")' if ram else "", "static " if ram else "", n)
        if kind == "recursive":
            self.costs.append(250)
            self.add(head + f"if (!(y & 7))\nreturn {self.value(['x', 'y'])};\n"
                     f"return f{n}({self.value(['x'], 1)}, (y & 7) - 1) + {self.value(['x', 'y'])};\n}}\n")
        elif kind == "jumps":
            self.costs.append(300)
            self.add(head + f"jmp_buf here;\nvolatile uint16_t n = (y & 3) + 1, z = x;\nsetjmp(here);\nz ^= {self.value(['x', 'n', 'z'])};\n"
                     "if (--n)\nlongjmp(here, 1);\nreturn z;\n}\n")
        elif kind == "leaps":
            self.costs.append(300)
            self.add(head + f"jmp_buf here;\nvolatile uint16_t z = x;\nuint16_t error = (uint16_t)setjmp(here);\nif (!error)\n"
                     f"z += leap(here, y & 3, x);\nreturn z ^ error ^ {self.value(['x', 'y'])};\n}}\n")
        else:
            for _ in range(20):
                text, cost = self.block(n, 3)
                if cost < limit:
                    break
            else:
                text, cost = f"z ^= {self.value(['x', 'y'])};", 25
            self.costs.append(cost)
            self.add(head + f"uint16_t z = {self.r.randrange(65536)}u;\n{text}\nreturn z ^ x;\n}}\n")

    LEAP = """\
__attribute__((noinline)) uint16_t leap(jmp_buf there, uint16_t n, uint16_t x)
{
    if (n == 0)
        longjmp(there, (x & 7) + 1);
    return (uint16_t)(leap(there, n - 1, x + 1) * 3 + n);
}
"""

    # ---- what the world decides ----

    REGISTERS = ["A_R", "B_R", "P1IN", "P2IN"]

    def look(self):
        """A statement that anyone may run at any time."""
        r = self.r
        register = r.choice(self.REGISTERS)
        return r.choice([
            f"seen ^= {register};", f"seen += {register};", f"seen = (uint16_t)(seen << 1) ^ {register};",
            f"if ({register} & {1 << r.randrange(8)})\nseen += 3;\nelse\nseen ^= 0x55;",
            f"for (uint8_t n = {register} & 7; n; n--)\nseen += n;", "seen ^= *watched[seen & 1];",
            f"shared = shared * 17 + {register};", f"history[seen % 32] += {register} & 0xff;",
            f"history[{r.randrange(32)}] ^= f0(seen, ticks);", "seen ^= functions[seen % FUNCTIONS_IN_HANDLERS](seen, 3);",
        ])

    def looks(self, most):
        return [self.look() for _ in range(self.r.randrange(most + 1))]

    def nest(self, enable):
        """Statements that others may interrupt. ENABLE: register and bit of the own interrupt."""
        register, bit = enable
        return [f"{register} &= (uint16_t)~{bit};", "kit_enable_interrupts();", *self.looks(3), "kit_disable_interrupts();",
                f"{register} |= {bit};"]

    def handler(self, vector, name, body):
        self.add(f"KIT_INTERRUPT({vector}) void {name}(void)\n{{")
        self.add("\n".join(body))
        self.add("}\n")

    def body(self, enable, wakes):
        body = self.looks(3)
        if self.nested and self.chance(0.5):
            body += self.nest(enable)
        if wakes:
            body.append("KIT_WAKE_ON_EXIT();")
        return body

    def write_tick(self):
        body = ["ticks++;", *self.looks(2)]
        if self.overload in ("interrupts", "both"):
            body.append(f"if (ticks % {self.r.choice([37, 64, 101])} == {self.r.randrange(3, 30)})\noverload = {self.khz // self.r.choice([10, 20, 50])};")
        if self.dma:
            body.append("timed();")
        if self.preemptive:
            self.add("void tick(void)\n{\n" + "\n".join(body) + "\n}\n")
        else:
            if self.nested and self.chance(0.4):
                body += self.nest(("A_CCTL0", "CCIE"))
            self.handler("A0_VECTOR", "tick", body + ["KIT_WAKE_ON_EXIT();"])
        self.tick_other = self.chance(0.5)
        if self.tick_other:
            self.handler("A1_VECTOR", "tock", ["switch (A_IV) {\ncase 2:", *self.looks(2), "break;\ncase 4:\nseen++;\nbreak;\n}"]
                         + self.body(("A_CCTL1", "CCIE"), self.chance(0.5)))

    def write_second(self):
        period = int(self.r.uniform(4, 20) * self.khz) % 60000 + 800
        gap = self.r.choice([80, 150, 300, 600])
        self.handler("B0_VECTOR", "second", [
            f"if (overload) {{\noverload--;\nB_CCR0 = B_R + {gap};\n}} else\nB_CCR0 += {period} + (B_R & {self.r.choice([0, 63, 255])});",
            *self.body(("B_CCTL0", "CCIE"), True)])
        self.handler("B1_VECTOR", "third", [
            f"if (B_IV == 2)\nB_CCR1 += {self.r.randrange(9000, 60000)};", *self.body(("B_CCTL1", "CCIE"), self.chance(0.5))])

    def write_uart(self):
        vector, enable = ("USART1RX_VECTOR", ("IE2", "URXIE1")) if self.f1611 else ("USCI_A0_VECTOR", ("UCA0IE", "UCRXIE"))
        guard = [] if self.f1611 else ["if (UCA0IV != 2)\nreturn;"]
        self.add("static volatile uint8_t line[16], line_end, line_start;\n")
        self.handler(vector, "received", guard + ["uint8_t byte = UART_RX;", "line[line_end++ & 15] = byte;",
                                                  *self.body(enable, self.chance(0.5))])

    def write_port(self):
        self.handler("PORT1_VECTOR", "edge", ["P1IFG &= (uint8_t)~BIT0;", *self.body(("P1IE", "BIT0"), self.chance(0.5))])

    ADC = """\
static uint16_t convert(void)
{
    ADC12CTL0 = 0;
    ADC12CTL1 = SHP;
    ADC12MCTL0 = INCH_10 | SREF_1;
    ADC12CTL0 = SHT0_2 | REFON | ADC12ON;
    ADC12CTL0 |= ENC | ADC12SC;
    while (ADC12CTL1 & ADC12BUSY)
        ;
    uint16_t result = ADC12MEM0;
    ADC12CTL0 &= (uint16_t)~ENC;
    ADC12CTL0 = 0;
    return result;
}
"""
    # Channel 0: samples of a timer by a timer, with an interrupt. 1: blocks of memory and registers, by software. 2: a word.
    DMA = """\
enum {{ SAMPLES = {samples}, BLOCK = {block} }};
static volatile uint16_t samples[SAMPLES], block[BLOCK];
static const uint16_t constants[BLOCK] = {{ 1, 2, 3, 5, 8 }};
static volatile uint8_t sampling;
static volatile uint16_t moves;

KIT_INTERRUPT(DACDMA_VECTOR) void moved(void)
{{
    if (DMA0CTL & DMAIFG) {{
        DMA0CTL &= (uint16_t)~DMAIFG;
        for (uint8_t i = 0; i < SAMPLES; i++)
            seen = (uint16_t)(seen << 1) ^ samples[i];
        moves++;
        sampling = {again_later};
    }}
    KIT_WAKE_ON_EXIT();
}}

static void timed(void)
{{
    if (sampling || ticks % {pause})
        return;
    sampling = 1;
    DMACTL0 = DMA0TSEL_1; /* A_CCR2 */
    DMA0SA = (uint16_t){source}_;
    DMA0DA = (uint16_t)samples;
    DMA0SZ = SAMPLES;
    DMA0CTL = {mode} | DMADSTINCR_3 | DMAIE | DMAEN;
}}

static void move(void)
{{
    DMA1SA = (uint16_t)constants;
    DMA1DA = (uint16_t)block;
    DMA1SZ = BLOCK;
    DMA1CTL = {block_mode} | DMASRCINCR_3 | DMADSTINCR_3 | DMAEN;
    DMA1CTL |= DMAREQ;
    while (!(DMA1CTL & DMAIFG))
        ;
    for (uint8_t i = 0; i < BLOCK; i++)
        seen += block[i];
{again}    DMA1CTL = 0;
    uint16_t word = 0;
    DMA2SA = (uint16_t)TBR_;
    DMA2DA = (uint16_t)&word;
    DMA2SZ = 1;
    DMA2CTL = {word_mode} | DMAEN;
    DMA2CTL |= DMAREQ;
    while (!(DMA2CTL & DMAIFG))
        ;
    seen ^= *(volatile uint16_t *)&word;
    for (uint8_t n = seen & 7; n; n--)
        moves++;
}}
"""
    AGAIN = """\
    DMA1CTL &= (uint16_t)~DMAIFG;
    DMA1CTL |= DMAREQ;
    while (!(DMA1CTL & DMAIFG))
        ;
    seen ^= block[BLOCK - 1];
"""

    def write_dma(self):
        r = self.r
        repeated = self.chance(0.3) and not self.overload and not self.ends  # its buffer must be read before it is filled again
        block_mode, again = r.choice([("DMADT_1", ""), ("DMADT_2", ""), ("DMADT_5", self.AGAIN)])
        self.add(self.DMA.format(samples=r.choice([2, 8, 24]), block=r.choice([5, 16, 40]), pause=r.choice([2, 3, 7]),
                                 again_later=int(repeated), source=r.choice(["TBR", "TAR"]),
                                 mode="DMADT_4" if repeated else "DMADT_0", block_mode=block_mode, again=again,
                                 word_mode=r.choice(["DMADT_0", "DMADT_1"])))

    # ---- threads ----

    def actions(self):
        """What a round of a thread may do besides."""
        r = self.r
        actions = [*self.looks(3)]
        if self.threads > 1:
            actions += ["thread_yield();"] * r.randrange(1, 3)
        if self.port:
            actions.append("P1IFG |= BIT0;")
        if self.chance(0.3):
            actions.append("hc_checkpoint();" if self.chance(0.1) else "if (ticks % 64 == 5)\nhc_checkpoint();")
        r.shuffle(actions)
        return actions

    def owned_actions(self):
        """The same of the first thread, which has what can't be shared."""
        actions = []
        if self.adc:
            actions.append("seen += convert();")
        if self.dma:
            actions.append("move();")
        if self.uart:
            actions.append("while (line_start != line_end)\nseen = (uint16_t)(seen * 5 + line[line_start++ & 15]);")
        if self.overload in ("reads", "both"):
            actions.append(f"if (ticks % 50 == {self.r.randrange(5, 20)})\nfor (uint16_t i = 0; i < {self.khz // self.r.choice([5, 10])}; i++)\nseen += B_R;")
        if self.chance(0.2):
            actions.append("while (!(A_CTL & TAIFG))\n;\nA_CTL &= (uint16_t)~TAIFG;" if not self.aclk_tick else "seen++;")
        if self.asleep:
            bits = "LPM3_bits" if self.aclk_tick and not self.dma and self.chance(0.6) else self.r.choice(["LPM0_bits", "LPM1_bits" if self.f1611 else "LPM0_bits"])
            actions.append(f"kit_sleep({bits} | GIE);")
        return actions

    def chain(self, n):
        return f"state = f{self.r.randrange(len(self.costs))}(state, round++);\nmark({n}, state);"

    def write_thread(self, n):
        self.add(f"static void thread_{n}(void)\n{{\nuint16_t state = {self.r.randrange(65536)}u, round = 0;\nfor (;;) {{")
        self.add(self.chain(n))
        self.add("\n".join(self.actions()))
        if self.chance(0.4):
            self.add("hc_update();")
        self.add("}\n}\n")

    def write_ends(self):
        if not self.ends:
            return
        cases = "\n".join(f"case {i}:\nif (ticks >= {at})\nend_life(END_{end});\nbreak;" for i, (end, at) in enumerate(self.ends))
        self.add(f"static void end_some_time(void)\n{{\nswitch (life.ends) {{\n{cases}\n}}\n}}\n")

    def write_start(self):
        add = self.add
        add("int main(void)\n{\nbegin_life();")
        watchdog = ("WDTPW | WDTCNTCL | WDTSSEL" if self.f1611 else "WDTPW | WDTCNTCL | WDTSSEL__ACLK | WDTIS__8192")
        self.serve = f"WDTCTL = {watchdog};" if self.watchdog else ""
        if self.watchdog:
            add(self.serve)
        else:
            add("WDTCTL = WDTPW | WDTHOLD;")
        add("A_CTL = 0;\nB_CTL = 0;\n" + ("DMA0CTL = DMA1CTL = DMA2CTL = 0;\n" if self.dma else "") + f"start_clocks({int(self.fast)});")
        for n in range(1, self.threads):
            add(f"create({n}, {'thread_in_assembly' if n == 3 else f'thread_{n}'});")
        add(f"A_CCR0 = {self.tick_period};\nA_CCR1 = {self.r.randrange(10, self.tick_period - 5)};\nA_CCR2 = {self.r.randrange(10, self.tick_period - 5)};")
        add("A_CCTL0 = CCIE;" + ("\nA_CCTL1 = CCIE;" if self.tick_other else ""))
        add(f"A_CTL = {'CLOCK_ACLK' if self.aclk_tick else 'CLOCK_SMCLK'} | MC_1 | TACLR;")
        add("B_CCR0 = 500;\nB_CCR1 = 900;" + ("\nB_CCTL0 = B_CCTL1 = CCIE;" if self.second else ""))
        add("B_CTL = CLOCK_SMCLK | MC_2 | TBCLR;")
        if self.uart:
            add(f"start_uart({self.khz * 10 // self.r.choice([96, 192, 384] if self.fast else [12, 24])});")
        if self.port:
            add("P1IFG = 0;\nP1IE |= BIT0;")

    def write_main(self):
        self.write_start()
        self.add(f"uint16_t state = {self.r.randrange(65536)}u, round = 0;\nkit_enable_interrupts();\nfor (;;) {{")
        self.add(self.serve)
        self.add(self.chain(0))
        actions = self.actions() + self.owned_actions()
        self.r.shuffle(actions)
        self.add("\n".join(actions))
        if self.ends:
            self.add("end_some_time();")
        if self.update == "manual" or self.chance(0.3):
            self.add("hc_update();")
        self.add("}\n}")

    # ---- all of it ----

    def add(self, text):
        self.lines.append(text)

    def write(self):
        self.add('#include "kernel.h"\n')
        self.add(self.LEAP)
        functions = self.r.randrange(3, 7)
        self.add(f"enum {{ FUNCTIONS_IN_HANDLERS = 2 }};\ntypedef uint16_t function(uint16_t x, uint16_t y);\nstatic function *const functions[{functions}];\n")
        for n in range(functions):
            self.write_function(n)
        self.add(f"static function *const functions[{functions}] = {{ {', '.join(f'f{n}' for n in range(functions))} }};\n")
        self.add("static volatile uint16_t *const watched[2] = { &A_R, &B_R };\nvolatile uint32_t shared;\nvolatile uint16_t history[32];\n")
        if self.watchdog:
            self.add("void kit_reset_hook(void)\n{\n}\n")
        if self.dma:
            self.write_dma()
        self.write_tick()
        if self.second:
            self.write_second()
        if self.uart:
            self.write_uart()
        if self.port:
            self.write_port()
        if self.adc:
            self.add(self.ADC)
        for n in range(1, min(self.threads, 3)):
            self.write_thread(n)
        self.write_ends()
        self.write_main()
