import CZlib

/// The CRC-32 checksum that gzip, zip and Parquet use (ISO 3309).
package enum CRC32 {
    /// The checksum of these bytes.
    package static func checksum(of bytes: [UInt8]) -> UInt32 {
        bytes.withUnsafeBufferPointer { UInt32(truncatingIfNeeded: crc32_z(0, $0.baseAddress, $0.count)) }
    }
}
