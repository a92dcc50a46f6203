#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

void kit_assertion_failed(const char *condition, const char *file, int line)
{
    printf("%s:%d: assertion failed: %s\n", file, line, condition);
    abort();
}
