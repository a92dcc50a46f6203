#include "random_program.h"

#include "writer.h"

enum { SUBROUTINES = 0x4500, SUBROUTINE_ROOM = 0x80, HANDLER = 0x4700 };
enum { P1IE = 0x021a, P1IFG = 0x021c, PM5CTL0 = 0x0130, WDTCTL = 0x015c, VECTOR_P1 = 0xffde, VECTOR_RESET = 0xfffe };

/* An absolute address in the data, seldom in SRAM; even for words. */
static unsigned somewhere(struct writer *w, bool byte)
{
    bool sram = random_below(w, 8) == 0;
    unsigned bytes = sram ? RANDOM_SRAM_BYTES : RANDOM_DATA_BYTES, start = sram ? RANDOM_SRAM : RANDOM_DATA;

    return start + (byte ? random_below(w, bytes) : 2 * random_below(w, bytes / 2));
}

/* MOV #from, R8; MOV @R8+, R9 (of a byte or a word); MOV R9, n(R8): a struct is moved along by memcpy. */
static void write_copy(struct writer *w)
{
    unsigned byte = random_below(w, 2), step = byte ? 1 : 2;

    word(w, 0x4038);
    word(w, RANDOM_DATA + 2 * random_below(w, 3));
    for (unsigned n = 1 + random_below(w, 2); n; n--) {
        word(w, 0x4839 | byte << 6);
        word(w, 0x4988 | byte << 6);
        word(w, 4 - step);
    }
}

static void write_simple(struct writer *w)
{
    bool byte = random_below(w, 2);
    unsigned b = byte ? 0x40 : 0, reg = 4 + random_below(w, 4);

    switch (random_below(w, 8)) {
    case 0: /* MOV #n, &a */
        word(w, 0x40b2 | b);
        word(w, random_below(w, 3));
        word(w, somewhere(w, byte));
        break;
    case 1: /* MOV &a, Rn */
        word(w, 0x4210 | b | reg);
        word(w, somewhere(w, byte));
        break;
    case 2: /* MOV Rn, &a */
        word(w, 0x4082 | b | reg << 8);
        word(w, somewhere(w, byte));
        break;
    case 3: /* ADD #1, &a */
        word(w, 0x5392 | b);
        word(w, somewhere(w, byte));
        break;
    case 4: /* ADD &a, &b */
        word(w, 0x5292 | b);
        word(w, somewhere(w, byte));
        word(w, somewhere(w, byte));
        break;
    case 5: /* XOR Rn, &a */
        word(w, 0xe082 | b | reg << 8);
        word(w, somewhere(w, byte));
        break;
    case 6: /* SWPB &a */
        word(w, 0x1092);
        word(w, somewhere(w, false));
        break;
    default: /* AND #1, &a: often the same */
        word(w, 0xf392 | b);
        word(w, somewhere(w, byte));
        break;
    }
}

/* PUSH and POP in their forms, and locals. */
static void write_stack(struct writer *w)
{
    unsigned reg = 4 + random_below(w, 4), other = 4 + random_below(w, 4);

    switch (random_below(w, 5)) {
    case 0: /* PUSH Rn, POP Rm */
        word(w, 0x1200 | reg);
        word(w, 0x4130 | other);
        break;
    case 1: /* PUSH.B Rn, POP Rm, or of a byte */
        word(w, 0x1240 | reg);
        word(w, (w->features & RANDOM_LEFTOVERS ? 0x4130 : 0x4170) | other);
        break;
    case 2: /* PUSH &a, POP &b */
        word(w, 0x1212);
        word(w, somewhere(w, false));
        word(w, 0x41b2);
        word(w, somewhere(w, false));
        break;
    case 3: /* PUSHM #2, R5 or R7; POPM */
        word(w, 0x1500 | 1 << 4 | (reg | 1));
        word(w, 0x1700 | 1 << 4 | (other & ~1u));
        break;
    default: /* SUB #4, SP; MOV Rn, 0(SP); ADD 1(SP) as a byte to Rm; ADD #4, SP */
        word(w, 0x8221);
        word(w, 0x4081 | reg << 8);
        word(w, 0);
        word(w, 0x5150 | other);
        word(w, 1);
        word(w, 0x5221);
        break;
    }
}

/* CMP.B #n, &a; JEQ or JNE over what follows. */
static void write_branch(struct writer *w)
{
    word(w, 0x90f2);
    word(w, random_below(w, 3));
    word(w, somewhere(w, true));
    uint32_t jump = w->at;
    word(w, 0);
    write_simple(w);
    hc_poke16(w->m, jump, (uint16_t)((random_below(w, 2) ? 0x2000 : 0x2400) | ((w->at - jump - 2) / 2)));
}

static void random_instructions(struct writer *w)
{
    unsigned kind = random_below(w, 12);

    if (kind == 0) {
        write_copy(w);
    } else if (kind <= 2) {
        write_stack(w);
    } else if (kind == 3 && w->features & RANDOM_BRANCHES) {
        write_branch(w);
    } else if (kind == 4 && w->features & RANDOM_INTERRUPTS) { /* BIS.B #1, &P1IFG */
        word(w, 0xd3d2);
        word(w, P1IFG);
    } else {
        write_simple(w);
    }
}

static void write_subroutines(struct writer *w)
{
    for (uint32_t i = 0; i < 3; i++) {
        w->at = SUBROUTINES + i * SUBROUTINE_ROOM;
        for (unsigned n = 1 + random_below(w, 4); n; n--)
            random_instructions(w);
        if (i && random_below(w, 2)) { /* one that calls another: never round */
            word(w, 0x12b0);
            word(w, SUBROUTINES + (i - 1) * SUBROUTINE_ROOM);
        }
        word(w, 0x4130); /* RET */
    }
}

/* The flag is cleared first; what it does is not interrupted. */
static void write_handler(struct writer *w)
{
    int features = w->features;

    w->at = HANDLER;
    word(w, 0xc3d2); /* BIC.B #1, &P1IFG */
    word(w, P1IFG);
    w->features &= ~RANDOM_INTERRUPTS;
    for (unsigned n = 1 + random_below(w, 3); n; n--)
        random_instructions(w);
    word(w, 0x1300); /* RETI */
    w->features = features;
    hc_poke16(w->m, VECTOR_P1, HANDLER);
}

/* MOV #n, R10; some instructions, a call perhaps; DEC R10; JNZ */
static void write_loop(struct writer *w)
{
    word(w, 0x403a);
    word(w, 1 + random_below(w, 3));
    uint32_t top = w->at;
    for (unsigned n = 1 + random_below(w, 4); n; n--)
        random_instructions(w);
    if (random_below(w, 2)) {
        word(w, 0x12b0);
        word(w, SUBROUTINES + random_below(w, 3) * SUBROUTINE_ROOM);
    }
    word(w, 0x831a);
    word(w, 0x2000 | (((top - w->at - 2) / 2) & 0x3ff));
}

static void write_start(struct writer *w)
{
    static const uint16_t code[] = {
        0x4031, RANDOM_STACK, /* MOV #STACK, SP */
        0x40b2, 0x5a80,
        WDTCTL,              /* the watchdog off */
        0xc392, PM5CTL0,     /* BIC #1: ports work */
        0xd3d2, P1IE,        /* BIS.B #1 */
        0x4382, RANDOM_SRAM, /* CLR: SRAM and registers are anything after power-on */
        0x4382, RANDOM_SRAM + 2,
        0x4304, 0x4305,
        0x4306, 0x4307,
        0x4308, 0x4309,
        0x430c, 0xd232, /* EINT */
        0x12b0, RANDOM_MAIN,
        0x3fff, /* CALL, and stay */
    };

    w->at = RANDOM_START;
    for (size_t i = 0; i < sizeof code / sizeof code[0]; i++)
        word(w, code[i]);
    hc_poke16(w->m, VECTOR_RESET, RANDOM_START);
}

struct hc_launchpad *random_program(unsigned number, int features)
{
    struct hc_launchpad *board = hc_launchpad_new(NULL);
    struct writer w = { board->machine, number * 7919u + 17, 0, features };

    write_start(&w);
    write_subroutines(&w);
    write_handler(&w);
    w.at = RANDOM_MAIN;
    for (unsigned n = 2 + random_below(&w, 3); n; n--)
        write_loop(&w);
    word(&w, 0x4130);
    for (uint32_t i = 0; i < RANDOM_DATA_BYTES; i++)
        hc_poke(w.m, RANDOM_DATA + i, (uint8_t)random_below(&w, 3));
    hc_machine_reset(w.m, HC_POR);
    return board;
}

uint8_t random_flag(struct hc_machine *m)
{
    return hc_peek(m, P1IFG);
}

void random_set_flag(struct hc_machine *m, uint8_t value)
{
    if (hc_peek(m, P1IFG) != value)
        hc_bus_write(m, P1IFG, value, 1);
}
