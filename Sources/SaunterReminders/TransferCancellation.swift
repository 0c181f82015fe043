import CCurl

/// A flag that ends a libcurl transfer when its task is cancelled.
final class TransferCancellation: Sendable {
    // C functions read and write the flag atomically.
    nonisolated(unsafe) let pointer: OpaquePointer

    init?() {
        guard let flag = saunter_cancellation_create() else { return nil }
        pointer = flag
    }

    deinit {
        saunter_cancellation_free(pointer)
    }

    func cancel() {
        saunter_cancellation_set(pointer)
    }
}
