/* Inline assembly of the MSP430. */
#include "msp430.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { GIE = 0x08, CPUOFF = 0x10 };

static bool is_stack_pointer(const char *name)
{
    return !strncasecmp(name, "r1", 2) ? !isdigit((unsigned char)name[2]) : !strncasecmp(name, "sp", 2);
}

static bool is_register(const char *name)
{
    static const char *const names[] = { "pc", "sp", "sr", "cg", "cg1", "cg2" };
    char *end;
    if (tolower((unsigned char)*name) == 'r' && isdigit((unsigned char)name[1]))
        return strtoul(name + 1, &end, 10) < 16 && !*end;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!strcasecmp(name, names[i]))
            return true;
    return false;
}

static bool is_status(const char *name)
{
    return !strcasecmp(name, "r2") || !strcasecmp(name, "sr");
}

/* Others are taken to read all their operands. */
static const struct {
    const char *mnemonic;
    enum hc_operand_effect last; /* of the only or last operand; those before it are read */
} effects[] = {
    { "mov", HC_OPERAND_WRITES },   { "bis", HC_OPERAND_CHANGES }, { "bic", HC_OPERAND_CHANGES },
    { "xor", HC_OPERAND_CHANGES },  { "and", HC_OPERAND_CHANGES }, { "clr", HC_OPERAND_WRITES },
    { "pop", HC_OPERAND_WRITES },   { "inv", HC_OPERAND_CHANGES }, { "popm", HC_OPERAND_WRITES },
    { "pushm", HC_OPERAND_WRITES },
};

static enum hc_operand_effect effect(const char *mnemonic, int operand, int operands)
{
    for (size_t i = 0; i < sizeof effects / sizeof effects[0]; i++)
        if (!strcmp(mnemonic, effects[i].mnemonic) && operand == operands - 1)
            return effects[i].last;
    return HC_OPERAND_READS;
}

static bool transfers_control(const char *mnemonic)
{
    static const char *const names[] = { "br", "bra", "call", "calla", "ret", "reta", "reti" };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!strcmp(mnemonic, names[i]))
            return true;
    return mnemonic[0] == 'j';
}

static bool is_move(const char *mnemonic)
{
    return !strcmp(mnemonic, "mov");
}

static enum hc_status_effect status_effect(const char *mnemonic)
{
    static const struct {
        const char *mnemonic;
        enum hc_status_effect effect;
    } known[] = { { "bis", HC_STATUS_SETS },
                  { "mov", HC_STATUS_MOVES },
                  { "bic", HC_STATUS_CLEARS },
                  { "and", HC_STATUS_KEEPS },
                  { "clr", HC_STATUS_ZEROES } };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (!strcmp(mnemonic, known[i].mnemonic))
            return known[i].effect;
    return HC_STATUS_NONE;
}

static bool switches_interrupts(const char *mnemonic, bool *on)
{
    *on = mnemonic[0] == 'e';
    return !strcmp(mnemonic, "dint") || !strcmp(mnemonic, "eint");
}

const struct hc_target_assembly hc_msp430_assembly = {
    .is_register = is_register,
    .is_stack_pointer = is_stack_pointer,
    .is_status = is_status,
    .effect = effect,
    .transfers_control = transfers_control,
    .is_move = is_move,
    .status_effect = status_effect,
    .switches_interrupts = switches_interrupts,
    .interrupts_on = GIE,
    .asleep = CPUOFF,
};
