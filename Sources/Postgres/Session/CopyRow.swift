import CLibPQ

/// A row of a COPY, in memory that libpq allocated.
@safe
struct CopyRow: ~Copyable {
    private let bytes: UnsafeMutablePointer<CChar>
    let count: Int

    /// Takes ownership of the memory.
    init(owning bytes: UnsafeMutablePointer<CChar>, count: Int) {
        unsafe self.bytes = unsafe bytes
        self.count = count
    }

    deinit {
        unsafe PQfreemem(bytes)
    }

    /// Writes the row to the start of the buffer. The buffer must have at least `count` bytes.
    func write(to buffer: UnsafeMutableRawBufferPointer) {
        unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(start: bytes, count: count))
    }
}
