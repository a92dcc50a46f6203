/* C expressions, as one writes them in the source that is debugged.
 *
 * All of C's operators but calls and those that assign; casts, sizeof, types by name. int has 16 bits. Beyond C:
 *
 *     a[0]@5            five elements from there on, as an array
 *     $pc $sp $sr $NAME  registers of the frame
 *     'app.c'::count    a static variable of that file;  main::calls of that function */
#ifndef HC_DEBUG_EXPRESSION_EXPRESSION_H
#define HC_DEBUG_EXPRESSION_EXPRESSION_H

#include "value.h"

/* Evaluates TEXT in C. Returns false with a message that says what is wrong and where. */
bool hc_expression_evaluate(const struct hc_context *c, const char *text, struct hc_value *out,
                            struct hc_debug_message *message);

/* The same, as a condition. */
bool hc_expression_holds(const struct hc_context *c, const char *text, bool *out, struct hc_debug_message *message);

/* The type of an expression, or a type's name ("struct timer *"). */
bool hc_expression_type(const struct hc_context *c, const char *text, const struct hc_type **out,
                        struct hc_debug_message *message);

#endif
