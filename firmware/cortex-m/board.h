/* The board: Arm's MPS2 with a Cortex-M3 (image AN385), as qemu-system-arm -M mps2-an385 has it. */
#ifndef BOARD_H
#define BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* SysTick calls board_tick every millisecond, UART1 calls board_byte for each byte: both in interrupts. */
void board_start(void);
void board_tick(void);
void board_byte(uint8_t byte);

void board_listen(bool on);       /* whether bytes are taken; else the sender waits */
void board_say(const char *text); /* on UART1 */
void board_leave(void);           /* ends the emulation; a real board stays in a loop */

uint32_t board_lock(void);
void board_unlock(uint32_t before);

void *memcpy(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);

#endif
