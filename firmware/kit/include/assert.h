/* C's <assert.h>. What fails is said on standard output, then abort is called. */
#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) ((condition) ? (void)0 : kit_assertion_failed(#condition, __FILE__, __LINE__))
#endif

#ifndef KIT_ASSERT_H
#define KIT_ASSERT_H

#if !defined __cplusplus && !(__STDC_VERSION__ > 201710L)
#define static_assert _Static_assert
#endif

__attribute__((noreturn)) void kit_assertion_failed(const char *condition, const char *file, int line);

#endif
