/* Calls the loop of stuck.S that LOOP names. */
#include <kit.h>
#ifdef __HINDCAST__
#include <hindcast.h>
#else
static void hc_update(void)
{
}
#endif

void LOOP(void);

int main(void)
{
    kit_enable_interrupts();
    for (;;) {
        LOOP();
        hc_update();
    }
}
