/* A checkpoint that only marks the place: the analysis takes its call for a checkpoint that is completed. */
void checkpoint(void);

void checkpoint(void)
{
    __asm__ volatile("nop");
}
