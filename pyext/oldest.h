/* Included before all C that a wheel holds compiled, so that it may include nothing itself. Functions of threads moved from glibc's
   libpthread to its libc, with new versions: they are asked for by their first ones, which every glibc has, so that a wheel runs with
   older ones than that of the machine that builds it. */
#if !defined(__ASSEMBLER__)
#if defined(__gnu_linux__) && (defined(__x86_64__) || defined(__aarch64__))
#if defined(__x86_64__)
#define OPW_FIRST "GLIBC_2.2.5"
#else
#define OPW_FIRST "GLIBC_2.17"
#endif
#define OPW_OLDEST(name) __asm__(".symver " #name "," #name "@" OPW_FIRST)
OPW_OLDEST(pthread_attr_getstack);
OPW_OLDEST(pthread_attr_getstacksize);
OPW_OLDEST(pthread_attr_setstacksize);
OPW_OLDEST(pthread_create);
OPW_OLDEST(pthread_getattr_np);
OPW_OLDEST(pthread_join);
OPW_OLDEST(pthread_key_create);
OPW_OLDEST(pthread_mutex_trylock);
OPW_OLDEST(pthread_rwlock_destroy);
OPW_OLDEST(pthread_rwlock_init);
OPW_OLDEST(pthread_rwlock_rdlock);
OPW_OLDEST(pthread_rwlock_unlock);
OPW_OLDEST(pthread_rwlock_wrlock);
OPW_OLDEST(pthread_setspecific);
OPW_OLDEST(pthread_sigmask);
#undef OPW_OLDEST
#undef OPW_FIRST
#endif
#endif
