/* Random instructions on the machine and on the reference model, side by side: after every instruction all registers
 * and every byte written are compared; then the same instructions run again at full speed from the same state.
 *
 *     lockstep msp430|msp430x INSTRUCTIONS [SEED]
 *
 * A block depends on its seed alone. A difference prints the command that runs exactly its block again. */
#include "generate.h"
#include "reference.h"

#include "machine/board/flat.h"
#include "machine/cpu/msp430/disassemble.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 48, CODE_BYTES = BLOCK * 8 + 8 };

struct undo {
    uint32_t address;
    uint8_t value;
};

struct pair {
    struct ref_cpu ref;
    struct hc_machine *machine;
    uint64_t seed;
    uint32_t start[16]; /* registers before the block */
    uint32_t pcs[BLOCK + 1];
    uint8_t code[CODE_BYTES];
    uint32_t code_size;
    int undos;
    struct undo undo[CODE_BYTES + BLOCK * REF_WRITES_MAX];
    uint32_t before[16]; /* registers before the instruction */
    bool undefined;      /* a flag that the guide leaves open was among the results */
};

static uint32_t space(const struct pair *p)
{
    return p->ref.x ? 0xfffff : 0xffff;
}

static void remember(struct pair *p, uint32_t address, uint8_t old)
{
    p->undo[p->undos++] = (struct undo){ address, old };
}

static void undo_all(struct pair *p)
{
    while (p->undos) {
        struct undo u = p->undo[--p->undos];
        p->ref.memory[u.address] = u.value;
        hc_poke(p->machine, u.address, u.value);
    }
}

/* Straight-line code at a random place: an instruction in the middle may jump away and end the block. */
static int lay_code(struct pair *p, uint64_t *random)
{
    uint32_t pc = random_below(random, space(p)) & ~1u;
    int n = 0, bytes = 0;
    while (n < BLOCK && pc < space(p) - 8) {
        uint16_t words[GENERATE_WORDS_MAX];
        int count = generate_instruction(random, p->ref.x, words);
        p->pcs[n++] = pc;
        for (int i = 0; i < count; i++, pc += 2, bytes += 2) {
            p->code[bytes] = (uint8_t)words[i];
            p->code[bytes + 1] = (uint8_t)(words[i] >> 8);
        }
    }
    p->pcs[n] = pc;
    p->code_size = (uint32_t)bytes;
    for (int i = 0; i < bytes; i++) {
        uint32_t address = p->pcs[0] + (uint32_t)i;
        remember(p, address, p->ref.memory[address]);
        p->ref.memory[address] = p->code[i];
        hc_poke(p->machine, address, p->code[i]);
    }
    return n;
}

static void start_registers(struct pair *p, uint64_t *random)
{
    for (int i = 0; i < 16; i++)
        p->start[i] = random_value(random, p->ref.x ? 20 : 16);
    p->start[0] = p->pcs[0];
    p->start[1] &= ~1u;
    p->start[2] &= 0x1ef; /* awake; the bits above V are reserved */
    p->start[3] = 0;
}

static void set_registers(struct pair *p)
{
    for (int i = 0; i < 16; i++) {
        p->ref.r[i] = p->start[i];
        hc_set_register(p->machine, i, p->start[i]);
    }
}

static void print_registers(const char *title, const uint32_t *r)
{
    printf("  %-8s", title);
    for (int i = 0; i < 16; i++)
        printf(" %05" PRIx32, r[i]);
    printf("\n");
}

static int report(struct pair *p, int index, const char *what)
{
    uint32_t ours[16];
    uint8_t bytes[8];
    char text[HC_DISASM_TEXT];
    for (int i = 0; i < 16; i++)
        ours[i] = hc_register(p->machine, i);
    for (uint32_t i = 0; i < 8; i++)
        bytes[i] = p->ref.memory[(p->before[0] + i) & space(p)];
    hc_msp430_disassemble(p->ref.x ? HC_CPU_MSP430X : HC_CPU_MSP430, bytes, sizeof bytes, p->pcs[index], NULL, NULL,
                          text);
    printf("%s differs after instruction %d at 0x%05" PRIx32 ": %s (words", what, index, p->before[0], text);
    for (int i = 0; i < 8; i += 2)
        printf(" %02x%02x", bytes[i + 1], bytes[i]);
    printf(")\n");
    print_registers("before", p->before);
    print_registers("guide", p->ref.r);
    print_registers("ours", ours);
    printf("rerun: lockstep %s 1 %" PRIu64 "\n", p->ref.x ? "msp430x" : "msp430", p->seed);
    return 1;
}

static bool same_registers(struct pair *p)
{
    for (int i = 0; i < 16; i++) {
        uint32_t mask = i == 2 ? ~(uint32_t)p->ref.undefined_flags : ~0u;
        if (((p->ref.r[i] ^ hc_register(p->machine, i)) & mask) && i != 3)
            return false;
    }
    return true;
}

static bool same_writes(struct pair *p)
{
    for (int i = 0; i < p->ref.writes; i++)
        if (p->ref.memory[p->ref.written[i]] != hc_peek(p->machine, p->ref.written[i]))
            return false;
    return true;
}

/* Every undo goes back to the pristine memory that all blocks start from; so their order does not matter. */
static void remember_writes(struct pair *p, const uint8_t *pristine)
{
    for (int i = 0; i < p->ref.writes; i++)
        remember(p, p->ref.written[i], pristine[p->ref.written[i]]);
}

static bool code_is_intact(const struct pair *p)
{
    return memcmp(p->ref.memory + p->pcs[0], p->code, p->code_size) == 0;
}

/* One instruction on both. 1: they differ; -1: the end of straight-line code. */
static int step_both(struct pair *p, int index, const uint8_t *pristine)
{
    memcpy(p->before, p->ref.r, sizeof p->before);
    if (!ref_step(&p->ref)) /* the code was overwritten, or else the generator is wrong */
        return code_is_intact(p) ? report(p, index, "definedness") : -1;
    remember_writes(p, pristine);
    if (hc_machine_step(p->machine, 1, HC_NEVER) != HC_STOP_STEPS) {
        printf("%s\n", hc_fault_text(p->machine));
        return report(p, index, "the end");
    }
    if (!same_registers(p))
        return report(p, index, "a register");
    if (!same_writes(p))
        return report(p, index, "memory");
    if (p->ref.undefined_flags) {
        p->undefined = true;
        hc_set_register(p->machine, HC_SR, p->ref.r[2]);
    }
    if (p->ref.x && !code_is_intact(p)) /* random words are likely to be forms that the guide leaves undefined */
        return -1;
    return p->ref.r[0] == p->pcs[index + 1] && !(p->ref.r[2] & HC_SR_CPUOFF) ? 0 : -1;
}

/* The same again without stopping in between: what the fast paths make of it. */
static int run_again(struct pair *p, int count)
{
    for (int i = 0; i < p->undos; i++)
        hc_poke(p->machine, p->undo[i].address, p->undo[i].value);
    for (uint32_t a = 0; a < p->code_size; a++)
        hc_poke(p->machine, p->pcs[0] + a, p->code[a]);
    for (int i = 0; i < 16; i++)
        hc_set_register(p->machine, i, p->start[i]);
    if (hc_machine_step(p->machine, (uint64_t)count, HC_NEVER) != HC_STOP_STEPS)
        return report(p, count - 1, "the end (at full speed)");
    if (!same_registers(p))
        return report(p, count - 1, "a register (at full speed)");
    for (int i = 0; i < p->undos; i++)
        if (p->ref.memory[p->undo[i].address] != hc_peek(p->machine, p->undo[i].address))
            return report(p, count - 1, "memory (at full speed)");
    return 0;
}

/* Returns the number of instructions compared, or -1 for a difference. */
static int run_block(struct pair *p, const uint8_t *pristine)
{
    uint64_t random = p->seed * 0x9e3779b97f4a7c15u | 1;
    int laid = lay_code(p, &random), done = 0, result = 0;
    start_registers(p, &random);
    set_registers(p);
    p->undefined = false;
    while (done < laid && result == 0)
        result = step_both(p, done++, pristine);
    if (result <= 0 && !p->undefined && code_is_intact(p) && run_again(p, done))
        result = 1;
    if (result <= 0)
        undo_all(p);
    return result > 0 ? -1 : done;
}

static int same_memory(struct pair *p)
{
    for (uint32_t a = 0; a <= space(p); a++)
        if (p->ref.memory[a] != hc_peek(p->machine, a)) {
            printf("memory at 0x%05" PRIx32 " was changed and should not have been, near seed %" PRIu64 "\n", a,
                   p->seed);
            return 0;
        }
    return 1;
}

static int run_all(struct pair *p, const uint8_t *pristine, uint64_t wanted)
{
    uint64_t done = 0, blocks = 0;
    while (done < wanted) {
        int n = run_block(p, pristine);
        if (n < 0 || (++blocks % 4096 == 0 && !same_memory(p)))
            return 1;
        done += (uint64_t)n;
        p->seed++;
    }
    if (!same_memory(p))
        return 1;
    printf("%" PRIu64 " instructions in %" PRIu64 " blocks: identical\n", done, blocks);
    return 0;
}

int main(int argc, char **argv)
{
    static struct pair p;
    if (argc < 3 || (strcmp(argv[1], "msp430") && strcmp(argv[1], "msp430x"))) {
        fprintf(stderr, "usage: lockstep msp430|msp430x INSTRUCTIONS [SEED]\n");
        return 2;
    }
    p.ref.x = !strcmp(argv[1], "msp430x");
    p.seed = argc > 3 ? strtoull(argv[3], NULL, 0) : 1;
    p.machine = hc_flat_new(p.ref.x ? HC_CPU_MSP430X : HC_CPU_MSP430);
    p.ref.memory = malloc(REF_MEMORY);
    uint8_t *pristine = malloc(REF_MEMORY);
    uint64_t random = 42;
    for (uint32_t a = 0; a <= space(&p); a++) {
        pristine[a] = p.ref.memory[a] = (uint8_t)random_next(&random);
        hc_poke(p.machine, a, pristine[a]);
    }
    hc_machine_reset(p.machine, HC_POR);
    int result = run_all(&p, pristine, strtoull(argv[2], NULL, 0));
    hc_machine_free(p.machine);
    free(p.ref.memory);
    free(pristine);
    return result;
}
