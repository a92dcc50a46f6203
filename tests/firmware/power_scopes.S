; Two functions with hand-written debug information, in which variables share a slot of the stack.
;
;     uint16_t pass(void)                    uint16_t turns(void)
;     {                                      {
;         uint16_t later[3];                     uint16_t early;    until .Lturn
;         {                                      uint16_t late;     from .Lturn on
;             uint16_t now[3];
;             now[0]++; now[2] += now[0];        early++;
;         }                                      late += 3;
;         later[0] += 2;
;         return later[0];                       return late;
;     }                                      }
;
; now and later are at the same address, and so are early and late. As with variables that a compiler has put into a
; register for a while, the description of now does not cover the second instruction of its block.
    .cfi_sections .debug_frame

    .section .text.pass, "ax", @progbits
    .global pass
    .type pass, @function
pass:
.Lpass:
    .cfi_startproc
    sub #6, r1
    .cfi_adjust_cfa_offset 6
.Lblock:
    inc 0(r1)
.Lsecond:
    add 0(r1), 4(r1)
.Lblock_end:
    incd 0(r1)
    mov 0(r1), r12
    add #6, r1
    .cfi_adjust_cfa_offset -6
    ret
    .cfi_endproc
.Lpass_end:
    .size pass, . - pass

    .section .text.turns, "ax", @progbits
    .global turns
    .type turns, @function
turns:
.Lturns:
    .cfi_startproc
    decd r1
    .cfi_adjust_cfa_offset 2
    inc 0(r1)
.Lturn:
    add #3, 0(r1)
    mov 0(r1), r12
    incd r1
    .cfi_adjust_cfa_offset -2
    ret
    .cfi_endproc
.Lturns_end:
    .size turns, . - turns

#define COMPILE_UNIT 0x11
#define ARRAY_TYPE 0x01
#define SUBRANGE_TYPE 0x21
#define BASE_TYPE 0x24
#define SUBPROGRAM 0x2e
#define LEXICAL_BLOCK 0x0b
#define VARIABLE 0x34
#define AT_LOCATION 0x02
#define AT_NAME 0x03
#define AT_BYTE_SIZE 0x0b
#define AT_LOW_PC 0x11
#define AT_HIGH_PC 0x12
#define AT_COUNT 0x37
#define AT_ENCODING 0x3e
#define AT_FRAME_BASE 0x40
#define AT_TYPE 0x49
#define FORM_ADDR 0x01
#define FORM_DATA1 0x0b
#define FORM_STRING 0x08
#define FORM_REF4 0x13
#define FORM_SEC_OFFSET 0x17
#define FORM_EXPRLOC 0x18
#define OP_FBREG 0x91
#define OP_CALL_FRAME_CFA 0x9c
#define UNSIGNED 0x07

    .section .debug_abbrev, "", @progbits
.Labbrev:
    .byte 1, COMPILE_UNIT, 1, AT_NAME, FORM_STRING, AT_LOW_PC, FORM_ADDR, 0, 0
    .byte 2, BASE_TYPE, 0, AT_NAME, FORM_STRING, AT_ENCODING, FORM_DATA1, AT_BYTE_SIZE, FORM_DATA1, 0, 0
    .byte 3, ARRAY_TYPE, 1, AT_TYPE, FORM_REF4, 0, 0
    .byte 4, SUBRANGE_TYPE, 0, AT_COUNT, FORM_DATA1, 0, 0
    .byte 5, SUBPROGRAM, 1, AT_NAME, FORM_STRING, AT_LOW_PC, FORM_ADDR, AT_HIGH_PC, FORM_ADDR
    .byte AT_FRAME_BASE, FORM_EXPRLOC, 0, 0
    .byte 6, VARIABLE, 0, AT_NAME, FORM_STRING, AT_TYPE, FORM_REF4, AT_LOCATION, FORM_EXPRLOC, 0, 0
    .byte 7, LEXICAL_BLOCK, 1, AT_LOW_PC, FORM_ADDR, AT_HIGH_PC, FORM_ADDR, 0, 0
    .byte 8, VARIABLE, 0, AT_NAME, FORM_STRING, AT_TYPE, FORM_REF4, AT_LOCATION, FORM_SEC_OFFSET, 0, 0
    .byte 0

    .section .debug_info, "", @progbits
.Linfo:
    .long .Linfo_end - .Lversion
.Lversion:
    .short 4
    .long .Labbrev
    .byte 4 ; bytes of an address
    .byte 1
    .asciz "power_scopes.S"
    .long 0
.Lword:
    .byte 2
    .asciz "uint16_t"
    .byte UNSIGNED, 2
.Larray:
    .byte 3
    .long .Lword - .Linfo
    .byte 4, 3, 0
    .byte 5
    .asciz "pass"
    .long .Lpass, .Lpass_end
    .byte 1, OP_CALL_FRAME_CFA
    .byte 6
    .asciz "later"
    .long .Larray - .Linfo
    .byte 2, OP_FBREG, 0x78 ; -8
    .byte 7
    .long .Lblock, .Lblock_end
    .byte 8
    .asciz "now"
    .long .Larray - .Linfo
    .long .Lnow
    .byte 0, 0
    .byte 5
    .asciz "turns"
    .long .Lturns, .Lturns_end
    .byte 1, OP_CALL_FRAME_CFA
    .byte 8
    .asciz "early"
    .long .Lword - .Linfo
    .long .Learly
    .byte 8
    .asciz "late"
    .long .Lword - .Linfo
    .long .Llate
    .byte 0, 0
.Linfo_end:

    .section .debug_loc, "", @progbits
.Lnow:
    .long .Lblock, .Lsecond
    .short 2
    .byte OP_FBREG, 0x78
    .long 0, 0
.Learly:
    .long .Lturns, .Lturn
    .short 2
    .byte OP_FBREG, 0x7c ; -4
    .long 0, 0
.Llate:
    .long .Lturn, .Lturns_end
    .short 2
    .byte OP_FBREG, 0x7c
    .long 0, 0
