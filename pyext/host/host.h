// Keeps the signal handlers and limits of the process that loads the engine.
#ifndef OPWELD_HOST_H
#define OPWELD_HOST_H

void opweld_host_restore(void);

#endif
