/* A struct is copied, changed and copied back: what memcpy reads and writes are the struct's bytes, a word or a byte at
 * a time. There is one anomaly for each of them that changes (a, text[1]), and none for those that stay (b, text[0],
 * text[2], text[3]): storing what was there is silent. A checkpoint between the copies (FIX) removes them. */
#include "../figures/figure.h"

struct record {
    uint16_t a, b;
    uint8_t text[4];
};

struct record record = { 1, 2, "abc" };

int main(void)
{
    struct record copy;

    checkpoint();
    memcpy(&copy, &record, sizeof copy);
    copy.a++;
    copy.text[1]++;
#ifdef FIX
    checkpoint();
#endif
    memcpy(&record, &copy, sizeof copy);
    checkpoint();
    return 0;
}
