#pragma once

/// A flag with which another thread ends a transfer.
typedef struct saunter_cancellation saunter_cancellation;

/// Returns NULL if there is not enough memory.
saunter_cancellation *saunter_cancellation_create(void);
void saunter_cancellation_set(saunter_cancellation *cancellation);
void saunter_cancellation_free(saunter_cancellation *cancellation);
