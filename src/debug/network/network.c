#include "network_state.h"

#include "support/plural.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool hc_network_fail(struct hc_network_debugger *n, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(n->problem, sizeof n->problem, format, arguments);
    va_end(arguments);
    return false;
}

unsigned hc_network_address(const struct hc_network_debugger *n, uint32_t node)
{
    return n->c.history->nodes[node].address;
}

bool hc_network_find(struct hc_network_debugger *n, unsigned long address, uint32_t *node)
{
    for (*node = 0; *node < n->c.history->node_count; ++*node)
        if (hc_network_address(n, *node) == address)
            return true;
    *node = n->current;
    return hc_network_fail(n, "no log of a node %lu; `nodes` lists those that are there", address);
}

static const char *spread_text(const struct hc_network_debugger *n, uint32_t node, char *out, size_t size)
{
    const struct hc_axis *axis = n->c.axis;
    int64_t clock = hc_axis_to_clock(axis, node, n->now);
    uint32_t us = HC_SPREAD_UNKNOWN;

    for (size_t i = axis->first[node]; i < axis->first[node + 1] && axis->windows[i].begin <= clock; i++)
        us = axis->windows[i].spread_us;
    if (us == HC_SPREAD_UNKNOWN)
        snprintf(out, size, "nothing bounds it");
    else
        snprintf(out, size, "+-%.3f ms", us / 1e3);
    return out;
}

void hc_network_say_present(struct hc_network_debugger *n)
{
    char spread[40];

    fprintf(n->c.out, "[node %u, %.6f s, %s]\n", hc_network_address(n, n->current), (double)n->now / 1e9,
            spread_text(n, n->current, spread, sizeof spread));
}

/* ---- commands of the network ---- */

static bool list_nodes(struct hc_network_debugger *n, const char *arguments)
{
    (void)arguments;
    for (uint32_t i = 0; i < n->c.history->node_count; i++) {
        const struct hc_network_history_node *node = &n->c.history->nodes[i];
        uint32_t last = hc_network_last_event(n, i, n->now), done = last == HC_NO_EVENT ? 0 : last - node->first + 1;
        fprintf(n->c.out, "%s node %-5u %6u of %u message%s have happened%s%s\n", i == n->current ? "*" : " ",
                node->address, done, node->count, hc_plural(node->count), n->nodes[i].session ? "" : ", not opened yet",
                n->nodes[i].session && hc_debugger_has_points(n->nodes[i].session) ? ", has breakpoints" : "");
    }
    fprintf(n->c.out, "now: %.6f s, the clock of node %u\n", (double)n->now / 1e9,
            hc_network_address(n, n->c.axis->reference));
    return true;
}

/* A command for one node. If it moves the node, the present moves. */
static bool on_node(struct hc_network_debugger *n, uint32_t node, const char *line, bool quietly)
{
    struct hc_debugger *s = hc_network_at_present(n, node);
    struct hc_debugger_place before, after;

    if (!s)
        return false;
    hc_debugger_place(s, &before);
    enum hc_debugger_end end = hc_debugger_command(s, line);
    hc_debugger_place(s, &after);
    if (before.segment != after.segment || before.moment != after.moment) {
        hc_network_take_present(n, node);
        if (!quietly)
            hc_network_say_present(n);
    }
    n->problem[0] = '\0'; /* it has printed a message */
    return end != HC_DEBUGGER_FAILED;
}

static bool node(struct hc_network_debugger *n, const char *arguments)
{
    char *end;
    unsigned long address = strtoul(arguments, &end, 10);
    uint32_t to;

    if (end == arguments || (*end && !isspace((unsigned char)*end)))
        return hc_network_fail(n, "node N, or node N COMMAND; `nodes` lists them");
    if (!hc_network_find(n, address, &to))
        return false;
    end += strspn(end, " \t");
    if (*end)
        return on_node(n, to, end, false);
    struct hc_debugger *s = hc_network_at_present(n, to);
    if (!s)
        return false;
    n->current = to;
    n->event = HC_NO_EVENT;
    hc_network_say_present(n);
    hc_debugger_show_place(s);
    return true;
}

/* The same command for each node; only commands that do not move it. */
static bool all(struct hc_network_debugger *n, const char *arguments)
{
    int64_t now = n->now;
    uint32_t current = n->current;
    bool well = true;

    if (!*arguments)
        return hc_network_fail(n, "all COMMAND: all break PLACE, all print EXPRESSION");
    for (uint32_t i = 0; i < n->c.history->node_count; i++) {
        fprintf(n->c.out, "node %u: ", hc_network_address(n, i));
        fflush(n->c.out);
        bool one = on_node(n, i, arguments, true);
        if (!one && n->problem[0])
            fprintf(n->c.out, "%s\n", n->problem);
        well &= one;
        if (n->now != now) { /* each begins at the same present */
            n->now = now;
            for (uint32_t k = 0; k < n->c.history->node_count; k++)
                n->nodes[k].there = false;
        }
    }
    n->current = current;
    n->problem[0] = '\0';
    return well;
}

static bool go_on(struct hc_network_debugger *n, const char *arguments)
{
    return *arguments ? hc_network_fail(n, "continue takes no argument") : hc_network_continue(n);
}

static bool go_back(struct hc_network_debugger *n, const char *arguments)
{
    return *arguments ? hc_network_fail(n, "reverse-continue takes no argument") : hc_network_reverse_continue(n);
}

static bool go(struct hc_network_debugger *n, const char *arguments)
{
    char line[HC_NETWORK_LINE + 8];
    bool mine;
    bool well = hc_network_goto(n, arguments, &mine);

    if (mine)
        return well;
    snprintf(line, sizeof line, "goto %s", arguments);
    return on_node(n, n->current, line, false);
}

static bool when(struct hc_network_debugger *n, const char *arguments)
{
    (void)arguments;
    hc_network_say_present(n);
    return on_node(n, n->current, "when", true);
}

static bool why(struct hc_network_debugger *n, const char *arguments)
{
    char line[HC_NETWORK_LINE + 8];

    snprintf(line, sizeof line, "why %s", arguments);
    if (!on_node(n, n->current, line, true))
        return false;
    hc_network_tell_origins(n, n->current);
    return true;
}

static bool help(struct hc_network_debugger *n, const char *arguments);

static const struct command {
    const char *name, *alias, *arguments, *help;
    bool (*run)(struct hc_network_debugger *n, const char *arguments);
    bool repeats;
} commands[] = {
    { "node", NULL, "N [COMMAND]", "to that node, at the same moment; or one command there", node, false },
    { "nodes", NULL, "", "all nodes, and where they are", list_nodes, false },
    { "all", NULL, "COMMAND", "on each node: all break PLACE, all print EXPRESSION", all, false },
    { "messages", NULL, "[N]", "before and after this moment, of all nodes", hc_network_list, false },
    { "goto", NULL, "event N [send | receive [NODE]] | TIME", "to a message's event, or a time on the network's axis",
      go, false },
    { "follow", NULL, "[NODE] | back", "from a send to its receive, from there to where it was handed on",
      hc_network_follow, true },
    { "continue", "c", "", "until something stops any node", go_on, true },
    { "reverse-continue", "rc", "", "back to the last thing that would stop any node", go_back, true },
    { "when", NULL, "", "which moment this is", when, false },
    { "why", NULL, "[--all] [EXPRESSION | STEP]", "what made it so, on this node; and which message it came with", why,
      false },
    { "help", "h", "[COMMAND]", "this list", help, false },
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static bool help(struct hc_network_debugger *n, const char *arguments)
{
    char line[HC_NETWORK_LINE + 8];

    if (!*arguments) {
        fprintf(n->c.out, "Of the network:\n");
        for (int i = 0; i < COMMANDS; i++) {
            char usage[80];
            snprintf(usage, sizeof usage, "%s %s", commands[i].name, commands[i].arguments);
            fprintf(n->c.out, "%-5s %-40s %s\n", commands[i].alias ? commands[i].alias : "", usage, commands[i].help);
        }
        fprintf(n->c.out, "node(5).NAME in an expression is what node 5 has at this moment.\nOf the current node:\n");
    }
    snprintf(line, sizeof line, "help %s", arguments);
    return on_node(n, n->current, line, true);
}

static const struct command *find(const char *name)
{
    for (int i = 0; i < COMMANDS; i++)
        if (!strcmp(commands[i].name, name) || (commands[i].alias && !strcmp(commands[i].alias, name)))
            return &commands[i];
    return NULL;
}

/* ---- a line ---- */

static bool execute(struct hc_network_debugger *n, const char *line)
{
    char name[40], expanded[HC_NETWORK_LINE];
    size_t length = strcspn(line, " \t/");
    uint32_t to;

    snprintf(name, sizeof name, "%.*s", (int)length, line);
    const struct command *command = find(name);
    if (command) {
        if (!command->repeats)
            n->last[0] = '\0';
        return command->run(n, line + length + strspn(line + length, " \t"));
    }
    if (!hc_network_expand(n, line, expanded, sizeof expanded, &to))
        return false;
    if (to != n->current)
        fprintf(n->c.out, "node %u: ", hc_network_address(n, to));
    return on_node(n, to, expanded, false);
}

enum hc_debugger_end hc_network_debugger_command(struct hc_network_debugger *n, const char *text)
{
    char line[HC_NETWORK_LINE];

    text += strspn(text, " \t");
    size_t length = strlen(text);
    while (length && isspace((unsigned char)text[length - 1]))
        length--;
    if (length >= sizeof line) {
        fprintf(n->c.out, "The line is too long.\n");
        return HC_DEBUGGER_FAILED;
    }
    if (length)
        snprintf(n->last, sizeof n->last, "%.*s", (int)length, text);
    snprintf(line, sizeof line, "%s", n->last);
    if (!line[0] || line[0] == '#')
        return HC_DEBUGGER_GOES_ON;
    if (!strcmp(line, "quit") || !strcmp(line, "q"))
        return HC_DEBUGGER_QUIT;
    n->problem[0] = '\0';
    bool well = execute(n, line);
    if (!well && n->problem[0])
        fprintf(n->c.out, "%c%s.\n", toupper((unsigned char)n->problem[0]), n->problem + 1);
    fflush(n->c.out);
    return well ? HC_DEBUGGER_GOES_ON : HC_DEBUGGER_FAILED;
}

void hc_network_debugger_complete(struct hc_network_debugger *n, const char *line, hc_completion_fn *tell, void *owner)
{
    line += strspn(line, " \t");
    for (int i = 0; !strpbrk(line, " \t") && i < COMMANDS; i++)
        if (!strncmp(commands[i].name, line, strlen(line)))
            tell(owner, commands[i].name);
    if (n->nodes[n->current].session)
        hc_debugger_complete(n->nodes[n->current].session, line, tell, owner);
}

void hc_network_debugger_set_terminal(struct hc_network_debugger *n, FILE *out, bool colours)
{
    n->c.out = out;
    n->colours = colours;
    for (uint32_t i = 0; i < n->c.history->node_count; i++)
        if (n->nodes[i].session) {
            hc_debugger_set_output(n->nodes[i].session, out);
            hc_debugger_set_colours(n->nodes[i].session, colours);
        }
}

void hc_network_debugger_set_progress(struct hc_network_debugger *n, hc_debugger_progress_fn *tell, void *owner)
{
    n->tell = tell;
    n->told = owner;
    for (uint32_t i = 0; i < n->c.history->node_count; i++)
        if (n->nodes[i].session)
            hc_debugger_set_progress(n->nodes[i].session, tell, owner);
}

void hc_network_debugger_interrupt(struct hc_network_debugger *n)
{
    n->interrupted = true;
    for (uint32_t i = 0; i < n->c.history->node_count; i++)
        if (n->nodes[i].session)
            hc_debugger_interrupt(n->nodes[i].session);
}

/* ---- making one ---- */

void hc_network_debugger_show_place(struct hc_network_debugger *n)
{
    if (!hc_network_at_present(n, n->current)) {
        fprintf(n->c.out, "%c%s.\n", toupper((unsigned char)n->problem[0]), n->problem + 1);
        return;
    }
    hc_network_say_present(n);
    hc_debugger_show_place(n->nodes[n->current].session);
}

struct hc_network_debugger *hc_network_debugger_new(const struct hc_network_config *config)
{
    struct hc_network_debugger *n = calloc(1, sizeof *n);

    if (!n)
        return NULL;
    n->c = *config;
    n->nodes = calloc(config->history->node_count + 1, sizeof *n->nodes);
    if (!n->nodes) {
        free(n);
        return NULL;
    }
    n->event = HC_NO_EVENT;
    n->now = config->axis->begin;
    if (config->history->event_count) {
        uint32_t first = config->axis->order[0];
        n->current = config->pairing->node_of[first];
        n->now = config->axis->time[first];
    }
    return n;
}

void hc_network_debugger_free(struct hc_network_debugger *n)
{
    if (!n)
        return;
    for (uint32_t i = 0; i < n->c.history->node_count; i++)
        hc_debugger_free(n->nodes[i].session);
    free(n->nodes);
    free(n);
}
