/* Random programs (program.h) on the machine and in mspdebug's simulator; both must leave the memory that the user's
 * guide, in the shape of the reference model, expects.
 *
 *     differential INSTRUCTIONS [SEED]
 *
 * A difference prints the command that runs exactly its
 * program again. */
#include "program.h"

#include "machine/board/flat.h"
#include "machine/cpu/msp430/disassemble.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BATCH = 40 };

struct comparison {
    char directory[64];
    struct program program;
    uint8_t theirs[PROGRAM_SPACE], ours[PROGRAM_SPACE];
    uint64_t seed, instructions;
    uint64_t excepted[PEER_EXCEPTIONS];
};

static void file_name(const struct comparison *c, char *out, size_t size, const char *kind, int index)
{
    snprintf(out, size, "%s/%s%d", c->directory, kind, index);
}

static bool save(const char *path, const void *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    if (!f)
        return false;
    bool good = fwrite(bytes, 1, size, f) == size;
    return fclose(f) == 0 && good;
}

static bool load(const char *path, void *bytes, size_t size)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return false;
    bool good = fread(bytes, 1, size, f) == size;
    fclose(f);
    return good;
}

/* ---- the peer: one process runs a batch ---- */

static bool write_batch(struct comparison *c, int count)
{
    char path[96];
    snprintf(path, sizeof path, "%s/script", c->directory);
    FILE *script = fopen(path, "w");
    if (!script)
        return false;
    fprintf(script, "setbreak 0x%x\n", PROGRAM_END);
    for (int i = 0; i < count; i++) {
        program_make(&c->program, c->seed + (uint64_t)i);
        file_name(c, path, sizeof path, "in", i);
        if (!save(path, c->program.image + PROGRAM_DATA, PROGRAM_SPACE - PROGRAM_DATA)) {
            fclose(script);
            return false;
        }
        fprintf(script, "load_raw %s 0x%x\nreset\nrun\n", path, PROGRAM_DATA);
        file_name(c, path, sizeof path, "out", i);
        fprintf(script, "save_raw 0x%x 0x%x %s\n", PROGRAM_DATA, PROGRAM_SPACE - PROGRAM_DATA, path);
    }
    return fclose(script) == 0;
}

static bool run_peer(const struct comparison *c)
{
    char command[160];
    snprintf(command, sizeof command, "timeout 60 mspdebug -q -n sim 'read %s/script' >%s/messages 2>&1", c->directory,
             c->directory);
    return system(command) == 0;
}

/* ---- ours, at full speed ---- */

static enum hc_action stop_here(void *owner, struct hc_machine *m, uint32_t pc)
{
    (void)owner;
    (void)m;
    (void)pc;
    return HC_STOP;
}

static bool run_ours(struct comparison *c)
{
    struct hc_machine *m = hc_flat_new(HC_CPU_MSP430);
    for (uint32_t a = 0; a < PROGRAM_SPACE; a++)
        hc_poke(m, a, c->program.image[a]);
    hc_machine_reset(m, HC_POR);
    hc_hook_pc(m, PROGRAM_END, stop_here, NULL);
    enum hc_stop stop = hc_machine_run(m, 10 * HC_SECOND);
    if (stop != HC_STOP_HOOK)
        printf("ours did not arrive at the end: stop %d at 0x%04" PRIx32 " %s\n", (int)stop, hc_register(m, HC_PC),
               stop == HC_STOP_FAULT ? hc_fault_text(m) : "");
    for (uint32_t a = 0; a < PROGRAM_SPACE; a++)
        c->ours[a] = hc_peek(m, a);
    hc_machine_free(m);
    return stop == HC_STOP_HOOK;
}

/* ---- comparing ---- */

static uint16_t word_at(const uint8_t *memory, uint32_t address)
{
    return (uint16_t)(memory[address] | memory[address + 1] << 8);
}

static void report(const struct comparison *c, const uint8_t *found, const char *whose)
{
    uint32_t a = PROGRAM_LOG;
    while (a < PROGRAM_CODE && word_at(found, a) == word_at(c->program.memory, a))
        a += 2;
    printf("%s differs from the guide", whose);
    if (a < PROGRAM_CODE) {
        char text[HC_DISASM_TEXT];
        uint32_t pc = c->program.log_pc[(a - PROGRAM_LOG) / 2];
        hc_msp430_disassemble(HC_CPU_MSP430, c->program.image + pc, HC_DISASM_BYTES, pc, NULL, NULL, text);
        printf(": log word 0x%04" PRIx32 ", of 0x%04" PRIx32 " %s: %04x, expected %04x", a, pc, text, word_at(found, a),
               word_at(c->program.memory, a));
    }
    printf("\nrerun: differential 1 %" PRIu64 "\n", c->seed);
}

static bool same(const struct comparison *c, const uint8_t *found, const char *whose)
{
    if (memcmp(found + PROGRAM_DATA, c->program.memory + PROGRAM_DATA, PROGRAM_SPACE - PROGRAM_DATA) == 0)
        return true;
    report(c, found, whose);
    return false;
}

static bool compare_one(struct comparison *c, int index)
{
    char path[96];
    memset(c->program.excepted, 0, sizeof c->program.excepted);
    program_make(&c->program, c->seed);
    file_name(c, path, sizeof path, "out", index);
    if (!load(path, c->theirs + PROGRAM_DATA, PROGRAM_SPACE - PROGRAM_DATA)) {
        printf("mspdebug left no result in %s\n", path);
        return false;
    }
    unlink(path);
    bool theirs = same(c, c->theirs, "mspdebug");
    bool ours = run_ours(c) && same(c, c->ours, "ours");
    c->instructions += (uint64_t)c->program.tested;
    for (int i = 0; i < PEER_EXCEPTIONS; i++)
        c->excepted[i] += c->program.excepted[i];
    return theirs && ours;
}

static bool compare_batch(struct comparison *c, int count)
{
    if (!write_batch(c, count) || !run_peer(c)) {
        printf("mspdebug could not be run: see %s/messages\n", c->directory);
        return false;
    }
    for (int i = 0; i < count; i++, c->seed++)
        if (!compare_one(c, i))
            return false;
    return true;
}

static void clean_up(const struct comparison *c)
{
    char path[96];
    for (int i = 0; i < BATCH; i++) {
        file_name(c, path, sizeof path, "in", i);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/script", c->directory);
    unlink(path);
    snprintf(path, sizeof path, "%s/messages", c->directory);
    unlink(path);
    rmdir(c->directory);
}

static void print_exceptions(const struct comparison *c)
{
    printf("left to the lockstep test, for there the peer does not follow the guide:\n");
    for (int i = 0; i < PEER_EXCEPTIONS; i++)
        printf("%9" PRIu64 "  %s\n", c->excepted[i], peer_exception_reasons[i]);
}

int main(int argc, char **argv)
{
    static struct comparison c;
    if (argc < 2) {
        fprintf(stderr, "usage: differential INSTRUCTIONS [SEED]\n");
        return 2;
    }
    if (system("command -v mspdebug >/dev/null 2>&1") != 0) {
        fprintf(stderr, "mspdebug is not installed: tools/install-deps installs it\n");
        return 1;
    }
    uint64_t wanted = strtoull(argv[1], NULL, 0);
    c.seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    strcpy(c.directory, "/tmp/differential.XXXXXX");
    if (!mkdtemp(c.directory))
        return 1;
    bool good = true;
    while (good && c.instructions < wanted)
        good = compare_batch(&c, wanted > 1 ? BATCH : 1);
    if (good) {
        clean_up(&c);
        printf("%" PRIu64 " instructions: mspdebug, the machine and the guide agree\n", c.instructions);
        print_exceptions(&c);
    }
    return good ? 0 : 1;
}
