import CLibPQ

/// A row of a COPY, in memory of libpq's.
@safe
struct CopyRow: ~Copyable {
    private let bytes: UnsafeMutablePointer<CChar>
    let count: Int

    /// Takes ownership.
    init(owning bytes: UnsafeMutablePointer<CChar>, count: Int) {
        unsafe self.bytes = unsafe bytes
        self.count = count
    }

    deinit {
        unsafe PQfreemem(bytes)
    }

    /// Writes the row to the beginning of the buffer, which must have room for it.
    func write(to buffer: UnsafeMutableRawBufferPointer) {
        unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(start: bytes, count: count))
    }
}
