import CCurl

/// The switch by which a cancelled task ends its transfer.
final class TransferStop: Sendable {
    // The C side reads and writes it atomically.
    nonisolated(unsafe) let pointer: OpaquePointer

    init?() {
        guard let made = saunter_stop_make() else { return nil }
        pointer = made
    }

    deinit {
        saunter_stop_free(pointer)
    }

    func set() {
        saunter_stop_set(pointer)
    }
}
