/* C's operators on numbers of one type. */
#include "value.h"

#include <string.h>

bool hc_number_compare(const char *op, const struct hc_number *a, const struct hc_number *b)
{
    int order;

    if (a->type->kind == HC_TYPE_FLOAT) {
        if (a->f != a->f || b->f != b->f)
            return !strcmp(op, "!=");
        order = (a->f > b->f) - (a->f < b->f);
    } else if (a->type->is_signed) {
        order = (a->s > b->s) - (a->s < b->s);
    } else {
        order = (a->u > b->u) - (a->u < b->u);
    }
    switch (op[0]) {
    case '=':
        return order == 0;
    case '!':
        return order != 0;
    case '<':
        return op[1] ? order <= 0 : order < 0;
    default:
        return op[1] ? order >= 0 : order > 0;
    }
}

static bool real_arithmetic(char op, struct hc_number *a, const struct hc_number *b, struct hc_debug_message *message)
{
    switch (op) {
    case '+':
        a->f += b->f;
        break;
    case '-':
        a->f -= b->f;
        break;
    case '*':
        a->f *= b->f;
        break;
    case '/':
        a->f /= b->f;
        break;
    default:
        return hc_debug_fail(message, "%c is for integers only", op);
    }
    if (a->type->size == 4)
        a->f = (float)a->f;
    return true;
}

static uint64_t divide(char op, const struct hc_number *a, const struct hc_number *b)
{
    if (!a->type->is_signed)
        return op == '/' ? a->u / b->u : a->u % b->u;
    if (b->s == -1) /* the most negative number has no counterpart */
        return op == '/' ? -a->u : 0;
    return (uint64_t)(op == '/' ? a->s / b->s : a->s % b->s);
}

bool hc_number_arithmetic(char op, struct hc_number *a, const struct hc_number *b, struct hc_debug_message *message)
{
    uint64_t r = 0;

    if (a->type->kind == HC_TYPE_FLOAT)
        return real_arithmetic(op, a, b, message);
    if ((op == '/' || op == '%') && b->u == 0)
        return hc_debug_fail(message, "division by zero");
    switch (op) {
    case '+':
        r = a->u + b->u;
        break;
    case '-':
        r = a->u - b->u;
        break;
    case '*':
        r = a->u * b->u;
        break;
    case '/':
    case '%':
        r = divide(op, a, b);
        break;
    case '&':
        r = a->u & b->u;
        break;
    case '|':
        r = a->u | b->u;
        break;
    case '^':
        r = a->u ^ b->u;
        break;
    default:
        break;
    }
    *a = hc_number_of(a->type, r);
    return true;
}

/* Each operand is promoted on its own. */
struct hc_number hc_number_shift(char op, const struct hc_number *a, const struct hc_number *b)
{
    unsigned width = 8 * a->type->size;
    uint64_t r;

    if (b->u >= width)
        r = op == '<' || !a->type->is_signed || a->s >= 0 ? 0 : UINT64_MAX;
    else if (op == '<')
        r = a->u << b->u;
    else
        r = a->type->is_signed ? (uint64_t)(a->s >> b->u) : a->u >> b->u;
    return hc_number_of(a->type, r);
}
