/* The recorder in C, driven by bytes: what a program does, when interrupts come, when it is reset and where power
 * fails. Afterwards the log holds what happened, or says what is missing (tests/runtime/life.h). */
#include "config.h"
#include "runtime/life.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct life_report report = { 0 };

    if (size < 3)
        return 0;
    long cut_at = bytes[0] | bytes[1] << 8;
    life_run(bytes + 2, size - 2, HC_BATCH, cut_at & 1 ? cut_at >> 1 : -1, &report);
    return 0;
}
