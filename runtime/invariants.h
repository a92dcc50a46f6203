/* Invariants with names: what must hold at a point, throughout a function, always, or over time.
 *
 * Each is defined at file scope and has a checking function of its own, hc_check_NAME, for which `hindcast slice` finds
 * what can have an effect on it. A violation needs no room in the log: a replay comes by it again and tells of it. It
 * is counted in hc_invariant_NAME.violated; and, as its definition says, it freezes the log (HC_FREEZE), is handed to
 * the program's own hc_on_violation (HC_SEND), both (HC_FREEZE | HC_SEND), or neither (HC_LOG).
 *
 *     defined at file scope                            used
 *     HC_AT(name, (parameters), condition, actions)    HC_CHECK(name, arguments): at that point
 *     HC_GLOBAL(name, condition, actions)              HC_CHECK(name), or HC_THROUGHOUT(name); in a block: where it
 *                                                      begins, and wherever it is left
 *     HC_ALWAYS(name, condition, actions)              hc_check_always(), in the program's main loop, checks them all
 *     HC_WITHIN(name, limit, actions)                  HC_BEGIN(name, now), HC_END(name, now); HC_CHECK(name, now) in
 *                                                      between notices that it is late before the end comes
 *     HC_EVERY(name, least, most, actions)             HC_HAPPENED(name, now); HC_STILL(name, now) notices that it is
 *                                                      late
 *     HC_ORDER(name, relation, actions)                HC_VALUE(name, value): RELATION between `last` and `value`
 *
 * Times are unsigned numbers of 32 bits in any unit, and may wrap. Conditions may name all that is visible where they
 * stand. Each takes 4 bytes of RAM, over time 10. In a program without the recorder all of it is nothing. */
#ifndef HC_INVARIANTS_H
#define HC_INVARIANTS_H

#include <stdint.h>

enum { HC_LOG = 0, HC_FREEZE = 1, HC_SEND = 2 };

struct hc_invariant {
    uint16_t line;    /* of its definition */
    uint8_t actions;  /* HC_FREEZE, HC_SEND */
    uint8_t violated; /* how many times, up to 255 */
};

/* The program's, for HC_SEND: may send LINE and how many TIMES it has been violated to somebody. */
void hc_on_violation(uint16_t line, uint8_t times);

#ifdef __HINDCAST__

/* The desk reads the address in the mark when the function is called: see src/replay/violations.h. */
__attribute__((weak)) struct hc_invariant *volatile hc_violation_of;
__attribute__((weak, noinline)) void hc_violation_mark(void)
{
    __asm__ volatile("" ::: "memory");
}

extern __attribute__((weak)) void hc_on_violation(uint16_t line, uint8_t times);

__attribute__((weak, noinline)) void hc_violated(struct hc_invariant *invariant)
{
    if (invariant->violated != UINT8_MAX)
        invariant->violated++;
    hc_violation_of = invariant;
    hc_violation_mark();
    if (invariant->actions & HC_FREEZE)
        hc_freeze(invariant->line);
    if ((invariant->actions & HC_SEND) && hc_on_violation)
        hc_on_violation(invariant->line, invariant->violated);
}

struct hc_over_time {
    uint32_t last;
    uint8_t started;
};

#define HC_DEFINE_(name, actions) static struct hc_invariant hc_invariant_##name = { __LINE__, actions, 0 }
#define HC_CHECKS_ static __attribute__((noinline, unused)) void

#define HC_AT(name, parameters, condition, actions) \
    HC_DEFINE_(name, actions);                      \
    HC_CHECKS_ hc_check_##name parameters           \
    {                                               \
        if (!(condition))                           \
            hc_violated(&hc_invariant_##name);      \
    }                                               \
    struct hc_invariant

#define HC_GLOBAL(name, condition, actions)                                          \
    HC_AT(name, (void), condition, actions);                                         \
    static inline __attribute__((unused)) void hc_leave_##name(const uint8_t *scope) \
    {                                                                                \
        (void)scope;                                                                 \
        hc_check_##name();                                                           \
    }                                                                                \
    struct hc_invariant

#define HC_ALWAYS(name, condition, actions)  \
    HC_AT(name, (void), condition, actions); \
    static void (*const hc_always_##name)(void) __attribute__((used, retain, section("hc_always"))) = hc_check_##name

#define HC_WITHIN(name, limit, actions)                                                  \
    HC_DEFINE_(name, actions);                                                           \
    static struct hc_over_time hc_time_##name;                                           \
    HC_CHECKS_ hc_check_##name(uint32_t now)                                             \
    {                                                                                    \
        if (hc_time_##name.started && (uint32_t)(now - hc_time_##name.last) > (limit)) { \
            hc_time_##name.started = 0;                                                  \
            hc_violated(&hc_invariant_##name);                                           \
        }                                                                                \
    }                                                                                    \
    struct hc_invariant

#define HC_EVERY(name, least, most, actions)                                            \
    HC_DEFINE_(name, actions);                                                          \
    static struct hc_over_time hc_time_##name;                                          \
    HC_CHECKS_ hc_check_##name(uint32_t now, uint8_t happened)                          \
    {                                                                                   \
        uint32_t passed = now - hc_time_##name.last;                                    \
        uint8_t late = passed > (most), wrong = late || (happened && passed < (least)); \
        uint8_t was = hc_time_##name.started;                                           \
        if (happened)                                                                   \
            hc_time_##name.last = now;                                                  \
        if (happened || late)                                                           \
            hc_time_##name.started = happened;                                          \
        if (was && wrong)                                                               \
            hc_violated(&hc_invariant_##name);                                          \
    }                                                                                   \
    struct hc_invariant

#define HC_ORDER(name, relation, actions)      \
    HC_DEFINE_(name, actions);                 \
    static struct hc_over_time hc_time_##name; \
    HC_CHECKS_ hc_check_##name(uint32_t value) \
    {                                          \
        uint32_t last = hc_time_##name.last;   \
        uint8_t was = hc_time_##name.started;  \
        hc_time_##name.last = value;           \
        hc_time_##name.started = 1;            \
        if (was && !(relation))                \
            hc_violated(&hc_invariant_##name); \
    }                                          \
    struct hc_invariant

#define HC_CHECK(name, ...) hc_check_##name(__VA_ARGS__)
#define HC_THROUGHOUT(name) \
    __attribute__((cleanup(hc_leave_##name), unused)) uint8_t hc_scope_##name = (hc_check_##name(), 0)
#define HC_BEGIN(name, now) ((void)(hc_time_##name.last = (now), hc_time_##name.started = 1))
#define HC_END(name, now) (hc_check_##name(now), (void)(hc_time_##name.started = 0))
#define HC_HAPPENED(name, now) hc_check_##name((now), 1)
#define HC_STILL(name, now) hc_check_##name((now), 0)
#define HC_VALUE(name, value) hc_check_##name(value)

/* Checks every HC_ALWAYS of the program. */
extern __attribute__((weak)) void (*const __start_hc_always[])(void), (*const __stop_hc_always[])(void);
static inline __attribute__((unused)) void hc_check_always(void)
{
    for (void (*const *check)(void) = __start_hc_always; check < __stop_hc_always; check++)
        (*check)();
}

#else

#define HC_NOTHING_(name) struct hc_invariant
#define HC_AT(name, parameters, condition, actions) HC_NOTHING_(name)
#define HC_GLOBAL(name, condition, actions) HC_NOTHING_(name)
#define HC_ALWAYS(name, condition, actions) HC_NOTHING_(name)
#define HC_WITHIN(name, limit, actions) HC_NOTHING_(name)
#define HC_EVERY(name, least, most, actions) HC_NOTHING_(name)
#define HC_ORDER(name, relation, actions) HC_NOTHING_(name)
#define HC_CHECK(name, ...) ((void)0)
#define HC_THROUGHOUT(name) (void)0
#define HC_BEGIN(name, now) ((void)0)
#define HC_END(name, now) ((void)0)
#define HC_HAPPENED(name, now) ((void)0)
#define HC_STILL(name, now) ((void)0)
#define HC_VALUE(name, value) ((void)0)
static inline __attribute__((unused)) void hc_check_always(void)
{
}

#endif

#endif
