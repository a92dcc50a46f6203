/* Words of an expression. */
#ifndef HC_DEBUG_EXPRESSION_LEXER_H
#define HC_DEBUG_EXPRESSION_LEXER_H

#include "value.h"

enum hc_token_kind {
    HC_TOKEN_END,
    HC_TOKEN_NUMBER,   /* or a character */
    HC_TOKEN_NAME,     /* an identifier */
    HC_TOKEN_REGISTER, /* $sp: the name is without the $ */
    HC_TOKEN_SCOPE,    /* 'app.c':: or main::, its name */
    HC_TOKEN_OPERATOR, /* op */
};

struct hc_token {
    enum hc_token_kind kind;
    size_t at; /* offset in the text, from 0 */
    char name[128];
    char op[4];
    struct hc_number number;
};

/* Reads the token at *AT and moves *AT after it. */
bool hc_lex(const char *text, size_t *at, struct hc_token *out, struct hc_debug_message *message);

#endif
