/* The recorder's border on ARMv7-M: what the instrumented program calls, and the reset. All of it is C, and runs on the
 * program's stack: interrupts are neither recorded nor replayed yet. */
#include "../../hindcast.h"

#include "../../link.h"
#include "critical.h"
#include "ram.h"

#define ram __hc_ram

extern const struct hc_link __hc_link;

/* ---- positions ---- */

void __hc_tick(void)
{
    uint16_t status = hc_critical_enter();
    ram.count++; /* that it has come round is of no use without interrupts */
    hc_critical_leave(status);
}

/* ---- reads ---- */

/* Half a word at most; a site without bits is nobody's. */
static uint32_t record(const struct hc_site *site, uint32_t value)
{
    uint16_t bits = (uint16_t)(value & site->mask);
    bool data_byte = HC_SITE_CLASS(site) >= HC_SITE_DATA && !HC_SITE_WORD(site);
    if (!site->mask)
        return 0;
    uint16_t status = hc_critical_enter();
    hc_ring_put_read((uint16_t)(uintptr_t)site, bits, data_byte);
    ram.count = 0;
    hc_critical_leave(status);
    return bits;
}

uint32_t __hc_read8(const struct hc_site *site, uintptr_t address)
{
    return record(site, *(const volatile uint8_t *)address);
}

uint32_t __hc_read16(const struct hc_site *site, uintptr_t address)
{
    return record(site, *(const volatile uint16_t *)address);
}

/* One access, and two sites, which follow each other: the lower half and the upper one. */
uint32_t __hc_read32(const struct hc_site *site, uintptr_t address)
{
    uint32_t value = *(const volatile uint32_t *)address, low = record(site, value);
    return low | record(site + 1, value >> 16) << 16;
}

/* ---- what programs call ---- */

void hc_update(void)
{
    if (ram.state)
        return; /* from a handler, which interrupted it */
    ram.state = HC_RUNNING;
    __hc_record_update();
    ram.state = 0;
}

void hc_update_idle(void)
{
    hc_update();
}

void hc_update_later(void)
{
    if (ram.room < (int16_t)HC_RESERVE)
        hc_update();
}

/* What hindcast cc puts at the end of handlers. */
void __hc_update_handled(void)
{
    hc_update_later();
}

/* What hindcast cc puts into loops that read. */
void __hc_update_turn(void)
{
    hc_update_later();
}

void hc_freeze(uint16_t reason)
{
    ram.reason = reason;
    hc_atomic_set(&ram.work, HC_WORK_FREEZE);
}

void hc_checkpoint(void)
{
    hc_atomic_set(&ram.work, HC_WORK_CHECKPOINT);
}

/* ---- reset ---- */

/* The reset vector leads here, before any variable has its value; then to the program's own handler. */
void __hc_reset(void)
{
    __hc_record_reset();
    uintptr_t handler = *(const volatile uint16_t *)&__hc_link.handlers[HC_VECTORS - 1];
    ((void (*)(void))(handler | 1))();
}
