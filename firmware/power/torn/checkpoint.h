/* Real checkpoints of registers and stack in FRAM. checkpoint() returns when it has been saved, and again after each
 * failure; restore(), called first in main, does not return if there is a checkpoint to go on from.
 *
 *     image   | SP | words | R11 ... R4, return address, stack up to its end ... |
 *
 * There is one image, which is overwritten while it is the only one there is; with DOUBLE there are two, used in turn,
 * and one word says which of them is whole: it is written last. */
#include <kit.h>

enum { IMAGE_WORDS = 64 };

struct image {
    uint16_t sp, words, word[IMAGE_WORDS];
};

#ifdef DOUBLE
enum { IMAGES = 2 };
#else
enum { IMAGES = 1 };
#endif

extern uint16_t __stack;

KIT_PERSISTENT struct image image[IMAGES] = { { 0, 0, { 0 } } };
KIT_PERSISTENT struct image *volatile whole = 0; /* none */

/* From SP to the end of the stack. */
__attribute__((used)) static void save(const uint16_t *sp)
{
    struct image *to = whole == &image[0] ? &image[IMAGES - 1] : &image[0];

    to->sp = (uint16_t)(uintptr_t)sp;
    to->words = (uint16_t)(&__stack - sp);
    for (uint16_t i = 0; i < to->words; i++)
        ((volatile uint16_t *)to->word)[i] = sp[i];
    whole = to;
}

void checkpoint(void);
void restore(void);

__asm__(".text\n"
        ".globl checkpoint\n"
        ".type checkpoint, @function\n"
        "checkpoint:\n"
        "    push r4\n    push r5\n    push r6\n    push r7\n    push r8\n    push r9\n    push r10\n    push r11\n"
        "    mov r1, r12\n"
        "    call #save\n"
        "    pop r11\n    pop r10\n    pop r9\n    pop r8\n    pop r7\n    pop r6\n    pop r5\n    pop r4\n"
        "    ret\n"
        ".size checkpoint, .-checkpoint\n"
        ".globl restore\n"
        ".type restore, @function\n"
        "restore:\n"
        "    mov &whole, r12\n"
        "    tst r12\n"
        "    jz 2f\n"
        "    mov @r12+, r13\n"
        "    mov r13, r1\n"
        "    mov @r12+, r14\n"
        "1:  mov @r12+, r15\n"
        "    mov r15, 0(r13)\n"
        "    incd r13\n"
        "    dec r14\n"
        "    jnz 1b\n"
        "    pop r11\n    pop r10\n    pop r9\n    pop r8\n    pop r7\n    pop r6\n    pop r5\n    pop r4\n"
        "2:  ret\n"
        ".size restore, .-restore\n");
