#include "kit.h"

__attribute__((weak)) void kit_reset_hook(void)
{
    WDTCTL = WDTPW | WDTHOLD;
}
