/* Security: stand-alone AES, and CTR, CBC-MAC and CCM on the frames within the FIFOs.
 *
 *     length | SEC_TXL or SEC_RXL bytes | message                  | MIC: M bytes      | FCS: 2 bytes
 *              CTR, CBC-MAC: not touched  encrypted (CTR, CCM),      (CBC-MAC, CCM)
 *              CCM: authenticated, l(a)   authenticated (CBC, CCM)
 *
 * The flags byte is the most significant of a nonce:   7: -   6-5: CTR flags 7-6   4-3: CBC flags 7-6   2-0: L
 * The block counter is its two least significant bytes, and holds the first block's number (1, to comply with the
 * standard).
 *
 * SEC_CBC_HEAD puts the length of what is authenticated before it, without the MIC, as the standard has it (the
 * datasheet's formula can be read either way).
 *
 * One AES block takes 222 periods of the crystal (13.875 us). That gives the datasheet's times for stand-alone
 * encryption (14 us) and CCM (222 us for l(a) = 50, l(m) = 69: 16 blocks); its other two examples fit no linear rule.
 */
#include "cc2420_internal.h"

#include <nettle/aes.h>
#include <string.h>

enum { BLOCK = 16, BLOCK_NS = 13875 };

enum { MODE_CBC_MAC = 1, MODE_CTR, MODE_CCM };

/* An in-line operation, taken apart. Offsets are from the length byte. */
struct frame {
    int mode;
    unsigned length;
    unsigned clear;   /* bytes before the message */
    unsigned message; /* bytes */
    unsigned mic;     /* bytes; 0 in CTR mode */
    bool fits;        /* the length field leaves room for all that */
    uint32_t start;   /* of the length byte: in the TXFIFO, or as the RXFIFO counts */
    uint8_t nonce[BLOCK];
    struct aes128_ctx aes;
};

static void reversed(uint8_t to[BLOCK], const uint8_t *from)
{
    for (int i = 0; i < BLOCK; i++)
        to[i] = from[BLOCK - 1 - i];
}

static void set_key(const struct hc_cc2420 *r, struct aes128_ctx *aes, bool key1)
{
    uint8_t key[BLOCK];

    reversed(key, &r->s.ram[key1 ? RAM_KEY1 : RAM_KEY0]);
    aes128_set_encrypt_key(aes, key);
}

static uint8_t *byte_at(struct hc_cc2420 *r, const struct frame *f, unsigned at)
{
    if (r->s.security == SECURITY_TX)
        return &r->s.ram[RAM_TXFIFO + at];
    return &r->s.ram[RAM_RXFIFO + (f->start + at) % FIFO_SIZE];
}

/* The first frame in the RXFIFO is the one that is being read, or else the next one. */
static uint32_t first_frame(const struct hc_cc2420 *r)
{
    return r->s.rx_left ? r->s.rx_first : r->s.rx_out;
}

static struct frame take_apart(struct hc_cc2420 *r)
{
    bool tx = r->s.security == SECURITY_TX;
    struct frame f = {
        .mode = r->s.secctrl0 & 3,
        .clear = r->s.secctrl1 >> (tx ? 8 : 0) & 0x7f,
        .start = tx ? 0 : first_frame(r),
    };
    unsigned m = r->s.secctrl0 >> 2 & 7;

    f.length = *byte_at(r, &f, 0) & 0x7f;
    f.mic = f.mode == MODE_CTR ? 0 : 2 * m + 2;
    f.fits = f.clear + f.mic + 2 <= f.length;
    f.message = f.fits ? f.length - f.clear - f.mic - 2 : 0;
    reversed(f.nonce, &r->s.ram[tx ? RAM_TXNONCE : RAM_RXNONCE]);
    set_key(r, &f.aes, r->s.secctrl0 & (tx ? SEC_TXKEYSEL : SEC_RXKEYSEL));
    return f;
}

/* ---- counter mode ---- */

static void key_stream(const struct frame *f, unsigned counter, uint8_t out[BLOCK])
{
    uint8_t block[BLOCK];

    memcpy(block, f->nonce, BLOCK);
    block[0] = (uint8_t)((f->nonce[0] << 1 & 0xc0) | (f->nonce[0] & 7));
    block[14] = (uint8_t)(counter >> 8);
    block[15] = (uint8_t)counter;
    aes128_encrypt(&f->aes, BLOCK, out, block);
}

/* Encrypts and decrypts. */
static void crypt_message(struct hc_cc2420 *r, const struct frame *f)
{
    unsigned counter = (unsigned)f->nonce[14] << 8 | f->nonce[15];
    uint8_t stream[BLOCK];

    for (unsigned i = 0; i < f->message; i++) {
        if (i % BLOCK == 0)
            key_stream(f, counter++, stream);
        *byte_at(r, f, 1 + f->clear + i) ^= stream[i % BLOCK];
    }
}

/* ---- CBC-MAC ---- */

struct mac {
    const struct frame *f;
    uint8_t state[BLOCK];
    unsigned fill;
};

static void mac_pad(struct mac *mac)
{
    if (mac->fill)
        aes128_encrypt(&mac->f->aes, BLOCK, mac->state, mac->state);
    mac->fill = 0;
}

static void mac_byte(struct mac *mac, uint8_t byte)
{
    mac->state[mac->fill++] ^= byte;
    if (mac->fill == BLOCK)
        mac_pad(mac);
}

static void mac_bytes(struct hc_cc2420 *r, struct mac *mac, unsigned at, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        mac_byte(mac, *byte_at(r, mac->f, at + i));
}

/* B0 of RFC 3610, and the length of what is authenticated only. */
static void mac_ccm_head(struct hc_cc2420 *r, struct mac *mac)
{
    const struct frame *f = mac->f;

    mac_byte(mac, (uint8_t)((f->nonce[0] << 3 & 0xc0) | (r->s.secctrl0 << 1 & 0x38) | (f->nonce[0] & 7)));
    for (int i = 1; i < 14; i++)
        mac_byte(mac, f->nonce[i]);
    mac_byte(mac, 0);
    mac_byte(mac, (uint8_t)f->message);
    if (f->clear) {
        mac_byte(mac, 0);
        mac_byte(mac, (uint8_t)f->clear);
        mac_bytes(r, mac, 1, f->clear);
        mac_pad(mac);
    }
}

/* Over the plain text. */
static void authenticate(struct hc_cc2420 *r, const struct frame *f, uint8_t mic[BLOCK])
{
    struct mac mac = { .f = f };
    uint8_t stream[BLOCK];

    if (f->mode == MODE_CCM)
        mac_ccm_head(r, &mac);
    else if (r->s.secctrl0 & SEC_CBC_HEAD)
        mac_byte(&mac, (uint8_t)f->message);
    mac_bytes(r, &mac, 1 + f->clear, f->message);
    mac_pad(&mac);
    memcpy(&r->s.ram[RAM_CBCSTATE], mac.state, BLOCK);
    memcpy(mic, mac.state, BLOCK);
    if (f->mode != MODE_CCM)
        return;
    key_stream(f, 0, stream);
    for (int i = 0; i < BLOCK; i++)
        mic[i] ^= stream[i];
}

/* ---- operations ---- */

static void stand_alone(struct hc_cc2420 *r)
{
    struct aes128_ctx aes;

    set_key(r, &aes, r->s.secctrl0 & SEC_SAKEYSEL);
    aes128_encrypt(&aes, BLOCK, &r->s.ram[RAM_SABUF], &r->s.ram[RAM_SABUF]);
}

static void secure_tx(struct hc_cc2420 *r)
{
    struct frame f = take_apart(r);
    uint8_t mic[BLOCK];

    if (!f.fits)
        return;
    if (f.mic) {
        authenticate(r, &f, mic);
        for (unsigned i = 0; i < f.mic; i++)
            *byte_at(r, &f, 1 + f.clear + f.message + i) = mic[i];
    }
    if (f.mode != MODE_CBC_MAC)
        crypt_message(r, &f);
    if (r->s.tx_count < f.length - 1)
        r->s.tx_count = (uint8_t)(f.length - 1); /* the MIC is part of the frame */
}

/* The last byte of the MIC tells: 0x00 it was right, 0xff it was not. */
static void secure_rx(struct hc_cc2420 *r)
{
    struct frame f = take_apart(r);
    uint8_t mic[BLOCK];
    bool right = true;

    if (!f.fits)
        return;
    if (f.mode != MODE_CBC_MAC)
        crypt_message(r, &f);
    if (!f.mic)
        return;
    authenticate(r, &f, mic);
    for (unsigned i = 0; i < f.mic; i++)
        right &= *byte_at(r, &f, 1 + f.clear + f.message + i) == mic[i];
    *byte_at(r, &f, f.clear + f.message + f.mic) = right ? 0x00 : 0xff;
}

/* ---- timing ---- */

static unsigned blocks(unsigned bytes)
{
    return (bytes + BLOCK - 1) / BLOCK;
}

static unsigned work(struct hc_cc2420 *r)
{
    if (r->s.security == SECURITY_SAES)
        return 1;
    struct frame f = take_apart(r);
    unsigned head = r->s.secctrl0 & SEC_CBC_HEAD ? 1 : 0;

    switch (f.mode) {
    case MODE_CBC_MAC:
        return blocks(f.message + head);
    case MODE_CTR:
        return blocks(f.message);
    default:
        return 1 + (f.clear ? blocks(f.clear + 2) : 0) + 2 * blocks(f.message) + 1;
    }
}

/* Whether all that the operation reads is there. */
static bool buffered(struct hc_cc2420 *r)
{
    if (r->s.security == SECURITY_SAES)
        return true;
    unsigned have = r->s.security == SECURITY_TX ? r->s.tx_count : r->s.rx_in - first_frame(r);

    if (have == 0)
        return false;
    struct frame f = take_apart(r);

    if (r->s.security == SECURITY_RX)
        return have > f.length;
    return !f.fits || have > f.clear + f.message;
}

void hc_cc2420_security_try(struct hc_cc2420 *r, hc_time now)
{
    if (!r->s.security_waits || !buffered(r))
        return;
    r->s.security_waits = false;
    hc_event_arm(hc_events(r->base.machine), r->security, now + hc_ns((uint64_t)BLOCK_NS * work(r)));
}

void hc_cc2420_security_start(struct hc_cc2420 *r, enum security operation, hc_time now)
{
    if (r->s.security || !hc_cc2420_on(r, MAIN, MAIN_ENC_RESETN))
        return;
    r->s.security = operation;
    r->s.secctrl0 = r->s.reg[SECCTRL0];
    r->s.secctrl1 = r->s.reg[SECCTRL1];
    r->s.security_waits = true;
    hc_cc2420_security_try(r, now);
    hc_cc2420_pins(r);
}

void hc_cc2420_security_cancel(struct hc_cc2420 *r)
{
    r->s.security = SECURITY_IDLE;
    r->s.security_waits = false;
    hc_event_cancel(hc_events(r->base.machine), r->security);
}

bool hc_cc2420_security_holds(const struct hc_cc2420 *r, unsigned at)
{
    return r->s.security == SECURITY_TX && at > (r->s.secctrl1 >> 8 & 0x7fu);
}

hc_time hc_cc2420_security_step(void *owner, hc_time now)
{
    struct hc_cc2420 *r = owner;

    (void)now;
    if (r->s.security == SECURITY_SAES)
        stand_alone(r);
    else if (r->s.security == SECURITY_TX)
        secure_tx(r);
    else
        secure_rx(r);
    if (r->s.security == SECURITY_RX && r->s.rx_protected) {
        r->s.rx_protected = false;
        r->s.rx_released = r->s.rx_out;
    }
    r->s.security = SECURITY_IDLE;
    hc_cc2420_pins(r);
    return HC_NEVER;
}
