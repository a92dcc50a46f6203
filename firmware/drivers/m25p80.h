/* The flash chip, M25P80: 1 MB, 16 sectors of 64 KB, pages of 256 bytes.
 *
 * One operation at a time; each ends by a callback from a task, after the chip has finished (a timer, not the CPU,
 * waits for it). The memory that an operation reads from or into must stay until then. The SPI bus is taken for as
 * long as bytes are moved only. The chip sleeps in deep power-down until the first operation, and again after
 * m25p80_sleep. */
#ifndef DRIVERS_M25P80_H
#define DRIVERS_M25P80_H

#include <stdbool.h>
#include <stdint.h>

#define M25P80_SIZE 0x100000ul
#define M25P80_SECTOR 0x10000ul
enum { M25P80_PAGE = 256 };

typedef void m25p80_done_fn(void);

/* Once, at boot: puts the chip into deep power-down. */
void m25p80_init(void);

/* False, and nothing happens, while another operation is under way. */
bool m25p80_read(uint32_t address, void *to, uint16_t count, m25p80_done_fn *done);
/* Must not cross the end of a page; can only clear bits. */
bool m25p80_write(uint32_t address, const void *from, uint16_t count, m25p80_done_fn *done);
/* The sector that holds ADDRESS, to 0xff. Below a second. */
bool m25p80_erase(uint32_t address, m25p80_done_fn *done);
bool m25p80_sleep(m25p80_done_fn *done);

bool m25p80_busy(void);

#endif
