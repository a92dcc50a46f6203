/* An operation goes through stages; each needs the bus for a while, and some are followed by a wait:
 *
 *     WAKE (if asleep) -> BEGIN -> POLL until ready -> done       read: BEGIN once for each PAGE bytes, then done */
#include "drivers/m25p80.h"

#include "drivers/clock.h"
#include "drivers/spi.h"
#include "kernel/timer.h"

#include <kit.h>

enum { SELECT = BIT4 }; /* P4 */
enum { WREN = 0x06, RDSR = 0x05, READ = 0x03, PP = 0x02, SE = 0xd8, DP = 0xb9, RES = 0xab };
enum { WIP = 0x01 };
enum { WAKE_TICKS = 2, PROGRAM_TICKS = 33, ERASE_TICKS = 1638 }; /* 30 us and more; 1 ms; 50 ms between looks */

enum operation { NONE, READING, WRITING, ERASING, SLEEPING };
enum stage { WAKE, BEGIN, POLL };

static void granted(void);
static void waited(void *unused);

static struct spi_client client = { .granted = granted };
static struct timer wait = TIMER(waited, NULL);

static struct {
    enum operation operation;
    enum stage stage;
    uint32_t address;
    uint8_t *memory; /* only read from when WRITING */
    uint16_t count;
    m25p80_done_fn *done;
    bool asleep;
} flash;

static void chip_select(bool selected)
{
    if (selected)
        P4OUT &= (uint8_t)~SELECT;
    else
        P4OUT |= SELECT;
}

static void command(uint8_t code)
{
    chip_select(true);
    spi_put(code);
    chip_select(false);
}

/* Leaves the chip selected. */
static void command_at(uint8_t code, uint32_t address)
{
    chip_select(true);
    spi_put(code);
    spi_put((uint8_t)(address >> 16));
    spi_put((uint8_t)(address >> 8));
    spi_put((uint8_t)address);
}

static bool ready(void)
{
    chip_select(true);
    spi_put(RDSR);
    uint8_t status = spi_exchange(0);
    chip_select(false);
    return !(status & WIP);
}

static void finish(void)
{
    flash.operation = NONE;
    flash.done();
}

/* ---- what each stage does with the bus; each returns how long to wait before the next, 0 when the operation is over,
 *      1 to go on as soon as the bus is free again ---- */

static uint16_t read_some(void)
{
    uint16_t n = flash.count < M25P80_PAGE ? flash.count : M25P80_PAGE;
    command_at(READ, flash.address);
    spi_read(flash.memory, n);
    chip_select(false);
    flash.address += n;
    flash.memory += n;
    flash.count -= n;
    return flash.count ? 1 : 0;
}

static uint16_t start_program(void)
{
    command(WREN);
    command_at(PP, flash.address);
    spi_write(flash.memory, flash.count);
    chip_select(false);
    flash.stage = POLL;
    return PROGRAM_TICKS;
}

static uint16_t start_erase(void)
{
    command(WREN);
    command_at(SE, flash.address);
    chip_select(false);
    flash.stage = POLL;
    return ERASE_TICKS;
}

static uint16_t begin(void)
{
    switch (flash.operation) {
    case READING:
        return read_some();
    case WRITING:
        return start_program();
    case ERASING:
        return start_erase();
    default:
        command(DP);
        flash.asleep = true;
        return 0;
    }
}

static uint16_t advance(void)
{
    switch (flash.stage) {
    case WAKE:
        command(RES);
        flash.asleep = false;
        flash.stage = BEGIN;
        return WAKE_TICKS;
    case BEGIN:
        return begin();
    default:
        return ready() ? 0 : flash.operation == WRITING ? PROGRAM_TICKS / 4 : ERASE_TICKS;
    }
}

static void granted(void)
{
    uint16_t pause = advance();
    spi_release(&client);
    if (pause == 0)
        finish();
    else if (pause == 1)
        spi_request(&client);
    else
        timer_start_once(&wait, pause);
}

static void waited(void *unused)
{
    (void)unused;
    spi_request(&client);
}

/* ---- operations ---- */

static bool start(enum operation operation, uint32_t address, void *memory, uint16_t count, m25p80_done_fn *done)
{
    if (flash.operation != NONE)
        return false;
    flash.operation = operation;
    flash.stage = flash.asleep && operation != SLEEPING ? WAKE : BEGIN;
    flash.address = address;
    flash.memory = memory;
    flash.count = count;
    flash.done = done;
    spi_request(&client);
    return true;
}

bool m25p80_read(uint32_t address, void *to, uint16_t count, m25p80_done_fn *done)
{
    return start(READING, address, to, count, done);
}

bool m25p80_write(uint32_t address, const void *from, uint16_t count, m25p80_done_fn *done)
{
    return start(WRITING, address, (void *)from, count, done);
}

bool m25p80_erase(uint32_t address, m25p80_done_fn *done)
{
    return start(ERASING, address, NULL, 0, done);
}

bool m25p80_sleep(m25p80_done_fn *done)
{
    return start(SLEEPING, 0, NULL, 0, done);
}

bool m25p80_busy(void)
{
    return flash.operation != NONE;
}

/* The chip does not answer for 10 ms after power-up: calibration and this wait are longer. */
void m25p80_init(void)
{
    clock_spin(10000);
    command(DP);
    flash.asleep = true;
}
