import CZlib

/// A `z_stream` at a fixed address. zlib keeps a pointer to it and rejects a copy at another address.
final class ZlibStream {
    /// Bytes of the output buffer: 64 KiB.
    static let chunkSize = 1 << 16

    let state: UnsafeMutablePointer<z_stream>
    private var chunk = [UInt8](repeating: 0, count: chunkSize)

    init() {
        state = .allocate(capacity: 1)
        state.initialize(to: z_stream())
    }

    deinit {
        state.deallocate()
    }

    /// Calls zlib once, with the input from `offset` on and an empty output buffer.
    /// - Parameter call: `deflate` or `inflate`.
    /// - Returns: zlib's status, the number of consumed input bytes, and the output, at most `chunkSize` bytes.
    func run(
        _ input: [UInt8], from offset: Int, _ call: (UnsafeMutablePointer<z_stream>) -> Int32
    ) -> (status: Int32, consumed: Int, output: ArraySlice<UInt8>) {
        let (status, consumed, count) = input.withUnsafeBufferPointer { source in
            chunk.withUnsafeMutableBufferPointer { target in
                // zlib declares its input as mutable, but does not write to it.
                state.pointee.next_in = source.baseAddress.map { UnsafeMutablePointer(mutating: $0 + offset) }
                state.pointee.avail_in = UInt32(clamping: source.count - offset)
                state.pointee.next_out = target.baseAddress
                state.pointee.avail_out = UInt32(target.count)
                let available = state.pointee.avail_in
                let status = call(state)
                state.pointee.next_in = nil
                state.pointee.next_out = nil
                return (
                    status, Int(available - state.pointee.avail_in),
                    target.count - Int(state.pointee.avail_out)
                )
            }
        }
        return (status, consumed, chunk[..<count])
    }
}
