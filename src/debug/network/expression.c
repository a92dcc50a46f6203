/* node(5).parent: a value of another node at the present. */
#include "network_state.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The next node(N). in TEXT; NULL: there is none. *ADDRESS is N, *NAME what follows. */
static const char *find(const char *text, unsigned long *address, const char **name)
{
    for (const char *at = text; (at = strstr(at, "node(")); at++) {
        char *end;
        if (at > text && is_name(at[-1]))
            continue;
        *address = strtoul(at + 5, &end, 10);
        if (end > at + 5 && end[0] == ')' && end[1] == '.') {
            *name = end + 2;
            return at;
        }
    }
    return NULL;
}

/* How much of TEXT is one operand: names, members, elements. */
static size_t operand(const char *text)
{
    size_t n = 0;
    int depth = 0;

    for (; text[n]; n++) {
        if (text[n] == '[')
            depth++;
        else if (text[n] == ']' && depth)
            depth--;
        else if (!depth && text[n] == '-' && text[n + 1] == '>')
            n++;
        else if (!depth && !is_name(text[n]) && text[n] != '.')
            break;
    }
    return n;
}

static bool put_value(struct hc_network_debugger *n, unsigned long address, const char *name, size_t length, char *out,
                      size_t size)
{
    char expression[HC_NETWORK_LINE];
    long long value;
    uint32_t node;

    snprintf(expression, sizeof expression, "%.*s", (int)length, name);
    if (!hc_network_find(n, address, &node))
        return false;
    struct hc_debugger *s = hc_network_at_present(n, node);
    if (!s)
        return false;
    if (!hc_debugger_number(s, expression, &value))
        return hc_network_fail(n, "node %lu: %s", address, hc_debugger_problem(s));
    snprintf(out, size, value < 0 ? "(%lld)" : "%lld", value);
    return true;
}

bool hc_network_expand(struct hc_network_debugger *n, const char *line, char *out, size_t size, uint32_t *node)
{
    unsigned long address, second;
    const char *name, *other, *at = find(line, &address, &name);
    size_t used = 0;

    *node = n->current;
    snprintf(out, size, "%s", line);
    if (!at)
        return true;
    if (!find(name, &second, &other)) {
        snprintf(out, size, "%.*s%s", (int)(at - line), line, name);
        return hc_network_find(n, address, node);
    }
    out[0] = '\0';
    for (; at && used < size; at = find(line, &address, &name)) {
        used += (size_t)snprintf(out + used, size - used, "%.*s", (int)(at - line), line);
        size_t length = operand(name);
        if (used >= size || !put_value(n, address, name, length, out + used, size - used))
            return used < size ? false : hc_network_fail(n, "the line is too long");
        used += strlen(out + used);
        line = name + length;
    }
    if (used >= size || (size_t)snprintf(out + used, size - used, "%s", line) >= size - used)
        return hc_network_fail(n, "the line is too long");
    return true;
}
