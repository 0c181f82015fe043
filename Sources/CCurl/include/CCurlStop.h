#pragma once

/// A switch by which another thread ends a transfer.
typedef struct saunter_stop saunter_stop;

/// NULL when there is no memory.
saunter_stop *saunter_stop_make(void);
void saunter_stop_set(saunter_stop *stop);
void saunter_stop_free(saunter_stop *stop);
