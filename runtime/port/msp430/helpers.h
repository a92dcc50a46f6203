/* Include before everything else in each source of the recorder: GCC calls helper functions for shifts, function
 * epilogues and copies. The program's helpers would count, or be replaced in a replay. The recorder has its own under
 * these names (helpers.S); the link step refuses any other reference. */
#if !defined __clang__ && !defined __ASSEMBLER__
#define HC_OWN(theirs, ours) __asm__(".set " #theirs ", " #ours)
#define HC_OWN_ABI(name) HC_OWN(__mspabi_##name, __hc_abi_##name)
HC_OWN(memcpy, __hc_abi_copy);
HC_OWN(memset, __hc_abi_set);
HC_OWN(__mspabi_mpyi_hw, __hc_abi_mpyi);
HC_OWN_ABI(mpyi);
HC_OWN_ABI(func_epilog_1);
HC_OWN_ABI(func_epilog_2);
HC_OWN_ABI(func_epilog_3);
HC_OWN_ABI(func_epilog_4);
HC_OWN_ABI(func_epilog_5);
HC_OWN_ABI(func_epilog_6);
HC_OWN_ABI(func_epilog_7);
HC_OWN_ABI(slli);
HC_OWN_ABI(slll);
HC_OWN_ABI(srai);
HC_OWN_ABI(sral);
HC_OWN_ABI(srli);
HC_OWN_ABI(srll);
#undef HC_OWN_ABI
#undef HC_OWN
#endif
