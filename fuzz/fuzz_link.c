/* Files that the link step reads: objects of unknown origin, and programs to be filled in. */
#include "instrument/link/map_records.h"
#include "instrument/link/patch.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct hc_regs registers = {
    .part = "msp430f1611",
    .cpu = "msp430",
    .peripherals_end = 0x200,
    .ram = { 0x1100, 0x38ff },
    .vectors_start = 0xffe0,
    .vectors = 16,
};

static void look_at(const char *path)
{
    struct hc_link_inputs inputs = { 0 };
    struct hc_argv needs = { 0 };
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);

    hc_inputs_add(&inputs, path);
    hc_object_needs(path, &needs);
    if (to) {
        hc_record_plain_sizes(to, path);
        hc_record_recorder(to, path);
        fclose(to);
    }
    free(text);
    hc_argv_free(&needs);
    hc_inputs_free(&inputs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hc_invocation session = { 0 };
    char path[40];
    int file = memfd_create("fuzz", 0);

    if (file < 0 || write(file, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    look_at(path);
    /* What it has filled in it accepts again. */
    const struct hc_argv trusted = { 0 };
    if (hc_patch(&session, path, &registers, true, &trusted, "runtime") &&
        !hc_patch(&session, path, &registers, true, &trusted, "runtime"))
        abort();
    close(file);
    return 0;
}
