/* CC2420 security against FIPS-197, RFC 3610 and nettle's own modes, and the datasheet's rules about FIFOs and time. */
#include "cc2420_bench.h"

#include <nettle/aes.h>
#include <nettle/ccm.h>

enum { BLOCK = 16, CBC_MAC = 1, CTR, CCM, M8 = 3 };
enum { HEAD = 0x100, SAKEY1 = 0x80, TXKEY1 = 0x40, RXKEY1 = 0x20, PROTECTION = 0x200 };

/* Packet vector 1 of RFC 3610: the 8 bytes 00..07 are authenticated, the 23 bytes 08..1e encrypted as well. */
static const uint8_t rfc_key[BLOCK] = { 0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7,
                                        0xc8, 0xc9, 0xca, 0xcb, 0xcc, 0xcd, 0xce, 0xcf };
static const uint8_t rfc_nonce[13] = { 0, 0, 0, 3, 2, 1, 0, 0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5 };
static const uint8_t rfc_sealed[31] = { 0x58, 0x8c, 0x97, 0x9a, 0x61, 0xc6, 0x63, 0xd2, 0xf0, 0x66, 0xd0,
                                        0xc2, 0xc0, 0xf9, 0x89, 0x80, 0x6d, 0x5f, 0x6b, 0x61, 0xda, 0xc3,
                                        0x84, 0x17, 0xe8, 0xd1, 0x2c, 0xfd, 0xf9, 0x26, 0xe0 };
enum { RFC_A = 8, RFC_M = 23, RFC_MIC = 8, RFC_LENGTH = RFC_A + RFC_M + RFC_MIC + 2 };

/* Keys and nonces are stored least significant byte first. */
static void write_reversed(struct node *n, int address, const uint8_t bytes[BLOCK])
{
    uint8_t reversed[BLOCK];

    for (int i = 0; i < BLOCK; i++)
        reversed[i] = bytes[BLOCK - 1 - i];
    ram_write(n, address, reversed, BLOCK);
}

/* Flags: no CTR flags, Adata, L = 1; block counter 1. */
static void write_nonce(struct node *n, int address, const uint8_t nonce[13])
{
    uint8_t block[BLOCK] = { 0x09, [15] = 1 };

    memcpy(block + 1, nonce, 13);
    write_reversed(n, address, block);
}

static void rfc_frame(uint8_t frame[1 + RFC_A + RFC_M])
{
    frame[0] = RFC_LENGTH;
    for (int i = 0; i < RFC_A + RFC_M; i++)
        frame[1 + i] = (uint8_t)i;
}

static uint16_t lengths(unsigned tx, unsigned rx)
{
    return (uint16_t)(tx << 8 | rx);
}

/* ---- stand-alone ---- */

static void saes_encrypts_the_vectors_of_fips_197(void **state)
{
    static const struct {
        uint8_t key[BLOCK], plain[BLOCK], cipher[BLOCK];
    } vectors[] = {
        { { 0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f },
          { 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff },
          { 0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30, 0xd8, 0xcd, 0xb7, 0x80, 0x70, 0xb4, 0xc5, 0x5a } },
        { { 0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6, 0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c },
          { 0x32, 0x43, 0xf6, 0xa8, 0x88, 0x5a, 0x30, 0x8d, 0x31, 0x31, 0x98, 0xa2, 0xe0, 0x37, 0x07, 0x34 },
          { 0x39, 0x25, 0x84, 0x1d, 0x02, 0xdc, 0x09, 0xfb, 0xdc, 0x11, 0x85, 0x97, 0x19, 0x6a, 0x0b, 0x32 } },
    };
    struct bench *b = *state;
    struct node *n = &b->a;
    uint8_t read[BLOCK];

    for (int i = 0; i < 2; i++) {
        set(n, SECCTRL0, i ? SAKEY1 : 0);
        write_reversed(n, i ? KEY1 : KEY0, vectors[i].key);
        ram_write(n, SABUF, vectors[i].plain, BLOCK);
        mark(b);
        strobe(n, SAES);
        strobe(n, SAES); /* ignored while busy */
        at(b, 13);
        assert_int_equal(status_of(n), XOSC16M_STABLE | ENC_BUSY);
        ram_read(n, SABUF, read, BLOCK);
        assert_memory_equal(read, vectors[i].plain, BLOCK);
        at(b, 14);
        assert_int_equal(status_of(n), XOSC16M_STABLE);
        ram_read(n, SABUF, read, BLOCK);
        assert_memory_equal(read, vectors[i].cipher, BLOCK);
        pass(b, 100);
        ram_read(n, SABUF, read, BLOCK);
        assert_memory_equal(read, vectors[i].cipher, BLOCK);
    }
}

/* ---- in-line, sending ---- */

static void ccm_seals_the_vector_of_rfc_3610(void **state)
{
    struct bench *b = *state;
    struct node *n = &b->a;
    uint8_t frame[1 + RFC_A + RFC_M], read[1 + RFC_A + sizeof rfc_sealed];

    write_reversed(n, KEY1, rfc_key);
    write_nonce(n, TXNONCE, rfc_nonce);
    set(n, SECCTRL0, TXKEY1 | M8 << 2 | CCM);
    set(n, SECCTRL1, lengths(RFC_A, 0));
    rfc_frame(frame);
    fifo_write(n, TXFIFO, frame, sizeof frame);
    mark(b);
    strobe(n, STXENC);
    at(b, 97); /* 7 blocks: B0, 8 + 2 bytes, 23 bytes twice, and the MIC's key: 97.125 us */
    assert_int_equal(status_of(n) & ENC_BUSY, ENC_BUSY);
    at(b, 98);
    assert_int_equal(status_of(n) & ENC_BUSY, 0);
    ram_read(n, 0x000, read, sizeof read);
    assert_memory_equal(read, frame, 1 + RFC_A);
    assert_memory_equal(read + 1 + RFC_A, rfc_sealed, sizeof rfc_sealed);
    assert_int_equal(n->transmissions, 0);
}

static void ctr_encrypts_without_mic(void **state)
{
    struct bench *b = *state;
    struct node *n = &b->a;
    uint8_t frame[1 + RFC_A + RFC_M], read[1 + RFC_A + RFC_M];

    write_reversed(n, KEY0, rfc_key);
    write_nonce(n, TXNONCE, rfc_nonce);
    set(n, SECCTRL0, M8 << 2 | CTR);
    set(n, SECCTRL1, lengths(RFC_A, 0));
    rfc_frame(frame);
    frame[0] = RFC_A + RFC_M + 2;
    fifo_write(n, TXFIFO, frame, sizeof frame);
    strobe(n, STXENC);
    pass(b, 28); /* 2 blocks */
    assert_int_equal(status_of(n) & ENC_BUSY, 0);
    ram_read(n, 0x000, read, sizeof read);
    assert_memory_equal(read, frame, 1 + RFC_A);
    assert_memory_equal(read + 1 + RFC_A, rfc_sealed, RFC_M);
}

/* What the MAC of COUNT bytes should be. */
static void cbc_mac(const uint8_t *key, const uint8_t *bytes, unsigned count, uint8_t mac[BLOCK])
{
    struct aes128_ctx aes;

    aes128_set_encrypt_key(&aes, key);
    memset(mac, 0, BLOCK);
    for (unsigned i = 0; i < count; i += BLOCK) {
        for (unsigned j = i; j < i + BLOCK && j < count; j++)
            mac[j % BLOCK] ^= bytes[j];
        aes128_encrypt(&aes, BLOCK, mac, mac);
    }
}

static void cbc_mac_appends_its_mic(void **state)
{
    struct bench *b = *state;
    struct node *n = &b->a;
    uint8_t input[64], mac[BLOCK], read[64];

    write_reversed(n, KEY0, rfc_key);
    for (unsigned message = 1; message <= 40; message += 13) {
        for (int head = 0; head < 2; head++) {
            unsigned m = 1 + message % 7, mic = 2 * m + 2;
            uint8_t frame[64] = { (uint8_t)(3 + message + mic + 2), 0x41, 0x88, 1 };
            for (unsigned i = 0; i < message; i++)
                frame[4 + i] = (uint8_t)(i * 7 + message);
            input[0] = (uint8_t)message;
            memcpy(input + head, frame + 4, message);
            cbc_mac(rfc_key, input, message + (unsigned)head, mac);

            set(n, SECCTRL0, (uint16_t)((head ? HEAD : 0) | m << 2 | CBC_MAC));
            set(n, SECCTRL1, lengths(3, 3));
            strobe(n, SFLUSHTX);
            fifo_write(n, TXFIFO, frame, (int)(4 + message));
            strobe(n, STXENC);
            pass(b, 60);
            ram_read(n, 0x000, read, (int)(4 + message + mic));
            assert_memory_equal(read, frame, 4 + message);
            assert_memory_equal(read + 4 + message, mac, mic);
        }
    }
}

static void ccm_agrees_with_nettle(void **state)
{
    struct bench *b = *state;
    struct node *n = &b->a;
    struct aes128_ctx aes;

    write_reversed(n, KEY0, rfc_key);
    write_nonce(n, TXNONCE, rfc_nonce);
    aes128_set_encrypt_key(&aes, rfc_key);
    for (unsigned a = 0; a <= 40; a += 5) {
        for (unsigned m = 1; m <= 7; m++) {
            unsigned mic = 2 * m + 2, message = (a * 3 + m * 11) % 50;
            uint8_t frame[128] = { (uint8_t)(a + message + mic + 2) }, sealed[128], read[128], nonce[BLOCK];
            for (unsigned i = 0; i < a + message; i++)
                frame[1 + i] = (uint8_t)(i * 5 + a + m);
            ccm_encrypt_message(&aes, (nettle_cipher_func *)aes128_encrypt, 13, rfc_nonce, a, frame + 1, mic,
                                message + mic, sealed, frame + 1 + a);
            memset(nonce, 0, BLOCK);
            memcpy(nonce + 1, rfc_nonce, 13);
            nonce[0] = a ? 0x09 : 0x01; /* Adata */
            nonce[15] = 1;
            write_reversed(n, TXNONCE, nonce);

            set(n, SECCTRL0, (uint16_t)(m << 2 | CCM));
            set(n, SECCTRL1, lengths(a, 0));
            strobe(n, SFLUSHTX);
            fifo_write(n, TXFIFO, frame, (int)(1 + a + message));
            strobe(n, STXENC);
            pass(b, 300);
            ram_read(n, 0x000, read, 128);
            assert_memory_equal(read, frame, 1 + a);
            assert_memory_equal(read + 1 + a, sealed, message + mic);
        }
    }
}

/* Started on an empty TXFIFO, it waits for the frame. */
static void encryption_waits_for_its_frame(void **state)
{
    struct bench *b = *state;
    struct node *n = &b->a;
    uint8_t frame[1 + RFC_A + RFC_M], read[1 + RFC_A + sizeof rfc_sealed];

    write_reversed(n, KEY0, rfc_key);
    write_nonce(n, TXNONCE, rfc_nonce);
    set(n, SECCTRL0, M8 << 2 | CCM);
    set(n, SECCTRL1, lengths(RFC_A, 0));
    strobe(n, STXENC);
    pass(b, 1000);
    assert_int_equal(status_of(n) & ENC_BUSY, ENC_BUSY);
    rfc_frame(frame);
    fifo_write(n, TXFIFO, frame, sizeof frame - 1);
    pass(b, 1000);
    assert_int_equal(status_of(n) & ENC_BUSY, ENC_BUSY);
    fifo_write(n, TXFIFO, frame + sizeof frame - 1, 1);
    pass(b, 98);
    assert_int_equal(status_of(n) & ENC_BUSY, 0);
    ram_read(n, 0x000, read, sizeof read);
    assert_memory_equal(read + 1 + RFC_A, rfc_sealed, sizeof rfc_sealed);
}

/* ---- in-line, receiving ---- */

static void receive_sealed(struct node *n, uint8_t damage)
{
    uint8_t frame[1 + RFC_LENGTH] = { RFC_LENGTH };

    for (int i = 0; i < RFC_A; i++)
        frame[1 + i] = (uint8_t)i;
    memcpy(frame + 1 + RFC_A, rfc_sealed, sizeof rfc_sealed);
    frame[20] ^= damage;
    write_reversed(n, KEY1, rfc_key);
    write_nonce(n, RXNONCE, rfc_nonce);
    set(n, SECCTRL0, RXKEY1 | M8 << 2 | CCM);
    set(n, SECCTRL1, lengths(0, RFC_A));
    strobe(n, SFLUSHRX);
    fifo_write(n, RXFIFO, frame, sizeof frame);
}

static void ccm_opens_and_judges(void **state)
{
    struct bench *b = *state;
    struct node *n = &b->a;
    uint8_t read[1 + RFC_LENGTH];

    for (int damage = 0; damage < 2; damage++) {
        receive_sealed(n, (uint8_t)damage);
        assert_int_equal(level(n, n->fifop), 1);
        mark(b);
        strobe(n, SRXDEC);
        assert_int_equal(level(n, n->fifo), 0);
        assert_int_equal(level(n, n->fifop), 0);
        at(b, 97);
        assert_int_equal(status_of(n) & ENC_BUSY, ENC_BUSY);
        at(b, 98);
        assert_int_equal(status_of(n) & ENC_BUSY, 0);
        assert_int_equal(level(n, n->fifo), 1);
        assert_int_equal(level(n, n->fifop), 1);
        fifo_read(n, read, sizeof read);
        for (int i = 0; i < RFC_A + RFC_M; i++)
            assert_int_equal(read[1 + i], i == 19 ? i ^ damage : i);
        assert_int_equal(read[1 + RFC_A + RFC_M], 0x17);                       /* the MIC stays */
        assert_int_equal(read[RFC_A + RFC_M + RFC_MIC], damage ? 0xff : 0x00); /* but for its last byte */
    }
}

/* The header has been read, to find the key; the operation is still on that frame. */
static void half_read_frame_can_be_opened(void **state)
{
    struct bench *b = *state;
    struct node *n = &b->a;
    uint8_t read[1 + RFC_LENGTH];

    receive_sealed(n, 0);
    fifo_read(n, read, 5);
    strobe(n, SRXDEC);
    pass(b, 98);
    fifo_read(n, read + 5, sizeof read - 5);
    for (int i = 0; i < RFC_A + RFC_M; i++)
        assert_int_equal(read[1 + i], i);
    assert_int_equal(read[RFC_A + RFC_M + RFC_MIC], 0x00);
}

/* ---- over the air ---- */

static void prepare(struct node *n, uint16_t mode)
{
    write_reversed(n, KEY0, rfc_key);
    write_nonce(n, TXNONCE, rfc_nonce);
    write_nonce(n, RXNONCE, rfc_nonce);
    set(n, MDMCTRL0, 0x02e2);
    set(n, SECCTRL0, (uint16_t)(PROTECTION | M8 << 2 | mode));
    set(n, SECCTRL1, lengths(RFC_A, RFC_A));
}

static void stxon_seals_and_the_peer_opens(void **state)
{
    struct bench *b = *state;
    uint8_t frame[1 + RFC_A + RFC_M], read[1 + RFC_LENGTH];

    prepare(&b->a, CCM);
    prepare(&b->b, CCM);
    strobe(&b->b, SRXON);
    pass(b, 320);
    rfc_frame(frame);
    fifo_write(&b->a, TXFIFO, frame, sizeof frame);
    strobe(&b->a, STXON);
    assert_int_equal(status_of(&b->a) & ENC_BUSY, ENC_BUSY);
    pass(b, 2500);
    assert_memory_equal(b->a.byte + 5 + 1 + RFC_A, rfc_sealed, sizeof rfc_sealed);
    strobe(&b->b, SRXDEC);
    pass(b, 98);
    fifo_read(&b->b, read, sizeof read);
    assert_memory_equal(read, frame, sizeof frame);
    assert_int_equal(read[RFC_A + RFC_M + RFC_MIC], 0x00);
    assert_true(read[RFC_LENGTH] & 0x80);
}

/* Bytes 9 and on are never ready: what is not encrypted is not sent. */
static void plain_text_is_never_sent(void **state)
{
    struct bench *b = *state;
    uint8_t frame[1 + RFC_A + RFC_M];

    prepare(&b->a, CCM);
    rfc_frame(frame);
    fifo_write(&b->a, TXFIFO, frame, sizeof frame - 1);
    strobe(&b->a, STXON);
    pass(b, 2500);
    assert_int_equal(b->a.sent, 5 + 1 + RFC_A);
    assert_int_equal(status_of(&b->a) & TX_UNDERFLOW, TX_UNDERFLOW);
}

/* With RXFIFO_PROTECTION the bytes that were read of a secured frame are not overwritten before it is decrypted. */
static void secured_frame_is_protected(void **state)
{
    static const struct {
        uint16_t protection;
        uint8_t fcf;
        bool decrypt, overflow;
    } cases[] = {
        { PROTECTION, 0x49, false, true },
        { PROTECTION, 0x41, false, false },
        { 0, 0x49, false, false },
        { PROTECTION, 0x49, true, false },
    };
    struct bench *b = *state;
    uint8_t frame[90] = { 91 }, read[60];

    for (int i = 0; i < 4; i++) {
        struct node *n = &b->b;
        prepare(n, CTR);
        set(n, SECCTRL0, (uint16_t)(cases[i].protection | CTR));
        strobe(n, SFLUSHRX);
        strobe(n, SRXON);
        pass(b, 320);
        frame[0] = 91;
        frame[1] = cases[i].fcf;
        fifo_write(&b->a, TXFIFO, frame, sizeof frame);
        strobe(&b->a, STXON);
        pass(b, 4000);
        fifo_read(n, read, 60);
        if (cases[i].decrypt) {
            strobe(n, SRXDEC);
            pass(b, 100);
        }
        frame[0] = 60;
        fifo_write(&b->a, TXFIFO, frame, 59);
        strobe(&b->a, STXON);
        pass(b, 4000);
        if ((hc_cc2420_state(n->radio) == HC_CC2420_RX_OVERFLOW) != cases[i].overflow)
            fail_msg("case %d: state %d", i, hc_cc2420_state(n->radio));
    }
}

static void enc_resetn_ends_an_operation(void **state)
{
    struct bench *b = *state;

    strobe(&b->a, SAES);
    set(&b->a, MAIN, 0xb800);
    assert_int_equal(status_of(&b->a) & ENC_BUSY, 0);
    strobe(&b->a, SAES);
    assert_int_equal(status_of(&b->a) & ENC_BUSY, 0);
    set(&b->a, MAIN, 0xf800);
    strobe(&b->a, SAES);
    assert_int_equal(status_of(&b->a) & ENC_BUSY, ENC_BUSY);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, bench_idle, bench_free)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(saes_encrypts_the_vectors_of_fips_197),
        TEST(ccm_seals_the_vector_of_rfc_3610),
        TEST(ctr_encrypts_without_mic),
        TEST(cbc_mac_appends_its_mic),
        TEST(ccm_agrees_with_nettle),
        TEST(encryption_waits_for_its_frame),
        TEST(ccm_opens_and_judges),
        TEST(half_read_frame_can_be_opened),
        TEST(stxon_seals_and_the_peer_opens),
        TEST(plain_text_is_never_sent),
        TEST(secured_frame_is_protected),
        TEST(enc_resetn_ends_an_operation),
    };

    return cmocka_run_group_tests_name("cc2420 security", tests, NULL, NULL);
}
