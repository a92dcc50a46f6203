#include "stub.h"

#include "describe.h"

#include <string.h>

/* GDB takes the number for an errno of its own and prints that. */
enum hc_gdb_error { HC_GDB_EFAULT = 14, HC_GDB_EINVAL = 22, HC_GDB_ENOSPC = 28, HC_GDB_EMSGSIZE = 90 };

static void say(struct hc_gdb_stub *s, const char *text)
{
    hc_gdb_reply_clear(&s->reply);
    hc_gdb_reply_add(&s->reply, "%s", text);
}

static void fail(struct hc_gdb_stub *s, enum hc_gdb_error error)
{
    hc_gdb_reply_clear(&s->reply);
    hc_gdb_reply_add(&s->reply, "E%02x", (unsigned)error);
}

static void ok_or(struct hc_gdb_stub *s, bool well, enum hc_gdb_error error)
{
    if (well)
        say(s, "OK");
    else
        fail(s, error);
}

static void end(struct hc_gdb_stub *s, enum hc_gdb_end end)
{
    s->ended = true;
    s->end = end;
}

void hc_gdb_stub_console(struct hc_gdb_stub *s, const char *text)
{
    enum { PIECE = 512 };
    char packet[1 + 2 * PIECE];
    size_t left = strlen(text);

    for (; left > 0; text += left < PIECE ? left : PIECE, left -= left < PIECE ? left : PIECE) {
        static const char digits[] = "0123456789abcdef";
        size_t n = left < PIECE ? left : PIECE;

        packet[0] = 'O';
        for (size_t i = 0; i < n; i++) {
            packet[1 + 2 * i] = digits[(uint8_t)text[i] >> 4];
            packet[2 + 2 * i] = digits[(uint8_t)text[i] & 15];
        }
        s->send(s->owner, packet, 1 + 2 * n);
    }
}

/* ---- stops ---- */

static enum hc_gdb_signal signal_of(const struct hc_gdb_stop *stop)
{
    if (stop->kind == HC_GDB_STOP_FAULT)
        return stop->signal;
    return stop->kind == HC_GDB_STOP_INTERRUPTED ? HC_GDB_SIGINT : HC_GDB_SIGTRAP;
}

static void add_register(struct hc_gdb_stub *s, int n)
{
    const struct hc_gdb_description *d = s->target->ops->describe(s->target);

    hc_gdb_reply_number(&s->reply, s->target->ops->read_register(s->target, n), d->reg[n].bytes[s->layout]);
}

static void add_point(struct hc_gdb_stub *s)
{
    static const char *const words[] = {
        [HC_GDB_WATCH_WRITE] = "watch", [HC_GDB_WATCH_READ] = "rwatch", [HC_GDB_WATCH_ACCESS] = "awatch"
    };

    if (s->stop.point == HC_GDB_SWBREAK || s->stop.point == HC_GDB_HWBREAK) {
        if (s->stop.point == HC_GDB_SWBREAK ? s->swbreak : s->hwbreak)
            hc_gdb_reply_add(&s->reply, s->stop.point == HC_GDB_SWBREAK ? "swbreak:;" : "hwbreak:;");
        if (s->lldb)
            hc_gdb_reply_add(&s->reply, "reason:breakpoint;");
        return;
    }
    hc_gdb_reply_add(&s->reply, "%s:%x;", words[s->stop.point], s->stop.address);
}

static void add_reason(struct hc_gdb_stub *s)
{
    switch (s->stop.kind) {
    case HC_GDB_STOP_POINT:
        add_point(s);
        break;
    case HC_GDB_STOP_LOG_BEGIN:
        hc_gdb_reply_add(&s->reply, "replaylog:begin;");
        break;
    case HC_GDB_STOP_LOG_END:
        hc_gdb_reply_add(&s->reply, "replaylog:end;");
        break;
    case HC_GDB_STOP_STEPPED:
        if (s->lldb)
            hc_gdb_reply_add(&s->reply, "reason:trace;");
        break;
    case HC_GDB_STOP_FAULT:
        if (s->lldb) {
            hc_gdb_reply_add(&s->reply, "reason:exception;description:");
            hc_gdb_reply_hex_string(&s->reply, s->stop.text);
            hc_gdb_reply_add(&s->reply, ";");
        }
        break;
    default:
        break;
    }
}

/* What stopped the target, as the reply. */
static void report_stop(struct hc_gdb_stub *s)
{
    const struct hc_gdb_description *d = s->target->ops->describe(s->target);

    hc_gdb_reply_clear(&s->reply);
    if (s->stop.kind == HC_GDB_STOP_EXITED) {
        hc_gdb_reply_add(&s->reply, "W00");
        return;
    }
    hc_gdb_reply_add(&s->reply, "T%02x%02x:", (unsigned)signal_of(&s->stop), (unsigned)d->pc);
    add_register(s, d->pc);
    hc_gdb_reply_add(&s->reply, ";%02x:", (unsigned)d->sp);
    add_register(s, d->sp);
    hc_gdb_reply_add(&s->reply, ";thread:1;");
    add_reason(s);
}

static void on_why(struct hc_gdb_stub *s, struct hc_gdb_text t)
{
    (void)t;
    report_stop(s);
}

/* ---- running ---- */

static void stopped(struct hc_gdb_stub *s)
{
    s->stop.text[sizeof s->stop.text - 1] = 0;
    if (s->stop.text[0]) {
        hc_gdb_stub_console(s, s->stop.text);
        hc_gdb_stub_console(s, "\n");
    }
    if (s->stop.kind == HC_GDB_STOP_EXITED)
        end(s, HC_GDB_EXITED);
    report_stop(s);
}

static void resume(struct hc_gdb_stub *s, enum hc_gdb_resume_kind kind, uint32_t start, uint32_t end)
{
    struct hc_gdb_resume how = { kind, start, end };

    memset(&s->stop, 0, sizeof s->stop);
    s->target->ops->resume(s->target, &how, &s->poll, &s->stop);
    stopped(s);
}

/* `c`, `s`: an address may follow, to go on from. */
static void resume_from(struct hc_gdb_stub *s, enum hc_gdb_resume_kind kind, struct hc_gdb_text t)
{
    uint32_t pc;

    if (hc_gdb_take_number(&t, &pc))
        s->target->ops->write_register(s->target, s->target->ops->describe(s->target)->pc, pc);
    if (t.p != t.end)
        fail(s, HC_GDB_EINVAL);
    else
        resume(s, kind, 0, 0);
}

static void on_continue(struct hc_gdb_stub *s, struct hc_gdb_text t)
{
    resume_from(s, HC_GDB_CONTINUE, t);
}

static void on_step(struct hc_gdb_stub *s, struct hc_gdb_text t)
{
    resume_from(s, HC_GDB_STEP, t);
}

/* `C`, `S`: the same with a signal. Nothing here could receive one. */
static void resume_with_signal(struct hc_gdb_stub *s, enum hc_gdb_resume_kind kind, struct hc_gdb_text t)
{
    uint32_t signal;

    if (!hc_gdb_take_number(&t, &signal)) {
        fail(s, HC_GDB_EINVAL);
        return;
    }
    hc_gdb_take(&t, ";");
    resume_from(s, kind, t);
}

static void on_continue_signal(struct hc_gdb_stub *s, struct hc_gdb_text t)
{
    resume_with_signal(s, HC_GDB_CONTINUE, t);
}

static void on_step_signal(struct hc_gdb_stub *s, struct hc_gdb_text t)
{
    resume_with_signal(s, HC_GDB_STEP, t);
}

/* The thread is 1; -1 means all and 0 any. */
static bool take_thread(struct hc_gdb_text *t)
{
    uint32_t number;

    if (hc_gdb_take(t, "-1"))
        return true;
    return hc_gdb_take_number(t, &number) && number <= 1;
}

static bool take_action(struct hc_gdb_text *t, struct hc_gdb_resume *how)
{
    uint32_t signal;

    if (hc_gdb_take(t, "r")) {
        how->kind = HC_GDB_RANGE;
        return hc_gdb_take_pair(t, &how->start, ",", &how->end);
    }
    if (hc_gdb_take(t, "c") || hc_gdb_take(t, "s")) {
        how->kind = t->p[-1] == 'c' ? HC_GDB_CONTINUE : HC_GDB_STEP;
        return true;
    }
    if (hc_gdb_take(t, "C") || hc_gdb_take(t, "S")) {
        how->kind = t->p[-1] == 'C' ? HC_GDB_CONTINUE : HC_GDB_STEP;
        return hc_gdb_take_number(t, &signal);
    }
    return false;
}

/* vCont;ACTION[:THREAD]...: the first action that fits our one thread is taken. */
static void on_vcont(struct hc_gdb_stub *s, struct hc_gdb_text t)
{
    struct hc_gdb_resume how = { 0 };

    while (hc_gdb_take(&t, ";")) {
        if (!take_action(&t, &how))
            break;
        if (!hc_gdb_take(&t, ":") || take_thread(&t)) {
            resume(s, how.kind, how.start, how.end);
            return;
        }
    }
    fail(s, HC_GDB_EINVAL);
}

static void on_vcont_query(struct hc_gdb_stub *s, struct hc_gdb_text t)
{
    (void)t;
    say(s, "vCont;c;C;s;S;r");
}

static void on_reverse_step(struct hc_gdb_stub *s, struct hc_gdb_text t)
{
    (void)t;
    if (!s->target->ops->reverse_step)
        return;
    memset(&s->stop, 0, sizeof s->stop);
    s->target->ops->reverse_step(s->target, &s->poll, &s->stop);
    stopped(s);
}

static void on_reverse_continue(struct hc_gdb_stub *s, struct hc_gdb_text t)
{
    (void)t;
    if (!s->target->ops->reverse_continue)
        return;
    memset(&s->stop, 0, sizeof s->stop);
    s->target->ops->reverse_continue(s->target, &s->poll, &s->stop);
    stopped(s);
}

static void on_detach(struct hc_gdb_stub *s, struct hc_gdb_text t)
{
    (void)t;
    say(s, "OK");
    end(s, HC_GDB_DETACHED);
}

static void on_kill(struct hc_gdb_stub *s, struct hc_gdb_text t)
{
    (void)t;
    s->silent = true;
    end(s, HC_GDB_KILLED);
}

static void on_vkill(struct hc_gdb_stub *s, struct hc_gdb_text t)
{
    (void)t;
    say(s, "OK");
    end(s, HC_GDB_KILLED);
}

/* ---- registers ---- */

static void on_read_registers(struct hc_gdb_stub *s, struct hc_gdb_text t)
{
    (void)t;
    for (int n = 0; n < s->target->ops->describe(s->target)->registers; n++)
        add_register(s, n);
}

static bool take_register(struct hc_gdb_stub *s, struct hc_gdb_text *t, int n, uint32_t *value)
{
    int bytes = s->target->ops->describe(s->target)->reg[n].bytes[s->layout];
    uint8_t byte[4] = { 0 };

    if (!hc_gdb_take_bytes(t, byte, (size_t)bytes))
        return false;
    *value = byte[0] | (uint32_t)byte[1] << 8 | (uint32_t)byte[2] << 16 | (uint32_t)byte[3] << 24;
    return true;
}

static void on_write_registers(struct hc_gdb_stub *s, struct hc_gdb_text t)
{
    int registers = s->target->ops->describe(s->target)->registers;
    struct hc_gdb_text checked = t;
    uint32_t value;

    for (int n = 0; n < registers; n++)
        if (!take_register(s, &checked, n, &value)) {
            fail(s, HC_GDB_EINVAL);
            return;
        }
    for (int n = 0; n < registers; n++)
        if (take_register(s, &t, n, &value))
            s->target->ops->write_register(s->target, n, value);
    say(s, "OK");
}

static bool take_register_number(struct hc_gdb_stub *s, struct hc_gdb_text *t, int *n)
{
    uint32_t number;

    if (!hc_gdb_take_number(t, &number) || number >= (uint32_t)s->target->ops->describe(s->target)->registers)
        return false;
    *n = (int)number;
    return true;
}

static void on_read_register(struct hc_gdb_stub *s, struct hc_gdb_text t)
{
    int n;

    if (take_register_number(s, &t, &n))
        add_register(s, n);
    else
        fail(s, HC_GDB_EINVAL);
}

static void on_write_register(struct hc_gdb_stub *s, struct hc_gdb_text t)
{
    uint32_t value;
    int n;

    if (!take_register_number(s, &t, &n) || !hc_gdb_take(&t, "=") || !take_register(s, &t, n, &value)) {
        fail(s, HC_GDB_EINVAL);
        return;
    }
    s->target->ops->write_register(s->target, n, value);
    say(s, "OK");
}

/* ---- memory ---- */

static void on_read_memory(struct hc_gdb_stub *s, struct hc_gdb_text t)
{
    uint8_t bytes[HC_GDB_PAYLOAD_MAX / 2];
    uint32_t address, n;
    size_t got;

    if (!hc_gdb_take_pair(&t, &address, ",", &n) || n == 0) {
        fail(s, HC_GDB_EINVAL);
        return;
    }
    /* Fewer bytes than asked for are an answer, too. */
    got = s->target->ops->read_memory(s->target, address, bytes, n < sizeof bytes ? n : sizeof bytes);
    if (got == 0)
        fail(s, HC_GDB_EFAULT);
    else
        hc_gdb_reply_hex(&s->reply, bytes, got);
}

static void write_memory(struct hc_gdb_stub *s, uint32_t address, const uint8_t *bytes, size_t n)
{
    ok_or(s, s->target->ops->write_memory(s->target, address, bytes, n) == n, HC_GDB_EFAULT);
}

static void on_write_memory(struct hc_gdb_stub *s, struct hc_gdb_text t)
{
    uint8_t bytes[HC_GDB_PAYLOAD_MAX / 2];
    uint32_t address, n;

    if (!hc_gdb_take_pair(&t, &address, ",", &n) || !hc_gdb_take(&t, ":") || n > sizeof bytes ||
        (size_t)(t.end - t.p) != 2 * (size_t)n || !hc_gdb_take_bytes(&t, bytes, n))
        fail(s, HC_GDB_EINVAL);
    else
        write_memory(s, address, bytes, n);
}

static void on_write_binary(struct hc_gdb_stub *s, struct hc_gdb_text t)
{
    uint8_t bytes[HC_GDB_PAYLOAD_MAX];
    uint32_t address, n;

    if (!hc_gdb_take_pair(&t, &address, ",", &n) || !hc_gdb_take(&t, ":") ||
        hc_gdb_unescape(bytes, t.p, (size_t)(t.end - t.p)) != n)
        fail(s, HC_GDB_EINVAL);
    else
        write_memory(s, address, bytes, n);
}

static void on_flash_erase(struct hc_gdb_stub *s, struct hc_gdb_text t)
{
    uint32_t address, n;

    if (!hc_gdb_take_pair(&t, &address, ",", &n))
        fail(s, HC_GDB_EINVAL);
    else
        ok_or(s, s->target->ops->erase_flash(s->target, address, n), HC_GDB_EFAULT);
}

static void on_flash_write(struct hc_gdb_stub *s, struct hc_gdb_text t)
{
    uint8_t bytes[HC_GDB_PAYLOAD_MAX];
    uint32_t address;
    size_t n = SIZE_MAX;

    if (hc_gdb_take_number(&t, &address) && hc_gdb_take(&t, ":"))
        n = hc_gdb_unescape(bytes, t.p, (size_t)(t.end - t.p));
    if (n == SIZE_MAX)
        fail(s, HC_GDB_EINVAL);
    else
        write_memory(s, address, bytes, n);
}

static void on_ok(struct hc_gdb_stub *s, struct hc_gdb_text t)
{
    (void)t;
    say(s, "OK");
}

/* ---- break- and watchpoints ---- */

struct point {
    uint32_t kind, address, length;
};

/* False, with the reply made, if it isn't one. */
static bool take_point(struct hc_gdb_stub *s, struct hc_gdb_text t, struct point *p)
{
    if (!hc_gdb_take_pair(&t, &p->kind, ",", &p->address) || !hc_gdb_take(&t, ",") ||
        !hc_gdb_take_number(&t, &p->length)) {
        fail(s, HC_GDB_EINVAL);
        return false;
    }
    return p->kind <= HC_GDB_WATCH_ACCESS; /* another kind is not supported: an empty reply says so */
}

static void on_insert(struct hc_gdb_stub *s, struct hc_gdb_text t)
{
    struct point p;

    if (!take_point(s, t, &p))
        return;
    if (p.kind >= HC_GDB_WATCH_WRITE && p.length == 0)
        fail(s, HC_GDB_EINVAL);
    else
        ok_or(s, s->target->ops->insert(s->target, (enum hc_gdb_point)p.kind, p.address, p.length), HC_GDB_ENOSPC);
}

static void on_remove(struct hc_gdb_stub *s, struct hc_gdb_text t)
{
    struct point p;

    if (!take_point(s, t, &p))
        return;
    s->target->ops->remove(s->target, (enum hc_gdb_point)p.kind, p.address, p.length);
    say(s, "OK");
}

/* ---- what is there ---- */

static bool offers(struct hc_gdb_text t, const char *feature)
{
    size_t n = strlen(feature);

    for (const char *p = t.p; (size_t)(t.end - p) >= n; p++)
        if ((p[-1] == ';' || p[-1] == ':') && !memcmp(p, feature, n) && (p + n == t.end || p[n] == ';'))
            return true;
    return false;
}

static void on_supported(struct hc_gdb_stub *s, struct hc_gdb_text t)
{
    hc_gdb_take(&t, ":");
    s->swbreak = offers(t, "swbreak+");
    s->hwbreak = offers(t, "hwbreak+");
    s->gdb = offers(t, "qRelocInsn+"); /* a word that nobody else uses */
    /* msp430-elf-gdb offers it, the older msp430-gdb with its 16-bit registers doesn't. lldb does, and is told apart
     * below. */
    if (!s->layout_chosen && offers(t, "multiprocess+"))
        s->layout = HC_GDB_LAYOUT_32;
    hc_gdb_reply_add(&s->reply,
                     "PacketSize=%x;QStartNoAckMode+;qXfer:features:read+;qXfer:memory-map:read+;swbreak+;hwbreak+;"
                     "vContSupported+",
                     HC_GDB_PAYLOAD_MAX);
    if (s->target->ops->reverse_step)
        hc_gdb_reply_add(&s->reply, ";ReverseStep+");
    if (s->target->ops->reverse_continue)
        hc_gdb_reply_add(&s->reply, ";ReverseContinue+");
}

/* Packets that only lldb sends, before it has seen any register. */
static void look_for_lldb(struct hc_gdb_stub *s, const char *payload)
{
    static const char *const words[] = { "QThreadSuffixSupported",
                                         "QListThreadsInStopReply",
                                         "QEnableErrorStrings",
                                         "qVAttachOrWaitSupported",
                                         "qHostInfo",
                                         "qProcessInfo",
                                         "qGDBServerVersion",
                                         "qRegisterInfo",
                                         "jThreadsInfo" };

    for (size_t i = 0; i < sizeof words / sizeof words[0] && !s->lldb; i++)
        s->lldb = !strncmp(payload, words[i], strlen(words[i]));
    if (s->lldb && !s->layout_chosen)
        s->layout = HC_GDB_LAYOUT_OWN;
}

static void on_no_ack(struct hc_gdb_stub *s, struct hc_gdb_text t)
{
    (void)t;
    s->no_ack = true;
    say(s, "OK");
}

/* OFFSET,LENGTH of a document: `m` and a piece, or `l` and the last. */
static void transfer(struct hc_gdb_stub *s, struct hc_gdb_text t, const struct hc_gdb_reply *document)
{
    uint32_t offset, length;
    size_t n, taken;

    if (!hc_gdb_take_pair(&t, &offset, ",", &length) || offset > document->n || document->full) {
        fail(s, HC_GDB_EINVAL);
        return;
    }
    n = document->n - offset < length ? document->n - offset : length;
    n = hc_gdb_escape(s->reply.text + 1, sizeof s->reply.text - 1, (const uint8_t *)document->text + offset, n, &taken);
    s->reply.text[0] = offset + taken < document->n ? 'm' : 'l';
    s->reply.n = 1 + n;
}

static void on_transfer_target(struct hc_gdb_stub *s, struct hc_gdb_text t)
{
    struct hc_gdb_reply document = { .n = 0 };

    /* gdb knows the registers of its CPUs and warns of a target that describes them, too. */
    hc_gdb_describe_target(&document, s->target, s->layout, !s->gdb);
    transfer(s, t, &document);
}

static void on_no_annex(struct hc_gdb_stub *s, struct hc_gdb_text t)
{
    (void)t;
    say(s, "E00");
}

static void on_transfer_memory(struct hc_gdb_stub *s, struct hc_gdb_text t)
{
    struct hc_gdb_reply document = { .n = 0 };

    hc_gdb_describe_memory(&document, s->target);
    transfer(s, t, &document);
}

static void on_host_info(struct hc_gdb_stub *s, struct hc_gdb_text t)
{
    (void)t;
    hc_gdb_describe_host(&s->reply, s->target, false);
}

static void on_process_info(struct hc_gdb_stub *s, struct hc_gdb_text t)
{
    (void)t;
    hc_gdb_describe_host(&s->reply, s->target, true);
}

static void on_register_info(struct hc_gdb_stub *s, struct hc_gdb_text t)
{
    int n;

    if (take_register_number(s, &t, &n))
        hc_gdb_describe_register(&s->reply, s->target, s->layout, n);
    else
        fail(s, HC_GDB_EINVAL);
}

static void on_region_info(struct hc_gdb_stub *s, struct hc_gdb_text t)
{
    uint32_t address;

    if (hc_gdb_take_number(&t, &address))
        hc_gdb_describe_region_at(&s->reply, s->target, address);
    else
        fail(s, HC_GDB_EINVAL);
}

static void on_monitor(struct hc_gdb_stub *s, struct hc_gdb_text t)
{
    uint8_t line[256];
    size_t n = (size_t)(t.end - t.p) / 2;

    if (n >= sizeof line || !hc_gdb_take_bytes(&t, line, n) || t.p != t.end) {
        fail(s, HC_GDB_EINVAL);
        return;
    }
    line[n] = 0;
    ok_or(s, hc_gdb_monitor(s, (const char *)line), HC_GDB_EINVAL);
}

/* ---- the one thread ---- */

static void on_current_thread(struct hc_gdb_stub *s, struct hc_gdb_text t)
{
    (void)t;
    say(s, "QC1");
}

static void on_first_threads(struct hc_gdb_stub *s, struct hc_gdb_text t)
{
    (void)t;
    say(s, "m1");
}

static void on_more_threads(struct hc_gdb_stub *s, struct hc_gdb_text t)
{
    (void)t;
    say(s, "l");
}

static void on_thread_name(struct hc_gdb_stub *s, struct hc_gdb_text t)
{
    (void)t;
    hc_gdb_reply_hex_string(&s->reply, s->target->ops->describe(s->target)->part);
}

static void on_thread(struct hc_gdb_stub *s, struct hc_gdb_text t)
{
    ok_or(s, take_thread(&t), HC_GDB_EINVAL);
}

static void on_set_thread(struct hc_gdb_stub *s, struct hc_gdb_text t)
{
    bool operation = t.p < t.end;

    t.p += operation;
    ok_or(s, operation && take_thread(&t), HC_GDB_EINVAL);
}

/* It was there before the debugger came: leaving lets it run on. */
static void on_attached(struct hc_gdb_stub *s, struct hc_gdb_text t)
{
    (void)t;
    say(s, "1");
}

/* ---- the table ---- */

static const struct packet {
    const char *name;
    enum { WORD, OPEN } ends; /* WORD: the packet ends after its name, or `:` `;` `,` follow. OPEN: anything may */
    void (*handle)(struct hc_gdb_stub *s, struct hc_gdb_text t); /* gets what follows the name */
} packets[] = {
    { "?", WORD, on_why },
    { "c", OPEN, on_continue },
    { "C", OPEN, on_continue_signal },
    { "s", OPEN, on_step },
    { "S", OPEN, on_step_signal },
    { "vCont?", WORD, on_vcont_query },
    { "vCont", WORD, on_vcont },
    { "bs", WORD, on_reverse_step },
    { "bc", WORD, on_reverse_continue },
    { "D", WORD, on_detach },
    { "k", WORD, on_kill },
    { "vKill", WORD, on_vkill },

    { "g", WORD, on_read_registers },
    { "G", OPEN, on_write_registers },
    { "p", OPEN, on_read_register },
    { "P", OPEN, on_write_register },

    { "m", OPEN, on_read_memory },
    { "M", OPEN, on_write_memory },
    { "X", OPEN, on_write_binary },
    { "vFlashErase:", OPEN, on_flash_erase },
    { "vFlashWrite:", OPEN, on_flash_write },
    { "vFlashDone", WORD, on_ok },

    { "Z", OPEN, on_insert },
    { "z", OPEN, on_remove },

    { "qSupported", WORD, on_supported },
    { "QStartNoAckMode", WORD, on_no_ack },
    { "qXfer:features:read:target.xml:", OPEN, on_transfer_target },
    { "qXfer:features:read:", OPEN, on_no_annex },
    { "qXfer:memory-map:read::", OPEN, on_transfer_memory },
    { "qHostInfo", WORD, on_host_info },
    { "qProcessInfo", WORD, on_process_info },
    { "qRegisterInfo", OPEN, on_register_info },
    { "qMemoryRegionInfo:", OPEN, on_region_info },
    { "qRcmd,", OPEN, on_monitor },

    { "qC", WORD, on_current_thread },
    { "qfThreadInfo", WORD, on_first_threads },
    { "qsThreadInfo", WORD, on_more_threads },
    { "qThreadExtraInfo,", OPEN, on_thread_name },
    { "qThreadStopInfo", OPEN, on_why },
    { "T", OPEN, on_thread },
    { "H", OPEN, on_set_thread },
    { "qAttached", WORD, on_attached },
};

static bool fits(const struct packet *packet, struct hc_gdb_text *t)
{
    struct hc_gdb_text rest = *t;

    if (!hc_gdb_take(&rest, packet->name))
        return false;
    if (packet->ends == WORD && rest.p < rest.end && !strchr(":;,", *rest.p))
        return false;
    *t = rest;
    return true;
}

void hc_gdb_stub_init(struct hc_gdb_stub *s, struct hc_gdb_target *target, struct hc_gdb_poll poll,
                      void (*send)(void *owner, const char *payload, size_t n), void *owner)
{
    memset(s, 0, sizeof *s);
    s->target = target;
    s->poll = poll;
    s->send = send;
    s->owner = owner;
    s->stop.kind = HC_GDB_STOP_OTHER;
}

void hc_gdb_stub_request(struct hc_gdb_stub *s, const char *payload, size_t n)
{
    struct hc_gdb_text t = { payload, payload + n };

    look_for_lldb(s, payload);
    hc_gdb_reply_clear(&s->reply);
    s->silent = false;
    for (size_t i = 0; i < sizeof packets / sizeof packets[0]; i++)
        if (fits(&packets[i], &t)) {
            packets[i].handle(s, t);
            break;
        }
    if (!s->silent)
        s->send(s->owner, s->reply.text, s->reply.n); /* empty: what we don't know */
}

void hc_gdb_stub_refuse(struct hc_gdb_stub *s)
{
    fail(s, HC_GDB_EMSGSIZE);
    s->send(s->owner, s->reply.text, s->reply.n);
}
