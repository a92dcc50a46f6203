/* AES-128: encrypts a few blocks and decrypts them again, with tables made at run time: about 8 x 10^5 instructions. */
#include <kit.h>

enum { BLOCK = 16, ROUNDS = 10, KEYS = BLOCK * (ROUNDS + 1), BLOCKS = 10 };

static uint8_t sbox[256], inverse_sbox[256];
static uint8_t key[KEYS];
static uint8_t state[BLOCK];
static uint8_t text[BLOCKS][BLOCK], cipher[BLOCKS][BLOCK];

volatile uint16_t result; /* blocks that came back right; the first block's cipher text in the high byte */
volatile uint16_t finished;

static uint8_t twice(uint8_t x)
{
    return (uint8_t)(x << 1 ^ (x & 0x80 ? 0x1b : 0));
}

static uint8_t product(uint8_t a, uint8_t b)
{
    uint8_t out = 0;
    for (; b; b >>= 1, a = twice(a))
        if (b & 1)
            out ^= a;
    return out;
}

static uint8_t rotated(uint8_t x, uint8_t by)
{
    return (uint8_t)(x << by | x >> (8 - by));
}

/* Walks the field by a generator and its inverse at once, so that no inverse has to be looked for. */
static void make_tables(void)
{
    uint8_t p = 1, q = 1;
    do {
        p ^= twice(p);
        q ^= (uint8_t)(q << 1);
        q ^= (uint8_t)(q << 2);
        q ^= (uint8_t)(q << 4);
        if (q & 0x80)
            q ^= 0x09;
        uint8_t s = (uint8_t)(q ^ rotated(q, 1) ^ rotated(q, 2) ^ rotated(q, 3) ^ rotated(q, 4) ^ 0x63);
        sbox[p] = s;
        inverse_sbox[s] = p;
    } while (p != 1);
    sbox[0] = 0x63;
    inverse_sbox[0x63] = 0;
}

static void expand_key(void)
{
    uint8_t constant = 1;
    for (uint8_t i = BLOCK; i < KEYS; i = (uint8_t)(i + 4)) {
        uint8_t word[4];
        memcpy(word, &key[i - 4], 4);
        if (i % BLOCK == 0) {
            uint8_t first = word[0];
            word[0] = sbox[word[1]] ^ constant;
            word[1] = sbox[word[2]];
            word[2] = sbox[word[3]];
            word[3] = sbox[first];
            constant = twice(constant);
        }
        for (uint8_t k = 0; k < 4; k++)
            key[i + k] = key[i + k - BLOCK] ^ word[k];
    }
}

static void add_key(uint8_t round)
{
    for (uint8_t i = 0; i < BLOCK; i++)
        state[i] ^= key[round * BLOCK + i];
}

static void substitute(const uint8_t *box)
{
    for (uint8_t i = 0; i < BLOCK; i++)
        state[i] = box[state[i]];
}

/* Row R of the columns moves by R places: left (1) or right (3 times as often). */
static void shift_rows(uint8_t times)
{
    for (uint8_t row = 1; row < 4; row++)
        for (uint8_t n = (uint8_t)(row * times % 4); n; n--) {
            uint8_t first = state[row];
            for (uint8_t column = 0; column < 3; column++)
                state[row + 4 * column] = state[row + 4 * column + 4];
            state[row + 12] = first;
        }
}

static void mix_columns(uint8_t a, uint8_t b, uint8_t c, uint8_t d)
{
    for (uint8_t column = 0; column < BLOCK; column = (uint8_t)(column + 4)) {
        uint8_t in[4];
        memcpy(in, &state[column], 4);
        for (uint8_t row = 0; row < 4; row++)
            state[column + row] = (uint8_t)(product(in[row], a) ^ product(in[(row + 1) & 3], b) ^
                                            product(in[(row + 2) & 3], c) ^ product(in[(row + 3) & 3], d));
    }
}

static void encrypt(const uint8_t *from, uint8_t *to)
{
    memcpy(state, from, BLOCK);
    add_key(0);
    for (uint8_t round = 1; round <= ROUNDS; round++) {
        substitute(sbox);
        shift_rows(1);
        if (round < ROUNDS)
            mix_columns(2, 3, 1, 1);
        add_key(round);
    }
    memcpy(to, state, BLOCK);
}

static void decrypt(const uint8_t *from, uint8_t *to)
{
    memcpy(state, from, BLOCK);
    for (uint8_t round = ROUNDS; round; round--) {
        add_key(round);
        if (round < ROUNDS)
            mix_columns(14, 11, 13, 9);
        shift_rows(3);
        substitute(inverse_sbox);
    }
    add_key(0);
    memcpy(to, state, BLOCK);
}

int main(void)
{
    uint8_t back[BLOCK];
    uint8_t right = 0;

    make_tables();
    for (uint8_t i = 0; i < BLOCK; i++)
        key[i] = i;
    expand_key();
    for (uint8_t n = 0; n < BLOCKS; n++)
        for (uint8_t i = 0; i < BLOCK; i++)
            text[n][i] = (uint8_t)(i << 4 | (i ^ n)); /* block 0 is FIPS 197's example */
    for (uint8_t n = 0; n < BLOCKS; n++)
        encrypt(text[n], cipher[n]);
    for (uint8_t n = 0; n < BLOCKS; n++) {
        decrypt(cipher[n], back);
        right = (uint8_t)(right + !memcmp(back, text[n], BLOCK));
    }
    result = (uint16_t)(cipher[0][0] << 8 | right);
    finished = 0xd09e;
    return 0;
}
