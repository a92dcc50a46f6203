/* Three clients of the SPI bus. log: what happened, in order. result: 0 wrong answers of spi_acquire */
#include "drivers/board.h"
#include "drivers/spi.h"
#include "kernel/sleep.h"
#include "kernel/task.h"

volatile uint16_t result[2];
volatile uint16_t finished;
char log[16];
static uint8_t logged;

static void granted_a(void);
static void granted_b(void);
static void granted_c(void);
static struct spi_client a = { .granted = granted_a }, b = { .granted = granted_b }, c = { .granted = granted_c };

static void note(char what)
{
    log[logged++] = what;
}

static void expect(bool answer, bool right)
{
    result[0] += answer != right;
}

static void granted_a(void)
{
    note('A');
    expect(spi_acquire(&b), false);
    spi_release(&a);
    finished = 0xd09e;
}

/* B has the bus until a later task. */
static void b_is_done(void *unused)
{
    (void)unused;
    note('b');
    expect(spi_acquire(&c), false);
    expect(spi_acquire(&b), true);
    spi_request(&a);
    spi_release(&b);
}

static void granted_b(void)
{
    note('B');
    expect(spi_acquire(&a), false);
    task_post(b_is_done, NULL);
}

static void granted_c(void)
{
    note('C');
    spi_release(&c);
}

static void begin(void *unused)
{
    (void)unused;
    note('1');
    expect(spi_acquire(&a), true);
    expect(spi_acquire(&b), false);
    spi_request(&b);
    spi_request(&c);
    spi_request(&b); /* the same request */
    spi_release(&a);
    expect(spi_acquire(&a), false);
    note('2');
}

int main(void)
{
    board_start();
    task_post(begin, NULL);
    kernel_run();
}
