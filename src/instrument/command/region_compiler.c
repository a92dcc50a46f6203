#include "region_compiler.h"

#include <string.h>

bool hc_compiler_is_clang(const struct hc_argv *words)
{
    for (size_t i = 0; i < words->count && words->word[i][0] != '-'; i++)
        if (strstr(words->word[i], "clang"))
            return true;
    return false;
}

/* Both compilers know these, and mean the same. */
static bool chooses_cpu(const char *word)
{
    static const char *const prefixes[] = { "-mcpu=", "-march=", "-mfpu=", "-mfloat-abi=", "-mthumb" };

    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (!strncmp(word, prefixes[i], strlen(prefixes[i])))
            return true;
    return false;
}

bool hc_region_compiler(const struct hc_argv *words, const char *triple, const char *const *gcc_meaning,
                        struct hc_argv *out)
{
    if (hc_compiler_is_clang(words)) {
        hc_argv_add_all(out, words->word, words->count);
        return true;
    }
    if (!gcc_meaning)
        return false;
    hc_argv_add(out, "clang-19");
    hc_argv_addf(out, "--target=%s", triple);
    for (; *gcc_meaning; gcc_meaning++)
        hc_argv_add(out, *gcc_meaning);
    for (size_t i = 0; i < words->count; i++)
        if (chooses_cpu(words->word[i]))
            hc_argv_add(out, words->word[i]);
    return true;
}
