/* Inline assembly of ARMv7-M. Loads and stores have their address in a register, where nobody knows what they touch: an
 * instruction with an operand in brackets reads it. */
#include "armv7m.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool is_stack_pointer(const char *name)
{
    return !strncasecmp(name, "sp", 2) || !strncasecmp(name, "[sp", 3);
}

static bool is_register(const char *name)
{
    static const char *const names[] = { "pc",      "sp",      "lr",  "ip",  "fp",   "sl",      "sb",
                                         "primask", "basepri", "msp", "psp", "xpsr", "control", "faultmask" };
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
    return !strcasecmp(name, "primask");
}

static enum hc_operand_effect effect(const char *mnemonic, int operand, int operands)
{
    bool stores = !strncmp(mnemonic, "str", 3) || !strncmp(mnemonic, "stm", 3) || !strcmp(mnemonic, "push");
    (void)operand;
    (void)operands;
    return stores ? HC_OPERAND_WRITES : HC_OPERAND_READS;
}

static bool transfers_control(const char *mnemonic)
{
    static const char *const names[] = { "b", "bl", "bx", "blx", "cbz", "cbnz", "svc", "bkpt", "cpsie", "cpsid" };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!strcmp(mnemonic, names[i]))
            return true;
    return false;
}

static bool is_move(const char *mnemonic)
{
    return !strcmp(mnemonic, "mov");
}

static enum hc_status_effect status_effect(const char *mnemonic)
{
    (void)mnemonic;
    return HC_STATUS_NONE;
}

static bool switches_interrupts(const char *mnemonic, bool *on)
{
    *on = !strcmp(mnemonic, "cpsie");
    return *on || !strcmp(mnemonic, "cpsid");
}

const struct hc_target_assembly hc_armv7m_assembly = {
    .is_register = is_register,
    .is_stack_pointer = is_stack_pointer,
    .is_status = is_status,
    .effect = effect,
    .transfers_control = transfers_control,
    .is_move = is_move,
    .status_effect = status_effect,
    .switches_interrupts = switches_interrupts,
};
