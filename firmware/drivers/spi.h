/* USART0 as the SPI master that radio and flash chip share, and who of them may use it.
 *
 * A client owns the bus from a successful spi_acquire, or from its grant, until spi_release. Those who came too late
 * wait in a queue and get the bus in the order in which they asked. From tasks only. */
#ifndef DRIVERS_SPI_H
#define DRIVERS_SPI_H

#include <stdbool.h>
#include <stdint.h>

struct spi_client {
    void (*granted)(void); /* the client owns the bus now; called in a task */
    struct spi_client *next;
    bool waiting;
};

/* Once, at boot. SCK is SMCLK / 2. */
void spi_init(void);

/* Immediate use: true when C owns the bus now, or owned it already. */
bool spi_acquire(struct spi_client *c);

/* Asks to be granted the bus, which may happen before other tasks run but not within the call. A second request of a
 * waiting client is the same request. The owner must not ask. */
void spi_request(struct spi_client *c);

void spi_release(struct spi_client *c);

/* Who has the bus; NULL: nobody. To look at. */
extern struct spi_client *spi_owner;

/* ---- for the owner; chip selects are the client's business ---- */

uint8_t spi_exchange(uint8_t out);
void spi_put(uint8_t out); /* whatever comes back */
void spi_write(const void *from, uint16_t count);
void spi_read(void *to, uint16_t count);

#endif
